/* hotset simulate - judges an existing plan on epochs of a seed. */
#include <string.h>

#include "base/folder.h"
#include "base/mem.h"
#include "planner/commands/batches_export.h"
#include "planner/commands/below_caches.h"
#include "planner/commands/dynamic_cache_plan.h"
#include "planner/commands/dynamic_cache_print.h"
#include "planner/commands/dynamic_cache_requests.h"
#include "planner/commands/movement_print.h"
#include "planner/commands/settings.h"
#include "planner/inference/inference_commands.h"
#include "planner/inference/inference_file.h"
#include "planner/decisions/epoch_interval.h"
#include "planner/results/memories_print.h"
#include "planner/results/nodes_plan.h"
#include "planner/options/options.h"
#include "planner/options/input_options.h"
#include "planner/results/plan_answer.h"
#include "planner/results/plan_print.h"
#include "planner/engine/redeal.h"
#include "planner/results/results_document.h"
#include "planner/results/results_tables.h"
#include "simulator/plan/plan_server.h"
#include "simulator/movement/epoch_args.h"
#include "simulator/caches/dynamic.h"
#include "simulator/movement/movement.h"
#include "traces/sampling/seeds.h"
#include "simulator/movement/simulated.h"
#include "simulator/storage/places_replay.h"
#include "simulator/timeline/timeline_args.h"
#include "simulator/plan/plan.h"

struct simulate_args {
    const char *graph, *server, *output, *batches;
    int64_t epochs;
    bool movement, explain;
    struct dynamic_cache_args caches;
    struct epoch_args timing;
    struct timeline_args timeline;
};

static doc *make_row(const struct plan *p, const struct graph *g)
{
    doc *d = doc_object();
    uint64_t least = 0;
    for (int i = 0; i < p->assignment.gpus; i++)
        if (p->budget[i] && (!least || p->budget[i] < least)) least = p->budget[i];
    doc_put(d, "policy", doc_text(p->policy));
    doc_put(d, "server", doc_text(p->server_name));
    doc_put(d, "graph", doc_text(g->name));
    doc_put(d, "budget_bytes", doc_integer((int64_t)least));
    uint64_t clique = 0;
    for (int i = 0; i < p->assignment.gpus; i++) clique += p->assignment.clique_of[i] == 0 ? p->budget[i] : 0;
    doc_put(d, "budget_share", doc_real((double)clique / (double)graph_total_bytes(g)));
    doc_put(d, "status", doc_text("ok"));
    doc_put(d, "reason", doc_null());
    doc_put(d, "predicted", plan_predicted_document(p, g));
    doc_put(d, "simulated", simulated_document(p, p->simulated, g, true));
    doc_put(d, "movement", movement_totals(&p->simulated->sums));
    doc_put(d, "cliques", plan_cliques_document(p, g));
    if (p->places) doc_put(d, "node", doc_integer(p->places->node));
    if (doc_get(p->notes, "sampler_gpus")) doc_put(d, "sampler_gpus", doc_copy(doc_get(p->notes, "sampler_gpus")));
    return d;
}

/* Those of the plan, unless its epochs are timed for another server. */
static void put_premises(const struct simulate_args *a, const struct plan *p, doc *results)
{
    const doc *stated = doc_get(p->notes, "premises");
    if (stated && !a->server) doc_put(results, "premises", doc_copy(stated));
}

/* The server that times are for: the one named, else the plan's where it is known. *out stays NULL when there is none.
 * Owned by the caller. */
static enum st find_server(const struct simulate_args *a, const struct plan *p, struct server **out, struct err *err)
{
    OWNED_SERVER struct server *s = NULL;
    struct err ignored = {0};
    MAKE(s, 1, "the description of a server");
    if (a->server) PASS(server_load(a->server, s, err));
    else if (plan_server_load(p, NULL, s, &ignored) != ST_OK) return ST_OK;
    bool same = s->gpus == p->assignment.gpus;
    for (int g = 0; same && g < s->gpus; g++) same = s->gpu[g].id == p->assignment.id[g];
    if (!same)
        return err_set(err, ST_INPUT,
                       "server %s: has other GPUs than the plan; name the plan's server, %s, by --server", s->name,
                       p->server_name);
    *out = TAKE(s);
    return ST_OK;
}

