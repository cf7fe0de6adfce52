/* exec.c - a warp runs (ptx.h). Its lanes are one group while they are together; where a branch parts them, the group
 * that is behind goes first, so that groups meet again; at a label, groups at the same place become one. Instructions
 * with .sync wait for their members. */
#include <math.h>
#include <string.h>
#include "tests/ptx/ops.h"
#include "tests/ptx/ptx.h"

u64 ptx_clock = 1;

/* ---- functions of expressions in ops.h ---- */

static inline u32 reversed(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}

/* PTX promises a relative error of at most 2^-23: the seed chooses one of the two values around 1/a. A power of two is
 * given for a power of two alone, because nvcc's own division of 128 bits drops the exponent and relies on that. */
static float approximate_rcp(float a)
{
    double exact = 1.0 / a;
    float near = (float)exact, other = nextafterf(near, (double)near < exact ? INFINITY : -INFINITY);
    u32 bits;
    memcpy(&bits, &other, sizeof bits);
    return !isfinite(near) || (double)near == exact || !(bits & 0x7fffff) || chance(2) ? near : other;
}

static inline u32 bit_mask(u32 a, u32 b)
{
    u64 low = a > 31 ? 0 : ~0u << a & 0xffffffff, to = (u64)(a & 31) + (b & 31);
    return (u32)(a > 31 || b > 31 || to > 31 ? low : low & ~(~0u << to));
}

/* The default mode: each of the four nibbles names a byte of b:a; bit 3 asks for its sign. */
static inline u32 permuted(u32 a, u32 b, u32 c)
{
    u64 from = (u64)b << 32 | a;
    u32 out = 0;
    for (int i = 0; i < 4; i++) {
        u32 which = c >> 4 * i, byte = (u32)(from >> 8 * (which & 7)) & 0xff;
        if (which & 8) byte = byte & 0x80 ? 0xff : 0;
        out |= byte << 8 * i;
    }
    return out;
}

static inline u64 bits_of(u64 a, u32 from, u32 count, u32 all)
{
    from &= 0xff, count &= 0xff;
    if (from >= all || !count) return 0;
    return count >= 64 ? a >> from : a >> from & ((1ull << count) - 1);
}

static inline u64 bits_into(u64 a, u64 b, u32 from, u32 count, u32 all)
{
    from &= 0xff, count &= 0xff;
    if (from >= all || !count) return b;
    u64 mask = (count >= 64 ? ~0ull : (1ull << count) - 1) << from;
    return (b & ~mask) | (a << from & mask);
}

/* ---- what lanes tell each other ---- */

static void shuffle(struct warp *w, const struct op *op, u32 mask)
{
    u32 *d = place(w, op->r[0]), *pred = place(w, op->r[1]), in = 0, out[LANES];
    const u32 *a = place(w, op->r[2]), *b = place(w, op->r[3]), *c = place(w, op->r[4]);
    for (u32 left = mask; left; left &= left - 1) {
        s32 lane = __builtin_ctz(left), by = (s32)(b[lane] & 31), clamp = (s32)(c[lane] & 31),
            seg = (s32)(c[lane] >> 8 & 31), most = (lane & seg) | (clamp & ~seg), least = lane & seg, from = lane;
        bool good = false;
        switch (op->mode) {
        case SHFL_UP: from = lane - by, good = from >= most; break;
        case SHFL_DOWN: from = lane + by, good = from <= most; break;
        case SHFL_BFLY: from = lane ^ by, good = from <= most; break;
        default: from = least | (by & ~seg), good = from <= most;
        }
        if (!good) from = lane;
        if (!(mask >> from & 1)) fault(w, op, lane, "shfl reads lane %d, which takes no part", from);
        out[lane] = a[from];
        in |= (u32)good << lane;
    }
    for (u32 left = mask; left; left &= left - 1) d[__builtin_ctz(left)] = out[__builtin_ctz(left)];
    *pred = (*pred & ~mask) | (in & mask);
}

