#include "planner/options/options.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/engine/study_memory.h"
#include "simulator/plan/plan.h"
#include "traces/sampling/sampler.h"

enum st options_kernels(struct call *call, const struct kernels **out, struct err *err)
{
    enum st st = kernels_pick(call->common.device, out, err);
    if (st == ST_OK) call->common.device = (*out)->name;
    return st;
}

void options_say_ignored(const struct call *call, size_t offset, size_t bytes, const char *why)
{
    for (const struct param *p = call->params; p && p->name; p++)
        if (!param_is_alias(p) && p->offset >= offset && p->offset < offset + bytes && call_given(call, p->name))
            call_say(call, "--%s is ignored: %s", p->name, why);
}

void options_say_workload(const struct call *call, const struct workload_args *a)
{
    const char *window = a->how.time_window;
    if (window && isalpha((unsigned char)window[strlen(window) - 1]))
        call_say(call, "--time-window %s: the graph's times are taken to be seconds, which no source of it states",
                 window);
    if (!strcmp(a->how.sampler, sampler_name(SAMPLER_WALK)) && call_given(call, "fanout"))
        call_say(call, "--fanout is ignored: --sampler walk takes --walks and --walk-length");
}

enum st options_graph(const char *path, int threads, struct graph *out, struct err *err)
{
    OWNED_BY(graph_close) struct graph g = {0};
    PASS(graph_open_any(path, threads, &g, err));
    if (!graph_plain(&g) && !g.train_count)
        return err_set(err, ST_INPUT, "%s: no type has training vertices, so there is nothing to sample from", path);
    PASS(graph_join(&g, err));
    *out = g;
    memset(&g, 0, sizeof g);
    return ST_OK;
}

enum st options_plan_changed(const char *path, const char *graph, int threads, struct graph *g,
                             struct plan_change *change, struct plan *plan, struct err *err)
{
    char stated[PATH_BYTES];
    if (!graph) PASS(plan_graph_path(path, stated, err));
    PASS(graph_open_any(graph ? graph : stated, threads, g, err));
    PASS(change ? plan_load_changed(path, g, threads, change, plan, err) : plan_load(path, g, plan, err));
    PASS(workload_attach(&plan->workload, g, err));
    if (change && change->train) PASS(graph_join(g, err));
    return ST_OK;
}

enum st options_plan(const char *path, const char *graph, int threads, struct graph *g, struct plan *plan,
                     struct err *err)
{
    return options_plan_changed(path, graph, threads, g, NULL, plan, err);
}

enum st options_only(const struct call *call, const char *const *known, struct err *err)
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

enum st options_workload(const struct call *call, const struct workload_args *a, const struct graph *g,
                         struct workload *out, struct err *err)
{
    struct workload w;
    PASS(workload_make(g, &a->fanout, a->fanout_over, a->batch, a->frontier, (uint64_t)call->common.seed, &w, err));
    PASS(workload_set_sampler(g, &w, &a->how, err));
    *out = w;
    return ST_OK;
}

enum st study_options_make(struct call *call, const struct study_args *a, const struct graph *g, const struct server *s,
                           const struct kernels *k, const struct workload *w, struct study_options *out,
                           struct err *err)
{
    struct study_options o = {.graph = g,
                              .server = s,
                              .kernels = k,
                              .workload = *w,
                              .presample_epochs = (uint64_t)a->presample_epochs,
                              .simulate_epochs = a->simulate_epochs,
                              .partition = a->partition ? a->partition : "auto", /* a command without the option */
                              .deal = a->deal,
                              .threads = call->threads,
                              .progress = call_progress(call),
                              .stages = &call->stages,
                              .memory = mem_limit()};
    o.bound = a->bound;
    o.no_mixture = a->no_mixture;
    o.all_deals = a->exact;
    o.optimum = (struct optimum_options){.objective = a->objective ? objective_of(a->objective) : OBJECTIVE_EPOCH,
                                         .seconds = a->time_limit};
    o.unequal = a->objective && o.optimum.objective == OBJECTIVE_TOTAL; /* only who asks for it trades time for it */
    o.sampling = sampling_of(a->sampling);
    if (a->objective && !strcmp(a->objective, "time")) call_say(call, "--objective time is called epoch now");
    if (mem_limit()) o.optimum.megabytes = (int)(mem_limit() >> 20 < 1 << 20 ? (mem_limit() >> 20) + 1 : 1 << 20);
    if (!(a->time_limit >= 0 && a->time_limit < 1e9))
        return err_set(err, ST_USAGE, "--time-limit: expected 0 to 1000000000 seconds");
    o.simulate_seed = a->simulate_seed >= 0 ? (uint64_t)a->simulate_seed : study_held_out_seed(w->seed);
    if (o.simulate_seed == w->seed)
        return err_set(err, ST_USAGE,
                       "--simulate-seed: is the planning seed, so the epochs would not be held out; choose another");
    reservation_estimate(g, w, (uint64_t)a->timing.hidden, s->gpus, &o.reservation);
    PASS(epoch_args_read(&a->timing, &o.timing, err));
    if (a->reserve) PASS(reservation_given(a->reserve, &o.reservation, err));
    *out = o;
    return ST_OK;
}

