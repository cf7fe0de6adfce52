/* hotset trace record - records what mini-batches touch. */
#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"
#include "base/table.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/probe/pcm_run.h"
#include "planner/commands/like.h"
#include "planner/commands/trace_print.h"
#include "planner/engine/epochs_needed.h"
#include "planner/options/options.h"
#include "planner/options/range_options.h"
#include "planner/engine/redeal.h"
#include "traces/recording/assignment_give.h"
#include "traces/graph/graph_union.h"

struct record_args {
    const char *graph, *like, *server, *plan, *output, *deal, *partition, *reach;
    struct workload_args workload;
    int64_t epochs;
    const char *error;
    bool graph_ranges, pcm;
    const char *pcm_tool, *pcm_run;
    int64_t pcm_idle;
    struct resume_args resume;
};

/* Takes the sampler and the hops of a plan, unless the command line describes a sampler or fan-outs. */
static void follow_sampler(const struct call *call, const struct workload *plan, struct workload *w)
{
    bool sampler = call_given(call, "sampler") || call_given(call, "walks") || call_given(call, "walk-length") ||
                   call_given(call, "restart") || call_given(call, "metapath") ||
                   call_given(call, "labor-iterations") || call_given(call, "batch-dependency") ||
                   call_given(call, "layer-dependency") || call_given(call, "time-window") ||
                   call_given(call, "time-direction"),
         hops = !call_given(call, "fanout") && !call_given(call, "fanout-over");
    if (!sampler) {
        w->sampler = plan->sampler;
        w->walks = plan->walks;
        w->restart = plan->restart;
        w->metapath = plan->metapath;
        w->labor_iterations = plan->labor_iterations;
        w->batch_dependency = plan->batch_dependency;
        w->layer_dependency = plan->layer_dependency;
        w->time_window = plan->time_window;
        w->forward = plan->forward;
        if (!hops && plan->sampler == SAMPLER_WALK)
            call_say(call, "--fanout is ignored: the plan's mini-batches are random walks");
        hops |= plan->sampler == SAMPLER_WALK;
    } else if (w->sampler == SAMPLER_WALK || plan->sampler == SAMPLER_WALK) hops = false; /* walks have other hops */
    if (!hops) return;
    w->hops = plan->hops;
    memcpy(w->fanout, plan->fanout, sizeof w->fanout);
    w->together = plan->together;
    w->lists = plan->lists;
    memcpy(w->list_of, plan->list_of, sizeof w->list_of);
    memcpy(w->list, plan->list, sizeof w->list);
}

/* What a plan says about the workload holds where the command line is silent: so its held-out epochs are recorded
 * again by --seed and --epochs. */
static enum st follow_plan(const struct call *call, const struct workload *plan, struct workload *w, struct err *err)
{
    static const char *const brought[] = {"assignment", "partition", "peer-access"};
    char order[ORDER_TEXT];
    for (size_t i = 0; i < sizeof brought / sizeof *brought; i++)
        if (call_given(call, brought[i]))
            call_say(call, "--%s is ignored: the plan states which GPU trains what", brought[i]);
    follow_sampler(call, plan, w);
    if (!call_given(call, "batch")) w->batch = plan->batch;
    if (!call_given(call, "frontier")) w->frontier = plan->frontier;
    if (!call_given(call, "seeds") && !call_given(call, "edge-share") && !call_given(call, "negatives")) {
        w->edge_share = plan->edge_share;
        w->seed_relation = plan->seed_relation;
        w->negatives = plan->negatives;
    }
    if (!call_given(call, "order")) {
        w->order = plan->order;
        w->order_blocks = plan->order_blocks < w->batch ? plan->order_blocks : w->batch;
    }
    if (w->order != ORDER_SHUFFLE && workload_edges(w))
        return err_set(err, ST_USAGE,
                       "--order %s: orders training vertices, and the seeds are edges; add --order shuffle or --seeds "
                       "vertices",
                       workload_order_text(w, order));
    if (w->frontier != FRONTIER_NEW && w->sampler == SAMPLER_WALK)
        return err_set(err, ST_USAGE, "--frontier %s: a random walk has no frontier; add --frontier new",
                       frontier_name(w->frontier));
    return ST_OK;
}

