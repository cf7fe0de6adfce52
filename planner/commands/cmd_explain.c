/* hotset explain - why a vertex is held, or which byte it lost to. */
#include "base/mem.h"
#include "planner/commands/explain_print.h"
#include "planner/results/explain_document.h"
#include "planner/options/options.h"
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

static enum st explain_run(struct call *call, struct err *err)
{
    const struct explain_args *a = call->args;
    struct graph g = {0};
    OWNED_BY(graph_names_close) struct graph_names names = {0};
    ON_HEAP(struct plan, p);
    ON_HEAP(struct trace, t);
    ON_HEAP(struct explanation, e);
    struct explain_input in = {.graph = &g, .plan = p, .trace = t, .names = &names, .threads = call->threads};
    struct explain_subject of;
    enum st st = ST_OK;
    if (a->vertex && a->type)
        FAIL(ST_USAGE, "--vertex names one vertex and --type whole tables; leave one of them out");
    TRY(options_kernels(call, &in.kernels, err));
    TRY(options_plan(call->words[0], a->graph, call->threads, &g, p, err));
    TRY(a->vertex ? explain_vertex(&g, a->vertex, call->threads, &of, &names, err)
                  : explain_tables(&g, a->type, &of, err));
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
    TRY(explain_make(&in, &of, e, err));
    doc *d = explain_document(e, &in);
    if (!call->common.json) explain_print(e, &in, d, call->out);
    st = call_finish(call, d, err);
done:
    explanation_release(e);
    trace_release(t);
    plan_release(p);
    graph_close(&g);
    return st;
}

static const struct param params[] = {
    OPTION_TEXT("vertex", 'v', struct explain_args, vertex, "V", NULL,
                "Vertex to explain, its number or its name; of a graph with several types as TYPE:V [default: whole "
                "tables of rows]."),
    OPTION_TEXT("type", 0, struct explain_args, type, "NAME", NULL,
                "Without --vertex: the rows of this type or relation only, or of 'topology' or 'feature' [default: "
                "all]."),
    OPTION_GRAPH(struct explain_args, graph, PLAN_GRAPH),
    OPTION_TRACE(struct explain_args, trace, "T", " [default: recorded again, as for the plan]"),
    {0},
};

static const char about[] = "What the rows of each table (topology, features; of each type and relation) take of the\n"
                            "cache, what they save per byte, and where the budget ends.\n\n"
                            "With --vertex, for each row of that vertex, in every clique: how often the row is\n"
                            "expected to be read, the PCIe transactions that caching it saves, its rank in the order\n"
                            "in which the policy took rows, where it is cached ('slot': its place in the GPU's file\n"
                            "of that table, from 0), and which GPU serves each reader. For a row that is not cached:\n"
                            "the last row that was taken, and how many more bytes of cache would include this row.";

extern const struct command cmd_explain;
const struct command cmd_explain = {.name = "explain",
                                    .stage = COMMAND_PLAN,
                                    .rank = 4,
                                    .summary = "explain why rows are cached or not",
                                    .arguments = "P [--vertex V | --type T] [options]",
                                    .params = params,
                                    .each_node = true,
                                    .args_size = sizeof(struct explain_args),
                                    .words_low = 1,
                                    .words_high = 1,
                                    .run = explain_run,
                                    .about = about,
                                    .examples = "  hotset explain P\n"
                                                "  hotset explain P --vertex 42                # or by name: alice\n"
                                                "  hotset explain P --vertex 42 --trace T --json\n"
                                                "  hotset explain P --vertex paper:42          # several node types"};
