/* validation_print.h - results as tables for people. */
#ifndef PLANNER_VALIDATION_VALIDATION_PRINT_H
#define PLANNER_VALIDATION_VALIDATION_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* Prints a validation/1 document: the cases, worst first, and below them every point beyond its case's tolerance.
 * Points of a case that missed by many: the `each` worst of it, and how many more there are. */
void validation_print(const doc *d, int each, FILE *to);
/* Prints the models with their inputs and parameters. */
void validation_models_print(FILE *to);

#endif
