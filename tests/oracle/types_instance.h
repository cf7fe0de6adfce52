/* types_instance.h - small typed graphs in memory, for the tests that judge typed sampling and planning. */
#ifndef TESTS_ORACLE_TYPES_INSTANCE_H
#define TESTS_ORACLE_TYPES_INSTANCE_H

#include "base/mem.h"
#include "tests/oracle/instance.h"
#include "traces/graph/rows.h"
#include "traces/recording/trace_rows.h"
#include "traces/sampling/seeds.h"
#include "traces/sampling/workload_types.h"

static struct err err;

/* Types of the given counts; names t0, t1, .. */
static inline void types_begin(struct graph *g, int types, const uint64_t *count)
{
    memset(g, 0, sizeof *g);
    g->type = calloc((size_t)types, sizeof *g->type);
    g->relation = calloc(GRAPH_RELATIONS_MAX, sizeof *g->relation);
    snprintf(g->path, sizeof g->path, "made-by-a-test");
    snprintf(g->name, sizeof g->name, "made-by-a-test");
    for (g->types = 0; g->types < types; g->types++) {
        struct graph_type *t = &g->type[g->types];
        snprintf(t->name, sizeof t->name, "t%d", g->types);
        t->count = count[g->types];
        t->first = g->n;
        g->n += t->count;
    }
}

static inline void types_feature(struct graph_features *f, uint64_t dim, uint64_t element)
{
    f->dim = dim;
    f->row_bytes = dim * element;
    snprintf(f->element, sizeof f->element, "%s", element == 4 ? "f32" : element == 2 ? "f16" : "i8");
}

/* A relation; arcs (row of the target type, vertex of the source type) are sorted, duplicates dropped, and freed. */
static inline void types_relate(struct graph *g, int source, int target, struct arcs *a, uint64_t edge_bytes)
{
    struct graph_relation *r = &g->relation[g->relations];
    struct graph_type *t = &g->type[target];
    int64_t *indptr = calloc(t->count + 1, sizeof *indptr);
    uint32_t *indices = calloc(a->count + 1, sizeof *indices);
    if (a->count) qsort(a->arc, a->count, sizeof *a->arc, by_number);
    for (uint64_t i = 0; i < a->count; i++) {
        if (i && a->arc[i] == a->arc[i - 1]) continue;
        indices[r->m++] = (uint32_t)a->arc[i];
        indptr[(a->arc[i] >> 32) + 1]++;
    }
    for (uint64_t v = 0; v < t->count; v++) indptr[v + 1] += indptr[v];
    snprintf(r->name, sizeof r->name, "r%d", g->relations);
    r->source = source;
    r->target = target;
    r->rows = t->count;
    r->first_row = g->topology_rows;
    r->first_edge = g->edge_rows;
    r->indptr = indptr;
    r->indices = indices;
    if (edge_bytes) types_feature(&r->features, edge_bytes, 1);
    g->topology_rows += r->rows;
    g->m += r->m;
    if (edge_bytes) g->edge_rows += r->m;
    t->into[t->into_count++] = g->relations++;
    free(a->arc);
    memset(a, 0, sizeof *a);
}

/* The training vertices of all types as one list of ids, freed by the caller. */
static inline uint32_t *types_trains(const struct graph *g)
{
    uint32_t *all = calloc(g->train_count + 1, sizeof *all);
    uint64_t at = 0;
    for (int t = 0; t < g->types; t++)
        for (uint64_t i = 0; i < g->type[t].train_count; i++)
            all[at++] = (uint32_t)g->type[t].first + g->type[t].train[i];
    return all;
}

static inline void types_train(struct graph *g, int type, struct dice *d, double p)
{
    struct graph_type *t = &g->type[type];
    uint32_t *train = calloc(t->count + 1, sizeof *train);
    for (uint32_t v = 0; v < t->count; v++)
        if (dice_chance(d, p)) train[t->train_count++] = v;
    t->train = train;
    g->train_count += t->train_count;
}