static void vote(struct warp *w, const struct op *op, u32 mask)
{
    u32 yes = *(u32 *)place(w, op->r[1]) & mask;
    u32 *d = place(w, op->r[0]);
    if (op->mode == VOTE_BALLOT) {
        for (u32 left = mask; left; left &= left - 1) d[__builtin_ctz(left)] = yes;
        return;
    }
    bool said = op->mode == VOTE_ALL ? yes == mask : op->mode == VOTE_ANY ? yes != 0 : !yes || yes == mask;
    *d = (*d & ~mask) | (said ? mask : 0);
}

static void match_any(struct warp *w, const struct op *op, u32 mask)
{
    u32 *d = place(w, op->r[0]), out[LANES] = {0};
    const u8 *a = place(w, op->r[1]);
    for (u32 i = mask; i; i &= i - 1)
        for (u32 j = mask; j; j &= j - 1)
            if (!memcmp(a + __builtin_ctz(i) * op->width, a + __builtin_ctz(j) * op->width, op->width))
                out[__builtin_ctz(i)] |= j & -j;
    for (u32 left = mask; left; left &= left - 1) d[__builtin_ctz(left)] = out[__builtin_ctz(left)];
}

static void warp_synced(struct warp *w, u32 mask)
{
    if (mask == w->live) w->synced = ++ptx_clock;
    else {
        ptx_clock++;
        for (u32 i = mask; i; i &= i - 1)
            for (u32 j = mask; j; j &= j - 1) w->pair[__builtin_ctz(i)][__builtin_ctz(j)] = ptx_clock;
    }
}

/* ---- groups ---- */

static void drop_group(struct warp *w, u32 which)
{
    w->group[which] = w->group[--w->groups];
    if (w->current == w->groups) w->current = which;
}

/* Joins groups in the state of the current one at its place. */
static void join_groups(struct warp *w)
{
    struct group *here = &w->group[w->current];
    for (u32 g = 0; g < w->groups;) {
        struct group *other = &w->group[g];
        if (g == w->current || other->pc != here->pc || other->state != here->state) {
            g++;
            continue;
        }
        here->mask |= other->mask;
        bool moved = w->current == w->groups - 1;
        drop_group(w, g);
        if (moved) w->current = g;
        here = &w->group[w->current];
        g = 0;
    }
}

/* The ready group that is behind, or any; false: none is ready. */
static bool choose_group(struct warp *w, bool any)
{
    u32 best = LANES, ready = 0;
    for (u32 g = 0; g < w->groups; g++) {
        if (w->group[g].state != READY) continue;
        ready++;
        if (best == LANES || (any ? !chance(ready) : w->group[g].pc < w->group[best].pc)) best = g;
    }
    if (best == LANES) return false;
    w->current = best;
    return true;
}

/* Groups that wait at different bar.warp.sync of the same members go on when all are there. */
static bool release_scattered(struct warp *w)
{
    const struct op *code = w->block->grid->kernel->op;
    for (u32 g = 0; g < w->groups; g++) {
        u32 there = 0, members = w->group[g].members;
        if (w->group[g].state != WAIT_SYNC || code[w->group[g].pc].code != OP_warp_sync) continue;
        for (u32 h = 0; h < w->groups; h++)
            if (w->group[h].state == WAIT_SYNC && w->group[h].members == members &&
                code[w->group[h].pc].code == OP_warp_sync)
                there |= w->group[h].mask;
        if ((there & members) != (members & w->live)) continue;
        for (u32 h = 0; h < w->groups; h++)
            if (w->group[h].state == WAIT_SYNC && w->group[h].members == members &&
                code[w->group[h].pc].code == OP_warp_sync)
                w->group[h].state = READY, w->group[h].pc++;
        warp_synced(w, members & w->live);
        return true;
    }
    return false;
}

/* Members that have ended are not waited for. */
static bool release_ended(struct warp *w)
{
    bool any = false;
    for (u32 g = 0; g < w->groups; g++)
        if (w->group[g].state == WAIT_SYNC && !(w->group[g].members & w->live & ~w->group[g].mask))
            w->group[g].state = READY, any = true;
    return any;
}

