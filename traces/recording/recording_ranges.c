/* recording_ranges.c - counts where every rank owns a range of the vertices (declared in recording.h). */
#include <string.h>

#include "base/mem.h"
#include "traces/recording/range_counts.h"
#include "traces/recording/recording.h"

/* Memory for the mini-batches that ranks draw together, the same on all of them. A thread works on one at a time. */
static enum st range_memory(int threads, uint64_t *out, struct err *err)
{
    enum { LEAST = 1 << 28, PER_THREAD = 1 << 25 };
    uint64_t limit = mem_limit(), used = mem_in_use(),
             left = !limit         ? UINT64_MAX
                    : limit > used ? limit - used
                                   : 0,
             wanted = (uint64_t)threads * PER_THREAD > LEAST ? (uint64_t)threads * PER_THREAD : LEAST;
    *out = left / 2 < wanted ? left / 2 : wanted;
    return ranks_least(out, err);
}

enum st recording_range_sampler(struct recording *r, uint64_t tasks, struct err *err)
{
    const struct graph_ranges *ranges = r->o->ranges;
    uint64_t memory;
    PASS(sampler_new_range(r->g, &r->drawn, r->o->line_bytes, r->o->threads, graph_ranges_first(ranges),
                           graph_ranges_end(ranges), &r->s, err));
    PASS(range_memory(r->o->threads, &memory, err));
    return range_draws_new(r->s, ranges, memory, tasks, &r->draw, err);
}

/* Copies draws into a GPU's row. */
static void set_draws(void *to, uint64_t first, uint32_t *draws, uint64_t count)
{
    const struct recording_target *target = to;
    uint32_t *rows = (uint32_t *)target->rows + first;
    memcpy(rows, draws, count * sizeof *draws);
    if (target->r->o->checkpoint) checkpoint_drop_pages(rows, count * sizeof *draws);
}

/* Adds the block's draws to this rank's. */
static void add_draws(struct recording *r)
{
    uint64_t first = graph_ranges_first(r->o->ranges);
#pragma omp parallel for num_threads(r->o->threads)
    for (uint64_t v = 0; v < r->width; v++)
        r->draws[v] += (uint32_t)sample_draws(&r->t->workload, graph_degree(r->g, first + v), r->c.visits, v);
}

/* As run_folds (recording_gpu.c). The block of a rank has the counts of its range, from all mini-batches. */
static enum st run_range_folds(struct recording *r, int gpu, const void *old, void *sum, struct err *err)
{
    uint64_t folds = (uint64_t)r->t->folds, end[FOLDS_MAX + 2], stretches = recording_fold_ends(r, end);
    for (uint64_t f = 0; f < stretches; f++) {
        bool kept = f < folds;
        for (uint64_t at = end[f], some; at < end[f + 1]; at += some) {
            PASS(range_draws_run(r->draw, at, end[f + 1], &r->c, &some, err));
            progress_add(r->bar, some / (uint64_t)ranks_count());
        }
        add_draws(r);
        for (int q = 0; q <= r->t->workload.hops; q++) {
            struct recording_target to = recording_target_of(r, gpu, q, kept ? recording_fold(r, old, f) : NULL,
                                                             kept ? recording_fold(r, sum, f) : NULL);
            PASS(range_counts_gather(r->o->ranges, r->block + (uint64_t)q * r->width, recording_add, &to, err));
        }
        memset(r->block, 0, (uint64_t)(1 + r->t->workload.hops) * r->width * sizeof *r->block);
    }
    return ST_OK;
}

enum st recording_range(struct recording *r, int gpu, const void *old, void *sum, struct err *err)
{
    struct recording_target draws = {.r = r, .rows = recording_wide(r->t->topology[gpu]), .width = sizeof *r->draws};
    memset(r->draws, 0, r->width * sizeof *r->draws);
    PASS(run_range_folds(r, gpu, old, sum, err));
    return range_counts_gather(r->o->ranges, r->draws, set_draws, &draws, err);
}
