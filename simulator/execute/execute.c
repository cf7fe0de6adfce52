#include "simulator/execute/execute.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/progress.h"
#include "base/units.h"
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

static enum st places_new(const struct graph *g, struct places *p, struct err *err)
{
    MAKE(p->topology, graph_topology_rows(g), "the lookup table of a plan");
    MAKE(p->feature, graph_feature_rows(g), "the lookup table of a plan");
    MAKE(p->slot, graph_feature_rows(g), "the lookup table of a plan");
    return ST_OK;
}

static void places_free(struct places *p)
{
    mem_free(p->topology);
    mem_free(p->feature);
    mem_free(p->slot);
}

/* Sets the slots of the rows that GPU g serves. */
static enum st number_rows(const struct execute_setup *s, int g, const struct places *p, struct err *err)
{
    OWNED_BY(execute_held_release) struct execute_held held = {0};
    PASS(execute_held_make(s, g, &held, err));
    for (int k = 0; k < s->tables; k++)
        for (uint64_t i = held.from[k]; i < held.from[k + 1]; i++)
            if (p->feature[held.id[i]] == 1 + g) p->slot[held.id[i]] = (uint32_t)(i - held.from[k]);
    return ST_OK;
}

static enum st locate_rows(const struct execute_setup *s, int g, const struct places *p, struct execute_reader *out,
                           struct err *err)
{
    const struct placement *placement = &s->plan->placement;
    placement_locate(placement, g, placement->topology, graph_topology_rows(s->graph), p->topology);
    placement_locate(placement, g, placement->feature, graph_feature_rows(s->graph), p->feature);
    for (int k = 0; k < s->tables; k++) {
        const struct execute_rows *r = &s->rows[k];
        uint64_t window = r->window;
#pragma omp parallel for schedule(static) num_threads(s->threads)
        for (uint64_t v = 0; v < r->count; v++) p->slot[r->first + v] = (uint32_t)(v % window);
    }
    PASS(number_rows(s, g, p, err));
    for (int i = 0; i < placement->peers[g]; i++) PASS(number_rows(s, placement->peer[g][i], p, err));
    out->gpu = g;
    out->at_topology = p->topology;
    out->at_feature = p->feature;
    out->slot = p->slot;
    return ST_OK;
}

static enum st set_stats(const struct execute_batch *b, uint64_t count, struct execute_stats *out, struct err *err)
{
    OWNED_NEW(double, seconds, count, "the times of mini-batches");
    for (int s = 0; s < EXECUTE_STAGES && count; s++) {
        for (uint64_t i = 0; i < count; i++) {
            seconds[i] = b[i].seconds[s];
            out[s].total += seconds[i];
        }
        qsort(seconds, count, sizeof *seconds, order_real);
        out[s].median = count % 2 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
        out[s].p95 = seconds[(95 * count + 99) / 100 - 1];
    }
    return ST_OK;
}

