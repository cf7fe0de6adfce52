/* size_print.h - a document size/1 as tables for people. */
#ifndef PLANNER_SIZING_SIZE_PRINT_H
#define PLANNER_SIZING_SIZE_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* The sentence, what every curve can hold and needs, the points of the curve that is shown, its knee, the map, the
 * spread of stand-ins. of: a size/1 document. */
void size_print(const doc *of, FILE *to);

#endif
