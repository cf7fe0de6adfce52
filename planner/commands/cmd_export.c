/* hotset export - writes what a runtime reads, says what that runtime cannot express, and simulates what it will make
 * of the plan. */
#include <string.h>

#include "base/mem.h"
#include "base/param.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/exports/export_reach.h"
#include "planner/options/features.h"
#include "planner/options/options.h"
#include "simulator/plan/plan_server.h"
#include "simulator/plan/plan.h"
#include "traces/sampling/seeds.h"
#include "planner/exports/export_folder.h"
#include "planner/exports/export_runs.h"

/* ---- what an export wrote and what it costs, for people ---- */

/* The name with its numbers as '*': files that differ in those alone are shown in one line. */
static const char *pattern(const char *name, char out[80])
{
    size_t k = 0;
    for (; *name && k < 79; name++) {
        bool digit = *name >= '0' && *name <= '9';
        if (!digit || !k || out[k - 1] != '*') out[k++] = digit ? '*' : *name;
    }
    out[k] = '\0';
    return out;
}

/* Files like file i, their bytes together; 0 when an earlier one stands for them. */
static uint64_t alike(const doc *files, uint64_t i, uint64_t *bytes)
{
    char mine[80], other[80];
    uint64_t count = 0;
    pattern(doc_text_value(doc_get(doc_at(files, i), "name"), ""), mine);
    *bytes = 0;
    for (uint64_t j = 0; j < doc_size(files); j++) {
        const doc *d = doc_at(files, j);
        if (strcmp(pattern(doc_text_value(doc_get(d, "name"), ""), other), mine)) continue;
        if (j < i) return 0;
        *bytes += (uint64_t)doc_integer_value(doc_get(d, "bytes"), 0);
        count++;
    }
    return count;
}

static void files_print(const doc *files, FILE *to)
{
    static const char *const headers[] = {"file", ">files", ">bytes", "what it is", NULL};
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(files); i++) {
        char text[UNIT_TEXT], name[80];
        uint64_t bytes, count = alike(files, i, &bytes);
        const doc *d = doc_at(files, i);
        if (!count) continue;
        table_add(t, "%s",
                  count > 1 ? pattern(doc_text_value(doc_get(d, "name"), ""), name)
                            : doc_text_value(doc_get(d, "name"), ""));
        table_add(t, "%s", units_count(text, count));
        table_add(t, "%s", units_count(text, bytes));
        table_add(t, "%s", doc_text_value(doc_get(d, "what"), ""));
    }
    table_show(t, to);
}

static void add_print(const doc *add, FILE *to)
{
    for (uint64_t i = 0; i < doc_size(add); i++) {
        char text[900], bytes[UNIT_TEXT];
        const doc *d = doc_at(add, i);
        uint64_t size = (uint64_t)doc_integer_value(doc_get(d, "bytes"), 0);
        snprintf(text, sizeof text, "you must add: %s%s%s%s: %s", doc_text_value(doc_get(d, "file"), ""),
                 size ? ", " : "", size ? units_count(bytes, size) : "", size ? " bytes" : "",
                 doc_text_value(doc_get(d, "layout"), ""));
        params_wrapped(to, text, 0);
    }
}

/* Files, how to use them, what must be added, the runs of the plan as the target executes it, and where something is
 * lost, how to plan for it. */
static void export_print(const struct export_folder *f, const struct export_runs *runs, const char *plan,
                         const struct export_target *target, FILE *to)
{
    const bool lost = runs->count > 1 + runs->run[runs->count - 1].as_run;
    files_print(f->files, to);
    fputc('\n', to);
    for (uint64_t i = 0; i < doc_size(f->use); i++) params_wrapped(to, doc_text_value(doc_at(f->use, i), ""), 0);
    add_print(f->add, to);
    export_runs_print(runs, target->name, to);
    if (lost && target->made.keeps)
        terminal_print(to,
                       "\n'hotset plan --like %s --for %s -o P2' plans for what %s can do, and says how long an epoch "
                       "takes "
                       "there\n",
                       plan, target->name, target->name);
}

