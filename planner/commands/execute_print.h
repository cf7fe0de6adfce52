/* execute_print.h - what was executed, for people: tables of a document executed/1. */
#ifndef PLANNER_COMMANDS_EXECUTE_PRINT_H
#define PLANNER_COMMANDS_EXECUTE_PRINT_H

#include <stdio.h>
#include "base/doc.h"

void execute_print(const doc *executed, FILE *to);
/* The table of the sweep and its sentence; nothing when there is none. */
void execute_print_sweep(const doc *executed, FILE *to);

#endif