/* A dynamic plan: its own rule, one cache per GPU. */
static enum st replay_dynamic(struct call *call, const struct replay_request *r, const struct epoch_options *t,
                              const struct server *s, struct plan *p, doc **dynamic, struct err *err)
{
    enum st st;
    OWNED_BY(replay_release) struct replay out = {0};
    struct dynamic_counts counts = {0};
    const struct cache *cache;
    struct dynamic_request d = {.replay = r,
                                .placement = &p->placement,
                                .admission = ADMISSION_BATCH,
                                .rows = (const uint64_t(*)[GPUS_MAX])p->cache_rows,
                                .cache = &cache,
                                .count = 1};
    TRY(cache_find(p->cache, &cache, err));
    stage_begin(&call->stages, "dynamic cache");
    st = dynamic_run(&d, &out, &counts, err);
    stage_end(&call->stages);
    if (st != ST_OK) goto done;
    TRY(simulated_make(t, s, p, &out, NULL, r->graph, &p->simulated, err));
    *dynamic = dynamic_document(&d, 0, &counts, call->common.stamp);
done:
    return st;
}

static enum st replay(struct call *call, const struct replay_request *r, const struct epoch_options *t,
                      const struct server *s, struct plan *p, doc **dynamic, struct err *err)
{
    if (*p->cache) return replay_dynamic(call, r, t, s, p, dynamic, err);
    enum st st = ST_OK;
    struct replay out[2] = {{0}}; /* of the plan, with nothing cached */
    OWNED struct placement *empty = NULL;
    NEW(empty, 1, "an empty placement");
    empty->gpus = p->placement.gpus;
    const struct placement *const both[] = {&p->placement, empty};
    stage_begin(&call->stages, "simulation");
    st = replay_run(r, both, 2, out, err);
    stage_end(&call->stages);
    if (st == ST_OK) st = simulated_make(t, s, p, &out[0], &out[1], r->graph, &p->simulated, err);
    if (st == ST_OK && p->places) st = places_simulate(r, p, NULL, p->simulated->time, &p->simulated->memories, err);
done:
    for (int i = 0; i < 2; i++) replay_release(&out[i]);
    return st;
}

/* The tables for people. */
static void tables_print(const struct simulate_args *a, const struct plan *p, const struct graph *g, const doc *rows,
                         const struct epoch_interval *interval, FILE *to)
{
    uint64_t held = 0;
    for (int i = 0; i < p->assignment.gpus; i++) held += p->placement.feature[i].count;
    const bool on_gpus = a->caches.cache && !p->places;
    if (on_gpus) dynamic_cache_print(rows, held, to);
    else plan_print(p, g, a->explain, to);
    const doc *below = doc_path(doc_at(rows, 0), "simulated.memories");
    if (!on_gpus) memories_print(p, below, to);
    below_caches_print(doc_get(below, "caches"), to);
    for (uint64_t i = 0; a->movement && i < doc_size(rows); i++) {
        fputc('\n', to);
        if (on_gpus) fprintf(to, "%s\n", doc_text_value(doc_get(doc_at(rows, i), "policy"), "?"));
        movement_print(doc_get(doc_get(doc_at(rows, i), "simulated"), "movement"), to);
    }
    if (!on_gpus) plan_answer_print(p, interval, a->explain, to);
}

/* --timeline: beside the row of the plan. */
static enum st write_timeline(struct call *call, const struct replay_request *r, const struct epoch_options *t,
                              const struct server *server, const struct plan *p, doc *row, doc **about, struct err *err)
{
    const struct simulate_args *a = call->args;
    OWNED_BY(timeline_model_release) struct timeline_model m = {0};
    if (!server)
        return err_set(err, ST_INPUT, "--timeline: the plan's server, %s, is not known; name it with --server",
                       p->server_name);
    PASS(timeline_model_make(r, p, server, t, doc_get(row, "simulated"), (uint64_t)a->timeline.batches, &m, err));
    PASS(timeline_simulated(&m, a->timeline.path, about, err));
    doc_put(row, "timeline", doc_copy(*about));
    return ST_OK;
}

