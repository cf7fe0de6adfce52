/* grid.c - a launch (ptx.h): blocks in order, a few at a time, their warps in turns that the seed decides. */
#include <stdlib.h>
#include <string.h>
#include "tests/ptx/ops.h"
#include "tests/ptx/ptx.h"

enum { RESIDENT_MAX = 16, TURN = 1000, SHORT_TURN = 16 };

/* Memory of resident blocks, kept between launches and grown. */
static struct pile {
    u8 *at;
    u64 bytes;
} pile[5];
enum { REGS, LOCALS, SHARED_BYTES, SHADOWS, WARPS };

static void *at_least(int which, u64 bytes)
{
    struct pile *p = &pile[which];
    if (bytes > p->bytes) {
        free(p->at);
        p->bytes = (bytes + 4095) / 4096 * 4096;
        p->at = aligned_alloc(64, p->bytes);
        if (!p->at) abort();
        memset(p->at, 0, p->bytes);
    }
    return p->at;
}

static u64 rounded(u64 bytes) { return (bytes + 63) / 64 * 64; }

static void place_blocks(struct grid *g, struct block *b, u32 resident)
{
    const struct kernel *k = g->kernel;
    u64 regs = rounded(k->reg_bytes), local = rounded((u64)k->local_bytes * LANES), shared = rounded(g->shared_bytes),
        cells = (g->shared_bytes >> k->shared_shift) + 1, warps = (u64)resident * g->warps_each;
    u8 *all_regs = at_least(REGS, warps * regs), *all_local = at_least(LOCALS, warps * local),
       *all_shared = at_least(SHARED_BYTES, 2 * resident * shared);
    struct cell *shadow = at_least(SHADOWS, resident * cells * sizeof *shadow);
    struct warp *w = at_least(WARPS, warps * sizeof *w);
    for (u32 i = 0; i < resident; i++) {
        b[i] = (struct block){.grid = g,
                              .shared = all_shared + 2 * i * shared,
                              .valid = all_shared + (2 * i + 1) * shared,
                              .shadow = shadow + i * cells,
                              .warp = w + (u64)i * g->warps_each};
        for (u32 j = 0; j < g->warps_each; j++) {
            struct warp *x = &b[i].warp[j];
            x->block = &b[i];
            x->index = j;
            x->pool = k->pool;
            x->regs = all_regs + ((u64)i * g->warps_each + j) * regs;
            x->local = all_local + ((u64)i * g->warps_each + j) * local;
        }
    }
}

static u32 special_value(const struct warp *w, u32 which, u32 lane)
{
    const struct grid *g = w->block->grid;
    u32 t = w->index * LANES + lane, x = t % g->threads[0], y = t / g->threads[0] % g->threads[1],
        z = t / g->threads[0] / g->threads[1];
    const u32 all[] = {x,
                       y,
                       z,
                       g->threads[0],
                       g->threads[1],
                       g->threads[2],
                       w->block->id[0],
                       w->block->id[1],
                       w->block->id[2],
                       g->blocks[0],
                       g->blocks[1],
                       g->blocks[2],
                       lane,
                       w->index,
                       1u << lane,
                       (1u << lane) - 1,
                       (2u << lane) - 1,
                       ~((2u << lane) - 1),
                       ~((1u << lane) - 1)};
    return all[which];
}

static void begin_warp(struct warp *w)
{
    const struct grid *g = w->block->grid;
    u32 left = g->threads_each - w->index * LANES;
    w->live = left >= LANES ? ~0u : (1u << left) - 1;
    w->groups = 1;
    w->current = 0;
    w->group[0] = (struct group){0, w->live, READY, 0};
    w->waits = false;
    w->carry = 0;
    w->synced = 0;
    for (u32 i = 0; i < g->kernel->specials; i++) {
        u32 *d = (u32 *)(w->regs + g->kernel->special[i].at);
        for (u32 l = 0; l < LANES; l++) d[l] = special_value(w, g->kernel->special[i].which, l);
    }
}

static void begin_block(struct block *b, u32 linear)
{
    const struct grid *g = b->grid;
    const struct kernel *k = g->kernel;
    b->linear = linear;
    b->id[0] = linear % g->blocks[0];
    b->id[1] = linear / g->blocks[0] % g->blocks[1];
    b->id[2] = linear / g->blocks[0] / g->blocks[1];
    b->waiting = b->done = 0;
    b->begin = b->barrier = ++ptx_clock;
    memset(b->valid, 0, g->shared_bytes);
    for (u32 i = 0; i < k->shared_objects; i++)
        memset(b->valid + k->shared_object[i].from, 1, k->shared_object[i].to - k->shared_object[i].from);
    memset(b->valid + k->shared_bytes, 1, g->shared_bytes - k->shared_bytes);
    for (u32 j = 0; j < g->warps_each; j++) begin_warp(&b->warp[j]);
}

/* ---- barriers ---- */

static u32 voted(const struct block *b, const struct op *op, const struct warp *w)
{
    return *(const u32 *)place(w, op->r[1]) & w->group[w->current].mask & (b ? ~0u : 0);
}

