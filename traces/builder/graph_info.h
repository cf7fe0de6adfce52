/* graph_info.h - what `hotset graph info` shows. */
#ifndef TRACES_BUILDER_GRAPH_INFO_H
#define TRACES_BUILDER_GRAPH_INFO_H

#include <stdbool.h>
#include <stdio.h>
#include "traces/graph/graph_sets.h"

/* Distribution of a count over the vertices. A quantile is the smallest value that at least that share of the vertices
 * does not exceed. */
struct distribution {
    uint64_t min, median, p99, max;
    uint64_t zeros; /* vertices with count 0 */
    double mean;
};

struct graph_info {
    struct distribution rows;   /* row length: neighbours that a vertex draws from */
    struct distribution listed; /* in how many rows a vertex stands */
    struct graph_sets sets;     /* numbers of what there is for training; no arrays */
    enum fingerprint_check {
        CHECK_NOT_ASKED,
        CHECK_EQUAL,
        CHECK_DIFFERS,
        CHECK_FOREIGN /* graph.json has none, or one that another program made */
    } check;
    char computed[80]; /* fingerprint of the arrays; "" when not asked */
};

/* Of a plain graph, computes both distributions, counts and checks labels and sets. With verify, computes the
 * fingerprint. Takes 4 bytes per vertex. Errors of graph_sets_open; ST_LIMIT when memory is out. */
enum st graph_info_make(const struct graph *g, bool verify, int threads, struct graph_info *out, struct err *err)
    MUST_USE;
/* The document graph-info/1 or, of several types, graph-info/2; the caller frees it with doc_free. */
doc *graph_info_document(const struct graph_info *info, const struct graph *g);
/* The tables for people. */
void graph_info_print(const struct graph_info *info, const struct graph *g, FILE *to);

#endif