/* The plan as it is, or its mini-batches with dynamic caches: a results document, and the table. */
static enum st judge(struct call *call, const struct replay_request *r, struct plan *p, struct err *err)
{
    const struct simulate_args *a = call->args;
    struct epoch_options timing;
    struct epoch_interval interval;
    OWNED_SERVER struct server *server = NULL;
    doc *rows = NULL, *dynamic = NULL;
    OWNED_DOC doc *d = NULL, *row = NULL, *drawn = NULL;
    PASS(timeline_args_check(&a->timeline, call_given(call, "timeline-batches"), a->output, p, err));
    const struct epoch_args timed = settings_timing(call, &a->timing, p);
    PASS(epoch_args_read(&timed, &timing, err));
    PASS(find_server(a, p, &server, err));
    epoch_args_share(&timing, r->graph, p);
    if (a->caches.cache && p->places) PASS(below_caches_check(call, &a->caches, r->graph, p, err));
    PASS(replay(call, r, &timing, server, p, &dynamic, err));
    d = results_document(r->graph, &p->workload, 0, &rows);
    put_premises(a, p, d);
    row = make_row(p, r->graph);
    PASS(epoch_interval_state(doc_get(row, "simulated"), p->simulated->time, server, &interval, err));
    if (a->caches.cache && p->places) {
        doc *caches = doc_array();
        doc_put(doc_get(doc_get(row, "simulated"), "memories"), "caches", caches);
        PASS(below_caches(call, &a->caches, r, p, caches, err));
    }
    doc *own = doc_copy(row);
    if (dynamic) doc_put(own, "dynamic", dynamic);
    if (a->timeline.path) PASS(write_timeline(call, r, &timing, server, p, own, &drawn, err));
    doc_append(rows, own);
    if (a->caches.cache && !p->places)
        PASS(dynamic_cache_plan(call, &a->caches, r, &timing, server, p, row, rows, err));
    if (a->output) PASS(doc_save(d, a->output, err));
    if (call_prints(call)) tables_print(a, p, r->graph, rows, &interval, call->out);
    if (drawn && call_prints(call)) timeline_print(&a->timeline, drawn, call->out);
    return call_finish(call, TAKE(d), err);
}

/* The held-out epochs of the options. */
static enum st request_of(struct call *call, const struct graph *g, const struct plan *p, struct replay_request *out,
                          struct err *err)
{
    const struct simulate_args *a = call->args;
    uint64_t seed = call_given(call, "seed") ? (uint64_t)call->common.seed : study_held_out_seed(p->workload.seed);
    if (p->workload.seed == seed)
        return err_set(err, ST_USAGE,
                       "--seed %llu: is the plan's own seed, so the epochs would not be held out; choose another",
                       (unsigned long long)seed);
    *out = (struct replay_request){.graph = g,
                                   .assignment = &p->assignment,
                                   .workload = &p->workload,
                                   .line_bytes = p->line_bytes,
                                   .seed = seed,
                                   .threads = call->threads,
                                   .epochs = a->epochs ? (uint64_t)a->epochs
                                                       : replay_default_epochs(g, &p->assignment, &p->workload),
                                   .progress = call_progress(call)};
    return options_kernels(call, &out->kernels, err);
}

/* Another training set on the plan's vertices, dealt to the plan's GPUs. */
static enum st deal_anew(struct call *call, const char *path, struct graph *g, struct plan *p, struct err *err)
{
    struct assignment dealt = {0};
    OWNED_SERVER struct server *s = NULL;
    PASS(find_server(call->args, p, &s, err));
    if (!s)
        return err_set(err, ST_INPUT,
                       "%s: who trains what is dealt anew for its server, %s, which is not known; name it with "
                       "--server",
                       path, p->server_name);
    PASS(redeal(call, path, p, g, s, &dealt, err));
    assignment_release(&p->assignment);
    p->assignment = dealt;
    return ST_OK;
}

/* One part of a plan of several nodes: its row in *result, which the first one makes, and in `parts` what the table
 * needs. */
