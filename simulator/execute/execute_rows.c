/* execute_rows.c - feature rows with generated contents, and mini-batches that the CPU draws (declared in execute.h).
 */
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/progress.h"
#include "simulator/execute/execute.h"
#include "traces/sampling/sampler.h"

/* ---- contents ---- */

/* Word `word` of row `row`, different from the words beside it. Mixed as in xorshift-multiply hashes, by steps that can
 * be undone. */
static inline uint32_t content(uint64_t row, uint32_t word)
{
    uint32_t x = (uint32_t)row * 0x9E3779B1u + word * 0x85EBCA77u + (uint32_t)(row >> 32);
    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    return x ^ x >> 13;
}

enum { BLOCK_WORDS = 32 };

/* Generates the bytes of a row from `at` on, at most a block of them; returns how many. */
static uint64_t make_block(uint64_t row, uint64_t bytes, uint64_t at, uint32_t block[BLOCK_WORDS])
{
    for (uint32_t i = 0; i < BLOCK_WORDS; i++) block[i] = content(row, (uint32_t)(at / 4) + i);
    return bytes - at < 4 * BLOCK_WORDS ? bytes - at : 4 * BLOCK_WORDS;
}

static void make_row(uint64_t row, uint64_t bytes, uint8_t *to)
{
    uint32_t block[BLOCK_WORDS];
    for (uint64_t at = 0, some; at < bytes; at += some) {
        some = make_block(row, bytes, at, block);
        memcpy(to + at, block, some);
    }
}

static bool row_is(uint64_t row, uint64_t bytes, const uint8_t *found)
{
    uint32_t block[BLOCK_WORDS];
    for (uint64_t at = 0, some; at < bytes; at += some) {
        some = make_block(row, bytes, at, block);
        if (memcmp(found + at, block, some)) return false;
    }
    return true;
}

void execute_rows_make(const struct execute_rows *r, uint64_t from, uint64_t to, uint8_t *at, int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t v = from; v < to; v++) {
        uint8_t *here = at + (v - from) * r->row_bytes;
        if (r->file) memcpy(here, execute_rows_at(r, v), r->row_bytes);
        else make_row(v, r->row_bytes, here);
    }
}

uint64_t execute_rows_wrong(const struct execute_rows *r, const uint32_t *ids, uint64_t count, const uint8_t *gathered,
                            int threads)
{
    uint64_t wrong = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : wrong)
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *found = gathered + i * r->row_bytes;
        uint64_t row = ids[i] % r->window;
        wrong += r->file ? memcmp(found, execute_rows_at(r, row), r->row_bytes) != 0
                         : !row_is(row, r->row_bytes, found);
    }
    return wrong;
}

uint64_t execute_rows_lines(const struct execute_setup *s, const struct execute_reader *r, const uint32_t *ids,
                            uint64_t count)
{
    uint64_t lines = 0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(+ : lines)
    for (uint64_t i = 0; i < count; i++)
        if (!r->at_feature[ids[i]]) lines += cachelines_of_feature(ids[i], s->rows.row_bytes, s->plan->line_bytes);
    return lines;
}

uint64_t execute_window(const struct graph *g, uint64_t line_bytes, uint64_t bytes)
{
    uint64_t rows = bytes / g->row_bytes,
             step = line_bytes; /* row v % window begins at the same byte of a cache line as row v */
    if (rows >= g->n) return g->n;
    while (step > 1 && step % 2 == 0 && step / 2 * g->row_bytes % line_bytes == 0) step /= 2;
    return rows / step * step;
}

/* ---- mini-batches ---- */

struct execute_drawer {
    const struct execute_setup *setup;
    const struct execute_reader *reader;
    struct sampler *sampler;
    struct sample_counts counts; /* empty between mini-batches */
};

enum st execute_drawer_new(const struct execute_setup *s, struct execute_drawer **out, struct err *err)
{
    enum st st = ST_OK;
    struct execute_drawer *d = NULL;
    uint64_t n = s->graph->n;
    NEW(d, 1, "the sampler");
    d->setup = s;
    NEW(d->counts.feature, n, "the counts of a mini-batch");
    NEW(d->counts.lines, n, "the counts of a mini-batch");
    for (int h = 0; h < s->workload->hops; h++) NEW(d->counts.visits[h], n, "the counts of a mini-batch");
    if (workload_counts_draws(s->workload)) NEW(d->counts.draws, n, "the counts of a mini-batch");
    TRY(sampler_new(s->graph, s->workload, s->plan->line_bytes, 1, &d->sampler, err));
    *out = d;
    d = NULL;
done:
    execute_drawer_free(d);
    return st;
}

void execute_drawer_free(struct execute_drawer *d)
{
    if (!d) return;
    mem_free(d->counts.feature);
    mem_free(d->counts.lines);
    mem_free(d->counts.draws);
    for (int h = 0; h < HOPS_MAX; h++) mem_free(d->counts.visits[h]);
    sampler_free(d->sampler);
    mem_free(d);
}

enum st execute_drawer_turn(struct execute_drawer *d, const struct execute_reader *r, struct err *err)
{
    const struct assignment *a = &d->setup->plan->assignment;
    enum st st;
    TRY(sampler_gpu(d->sampler, a->id[r->gpu], assignment_seeds(a, r->gpu), a->train_count[r->gpu], d->setup->epochs,
                    err));
    TRY(sampler_fits(d->sampler, 1, err));
    d->reader = r;
done:
    return st;
}

/* Adds the counts of one vertex by the tier of its topology row, and clears them. */
static void tally(struct execute_drawer *d, uint32_t v, struct execute_batch *b)
{
    const struct workload *w = d->setup->workload;
    struct sample_counts *c = &d->counts;
    enum execute_tier tier = execute_tier_of(d->reader, d->reader->at_topology[v]);
    b->draws += c->draws ? c->draws[v] : sample_draws(w, graph_degree(d->setup->graph, v), c->visits, v);
    if (tier == TIER_HOST) b->topology += c->lines[v];
    for (int h = 0; h < w->hops; h++) {
        b->visits[tier] += c->visits[h][v];
        c->visits[h][v] = 0;
    }
    c->feature[v] = c->lines[v] = 0;
    if (c->draws) c->draws[v] = 0;
}

uint64_t execute_draw(struct execute_drawer *d, uint64_t task, struct execute_batch *b, const uint32_t **ids)
{
    double began = clock_seconds();
    uint64_t count = sampler_batch(d->sampler, 0, task, &d->counts, ids);
    b->seconds[EXECUTE_SAMPLE] += clock_seconds() - began;
    for (uint64_t i = 0; i < count; i++) tally(d, (*ids)[i], b);
    return count;
}

const uint32_t *execute_drawer_order(const struct execute_drawer *d) { return sampler_order(d->sampler); }

uint64_t execute_drawer_bytes(const struct execute_setup *s, int gpu)
{
    uint64_t n = s->graph->n,
             arrays = 2 + (uint64_t)s->workload->hops + workload_counts_draws(s->workload); /* counts */
    return 4 * n * arrays + n / 8 + sampler_weights_bytes(s->graph, s->workload) +
           4 * sampler_largest(s->graph, s->workload) + 8 * s->plan->assignment.train_count[gpu] * (s->epochs + 2);
}