struct export_args {
    const char *to, *graph, *output, *features, *server;
    int64_t epochs;
    double hbm_gbps, pcie_gbps;
};

/* Everything that is open during one export. */
struct work {
    struct graph graph;
    struct graph_sets sets;
    struct plan plan;
    struct server *server; /* NULL: not known */
    struct trace trace;
    struct npy features;
    struct export_folder folder;
    struct export_runs runs;
    struct export_input in;
    const struct export_target *target;
};

static void release(struct work *w)
{
    export_runs_release(&w->runs);
    export_folder_release(&w->folder);
    npy_release(&w->features);
    trace_release(&w->trace);
    if (w->server) server_release(w->server);
    mem_free(w->server);
    plan_release(&w->plan);
    graph_sets_close(&w->sets);
    graph_close(&w->graph);
}

/* ---- what goes in ---- */

/* The server that was named; else the plan's, where it is known. */
static enum st load_server(const struct export_args *a, struct work *w, struct err *err)
{
    OWNED_SERVER struct server *s = NULL;
    struct err ignored = {0};
    MAKE(s, 1, "a server");
    if (a->server) PASS(server_load(a->server, s, err));
    else if (plan_server_load(&w->plan, NULL, s, &ignored) != ST_OK) return ST_OK;
    w->server = TAKE(s);
    return ST_OK;
}

static enum st load_features(const char *path, struct work *w, struct err *err)
{
    const struct graph *g = &w->graph;
    const uint64_t shape[2] = {g->n, g->feature_dim};
    const char *type = g->feature_bytes == 4   ? "f4"
                       : g->feature_bytes == 2 ? "f2"
                       : g->feature_bytes == 1 ? "i1"
                                               : "f8";
    PASS(features_map(path, g, 1, &w->features, err));
    PASS(npy_expect(&w->features, path, type, 2, shape, err));
    w->in.features = &w->features;
    w->in.features_path = path;
    return ST_OK;
}

static enum st refuse_features(const struct export_target *t, struct err *err)
{
    if (t->features_from)
        return err_set(err, ST_USAGE, "--features: a folder for %s has no feature rows; leave it out: %s", t->name,
                       t->features_from);
    return err_set(err, ST_USAGE,
                   "--features: a folder for %s has no feature rows; leave it out: %s reads those of "
                   "its own data set",
                   t->name, t->name);
}

static enum st open_all(struct call *call, struct work *w, struct err *err)
{
    const struct export_args *a = call->args;
    PASS(export_find("--to", a->to, &w->target, err));
    PASS(output_check(a->output, NULL, err));
    PASS(options_plan(call->words[0], a->graph, call->threads, &w->graph, &w->plan, err));
    if (graph_plain(&w->graph)) PASS(graph_sets_open(&w->graph, call->threads, &w->sets, err));
    if (w->target->cliques) PASS(export_reach_narrow(&w->plan, &w->in.reach, err));
    PASS(load_server(a, w, err));
    w->in = (struct export_input){.reach = w->in.reach,
                                  .graph = &w->graph,
                                  .sets = &w->sets,
                                  .plan = &w->plan,
                                  .server = w->server,
                                  .threads = call->threads,
                                  .hbm_gbps = a->hbm_gbps,
                                  .pcie_gbps = a->pcie_gbps};
    PASS(options_kernels(call, &w->in.kernels, err));
    if (a->features && !w->target->features) return refuse_features(w->target, err);
    if (a->features && !graph_plain(&w->graph))
        return err_set(err, ST_USAGE,
                       "--features: %s has several types, whose features scripts take from where they are; leave it "
                       "out",
                       w->graph.path);
    if (a->features) PASS(load_features(a->features, w, err));
    return export_check(w->target, call->words[0], &w->in, err);
}

/* Runtimes get rows of GPUs, and have all others in one host memory. */
static enum st check_places(const struct work *w, const char *path, struct err *err)
{
    const struct plan_places *places = w->plan.places;
    for (int k = 0; places && k < places->places; k++)
        if (place_role(&places->place[k]) != ROLE_HOME && !w->target->places)
            return err_set(err, ST_NO,
                           "%s: rows lie on %s, but %s reads GPUs and a host memory that has all rows; take --to npy, "
                           "which has the lists of every memory, or plan with DRAM for all rows on one node",
                           path, place_kind_table[places->place[k].kind].many, w->target->name);
    return ST_OK;
}

