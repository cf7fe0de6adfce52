#include "planner/commands/storage_work.h"

#include <string.h>

#include "base/mem.h"
#include "planner/commands/settings.h"
#include "planner/places/memory_args.h"
#include "simulator/plan/plan_server.h"

static void drop_places(struct storage_work *w)
{
    if (w->places) plan_places_release(w->places);
    mem_free(w->places);
    w->places = NULL;
}

void storage_work_release(struct storage_work *w)
{
    doc_free(w->simulated);
    replay_release(&w->replay);
    storage_counts_release(&w->counts);
    drop_places(w);
    storage_release(&w->storage);
    trace_release(&w->trace);
    if (w->server_known) server_release(&w->server);
    plan_release(&w->plan);
    graph_close(&w->graph);
}

/* The plan's server, where it is known; its memory is the default of --host-memory. */
static enum st open_server(const struct storage_args *a, struct storage_work *w, struct err *err)
{
    struct err ignored = {0};
    if (a->server) {
        PASS(server_load(a->server, &w->server, err));
        w->server_known = true;
    } else {
        w->server_known = plan_server_load(&w->plan, NULL, &w->server, &ignored) == ST_OK;
    }
    return ST_OK;
}

enum st storage_work_memory(const char *text, struct storage_work *w, struct err *err)
{
    if (!text && w->plan.places) { /* the plan's own */
        w->result.host_bytes = w->plan.places->host_bytes;
        return ST_OK;
    }
    return memory_args_host(text, memory_args_needed(&w->graph), w->server_known ? &w->server : NULL,
                            w->plan.server_name, 100, &w->result.host_bytes, err);
}

enum st storage_work_drives(const char *text, struct storage_work *w, struct err *err)
{
    if (!text && w->plan.places && w->plan.places->drives.count) {
        w->result.drives = w->plan.places->drives;
        return ST_OK;
    }
    return memory_args_drives(text, &w->graph, w->server_known ? &w->server : NULL, &w->result.drives, err);
}

enum st storage_work_open(struct call *call, struct storage_work *w, struct err *err)
{
    const struct storage_args *a = call->args;
    char path[PATH_BYTES];
    if (a->output) PASS(output_check(a->output, NULL, err));
    if (a->caches) PASS(cache_list(a->caches, w->cache, &w->result.caches, err));
    if (a->graph) snprintf(path, sizeof path, "%s", a->graph);
    else PASS(plan_graph_path(call->words[0], path, err));
    PASS(graph_open_any(path, call->threads, &w->graph, err));
    if (a->caches && !graph_plain(&w->graph))
        return err_set(err, ST_USAGE,
                       "--cache: rules replace rows of one size, but %s has several types; leave --cache out", path);
    PASS(plan_load(call->words[0], &w->graph, &w->plan, err));
    if (w->plan.places && w->plan.places->nodes > 1)
        return err_set(err, ST_NO,
                       "%s: is the plan of one node of %d, which reads rows of the others, too; 'hotset simulate' "
                       "counts what each memory serves",
                       call->words[0], w->plan.places->nodes);
    if (*w->plan.cache)
        return err_set(err, ST_NO,
                       "%s: its GPUs hold features in a dynamic cache (%s); the memories below are planned for lists",
                       call->words[0], w->plan.cache);
    PASS(workload_attach(&w->plan.workload, &w->graph, err));
    return open_server(a, w, err);
}

static uint64_t block_bytes(const struct storage_work *w)
{
    return w->result.drives.count ? w->result.drives.block_bytes : DRIVE_BLOCK_DEFAULT;
}

static uint64_t judged_seed(const struct call *call, const struct storage_work *w)
{
    return call_given(call, "seed") ? (uint64_t)call->common.seed : study_held_out_seed(w->plan.workload.seed);
}

/* The plan's own pre-sampling, with blocks in place of lines. */
enum st storage_work_record(struct call *call, const struct kernels *k, struct storage_work *w, struct err *err)
{
    const struct storage_args *a = call->args;
    const struct plan *p = &w->plan;
    uint64_t planned = p->presample_epochs ? p->presample_epochs : 4, seed = judged_seed(call, w);
    struct trace_options o = {.epochs = a->presample_epochs ? (uint64_t)a->presample_epochs : planned,
                              .line_bytes = block_bytes(w),
                              .threads = call->threads,
                              .progress = call_progress(call),
                              .folds = true,
                              .server_name = p->server_name,
                              .server_fingerprint = p->server_fingerprint,
                              .kernels = k};
    if (p->workload.seed == seed)
        return err_set(err, ST_USAGE,
                       "--seed %llu: is the plan's own seed, so the epochs would not be held out; choose another",
                       (unsigned long long)seed);
    stage_begin(&call->stages, "recording");
    enum st st = trace_record(&w->graph, &p->assignment, &p->workload, &o, &w->trace, err);
    stage_end(&call->stages);
    return st;
}

