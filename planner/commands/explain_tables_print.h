/* explain_tables_print.h - explanations of plans of several types, as the document explain/2 and as tables for people.
 */
#ifndef PLANNER_COMMANDS_EXPLAIN_TABLES_PRINT_H
#define PLANNER_COMMANDS_EXPLAIN_TABLES_PRINT_H

#include <stdio.h>
#include "planner/study/explain.h"

/* Explains what every type and relation gets and why or, with vertex ("TYPE:ID"), the rows of one vertex. only: a type
 * or relation; NULL: all. to: where tables are printed; NULL: nowhere. The caller frees *out. ST_USAGE for a name that
 * the graph does not have, ST_LIMIT without memory. */
enum st explain_tables_answer(const struct explain_input *in, const char *vertex, const char *only, FILE *to, doc **out,
                              struct err *err) MUST_USE;

#endif