static void part(struct warp *w, u32 taken, u32 target)
{
    struct group *here = &w->group[w->current];
    w->group[w->groups] = (struct group){target, taken, READY, 0};
    w->groups++;
    here->mask &= ~taken;
    here->pc++;
}

/* Whether the members of a .sync instruction are all here; otherwise the group waits. */
static bool gathered(struct warp *w, const struct op *op, u32 mask, u32 *members)
{
    struct group *here = &w->group[w->current];
    const u32 *said = place(w, op->r[5]);
    *members = said[__builtin_ctz(mask)];
    for (u32 left = mask; left; left &= left - 1)
        if (said[__builtin_ctz(left)] != *members) fault(w, op, __builtin_ctz(left), "lanes name different members");
    if (mask & ~*members)
        fault(w, op, __builtin_ctz(mask & ~*members), "a lane is not among the members %08x that it names", *members);
    if ((*members & w->live) == mask) return true;
    here->state = WAIT_SYNC;
    here->members = *members;
    join_groups(w);
    here = &w->group[w->current];
    if ((*members & w->live) != here->mask) return false;
    here->state = READY;
    return false; /* runs again, together */
}

/* Every lane of the warp that has not ended is at the barrier of the current group. */
static bool at_barrier(struct warp *w, const struct op *op)
{
    struct group *here = &w->group[w->current];
    here->state = WAIT_BAR;
    join_groups(w);
    here = &w->group[w->current];
    if (here->mask != w->live) {
        for (u32 g = 0; g < w->groups; g++)
            if (w->group[g].state == WAIT_BAR && w->group[g].pc != here->pc)
                fault(w, op, -1, "barriers in divergent code: lanes %08x wait here, lanes %08x at another", here->mask,
                      w->group[g].mask);
        return false;
    }
    w->waits = true;
    w->block->waiting++;
    return true;
}

static void end_lanes(struct warp *w, u32 mask)
{
    w->live &= ~mask;
    w->group[w->current].mask &= ~mask;
    if (!w->group[w->current].mask) drop_group(w, w->current);
    if (!w->live) w->block->done++;
}

/* After some lanes have ended: whether those that are left were at a barrier and waited for them. */
static bool rest_at_barrier(struct warp *w)
{
    for (u32 g = 0; g < w->groups; g++)
        if (w->group[g].state == WAIT_BAR && w->group[g].mask == w->live) {
            w->current = g;
            w->waits = true;
            w->block->waiting++;
            return true;
        }
    return false;
}

/* ---- the loop ---- */

#define EACH(mask, ...)                                                                                                \
    if (mask == ~0u) {                                                                                                 \
        _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++) { __VA_ARGS__ }                                           \
    } else {                                                                                                           \
        for (u32 left_ = mask; left_; left_ &= left_ - 1) {                                                            \
            int l = __builtin_ctz(left_);                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define CASE_UNARY(code, name, D, A, e)                                                                                \
    case OP_##code: {                                                                                                  \
        D *d = place(w, op->r[0]);                                                                                     \
        const A *pa = place(w, op->r[1]);                                                                              \
        EACH (m, A a = pa[l]; d[l] = e;) break;                                                                        \
    }
#define CASE_BINARY(code, name, D, A, B, e)                                                                            \
    case OP_##code: {                                                                                                  \
        D *d = place(w, op->r[0]);                                                                                     \
        const A *pa = place(w, op->r[1]);                                                                              \
        const B *pb = place(w, op->r[2]);                                                                              \
        EACH (m, A a = pa[l]; B b = pb[l]; d[l] = e;) break;                                                           \
    }
