/* curve_print.h - a document curve/1 as tables for people. */
#ifndef PLANNER_COMMANDS_CURVE_PRINT_H
#define PLANNER_COMMANDS_CURVE_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* The curves of all caches together, a table per table of rows: hit rates at some sizes, and the knee. */
void curve_print(const doc *d, FILE *to);

#endif
