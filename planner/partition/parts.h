/* parts.h - how many parts a graph is split into at most: one for each GPU of the largest server. */
#ifndef PLANNER_PARTITION_PARTS_H
#define PLANNER_PARTITION_PARTS_H

enum { PARTS_MAX = 72 };

#endif
