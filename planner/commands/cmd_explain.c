/* hotset explain - why a vertex is held, or which byte it lost to. */
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/commands/explain_print.h"
#include "planner/commands/explain_tables_print.h"
#include "planner/study/explain_document.h"
#include "planner/study/memories_print.h"
#include "planner/study/options.h"
#include "simulator/plan/plan.h"

struct explain_args {
    const char *graph, *trace, *vertex, *type;
};

static enum st check_trace(const struct trace *t, const char *path, const struct plan *p, struct err *err)
{
    const struct assignment *a = &t->assignment, *b = &p->assignment;
    bool same = a->gpus == b->gpus && a->cliques == b->cliques && t->line_bytes == p->line_bytes;
    for (int g = 0; same && g < a->gpus; g++)
        same = a->id[g] == b->id[g] && a->clique_of[g] == b->clique_of[g] && a->train_count[g] == b->train_count[g];
    return same ? ST_OK
                : err_set(err, ST_INPUT,
                          "%s: was recorded for other GPUs, cliques, training vertices or line bytes than the plan's; "
                          "leave --trace out to record again",
                          path);
}

/* The plan's own recording: same seed, epochs and assignment give the same counts. */
static enum st record(struct call *call, const struct graph *g, const struct plan *p, const struct kernels *k,
                      struct trace *out, struct err *err)
{
    enum { USUAL_EPOCHS = 4 };
    struct trace_options o = {.epochs = p->presample_epochs ? p->presample_epochs : USUAL_EPOCHS,
                              .line_bytes = p->line_bytes,
                              .threads = call->threads,
                              .progress = call_progress(call),
                              .folds = true,
                              .server_name = p->server_name,
                              .server_fingerprint = p->server_fingerprint,
                              .kernels = k};
    options_say_sampler(call, k, g, &p->workload);
    stage_begin(&call->stages, "pre-sampling");
    enum st st = trace_record(g, &p->assignment, &p->workload, &o, out, err);
    stage_end(&call->stages);
    return st;
}

static enum st answer(struct call *call, int64_t vertex, const struct explain_input *in, struct err *err)
{
    enum st st;
    struct explanation *e = NULL;
    doc *d = NULL;
    NEW(e, 1, "an explanation");
    TRY(explain_make(in, vertex, e, err));
    if (!call->common.json) explain_print(e, in->plan, call->out);
    d = doc_object();
    doc_put(d, "schema", doc_text("explain/1"));
    doc_put(d, "trace_epochs", doc_integer((int64_t)in->trace->epochs));
    explain_put(e, in->plan, d);
    if (in->plan->places) doc_put(d, "memories", memories_of_vertex(in->plan, in->graph, (uint32_t)vertex));
    if (in->plan->places && !call->common.json) memories_of_vertex_print(doc_get(d, "memories"), call->out);
    st = call_finish(call, d, err);
done:
    mem_free(e);
    return st;
}

/* What to explain: checked before anything is opened. */
static enum st read_args(const struct call *call, bool types, int64_t *vertex, struct err *err)
{
    const struct explain_args *a = call->args;
    enum st st = ST_OK;
    if (types && a->vertex && a->type)
        FAIL(ST_USAGE, "--vertex names one vertex and --type all of a type; leave one of them out");
    if (types) goto done;
    if (a->type) FAIL(ST_USAGE, "--type: the plan %s is of a graph with one type; leave it out", call->words[0]);
    if (!a->vertex) FAIL(ST_USAGE, "explain: --vertex is missing; expected: hotset explain P --vertex V [options]");
    TRY(units_integer(a->vertex, "--vertex", INT64_MIN, INT64_MAX, vertex, err));
done:
    return st;
}

static enum st run(struct call *call, struct err *err)
{
    const struct explain_args *a = call->args;
    struct graph g = {0};
    ON_HEAP(struct plan, p);
    ON_HEAP(struct trace, t);
    struct explain_input in = {.graph = &g, .plan = p, .trace = t, .threads = call->threads};
    int64_t vertex = 0;
    doc *d = NULL;
    enum st st;
    bool types;
    TRY(plan_has_types(call->words[0], &types, err));
    TRY(read_args(call, types, &vertex, err));
    TRY(options_kernels(call, &in.kernels, err));
    TRY(options_plan(call->words[0], a->graph, call->threads, &g, p, err));
    if (!types) TRY(explain_check_vertex(&g, vertex, err));
    if (*p->cache)
        FAIL(ST_USAGE,
             "%s: its features are in a dynamic cache (%s) and change from mini-batch to mini-batch, so no row has a "
             "fixed place to explain; name a plan of another policy",
             call->words[0], p->cache);
    if (a->trace) {
        TRY(trace_load(a->trace, &g, t, err));
        TRY(check_trace(t, a->trace, p, err));
    } else {
        TRY(record(call, &g, p, in.kernels, t, err));
    }
    if (types) TRY(explain_tables_answer(&in, a->vertex, a->type, call->common.json ? NULL : call->out, &d, err));
    TRY(types ? call_finish(call, d, err) : answer(call, vertex, &in, err));
done:
    trace_release(t);
    plan_release(p);
    graph_close(&g);
    return st;
}

static const struct param params[] = {OPTION_TEXT("vertex", 'v', struct explain_args, vertex, "V", NULL,
                                                  "Vertex to explain; of a graph with several types as TYPE:V."),
                                      OPTION_TEXT("type", 0, struct explain_args, type, "NAME", NULL,
                                                  "Of a graph with several types: explain the rows of this type or "
                                                  "relation only [default: all]."),
                                      OPTION_TEXT("graph", 'g', struct explain_args, graph, "G", NULL,
                                                  "Graph directory [default: the path that the plan states]."),
                                      OPTION_TEXT("trace", 't', struct explain_args, trace, "T", NULL,
                                                  "Trace that the plan was made from [default: record it again]."),
                                      {0}};

static const char about[] = "For the topology row and the feature row of one vertex, in every clique: how often the\n"
                            "row is expected to be read, the PCIe transactions that caching it saves, its rank in\n"
                            "the order in which the policy took rows, where it is cached ('slot': its place in the\n"
                            "GPU's fill order, from 0), and which GPU serves each reader. For a row that is not\n"
                            "cached: the last row that was taken, and how many more bytes of cache would include\n"
                            "this row.\n\n"
                            "Of a graph with several node types, without --vertex: what the rows of each type and\n"
                            "relation take of the cache, what they save per byte, and where the budget ends.";

extern const struct command cmd_explain;
const struct command cmd_explain = {.name = "explain",
                                    .stage = COMMAND_PLAN,
                                    .rank = 4,
                                    .summary = "explain why a vertex is cached or not",
                                    .arguments = "P --vertex V | P [--type T] [options]",
                                    .params = params,
                                    .each_node = true,
                                    .args_size = sizeof(struct explain_args),
                                    .words_low = 1,
                                    .words_high = 1,
                                    .run = run,
                                    .about = about,
                                    .examples = "  hotset explain P --vertex 42\n"
                                                "  hotset explain P --vertex 42 --trace T --json\n"
                                                "  hotset explain P --type paper               # several node types"};
