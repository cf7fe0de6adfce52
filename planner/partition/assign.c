#include "planner/partition/assign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/partition/self_reliant.h"
#include "traces/graph/graph_union.h"
#include "traces/sampling/bfs.h"

enum { STREAM_DEAL = 0x6465616c };

enum st assign_groups(const struct server *s, enum assignment_kind kind, struct assignment *out, struct err *err)
{
    struct assignment a = {.kind = kind, .gpus = s->gpus, .cliques = s->cliques};
    if (!s->links_known && s->gpus > 1)
        return err_set(err, ST_INPUT,
                       "server %s: its description does not state the NVLinks; import the output of 'nvidia-smi topo "
                       "-m' of that machine",
                       s->name);
    for (int g = 0; g < s->gpus; g++) {
        a.id[g] = s->gpu[g].id;
        a.clique_of[g] = s->clique_of[g];
    }
    a.uneven = kind == ASSIGNMENT_HIERARCHICAL && s->groups > s->cliques;
    *out = a;
    return ST_OK;
}

struct keyed {
    uint64_t key;
    uint32_t v;
};

static int compare_keyed(const void *x, const void *y)
{
    const struct keyed *a = x, *b = y;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->v > b->v) - (a->v < b->v);
}

/* Deals list[0..count) in hash order round over `gpus` positions of the assignment. Consumes the order of `list`. */
static enum st deal(struct keyed *list, uint64_t count, const int *gpus, int gpu_count, uint64_t n,
                    struct assignment *a, struct err *err)
{
    qsort(list, count, sizeof *list, compare_keyed);
    OWNED_NEW(uint32_t, mine, count / (uint64_t)gpu_count + 1, "training vertices of a GPU");
    for (int i = 0; i < gpu_count; i++) {
        uint64_t k = 0;
        for (uint64_t j = (uint64_t)i; j < count; j += (uint64_t)gpu_count) mine[k++] = list[j].v;
        PASS(assignment_set_train(a, gpus[i], mine, k, n, "the assignment of training vertices", err));
    }
    return ST_OK;
}

static enum st deal_groups(const struct graph *g, const struct server *s, const uint8_t *part, struct assignment *a,
                           uint64_t seed, struct err *err)
{
    OWNED_NEW(struct keyed, list, g->train_count, "keys of the training vertices");
    for (int c = 0; c < server_groups(s); c++) {
        uint64_t count = 0;
        int gpus[GPUS_MAX], k = 0;
        for (uint64_t i = 0; i < g->train_count; i++)
            if (part[g->train[i]] == c)
                list[count++] = (struct keyed){rng_hash(seed, STREAM_DEAL, g->train[i]), g->train[i]};
        for (int i = 0; i < a->gpus; i++)
            if (server_group(s, i) == c) gpus[k++] = i;
        PASS(deal(list, count, gpus, k, g->n, a, err));
    }
    return ST_OK;
}

enum st assign_hierarchical(const struct graph *g, const struct server *s, const struct partition_options *o,
                            struct assignment *out, struct partition_report *report, struct err *err)
{
    OWNED_BY(assignment_release) struct assignment a = {0};
    double share[PARTS_MAX] = {0};
    PASS(assign_groups(s, ASSIGNMENT_HIERARCHICAL, &a, err));
    for (int i = 0; i < a.gpus; i++) share[server_group(s, i)]++;
    OWNED_NEW(uint8_t, part, g->n, "parts of the graph");
    PASS(partition_graph(g, server_groups(s), share, o, part, report, err));
    snprintf(a.partition, sizeof a.partition, "%s", report->method);
    PASS(deal_groups(g, s, part, &a, o->seed, err));
    *out = a;
    memset(&a, 0, sizeof a);
    return ST_OK;
}

enum st assign_parts(const struct graph *g, const uint8_t *part, struct assignment *a, struct err *err)
{
    OWNED_NEW(uint32_t, mine, g->train_count, "training vertices of a GPU");
    for (int i = 0; i < a->gpus; i++) {
        uint64_t count = 0;
        for (uint64_t k = 0; k < g->train_count; k++)
            if (part[g->train[k]] == i) mine[count++] = g->train[k];
        PASS(assignment_set_train(a, i, mine, count, g->n, "the assignment of training vertices", err));
    }
    return ST_OK;
}