static enum st judge_part(struct call *call, const char *path, struct graph *g, doc **result, doc **rows, doc *parts,
                          struct err *err)
{
    const struct simulate_args *a = call->args;
    enum st st;
    ON_HEAP(struct plan, p);
    struct plan_change change;
    struct epoch_options timing;
    struct server *server = NULL;
    doc *part = doc_object(), *dynamic = NULL;
    uint64_t trained = 0;
    struct epoch_interval interval;
    doc_append(parts, part);
    TRY(plan_load_changed(path, g, call->threads, &change, p, err));
    TRY(workload_attach(&p->workload, g, err));
    if (!*rows) redeal_say(call, call->words[0], g, &change);
    if (change.train) {
        bool quiet = call->common.quiet;
        TRY(graph_join(g, err));
        call->common.quiet |= *rows != NULL; /* said once: how nodes were dealt to, and by which rule GPUs are */
        st = deal_anew(call, path, g, p, err);
        call->common.quiet = quiet;
        if (st != ST_OK) goto done;
    }
    struct replay_request r;
    TRY(request_of(call, g, p, &r, err));
    const struct epoch_args timed = settings_timing(call, &a->timing, p);
    TRY(epoch_args_read(&timed, &timing, err));
    TRY(find_server(a, p, &server, err));
    epoch_args_share(&timing, g, p);
    TRY(replay(call, &r, &timing, server, p, &dynamic, err));
    for (int i = 0; i < p->assignment.gpus; i++) trained += p->assignment.train_count[i];
    if (!*result) *result = results_document(g, &p->workload, 0, rows);
    doc *row = make_row(p, g);
    doc_append(*rows, row);
    TRY(epoch_interval_state(doc_get(row, "simulated"), p->simulated->time, server, &interval, err));
    doc_put(part, "path", doc_text(path_base(path)));
    doc_put(part, "train_vertices", doc_integer((int64_t)trained));
    doc_put(part, "simulated", doc_copy(doc_get(row, "simulated")));
done:
    doc_free(dynamic);
    if (server) server_release(server);
    mem_free(server);
    plan_release(p);
    return st;
}

/* The plan of several nodes: every part on its own mini-batches, a row each. */
static enum st judge_nodes(struct call *call, const char *file, struct err *err)
{
    const struct simulate_args *a = call->args;
    enum st st;
    ON_HEAP(struct graph, g);
    char path[PATH_BYTES];
    doc *nodes = NULL, *result = NULL, *rows = NULL, *parts = doc_array(), *table = doc_object();
    doc_put(table, "parts", parts);
    if (a->caches.cache || a->caches.save || a->batches || a->movement || a->timeline.path)
        FAIL(ST_USAGE,
             "%s: is a plan of several nodes, which is replayed as it is; name one of them for --cache, --movement, "
             "--timeline, --export-requests and --export-batches, as %s/node0",
             call->words[0], call->words[0]);
    TRY(nodes_plan_load(file, &nodes, err));
    const doc *list = doc_get(nodes, "parts");
    for (uint64_t i = 0; i < doc_size(list); i++) {
        TRY(path_join(path, call->words[0], doc_text_value(doc_get(doc_at(list, i), "path"), "?"), err));
        char graph[PATH_BYTES];
        if (!i && a->graph) snprintf(graph, sizeof graph, "%s", a->graph);
        else if (!i) TRY(plan_graph_path(path, graph, err));
        if (!i) TRY(graph_open_any(graph, call->threads, g, err));
        TRY(judge_part(call, path, g, &result, &rows, parts, err));
    }
    if (a->output) TRY(doc_save(result, a->output, err));
    if (call_prints(call)) nodes_plan_print(table, a->explain, call->out);
    TRY(call_finish(call, TAKE(result), err));
done:
    doc_free(nodes);
    doc_free(result);
    doc_free(table);
    graph_close(g);
    return st;
}

/* Requests know no plan's server or documents: what would do nothing is refused. */
static enum st check_options(const struct call *call, const struct simulate_args *a, struct err *err)
{
    static const char *const unused[] =
        {"output",   "movement", "server", "calibration", "cpu-share",
         "timeline", "graph",    "epochs", NULL}; /* the last two matter where a plan is replayed */
    const char *with = a->caches.load   ? "--requests"
                       : a->caches.save ? "--export-requests"
                       : a->batches     ? "--export-batches"
                                        : NULL;
    if (!with) return ST_OK;
    for (int i = 0; unused[i] && (a->caches.load || strcmp(unused[i], "graph")); i++)
        if (call_given(call, unused[i]))
            return err_set(err, ST_USAGE, "--%s: %s ignores it; leave it out", unused[i], with);
    if (a->batches && (a->caches.load || a->caches.save || a->caches.cache))
        return err_set(err, ST_USAGE, "--export-batches writes mini-batches and replays no %s; give one of them",
                       a->caches.load   ? "--requests"
                       : a->caches.save ? "--export-requests"
                                        : "--cache");
    return ST_OK;
}

