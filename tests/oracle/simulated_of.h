/* simulated_of.h - what a replay counted, as plans state it. */
#ifndef TESTS_ORACLE_SIMULATED_OF_H
#define TESTS_ORACLE_SIMULATED_OF_H

#include "simulator/movement/simulated.h"
#include "tests/oracle/instance.h"

/* The caller frees it. */
static inline doc *simulated_of(const struct plan *p, const struct replay *r, const struct graph *g)
{
    struct simulated s = {.replay = *r};
    struct err err;
    OK(simulated_sum(p, g, &s, &err));
    return simulated_document(p, &s, g, true);
}

#endif