/* Held-out epochs: --seed and --epochs, or their defaults. */
static struct replay_request held_out(struct call *call, const struct storage_work *w)
{
    const struct storage_args *a = call->args;
    const struct plan *p = &w->plan;
    return (struct replay_request){.graph = &w->graph,
                                   .assignment = &p->assignment,
                                   .workload = &p->workload,
                                   .line_bytes = p->line_bytes,
                                   .seed = judged_seed(call, w),
                                   .threads = call->threads,
                                   .epochs = a->epochs ? (uint64_t)a->epochs
                                                       : replay_default_epochs(&w->graph, &p->assignment, &p->workload),
                                   .progress = call_progress(call)};
}

static enum st choose(struct call *call, const struct kernels *k, struct storage_work *w, struct err *err)
{
    struct storage_request r = {.graph = &w->graph,
                                .plan = &w->plan,
                                .trace = &w->trace,
                                .kernels = k,
                                .threads = call->threads,
                                .host_bytes = w->result.host_bytes,
                                .block_bytes = block_bytes(w)};
    enum st st = ST_OK;
    drop_places(w);
    storage_release(&w->storage);
    memset(&w->storage, 0, sizeof w->storage);
    NEW(w->places, 1, "the memories of a host");
    stage_begin(&call->stages, "choice of rows");
    st = storage_choose(&r, &w->storage, w->places, &w->forecast, err);
    stage_end(&call->stages);
done:
    return st;
}

/* The order with fewer blocks in an epoch that neither planning saw nor the simulation will. */
static enum st choose_order(struct call *call, struct storage_work *w, struct err *err)
{
    const struct storage_args *a = call->args;
    OWNED_BY(storage_counts_release) struct storage_counts c = {0};
    struct replay_request r = held_out(call, w);
    if (strcmp(a->order, "auto") != 0) {
        w->result.order = strcmp(a->order, "id") ? DISK_HEAT : DISK_ID;
        return ST_OK;
    }
    r.seed = study_held_out_seed(r.seed);
    r.epochs = 1;
    r.progress = false;
    PASS(storage_replay(&r, &w->plan.placement, &w->storage, &c, err));
    struct storage_gpu x = storage_total(&c);
    w->result.order = x.feature_blocks[DISK_HEAT] < x.feature_blocks[DISK_ID] ? DISK_HEAT : DISK_ID;
    return ST_OK;
}

/* The epoch time of the plan, which does not depend on the memories below. */
static enum st time_plan(struct call *call, const struct kernels *k, struct storage_work *w, struct err *err)
{
    const struct storage_args *a = call->args;
    const struct placement *one = &w->plan.placement;
    struct replay_request r = held_out(call, w);
    struct epoch_options timing;
    if (w->simulated) return ST_OK;
    r.kernels = k;
    const struct epoch_args timed = settings_timing(call, &a->timing, &w->plan);
    PASS(epoch_args_read(&timed, &timing, err));
    PASS(replay_run(&r, &one, 1, &w->replay, err));
    w->simulated = doc_object();
    return epoch_time_put(&timing, w->server_known ? &w->server : NULL, &w->plan, &w->replay, &w->graph, w->simulated,
                          err);
}

static void fill_result(const struct call *call, struct storage_work *w)
{
    struct storage_result *r = &w->result;
    r->graph = &w->graph;
    r->plan = &w->plan;
    r->plan_path = call->words[0];
    r->storage = &w->storage;
    r->forecast = &w->forecast;
    r->counts = &w->counts;
    r->epoch_time = doc_get(w->simulated, "epoch_time");
    r->cache = w->cache;
    r->cached = w->cached;
    r->seed = judged_seed(call, w);
}

enum st storage_work_judge(struct call *call, const struct kernels *k, struct storage_work *w, struct err *err)
{
    const struct placement *one = &w->plan.placement;
    struct replay_request r = held_out(call, w);
    storage_counts_release(&w->counts);
    memset(&w->counts, 0, sizeof w->counts);
    PASS(choose(call, k, w, err));
    PASS(choose_order(call, w, err));
    stage_begin(&call->stages, "simulation");
    PASS(storage_replay(&r, one, &w->storage, &w->counts, err));
    if (w->result.caches && w->places->list[LIST_FEATURE][0].count)
        PASS(storage_dynamic(&r, one, w->storage.block_bytes, w->places->list[LIST_FEATURE][0].count, w->cache,
                             w->result.caches, w->cached, err));
    else w->result.caches = 0;
    PASS(time_plan(call, k, w, err));
    stage_end(&call->stages);
    fill_result(call, w);
    return ST_OK;
}