enum st assign_per_gpu(const struct graph *g, const struct server *s, const struct partition_options *o, uint8_t *part,
                       struct assignment *out, struct partition_report *report, struct err *err)
{
    OWNED_BY(assignment_release) struct assignment a = {0};
    double share[PARTS_MAX] = {0};
    uint8_t group[PARTS_MAX];
    struct partition_options grouped = *o;
    PASS(assign_groups(s, ASSIGNMENT_PER_GPU, &a, err));
    for (int i = 0; i < a.gpus; i++) {
        share[i] = 1;
        group[i] = (uint8_t)a.clique_of[i];
    }
    grouped.group = group;
    PASS(partition_graph(g, a.gpus, share, &grouped, part, report, err));
    snprintf(a.partition, sizeof a.partition, "%s", report->method);
    PASS(assign_parts(g, part, &a, err));
    *out = a;
    memset(&a, 0, sizeof a);
    return ST_OK;
}

enum st assign_global(const struct graph *g, const struct server *s, int skip, uint64_t seed, struct assignment *out,
                      struct err *err)
{
    enum st st;
    OWNED_BY(assignment_release) struct assignment a = {0};
    OWNED struct keyed *list = NULL;
    int gpus[GPUS_MAX], k = 0;
    TRY(assign_groups(s, ASSIGNMENT_GLOBAL, &a, err));
    BUG_IF(skip < 0 || skip >= a.gpus);
    NEW(list, g->train_count, "keys of the training vertices");
    for (uint64_t i = 0; i < g->train_count; i++)
        list[i] = (struct keyed){rng_hash(seed, STREAM_DEAL, g->train[i]), g->train[i]};
    for (int i = 0; i < skip; i++) TRY(assignment_set_train(&a, i, NULL, 0, g->n, "the assignment", err));
    for (int i = skip; i < a.gpus; i++) gpus[k++] = i;
    TRY(deal(list, g->train_count, gpus, k, g->n, &a, err));
    *out = a;
    memset(&a, 0, sizeof a);
done:
    return st;
}

enum st assign_bfs(const struct graph *g, const struct server *s, struct assignment *out, struct err *err)
{
    OWNED_BY(assignment_release) struct assignment a = {0};
    OWNED uint32_t *position = NULL;
    PASS(assign_groups(s, ASSIGNMENT_BFS, &a, err));
    OWNED_NEW(uint32_t, order, g->train_count, "training vertices in BFS order");
    if (g->train_count) memcpy(order, g->train, g->train_count * sizeof *order);
    PASS(bfs_positions(g, &position, err));
    PASS(bfs_sort(position, order, g->train_count, err));
    for (int i = 0; i < a.gpus; i++) {
        uint64_t from = g->train_count * (uint64_t)i / (uint64_t)a.gpus,
                 to = g->train_count * (uint64_t)(i + 1) / (uint64_t)a.gpus;
        PASS(assignment_set_train(&a, i, order + from, to - from, g->n, "ranges of the BFS order", err));
    }
    *out = a;
    memset(&a, 0, sizeof a);
    return ST_OK;
}

enum st assign_kind(const struct graph *g, const struct server *s, enum assignment_kind kind, int skip,
                    const struct partition_options *o, uint8_t *part, struct assignment *out,
                    struct partition_report *report, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *all = graph_connections(g);
    const struct workload w = workload_joined(g, o->workload);
    struct partition_options p = *o;
    OWNED uint8_t *own = NULL;
    p.workload = &w;
    if (!part && assignment_parts_per_gpu(kind)) {
        NEW(own, g->n, "parts of the graph");
        part = own;
    }
    switch (kind) {
    case ASSIGNMENT_GLOBAL: st = assign_global(all, s, skip, o->seed, out, err); break;
    case ASSIGNMENT_BFS: st = assign_bfs(all, s, out, err); break;
    case ASSIGNMENT_PER_GPU: st = assign_per_gpu(all, s, &p, part, out, report, err); break;
    case ASSIGNMENT_NESTED: st = assign_nested(all, s, &p, part, out, report, err); break;
    case ASSIGNMENT_SELF_RELIANT:
        st = assign_self_reliant(all, s, w.hops, strcmp(o->method, SELF_RELIANT_PUBLIC) ? SCORE_PAPER : SCORE_PUBLIC,
                                 out, err);
        break;
    default: st = assign_hierarchical(all, s, &p, out, report, err);
    }
done:
    return st;
}
