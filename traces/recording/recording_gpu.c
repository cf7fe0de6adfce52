/* recording_gpu.c - draws the epochs of one GPU and counts (declared in recording.h). */
#include <string.h>

#include "traces/recording/recording.h"

struct recording_target recording_target_of(struct recording *r, int gpu, int quantity, const void *old, void *sum)
{
    const struct trace *t = r->t;
    uint64_t at = (uint64_t)quantity * t->n * (uint64_t)r->fold_bytes;
    struct count_row rows = quantity ? t->visits[quantity - 1][gpu] : t->feature[gpu];
    return (struct recording_target){r, (void *)(uintptr_t)rows.data, rows.bytes, old ? (const char *)old + at : NULL,
                                     sum ? (char *)sum + at : NULL};
}

enum { CHUNK = 1 << 15 };

/* Of `count` counts: rows += from; after = before + from; then from = 0. Returns all bits that a sum needs. */
static inline uint32_t add_counts(uint32_t *from, void *rows, int width, struct count_row before, void *after,
                                  uint64_t count)
{
    uint32_t all = 0;
    for (uint64_t v = 0; v < count; v++) {
        count_put(rows, width, v, count_at((struct count_row){rows, width}, v) + from[v]);
        uint32_t sum = (before.data ? count_at(before, v) : 0u) + from[v];
        all |= sum;
        if (after) count_put(after, before.bytes, v, sum);
        from[v] = 0;
    }
    return all;
}

/* The same loop, compiled for each pair of widths. */
static uint32_t add_chunk(uint32_t *from, void *rows, int width, struct count_row before, void *after, uint64_t count)
{
    const struct count_row one = {before.data, 1}, two = {before.data, 2};
    if (width == 1)
        return before.bytes == 1 ? add_counts(from, rows, 1, one, after, count)
                                 : add_counts(from, rows, 1, two, after, count);
    if (width == 2)
        return before.bytes == 1 ? add_counts(from, rows, 2, one, after, count)
                                 : add_counts(from, rows, 2, two, after, count);
    return before.bytes == 1 ? add_counts(from, rows, 4, one, after, count)
                             : add_counts(from, rows, 4, two, after, count);
}

void recording_add(void *to, uint64_t first, uint32_t *from, uint64_t count)
{
    const struct recording_target *target = to;
    struct recording *r = target->r;
    uint64_t width = (uint64_t)r->fold_bytes, each = (uint64_t)target->width;
    uint32_t all = 0;
    char *rows = (char *)target->rows + first * each, *after = target->sum ? (char *)target->sum + first * width : NULL;
    const char *before = target->old ? (const char *)target->old + first * width : NULL;
#pragma omp parallel for num_threads(r->o->threads) schedule(static) reduction(| : all)
    for (uint64_t v = 0; v < count; v += CHUNK)
        all |= add_chunk(from + v, rows + v * each, target->width,
                         (struct count_row){before ? before + v * width : NULL, (int)width},
                         after ? after + v * width : NULL, count - v < CHUNK ? count - v : CHUNK);
    r->overflow |= after && all > (width == 1 ? UINT8_MAX : UINT16_MAX);
    if (!r->o->checkpoint || r->rows) return;
    checkpoint_drop_pages(rows, count * each);
    checkpoint_drop_pages(before, count * width);
    checkpoint_drop_pages(after, count * width);
}

/* Adds the block to a GPU's rows and to the clique's fold. Then sets it to 0. fold == folds: there is none. */
static void add_block(struct recording *r, int gpu, const void *old, void *sum, uint64_t fold)
{
    const bool any = fold < (uint64_t)r->t->folds, shared = any && r->fold_lock;
    if (shared) omp_set_lock(&r->fold_lock[fold]);
    for (int q = 0; q <= r->t->workload.hops && recording_samples(r); q++)
        recording_add_sampled(r, gpu, q, any ? recording_fold(r, sum, fold) : NULL);
    for (int q = 0; q <= r->t->workload.hops && !recording_samples(r); q++) {
        struct recording_target to = recording_target_of(r, gpu, q, any ? recording_fold(r, old, fold) : NULL,
                                                         any ? recording_fold(r, sum, fold) : NULL);
        recording_add(&to, 0, r->block + (uint64_t)q * r->t->n, r->t->n);
    }
    if (shared) omp_unset_lock(&r->fold_lock[fold]);
}

