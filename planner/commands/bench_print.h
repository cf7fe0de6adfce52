/* bench_print.h - results of a bench as tables for people. */
#ifndef PLANNER_COMMANDS_BENCH_PRINT_H
#define PLANNER_COMMANDS_BENCH_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* The memory's rates, then a line per case. result: a document bench/1. */
void bench_print(const doc *result, FILE *to);
/* A line per case of `result` next to the same case of `old`. */
void bench_against_print(const doc *result, const doc *old, FILE *to);

#endif
