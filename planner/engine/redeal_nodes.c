#include "planner/engine/redeal_nodes.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"
#include "planner/engine/redeal.h"

/* A deal at work. */
struct deal {
    const struct graph *g, *all; /* joined; its connections, whose training vertices are those of all types */
    int nodes, threads;
    uint8_t *part;   /* [n] the node that trains the vertex; UINT8_MAX: none yet, or it does not train */
    uint32_t *bytes; /* [n] what a node holds of each vertex */
    uint32_t *fresh; /* [fresh_count] new training vertices, ascending */
    uint64_t fresh_count;
    int64_t *finds;   /* [nodes][training vertices] what fresh ones find there */
    uint64_t *trains; /* [nodes] */
};

/* Who trained what before. */
static void mark(const struct deal *d, const struct plan *p, int node)
{
    for (int g = 0; g < p->assignment.gpus; g++)
        for (uint64_t i = 0; i < p->assignment.train_count[g]; i++) d->part[p->assignment.train[g][i]] = (uint8_t)node;
}

/* Takes a node's plan; `look`: at what fresh vertices find there. */
static void take_node(struct deal *d, const struct plan *p, int node, bool look)
{
    if (!look) {
        mark(d, p, node);
        return;
    }
    redeal_held(d->g, p, d->bytes);
    for (uint64_t i = 0; i < d->fresh_count; i++)
        d->finds[(uint64_t)node * d->all->train_count + i] = redeal_found(d->all, &d->fresh[i], 1, d->bytes, 1);
}

/* All nodes' plans, one after the other. */
static enum st each_plan(struct deal *d, const char *path, const struct plan *before, bool look, struct err *err)
{
    char other[PATH_BYTES];
    ON_HEAP(struct plan, p);
    for (int n = 0; n < d->nodes; n++) {
        struct graph view = *d->g;
        struct plan_change change;
        if (n == before->places->node) {
            take_node(d, before, n, look);
            continue;
        }
        snprintf(other, sizeof other, "%s/../node%d", path, n); /* was read before, with the plan */
        PASS(plan_load_changed(other, &view, d->threads, &change, p, err));
        take_node(d, p, n, look);
        plan_release(p);
    }
    return ST_OK;
}

/* Fresh vertices, one after the other. */
static void give(struct deal *d)
{
    const uint64_t all = d->all->train_count, most = (all + (uint64_t)d->nodes - 1) / (uint64_t)d->nodes;
    for (uint64_t i = 0; i < d->fresh_count; i++) {
        int best = -1;
        for (int n = 0; n < d->nodes; n++) {
            if (d->trains[n] >= most) continue;
            const int64_t finds = d->finds[(uint64_t)n * all + i];
            const int64_t least = best < 0 ? -1 : d->finds[(uint64_t)best * all + i];
            if (finds > least || (finds == least && d->trains[n] < d->trains[best])) best = n;
        }
        d->part[d->fresh[i]] = (uint8_t)best; /* some node has less than its part while a vertex is left */
        d->trains[best]++;
    }
}

/* Counts what stays, and lists what is new. */
static void sort_out(struct deal *d)
{
    for (uint64_t i = 0; i < d->all->train_count; i++) {
        uint32_t v = d->all->train[i];
        if (d->part[v] == UINT8_MAX) d->fresh[d->fresh_count++] = v;
        else d->trains[d->part[v]]++;
    }
}

enum st redeal_nodes(const struct call *call, const char *path, const struct plan *before, const struct graph *g,
                     int gpus, struct train_view *out, struct err *err)
{
    struct deal d = {.g = g, .all = graph_connections(g), .nodes = before->places->nodes, .threads = call->threads};
    const uint64_t trains = d.all->train_count, nodes = (uint64_t)d.nodes;
    char fresh[UNIT_TEXT], stay[UNIT_TEXT];
    OWNED_NEW(uint8_t, part, g->n, "the parts of nodes");
    OWNED_NEW(uint32_t, bytes, g->n, "rows that a node holds");
    OWNED_NEW(uint32_t, list, trains + 1, "new training vertices");
    OWNED_NEW(int64_t, finds, nodes * trains + 1, "what new training vertices read");
    OWNED_NEW(uint64_t, count, nodes, "the parts of nodes");
    d.part = part;
    d.bytes = bytes;
    d.fresh = list;
    d.finds = finds;
    d.trains = count;
    memset(part, UINT8_MAX, g->n);
    PASS(each_plan(&d, path, before, false, err));
    sort_out(&d);
    if (d.fresh_count) PASS(each_plan(&d, path, before, true, err));
    give(&d);
    for (int n = 0; n < d.nodes; n++)
        if (count[n] < (uint64_t)gpus)
            return err_set(err, ST_INPUT, "%s: leaves %llu training vertices to the %d GPUs of node %d; each needs one",
                           g->path, (unsigned long long)count[n], gpus, n);
    call_say(call,
             "of all nodes, %s training vertices stay where they are, and %s new ones go where most of what they "
             "read is held",
             units_count(stay, trains - d.fresh_count), units_count(fresh, d.fresh_count));
    return train_view_make(g, part, before->places->node, out, err);
}