static inline void types_drop(struct graph *g)
{
    for (int t = 0; t < g->types; t++) free((void *)(uintptr_t)g->type[t].train);
    for (int r = 0; r < g->relations; r++) {
        free((void *)(uintptr_t)g->relation[r].indptr);
        free((void *)(uintptr_t)g->relation[r].indices);
        free((void *)(uintptr_t)g->relation[r].weights);
    }
    mem_free(g->table);
    free(g->type);
    free(g->relation);
    memset(g, 0, sizeof *g);
}

/* 1 to 4 types of 1..most vertices, 1 to 5 relations, features of several sizes or none, some edges with features. */
static inline void types_random(struct graph *g, struct dice *d, uint64_t most)
{
    uint64_t count[4];
    int types = (int)dice_range(d, 1, 4), relations = (int)dice_range(d, 1, 5);
    for (int t = 0; t < types; t++) count[t] = dice_range(d, 1, most);
    types_begin(g, types, count);
    for (int t = 0; t < types; t++)
        if (dice_chance(d, 0.8)) types_feature(&g->type[t].features, dice_range(d, 1, 60), dice_chance(d, 0.5) ? 4 : 2);
    for (int r = 0; r < relations; r++) {
        int source = (int)dice_below(d, (uint64_t)types), target = (int)dice_below(d, (uint64_t)types);
        struct arcs a = {0};
        uint64_t arcs = dice_below(d, 3 * most);
        for (uint64_t i = 0; i < arcs; i++) arcs_add(&a, dice_below(d, count[target]), dice_below(d, count[source]));
        types_relate(g, source, target, &a, dice_chance(d, 0.4) ? dice_range(d, 1, 100) : 0);
    }
    for (int t = 0; t < types; t++)
        if (!t || dice_chance(d, 0.3)) types_train(g, t, d, 0.8);
    if (!g->train_count) {
        ((uint32_t *)(uintptr_t)g->type[0].train)[0] = 0;
        g->type[0].train_count = g->train_count = 1;
    }
}

static inline void types_workload_random(const struct graph *g, struct dice *d, struct workload *w)
{
    memset(w, 0, sizeof *w);
    w->hops = (int)dice_range(d, 1, 3);
    w->batch = dice_range(d, 1, 5);
    w->frontier = dice_chance(d, 0.4) ? FRONTIER_ALL : FRONTIER_NEW;
    w->seed = dice_below(d, 1000);
    uint32_t fanout[GRAPH_RELATIONS_MAX][HOPS_MAX] = {{0}};
    for (int r = 0; r < g->relations; r++)
        for (int h = 0; h < w->hops; h++) fanout[r][h] = (uint32_t)dice_below(d, 4);
    w->together = dice_chance(d, 0.3);
    for (int r = 1; w->together && r < g->relations; r++) memcpy(fanout[r], fanout[0], sizeof fanout[0]);
    OK(workload_set_lists(w, fanout, g->relations, &err));
}

/* Weights for the relations without features: eighths, some 0. Returns how many have some. */
static inline int types_weights(struct graph *g, struct dice *d)
{
    int weighted = 0;
    for (int r = 0; r < g->relations; r++) {
        struct graph_relation *x = &g->relation[r];
        float *weight = calloc(x->m + 1, sizeof *weight);
        free((void *)(uintptr_t)x->weights);
        for (uint64_t e = 0; e < x->m; e++) weight[e] = dice_chance(d, 0.1) ? 0 : (float)dice_range(d, 1, 24) / 8;
        x->weights = x->features.row_bytes ? NULL : weight;
        if (x->features.row_bytes) free(weight);
        weighted += x->weights != NULL;
    }
    return weighted;
}

