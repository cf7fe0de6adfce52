#include "traces/graph/graph_element.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/precision.h"
#include "traces/graph/graph_union.h"
#include "traces/graph/rows.h"

enum st graph_with_element(const struct graph *g, const char *element, struct graph *out, struct err *err)
{
    OWNED_BY(graph_element_release) struct graph made = *g;
    made.type = NULL;
    made.table = NULL;
    made.joined = NULL;
    MAKE(made.type, g->types, "types");
    memcpy(made.type, g->type, (size_t)g->types * sizeof *g->type);
    for (int t = 0; t < g->types; t++) {
        struct graph_features *f = &made.type[t].features;
        if (!f->dim) continue;
        snprintf(f->element, sizeof f->element, "%s", element);
        f->row_bytes = f->dim * precision_element_bytes(element);
    }
    PASS(graph_list_tables(&made, err));
    MAKE(made.joined, 1, "the union of the relations");
    made.joined->graph = g->joined->graph;
    made.joined->graph.row_bytes = made.joined->graph.feature_dim = graph_union_row_bytes(&made);
    *out = made;
    made.type = NULL;
    made.table = NULL;
    made.joined = NULL;
    return ST_OK;
}

void graph_element_release(struct graph *g)
{
    mem_free(g->type);
    mem_free(g->table);
    mem_free(g->joined);
    memset(g, 0, sizeof *g);
}
