/* memories_lists.h - solutions as lists of rows: of each GPU, and of each place below the GPUs of a node. */
#ifndef PLANNER_PLACES_MEMORIES_LISTS_H
#define PLANNER_PLACES_MEMORIES_LISTS_H

#include "planner/places/memories.h"

/* Sets memories->list from s, a solution of problem p with the GPUs. Rows go, those first that save most per byte, to
 * the GPU of the clique that reads them most and has room, else to the one with most room. What fits no GPU, because a
 * row is not split, is taken out of s, which is judged again. ST_LIMIT without memory. */
enum st memories_deal(struct memories *memories, const struct place_problem *p, struct place_solution *s,
                      struct err *err) MUST_USE;

#endif
