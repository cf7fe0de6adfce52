/* tiny_typed.h - two types and two relations in memory, for entries that need a typed graph: a (2 vertices, both
 * features and training), b (3 vertices, neither); b-r->a with rows {0, 1} and {2}; a-s->b with rows {0}, {} and {1}
 * and a byte per edge. */
#ifndef TESTS_TINY_TYPED_H
#define TESTS_TINY_TYPED_H

#include "traces/graph/graph.h"

static const int64_t tiny_r_indptr[] = {0, 2, 3}, tiny_s_indptr[] = {0, 1, 1, 2};
static const uint32_t tiny_r_indices[] = {0, 1, 2}, tiny_s_indices[] = {0, 1}, tiny_typed_train[] = {0, 1};
static struct graph_type tiny_types[] = {{.name = "a",
                                          .count = 2,
                                          .features = {2, "f32", 8},
                                          .train = tiny_typed_train,
                                          .train_count = 2,
                                          .into = {0},
                                          .into_count = 1},
                                         {.name = "b", .count = 3, .first = 2, .into = {1}, .into_count = 1}};
static struct graph_relation tiny_relations[] =
    {{.name = "r", .source = 1, .target = 0, .m = 3, .rows = 2, .indptr = tiny_r_indptr, .indices = tiny_r_indices},
     {.name = "s",
      .source = 0,
      .target = 1,
      .m = 2,
      .rows = 3,
      .first_row = 2,
      .features = {1, "u8", 1},
      .indptr = tiny_s_indptr,
      .indices = tiny_s_indices}};
static const struct graph tiny_typed = {.path = "tiny",
                                        .name = "tiny",
                                        .n = 5,
                                        .m = 5,
                                        .topology_rows = 5,
                                        .edge_rows = 2,
                                        .train_count = 2,
                                        .types = 2,
                                        .relations = 2,
                                        .type = tiny_types,
                                        .relation = tiny_relations};

#endif