static void execute_add(const struct execute_batch *b, struct execute_batch *to)
{
    for (int t = 0; t < TIERS; t++) {
        to->rows[t] += b->rows[t];
        to->visits[t] += b->visits[t];
        to->bytes[t] += b->bytes[t];
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
    const struct placement *placement = &p->placement;
    uint64_t visits = sum->visits[TIER_OWN] + sum->visits[TIER_PEER] + sum->visits[TIER_HOST];
    int sampler = 0;
    if (placement->access == ACCESS_GPU) return;
    memset(sum->visits, 0, sizeof sum->visits);
    while (sampler < placement->gpus && !placement->topology[sampler].count) sampler++;
    if (sampler == placement->gpus) sampler = reader;
    sum->visits[placement->access == ACCESS_CPU ? TIER_HOST : sampler == reader ? TIER_OWN : TIER_PEER] = visits;
    sum->topology = (8 * sum->draws + p->line_bytes - 1) / p->line_bytes;
}

/* The same for every relation, of several types; sum: its topology is that of all of them. */
static void apply_access_tables(const struct plan *p, const struct graph *g, int reader, struct table_reads *table,
                                struct execute_batch *sum)
{
    if (!table || p->placement.access == ACCESS_GPU) return;
    sum->topology = 0;
    for (int k = 0; k < g->relations; k++) {
        struct execute_batch one = {.draws = table[k].draws};
        memcpy(one.visits, table[k].reads, sizeof one.visits);
        apply_access(p, reader, &one);
        memcpy(table[k].reads, one.visits, sizeof one.visits);
        sum->topology += table[k].transactions = one.topology;
    }
}

/* Where the CPU trains a share of every mini-batch, what is counted and measured are the GPUs' reads, as in the
 * simulation; bytes and seconds stay those of what was gathered. */
static void take_part(const struct plan *p, const struct graph *g, struct execute_gpu *gpu)
{
    double part = 1 - p->cpu_share;
    if (part == 1) return;
    for (int t = 0; t < TIERS; t++) {
        gpu->sum.rows[t] = units_part(gpu->sum.rows[t], part);
        gpu->sum.visits[t] = units_part(gpu->sum.visits[t], part);
    }
    gpu->sum.topology = units_part(gpu->sum.topology, part);
    gpu->sum.feature = units_part(gpu->sum.feature, part);
    gpu->measured.feature *= part;
    gpu->measured.total *= part;
    for (int k = 0; gpu->table && k < graph_tables(g); k++) gpu->table[k] = replay_table_part(&gpu->table[k], part);
}

static enum st run_gpu(const struct execute_request *q, void *state, int g, const struct places *places,
                       struct progress *bar, struct execute_gpu *out, struct err *err)
{
    enum { STEP = 16 };
    struct execute_reader r = {.table = out->table};
    PASS(locate_rows(&q->setup, g, places, &r, err));
    OWNED_NEW(struct execute_batch, batches, out->batches, "the times of mini-batches");
    PASS(q->executor->fill(state, &r, &out->fill, err));
    if (out->table) /* without what a warm-up read */
        memset(out->table, 0, (size_t)graph_tables(q->setup.graph) * sizeof *out->table);
    for (uint64_t i = 0; i < out->batches;) {
        bool first = !i && q->check == CHECK_FIRST; /* alone, because only this one is verified */
        uint64_t count = first ? 1 : out->batches - i < STEP ? out->batches - i : STEP;
        PASS(q->executor->run(state, i, count, first || q->check == CHECK_ALL, &batches[i], err));
        progress_add(bar, count);
        i += count;
    }
    for (uint64_t i = 0; i < out->batches; i++) execute_add(&batches[i], &out->sum);
    PASS(set_stats(batches, out->batches, out->stage, err));
    PASS(q->executor->measure(state, batches, out->batches, &out->measured, err));
    apply_access(q->setup.plan, g, &out->sum);
    apply_access_tables(q->setup.plan, q->setup.graph, g, out->table, &out->sum);
    take_part(q->setup.plan, q->setup.graph, out);
    if (q->keep) {
        out->batch = TAKE(batches);
    }
    return ST_OK;
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
        struct execute_gpu *gpu = &out->gpu[g];
        gpu->ran = requested(q, g);
        gpu->all = seeds_batches(s->workload, s->graph, a->train[g], a->train_count[g]) * s->epochs;
        gpu->batches = !gpu->ran ? 0 : q->most && q->most < gpu->all ? q->most : gpu->all;
        sum += gpu->batches;
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
                    "per mini-batch; plan with --frontier new or all");
    out->gpus = p->assignment.gpus;
    NEW(out->gpu, out->gpus, "the results");
    progress_end(&bar);
    progress_begin(&bar, "executing", count_batches(q, out), q->progress);
    for (int g = 0; g < out->gpus && !graph_plain(q->setup.graph); g++)
        NEW(out->gpu[g].table, graph_tables(q->setup.graph), "the results");
    TRY(places_new(q->setup.graph, &places, err));
    TRY(q->executor->open(&q->setup, &state, &out->machine, err));
    for (int g = 0; g < out->gpus; g++)
        if (out->gpu[g].ran) TRY(run_gpu(q, state, g, &places, &bar, &out->gpu[g], err));
done:
    progress_end(&bar);
    q->executor->close(state);
    places_free(&places);
    return st;
}

void execution_release(struct execution *run)
{
    for (int g = 0; run->gpu && g < run->gpus; g++) {
        mem_free(run->gpu[g].table);
        mem_free(run->gpu[g].batch);
    }
    mem_free(run->gpu);
    memset(run, 0, sizeof *run);
}
