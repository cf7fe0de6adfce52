/* train_view.h - a graph with some of its training vertices: of a node, or of a window of time. */
#ifndef PLANNER_ENGINE_TRAIN_VIEW_H
#define PLANNER_ENGINE_TRAIN_VIEW_H

#include "traces/graph/graph_union.h"

struct train_view {
    struct graph graph; /* borrows all but what follows */
    uint32_t *train;    /* owned */
    /* Of several types: those with their training vertices, and the graph of connections with their ids; owned. */
    struct graph_type *type;
    struct graph_union joined; /* all but the ids is the graph's */
    uint32_t *ids;
};

/* Keeps the training vertices v, numbered over all types, with part[v] == which, in their order. part: [n]. Of several
 * types the graph was joined (graph_union.h). *out: zeroed by the caller, to be released, which the graph must outlive.
 * ST_LIMIT. */
enum st train_view_make(const struct graph *g, const uint8_t *part, int which, struct train_view *out, struct err *err)
    MUST_USE;
void train_view_release(struct train_view *v); /* a zeroed struct is allowed */

#endif
