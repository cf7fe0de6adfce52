/* size_print.h - a document size/1 as tables for people. */
#ifndef PLANNER_DECISIONS_SIZE_PRINT_H
#define PLANNER_DECISIONS_SIZE_PRINT_H

#include <stdio.h>
#include "base/doc.h"
#include "planner/decisions/size.h"

/* What can be bought, and last the answer with its reasons; explain: before them what every curve can hold and needs,
 * the points of the curve that is shown, its knee, the spread of stand-ins, where numbers are from. of: size/1. */
void size_print(const doc *of, bool explain, FILE *to);

/* Says on stderr when training does not fit a curve's GPUs, or a scaled mini-batch is small; explain: every term of the
 * reservation. */
void size_say_curve(const struct call *call, const struct size_curve *c, bool explain);

#endif
