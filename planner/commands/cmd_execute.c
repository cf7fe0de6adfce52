/* hotset execute - carries a plan out: fills caches, runs held-out mini-batches, measures, and sets measured beside
 * predicted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/npy.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/execute_sweep.h"
#include "planner/options/features.h"
#include "planner/results/memories_print.h"
#include "planner/options/options.h"
#include "simulator/plan/plan_server.h"
#include "simulator/execute/execute_doc.h"
#include "simulator/execute/execute_server.h"
#include "simulator/timeline/timeline_args.h"
#include "simulator/timeline/timeline_executed.h"
#include "traces/graph/graph_union.h"
#include "reports/tables/tables.h"

/* what was executed, as tables for people. executed: a document executed/1. */

static const struct column sweep_columns[] = {COLUMN("alpha", "alpha", CELL_FORM, .form = "%.2f"),
                                              COLUMN("predicted", "predicted.total_transactions", CELL_COUNT),
                                              COLUMN("simulated", "simulated.total_transactions", CELL_COUNT),
                                              COLUMN("counted", "counted.total_transactions", CELL_COUNT),
                                              COLUMN("measured", "measured.total_transactions", CELL_COUNT),
                                              COLUMN("gather host", "seconds.gather_host", CELL_SECONDS),
                                              COLUMN("all stages", "seconds.total", CELL_SECONDS),
                                              {0}};

/* How it was measured, or why not: once, since it is the machine's. A CPU's has a note of its own. */
static void hows_print(const doc *executed, const doc *gpus, FILE *to)
{
    const doc *m = doc_get(doc_at(gpus, 0), "measured");
    const char *feature = doc_text_value(doc_get(m, "feature_how"), ""),
               *total = doc_text_value(doc_get(m, "total_how"), "");
    if (!*feature || !doc_bool_value(doc_get(doc_get(executed, "machine"), "pcie"), false)) return;
    terminal_print(to, "measured: features %s; in total %s.\n",
                   strcmp(feature, "timed") ? feature
                                            : "from the time of the host's rows, at the measured rate of such reads",
                   strcmp(total, "counters") ? total : "by the driver's PCIe counter of received bytes");
}

/* Rows by source, times by stage, transactions per epoch, how they were measured. */
static void execute_print(const doc *executed, FILE *to)
{
    const doc *gpus = doc_get(executed, "gpus"), *notes = doc_get(executed, "notes"),
              *machine = doc_get(executed, "machine");
    uint64_t verified = 0;
    terminal_print(to, "policy %s on %s, executed by %s: %lld epoch%s of seed %lld\n\n",
                   doc_text_value(doc_get(executed, "policy"), "?"),
                   doc_text_value(doc_get(doc_get(executed, "server"), "name"), "?"),
                   doc_text_value(doc_get(machine, "device"), "?"), (long long)doc_count(executed, "epochs"),
                   doc_count(executed, "epochs") == 1 ? "" : "s", (long long)doc_count(executed, "seed"));
    columns_show(execute_reads, gpus, NULL, to);
    terminal_print(to, "%s", "\ntime per mini-batch (median); GB/s over all mini-batches\n");
    columns_show(execute_times, gpus, NULL, to);
    fputc('\n', to);
    columns_print(&(struct column_table){.columns = execute_totals,
                                         .rows = doc_get(executed, "totals"),
                                         .skip = execute_errors},
                  to);
    fputc('\n', to);
    for (uint64_t i = 0; i < doc_size(gpus); i++) verified += doc_count(doc_at(gpus, i), "verified_rows");
    terminal_print(to, "%lld gathered rows were compared with their expected content; %lld differ.\n",
                   (long long)verified, (long long)doc_count(executed, "wrong_rows"));
    hows_print(executed, gpus, to);
    for (uint64_t i = 0; i < doc_size(notes); i++) terminal_print(to, "%s\n", doc_text_value(doc_at(notes, i), ""));
}

