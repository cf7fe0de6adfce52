#include "planner/study/study_recording.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/partition/self_reliant.h"

void study_begin(struct study *s, const struct study_options *o)
{
    memset(s, 0, sizeof *s);
    s->o = *o;
}

static void recording_release(struct study_recording *r)
{
    trace_release(&r->own);
    mem_free(r->part);
    for (int c = 0; c < GPUS_MAX; c++) {
        mem_free(r->benefit_topology[c]);
        mem_free(r->benefit_feature[c]);
        for (int k = 0; k < RATE_SOURCES; k++) estimates_release(&r->estimates[k][c]);
    }
    visit_costs_release(&r->costs);
}

void study_end(struct study *s)
{
    for (int i = 0; i < STUDY_RECORDINGS; i++) recording_release(&s->recording[i]);
    memset(s, 0, sizeof *s);
}

void study_stage_begin(struct study *s, const char *name)
{
    if (s->o.stages) stage_begin(s->o.stages, name);
}

void study_stage_end(struct study *s)
{
    if (s->o.stages) stage_end(s->o.stages);
}

/* ---- recording ---- */

static enum st make_assignment(struct study *s, struct study_recording *r, struct assignment *out, struct err *err)
{
    enum st st = ST_OK;
    struct partition_options p = {.method = s->o.partition,
                                  .seed = s->o.workload.seed,
                                  .memory = s->o.memory,
                                  .workload = &r->workload,
                                  .threads = s->o.threads};
    struct partition_report *report = &s->partition;
    bool there;
    if (r->kind == ASSIGNMENT_PER_GPU) NEW(r->part, s->o.graph->n, "parts of the graph");
    study_stage_begin(s, "partition");
    st = study_checkpoint_load_assignment(&r->saved, s->o.server, out, r->part, s->o.graph->n, report, &there, err);
    if (there || st != ST_OK) {
        study_stage_end(s);
        return st;
    }
    if (r->kind == ASSIGNMENT_GLOBAL)
        st = assign_global(s->o.graph, s->o.server, r->samplers, s->o.workload.seed, out, err);
    else if (r->kind == ASSIGNMENT_BFS) st = assign_bfs(s->o.graph, s->o.server, out, err);
    else if (r->kind == ASSIGNMENT_PER_GPU) st = assign_per_gpu(s->o.graph, s->o.server, &p, r->part, out, report, err);
    else if (r->kind == ASSIGNMENT_SELF_RELIANT)
        st = assign_self_reliant(s->o.graph, s->o.server, s->o.workload.hops, out, err);
    else st = assign_hierarchical(s->o.graph, s->o.server, &p, out, report, err);
    if (st == ST_OK) st = study_checkpoint_save_assignment(&r->saved, out, r->part, s->o.graph->n, report, err);
    study_stage_end(s);
done:
    return st;
}

static enum st record(struct study *s, struct study_recording *r, struct err *err)
{
    struct assignment a = {0};
    struct trace_options o = {.epochs = s->o.presample_epochs,
                              .line_bytes = s->o.server->line_bytes,
                              .threads = s->o.threads,
                              .progress = s->o.progress,
                              .folds = true,
                              .server_name = s->o.server->name,
                              .server_fingerprint = s->o.server->fingerprint,
                              .checkpoint = r->saved.checkpoint,
                              .part = r->saved.part,
                              .kernels = s->o.kernels};
    enum st st;
    TRY(make_assignment(s, r, &a, err));
    study_stage_begin(s, "pre-sampling");
    st = trace_record(s->o.graph, &a, &r->workload, &o, &r->own, err);
    study_stage_end(s);
    r->trace = &r->own;
done:
    assignment_release(&a);
    return st;
}

int study_recordings(const struct server *s, const struct study_cell *cells, int count)
{
    int recordings = 0, seen[STUDY_RECORDINGS];
    bool choice = false; /* a policy may choose another split than its rule says, which takes one more */
    for (int i = 0; i < count && recordings < STUDY_RECORDINGS; i++) {
        int k = 0, key = (int)cells[i].policy->assignment * GPUS_MAX +
                         policy_samplers(cells[i].policy, s, cells[i].options_given ? cells[i].option : NULL);
        while (k < recordings && seen[k] != key) k++;
        if (k == recordings) seen[recordings++] = key;
        choice |= cells[i].policy->choose_samplers && (!cells[i].options_given || isnan(cells[i].option[0]));
    }
    return recordings + choice;
}

