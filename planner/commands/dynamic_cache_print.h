/* dynamic_cache_print.h - what dynamic caches did, as tables for people. */
#ifndef PLANNER_COMMANDS_DYNAMIC_CACHE_PRINT_H
#define PLANNER_COMMANDS_DYNAMIC_CACHE_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* rows: of results/1: the plan as it is, then one row per cache, with a member `dynamic`. held: feature rows that the
 * plan's own lists hold. */
void dynamic_cache_print(const doc *rows, uint64_t held, FILE *to);
/* requests: a document requests/1. */
void dynamic_cache_requests_print(const doc *requests, FILE *to);

#endif