/* The table of the sweep and its sentence; nothing when there is none. */
static void execute_sweep_print(const doc *executed, FILE *to)
{
    const doc *sweep = doc_get(executed, "sweep"), *points = doc_get(sweep, "points"), *best = doc_get(sweep, "best");
    if (!doc_size(points)) return;
    terminal_print(to, "%s", "\ntransactions and time per epoch, by alpha (share of the budget for topology)\n");
    columns_show(sweep_columns, points, NULL, to);
    terminal_print(to,
                   "\nminimum predicted at alpha %.2f, %s at %.2f: %s one step (%.2f) apart; shortest time at %.2f.\n",
                   doc_number(best, "predicted"), doc_text_value(doc_get(best, "judged_by"), "?"),
                   doc_number(best, doc_text_value(doc_get(best, "judged_by"), "?")),
                   doc_bool_value(doc_get(best, "within_one_step"), false) ? "at most" : "more than",
                   doc_number(sweep, "step"), doc_number(best, "seconds"));
}

struct execute_args {
    const char *graph, *gpu, *features, *sweep, *trace, *server, *server_file, *output;
    int64_t epochs, batches;
    uint64_t feature_memory;
    bool verify, overlap;
    struct timeline_args timeline;
};

/* What --sweep plans again with. */
struct sweeping {
    int percent[EXECUTE_ALPHAS], count;
    struct server server;
    struct trace trace;
    struct study_options o;
};

/* What a run works on. */
struct work {
    struct graph g;
    struct plan p;
    struct sweeping sweep;
    struct workload held_out;
    struct npy file[GRAPH_TABLES_MAX]; /* of the tables of q.setup.rows */
    struct execute_rows *rows;
    doc *plan_doc;
    struct execute_request q;
};

static void work_release(struct work *w)
{
    server_release(&w->sweep.server);
    trace_release(&w->sweep.trace);
    doc_free(w->plan_doc);
    for (int k = 0; k < w->q.setup.tables; k++) npy_release(&w->file[k]);
    mem_free(w->rows);
    plan_release(&w->p);
    graph_close(&w->g);
}

static enum st find_gpu(const struct execute_args *a, const struct plan *p, int *only, struct err *err)
{
    int64_t id;
    *only = -1;
    if (!strcmp(a->gpu, "all")) return ST_OK;
    PASS(units_integer(a->gpu, "--gpu", 0, 255, &id, err));
    for (int g = 0; g < p->assignment.gpus; g++)
        if (p->assignment.id[g] == id) *only = g;
    if (*only < 0)
        return err_set(err, ST_USAGE,
                       "--gpu %lld: the plan has no such GPU; 'hotset server show %s' lists its GPUs, 'all' executes "
                       "all of them",
                       (long long)id, p->server_name);
    return ST_OK;
}

/* The mini-batches: by default those that the plan was simulated on, so that counts must be equal. */
static enum st choose_batches(const struct call *call, const struct execute_args *a, struct work *w, struct err *err)
{
    const doc *simulated = doc_get(w->plan_doc, "simulated");
    struct execute_setup *s = &w->q.setup;
    int64_t seed = doc_integer_value(doc_get(simulated, "seed"), -1),
            epochs = doc_integer_value(doc_get(simulated, "epochs"), 0);
    w->held_out = w->p.workload;
    w->held_out.seed = call_given(call, "seed") ? (uint64_t)call->common.seed
                       : seed >= 0              ? (uint64_t)seed
                                                : study_held_out_seed(w->p.workload.seed);
    if (w->held_out.seed == w->p.workload.seed)
        return err_set(err, ST_USAGE,
                       "--seed %llu: is the plan's own seed, so the epochs would not be held out; choose another",
                       (unsigned long long)w->held_out.seed);
    s->workload = &w->held_out;
    s->epochs = a->epochs                       ? (uint64_t)a->epochs
                : epochs > 0 && epochs <= 10000 ? (uint64_t)epochs
                                                : replay_default_epochs(&w->g, &w->p.assignment, &w->p.workload);
    w->q.most = (uint64_t)a->batches;
    return ST_OK;
}

