/* graph_info.h - what `graph info` tells. */
#ifndef TRACES_BUILDER_GRAPH_INFO_H
#define TRACES_BUILDER_GRAPH_INFO_H

#include <stdbool.h>
#include <stdio.h>
#include "traces/graph/graph.h"

/* Distribution of a count over the vertices. Quantiles: the smallest value that at least that share of the vertices
 * does not exceed. */
struct spread {
    uint64_t least, median, p99, most, zeros;
    double mean;
};

struct graph_info {
    struct spread rows;   /* row length */
    struct spread listed; /* in how many places a vertex stands */
    enum fingerprint_check {
        CHECK_NOT_ASKED,
        CHECK_EQUAL,
        CHECK_DIFFERS,
        CHECK_FOREIGN
    } check;           /* foreign: missing, or made by another program */
    char computed[80]; /* "" when not asked */
};

/* Takes 4 bytes per vertex. */
enum st graph_info_make(const struct graph *g, bool verify, int threads, struct graph_info *out, struct err *err)
    MUST_USE;
doc *graph_info_document(const struct graph_info *info, const struct graph *g);
void graph_info_print(const struct graph_info *info, const struct graph *g, FILE *to);

#endif