#define CASE_TERNARY(code, name, D, A, B, C, e)                                                                        \
    case OP_##code: {                                                                                                  \
        D *d = place(w, op->r[0]);                                                                                     \
        const A *pa = place(w, op->r[1]);                                                                              \
        const B *pb = place(w, op->r[2]);                                                                              \
        const C *pc_ = place(w, op->r[3]);                                                                             \
        EACH (m, A a = pa[l]; B b = pb[l]; C c = pc_[l]; d[l] = e;) break;                                             \
    }
#define CASE_COMPARE(code, name, T, e)                                                                                 \
    case OP_##code: {                                                                                                  \
        u32 *d = place(w, op->r[0]), yes = 0;                                                                          \
        const T *pa = place(w, op->r[1]), *pb = place(w, op->r[2]);                                                    \
        for (int l = 0; l < LANES; l++) {                                                                              \
            T a = pa[l], b = pb[l];                                                                                    \
            yes |= (u32)(e) << l;                                                                                      \
        }                                                                                                              \
        *d = (*d & ~m) | (yes & m);                                                                                    \
        break;                                                                                                         \
    }
#define CASE_SELECT(code, name, T)                                                                                     \
    case OP_##code: {                                                                                                  \
        T *d = place(w, op->r[0]);                                                                                     \
        const T *pa = place(w, op->r[1]), *pb = place(w, op->r[2]);                                                    \
        u32 yes = *(const u32 *)place(w, op->r[3]);                                                                    \
        EACH (m, d[l] = yes >> l & 1 ? pa[l] : pb[l];) break;                                                          \
    }
#define CASE_PREDICATE(code, name, n, e)                                                                               \
    case OP_##code: {                                                                                                  \
        u32 *d = place(w, op->r[0]), a = *(u32 *)place(w, op->r[1]), b = n > 1 ? *(u32 *)place(w, op->r[2]) : 0;       \
        (void)b;                                                                                                       \
        *d = (*d & ~m) | ((e)&m);                                                                                      \
        break;                                                                                                         \
    }
#define CASE_CARRY(code, name, T, W, n, reads, writes, e)                                                              \
    case OP_##code: {                                                                                                  \
        T *d = place(w, op->r[0]);                                                                                     \
        const T *pa = place(w, op->r[1]), *pb = place(w, op->r[2]), *pc_ = n > 2 ? place(w, op->r[3]) : pb;            \
        for (u32 left_ = m; left_; left_ &= left_ - 1) {                                                               \
            int l = __builtin_ctz(left_);                                                                              \
            T a = pa[l], b = pb[l], c = pc_[l], carry = reads ? w->carry >> l & 1 : 0;                                 \
            (void)c, (void)carry;                                                                                      \
            W wide = e;                                                                                                \
            d[l] = (T)wide;                                                                                            \
            if (writes) w->carry = (w->carry & ~(1u << l)) | (u32)(wide >> 8 * sizeof(T) & 1) << l;                    \
        }                                                                                                              \
        break;                                                                                                         \
    }

/* What is not an instruction of control. */
__attribute__((target_clones("avx2", "default"))) static void compute(struct warp *w, const struct op *op, u32 m)
{
    switch (op->code) {
        PTX_UNARY(CASE_UNARY)
        PTX_BINARY(CASE_BINARY)
        PTX_TERNARY(CASE_TERNARY)
        PTX_COMPARE(CASE_COMPARE)
        PTX_SELECT(CASE_SELECT)
        PTX_PREDICATE(CASE_PREDICATE)
        PTX_CARRY(CASE_CARRY)
    case OP_pack_2x32: {
        u64 *d = place(w, op->r[0]);
        const u32 *low = place(w, op->r[1]), *high = place(w, op->r[2]);
        EACH (m, d[l] = (u64)high[l] << 32 | low[l];) break;
    }
    case OP_unpack_2x32: {
        u32 *low = place(w, op->r[0]), *high = place(w, op->r[1]);
        const u64 *a = place(w, op->r[2]);
        EACH (m, low[l] = (u32)a[l]; high[l] = (u32)(a[l] >> 32);) break;
    }
    case OP_bfi_32: {
        u32 *d = place(w, op->r[0]);
        const u32 *a = place(w, op->r[1]), *b = place(w, op->r[2]), *c = place(w, op->r[3]), *n = place(w, op->r[4]);
        EACH (m, d[l] = (u32)bits_into(a[l], b[l], c[l], n[l], 32);) break;
    }
    case OP_bfi_64: {
        u64 *d = place(w, op->r[0]);
        const u64 *a = place(w, op->r[1]), *b = place(w, op->r[2]);
        const u32 *c = place(w, op->r[3]), *n = place(w, op->r[4]);
        EACH (m, d[l] = bits_into(a[l], b[l], c[l], n[l], 64);) break;
    }
    case OP_activemask: {
        u32 *d = place(w, op->r[0]);
        EACH (m, d[l] = m;) break;
    }
    case OP_load: access_load(w, op, m); break;
    case OP_store: access_store(w, op, m); break;
    case OP_atomic: access_atomic(w, op, m); break;
    case OP_nothing: break;
    default: fault(w, op, -1, "no meaning for %s", op_name(op->code));
    }
}

