/* cslp.c - CSLP assignment, in blocks of positions.
 *
 * Whom a position prefers depends on hotness only, but ties and full GPUs depend on the room that all earlier positions left. So the threads
 * gather, for a block of positions, the set of GPUs with the highest local hotness (the dear part: a random read per GPU and position), and
 * then one thread walks the block in order. A single preferred GPU with room, the common case, costs it one comparison.
 */
#include "base/mem.h"
#include "kernels/cpu/cpu.h"

enum { BLOCK = 16384, AHEAD = 16 };

/* What one position wants. GPUs g of the highest local hotness are bits g % 64 of top[g / 64]. */
struct wish { uint64_t bytes, top[KERNEL_GPUS_MAX / 64]; };

static inline uint64_t bytes_of(const struct cslp_problem *p, uint32_t v)
{
    return p->indptr ? 4 * (uint64_t)(p->indptr[v + 1] - p->indptr[v]) + 8 : p->row_bytes;
}

static inline void prefetch(const struct cslp_problem *p, uint32_t v)
{
    for (int g = 0; g < p->gpus; g++)
        __builtin_prefetch(&p->hot[g][v]);
    if (p->indptr)
        __builtin_prefetch(&p->indptr[v]);
}

static struct wish wish_of(const struct cslp_problem *p, uint32_t v)
{
    struct wish w = {.bytes = bytes_of(p, v)};
    uint32_t highest = 0;
    for (int g = 0; g < p->gpus; g++) {
        uint32_t here = p->hot[g][v];
        if (here > highest) {
            highest = here;
            w.top[0] = w.top[1] = 0;
        }
        if (here == highest)
            w.top[g / 64] |= 1ull << g % 64;
    }
    return w;
}

static void gather_block(int team, const struct cslp_problem *p, uint64_t from, uint64_t to, struct wish *wishes)
{
#pragma omp parallel for num_threads(team) schedule(static)
    for (uint64_t i = from; i < to; i++) {
        if (i + AHEAD < p->count)
            prefetch(p, p->order[i + AHEAD]);
        wishes[i - from] = wish_of(p, p->order[i]);
    }
}

/* Among the preferred GPUs with room, the one with the most, then the lowest; -1 when all of them are full. */
static inline int choose_preferred(const struct wish *w, const uint64_t *room)
{
    int best = -1;
    for (int half = 0; half < KERNEL_GPUS_MAX / 64; half++)
        for (uint64_t rest = w->top[half]; rest; rest &= rest - 1) {
            int g = half * 64 + __builtin_ctzll(rest);
            if (room[g] >= w->bytes && (best < 0 || room[g] > room[best]))
                best = g;
        }
    return best;
}

/* The spill rule: the highest local hotness among the GPUs that have room, ties as above. -1: the row fits nowhere. */
static int choose_spill(const struct cslp_problem *p, uint32_t v, uint64_t bytes, const uint64_t *room)
{
    int best = -1;
    for (int g = 0; g < p->gpus; g++)
        if (room[g] >= bytes
            && (best < 0 || p->hot[g][v] > p->hot[best][v] || (p->hot[g][v] == p->hot[best][v] && room[g] > room[best])))
            best = g;
    return best;
}

/* Places positions from..to-1 in order; returns the first that was not placed, or `to`. */
static uint64_t place_block(const struct cslp_problem *p, const struct wish *wishes, uint64_t from, uint64_t to, uint64_t *room, uint8_t *owner)
{
    for (uint64_t i = from; i < to; i++) {
        const struct wish *w = &wishes[i - from];
        int g = choose_preferred(w, room);
        if (g < 0)
            g = choose_spill(p, p->order[i], w->bytes, room);
        if (g < 0)
            return i;
        room[g] -= w->bytes;
        owner[i] = (uint8_t)g;
    }
    return to;
}

/* One GPU: a prefix, for which no hotness is read. */
static uint64_t place_single(const struct cslp_problem *p, uint64_t *room, uint8_t *owner)
{
    uint64_t i = 0;
    for (; i < p->count; i++) {
        uint64_t bytes;
        if (p->indptr && i + AHEAD < p->count)
            __builtin_prefetch(&p->indptr[p->order[i + AHEAD]]);
        bytes = bytes_of(p, p->order[i]);
        if (*room < bytes)
            break;
        *room -= bytes;
        owner[i] = 0;
    }
    return i;
}

enum st cpu_cslp(int threads, const struct cslp_problem *p, uint64_t *room, uint8_t *owner, uint64_t *held, struct err *err)
{
    enum st st = ST_OK;
    struct wish *wishes = NULL;
    uint64_t placed = 0;

    BUG_IF(p->gpus < 1 || p->gpus > KERNEL_GPUS_MAX);
    if (p->gpus == 1) {
        *held = place_single(p, room, owner);
        goto done;
    }
    NEW(wishes, p->count < BLOCK ? p->count : BLOCK, "CSLP preferences");
    for (uint64_t from = 0; placed == from && from < p->count; from += BLOCK) {
        uint64_t to = from + BLOCK < p->count ? from + BLOCK : p->count;
        gather_block(cpu_team(threads, (to - from) * (uint64_t)p->gpus), p, from, to, wishes);
        placed = place_block(p, wishes, from, to, room, owner);
    }
    *held = placed;
done:
    mem_free(wishes);
    return st;
}
