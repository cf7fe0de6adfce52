#include "planner/engine/redeal.h"

#include <stdio.h>
#include <string.h>

#include "base/cmd.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/partition/assign.h"
#include "planner/partition/deal.h"
#include "planner/partition/locality.h"
#include "planner/partition/match.h"
#include "planner/engine/study_deal.h"
#include "traces/graph/graph_union.h"
#include "planner/engine/train_view.h"
#include "simulator/plan/plan.h"

/* ---- what GPUs hold of what training vertices read ---- */

/* Adds an item to the bytes of the vertex that it is of. bytes: [n] */
static void add_item(const struct graph *g, uint64_t item, uint32_t *bytes)
{
    uint64_t rows = graph_topology_rows(g), v = item - rows;
    if (item < rows) {
        const struct graph_csr csr = graph_csr(g, graph_relation_of_row(g, item));
        v = csr.first_target + item - csr.first_row;
    }
    if (v >= g->n) return; /* of an edge */
    uint64_t sum = bytes[v] + graph_item_bytes(g, item);
    bytes[v] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* Adds what GPU j holds of each vertex, topology rows of all relations and features. */
static void add_gpu(const struct graph *g, const struct placement *held, int j, uint32_t *bytes)
{
    for (uint64_t i = 0; i < placement_count(held, j); i++) add_item(g, placement_item(held, g, j, i), bytes);
}

/* And what the homes of a node hold. */
static void add_homes(const struct graph *g, const struct plan_places *places, uint32_t *bytes)
{
    for (int k = 0; k < places->places; k++)
        for (int kind = 0; place_role(&places->place[k]) == ROLE_HOME && kind < LIST_KINDS; kind++) {
            const struct row_list *l = &places->list[kind][k];
            for (uint64_t i = 0; i < l->count; i++)
                add_item(g, (kind == LIST_TOPOLOGY ? 0 : graph_topology_rows(g)) + l->id[i], bytes);
        }
}

/* bytes[n]: what the memories of a plan, GPUs and DRAM, hold of each vertex, topology rows of all relations and
 * features, once for each that does. */
static void add_held(const struct graph *g, const struct plan *p, uint32_t *bytes)
{
    memset(bytes, 0, g->n * sizeof *bytes);
    for (int k = 0; k < p->placement.gpus; k++) add_gpu(g, &p->placement, k, bytes);
    add_homes(g, p->places, bytes);
}

/* What `train` and its neighbours find there. Long rows are looked at here and there. all: graph_connections. */
static int64_t found(const struct graph *all, const uint32_t *train, uint64_t count, const uint32_t *bytes, int threads)
{
    enum { LOOKS = 64 };
    uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
    for (uint64_t i = 0; i < count; i++) {
        uint64_t v = train[i], at = (uint64_t)all->indptr[v], end = (uint64_t)all->indptr[v + 1];
        sum += bytes[v];
        for (uint64_t step = 1 + (end - at) / LOOKS; at < end; at += step) sum += bytes[all->indices[at]];
    }
    return (int64_t)(sum >> 8 < (uint64_t)1 << 46 ? sum : (uint64_t)1 << 54);
}

/* Which node trains what when the job of several nodes goes on with another training set. Training vertices are dealt
 * to nodes first, by a cut of the graph that only some of them follow. So the deal stays: vertices that train on go on
 * where they do. New ones, in ascending order, go to the node whose memories hold the most of what they read first,
 * their own rows and those of their neighbours, among the nodes that train less than an equal part of all. Then every
 * node deals its part to its GPUs (redeal.h). */

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
    add_held(d->g, p, d->bytes);
    for (uint64_t i = 0; i < d->fresh_count; i++)
        d->finds[(uint64_t)node * d->all->train_count + i] = found(d->all, &d->fresh[i], 1, d->bytes, 1);
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

/* *out: g, joined, with what the node of the plan `before` at `path` trains; zeroed, to be released by the caller.
 * Plans of the other nodes are read from the folders beside it. gpus: of a node. ST_INPUT where fewer vertices train
 * than there are GPUs, or a node keeps none; errors of plan_load_changed. */
static enum st redeal_nodes(const struct call *call, const char *path, const struct plan *before, const struct graph *g,
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

/* ---- matching ---- */

#define NEVER (-((int64_t)1 << 54)) /* cliques with other numbers of GPUs */
static int members(const struct assignment *a, int clique, int *gpu)
{
    int k = 0;
    for (int g = 0; g < a->gpus; g++)
        if (a->clique_of[g] == clique) gpu[k++] = g;
    return k;
}

/* clique[c]: the clique that takes the parts of clique c. */
static void match_cliques(const struct assignment *a, const int64_t *overlap, int64_t *gain, int *clique)
{
    int from[GPUS_MAX], to[GPUS_MAX];
    for (int c = 0; c < a->cliques; c++)
        for (int d = 0; d < a->cliques; d++) {
            int k = members(a, c, from);
            int64_t *sum = &gain[c * a->cliques + d];
            *sum = members(a, d, to) == k ? 0 : NEVER;
            for (int x = 0; *sum != NEVER && x < k; x++)
                for (int y = 0; y < k; y++) *sum += overlap[from[x] * a->gpus + to[y]] / GPUS_MAX;
        }
    match_best(a->cliques, gain, clique);
}

enum st redeal_match(const struct graph *g, const struct placement *held, const struct assignment *a, int threads,
                     int to[GPUS_MAX], struct err *err)
{
    const struct graph *all = graph_connections(g);
    int clique[GPUS_MAX], from[GPUS_MAX], into[GPUS_MAX], column[GPUS_MAX];
    bool trains = true;
    for (int i = 0; i < a->gpus; i++) {
        to[i] = i;
        trains = trains && a->train_count[i];
    }
    if (!trains) return ST_OK; /* GPUs that only sample stay what they are */
    OWNED_NEW(int64_t, overlap, a->gpus * a->gpus, "rows in common");
    OWNED_NEW(int64_t, gain, a->gpus * a->gpus, "rows in common");
    OWNED_NEW(uint32_t, bytes, g->n, "rows that a GPU holds");
    for (int j = 0; j < a->gpus; j++) {
        memset(bytes, 0, g->n * sizeof *bytes);
        add_gpu(g, held, j, bytes);
        for (int i = 0; i < a->gpus; i++)
            overlap[i * a->gpus + j] = found(all, a->train[i], a->train_count[i], bytes, threads);
    }
    match_cliques(a, overlap, gain, clique);
    for (int c = 0; c < a->cliques; c++) {
        int k = members(a, c, from);
        members(a, clique[c], into);
        for (int x = 0; x < k; x++)
            for (int y = 0; y < k; y++) gain[x * k + y] = overlap[from[x] * a->gpus + into[y]];
        match_best(k, gain, column);
        for (int x = 0; x < k; x++) to[from[x]] = into[column[x]];
    }
    return ST_OK;
}

enum st redeal_match_nodes(const struct graph *g, const struct plan *const *held, const struct graph *const *part,
                           int nodes, int threads, int *by, struct err *err)
{
    const struct graph *all = graph_connections(g);
    for (int i = 0; i < nodes; i++) by[i] = i;
    if (nodes > MATCH_MOST) return ST_OK; /* what the search is made for */
    OWNED_NEW(int64_t, gain, nodes * nodes, "rows in common");
    OWNED_NEW(uint32_t, bytes, g->n, "rows that a node holds");
    for (int j = 0; j < nodes; j++) {
        add_held(g, held[j], bytes);
        for (int i = 0; i < nodes; i++) {
            const struct graph *of = graph_connections(part[i]);
            gain[i * nodes + j] = found(all, of->train, of->train_count, bytes, threads);
        }
    }
    match_best(nodes, gain, by);
    return ST_OK;
}

/* ---- dealing ---- */

/* The plan's server at the plan's reach; its cliques must be the plan's. The result borrows everything. */
static enum st server_of(const struct plan *p, const struct server *s, struct server *out, struct err *err)
{
    ON_HEAP(struct server, view);
    *view = *s;
    PASS(server_set_reach(view, reach_of(doc_text_value(doc_get(p->notes, "reach"), NULL)), err));
    bool same = view->gpus == p->assignment.gpus;
    for (int g = 0; same && g < view->gpus; g++)
        same = view->gpu[g].id == p->assignment.id[g] && view->clique_of[g] == p->assignment.clique_of[g];
    if (!same)
        return err_set(err, ST_INPUT, "server %s: has other GPUs or cliques than the plan's server, %s; name that one",
                       s->name, p->server_name);
    *out = *view;
    return ST_OK;
}

void redeal_say(const struct call *call, const char *path, const struct graph *g, const struct plan_change *c)
{
    char text[PLAN_CHANGE_TEXT];
    if (c->other) call_say(call, "%s is not the graph of %s: %s", g->path, path, plan_change_text(c, text));
}

enum st redeal(struct call *call, const char *path, const struct plan *before, const struct graph *g,
               const struct server *s, struct assignment *out, struct err *err)
{
    const struct assignment *was = &before->assignment;
    OWNED_BY(assignment_release) struct assignment a = {0};
    struct partition_report report = {0};
    struct partition_options o = {.method = was->partition,
                                  .seed = before->workload.seed,
                                  .memory = mem_limit(),
                                  .workload = &before->workload,
                                  .threads = call->threads};
    int to[GPUS_MAX], skip = 0;
    bool moved = false;
    OWNED_NEW(struct server, view, 1, "the plan's server");
    OWNED_BY(train_view_release) struct train_view own = {0};
    if (before->places && before->places->nodes > 1) {
        PASS(redeal_nodes(call, path, before, g, s->gpus, &own, err));
        g = &own.graph;
    }
    PASS(server_of(before, s, view, err));
    if (!*o.method || !strcmp(o.method, "none") || !strcmp(o.method, "given")) o.method = "auto";
    while (skip < was->gpus - 1 && !was->train_count[skip]) skip++;
    PASS(assign_kind(g, view, was->kind, skip, &o, NULL, &a, &report, err));
    PASS(redeal_match(g, &before->placement, &a, call->threads, to, err));
    for (int i = 0; i < a.gpus; i++) moved |= to[i] != i;
    assignment_exchange(&a, to);
    PASS(locality_order(graph_connections(g), &before->workload, call->threads, &a, err));
    call_say(call, "training vertices are dealt anew, as by the plan (%s%s%s)%s", deal_word(was->kind),
             *report.method ? ", parts by " : "", report.method,
             moved ? "; GPUs exchanged parts, so that they train near the rows they hold" : "");
    *out = a;
    memset(&a, 0, sizeof a);
    return ST_OK;
}
