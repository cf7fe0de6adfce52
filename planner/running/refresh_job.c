#include "planner/running/refresh_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/folder.h"
#include "base/mem.h"
#include "base/units.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/places/memory_args.h"
#include "planner/results/nodes_plan.h"
#include "planner/engine/redeal.h"
#include "simulator/plan/plan_server.h"
#include "traces/graph/graph_union.h"
#include "simulator/movement/simulated.h"

void refresh_job_end(struct refresh_job *j)
{
    refresh_next_end(&j->next);
    for (int n = 0; j->node && n < j->nodes; n++) {
        trace_release(&j->node[n].trace);
        plan_release(&j->node[n].before);
    }
    mem_free(j->node);
    nodes_network_release(&j->network);
    graph_close(&j->graph);
    doc_free(j->whole);
    memset(j, 0, sizeof *j);
}

static struct server *server_of(struct refresh_job *j) { return &j->network.cluster.server; }

const struct plan *refresh_job_side(const struct refresh_job *j, int side, int node)
{
    return &study_cell_of(&j->next.cell[side ? j->next.chosen : 0], node)->plan;
}

/* ---- what it starts from ---- */

/* Where a node's part of a plan or trace is; of one node it is the path. */
static enum st part_path(const struct refresh_job *j, const char *path, int node, char out[PATH_BYTES], struct err *err)
{
    char name[16];
    snprintf(name, sizeof name, "node%d", node);
    if (j->whole) return path_join(out, path, name, err);
    if (snprintf(out, PATH_BYTES, "%s", path) >= PATH_BYTES)
        return err_set(err, ST_INPUT, "%.80s..: the path is too long", path);
    return ST_OK;
}

static enum st open_plans(struct call *call, const struct refresh_source *from, struct refresh_job *j, struct err *err)
{
    char path[PATH_BYTES];
    bool several;
    PASS(folder_document(path, from->plan, "plan.json", err));
    PASS(doc_has_schema(path, NODES_PLAN_SCHEMA, &several, err));
    if (several) PASS(nodes_plan_load(path, &j->whole, err));
    j->nodes = several ? (int)doc_size(doc_get(j->whole, "parts")) : 1;
    MAKE(j->node, j->nodes, "plans to refresh");
    for (int n = 0; n < j->nodes; n++) {
        struct plan *p = &j->node[n].before;
        PASS(part_path(j, from->plan, n, path, err));
        if (!n) PASS(options_plan_changed(path, from->graph, call->threads, &j->graph, &j->change, p, err));
        else PASS(plan_load_changed(path, &j->graph, call->threads, &j->change, p, err));
        PASS(workload_attach(&p->workload, &j->graph, err));
        if ((p->places ? p->places->nodes : 1) == j->nodes && (!several || p->places->node == n)) continue;
        if (several)
            return err_set(err, ST_INPUT, "%s: is not node %d of the %d of %s; plan anew", path, n, j->nodes,
                           from->plan);
        return err_set(err, ST_NO,
                       "%s: is the plan of one node of %d, and what the others serve it follows from all of their "
                       "plans; refresh the plan of all nodes, the folder around it",
                       path, p->places->nodes);
    }
    PASS(graph_join(&j->graph, err));
    return ST_OK;
}

/* The same DRAM, SSDs and network as before, for the rows that GPUs leave now. */
static enum st set_below(struct refresh_job *j, const char *where, struct err *err)
{
    const struct plan_places *places = j->node[0].before.places;
    const doc *cluster = doc_get(doc_get(j->whole, "network"), "cluster");
    char bytes[32];
    if (!places) return ST_OK;
    snprintf(bytes, sizeof bytes, "%lluB", (unsigned long long)places->host_bytes);
    j->below = (struct memories_request){.nodes = j->nodes,
                                         .server = server_of(j),
                                         .drives = places->drives,
                                         .nic_gbps = places->nic_gbps};
    if (doc_is_object(cluster)) {
        PASS(nodes_network_stated(cluster, where, &j->network, err));
        j->below.network = &j->network;
    }
    PASS(memory_args_sizes(&(struct memory_args){.memory = bytes}, &j->graph, &j->below, err));
    j->below.drives = places->drives; /* not the server's own */
    return ST_OK;
}