/* A walk along relations that lead on from type t, which is then the only one that trains; false: none leads there. */
static inline bool types_walk(struct graph *g, struct dice *d, int t, struct workload *w)
{
    int path[3], count = 0, at = t, most = (int)dice_range(d, 1, 3);
    while (count < most && g->type[at].into_count) {
        path[count] = g->type[at].into[dice_below(d, (uint64_t)g->type[at].into_count)];
        at = g->relation[path[count++]].source;
    }
    if (!count || !g->type[t].train_count) return false;
    w->sampler = SAMPLER_WALK;
    w->frontier = FRONTIER_NEW;
    w->together = false;
    w->walks = (uint32_t)dice_range(d, 1, 3);
    w->restart = (double)dice_below(d, 4) / 4;
    OK(workload_types_path(g, path, count, at == t ? 3 : count, "a test", ST_USAGE, w, &err));
    for (int i = 0; i < g->types; i++) g->type[i].train_count = i == t ? g->type[i].train_count : 0;
    g->train_count = g->type[t].train_count;
    return true;
}

/* Seeds that are edges of a relation into a type that trains; false: there is none. */
static inline bool types_edges(const struct graph *g, struct dice *d, struct workload *w)
{
    int r = (int)dice_below(d, (uint64_t)g->relations);
    if (!g->type[g->relation[r].target].train_count) return false;
    w->edge_share = (double)dice_range(d, 1, 4) / 4;
    w->seed_relation = r;
    w->negatives = (uint32_t)dice_below(d, 4);
    return true;
}

/* Another sampler than uniform or other seeds than vertices in a part of the cases; g gets what that needs. */
static inline void types_workload_other(struct graph *g, struct dice *d, struct workload *w)
{
    int drawn = 0;
    switch (dice_below(d, 4)) {
    case 0: (void)types_walk(g, d, (int)dice_below(d, (uint64_t)g->types), w); return;
    case 1: (void)types_edges(g, d, w); break;
    case 2: (void)types_edges(g, d, w); return;
    default: break;
    }
    if (w->together || !types_weights(g, d)) return;
    for (int r = 0; r < g->relations; r++)
        for (int h = 0; h < w->hops; h++) drawn += g->relation[r].weights && workload_fanout(w, r, h);
    if (drawn) w->sampler = SAMPLER_BIASED;
    OK(workload_attach(w, g, &err));
}

/* Entries of all rows of the vertex whose row of a relation that is, counted one relation after the other. */
static inline uint64_t types_entries(const struct graph *g, int relation, uint64_t row)
{
    uint64_t sum = 0;
    for (int r = 0; r < g->relations; r++)
        if (g->relation[r].target == g->relation[relation].target)
            sum += (uint64_t)(g->relation[r].indptr[row + 1] - g->relation[r].indptr[row]);
    return sum;
}

/* Counts with memory of their own. */
static inline void types_sheet(struct sample_counts *c, const struct graph *g, int hops)
{
    memset(c, 0, sizeof *c);
    for (int h = 0; h < hops; h++) c->visits[h] = calloc(g->n + 1, sizeof(uint32_t));
    c->lines = calloc(g->topology_rows + 1, sizeof(uint32_t));
    c->feature = calloc(g->n + 1, sizeof(uint32_t));
    c->edge = calloc(g->edge_rows + 1, sizeof(uint32_t));
    c->draws = calloc(g->topology_rows + 1, sizeof(uint32_t));
}
static inline void types_sheet_wipe(struct sample_counts *c, const struct graph *g, int hops)
{
    for (int h = 0; h < hops; h++) memset(c->visits[h], 0, g->n * sizeof(uint32_t));
    memset(c->lines, 0, g->topology_rows * sizeof(uint32_t));
    memset(c->feature, 0, g->n * sizeof(uint32_t));
    memset(c->edge, 0, g->edge_rows * sizeof(uint32_t));
    memset(c->draws, 0, g->topology_rows * sizeof(uint32_t));
    c->total_lines = 0;
}
static inline void types_sheet_drop(struct sample_counts *c)
{
    for (int h = 0; h < HOPS_MAX; h++) free(c->visits[h]);
    free(c->lines);
    free(c->feature);
    free(c->edge);
    free(c->draws);
    memset(c, 0, sizeof *c);
}

#endif
