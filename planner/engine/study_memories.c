#include "planner/engine/study_memories.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/partition/assign.h"
#include "planner/places/nodes_network_document.h"
#include "planner/engine/study_memory.h"
#include "planner/engine/study_place.h"
#include "simulator/storage/places_replay.h"
#include "planner/engine/study.h"

/* ---- what a plan of a graph with several types gains: other plans on the same draws ---- */

extern const struct policy policy_mean_row, policy_single_type;

/* What a baseline is planned like: the cell, by another policy. */
static void start(const struct study_cell *cell, int i, struct study_cell *out)
{
    const struct policy *blind[PLAN_BASELINES] = {&policy_mean_row, &policy_single_type};
    *out = (struct study_cell){.policy = blind[i],
                               .hotness = cell->hotness,
                               .options_given = true,
                               .budget = cell->budget,
                               .recording = cell->recording};
    policy_defaults(out->policy, out->option);
    memcpy(out->budget_bytes, cell->budget_bytes, sizeof out->budget_bytes);
}

/* Simulates the planned cell, of a graph that is not plain, as study_simulate does and, beside policy hotset, plans
 * that know no types (mean-row, single-type). Sets plan.simulated and plan.baseline. Errors of study_place and
 * study_simulate. */
static enum st study_simulate_baselines(struct study *s, struct study_cell *cell, struct err *err)
{
    bool any = !strcmp(cell->policy->name, "hotset") && s->o.simulate_epochs;
    struct study_cell *cells = NULL; /* the cell itself first */
    enum st st = ST_OK;
    if (!any) return study_simulate(s, cell, 1, err);
    NEW(cells, 1 + PLAN_BASELINES, "baselines");
    for (int i = 1; i <= PLAN_BASELINES; i++) {
        start(cell, i - 1, &cells[i]);
        TRY(study_place(s, &cells[i], s->o.threads, &cells[i].plan, err));
    }
    cells[0] = *cell;
    st = study_simulate(s, cells, 1 + PLAN_BASELINES, err);
    *cell = cells[0];
    memset(&cells[0], 0, sizeof cells[0]);
    TRY(st);
    cell->plan.baselines_known = true;
    for (int i = 1; i <= PLAN_BASELINES; i++) {
        if (cells[i].verdict.status != POLICY_OK) continue;
        const struct simulated *other = cells[i].plan.simulated;
        struct plan_baseline *b = &cell->plan.baseline[cell->plan.baselines++];
        snprintf(b->policy, sizeof b->policy, "%s", cells[i].policy->name);
        b->transactions = other ? other->sums.transactions.total : 0;
    }
done:
    for (int i = 1; cells && i <= PLAN_BASELINES; i++) study_cell_release(&cells[i]);
    mem_free(cells);
    return st;
}

/* ---- nodes ---- */

/* A study of every part of the graph. each: o has options for every node. */
static enum st begin_views(struct study_nodes *nodes, const struct study_options *o, bool each, const uint8_t *part,
                           struct err *err)
{
    for (int i = 0; i < nodes->nodes; i++) {
        struct study_options own = o[each ? i : 0];
        if (own.sampling == SAMPLES_AUTO) own.sampling = SAMPLES_GPU; /* memories below are planned for these */
        own.checkpoint = NULL;
        own.memo = NULL; /* parts of the whole graph */
        PASS(train_view_make(nodes->graph, part, i, &nodes->node[i].view, err));
        own.graph = &nodes->node[i].view.graph;
        study_begin(&nodes->node[i].s, &own);
    }
    return ST_OK;
}

static enum st begin_parts(struct study_nodes *nodes, const struct study_options *o, struct err *err)
{
    const struct graph *g = o->graph;
    const struct workload w = workload_joined(g, &o->workload);
    struct partition_options how = {.method = o->partition,
                                    .seed = o->workload.seed,
                                    .memory = o->memory,
                                    .threads = o->threads,
                                    .workload = &w};
    OWNED_NEW(uint8_t, part, g->n, "the parts of nodes");
    OWNED_NEW(double, share, nodes->nodes, "the parts of nodes");
    for (int i = 0; i < nodes->nodes; i++) share[i] = 1;
    PASS(partition_graph(graph_connections(g), nodes->nodes, share, &how, part, &nodes->parts, err));
    return begin_views(nodes, o, false, part, err);
}

static enum st study_memories_begin(struct study_nodes *study, const struct study_options *o,
                                    const struct memories_request *below, struct err *err)
{
    const int nodes = below && below->nodes ? below->nodes : 1;
    study->graph = o->graph;
    study->below = below && below->nodes ? below : NULL;
    MAKE(study->node, nodes, "nodes");
    study->nodes = nodes;
    return ST_OK;
}

enum st study_nodes_begin(struct study_nodes *study, const struct study_options *o,
                          const struct memories_request *below, struct err *err)
{
    const int nodes = below && below->nodes ? below->nodes : 1;
    if (nodes > 1 && o->graph->train_count < (uint64_t)(nodes * o->server->gpus))
        return err_set(err, ST_INPUT, "%s: has %llu training vertices for %d GPUs; each needs one", o->graph->path,
                       (unsigned long long)o->graph->train_count, nodes * o->server->gpus);
    PASS(study_memories_begin(study, o, below, err));
    if (nodes > 1) return begin_parts(study, o, err);
    study_begin(&study->node[0].s, o);
    if (study->below && o->sampling == SAMPLES_AUTO) study->node[0].s.o.sampling = SAMPLES_GPU;
    return ST_OK;
}