static enum st open_traces(const struct refresh_source *from, struct refresh_job *j, struct err *err)
{
    char path[PATH_BYTES];
    const struct server *s = server_of(j);
    for (int n = 0; n < j->nodes; n++) {
        struct trace *t = &j->node[n].trace;
        PASS(part_path(j, from->trace, n, path, err));
        if (j->whole && !file_exists(path))
            return err_set(err, ST_INPUT,
                           "%s: has no recording of node %d; make one of every node with 'hotset trace record --plan "
                           "%s'",
                           from->trace, n, from->plan);
        PASS(trace_load(path, &j->graph, t, err));
        for (int g = 0; g < s->gpus; g++)
            if (t->assignment.gpus != s->gpus || t->assignment.id[g] != s->gpu[g].id ||
                t->assignment.clique_of[g] != s->clique_of[g])
                return err_set(err, ST_INPUT,
                               "%s: was recorded for other GPUs or cliques than the plan's; record it with 'hotset "
                               "trace record --plan %s'",
                               path, from->plan);
        PASS(workload_attach(&t->workload, &j->graph, err));
    }
    return ST_OK;
}

enum st refresh_job_open(struct call *call, const struct refresh_source *from, struct refresh_job *j, struct err *err)
{
    const struct plan *first;
    PASS(open_plans(call, from, j, err));
    first = &j->node[0].before;
    PASS(plan_server_load(first, from->server, server_of(j), err));
    PASS(server_set_reach(server_of(j), reach_of(doc_text_value(doc_get(first->notes, "reach"), NULL)), err));
    for (int n = 0; n < j->nodes; n++) PASS(refresh_check(&j->node[n].before, server_of(j), from->plan, err));
    PASS(set_below(j, from->plan, err));
    PASS(open_traces(from, j, err));
    redeal_say(call, from->plan, &j->graph, &j->change);
    return ST_OK;
}

/* Who trains what: says what differs from the plan. */
static enum st match(struct call *call, struct refresh_job *j, const char *plan, struct err *err)
{
    uint64_t others = 0;
    bool any = false;
    for (int n = 0; n < j->nodes; n++) {
        struct refresh_node *node = &j->node[n];
        uint64_t count;
        bool exchanged;
        PASS(refresh_match(&node->before, &j->graph, call->threads, &node->trace, &count, &exchanged, err));
        others += count;
        any |= exchanged;
    }
    if (others && !j->change.train)
        call_say(call,
                 "%llu training vertices are trained by other GPUs in the trace than in the plan; 'hotset trace record "
                 "--plan %s' keeps who trains what",
                 (unsigned long long)others, plan);
    if (any) call_say(call, "GPUs exchange what they train in the trace, so that they train near the rows they hold");
    return ST_OK;
}

/* ---- what is planned ---- */

/* Under --auto: keeps all rows where moving them takes longer than what it saves in those epochs. */
static enum st decide(struct call *call, double epochs, struct refresh_next *next, struct err *err)
{
    char bytes[UNIT_TEXT], took[3][UNIT_TEXT], anyway[80] = "";
    bool pays;
    if (!next->chosen) return ST_OK;
    PASS(refresh_next_pays(next, epochs, &pays, err));
    if (next->pay.seconds_to_stay > 0)
        snprintf(anyway, sizeof anyway, " (%s of it for DRAM, in any case)",
                 units_seconds(took[2], next->pay.seconds_to_stay));
    call_say(call, "%s: loading %s takes %s%s, and %.0f epochs save %s",
             pays ? "rows are exchanged" : "all rows are kept", units_bytes(bytes, refresh_next_bytes(next)),
             units_seconds(took[0], next->pay.seconds_to_move), anyway, epochs,
             units_seconds(took[1], next->pay.seconds_gained * epochs));
    return ST_OK;
}