/* ---- judging ---- */

/* The recording that a runtime which ranks for itself would make: the plan's seed and epochs. */
static enum st record(struct call *call, struct work *w, struct err *err)
{
    enum { USUAL_EPOCHS = 4 };
    const struct plan *p = &w->plan;
    struct trace_options o = {.epochs = p->presample_epochs ? p->presample_epochs : USUAL_EPOCHS,
                              .line_bytes = p->line_bytes,
                              .threads = call->threads,
                              .progress = call_progress(call),
                              .server_name = p->server_name,
                              .server_fingerprint = p->server_fingerprint,
                              .kernels = w->in.kernels};
    options_say_sampler(call, w->in.kernels, &w->graph, &p->workload);
    stage_begin(&call->stages, "pre-sampling");
    enum st st = trace_record(&w->graph, &p->assignment, &p->workload, &o, &w->trace, err);
    stage_end(&call->stages);
    if (st == ST_OK) w->in.trace = &w->trace;
    return st;
}

static enum st judge(struct call *call, struct work *w, struct err *err)
{
    const struct export_args *a = call->args;
    enum st st;
    const struct plan *p = &w->plan;
    struct replay_request r = {.graph = &w->graph,
                               .assignment = &p->assignment,
                               .workload = &p->workload,
                               .line_bytes = p->line_bytes,
                               .seed = study_held_out_seed(p->workload.seed),
                               .epochs = a->epochs > 0 ? (uint64_t)a->epochs
                                                       : replay_default_epochs(&w->graph, &p->assignment, &p->workload),
                               .threads = call->threads,
                               .progress = call_progress(call),
                               .kernels = w->in.kernels};
    if (a->epochs && w->target->needs_trace) TRY(record(call, w, err));
    TRY(check_places(w, call->words[0], err));
    TRY(export_runs_make(w->target, &w->in, &w->runs, err));
    stage_begin(&call->stages, "simulation");
    if (a->epochs) st = export_runs_simulate(&w->runs, &r, err);
    stage_end(&call->stages);
done:
    return st;
}

/* ---- what comes out ---- */

static doc *result_document(const struct work *w)
{
    const struct export_folder *f = &w->folder;
    doc *d = doc_object();
    doc_put(d, "schema", doc_text(graph_plain(&w->graph) ? "export/1" : "export/2"));
    DOC_PUT(d, IS("target", w->target->name), IS("target_source", w->target->source), IS("policy", w->plan.policy),
            IS("server", w->plan.server_name));
    doc_put(d, "graph", graph_document(&w->graph));
    if (f->gpus) doc_put(d, "gpus", doc_copy(f->gpus));
    DOC_PUT(d, IS("files", doc_copy(f->files)), IS("use", doc_copy(f->use)), IS("settings", doc_copy(f->settings)),
            IS("add", doc_copy(f->add)), IS("by_hand", doc_copy(f->by_hand)));
    doc_put(d, "simulated", export_runs_document(&w->runs));
    return d;
}

/* What is left to do by hand: what to get, what the target says of its files, and what is lost. */
static enum st write_readme(struct work *w, struct err *err)
{
    struct export_folder *f = &w->folder;
    if (w->target->install) export_by_hand(f, EXPORT_INSTALL, w->target->install);
    if (w->target->build) export_by_hand(f, EXPORT_BUILD, w->target->build);
    for (int i = 1; i < w->runs.count; i++) {
        const struct export_run *run = &w->runs.run[i];
        char text[sizeof run->what + sizeof run->why + 2];
        snprintf(text, sizeof text, "%s: %s", run->what, run->why);
        if (!run->as_run) export_by_hand(f, EXPORT_LOST, text);
    }
    return export_readme(f, w->target->name, err);
}

/* ---- the whole ---- */