/* This rank's part of the tasks from..to of the current GPU, with progress. */
static void run_tasks(struct recording *r, uint64_t from, uint64_t to)
{
    enum { STEP = 64 };
    uint64_t all = to - from;
    to = from + ranks_begin_of(all, ranks_number() + 1);
    from += ranks_begin_of(all, ranks_number());
    for (uint64_t at = from; at < to; at += STEP) {
        uint64_t end = at + STEP < to ? at + STEP : to;
        sampler_run(r->s, at, end, &r->c);
        progress_add(r->bar, end - at);
    }
}

uint64_t recording_fold_ends(const struct recording *r, uint64_t end[FOLDS_MAX + 2])
{
    const struct trace *t = r->t;
    uint64_t batches = sampler_batches(r->s), folds = (uint64_t)t->folds, all = t->epochs * batches,
             covered = !folds           ? 0
                       : t->epochs == 1 ? batches
                                        : t->epochs / folds * folds * batches;
    end[0] = 0;
    for (uint64_t f = 1; f <= folds; f++) end[f] = covered * f / folds;
    end[folds + 1] = all;
    return folds + (covered < all);
}

/* Draws all epochs fold by fold. A device draws the next fold while the host adds up this one. */
static enum st run_folds(struct recording *r, int gpu, const void *old, void *sum, struct err *err)
{
    const struct trace *t = r->t;
    const bool ahead = sampler_on_device(r->s);
    uint64_t folds = (uint64_t)t->folds, end[FOLDS_MAX + 2], stretches = recording_fold_ends(r, end);
    if (ahead) run_tasks(r, 0, end[1]);
    for (uint64_t f = 0; f < stretches; f++) {
        if (!ahead) run_tasks(r, end[f], end[f + 1]);
        PASS(sampler_collect(r->s, &r->c, err));
        if (ahead && f < folds) run_tasks(r, end[f + 1], end[f + 2]);
        PASS(ranks_sum(r->block, recording_block_cells(r), !r->o->first_keeps, err));
        if (recording_helps(r)) memset(r->block, 0, recording_block_cells(r) * sizeof *r->block);
        else add_block(r, gpu, old, sum, f);
    }
    return ST_OK;
}

/* Adds up the draws of a GPU, and those of all ranks where they were counted. */
static enum st finish_draws(struct recording *r, uint32_t *draws, uint32_t *const visits[HOPS_MAX], struct err *err)
{
    const struct trace *t = r->t;
    if (r->c.draws) return ranks_sum(draws, r->width, !r->o->first_keeps, err);
    if (recording_samples(r) || recording_helps(r) || recording_draws_last(r) || !graph_plain(r->g)) return ST_OK;
#pragma omp parallel for num_threads(r->o->threads)
    for (uint64_t v = 0; v < t->n; v++)
        draws[v] = (uint32_t)sample_draws(&t->workload, graph_degree(r->g, v), visits, v);
    return ST_OK;
}

enum st recording_gpu(struct recording *r, int gpu, const void *old, void *sum, uint64_t *lines, struct err *err)
{
    struct trace *t = r->t;
    const struct assignment *a = &t->assignment;
    const bool apart = recording_helps(r) || recording_samples(r);
    uint32_t *draws = apart ? r->draws : recording_wide(t->topology[gpu]), *visits[HOPS_MAX] = {NULL};
    for (int h = 0; h < t->workload.hops; h++) visits[h] = recording_wide(t->visits[h][gpu]);
    r->c.draws = recording_counts_draws(r) ? draws : NULL;
    if (!r->block) {
        r->c.feature = recording_wide(t->feature[gpu]);
        memcpy(r->c.visits, visits, sizeof visits);
    }
    PASS(sampler_gpu(r->s, a->id[gpu], assignment_seeds(a, gpu), a->train_count[gpu], t->epochs, err));
    PASS(sampler_fits(r->s, sampler_batches(r->s) * t->epochs, err));
    r->c.total_lines = 0;
    if (r->draw) PASS(recording_range(r, gpu, old, sum, err));
    else {
        if (r->draws) memset(r->draws, 0, r->width * sizeof *draws);
        if (r->block) PASS(run_folds(r, gpu, old, sum, err));
        else {
            run_tasks(r, 0, sampler_batches(r->s) * t->epochs);
            PASS(sampler_collect(r->s, &r->c, err));
        }
        PASS(finish_draws(r, draws, visits, err));
        if (recording_samples(r)) recording_sampled_draws(r, gpu);
    }
    PASS(ranks_sum_wide(&r->c.total_lines, 1, err));
    *lines = r->c.total_lines;
    return ST_OK;
}
