/* graph_element.h - a graph of several types whose vertices' feature rows have another element. */
#ifndef TRACES_GRAPH_GRAPH_ELEMENT_H
#define TRACES_GRAPH_GRAPH_ELEMENT_H

#include "traces/graph/graph.h"

/* *out: g, which is joined (graph_union.h), with features of all types of that element ("f32", "f16", "i8"); rows of
 * edges stay, and GPUs hold rows as the host does. Its arrays are g's, which outlives it; what differs is its own:
 * release it with graph_element_release, never graph_close. ST_LIMIT without memory, or for too many rows. */
enum st graph_with_element(const struct graph *g, const char *element, struct graph *out, struct err *err) MUST_USE;
void graph_element_release(struct graph *g); /* a zeroed struct is allowed */

#endif
