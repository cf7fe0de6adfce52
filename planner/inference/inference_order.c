/* inference_order.c - the orders of vertices that are cut into chunks (declared in inference_plan.h). */
#include <string.h>

#include "base/mem.h"
#include "planner/partition/locality.h"
#include "planner/partition/partition.h"
#include "planner/inference/inference_plan.h"
#include "traces/sampling/bfs.h"

static const char *const words[] = {"id", "part", "locality", "bfs"};
const char *inference_order_word(enum inference_order o) { return words[o]; }

/* Sorts ids by place, ties to the lower id. buckets: places are below it. */
static enum st by_place(const uint32_t *place, uint64_t buckets, uint64_t n, uint32_t *order, struct err *err)
{
    OWNED_NEW(uint64_t, next, buckets + 2, "places of vertices");
    for (uint64_t v = 0; v < n; v++) next[(place[v] < buckets ? place[v] : buckets) + 1]++;
    for (uint64_t b = 0; b <= buckets; b++) next[b + 1] += next[b];
    for (uint64_t v = 0; v < n; v++) order[next[place[v] < buckets ? place[v] : buckets]++] = (uint32_t)v;
    return ST_OK;
}

static enum st by_part(struct inference_question *q, const struct graph *all, uint32_t *order, struct err *err)
{
    double share[GPUS_MAX];
    struct partition_report report;
    const struct partition_options o = {.method = q->partition ? q->partition : "auto",
                                        .seed = (uint64_t)q->call->common.seed,
                                        .memory = mem_limit(),
                                        .threads = q->call->threads};
    OWNED_NEW(uint8_t, part, all->n, "parts of vertices");
    OWNED_NEW(uint32_t, place, all->n, "parts of vertices");
    for (int g = 0; g < q->server->gpus; g++) share[g] = 1;
    PASS(partition_graph(all, q->server->gpus, share, &o, part, &report, err));
    for (uint64_t v = 0; v < all->n; v++) place[v] = part[v];
    return by_place(place, (uint64_t)q->server->gpus, all->n, order, err);
}

static enum st along(struct inference_question *q, const struct graph *all, bool search, uint32_t *order,
                     struct err *err)
{
    enum { COMMUNITY = 4096 };
    OWNED_BY(locality_release) struct locality l = {0};
    if (search) PASS(bfs_positions(all, &l.searched, err));
    else PASS(locality_find(&l, all, COMMUNITY, q->call->threads, err));
    return by_place(search ? l.searched : l.along, all->n, all->n, order, err);
}

enum st inference_order_make(struct inference_question *q, enum inference_order kind, const uint32_t **out,
                             struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = q->graph->n;
    OWNED uint32_t *order = NULL, *ids = NULL;
    struct graph all = *graph_connections(q->graph);
    if (q->orders_made[kind]) goto done;
    NEW(order, n, "an order of vertices");
    NEW(ids, n, "vertices");
    for (uint64_t v = 0; v < n; v++) order[v] = ids[v] = (uint32_t)v;
    all.train = ids; /* every vertex counts, not only those that train */
    all.train_count = n;
    if (kind == ORDER_BY_PART && q->server->gpus > 1) TRY(by_part(q, &all, order, err));
    if (kind == ORDER_BY_LOCALITY) TRY(along(q, &all, false, order, err));
    if (kind == ORDER_BY_BFS) TRY(along(q, &all, true, order, err));
    q->orders_made[kind] = TAKE(order);
done:
    if (st == ST_OK) *out = q->orders_made[kind];
    return st;
}