/* A study per node, of its recording and plan. */
static enum st refresh_job_begin(struct call *call, const struct study_args *args, double epochs, double move,
                                 struct refresh_job *j, struct err *err)
{
    const struct budget same = {.kind = BUDGET_BYTES, .bytes = 1, .text = "the plan's"};
    const struct kernels *k;
    const struct workload *w = &j->node[0].trace.workload;
    struct study_args a = *args;
    OWNED_NEW(struct study_options, o, j->nodes, "the options of nodes");
    PASS(options_kernels(call, &k, err));
    options_say_sampler(call, k, &j->graph, w);
    a.partition = "auto"; /* the trace states who trains what */
    a.sampling = "gpu";   /* as in the plan (refresh_check) */
    PASS(study_options_make(call, &a, &j->graph, server_of(j), k, w, o, err));
    for (int n = 0; n < j->nodes; n++) {
        o[n] = o[0];
        o[n].workload = j->node[n].trace.workload;
        o[n].given = &j->node[n].trace;
        o[n].presample_epochs = j->node[n].trace.epochs;
        o[n].before = &j->node[n].before;
        if (o[n].workload.seed != w->seed)
            return err_set(err, ST_INPUT,
                           "the recordings of nodes have different seeds; record the plan of all nodes in one run");
    }
    PASS(study_memories_check(call, &j->below, &j->graph, err));
    return refresh_next_begin(&j->next, o, &j->below, epochs, move, &same, err);
}

enum st refresh_job_plan(struct call *call, const struct study_args *study, double epochs, double move, bool decides,
                         struct refresh_job *j, struct err *err)
{
    struct refresh_next *next = &j->next;
    PASS(match(call, j, call->words[0], err));
    PASS(refresh_job_begin(call, study, epochs, move, j, err));
    PASS(study_memory_say(call, &next->study.node[0].s.o, next->cell, next->cells, err));
    PASS(refresh_next_plan(next, err));
    if (decides) PASS(decide(call, epochs, next, err));
    PASS(study_nodes_simulate(&next->study, next->cell, 2, err));
    const struct simulated *s = next->cell[next->chosen].plan.simulated;
    PASS(epoch_errors_make(s ? s->time : NULL, &j->errors, err));
    return refresh_next_weigh(next, err);
}

/* ---- the next plan ---- */

/* The member `refresh` of plan.json. */
static doc *stated(const struct refresh_job *j, int node)
{
    return DOC(IS("rows_to_load", j->next.part[node].moves.rows), IS("bytes_to_load", j->next.part[node].moves.bytes),
               IS("pays_after_epochs", j->next.epochs));
}

enum st refresh_job_save(struct refresh_job *j, const char *path, doc *stamp, struct err *err)
{
    doc *written = NULL;
    struct study_nodes *study = &j->next.study;
    struct study_cell *c = &j->next.cell[j->next.chosen];
    const doc *parts = doc_get(j->whole, "partition");
    for (int n = 0; n < j->nodes; n++) {
        struct plan *p = n ? &c->other[n - 1].plan : &c->plan;
        const doc *settings = doc_get(j->node[n].before.notes, "settings");
        plan_note(p, "refresh", stated(j, n));
        if (settings) plan_note(p, "settings", doc_copy(settings));
    }
    OWNED_DOC doc *simulated = simulated_document(&c->plan, c->plan.simulated, study->graph, true);
    const struct simulated *s = c->plan.simulated;
    epoch_interval_put(doc_get(simulated, "epoch_time"), s ? s->time : NULL, server_of(j), &j->errors);
    if (!j->whole) return plan_save(&c->plan, study->graph, path, simulated, stamp, err);
    struct partition_report *r = &study->parts;
    snprintf(r->method, sizeof r->method, "%.15s", doc_text_value(doc_get(parts, "method"), ""));
    r->cut = (uint64_t)llround(doc_real_value(doc_get(parts, "cut_share"), 0) * (double)j->graph.m);
    enum st st = nodes_plan_save(study, c, path, &written, err);
    doc_free(written);
    return st;
}
