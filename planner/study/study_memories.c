#include "planner/study/study_memories.h"

#include <string.h>

#include "base/mem.h"
#include "planner/study/study_assign.h"
#include "planner/study/study_baselines.h"
#include "planner/study/study_place.h"
#include "simulator/storage/places_replay.h"

/* ---- nodes ---- */

/* The vertices of from[count], whose first one is `first`, that are in part i. Returns how many. */
static uint64_t keep_part(const uint32_t *from, uint64_t count, uint64_t first, const uint8_t *part, int i,
                          uint32_t *to)
{
    uint64_t kept = 0;
    for (uint64_t k = 0; k < count; k++)
        if (!part || part[first + from[k]] == i) to[kept++] = from[k];
    return kept;
}

static enum st set_view(const struct graph *g, const uint8_t *part, int i, struct study_node *node, struct err *err)
{
    enum st st = ST_OK;
    uint64_t count = 0;
    node->view = *g;
    NEW(node->train, g->train_count + 1, "the training vertices of a node");
    if (graph_plain(g)) {
        count = keep_part(g->train, g->train_count, 0, part, i, node->train);
        node->view.train = node->train;
    } else {
        NEW(node->type, g->types, "the training vertices of a node");
        memcpy(node->type, g->type, (size_t)g->types * sizeof *node->type);
        for (int t = 0; t < g->types; t++) {
            struct graph_type *x = &node->type[t];
            x->train = node->train + count;
            x->train_count = keep_part(g->type[t].train, x->train_count, x->first, part, i, node->train + count);
            count += x->train_count;
        }
        const struct graph *whole = &g->joined->graph;
        NEW(node->ids, g->train_count + 1, "the training vertices of a node");
        node->joined = *g->joined;
        node->joined.graph.train_count = keep_part(whole->train, whole->train_count, 0, part, i, node->ids);
        node->joined.graph.train = node->ids;
        node->view.joined = &node->joined;
        node->view.type = node->type;
    }
    node->view.train_count = count;
done:
    return st;
}

static enum st plan_node(const struct study_options *o, const struct study_cell *cell, struct study_node *node,
                         struct err *err)
{
    enum st st;
    struct study_options own = *o;
    own.graph = &node->view;
    own.checkpoint = NULL;
    study_begin(&node->s, &own);
    node->cell = *cell;
    TRY(study_plan_all(&node->s, &node->cell, 1, err));
    if (node->cell.verdict.status != POLICY_OK)
        FAIL(node->cell.verdict.absent ? ST_MISSING : ST_NO, "policy %s: %s", cell->policy->name,
             node->cell.verdict.reason);
done:
    return st;
}

enum st study_nodes_make(const struct study_options *o, const struct study_cell *cell, int nodes, const char *method,
                         struct study_nodes *out, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = o->graph;
    uint8_t *part = NULL;
    double *share = NULL;
    struct workload w = o->workload;
    struct partition_options how = {.method = method,
                                    .seed = o->workload.seed,
                                    .memory = o->memory,
                                    .threads = o->threads,
                                    .workload = &w};
    if (g->train_count < (uint64_t)(nodes * o->server->gpus))
        FAIL(ST_INPUT, "%s: has %llu training vertices for %d GPUs; each needs one", g->path,
             (unsigned long long)g->train_count, nodes * o->server->gpus);
    NEW(out->node, nodes, "nodes");
    out->nodes = nodes;
    if (nodes > 1) {
        NEW(part, g->n, "the parts of nodes");
        NEW(share, nodes, "the parts of nodes");
        for (int i = 0; i < nodes; i++) share[i] = 1;
        study_join_fanouts(g, &w);
        TRY(partition_graph(graph_connections(g), nodes, share, &how, part, &out->parts, err));
    }
    for (int i = 0; i < nodes; i++) {
        TRY(set_view(g, part, i, &out->node[i], err));
        TRY(plan_node(o, cell, &out->node[i], err));
    }
done:
    mem_free(part);
    mem_free(share);
    return st;
}

void study_nodes_release(struct study_nodes *x)
{
    for (int i = 0; i < x->nodes; i++) {
        study_cell_release(&x->node[i].cell);
        study_end(&x->node[i].s);
        mem_free(x->node[i].train);
        mem_free(x->node[i].type);
        mem_free(x->node[i].ids);
    }
    mem_free(x->node);
    memset(x, 0, sizeof *x);
}

/* ---- memories ---- */

/* Lists of policy hotset, whose GPUs hold rows as they are in the graph, may be planned anew. */
static bool may_change(const struct study *s, const struct study_cell *c)
{
    bool rounded = false;
    for (int k = 0; k < graph_tables(s->o.graph); k++) rounded |= graph_table(s->o.graph, k).cached != PRECISION_HOST;
    return !strcmp(c->policy->name, "hotset") && !rounded && c->plan.placement.access == ACCESS_GPU &&
           !s->o.no_topology && !s->o.lists && c->plan.cpu_share == 0;
}

enum st study_memories_check(const struct call *call, const struct memories_request *r, const struct graph *g,
                             struct err *err)
{
    struct study_memory m = {.count = 1,
                             .stage = {{.name = "memories",
                                        .remedy = "take fewer nodes, or leave the memories below GPUs out",
                                        .arrays = memories_bytes(r, g)}}};
    return options_check_stages(call, &m, err);
}

enum st study_memories(struct study *const *s, struct study_cell *const *cell, struct memories *m, struct err *err)
{
    enum st st = ST_OK;
    if (*cell[0]->plan.cache)
        FAIL(ST_NO, "policy %s: its GPUs hold features in a dynamic cache; memories below them are planned for lists",
             cell[0]->policy->name);
    m->joint = true;
    for (int i = 0; i < m->request.nodes; i++) m->joint &= may_change(s[i], cell[i]);
    study_stage_begin(s[0], "memories");
    TRY(memories_begin(m, err));
    for (int i = 0; i < m->request.nodes; i++) TRY(memories_add(m, i, &cell[i]->plan, cell[i]->recording->trace, err));
    TRY(memories_solve(m, err));
    for (int i = 0; i < m->request.nodes; i++) {
        TRY(memories_take(m, i, &cell[i]->plan, err));
        if (m->changed) TRY(study_predict(s[i], cell[i], s[i]->o.threads, err));
    }
    study_stage_end(s[0]);
done:
    return st;
}

enum st study_memories_simulate(struct study *s, struct study_cell *cell, struct err *err)
{
    enum st st;
    TRY(graph_plain(s->o.graph) ? study_simulate(s, cell, 1, err) : study_simulate_baselines(s, cell, err));
    if (!cell->plan.places || !cell->plan.simulated) goto done;
    struct replay_request q = study_request(s, cell->recording);
    TRY(places_simulate(&q, &cell->plan, cell->plan.simulated, err));
done:
    return st;
}