/* --features: a matrix of the graph's rows, or of several types TYPE=FILE for some of them. */
static enum st open_features(const char *path, int table, void *of, struct err *err)
{
    struct work *w = of;
    struct npy *file;
    struct execute_rows *r = w->rows;
    while (r->table != table) r++; /* features_each names tables with rows only */
    file = &w->file[r - w->rows];
    npy_release(file);
    PASS(features_map(path, &w->g, table, file, err));
    if (file->item * r->dim != r->row_bytes)
        return err_set(err, ST_INPUT,
                       "%s: its elements have %u bytes, but the graph's features have %llu; save it as another type",
                       path, file->item, (unsigned long long)(r->row_bytes / r->dim));
    r->file = file->data;
    return ST_OK;
}

/* Says what will be taken, and refuses what the limit has no room for. */
static enum st say_memory(const struct call *call, const struct execute_request *q, struct err *err)
{
    struct execute_memory m;
    char t[4][UNIT_TEXT];
    execute_memory(q, &m);
    uint64_t need = m.host + m.features, have = mem_limit() > mem_in_use() ? mem_limit() - mem_in_use() : 0;
    units_bytes(t[0], m.features);
    units_bytes(t[1], m.host);
    units_bytes(t[2], m.device);
    units_bytes(t[3], mem_limit());
    if (mem_limit() && need > have)
        return err_set(err, ST_LIMIT,
                       "memory: features in host memory need %s and the rest of the run up to %s, but the limit is %s; "
                       "keep fewer rows with --feature-memory SIZE%s",
                       t[0], t[1], t[3],
                       m.host < have ? "" : ", or raise --memory, or take --gpu I or another server's plan");
    if (m.device)
        call_say(call, "memory: up to %s on the GPU, %s on the host for features and up to %s for the rest", t[2], t[0],
                 t[1]);
    else call_say(call, "memory: %s for features and up to %s for caches, look-up and mini-batches", t[0], t[1]);
    return ST_OK;
}

static enum st choose_rows(const struct execute_args *a, struct work *w, struct err *err)
{
    struct execute_setup *s = &w->q.setup;
    PASS(execute_rows_list(&w->g, w->p.line_bytes, a->feature_memory, &w->rows, &s->tables, err));
    s->rows = w->rows;
    if (a->features) PASS(features_each(&w->g, a->features, open_features, w, err));
    return ST_OK;
}

static enum st prepare(struct call *call, struct work *w, struct err *err)
{
    const struct execute_args *a = call->args;
    char path[PATH_BYTES];
    PASS(options_plan(call->words[0], a->graph, call->threads, &w->g, &w->p, err));
    if (w->p.places && a->sweep)
        return err_set(err, ST_NO,
                       "%s: states memories below its GPUs, and --sweep plans the GPUs alone; leave --sweep out",
                       call->words[0]);
    PASS(path_join(path, call->words[0], "plan.json", err));
    PASS(doc_load(path, plan_schema(&w->g), &w->plan_doc, err));
    w->q.setup.plan = &w->p;
    w->q.setup.graph = &w->g;
    w->q.setup.threads = call->threads;
    w->q.setup.overlap = a->overlap;
    w->q.check = a->verify ? CHECK_ALL : CHECK_FIRST;
    w->q.progress = call_progress(call);
    w->q.keep = a->timeline.path;
    PASS(timeline_args_check(&a->timeline, call_given(call, "timeline-batches"), a->output, &w->p, err));
    PASS(choose_batches(call, a, w, err));
    PASS(find_gpu(a, &w->p, &w->q.only, err));
    PASS(executor_pick(call->common.device, &w->q.executor, err));
    return choose_rows(a, w, err);
}

/* ---- the sweep ---- */

/* The plan's server, for --sweep and --server-file. */
static enum st load_server(const struct execute_args *a, struct work *w, struct err *err)
{
    const char *name = a->server ? a->server : w->p.server_name;
    PASS(plan_server_load(&w->p, a->server, &w->sweep.server, err));
    if (strcmp(w->sweep.server.fingerprint, w->p.server_fingerprint))
        return err_set(err, ST_INPUT, "%s: is not the server of the plan (%s); name the plan's own with --server", name,
                       w->p.server_name);
    return ST_OK;
}