/* What works on plans of several types. */
static enum st check_types(const struct call *call, const struct simulate_args *a, struct err *err)
{
    static const char *const batches[] = {"graph", "epochs", "export-batches", "gpu", NULL},
                             *const plan[] = {"graph",    "epochs",      "server",   "model",
                                              "hidden",   "classes",     "schedule", "unoverlapped",
                                              "prefetch", "calibration", "timeline", "timeline-batches",
                                              NULL};
    return options_only(call, a->batches ? batches : plan, err);
}

/* The plan and its graph, or another one on the same vertices, whose training vertices are dealt anew. */
static enum st open_plan(struct call *call, struct graph *g, struct plan *p, struct err *err)
{
    const struct simulate_args *a = call->args;
    struct plan_change change;
    PASS(options_plan_changed(call->words[0], a->graph, call->threads, g, &change, p, err));
    redeal_say(call, call->words[0], g, &change);
    return change.train ? deal_anew(call, call->words[0], g, p, err) : ST_OK;
}

static enum st simulate_run(struct call *call, struct err *err)
{
    const struct simulate_args *a = call->args;
    ON_HEAP(struct graph, g);
    ON_HEAP(struct plan, p);
    char path[PATH_BYTES];
    enum st st;
    bool types = false, several, inference = false;
    if (call->word_count == 1) TRY(inference_is_plan(call->words[0], &inference, err));
    if (inference) return inference_simulate_run(call, call->words[0], a->graph, a->server, a->output, err);
    if (call->word_count == 1) TRY(plan_has_types(call->words[0], &types, err));
    if (types) TRY(check_types(call, a, err));
    TRY(dynamic_cache_check(&a->caches, call->word_count > 0, a->batches != NULL, err));
    TRY(check_options(call, a, err));
    if (a->output) TRY(output_check(a->output, "results/1", err));
    if (a->batches) TRY(output_check(a->batches, NULL, err));
    if (a->caches.load) return dynamic_cache_run_requests(call, &a->caches, err);
    TRY(folder_document(path, call->words[0], "plan.json", err));
    TRY(doc_has_schema(path, NODES_PLAN_SCHEMA, &several, err));
    if (several) return judge_nodes(call, path, err);
    TRY(open_plan(call, g, p, err));
    struct replay_request r;
    TRY(request_of(call, g, p, &r, err));
    if (!a->caches.save && !a->batches) options_say_sampler(call, r.kernels, g, &p->workload);
    if (a->batches) TRY(batches_export(call, a->batches, a->caches.gpu, &r, err));
    else if (a->caches.save) TRY(dynamic_cache_save_requests(call, &a->caches, &r, err));
    else TRY(judge(call, &r, p, err));
done:
    plan_release(p);
    graph_close(g);
    return st;
}

static const struct param params[] = {
    OPTION_GRAPH(struct simulate_args, graph, PLAN_GRAPH),
    OPTION_HELD_OUT_EPOCHS(struct simulate_args, epochs, NULL, 0, MANY_EPOCHS),
    OPTION_DOCUMENT(struct simulate_args, output, "R.json"),
    OPTION_EXPLAIN(struct simulate_args, explain),
    OPTION_FLAG("movement", struct simulate_args, movement,
                "Also print the bytes that move: PCIe packets per GPU, switch and socket; NVLink bytes per link; "
                "sampling by four methods."),
    OPTION_SERVER(struct simulate_args, server, "S", NULL, PLAN_SERVER),
    EPOCH_PARAMS(struct simulate_args, timing),
    TIMELINE_PARAMS(struct simulate_args, timeline),
    DYNAMIC_CACHE_PARAMS(struct simulate_args, caches),
    OPTION_WRITES("export-batches", 0, struct simulate_args, batches, "DIR", NULL,
                  "Write the mini-batches, hop by hop, as NumPy files (of all GPUs, or of --gpu), instead of "
                  "simulating."),
    {0},
};