/* Who trains what: taken from a plan, which may change *w, or made anew. */
static enum st make_assignment(struct call *call, const struct record_args *a, const struct graph *g,
                               const struct server *s, struct workload *w, struct assignment *out,
                               struct partition_report *report, struct err *err)
{
    enum st st;
    ON_HEAP(struct plan, p);
    struct plan_change change = {0};
    struct graph seen = *g; /* what the plan's GPUs hold does not matter here */
    struct partition_options o = {.method = a->partition,
                                  .seed = (uint64_t)call->common.seed,
                                  .memory = mem_limit(),
                                  .workload = w,
                                  .threads = call->threads};
    if (!a->plan)
        return assign_kind(g, s, strcmp(a->deal, "bfs") ? deal_kind(a->deal) : ASSIGNMENT_BFS, 0, &o, NULL, out, report,
                           err);
    if (a->graph_ranges) TRY(plan_load(a->plan, &seen, p, err)); /* no rank has the whole graph */
    else TRY(plan_load_changed(a->plan, &seen, call->threads, &change, p, err));
    if (*p->server_fingerprint && strcmp(p->server_fingerprint, s->fingerprint))
        FAIL(ST_INPUT, "%s: is a plan for server %s, not for %s", a->plan, p->server_name, s->name);
    redeal_say(call, a->plan, g, &change);
    if (change.train) TRY(redeal(call, a->plan, p, &seen, s, out, err));
    else TRY(assignment_copy(&p->assignment, out, err));
    TRY(follow_plan(call, &p->workload, w, err));
done:
    plan_release(p);
    return st;
}

/* The same, unless an earlier run left it in the store; of a plan it is as quickly read again, with its workload. */
static enum st take_assignment(struct call *call, const struct record_args *a, const struct graph *g,
                               const struct server *s, struct workload *w, const struct checkpoint *checkpoint,
                               struct assignment *out, struct err *err)
{
    struct study_checkpoint saved = {.checkpoint = a->plan ? NULL : checkpoint};
    struct partition_report r = {0};
    char moved[UNIT_TEXT];
    bool there = false;
    if (ranks_first() || a->plan) { /* one rank cuts the graph; a plan brings its workload to all of them */
        PASS(study_checkpoint_load_assignment(&saved, s, out, NULL, g->n, &r, &there, err));
        if (!there) PASS(make_assignment(call, a, g, s, w, out, &r, err));
        if (!there) PASS(study_checkpoint_save_assignment(&saved, out, NULL, g->n, &r, err));
    }
    PASS(assignment_give(out, 0, err));
    if (*r.method && strcmp(r.method, "none"))
        call_say(call,
                 "partition by %s: %.2f %% of the arcs join different parts; %s training vertices moved for balance",
                 r.method, g->m ? 100.0 * (double)r.cut / (double)g->m : 0.0, units_count(moved, r.moved));
    return ST_OK;
}

/* The circles that the order needs: a plan's own, where they are of this order. */
static enum st take_circles(struct call *call, const struct graph *g, const struct workload *w, struct assignment *who,
                            struct err *err)
{
    const struct record_args *a = call->args;
    if (a->plan && !call_given(call, "order")) return ST_OK;
    return locality_order(graph_connections(g), w, call->threads, who, err);
}

/* "1%" or "1": per cent of the transactions. */
static enum st read_error(const char *text, double *out, struct err *err)
{
    char number[32];
    size_t length = strlen(text);
    if (length && text[length - 1] == '%') length--;
    snprintf(number, sizeof number, "%.*s", length < sizeof number ? (int)length : 0, text);
    if (units_real(number, "--error", out, err) != ST_OK || !(*out > 0) || *out > 100)
        return err_set(err, ST_USAGE, "--error: '%.40s' is not an error; write a percentage above 0 such as 1%%", text);
    *out /= 100;
    return ST_OK;
}

/* States how many epochs give the transactions of a typical plan with that error; the trace keeps the number. A remark,
 * which only a lack of memory fails. */
