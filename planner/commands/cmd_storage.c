/* hotset storage - what the host's memory holds and SSDs are read for, when graph and features are larger than it. */
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/commands/storage_print.h"
#include "planner/storage/storage_document.h"
#include "planner/study/options.h"

struct storage_args {
    const char *graph, *server, *output, *memory, *ssd, *order, *caches;
    int64_t epochs, presample_epochs;
    struct epoch_args timing;
};

struct work {
    struct graph graph;
    struct plan plan;
    struct server server;
    bool server_known;
    struct trace trace;
    struct storage storage;
    struct storage_forecast forecast;
    struct storage_counts counts;
    struct replay replay;
    struct storage_result result;
    const struct cache *cache[CACHES_MAX];
    struct storage_cache cached[CACHES_MAX];
    doc *simulated; /* of the plan on the same epochs, for its epoch time */
};

static void release(struct work *w)
{
    doc_free(w->simulated);
    replay_release(&w->replay);
    storage_counts_release(&w->counts);
    storage_release(&w->storage);
    trace_release(&w->trace);
    if (w->server_known) server_release(&w->server);
    plan_release(&w->plan);
    graph_close(&w->graph);
}

/* The server that the plan names, where it can be found; its memory is the default of --host-memory. */
static enum st open_server(const struct storage_args *a, struct work *w, struct err *err)
{
    enum st st = ST_OK;
    struct err ignored = {0};
    if (a->server) {
        TRY(server_load(a->server, &w->server, err));
        w->server_known = true;
    } else {
        w->server_known = server_load(w->plan.server_name, &w->server, &ignored) == ST_OK;
    }
done:
    return st;
}

static enum st read_memory(const struct storage_args *a, struct work *w, struct err *err)
{
    enum st st = ST_OK;
    if (a->memory) return units_size(a->memory, "--host-memory", &w->result.host_bytes, err);
    if (!w->server_known || !w->server.host_memory_bytes)
        FAIL(ST_USAGE, "--host-memory: the memory of server %s is not known; give it, as in --host-memory 64GiB",
             w->plan.server_name);
    w->result.host_bytes = w->server.host_memory_bytes / 10 * 9;
done:
    return st;
}

static enum st open_all(struct call *call, const struct storage_args *a, struct work *w, struct err *err)
{
    enum st st;
    char path[PATH_BYTES];
    if (a->output) TRY(output_check(a->output, "storage.json", err));
    if (a->caches) TRY(cache_list(a->caches, w->cache, &w->result.caches, err));
    if (a->graph) snprintf(path, sizeof path, "%s", a->graph);
    else TRY(plan_graph_path(call->words[0], path, err));
    TRY(graph_open(path, call->threads, &w->graph, err));
    TRY(plan_load(call->words[0], &w->graph, &w->plan, err));
    if (*w->plan.cache)
        FAIL(ST_NO, "%s: its GPUs hold features in a dynamic cache (%s); the memories below are planned for lists",
             call->words[0], w->plan.cache);
    if (w->graph.cached != PRECISION_HOST)
        FAIL(ST_NO,
             "%s: its GPUs hold features as %s; 'hotset storage' plans all memories in the element type of the graph, "
             "so plan without --cache-type",
             call->words[0], precision_name(w->graph.cached));
    TRY(workload_attach(&w->plan.workload, &w->graph, err));
    TRY(open_server(a, w, err));
    TRY(read_memory(a, w, err));
    const char *own = w->server_known ? doc_text_value(doc_get(w->server.document, "ssd"), NULL) : NULL;
    if (a->ssd) TRY(drives_parse(a->ssd, "--ssd", &w->result.drives, err));
    else if (own) TRY(drives_parse(own, "the server's \"ssd\"", &w->result.drives, err));
    uint64_t drive_bytes = w->result.drives.bytes * (uint64_t)w->result.drives.count;
    uint64_t needed = w->graph.n * w->graph.row_bytes + (4 + w->graph.weight_bytes) * w->graph.m;
    char has[UNIT_TEXT], wants[UNIT_TEXT];
    if (drive_bytes && needed > drive_bytes)
        FAIL(ST_NO, "the SSDs hold %s, but topology and features take %s; take more drives (--ssd)",
             units_bytes(has, drive_bytes), units_bytes(wants, needed));
done:
    return st;
}

