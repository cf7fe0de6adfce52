/* explain_print.h - an explanation of a vertex's rows as tables and sentences for people. */
#ifndef PLANNER_COMMANDS_EXPLAIN_PRINT_H
#define PLANNER_COMMANDS_EXPLAIN_PRINT_H

#include "planner/study/explain.h"

/* The vertex, its rows in every pool, why rows are not held, and which GPU serves each reader. p: the plan that was
 * explained. */
void explain_print(const struct explanation *e, const struct plan *p, FILE *to);
/* Says that a plan reads beyond cliques, where it does. */
void explain_beyond_print(const struct plan *p, FILE *to);

#endif
