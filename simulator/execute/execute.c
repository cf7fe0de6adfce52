#include "simulator/execute/execute.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "traces/sampling/seeds.h"

const char *execute_stage_name(enum execute_stage s)
{
    static const char *const names[] = {"sample", "lookup", "gather_own", "gather_peer", "gather_host"};
    return names[s];
}

/* ---- one reader ---- */

/* The tables of struct execute_reader, used for one reader after the other. */
struct places {
    uint8_t *topology, *feature;
    uint32_t *slot;
};

static enum st places_new(uint64_t n, struct places *p, struct err *err)
{
    enum st st = ST_OK;
    NEW(p->topology, n, "the lookup table of a plan");
    NEW(p->feature, n, "the lookup table of a plan");
    NEW(p->slot, n, "the lookup table of a plan");
done:
    return st;
}

static void places_free(struct places *p)
{
    mem_free(p->topology);
    mem_free(p->feature);
    mem_free(p->slot);
}

/* Sets the slots of the rows in a list that source `at` serves. */
static void number_rows(const struct row_list *l, uint8_t at, const struct places *p)
{
    for (uint64_t i = 0; i < l->count; i++)
        if (p->feature[l->id[i]] == at) p->slot[l->id[i]] = (uint32_t)i;
}

static struct execute_reader locate_rows(const struct execute_setup *s, int g, const struct places *p)
{
    const struct placement *x = &s->plan->placement;
    uint64_t n = s->graph->n, window = s->rows.window;
    placement_locate(x, g, x->topology, n, p->topology);
    placement_locate(x, g, x->feature, n, p->feature);
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (uint64_t v = 0; v < n; v++) p->slot[v] = (uint32_t)(v % window);
    number_rows(&x->feature[g], (uint8_t)(1 + g), p);
    for (int i = 0; i < x->peers[g]; i++) number_rows(&x->feature[x->peer[g][i]], (uint8_t)(1 + x->peer[g][i]), p);
    return (struct execute_reader){.gpu = g, .at_topology = p->topology, .at_feature = p->feature, .slot = p->slot};
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static enum st set_stats(const struct execute_batch *b, uint64_t count, struct execute_stats *out, struct err *err)
{
    enum st st = ST_OK;
    double *seconds = NULL;
    NEW(seconds, count, "the times of mini-batches");
    for (int s = 0; s < EXECUTE_STAGES && count; s++) {
        for (uint64_t i = 0; i < count; i++) {
            seconds[i] = b[i].seconds[s];
            out[s].total += seconds[i];
        }
        qsort(seconds, count, sizeof *seconds, by_value);
        out[s].median = count % 2 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
        out[s].p95 = seconds[(95 * count + 99) / 100 - 1];
    }
done:
    mem_free(seconds);
    return st;
}

static void add(const struct execute_batch *b, struct execute_batch *to)
{
    for (int t = 0; t < TIERS; t++) {
        to->rows[t] += b->rows[t];
        to->visits[t] += b->visits[t];
    }
    for (int s = 0; s < EXECUTE_STAGES; s++) to->seconds[s] += b->seconds[s];
    to->topology += b->topology;
    to->feature += b->feature;
    to->draws += b->draws;
    to->verified += b->verified;
    to->wrong += b->wrong;
}

/* When GPUs do not sample, blocks of 8 bytes per draw are their topology transactions, and the sampling processor
 * served every visit (as in replay.c). */
static void apply_access(const struct plan *p, int reader, struct execute_batch *sum)
{
    const struct placement *x = &p->placement;
    uint64_t visits = sum->visits[TIER_OWN] + sum->visits[TIER_PEER] + sum->visits[TIER_HOST];
    int sampler = 0;
    if (x->access == ACCESS_GPU) return;
    memset(sum->visits, 0, sizeof sum->visits);
    while (sampler < x->gpus && !x->topology[sampler].count) sampler++;
    if (sampler == x->gpus) sampler = reader;
    sum->visits[x->access == ACCESS_CPU ? TIER_HOST : sampler == reader ? TIER_OWN : TIER_PEER] = visits;
    sum->topology = (8 * sum->draws + p->line_bytes - 1) / p->line_bytes;
}

static enum st run_gpu(const struct execute_request *q, void *state, int g, const struct places *places,
                       struct progress *bar, struct execute_gpu *out, struct err *err)
{
    enum { STEP = 16 };
    enum st st = ST_OK;
    struct execute_batch *batches = NULL;
    struct execute_reader r = locate_rows(&q->setup, g, places);
    NEW(batches, out->batches, "the times of mini-batches");
    TRY(q->executor->fill(state, &r, &out->fill, err));
    for (uint64_t i = 0; i < out->batches;) {
        bool first = !i && q->check == CHECK_FIRST; /* alone, because only this one is verified */
        uint64_t count = first ? 1 : out->batches - i < STEP ? out->batches - i : STEP;
        TRY(q->executor->run(state, i, count, first || q->check == CHECK_ALL, &batches[i], err));
        progress_add(bar, count);
        i += count;
    }
    for (uint64_t i = 0; i < out->batches; i++) add(&batches[i], &out->sum);
    TRY(set_stats(batches, out->batches, out->stage, err));
    TRY(q->executor->measure(state, batches, out->batches, &out->measured, err));
    apply_access(q->setup.plan, g, &out->sum);
done:
    mem_free(batches);
    return st;
}

/* ---- all readers ---- */

/* Whether a reader was requested. */
static bool requested(const struct execute_request *q, int g) { return q->only < 0 || q->only == g; }

void execute_memory(const struct execute_request *q, struct execute_memory *out)
{
    *out = (struct execute_memory){0};
    for (int g = 0; g < q->setup.plan->assignment.gpus; g++) {
        struct execute_memory one = {0};
        if (!requested(q, g)) continue;
        q->executor->memory(&q->setup, g, &one);
        if (one.host > out->host) out->host = one.host;
        if (one.features > out->features) out->features = one.features;
        if (one.device > out->device) out->device = one.device;
    }
}

/* Sets how many mini-batches every reader runs; returns their sum. */
static uint64_t count_batches(const struct execute_request *q, struct execution *out)
{
    const struct execute_setup *s = &q->setup;
    const struct assignment *a = &s->plan->assignment;
    uint64_t sum = 0;
    for (int g = 0; g < out->gpus; g++) {
        struct execute_gpu *x = &out->gpu[g];
        x->ran = requested(q, g);
        x->all = seeds_batches(s->workload, s->graph, a->train[g], a->train_count[g]) * s->epochs;
        x->batches = !x->ran ? 0 : q->most && q->most < x->all ? q->most : x->all;
        sum += x->batches;
    }
    return sum;
}

enum st execute_run(const struct execute_request *q, struct execution *out, struct err *err)
{
    enum st st;
    struct places places = {0};
    struct progress bar;
    void *state = NULL;
    const struct plan *p = q->setup.plan;
    progress_begin(&bar, "executing", 0, false);
    if (*p->cache)
        FAIL(ST_NO,
             "policy %s: features are held by the dynamic cache %s, which this command does not execute; it executes "
             "plans with fixed rows",
             p->policy, p->cache);
    if (p->workload.frontier == FRONTIER_LAYERS)
        FAIL(ST_NO, "the plan's frontier rule `layers` reads a row once per layer, but this command gathers it once "
                    "per "
                    "mini-batch; plan with --frontier new or all");
    out->gpus = p->assignment.gpus;
    NEW(out->gpu, out->gpus, "the results");
    progress_end(&bar);
    progress_begin(&bar, "executing", count_batches(q, out), q->progress);
    TRY(places_new(q->setup.graph->n, &places, err));
    TRY(q->executor->open(&q->setup, &state, &out->machine, err));
    for (int g = 0; g < out->gpus; g++)
        if (out->gpu[g].ran) TRY(run_gpu(q, state, g, &places, &bar, &out->gpu[g], err));
done:
    progress_end(&bar);
    q->executor->close(state);
    places_free(&places);
    return st;
}

void execution_release(struct execution *x)
{
    mem_free(x->gpu);
    memset(x, 0, sizeof *x);
}