/* --server-file: the server with what was measured. */
static enum st write_server(struct call *call, struct work *w, const struct execution *run, struct err *err)
{
    const struct execute_args *a = call->args;
    int written = 0;
    PASS(execute_server_update(&w->q, run, &w->sweep.server, &written, err));
    if (!written)
        return err_set(err, ST_NO,
                       "--server-file: no rate was measured on this device, so %s was not written; run on a GPU, or "
                       "with a plan whose topology the GPUs hold",
                       a->server_file);
    return doc_save(w->sweep.server.document, a->server_file, err);
}

/* The study that the plan came from; before anything is executed, so that nothing is executed in vain. */
static enum st prepare_sweep(struct call *call, struct work *w, struct err *err)
{
    const struct execute_args *a = call->args;
    struct sweeping *s = &w->sweep;
    const struct plan *p = &w->p;
    PASS(execute_sweep_parse(a->sweep, s->percent, &s->count, err));
    PASS(execute_sweep_check(p, err));
    PASS(graph_join(&w->g, err));
    if (a->trace) PASS(trace_load(a->trace, &w->g, &s->trace, err));
    s->o = (struct study_options){.graph = &w->g,
                                  .server = &s->server,
                                  .workload = a->trace ? s->trace.workload : p->workload,
                                  .given = a->trace ? &s->trace : NULL,
                                  .presample_epochs = a->trace              ? s->trace.epochs
                                                      : p->presample_epochs ? p->presample_epochs
                                                                            : 4,
                                  .simulate_epochs = (int64_t)w->q.setup.epochs,
                                  .simulate_seed = w->held_out.seed,
                                  .threads = call->threads,
                                  .progress = call_progress(call),
                                  .stages = &call->stages,
                                  .memory = mem_limit(),
                                  .partition = *p->assignment.partition && strcmp(p->assignment.partition, "none")
                                                   ? p->assignment.partition
                                                   : "auto"};
    return kernels_pick(w->q.executor == &executor_cpu ? "cpu" : "auto", &s->o.kernels, err);
}

/* --timeline: what was measured, and beside it the model where the server's rates are known. */
static enum st write_timeline(struct call *call, struct work *w, const struct execution *run, doc *to, doc **about,
                              struct err *err)
{
    const struct execute_args *a = call->args;
    const struct execute_setup *s = &w->q.setup;
    struct err unknown = {0};
    OWNED_SERVER struct server *server = NULL;
    OWNED_BY(timeline_model_release) struct timeline_model m = {0};
    struct epoch_options timing = {.setup = {.gnn = {GNN_SAGE, 256, 64}, .cpu = cpu_part_none()}};
    struct replay_request r = {.graph = &w->g,
                               .assignment = &w->p.assignment,
                               .workload = s->workload,
                               .line_bytes = w->p.line_bytes,
                               .epochs = 1,
                               .seed = s->workload->seed,
                               .threads = s->threads};
    MAKE(server, 1, "the description of a server");
    bool known = plan_server_load(&w->p, a->server, server, &unknown) == ST_OK &&
                 timeline_model_make(&r, &w->p, server, &timing, doc_get(w->plan_doc, "simulated"),
                                     (uint64_t)a->timeline.batches, &m, &unknown) == ST_OK;
    PASS(timeline_executed(run, s->epochs, &w->p, known ? &m : NULL, (uint64_t)a->timeline.batches, a->timeline.path,
                           about, err));
    doc_put(to, "timeline", doc_copy(*about));
    if (!known && unknown.code == ST_LIMIT) return err_set(err, ST_LIMIT, "%s", unknown.text);
    if (!known) call_say(call, "--timeline: without the model's times: %s", unknown.text);
    return ST_OK;
}

/* ---- the command ---- */

