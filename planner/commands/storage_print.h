/* storage_print.h - a document storage/1 for people. */
#ifndef PLANNER_COMMANDS_STORAGE_PRINT_H
#define PLANNER_COMMANDS_STORAGE_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* Prints what DRAM holds, what is read from where, the time of the SSDs, and other rules where there are any. */
void storage_print(const doc *d, FILE *to);

#endif