static void reduce(struct block *b, const struct op *op)
{
    u32 yes = 0, all = 0;
    for (u32 j = 0; j < b->grid->warps_each; j++)
        if (b->warp[j].waits) {
            yes += (u32)__builtin_popcount(voted(b, op, &b->warp[j]));
            all += (u32)__builtin_popcount(b->warp[j].live);
        }
    for (u32 j = 0; j < b->grid->warps_each; j++) {
        struct warp *w = &b->warp[j];
        if (!w->waits) continue;
        u32 *d = place(w, op->r[0]);
        if (op->mode == RED_POPC) {
            for (u32 left = w->live; left; left &= left - 1) d[__builtin_ctz(left)] = yes;
            continue;
        }
        bool said = op->mode == RED_OR ? yes != 0 : yes == all;
        *d = (*d & ~w->live) | (said ? w->live : 0);
    }
}

/* All warps that have not ended wait: they go on. */
static void release(struct block *b)
{
    const struct op *op = NULL, *mine;
    for (u32 j = 0; j < b->grid->warps_each; j++) {
        struct warp *w = &b->warp[j];
        if (!w->waits) continue;
        mine = &b->grid->kernel->op[w->group[w->current].pc];
        if (op && op != mine)
            fault(w, mine, -1, "barriers in divergent code: another warp of the block waits at line %u of the PTX",
                  op->line);
        op = mine;
    }
    if (op->code == OP_bar_red) reduce(b, op);
    for (u32 j = 0; j < b->grid->warps_each; j++) {
        struct warp *w = &b->warp[j];
        if (!w->waits) continue;
        w->waits = false;
        w->group[w->current].state = READY;
        w->group[w->current].pc++;
    }
    b->waiting = 0;
    b->barrier = ++ptx_clock;
}

static void __attribute__((noreturn)) stuck(struct block *b)
{
    for (u32 j = 0; j < b->grid->warps_each; j++) {
        struct warp *w = &b->warp[j];
        for (u32 g = 0; g < w->groups; g++)
            if (w->live && !w->waits)
                fault(w, &b->grid->kernel->op[w->group[g].pc], -1,
                      "nothing goes on: lanes %08x wait here for lanes %08x%s", w->group[g].mask,
                      w->group[g].state == WAIT_SYNC ? w->group[g].members : w->live,
                      w->group[g].state == WAIT_BAR ? "; barriers in divergent code" : "");
    }
    fault(&b->warp[0], NULL, -1, "nothing goes on");
}

/* A turn of each warp of a block. Whether one of them ran. Where lines are counted, parted lanes meet again as soon as
 * they can, as on a GPU; otherwise they may go on alone for a while. */
static bool turn(struct block *b)
{
    u32 n = b->grid->warps_each, first = (u32)chance(n);
    bool ran = false;
    for (u32 i = 0; i < n; i++) {
        struct warp *w = &b->warp[(i + first) % n];
        if (!w->live || w->waits) continue;
        bool small = !chance(4);
        if (warp_run(w, (u32)(1 + chance(small ? SHORT_TURN : TURN)), w->groups > 1 && !options.counts && !chance(8)))
            ran = true;
        if (b->waiting && b->waiting == n - b->done) release(b);
    }
    return ran;
}

void grid_run(struct kernel *k, const u32 blocks[3], const u32 threads[3], u32 dynamic_shared, const void *params,
              int device)
{
    struct block b[RESIDENT_MAX];
    struct grid g = {.kernel = k,
                     .params = (u8 *)(uintptr_t)params,
                     .device = device,
                     .all = blocks[0] * blocks[1] * blocks[2]};
    memcpy(g.blocks, blocks, sizeof g.blocks);
    memcpy(g.threads, threads, sizeof g.threads);
    g.threads_each = threads[0] * threads[1] * threads[2];
    g.warps_each = (g.threads_each + LANES - 1) / LANES;
    g.shared_bytes = k->shared_bytes + dynamic_shared;
    g.begin = ++ptx_clock;
    k->launches++;
    u32 resident = g.all < options.resident ? g.all : options.resident, next = 0, busy = 0;
    place_blocks(&g, b, resident);
    for (; busy < resident; busy++) begin_block(&b[busy], next++);
    while (busy) {
        bool ran = false;
        u32 first = (u32)chance(busy);
        for (u32 i = 0; i < busy; i++) ran |= turn(&b[(i + first) % busy]);
        if (!ran) stuck(&b[0]);
        for (u32 i = 0; i < busy; i++) {
            if (b[i].done < g.warps_each) continue;
            if (next < g.all) {
                begin_block(&b[i], next++);
                continue;
            }
            struct block keep = b[i]; /* its place goes to the end */
            b[i] = b[--busy];
            b[busy] = keep;
            for (u32 j = 0; j < g.warps_each; j++) b[i].warp[j].block = &b[i];
            i--;
        }
    }
    ptx_clock++;
}