static enum st say_epochs_needed(const struct call *call, const struct graph *g, const struct kernels *k, double error,
                                 struct trace *t, struct err *err)
{
    enum { SHARE_PERCENT = 20 };
    struct epochs_needed e;
    enum st st;
    if (t->epochs == 1) call_say(call, "the error is not known from one epoch; record 2 or more");
    st = epochs_needed_of_share(g, t, k, SHARE_PERCENT / 100.0, call->threads, &e, err);
    if (st != ST_OK || !e.known) return st == ST_LIMIT ? st : ST_OK;
    t->error = error;
    t->epochs_for_error = epochs_needed_count(&e, error);
    call_say(call,
             "%llu epochs give the transactions of a plan that caches %d %% of all bytes with ±%.2f %% (95 %% CI); "
             "%llu epochs give ±%g %%",
             (unsigned long long)t->epochs, SHARE_PERCENT, 100 * epochs_needed_half_width(&e, t->epochs),
             (unsigned long long)t->epochs_for_error, 100 * error);
    return ST_OK;
}

/* Counts what the PCIe devices read while the user's command samples, and puts it into the trace as N_TSUM. */
static enum st trace_record_measure(const struct call *call, const struct record_args *a, const char *tool,
                                    struct trace *t, struct err *err)
{
    OWNED_BY(pcm_capture_abort) struct pcm_capture capture = {0};
    struct pcm busy = {0}, idle = {0};
    uint64_t net = 0;
    char text[UNIT_TEXT], doubts[600];
    call_say(call, "%s: counting the idle server for %d s", tool, (int)a->pcm_idle);
    PASS(pcm_capture_idle(tool, (int)a->pcm_idle, &idle, err));
    PASS(pcm_capture_begin(tool, &capture, err));
    PASS(pcm_run_command(a->pcm_run, err));
    PASS(pcm_capture_end(&capture, &busy, err));
    pcm_doubts(&busy, doubts, sizeof doubts);
    if (*doubts) call_say(call, "warning: %s: %s", tool, doubts);
    PASS(pcm_net_lines(&busy, &idle, &net, err));
    PASS(trace_apply_counters(t, net, PCM_LINE_BYTES, t->epochs, err));
    call_say(call, "N_TSUM is measured: the devices read %s lines of %d bytes in %llu s, net of idle",
             units_count(text, net), PCM_LINE_BYTES, (unsigned long long)busy.iterations);
    return ST_OK;
}

/* What must be there before anything long begins. */
static enum st check_pcm(const struct record_args *a, char tool[PATH_BYTES], struct err *err)
{
    if (!a->pcm)
        return a->pcm_run || a->pcm_tool ? err_set(err, ST_USAGE, "%s: only --pcm uses it; leave it out",
                                                   a->pcm_run ? "--pcm-run" : "--pcm-tool")
                                         : ST_OK;
    PASS(pcm_tool_find(a->pcm_tool, tool, err));
    if (!a->pcm_run)
        return err_set(err, ST_USAGE,
                       "--pcm: needs --pcm-run, a command that samples the same epochs on the GPUs with nothing cached "
                       "(hotset samples on the CPU, which reads nothing over PCIe)");
    return ST_OK;
}

/* What is recorded. */
struct recording {
    const struct graph *graph;
    const struct graph_ranges *ranges; /* NULL: every rank reads the whole graph */
    const struct server *server;
    const struct assignment *assignment;
    const struct workload *workload;
    const struct kernels *kernels;
    const struct checkpoint *checkpoint;
};

static enum st record_epochs(struct call *call, const struct recording *in, double error, struct trace *t,
                             struct err *err)
{
    const struct record_args *a = call->args;
    struct sampling_facts facts = {0};
    struct trace_options o = {.epochs = (uint64_t)a->epochs,
                              .line_bytes = in->server->line_bytes,
                              .threads = call->threads,
                              .progress = call_progress(call),
                              .folds = true,
                              .as_run = a->plan != NULL,
                              .first_keeps = true,
                              .server_name = in->server->name,
                              .server_fingerprint = in->server->fingerprint,
                              .checkpoint = ranks_first() ? in->checkpoint : NULL,
                              .part = "",
                              .ranges = in->ranges,
                              .kernels = in->kernels,
                              .facts = &facts};
    if (in->ranges && strcmp(in->kernels->name, "cpu") && strcmp(in->kernels->name, "ref"))
        call_say(call, "mini-batches are drawn by the CPU: --graph-ranges has no other sampler");
    else options_say_sampler(call, in->kernels, in->graph, in->workload);
    stage_begin(&call->stages, "pre-sampling");
    enum st st = trace_record(in->graph, in->assignment, in->workload, &o, t, err);
    stage_end(&call->stages);
    options_say_drawn(call, &facts);
    if (st != ST_OK || !ranks_first()) return st;
    stage_begin(&call->stages, "epochs for an error");
    st = say_epochs_needed(call, in->graph, in->kernels, error, t, err);
    stage_end(&call->stages);
    return st;
}