static enum st check_options(const struct execute_args *a, struct err *err)
{
    if (!a->sweep && a->trace) return err_set(err, ST_USAGE, "--trace: only --sweep uses it; leave it out");
    if (!a->sweep && !a->server_file && a->server)
        return err_set(err, ST_USAGE, "--server: only --sweep and --server-file use it; leave it out");
    if (a->sweep && strcmp(a->gpu, "all"))
        return err_set(err, ST_USAGE, "--sweep: executes all GPUs of each plan; leave --gpu out");
    enum st st = a->server_file ? output_check(a->server_file, "server/1", err) : ST_OK;
    return st == ST_OK && a->output ? output_check(a->output, "executed/1", err) : st;
}

static enum st run(struct call *call, struct err *err)
{
    const struct execute_args *a = call->args;
    struct work *w = NULL;
    struct execution execution = {0};
    doc *swept;
    OWNED_DOC doc *d = NULL, *drawn = NULL;
    uint64_t wrong = 0;
    enum st st;
    NEW(w, 1, "the run");
    TRY(check_options(a, err));
    TRY(prepare(call, w, err));
    if (a->sweep || a->server_file) TRY(load_server(a, w, err));
    if (a->sweep) TRY(prepare_sweep(call, w, err));
    TRY(say_memory(call, &w->q, err));
    stage_begin(&call->stages, "execution");
    st = execute_run(&w->q, &execution, err);
    stage_end(&call->stages);
    if (st != ST_OK) goto done;
    d = execute_document(&w->q, &execution, doc_get(w->plan_doc, "simulated"));
    wrong = (uint64_t)doc_integer_value(doc_get(d, "wrong_rows"), 0);
    if (a->sweep) {
        TRY(execute_sweep(&w->q, &w->sweep.o, w->sweep.percent, w->sweep.count, &swept, &wrong, err));
        doc_put(d, "sweep", swept);
    }
    if (a->timeline.path) TRY(write_timeline(call, w, &execution, d, &drawn, err));
    if (call_prints(call)) {
        execute_print(d, call->out);
        execute_sweep_print(d, call->out);
    }
    memories_beside(call, &w->p, doc_get(w->plan_doc, "simulated"),
                    "here all of them are read from this machine's host memory, and timed so", d);
    if (drawn && call_prints(call)) timeline_print(&a->timeline, drawn, call->out);
    if (a->output) TRY(doc_save(d, a->output, err));
    if (a->server_file) TRY(write_server(call, w, &execution, err));
    TRY(call_finish(call, TAKE(d), err));
    if (wrong)
        FAIL(ST_NO,
             "%llu gathered rows differ from their expected content; this machine's memory is faulty, or --features "
             "changed during the run",
             (unsigned long long)wrong);
done:
    execution_release(&execution);
    if (w) work_release(w);
    mem_free(w);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct execute_args, graph, PLAN_GRAPH),
    OPTION_TEXT("gpu", 0, struct execute_args, gpu, "I", "all",
                "GPU of the plan to execute, by its id; all: one after the other."),
    OPTION_RENAMED("epochs", "run-epochs"),
    OPTION_INTEGER("run-epochs", 0, struct execute_args, epochs, "K", "0", 0, 10000,
                   "Epochs to run; 0: those of the plan's simulation."),
    OPTION_INTEGER("batches", 0, struct execute_args, batches, "N", "0", 0, INT64_MAX,
                   "Run at most N mini-batches per GPU, for a quick look; 0: all."),
    OPTION_PATH("features", 0, struct execute_args, features, "FILE.npy", NULL, PATH_READ,
                "Feature matrix, [vertices, dimension]; of a graph with several types TYPE=FILE,.. [default: generated "
                "rows, each different]."),
    OPTION_SIZE("feature-memory", 0, struct execute_args, feature_memory, "SIZE", NULL,
                "Host memory for feature rows. If only R rows fit, row v modulo R is read in place of row v [default: "
                "all rows]."),
    OPTION_FLAG("verify", struct execute_args, verify,
                "Compare every gathered row with its expected content [default: only in each GPU's first mini-batch]."),
    OPTION_FLAG("overlap", struct execute_args, overlap,
                "Sample the next mini-batch while this one's rows are gathered, if the device can."),
    OPTION_TEXT("sweep", 0, struct execute_args, sweep, "ALPHAS", NULL,
                "Plan again with other shares of the budget for topology, and execute each plan: a list of percentages "
                "(0,10,30,100), or one number: so many, evenly from 0 to 100 % (11)."),
    OPTION_TRACE(struct execute_args, trace, "T", " [default: recorded again, as for the plan; for --sweep]"),
    OPTION_SERVER(struct execute_args, server, "S", NULL,
                  " [default: the one that the plan names; for --sweep and --server-file]"),
    OPTION_WRITES("server-file", 0, struct execute_args, server_file, "S.json", NULL,
                  "Also write the plan's server with the rates that were measured: PCIe reads at the size of a feature "
                  "row, and sampling. Plans and epoch times use it with --server S.json."),
    TIMELINE_PARAMS(struct execute_args, timeline),
    OPTION_DOCUMENT(struct execute_args, output, "E.json"),
    {0},
};