/* Recorded like the plan's own pre-sampling, with blocks in place of lines. */
static enum st choose(struct call *call, const struct storage_args *a, struct work *w, const struct kernels *k,
                      struct err *err)
{
    enum st st;
    const struct plan *p = &w->plan;
    uint64_t block = w->result.drives.count ? w->result.drives.block_bytes : DRIVE_BLOCK_DEFAULT;
    uint64_t planned = p->presample_epochs ? p->presample_epochs : 4;
    struct trace_options o = {.epochs = a->presample_epochs ? (uint64_t)a->presample_epochs : planned,
                              .line_bytes = block,
                              .threads = call->threads,
                              .progress = call_progress(call),
                              .folds = true,
                              .server_name = p->server_name,
                              .server_fingerprint = p->server_fingerprint,
                              .kernels = k};
    struct storage_request r = {.graph = &w->graph,
                                .plan = p,
                                .trace = &w->trace,
                                .kernels = k,
                                .threads = call->threads,
                                .host_bytes = w->result.host_bytes,
                                .block_bytes = block};
    stage_begin(&call->stages, "recording");
    TRY(trace_record(&w->graph, &p->assignment, &p->workload, &o, &w->trace, err));
    stage_begin(&call->stages, "choice of rows");
    TRY(storage_choose(&r, &w->storage, &w->forecast, err));
    stage_end(&call->stages);
done:
    return st;
}

static uint64_t judged_seed(const struct call *call, const struct work *w)
{
    return call_given(call, "seed") ? (uint64_t)call->common.seed : study_held_out_seed(w->plan.workload.seed);
}

/* The order with fewer blocks in an epoch that neither planning saw nor the simulation will. */
static enum st choose_order(struct call *call, const struct storage_args *a, struct work *w, struct err *err)
{
    enum st st = ST_OK;
    struct storage_counts c = {0};
    if (strcmp(a->order, "auto") != 0) {
        w->result.order = strcmp(a->order, "id") ? DISK_HEAT : DISK_ID;
        return ST_OK;
    }
    struct replay_request r = {.graph = &w->graph,
                               .assignment = &w->plan.assignment,
                               .workload = &w->plan.workload,
                               .line_bytes = w->plan.line_bytes,
                               .seed = study_held_out_seed(judged_seed(call, w)),
                               .threads = call->threads,
                               .epochs = 1};
    TRY(storage_replay(&r, &w->plan.placement, &w->storage, &c, err));
    struct storage_gpu x = storage_total(&c);
    w->result.order = x.feature_blocks[DISK_HEAT] < x.feature_blocks[DISK_ID] ? DISK_HEAT : DISK_ID;
done:
    storage_counts_release(&c);
    return st;
}

/* Held-out epochs: the storage, the epoch time of the plan, and other rules in DRAM. */
static enum st judge(struct call *call, const struct storage_args *a, struct work *w, const struct kernels *k,
                     struct err *err)
{
    enum st st;
    const struct plan *p = &w->plan;
    const struct placement *one = &p->placement;
    struct epoch_options timing;
    uint64_t seed = judged_seed(call, w);
    if (p->workload.seed == seed)
        FAIL(ST_USAGE, "--seed %llu: is the plan's own seed, so the epochs would not be held out; choose another",
             (unsigned long long)seed);
    struct replay_request r = {.graph = &w->graph,
                               .assignment = &p->assignment,
                               .workload = &p->workload,
                               .line_bytes = p->line_bytes,
                               .seed = seed,
                               .threads = call->threads,
                               .epochs = a->epochs ? (uint64_t)a->epochs
                                                   : replay_default_epochs(&w->graph, &p->assignment, &p->workload),
                               .progress = call_progress(call)};
    TRY(epoch_args_read(&a->timing, &timing, err));
    stage_begin(&call->stages, "simulation");
    TRY(storage_replay(&r, one, &w->storage, &w->counts, err));
    if (w->result.caches && w->storage.feature.count)
        TRY(storage_dynamic(&r, one, w->storage.block_bytes, w->storage.feature.count, w->cache, w->result.caches,
                            w->cached, err));
    else w->result.caches = 0;
    r.kernels = k;
    TRY(replay_run(&r, &one, 1, &w->replay, err));
    stage_end(&call->stages);
    w->simulated = doc_object();
    TRY(epoch_time_put(&timing, w->server_known ? &w->server : NULL, p, &w->replay, &w->graph, w->simulated, err));
    w->result.seed = seed;
done:
    return st;
}

static enum st run(struct call *call, struct err *err)
{
    const struct storage_args *a = call->args;
    enum st st;
    struct work *w = NULL;
    doc *d = NULL;
    const struct kernels *k;
    NEW(w, 1, "the memories of a host");
    TRY(open_all(call, a, w, err));
    TRY(options_kernels(call, &k, err));
    TRY(choose(call, a, w, k, err));
    TRY(choose_order(call, a, w, err));
    TRY(judge(call, a, w, k, err));
    w->result.graph = &w->graph;
    w->result.plan = &w->plan;
    w->result.plan_path = call->words[0];
    w->result.storage = &w->storage;
    w->result.forecast = &w->forecast;
    w->result.counts = &w->counts;
    w->result.epoch_time = doc_get(w->simulated, "epoch_time");
    w->result.cache = w->cache;
    w->result.cached = w->cached;
    d = storage_document(&w->result);
    if (w->forecast.all) call_say(call, "host memory holds the whole graph and all features: no SSD is needed");
    if (a->output) TRY(storage_save(&w->result, a->output, d, err));
    if (!call->common.json) storage_print(d, call->out);
    if (a->output) call_say(call, "lists and order written to %s", a->output);
    doc *result = d;
    d = NULL;
    TRY(call_finish(call, result, err));
done:
    doc_free(d);
    if (w) release(w);
    mem_free(w);
    return st;
}

