/* size_room.h - does a server hold the graph: its GPUs, its host memory, its SSDs; alone, or with others. */
#ifndef PLANNER_DECISIONS_SIZE_ROOM_H
#define PLANNER_DECISIONS_SIZE_ROOM_H

#include "planner/decisions/size_option.h"

enum { SIZE_NUMBERS_MAX = INT_LIST_MAX + 8 };
/* Numbers of servers to try, ascending. out: [SIZE_NUMBERS_MAX]. */
int size_numbers(const struct size_question *q, const struct size_curve *c, int *out);
/* Whether one of these numbers of servers needs SSDs, which hold all rows; a plan with them is still to be made. */
bool size_room_needs_ssds(const struct size_question *q, const struct size_curve *c);
/* Of o->servers: sets fits, below, host_needs, host_left, fill, lacks, remedy. */
void size_room(const struct size_question *q, const struct size_curve *c, struct size_option *o);

#endif