/* Writes the trace and prints it. */
static enum st finish(struct call *call, const struct graph *g, const struct trace *t, struct err *err)
{
    const struct record_args *a = call->args;
    char where[PATH_BYTES];
    doc *result = NULL;
    PASS(trace_save(t, g, a->output, err));
    if (call_prints(call)) trace_print(t, g, call->out);
    PASS(path_join(where, a->output, "trace.json", err));
    PASS(doc_load(where, trace_schema(g), &result, err));
    return call_finish(call, result, err);
}

/* Deals that cut no graph take no --partition. */
static enum st check_cut(const struct call *call, const struct record_args *a, struct err *err)
{
    bool cuts = strcmp(a->deal, "global") && strcmp(a->deal, "bfs");
    if (a->plan || cuts || !call_given(call, "partition") || !strcmp(a->partition, "auto")) return ST_OK;
    return err_set(err, ST_USAGE, "--partition: --assignment %s cuts no graph into parts; leave one of them out",
                   a->deal);
}

static enum st record(struct call *call, struct err *err)
{
    const struct record_args *a = call->args;
    ON_HEAP(struct graph, g);
    ON_HEAP(struct graph_ranges, ranges);
    ON_HEAP(struct server, s);
    struct assignment who = {0};
    struct workload w;
    ON_HEAP(struct trace, t);
    ON_HEAP(struct checkpoint, checkpoint);
    const struct kernels *k;
    double error;
    doc *inputs = NULL;
    char tool[PATH_BYTES] = "";
    enum st st;
    TRY(check_cut(call, a, err));
    if (ranks_first()) TRY(check_pcm(a, tool, err));
    TRY(read_error(a->error, &error, err));
    if (ranks_first()) TRY(output_check(a->output, NULL, err));
    TRY(options_kernels(call, &k, err));
    options_say_workload(call, &a->workload);
    if (a->graph_ranges) TRY(range_options_open(call, a->graph, g, ranges, err));
    else TRY(options_graph(a->graph, call->threads, g, err));
    TRY(options_workload(call, &a->workload, g, &w, err));
    if (options_order_auto(&a->workload))
        FAIL(ST_USAGE, "--order auto: hotset plan chooses the order by predicted transactions at a budget; name the "
                       "order to record, or plan without --trace");
    TRY(workload_attach(&w, g, err));
    TRY(server_load(a->server, s, err));
    TRY(server_set_reach(s, reach_of(a->reach), err));
    if (a->graph_ranges) TRY(range_options_check(&w, a->plan ? NULL : a->deal, s, err));
    inputs = doc_object();
    TRY(resume_add_server(inputs, a->server, s, err));
    resume_add_path(inputs, "plan", a->plan);
    TRY(resume_open(call, &a->resume, a->output, g, inputs, checkpoint, err));
    checkpoint_expect(checkpoint, g->n * (uint64_t)s->gpus * 2 * (2 + (uint64_t)w.hops)); /* counts of 2 bytes */
    stage_begin(&call->stages, "partition");
    st = take_assignment(call, a, g, s, &w, checkpoint, &who, err);
    stage_end(&call->stages);
    if (st != ST_OK) goto done;
    TRY(workload_attach(&w, g, err)); /* a plan may have brought another sampler */
    if (a->graph_ranges) TRY(range_options_check(&w, a->plan ? NULL : a->deal, s, err));
    TRY(take_circles(call, g, &w, &who, err));
    const struct recording in = {g, a->graph_ranges ? ranges : NULL, s, &who, &w, k, checkpoint};
    TRY(record_epochs(call, &in, error, t, err));
    if (a->graph_ranges) TRY(range_options_say(call, g, ranges, err));
    if (!ranks_first()) goto done;
    if (a->pcm) TRY(trace_record_measure(call, a, tool, t, err));
    TRY(finish(call, g, t, err));
done:
    resume_close(call, checkpoint, st);
    doc_free(inputs);
    trace_release(t);
    assignment_release(&who);
    server_release(s);
    graph_close(g);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct record_args, graph, ""),
    OPTION_SERVER(struct record_args, server, "S", NULL, ""),
    OPTION_LIKE(struct record_args, like),
    OPTION_OUTPUT(struct record_args, output, "T", NULL, "Trace directory to write."),
    WORKLOAD_PARAMS(struct record_args, workload),
    OPTION_INTEGER("epochs", 0, struct record_args, epochs, "K", "4", 1, 10000, "Epochs to draw and count."),
    OPTION_TEXT("error", 0, struct record_args, error, "PERCENT", "1%",
                "Also print how many epochs estimate a plan's transactions within this error (95 % CI)."),
    OPTION_PATH("plan", 0, struct record_args, plan, "P", NULL, PATH_READ,
                "Use this plan's assignment of training vertices instead of partitioning, and its workload, except for "
                "the options that are given."),
    OPTION_DEAL(struct record_args, deal, "clique", "clique|global|gpu|nested|bfs|hierarchical",
                "; bfs: consecutive ranges of a breadth-first order (with --order bfs: BGL); hierarchical is clique"),
    OPTION_REACH(struct record_args, reach, " [default: direct]"),
    OPTION_PARTITION(struct record_args, partition),
    RESUME_PARAMS(struct record_args, resume),
    OPTION_FLAG("graph-ranges", struct record_args, graph_ranges,
                "Of several ranks (mpirun), each reads and counts only its range of the vertices: for graphs larger "
                "than the memory of one (planner/RANKS.md). The trace is the same."),
    OPTION_FLAG("pcm", struct record_args, pcm,
                "Measure N_TSUM: run Intel PCM's pcm-pcie around --pcm-run and subtract the idle server."),
    OPTION_TEXT("pcm-run", 0, struct record_args, pcm_run, "CMD", NULL,
                "Shell command that samples the same epochs on the GPUs, with nothing cached."),
    OPTION_PATH("pcm-tool", 0, struct record_args, pcm_tool, "FILE", NULL, PATH_READ,
                "The pcm-pcie to use [default: the first on PATH, then /usr/sbin/pcm-pcie]."),
    OPTION_INTEGER("pcm-idle", 0, struct record_args, pcm_idle, "SECONDS", "5", 1, 3600, "Length of the idle capture."),
    {0},
};

