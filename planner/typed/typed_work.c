#include "planner/typed/typed_work.h"

#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"
#include "planner/partition/assign.h"
#include "planner/typed/typed_memory.h"
#include "traces/graph/graph_union.h"

enum st typed_only_options(const struct call *call, const char *const *known, struct err *err)
{
    for (const struct param *p = call->params; p && p->name; p++) {
        bool good = param_is_alias(p) || !call_given(call, p->name);
        for (int i = 0; !good && known[i]; i++) good = !strcmp(known[i], p->name);
        if (!good)
            return err_set(err, ST_USAGE,
                           "--%s: does not work on graphs with several types or relations yet; leave it out", p->name);
    }
    return ST_OK;
}

enum st typed_work_open(struct call *call, const struct typed_request *q, struct typed_work *w, struct err *err)
{
    enum st st;
    if (ranks_count() > 1)
        FAIL(ST_USAGE, "%s: the work on graphs with several types is not shared by ranks; start hotset without mpirun",
             q->graph);
    TRY(options_kernels(call, &w->kernels, err));
    TRY(graph_open_any(q->graph, call->threads, &w->graph, err));
    if (!w->graph.train_count)
        FAIL(ST_INPUT, "%s: no type has training vertices, so there is nothing to sample from", w->graph.path);
    if (strcmp(w->kernels->name, "cuda") == 0)
        call_say(call, "mini-batches of graphs with several types are drawn on the CPU");
done:
    return st;
}

enum st typed_work_server(const char *name, struct typed_work *w, struct err *err)
{
    server_release(&w->server);
    memset(&w->server, 0, sizeof w->server);
    return server_load(name, &w->server, err);
}

/* What the sampler draws, but the policies of this room do not plan. */
static enum st check_planned(const struct workload *w, const struct workload_args *a, struct err *err)
{
    enum st st = ST_OK;
    if (w->sampler != SAMPLER_UNIFORM)
        FAIL(ST_USAGE, "--sampler %s: graphs with several types are sampled uniformly only", sampler_name(w->sampler));
    if (w->frontier == FRONTIER_LAYERS)
        FAIL(ST_USAGE, "--frontier layers: graphs with several types are sampled by the rules new and all only");
    if (w->order != ORDER_SHUFFLE || options_order_auto(a))
        FAIL(ST_USAGE, "--order %s: does not work on graphs with several types yet; their epochs are shuffled",
             a->how.order);
done:
    return st;
}

enum st typed_work_workload(const struct call *call, const struct typed_request *q, const struct typed_work *w,
                            struct workload *out, struct err *err)
{
    const struct workload_args *a = q->workload;
    enum st st;
    TRY(workload_make(&w->graph, &a->fanout, a->fanout_over, a->batch, a->frontier, (uint64_t)call->common.seed, out,
                      err));
    TRY(workload_set_sampler(&w->graph, out, &a->how, err));
    TRY(check_planned(out, a, err));
done:
    return st;
}

static const char *deal_word_of(const struct typed_request *q, const struct typed_deal *by)
{
    if (by->samplers) return "global";
    return q->deal && strcmp(q->deal, "auto") ? q->deal : by->global ? "global" : "clique";
}

static const char *partition_of(const struct typed_request *q) { return q->partition ? q->partition : "auto"; }

enum st typed_work_memory(const struct call *call, const struct typed_request *q, const struct typed_deal *by,
                          const struct typed_work *w, const struct typed_kept *kept, struct err *err)
{
    enum st st = ST_OK;
    struct workload *workload = NULL;
    struct typed_memory_facts f = {.rows = &w->graph,
                                   .server = &w->server,
                                   .workload = &w->trace.workload,
                                   .deal = deal_word_of(q, by),
                                   .partition = partition_of(q),
                                   .epochs = q->trace ? w->trace.epochs : (uint64_t)q->epochs,
                                   .threads = call->threads,
                                   .samplers = by->samplers,
                                   .recorded = q->trace != NULL,
                                   .kept = *kept};
    if (!q->trace) {
        NEW(workload, 1, "the workload");
        TRY(typed_work_workload(call, q, w, workload, err));
        f.workload = workload;
    }
    struct study_memory m = typed_memory_estimate(&f);
    st = options_check_stages(call, &m, err);
done:
    mem_free(workload);
    return st;
}

/* Deals by connections of all relations together. */
static enum st deal(const struct call *call, const struct typed_request *q, const struct typed_deal *by,
                    const struct typed_work *w, struct assignment *out, struct partition_report *report,
                    struct err *err)
{
    struct graph_union u = {.indptr = NULL};
    uint8_t *part = NULL;
    const char *word = deal_word_of(q, by);
    const struct partition_options o = {.method = partition_of(q),
                                        .seed = (uint64_t)call->common.seed,
                                        .memory = mem_limit(),
                                        .threads = call->threads};
    enum st st = ST_OK;
    if (!strcmp(word, "bfs")) FAIL(ST_USAGE, "--deal bfs: does not work on graphs with several types yet");
    TRY(graph_union_make(&w->graph, &u, err));
    enum assignment_kind kind = deal_kind(word);
    if (kind == ASSIGNMENT_GLOBAL) {
        TRY(assign_global(&u.graph, &w->server, by->samplers, o.seed, out, err));
    } else if (!assignment_parts_per_gpu(kind)) {
        TRY(assign_hierarchical(&u.graph, &w->server, &o, out, report, err));
    } else {
        NEW(part, w->graph.n, "parts of the graph");
        if (kind == ASSIGNMENT_NESTED) TRY(assign_nested(&u.graph, &w->server, &o, part, out, report, err));
        else TRY(assign_per_gpu(&u.graph, &w->server, &o, part, out, report, err));
    }
done:
    graph_union_release(&u);
    mem_free(part);
    return st;
}

enum st typed_work_record(struct call *call, const struct typed_request *q, const struct typed_deal *by,
                          struct typed_work *w, struct err *err)
{
    struct workload *workload = NULL;
    struct assignment a = {0};
    struct partition_report report = {0};
    const struct trace_options o = {.epochs = (uint64_t)q->epochs,
                                    .line_bytes = w->server.line_bytes,
                                    .threads = call->threads,
                                    .folds = true,
                                    .progress = call_progress(call),
                                    .server_name = w->server.name,
                                    .server_fingerprint = w->server.fingerprint};
    enum st st = ST_OK;
    NEW(workload, 1, "the workload");
    TRY(typed_work_workload(call, q, w, workload, err));
    stage_begin(&call->stages, "deal");
    TRY(deal(call, q, by, w, &a, &report, err));
    stage_end(&call->stages);
    if (*report.method && strcmp(report.method, "none"))
        call_say(call, "partition of all relations together by %s: %.2f %% of the arcs join different parts",
                 report.method, w->graph.m ? 100.0 * (double)report.cut / (double)w->graph.m : 0.0);
    stage_begin(&call->stages, "pre-sampling");
    TRY(trace_record(&w->graph, &a, workload, &o, &w->trace, err));
    stage_end(&call->stages);
    w->recorded = true;
done:
    assignment_release(&a);
    mem_free(workload);
    return st;
}

void typed_work_close(struct typed_work *w)
{
    trace_release(&w->trace);
    server_release(&w->server);
    graph_close(&w->graph);
    memset(w, 0, sizeof *w);
}