static const char about[] =
    "Checks the plan (checksums, ids, budgets), draws epochs 0..K-1 of --seed and counts who serves every\n"
    "read: own memory, a peer over NVLink, or the host over PCIe. The seed must differ from the plan's,\n"
    "so that the epochs are held out; without --seed it is derived from the plan's, as 'hotset plan'\n"
    "does. With --graph of another training set on the same vertices, it is dealt anew as by the plan.\n"
    "The epoch time is HyScale-GNN's model (sampling, loading, transfer, propagation) on these counts and\n"
    "the server's constants; --calibration takes measured epochs, fits time = a + b x model and prints\n"
    "the residual. Options of the time model that are left out are those that the plan was made with.\n\n"
    "--movement prints what moves per epoch: host reads as useful bytes, as whole lines and as bytes on\n"
    "the wire with packet headers; bytes over every NVLink, counted on each link that a row passes; and\n"
    "what sampling would move by reading the host (uva), pulling whole rows from other GPUs (pull) or\n"
    "pushing requests to them (push), compared with the least possible (ideal). Result documents always\n"
    "have these numbers (simulated.movement).\n\n"
    "--cache replaces the plan's feature lists by dynamic caches that start empty and follow a\n"
    "replacement rule, on the same mini-batches; topology stays as planned. The first row of the results\n"
    "is the plan as it is (a dynamic plan, of policy bgl, with its own cache). belady knows all future\n"
    "reads: it is an upper limit for comparison, not a cache that can be built. Of a plan with SSDs they\n"
    "are rules in DRAM, below the plan's lists of GPUs: one cache for all GPUs, with as many rows.\n"
    "--export-requests and --requests exchange the request stream of one cache with libCacheSim\n"
    "(oracleGeneral, 24 bytes per request). Its release 0.3.5 counts the same misses with --admission\n"
    "request and --ignore-obj-size 1; releases of 2024 count s3fifo otherwise.\n"
    "--export-batches writes the same mini-batches whole: per GPU and mini-batch the seeds and the\n"
    "distinct vertices in the order of discovery; per hop the vertices expanded, and for every neighbour\n"
    "drawn its row, its column and its position in indices.npy. hotset.h and Python's hotset read them. A\n"
    "runtime that gathers them must count the same rows and visits per place as this command.\n"
    "--timeline writes the first mini-batches as events, in Chrome's trace format: the time model evaluated\n"
    "for what each mini-batch reads. A slot of time holds the stages of consecutive mini-batches beside each\n"
    "other, as long as the longest of them and --unoverlapped of the others; 'waiting' says for what.";

static const char examples[] = "  hotset simulate P --seed 99 --epochs 4 -o R.json\n"
                               "  hotset report R.json -o page\n"
                               "  hotset simulate P --movement            # bytes over PCIe and over every NVLink\n"
                               "  hotset simulate P --server my.json --model gcn --calibration measured.json   # "
                               "seconds, corrected by measurements\n"
                               "  hotset simulate P --timeline T.json     # mini-batches over time, in Perfetto\n"
                               "  hotset simulate P --cache lru,fifo --cache-budget 5%   # features under a "
                               "replacement rule on each GPU\n"
                               "  hotset simulate P --export-requests gpu0.oracleGeneral.bin --gpu 0\n"
                               "  hotset simulate P --seed 99 --epochs 1 --export-batches B   # mini-batches for a "
                               "runtime\n"
                               "  hotset simulate --requests gpu0.oracleGeneral.bin --cache all --cache-rows 1000";

extern const struct command cmd_simulate;
const struct command cmd_simulate = {
    .name = "simulate",
    .stage = COMMAND_DAILY,
    .rank = 8,
    .summary = "replay a plan on held-out epochs; count the reads that own GPU, peers and host serve",
    .arguments = "P [--seed N] [options] | --requests FILE --cache LIST --cache-rows N",
    .params = params,
    .usual = "graph epochs output cache rows movement timeline server export-batches",
    .args_size = sizeof(struct simulate_args),
    .about = about,
    .examples = examples,
    .words_low = 0,
    .words_high = 1,
    .run = simulate_run,
};