static const char about[] = "Assigns the training vertices to the server's cliques and GPUs, draws K epochs of\n"
                            "mini-batches as training would, and counts per GPU and vertex how often a row was\n"
                            "drawn from (topology), expanded (visits) and read (features). Counts depend on the\n"
                            "seed only, never on threads or device. With --device cuda or auto a GPU draws and\n"
                            "counts (only the uniform sampler with vertex seeds); a graph that exceeds its memory\n"
                            "is read from the host.\n\n"
                            "An interrupted run leaves T.partial, and the same command continues from there, GPU by\n"
                            "GPU. Record once, plan many times: 'hotset plan --trace T'. 'mpirun -n N hotset trace\n"
                            "record ..' shares the mini-batches over N processes (planner/RANKS.md); the trace is the\n"
                            "same. For a graph larger than the memory of one of them add --graph-ranges.";

static const char examples[] = "  hotset trace record --graph G --server dgx-v100 --fanout 25,10 --batch 8000 --epochs "
                               "4 -o T\n"
                               "  hotset trace record --graph G --server dgx-v100 --plan P --seed 99 --epochs 2 -o E   "
                               "# held out";

extern const struct command cmd_trace_record;
const struct command cmd_trace_record = {
    .group = "trace",
    .name = "record",
    .summary = "pre-sample epochs and count draws, visits and feature reads per vertex and GPU",
    .arguments = "--graph G --server S -o T [options]",
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "graph server output fanout batch sampler epochs assignment partition plan order pcm",
    .shares_work = true,
    .needs = "graph server output",
    .each_node = true,
    .args_size = sizeof(struct record_args),
    .run = record,
};
