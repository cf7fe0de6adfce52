/* tiny_graph.h - four vertices in memory, for entries that need a graph. */
#ifndef TESTS_TINY_GRAPH_H
#define TESTS_TINY_GRAPH_H

#include "traces/graph/graph.h"

static const int64_t tiny_indptr[] = {0, 2, 3, 5, 6};
static const uint32_t tiny_indices[] = {1, 2, 0, 0, 3, 2}, tiny_train[] = {0, 2};
static const struct graph tiny_graph = {.path = "tiny",
                                        .name = "tiny",
                                        .n = 4,
                                        .m = 6,
                                        .indptr = tiny_indptr,
                                        .indices = tiny_indices,
                                        .train = tiny_train,
                                        .train_count = 2,
                                        .feature_dim = 2,
                                        .feature_bytes = 4,
                                        .row_bytes = 8,
                                        .sample = "in"};
#endif
