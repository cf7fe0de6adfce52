/* execute_print.h - what was executed, as tables for people. executed: a document executed/1. */
#ifndef PLANNER_COMMANDS_EXECUTE_PRINT_H
#define PLANNER_COMMANDS_EXECUTE_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* Rows by source, times by stage, transactions per epoch, how they were measured. */
void execute_print(const doc *executed, FILE *to);
/* The table of the sweep and its sentence; nothing when there is none. */
void execute_sweep_print(const doc *executed, FILE *to);

#endif