static const struct param params[] = {OPTION_TEXT("host-memory", 0, struct storage_args, memory, "SIZE", NULL,
                                                  "Memory of the host for offsets, topology and features [default: 90 "
                                                  "% of the server's]."),
                                      OPTION_TEXT("ssd", 0, struct storage_args, ssd, "DRIVES", NULL,
                                                  "SSDs below the host, as 4xgen4; 'hotset list drives', or a file "
                                                  "like those in hwprofiles/drives [default: the server's, else "
                                                  "blocks of 4 KiB are counted, without times]."),
                                      OPTION_WORD("disk-order", 0, struct storage_args, order, "HOW", "auto",
                                                  "auto|id|heat",
                                                  "Order of the feature rows on the SSDs. id: as in the feature "
                                                  "array. heat: what DRAM does not hold in front, by expected reads, "
                                                  "so that rows that are read often share blocks. auto: whichever "
                                                  "reads fewer blocks in an epoch of its own."),
                                      OPTION_TEXT("cache", 0, struct storage_args, caches, "LIST", NULL,
                                                  "Also hold features in DRAM by these replacement rules, with as many "
                                                  "rows; 'hotset list caches', or all."),
                                      OPTION_OUTPUT(struct storage_args, output, "S", NULL,
                                                    "Directory to write: storage.json, the rows that DRAM holds, the "
                                                    "order on disk."),
                                      OPTION_TEXT("graph", 'g', struct storage_args, graph, "G", NULL,
                                                  "Graph directory [default: the path that the plan states]."),
                                      OPTION_TEXT("server", 's', struct storage_args, server, "S", NULL,
                                                  "Server whose memory and constants count [default: the one that the "
                                                  "plan names]."),
                                      OPTION_INTEGER("presample-epochs", 0, struct storage_args, presample_epochs, "K",
                                                     "0", 0, 10000, "Epochs to record; 0: as many as the plan did."),
                                      OPTION_INTEGER("epochs", 0, struct storage_args, epochs, "K", "0", 0, 10000,
                                                     "Held-out epochs to simulate; 0: enough for 200 mini-batches (1 "
                                                     "to 8)."),
                                      EPOCH_PARAMS(struct storage_args, timing),
                                      {0}};

static const char about[] =
    "When topology and features do not fit the memory of the host, part of them stays on SSDs. This\n"
    "command takes a plan, records what its GPUs still ask the host for, and fills the host's memory\n"
    "(DRAM) with the rows of both kinds that save most SSD reads per byte. Offsets (8 bytes per vertex)\n"
    "are always in DRAM. Then held-out epochs are simulated: which rows come from GPUs, DRAM and SSDs, and\n"
    "how many blocks the SSDs read. A mini-batch reads a block once per GPU, so the bytes read are more\n"
    "than the bytes needed where rows are small, and fewer where rows that are read together lie in one\n"
    "block.\n"
    "Seconds: blocks over the drives' reads per second and bandwidth, whichever takes longer; the epoch\n"
    "has one more pipelined stage. GraphBolt's six published epochs on an SSD are their misses over the\n"
    "drive's reads per second within 6 %.\n"
    "--cache compares replacement rules in DRAM, as GraphBolt's CPU cache has them, on the same requests.";

extern const struct command cmd_storage;
const struct command cmd_storage = {.name = "storage",
                                    .stage = COMMAND_PLAN,
                                    .rank = 8,
                                    .summary = "plan what host memory holds and SSDs are read for, when the graph is "
                                               "larger than the host",
                                    .arguments = "P --host-memory SIZE [--ssd 4xgen4] [-o S] [options]",
                                    .params = params,
                                    .args_size = sizeof(struct storage_args),
                                    .words_low = 1,
                                    .words_high = 1,
                                    .run = run,
                                    .about = about,
                                    .examples = "  hotset storage P --host-memory 64GiB --ssd 4xgen4 -o S\n"
                                                "  hotset storage P --host-memory 32GiB --ssd gen4 --cache "
                                                "lru,s3fifo,sieve,clock\n"
                                                "  hotset storage P --host-memory 32GiB --ssd 2xmy-drive.json --json"};