/* part[v]: the node that trains v; UINT8_MAX: none. */
static enum st mark_trained(const struct study_options *o, int nodes, uint8_t *part, struct err *err)
{
    memset(part, UINT8_MAX, o->graph->n);
    for (int i = 0; i < nodes; i++) {
        const struct assignment *a = &o[i].given->assignment;
        for (int g = 0; g < a->gpus; g++)
            for (uint64_t k = 0; k < a->train_count[g]; k++) {
                uint32_t v = a->train[g][k];
                if (part[v] != UINT8_MAX)
                    return err_set(err, ST_INPUT,
                                   "the recordings of node %d and node %d train vertex %u both; record the plan of "
                                   "all nodes again",
                                   part[v], i, v);
                part[v] = (uint8_t)i;
            }
    }
    return ST_OK;
}

enum st study_nodes_begin_given(struct study_nodes *nodes, const struct study_options *o,
                                const struct memories_request *below, struct err *err)
{
    PASS(study_memories_begin(nodes, o, below, err));
    if (nodes->nodes == 1) {
        study_begin(&nodes->node[0].s, o);
        return ST_OK;
    }
    OWNED_NEW(uint8_t, part, o->graph->n, "the parts of nodes");
    PASS(mark_trained(o, nodes->nodes, part, err));
    return begin_views(nodes, o, true, part, err);
}

void study_nodes_end(struct study_nodes *nodes)
{
    for (int i = 0; i < nodes->nodes; i++) {
        study_end(&nodes->node[i].s);
        train_view_release(&nodes->node[i].view);
    }
    mem_free(nodes->node);
    memset(nodes, 0, sizeof *nodes);
}

/* ---- a step of a study on all nodes ---- */

typedef enum st (*study_step)(struct study *s, struct study_cell *cells, int count, struct err *err);

/* The step on one node; of several, nodes are what the line of progress counts. */
static enum st on_node(struct study_nodes *nodes, int n, study_step step, struct study_cell *cells, int count,
                       struct err *err)
{
    if (nodes->nodes == 1) return step(&nodes->node[n].s, cells, count, err);
    bool plans = step == study_plan_all;
    int entered = progress_piece(plans ? "nodes" : "nodes, held out", plans ? n : nodes->nodes + n, 2 * nodes->nodes);
    enum st st = step(&nodes->node[n].s, cells, count, err);
    study_course_end(&nodes->node[n].s);
    progress_leave(entered);
    return st;
}

static enum st on_nodes(struct study_nodes *nodes, study_step step, struct study_cell *cells, int count,
                        struct err *err)
{
    enum st st;
    OWNED struct study_cell *side = NULL;
    TRY(on_node(nodes, 0, step, cells, count, err));
    if (nodes->nodes > 1) NEW(side, count, "cells of a node");
    for (int n = 1; n < nodes->nodes; n++) {
        for (int i = 0; i < count; i++) side[i] = cells[i].other[n - 1];
        st = on_node(nodes, n, step, side, count, err);
        for (int i = 0; i < count; i++) cells[i].other[n - 1] = side[i];
        TRY(st);
    }
done:
    return st;
}

/* Other nodes plan what the first one does. */
static enum st make_others(const struct study_nodes *nodes, struct study_cell *c, struct err *err)
{
    struct study_cell *other = NULL;
    if (nodes->nodes == 1) return ST_OK;
    MAKE(other, nodes->nodes - 1, "cells of nodes");
    for (int n = 1; n < nodes->nodes; n++) other[n - 1] = *c;
    c->other = other;
    c->others = nodes->nodes - 1;
    return ST_OK;
}

static struct study_cell *cell_of(struct study_cell *c, int node) { return node ? &c->other[node - 1] : c; }

/* What one node cannot have, the cell has not. */
static void join_verdicts(struct study_cell *c, int nodes)
{
    for (int n = 0; n < nodes; n++) {
        const struct policy_verdict bad = study_cell_of(c, n)->verdict;
        if (bad.status == POLICY_OK) continue;
        for (int k = 0; k < nodes; k++) cell_of(c, k)->verdict = bad;
        return;
    }
}

/* ---- memories ---- */

/* Lists of policy hotset may be planned anew. */
static bool may_change(const struct study *s, const struct study_cell *c)
{
    return !strcmp(c->policy->name, "hotset") && c->plan.placement.access == ACCESS_GPU && !s->o.no_topology &&
           !s->o.lists && c->plan.cpu_share == 0;
}

enum st study_memories_check(const struct call *call, const struct memories_request *below, const struct graph *g,
                             struct err *err)
{
    if (!below->nodes) return ST_OK;
    struct study_memory m = {.count = 1,
                             .stage = {{.name = "memories",
                                        .remedy = "take fewer nodes, or leave the memories below GPUs out",
                                        .arrays = memories_bytes(below, g)}}};
    return study_memory_check(call, &m, err);
}

