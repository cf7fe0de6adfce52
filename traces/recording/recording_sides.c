/* recording_sides.c - GPUs of a small graph recorded side by side (declared in recording.h). */
#include <string.h>

#include "base/mem.h"
#include "base/threads.h"
#include "traces/recording/recording.h"

enum { SIDES_MOST = 64 };
#define SIDES_BYTES ((uint64_t)64 << 20) /* of all blocks but the first */

int trace_record_together(uint64_t n, const struct workload *w, int gpus, int threads)
{
    const uint64_t block = sizeof(uint32_t) * (1 + (uint64_t)w->hops) * n, fit = 1 + SIDES_BYTES / (block + 1);
    int most = threads < gpus ? threads : gpus;
    if (w->order == ORDER_BFS || most < 1) return 1; /* each would number the vertices of the graph */
    most = most < SIDES_MOST ? most : SIDES_MOST;
    return fit < (uint64_t)most ? (int)fit : most;
}

/* What one thread records with. */
struct side {
    struct recording r; /* of its own: sampler and block */
    struct trace_options o;
};
struct sides {
    struct side *side; /* [count] */
    omp_lock_t lock[FOLDS_MAX];
    int count, locks;
};

static void sides_free(struct sides *s)
{
    for (int i = 0; i < s->count; i++) {
        sampler_free(s->side[i].r.s);
        mem_free(s->side[i].r.block);
    }
    for (int f = 0; f < s->locks; f++) omp_destroy_lock(&s->lock[f]);
    mem_free(s->side);
}

static enum st side_new(const struct recording *r, omp_lock_t *lock, struct side *out, struct err *err)
{
    out->o = *r->o;
    out->o.threads = 1;
    out->r = *r;
    out->r.o = &out->o;
    out->r.block = NULL;
    out->r.fold_lock = lock;
    PASS(recording_block(&out->r, err));
    return sampler_new(r->g, &r->drawn, r->o->line_bytes, 1, &out->r.s, err);
}

struct recording_all {
    const struct sides *sides;
    uint64_t *lines;
};

static enum st record_one(void *of, int side, int g, struct err *err)
{
    const struct recording_all *all = of;
    struct recording *r = &all->sides->side[side].r;
    void *fold = (void *)(uintptr_t)r->t->fold[r->t->assignment.clique_of[g]].data;
    return recording_gpu(r, g, fold, fold, &all->lines[g], err);
}

enum st recording_sides(struct recording *r, int together, uint64_t *lines, struct err *err)
{
    const int gpus = r->t->assignment.gpus;
    OWNED_BY(sides_free) struct sides s = {.locks = r->t->folds};
    for (int f = 0; f < s.locks; f++) omp_init_lock(&s.lock[f]);
    MAKE(s.side, together, "sampler threads");
    for (; s.count < together; s.count++) {
        struct side *side = &s.side[s.count];
        enum st st = side_new(r, s.lock, side, err);
        if (st != ST_OK) s.count++;
        if (st != ST_OK) return st;
    }
    PASS(threads_share(together, gpus, record_one, &(struct recording_all){&s, lines}, err));
    for (int i = 0; i < together; i++) r->overflow |= s.side[i].r.overflow;
    return ST_OK;
}