static const char about[] =
    "Takes the plan's GPUs one after the other: fills the GPU's cache, puts all other features into host\n"
    "memory, and runs held-out mini-batches: sample, look up who holds each row, gather the rows from own\n"
    "memory, from peers and from the host. Every stage is timed, and the rows of the first mini-batch are\n"
    "compared byte by byte with their expected content. By default the mini-batches are those of the\n"
    "plan's simulation, so the counts must be equal ('as simulated').\n\n"
    "With a GPU (--device cuda, or auto where there is one) rows of the host are read over PCIe by zero\n"
    "copy, and transactions are measured: by the driver's PCIe counters where the machine has them, else\n"
    "from the time that the host's rows took and the measured rate for rows of that size. If the machine\n"
    "has fewer GPUs than the plan, rows of peers lie in the memory of the same GPU: counts are exact, but\n"
    "their times are not those of NVLink. Without a GPU the CPU does everything: copies and times are\n"
    "real, but nothing crosses PCIe, so no transactions are measured, and the result says so. Times and\n"
    "the device are always in the result, also without --stamp.\n\n"
    "--server-file S.json writes the plan's server again with what was measured, and says so in its\n"
    "provenance: the rate of rows from the host, if they crossed PCIe; sampling by a GPU that holds all\n"
    "topology it visits; sampling by the CPU.\n\n"
    "--timeline writes the mini-batches as events, in Chrome's trace format: mini-batch b begins on all GPUs\n"
    "at once, and the same stages by the time model stand beside where the server's rates are known.\n\n"
    "--sweep is Legion's figure 13: the same budget with other shares for topology and features, each\n"
    "share executed; the minima of prediction and measurement should be at most one step apart. It needs\n"
    "a policy with an alpha (legion, legion+density).\n"
    "Exit code 1: the plan cannot be executed (dynamic caches), or gathered rows were wrong.";

static const char examples[] = "  hotset lab execute P                          # every GPU of the plan; counts must "
                               "equal "
                               "the simulation\n"
                               "  hotset lab execute P --gpu 0 --batches 20 --verify    # a quick look at one GPU, "
                               "every "
                               "row compared\n"
                               "  hotset lab execute P --device cuda --overlap -o E.json\n"
                               "  hotset lab execute P --features feat.npy      # real features, mapped\n"
                               "  hotset lab execute P --feature-memory 8GiB    # features larger than host memory\n"
                               "  hotset lab execute P --sweep 11 -o E.json && hotset report E.json -o page  # "
                               "predicted "
                               "and measured over alpha";

extern const struct command cmd_execute;
const struct command cmd_execute = {
    .group = "lab",
    .name = "execute",
    .summary = "execute a plan: fill the caches, run mini-batches, compare measured with predicted",
    .arguments = "P [options]",
    .params = params,
    .usual = "graph gpu run-epochs batches features overlap sweep output",
    .each_node = true,
    .args_size = sizeof(struct execute_args),
    .words_low = 1,
    .words_high = 1,
    .run = run,
    .about = about,
    .examples = examples,
};
