/* explain_print.h - an explanation as tables for people. */
#ifndef PLANNER_COMMANDS_EXPLAIN_PRINT_H
#define PLANNER_COMMANDS_EXPLAIN_PRINT_H

#include <stdio.h>
#include "base/doc.h"
#include "planner/results/explain.h"

/* d: its document, which has what lies below the GPUs. */
void explain_print(const struct explanation *e, const struct explain_input *in, const doc *d, FILE *to);

#endif