enum went { ON, SWITCH, STOPPED };

/* bra, ret, barriers and what waits for members; m != 0 but for bra. */
static enum went control(struct warp *w, const struct op *op, u32 m)
{
    struct group *here = &w->group[w->current];
    u32 members;
    switch (op->code) {
    case OP_bra:
        if (m == here->mask) here->pc = op->target;
        else if (!m) here->pc++;
        else part(w, m, op->target);
        return w->groups > 1 ? SWITCH : ON;
    case OP_ret: {
        bool all = m == here->mask;
        if (!all) here->pc++;
        end_lanes(w, m);
        return !w->live || rest_at_barrier(w) ? STOPPED : SWITCH;
    }
    case OP_trap: fault(w, op, __builtin_ctz(m), "the kernel trapped");
    case OP_bar_sync:
    case OP_bar_red:
        if (m != here->mask) fault(w, op, -1, "barriers in divergent code: some lanes skip this one");
        return at_barrier(w, op) ? STOPPED : SWITCH;
    default: break;
    }
    if (m != here->mask) { /* a predicated .sync: who skips it goes on alone */
        part(w, m, here->pc);
        return SWITCH;
    }
    if (!gathered(w, op, m, &members)) return SWITCH;
    switch (op->code) {
    case OP_shfl: shuffle(w, op, m); break;
    case OP_vote: vote(w, op, m); break;
    case OP_match_any: match_any(w, op, m); break;
    default: warp_synced(w, m);
    }
    here->pc++;
    return ON;
}

static bool choose_or_release(struct warp *w, bool any)
{
    return choose_group(w, any) || ((release_ended(w) || release_scattered(w)) && choose_group(w, any));
}

bool warp_run(struct warp *w, u32 fuel, bool any)
{
    struct kernel *k = w->block->grid->kernel;
    u32 ran = 0;
    if (!choose_or_release(w, any)) return false;
    while (ran < fuel) {
        struct group *here = &w->group[w->current];
        const struct op *op = &k->op[here->pc];
        u32 m = here->mask;
        if (op->leader && w->groups > 1) {
            join_groups(w);
            if (!any) (void)choose_group(w, false);
            here = &w->group[w->current];
            op = &k->op[here->pc];
            m = here->mask;
        }
        if (op->guard >= 0) {
            u32 p = *(const u32 *)(w->regs + op->guard);
            m &= op->negate ? ~p : p;
        }
        ran++;
        k->runs[here->pc]++;
        k->lanes[here->pc] += m == ~0u ? LANES : (u32)__builtin_popcount(m);
        if (op->code < OP_bra || (!m && op->code != OP_bra)) {
            if (m) compute(w, op, m);
            here->pc++;
            continue;
        }
        enum went went = control(w, op, m);
        if (went == STOPPED) return true;
        if (went == SWITCH && (!any || w->current >= w->groups || w->group[w->current].state != READY) &&
            !choose_or_release(w, any))
            return true;
    }
    return true;
}
