/* cslp.c - CSLP assignment, block by block: all threads find the preferences of a block, then one thread places its
 * rows. Blocks bound the memory, and the work beyond the last row that fits. */
#include "base/mem.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cslp_walk.h"

enum { BLOCK = 16384 };

static inline void prefetch(const struct cslp_problem *p, uint32_t v)
{
    for (int g = 0; g < p->gpus; g++) __builtin_prefetch(&p->hot[g][v]);
}

/* The GPUs with the highest local hotness of v. */
static struct cslp_preference find_preference(const struct cslp_problem *p, uint32_t v)
{
    struct cslp_preference preferred = {{0}};
    uint32_t highest = 0;
    for (int g = 0; g < p->gpus; g++) {
        uint32_t here = p->hot[g][v];
        if (here > highest) {
            highest = here;
            preferred = (struct cslp_preference){{0}};
        }
        if (here == highest) preferred.top[g / 64] |= 1ull << g % 64;
    }
    return preferred;
}

static void gather_block(int team, const struct cslp_problem *p, uint64_t from, uint64_t to,
                         struct cslp_preference *preferences)
{
#pragma omp parallel for num_threads(team) schedule(static)
    for (uint64_t i = from; i < to; i++) {
        if (i + CSLP_AHEAD < p->count) prefetch(p, p->order[i + CSLP_AHEAD]);
        preferences[i - from] = find_preference(p, p->order[i]);
    }
}

enum st cpu_cslp(int threads, const struct cslp_problem *p, uint64_t *room, uint8_t *owner, uint64_t *held,
                 struct err *err)
{
    enum st st = ST_OK;
    OWNED struct cslp_preference *preferences = NULL;
    uint64_t placed = 0;

    BUG_IF(p->gpus < 1 || p->gpus > KERNEL_GPUS_MAX);
    if (p->gpus == 1) {
        *held = cslp_walk_single(p, room, owner);
        goto done;
    }
    NEW(preferences, p->count < BLOCK ? p->count : BLOCK, "CSLP preferences");
    for (uint64_t from = 0; placed == from && from < p->count; from += BLOCK) {
        uint64_t to = from + BLOCK < p->count ? from + BLOCK : p->count;
        gather_block(cpu_team(threads, (to - from) * (uint64_t)p->gpus), p, from, to, preferences);
        placed = cslp_walk(p, preferences, from, to, room, owner);
    }
    *held = placed;
done:
    return st;
}
