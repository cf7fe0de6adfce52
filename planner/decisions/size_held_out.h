/* size_held_out.h - whether the intervals that size prints hold, as a document and as tables (hotset validate
 * --held-out). */
#ifndef PLANNER_DECISIONS_SIZE_HELD_OUT_H
#define PLANNER_DECISIONS_SIZE_HELD_OUT_H

#include <stdio.h>
#include "base/doc.h"

/* *out: held-out/1 {points, inside, coverage, width, models[]{model, cases, points, inside, coverage, width}, cases[]}:
 * every shipped case left out in turn and predicted with the interval that the others give (size_error.h). coverage:
 * inside / points; width: high / low, the mean over points in logarithms. Owned by the caller. */
enum st size_held_out_make(doc **out, struct err *err) MUST_USE;
/* Both tables and a sentence, of such a document. */
void size_held_out_print(const doc *held_out, FILE *to);

#endif