static enum st plan_memories(struct study_nodes *nodes, struct study_cell *c, struct memories *m, struct err *err)
{
    m->joint = nodes->below->rows == SOCKET_ROWS_PLACE;
    for (int n = 0; n < nodes->nodes; n++) m->joint &= may_change(&nodes->node[n].s, study_cell_of(c, n));
    PASS(memories_begin(m, err));
    for (int n = 0; n < nodes->nodes; n++) {
        const struct study_cell *of = study_cell_of(c, n);
        PASS(memories_add(m, n, &of->plan, of->recording->trace, err));
    }
    PASS(memories_solve(m, err));
    for (int n = 0; n < nodes->nodes; n++) {
        struct study_cell *of = cell_of(c, n);
        struct study *s = &nodes->node[n].s;
        PASS(memories_take(m, n, &of->plan, err));
        if (m->changed) PASS(study_predict(s, of, s->o.threads, err));
    }
    return ST_OK;
}

static enum st plan_below(struct study_nodes *nodes, struct study_cell *c, struct err *err)
{
    enum st st;
    const struct study_options *o = &nodes->node[0].s.o;
    ON_HEAP(struct memories, m);
    *m = (struct memories){.request = *nodes->below,
                           .graph = nodes->graph,
                           .kernels = o->kernels,
                           .threads = o->threads};
    if (c->verdict.status != POLICY_OK) return ST_OK;
    if (*c->plan.cache) {
        c->verdict.status = POLICY_UNSUPPORTED;
        snprintf(c->verdict.reason, sizeof c->verdict.reason,
                 "its GPUs hold features in a dynamic cache; memories below them are planned for lists");
        return ST_OK;
    }
    study_stage_begin(&nodes->node[0].s, "memories");
    st = plan_memories(nodes, c, m, err);
    study_stage_end(&nodes->node[0].s);
    memories_release(m);
    return st;
}

enum st study_nodes_plan(struct study_nodes *nodes, struct study_cell *cells, int count, struct err *err)
{
    for (int n = 0; n < nodes->nodes && nodes->below; n++)
        nodes->node[n].s.o.sampled = false; /* memories hold what plans of all rows leave */
    for (int i = 0; i < count; i++) PASS(make_others(nodes, &cells[i], err));
    PASS(on_nodes(nodes, study_plan_all, cells, count, err));
    for (int i = 0; i < count; i++) {
        join_verdicts(&cells[i], nodes->nodes);
        if (nodes->below) PASS(plan_below(nodes, &cells[i], err));
        join_verdicts(&cells[i], nodes->nodes);
    }
    return ST_OK;
}

/* ---- judging ---- */

/* The bytes that NICs carry, of rows that the current node reads. */
struct carried {
    const struct nodes_network *network;
    int node;
    uint64_t epochs; /* that were replayed there */
    struct nodes_traffic bytes;
};

static void carry(void *to, int gpu, int node, uint64_t row, uint64_t bytes)
{
    struct carried *c = to;
    nodes_network_add(c->network, c->node, gpu, node, row, (double)bytes / (double)c->epochs, &c->bytes);
}

/* What the memories below the GPUs of a simulated cell serve, and what passes the network of a cluster file. */
static enum st simulate_below(struct study_nodes *nodes, struct study_cell *c, struct err *err)
{
    enum st st = ST_OK;
    struct carried carried = {.network = nodes->below ? nodes->below->network : NULL};
    const struct places_remote remote = {carry, &carried};
    if (!c->plan.places || !c->plan.simulated) return ST_OK;
    if (carried.network) TRY(nodes_traffic_make(carried.network, &carried.bytes, err));
    for (int n = 0; n < nodes->nodes; n++) {
        struct study_cell *of = cell_of(c, n);
        struct replay_request q = study_request(&nodes->node[n].s, of->recording);
        carried.node = n;
        carried.epochs = q.epochs;
        TRY(places_simulate(&q, &of->plan, carried.network ? &remote : NULL, of->plan.simulated->time,
                            &of->plan.simulated->memories, err));
    }
    if (c->others && carried.network)
        c->traffic = nodes_traffic_document(carried.network, &carried.bytes,
                                            (double)nodes->below->read_bytes[PLACE_FEATURE]);
done:
    nodes_traffic_release(&carried.bytes);
    return st;
}

enum st study_nodes_simulate_plan(struct study_nodes *nodes, struct study_cell *cell, struct err *err)
{
    struct study *s = &nodes->node[0].s;
    if (nodes->nodes > 1 || graph_plain(nodes->graph)) return study_nodes_simulate(nodes, cell, 1, err);
    PASS(study_simulate_baselines(s, cell, err));
    return simulate_below(nodes, cell, err);
}

enum st study_nodes_simulate(struct study_nodes *nodes, struct study_cell *cells, int count, struct err *err)
{
    PASS(on_nodes(nodes, study_simulate, cells, count, err));
    for (int i = 0; i < count; i++) PASS(simulate_below(nodes, &cells[i], err));
    return ST_OK;
}