static enum st write_files(struct call *call, struct work *w, doc **out, struct err *err)
{
    const struct export_args *a = call->args;
    PASS(open_all(call, w, err));
    PASS(judge(call, w, err));
    PASS(export_folder_begin(&w->folder, a->output, err));
    PASS(w->target->write(&w->in, &w->folder, err));
    PASS(export_names(&w->in, &w->folder, err));
    PASS(write_readme(w, err));
    *out = result_document(w);
    return ST_OK;
}

static enum st run_export(struct call *call, struct err *err)
{
    struct work *w = NULL;
    OWNED_DOC doc *d = NULL;
    enum st st;
    NEW(w, 1, "an export");
    TRY(write_files(call, w, &d, err));
    TRY(export_folder_commit(&w->folder, d, err));
    if (call_prints(call)) export_print(&w->folder, &w->runs, call->words[0], w->target, call->out);
    TRY(call_finish(call, TAKE(d), err));
done:
    if (w) release(w);
    mem_free(w);
    return st;
}

static const struct param params[] = {
    OPTION_TEXT("to", 0, struct export_args, to, "TARGET", NULL, "Runtime to write for; 'hotset list exports'."),
    OPTION_FOLDER(struct export_args, output, "DIR", NULL),
    OPTION_GRAPH(struct export_args, graph, PLAN_GRAPH),
    OPTION_PATH("features", 0, struct export_args, features, "FILE.npy", NULL, PATH_READ,
                "Feature rows that dgl, gnnlab and legion find in the folder: of shape (vertices, dim) and the graph's "
                "element size. Other targets take them elsewhere, and say where."),
    OPTION_SIMULATE_EPOCHS(struct export_args, epochs),
    OPTION_SERVER(struct export_args, server, "S", NULL,
                  " [default: the one that the plan names, if it is the same machine; for ugache]"),
    OPTION_REAL("hbm-gbps", 0, struct export_args, hbm_gbps, "GB/s", "0", 0, 1000000,
                "For ugache: bandwidth of GPU memory; 0: the profile's."),
    OPTION_REAL("pcie-gbps", 0, struct export_args, pcie_gbps, "GB/s", "0", 0, 1000000,
                "For ugache: bandwidth from the host to a GPU; 0: the profile's."),
    {0},
};

static const char about[] = "Writes a plan as a folder for PyG, DGL GraphBolt, GraphLearn-for-PyTorch, WholeGraph,\n"
                            "Quiver, GIDS, Legion, GNNLab, PaGraph or UGache, or as plain look-up tables (npy), with "
                            "files of exactly the sizes that the runtime\n"
                            "checks. README.md in the folder begins with what is left to do by hand, shortest first;\n"
                            "export.json lists the files, too.\n\n"
                            "No runtime can honour every plan. hotset lists what a runtime cannot honour, with its\n"
                            "cost where that can be simulated. The last line of the table is the plan as the\n"
                            "runtime will execute it, by its own rule, on the same held-out epochs. A plan that the\n"
                            "runtime would execute wrongly, such as cliques of unequal size for Legion, is refused\n"
                            "(exit code 1). Of graphs with several types the files of a type end in its number; "
                            "Legion,\n"
                            "GNNLab, PaGraph and UGache have no types.";

static const char examples[] = "  hotset export P --to legion -o for-legion\n"
                               "  hotset export P --to gnnlab -o for-gnnlab --features features.npy\n"
                               "  hotset export P --to ugache --hbm-gbps 350 --pcie-gbps 8 -o for-ugache\n"
                               "  hotset export P --to dgl -o for-dgl --simulate-epochs 0   # files only\n"
                               "  hotset list exports";

extern const struct command cmd_export;
const struct command cmd_export = {
    .name = "export",
    .stage = COMMAND_DAILY,
    .rank = 10,
    .summary = "write a plan for a training runtime, and report what that runtime cannot honour",
    .arguments = "P --to TARGET -o DIR [options]",
    .params = params,
    .usual = "to output graph features simulate-epochs server",
    .needs = "to output",
    .each_node = true,
    .args_size = sizeof(struct export_args),
    .words_low = 1,
    .words_high = 1,
    .run = run_export,
    .about = about,
    .examples = examples,
};