enum st study_record(struct study *s, enum assignment_kind kind, int samplers, struct study_recording **out,
                     struct err *err)
{
    enum st st = ST_OK;
    int i = 0;
    for (; i < STUDY_RECORDINGS && s->recording[i].used; i++)
        if (s->recording[i].kind == kind && s->recording[i].samplers == samplers) {
            *out = &s->recording[i];
            return ST_OK;
        }
    if (i == STUDY_RECORDINGS)
        FAIL(ST_LIMIT, "the policies need more than %d recordings; name fewer policies", STUDY_RECORDINGS);
    struct study_recording *r = &s->recording[i];
    r->kind = kind;
    r->samplers = samplers;
    r->saved.checkpoint = s->o.checkpoint;
    snprintf(r->saved.part, sizeof r->saved.part, "%.15s%s-%d-", s->o.part, assignment_name(kind), samplers);
    r->workload = s->o.workload;
    r->workload.order_bfs |= kind == ASSIGNMENT_BFS && !workload_edges(&s->o.workload);
    /* a trace keeps who trains what, not the parts of the graph that policies of one part per GPU hold */
    if (s->o.given && s->o.given->assignment.kind == kind && !samplers && kind != ASSIGNMENT_PER_GPU &&
        s->o.given->workload.order_bfs == r->workload.order_bfs)
        r->trace = s->o.given;
    else TRY(record(s, r, err));
    r->epochs = s->o.simulate_epochs >= 0 ? (uint64_t)s->o.simulate_epochs
                                          : replay_default_epochs(s->o.graph, &r->trace->assignment, &s->o.workload);
    r->used = true;
    *out = r;
done:
    return st;
}

struct replay_request study_request(const struct study *s, const struct study_recording *r)
{
    return (struct replay_request){.graph = s->o.graph,
                                   .assignment = &r->trace->assignment,
                                   .workload = &r->workload,
                                   .line_bytes = s->o.server->line_bytes,
                                   .epochs = r->epochs,
                                   .seed = s->o.simulate_seed,
                                   .threads = s->o.threads,
                                   .progress = s->o.progress,
                                   .kernels = s->o.kernels};
}

enum st study_benefit(struct study *s, struct study_recording *r, struct err *err)
{
    enum st st = ST_OK;
    if (r->benefit_known) return ST_OK;
    if (!r->epochs) r->epochs = replay_default_epochs(s->o.graph, &r->trace->assignment, &s->o.workload);
    for (int c = 0; c < r->trace->assignment.cliques; c++) {
        NEW(r->benefit_topology[c], s->o.graph->n, "what rows save");
        NEW(r->benefit_feature[c], s->o.graph->n, "what rows save");
    }
    struct replay_request q = study_request(s, r);
    study_stage_begin(s, "oracle's look ahead");
    st = replay_benefit(&q, r->benefit_topology, r->benefit_feature, err);
    study_stage_end(s);
    r->benefit_known = st == ST_OK;
done:
    return st;
}

enum st study_estimate(struct study *s, struct study_recording *r, enum rate_source source, struct err *err)
{
    enum st st = ST_OK;
    if (r->estimates_known[source]) return ST_OK;
    study_stage_begin(s, "estimates");
    if (!r->costs.cost[0])
        st = visit_costs_make(s->o.graph, r->trace, s->o.server->line_bytes, s->o.threads, &r->costs, err);
    for (int c = 0; c < r->trace->assignment.cliques && st == ST_OK; c++) {
        struct estimates_input in = {.graph = s->o.graph,
                                     .trace = r->trace,
                                     .kernels = s->o.kernels,
                                     .costs = &r->costs,
                                     .clique = c,
                                     .threads = s->o.threads,
                                     .line_bytes = s->o.server->line_bytes,
                                     .source = source,
                                     .checkpoint = r->saved.checkpoint};
        snprintf(in.name, sizeof in.name, "%srates%d-%d", r->saved.part, (int)source, c);
        st = estimates_make(&in, &r->estimates[source][c], err);
    }
    study_stage_end(s);
    r->estimates_known[source] = st == ST_OK;
    return st;
}

void study_drop_pages(const struct study *s)
{
    for (int i = 0; i < STUDY_RECORDINGS && s->recording[i].used; i++) {
        trace_drop_pages(s->recording[i].trace);
        for (int k = 0; k < RATE_SOURCES; k++)
            for (int c = 0; c < s->recording[i].trace->assignment.cliques; c++)
                estimates_drop_pages(&s->recording[i].estimates[k][c]);
    }
    graph_drop_pages(s->o.graph);
}