/* What mini-batches with all neighbours can come to. */
static void say_largest(const struct call *call, const struct graph *g, const struct workload *w)
{
    char rows[UNIT_TEXT], of[UNIT_TEXT], bytes[UNIT_TEXT];
    uint64_t largest = sampler_largest(g, w), cached = g->row_bytes;
    for (int t = 0; t < g->types; t++)
        if (g->type[t].features.row_bytes > cached) cached = g->type[t].features.row_bytes;
    call_say(call,
             "--fanout -1 takes all neighbours: by the lengths of rows, a mini-batch has at most %s of %s vertices "
             "(%s of feature rows)",
             units_count(rows, largest), units_count(of, g->n), units_bytes(bytes, largest * cached));
}

void options_say_sampler(const struct call *call, const struct kernels *k, const struct graph *g,
                         const struct workload *w)
{
    const char *why = graph_plain(g)             ? sampler_why_cpu(k, w)
                      : !strcmp(k->name, "cuda") ? "the graph has several types"
                                                 : NULL;
    if (why) call_say(call, "mini-batches are drawn by the CPU: %s", why);
    if (workload_takes_all(w)) say_largest(call, g, w);
}

bool options_say_batch(const struct call *call, const char *server, int gpus, double train, const struct workload *w)
{
    char batch[UNIT_TEXT], share[UNIT_TEXT];
    if (workload_edges(w) || (double)w->batch * gpus <= train) return false;
    call_say(call,
             "--batch %s: a GPU of %s trains about %s vertices per epoch, fewer than that, so its epoch is one "
             "mini-batch of them",
             units_count(batch, w->batch), server, units_count(share, (uint64_t)ceil(train / gpus)));
    return true;
}

void options_say_drawn(const struct call *call, const struct sampling_facts *facts)
{
    static const char *const places[] = {"", "the graph in its memory", "the graph read from the host",
                                         "the hottest rows in its memory and the others read from the host"};
    char taken[UNIT_TEXT], pinned[UNIT_TEXT], rows[UNIT_TEXT], held[UNIT_TEXT + 8] = "";
    if (!facts->streams) return;
    if (facts->rows) snprintf(held, sizeof held, " (%s rows)", units_count(rows, facts->rows));
    call_say(call,
             "mini-batches are drawn by the GPU, %d at a time, with %s%s: %s of GPU memory, %s of pinned host memory",
             facts->streams, places[facts->where], held, units_bytes(taken, facts->device_bytes),
             units_bytes(pinned, facts->pinned_bytes));
}

enum st options_reservation(const struct study_args *a, const struct graph *g, const struct server *s,
                            const struct workload *w, struct reservation *out, struct err *err)
{
    const uint64_t hidden = (uint64_t)a->timing.hidden;
    struct reservation_batch batch;
    reservation_estimate(g, w, hidden, s->gpus, out);
    if (!a->reserve || !strcmp(a->reserve, "pagraph")) {
        PASS(reservation_draw(g, w, (double)(w->batch * workload_seed_vertices(w)), &batch, err));
        reservation_of_batch(g, w, hidden, s->gpus, batch, out);
    }
    return a->reserve ? reservation_given(a->reserve, out, err) : ST_OK;
}

void options_say_reservation(const struct call *call, const struct reservation *r, bool explain)
{
    char total[UNIT_TEXT], bytes[UNIT_TEXT], line[600] = "";
    for (int i = 0; i < r->terms; i++)
        text_append(line, sizeof line, "%s%s %s", i ? " + " : "", r->term[i].name,
                    units_bytes(bytes, r->term[i].bytes));
    call_say(call, "reserved per GPU: %s = %s", units_bytes(total, r->total), line);
    for (int i = 0; explain && i < r->terms; i++)
        call_say(call, "  %-18s %12s = %s", r->term[i].name, units_bytes(bytes, r->term[i].bytes), r->term[i].formula);
}

/* True when the user was warned; once is enough. */
static bool warn_budget(const struct call *call, const struct budget *b, uint64_t bytes, const struct server *s,
                        int gpu)
{
    char have[UNIT_TEXT], memory[UNIT_TEXT];
    uint64_t most = s->gpu[gpu].memory_bytes;
    if (!most || bytes <= most) return false;
    call_say(call,
             "warning: the budget %s is %s per GPU, but GPU %d of %s has only %s; a cache of that size does not fit it",
             b->text, units_bytes(have, bytes), s->gpu[gpu].id, s->name, units_bytes(memory, most));
    return true;
}

enum st options_budget(const struct call *call, const struct budget *b, const struct server *s, const struct graph *g,
                       const struct reservation *r, struct err *err)
{
    uint64_t bytes[SERVER_GPUS_MAX];
    bool warned = b->kind == BUDGET_MEMORY; /* it cannot be too large */
    PASS(budget_bytes(b, s, g, r, bytes, err));
    for (int i = 0; i < s->gpus && !warned; i++) warned = warn_budget(call, b, bytes[i], s, i);
    return ST_OK;
}
