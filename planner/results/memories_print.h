/* memories_print.h - the memories below a plan's GPUs, for people. */
#ifndef PLANNER_RESULTS_MEMORIES_PRINT_H
#define PLANNER_RESULTS_MEMORIES_PRINT_H

#include <stdio.h>
#include "base/cmd.h"
#include "simulator/plan/plan.h"

/* A table of the places: room, rows, and what held-out epochs read there where the plan was simulated; nothing for a
 * plan without them. memories: the member of `simulated`. */
void memories_print(const struct plan *p, const doc *memories, FILE *to);

/* Sum of `key` over the places of that kind ("dram", "node", "ssd"; NULL: all) in a member `memories` of `simulated`;
 * NaN where there is none, or it was not simulated. */
double memories_sum(const doc *memories, const char *kind, const char *key);

/* {held_by[], read_from[]{gpus[], place}} of an item of the graph: names of the places that state it, and where each
 * reader takes it from when no GPU in its reach holds it. The caller frees it. */
doc *memories_of_row(const struct plan *p, const struct graph *g, uint64_t item);
/* what: "topology", in the sentence. */
void memories_of_row_print(const doc *row, const char *what, FILE *to);
/* For commands that see the host as one memory: puts what the places of a plan serve in its held-out epochs (its member
 * `simulated`) into d, as `memories`, and prints it unless a document is wanted; host: what these commands' numbers of
 * the host are. Nothing for plans without places. */
void memories_beside(const struct call *call, const struct plan *p, const doc *simulated, const char *host, doc *d);

#endif
