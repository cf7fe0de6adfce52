#include "traces/graph/graph_union.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Copies all rows of v behind each other and returns their length after duplicates are dropped. */
static uint64_t join_rows(const struct graph *g, const struct graph_type *t, uint64_t local, uint32_t *to)
{
    uint64_t count = 0, kept = 0;
    for (int i = 0; i < t->into_count; i++) {
        const struct graph_relation *r = &g->relation[t->into[i]];
        uint64_t first = g->type[r->source].first;
        for (int64_t e = r->indptr[local]; e < r->indptr[local + 1]; e++)
            to[count++] = (uint32_t)(first + r->indices[e]);
    }
    qsort(to, count, sizeof *to, by_id);
    for (uint64_t i = 0; i < count; i++)
        if (!i || to[i] != to[i - 1]) to[kept++] = to[i];
    return kept;
}

static void fill_rows(const struct graph *g, struct graph_union *u)
{
    uint64_t at = 0;
    for (int t = 0; t < g->types; t++) {
        const struct graph_type *type = &g->type[t];
        for (uint64_t v = 0; v < type->count; v++) {
            u->indptr[type->first + v] = (int64_t)at;
            at += join_rows(g, type, v, u->indices + at);
        }
    }
    u->indptr[g->n] = (int64_t)at;
}

uint64_t graph_union_row_bytes(const struct graph *g)
{
    uint64_t mean = graph_totals(g).feature / g->n;
    return mean ? mean : 1;
}

static enum st graph_union_make(const struct graph *g, struct graph_union *out, struct err *err)
{
    OWNED_BY(graph_union_release) struct graph_union u = {.indptr = NULL};
    uint64_t at = 0;
    MAKE(u.indptr, g->n + 1, "the union of the relations");
    MAKE(u.indices, g->m, "the union of the relations");
    MAKE(u.train, g->train_count, "training vertices");
    fill_rows(g, &u);
    for (int t = 0; t < g->types; t++)
        for (uint64_t i = 0; i < g->type[t].train_count; i++)
            u.train[at++] = (uint32_t)g->type[t].first + g->type[t].train[i];
    snprintf(u.graph.path, sizeof u.graph.path, "%s", g->path);
    snprintf(u.graph.name, sizeof u.graph.name, "%s", g->name);
    snprintf(u.graph.sample, sizeof u.graph.sample, "in");
    u.graph.n = g->n;
    u.graph.m = (uint64_t)u.indptr[g->n];
    u.graph.indptr = u.indptr;
    u.graph.indices = u.indices;
    u.graph.train = u.train;
    u.graph.train_count = g->train_count;
    u.graph.feature_bytes = 1;
    u.graph.feature_dim = u.graph.row_bytes = graph_union_row_bytes(g);
    *out = u;
    memset(&u, 0, sizeof u);
    return ST_OK;
}

enum st graph_join(struct graph *g, struct err *err)
{
    if (graph_connections(g)) return ST_OK;
    OWNED_NEW(struct graph_union, u, 1, "the union of the relations");
    PASS(graph_union_make(g, u, err));
    g->joined = TAKE(u);
    return ST_OK;
}

enum st graph_connections_of(const struct graph *g, struct graph_union *own, const struct graph **out, struct err *err)
{
    if (!graph_connections(g)) PASS(graph_union_make(g, own, err));
    *out = graph_connections(g) ? graph_connections(g) : &own->graph;
    return ST_OK;
}

void graph_union_release(struct graph_union *u)
{
    mem_free(u->indptr);
    mem_free(u->indices);
    mem_free(u->train);
    memset(u, 0, sizeof *u);
}
