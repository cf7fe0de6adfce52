/* cslp_codes.h - the half of CSLP that has an order, over preferences that a device found: one byte per position.
 *
 * What a position prefers depends on hotness only: the GPU of highest local hotness (a code below `gpus`), or several
 * that tie (another code). A device finds codes for all positions at once, and adds up, per block of CSLP_BLOCK
 * positions and GPU, the bytes of the rows that prefer it alone. Rooms only shrink, so when every GPU has room for
 * all that may come to it in a block, nobody can be full inside it, and
 *   - a block without ties is settled by subtracting its sums: its owners are its codes, and the host touches no
 *   position;
 *   - ties of a block are settled one after the other, because the most room left decides, which every position
 *     before had its part in. This chain is as long as the list and stays sequential: one subtraction per position,
 *     one comparison per tied GPU.
 * A block in which some GPU may be full is walked with care: a row whose preferred GPUs have no room goes to the
 * hottest that has (the spill rule), for which the local hotness of the block's rows is asked for. GPUs without room
 * for the smallest row that is left are taken out of the preferences (the caller then has codes made anew for what
 * remains), so that blocks after a GPU is full are as quick as those before.
 */
#ifndef KERNELS_CSLP_CODES_H
#define KERNELS_CSLP_CODES_H

#include <stdbool.h>
#include <string.h>
#include "kernels/cslp_walk.h"

enum {
    CSLP_BLOCK = 2048,
    CSLP_BYTE_GPUS = 8,
    CSLP_TIED = 255,
    CSLP_ROW_BITS = 48 /* rows are shorter than 2^48 bytes, so a block's sums do not overflow */
};

/* What is summed per block: [gpus] bytes of rows that prefer a GPU alone, then these. */
enum { CSLP_TIED_BYTES, CSLP_TIES, CSLP_SMALLEST, CSLP_EXTRAS };

/* With up to 8 GPUs the code says which ones tie: the mask itself, except that 3, 5, 6 and 7, which stand for GPUs,
 * become 8, 16, 32 and 64, which are masks of one GPU and so free. With more GPUs it is CSLP_TIED, and masks come
 * apart. */
#ifdef __CUDACC__
#define CSLP_FUNCTION static __host__ __device__ inline
#else
#define CSLP_FUNCTION static inline
#endif
CSLP_FUNCTION uint8_t cslp_code_of_mask(uint8_t mask)
{
    uint8_t g = 0;
    if (!(mask & (mask - 1))) {
        while (mask >> (g + 1)) g++;
        return g;
    }
    return mask == 3 ? 8 : mask == 5 ? 16 : mask == 6 ? 32 : mask == 7 ? 64 : mask;
}
CSLP_FUNCTION uint8_t cslp_mask_of_code(uint8_t code)
{
    return code == 8 ? 3 : code == 16 ? 5 : code == 32 ? 6 : code == 64 ? 7 : code;
}
CSLP_FUNCTION int cslp_mask_words(int gpus) { return gpus <= CSLP_BYTE_GPUS ? 0 : (gpus + 63) / 64; }

/* Consecutive positions whose codes are known. `left_out` GPUs are in no code. */
struct cslp_codes {
    int gpus;
    uint64_t count;
    const uint8_t *code;   /* [count] */
    const uint64_t *bytes; /* [count] of the rows; NULL: row_bytes each */
    uint64_t row_bytes;
    const uint64_t *sums; /* [blocks][gpus + CSLP_EXTRAS] */
    const uint64_t *mask; /* [ties][words] of the tied positions, in order; more than 8 GPUs only */
    bool left_out[KERNEL_GPUS_MAX];
};

/* Local hotness of positions from..from+count-1: [count][gpus]. Lives until the next call. */
typedef enum st (*cslp_local)(void *of, uint64_t from, uint64_t count, const uint32_t **hot, struct err *err);

static inline const uint64_t *cslp_sums(const struct cslp_codes *c, uint64_t block)
{
    return c->sums + block * ((uint64_t)c->gpus + CSLP_EXTRAS);
}

/* Whether no GPU can be full in this block. */
static inline bool cslp_roomy(const struct cslp_codes *c, const uint64_t *sums, const uint64_t *room)
{
    bool roomy = true;
    for (int g = 0; g < c->gpus; g++) roomy &= c->left_out[g] || room[g] >= sums[g] + sums[c->gpus + CSLP_TIED_BYTES];
    return roomy;
}

static inline int cslp_tie(const struct cslp_codes *c, uint64_t i, const uint64_t **mask, uint64_t bytes,
                           const uint64_t *room)
{
    struct cslp_preference w = {{0}};
    if (c->gpus <= CSLP_BYTE_GPUS) w.top[0] = cslp_mask_of_code(c->code[i]);
    for (int word = 0; word < cslp_mask_words(c->gpus); word++) w.top[word] = *(*mask)++;
    return cslp_preferred(&w, bytes, room);
}

/* Rooms of up to 8 GPUs as keys of which the largest is the most room at the lowest index, so that a choice is a
 * maximum without branches. */
enum { CSLP_KEY_BITS = 3 };
static inline uint64_t cslp_largest(const uint64_t key[CSLP_BYTE_GPUS], unsigned mask)
{
    uint64_t best[CSLP_BYTE_GPUS];
    for (int g = 0; g < CSLP_BYTE_GPUS; g++) best[g] = key[g] & (0 - (uint64_t)(mask >> g & 1));
    for (int far = CSLP_BYTE_GPUS / 2; far; far /= 2)
        for (int g = 0; g < far; g++) best[g] = best[g] > best[g + far] ? best[g] : best[g + far];
    return best[0];
}

/* Ties of a roomy block of up to 8 GPUs. Rooms are below 2^61 here (cslp_keyed). each: bytes of every row, or NULL
 * and `same`. */
static inline __attribute__((always_inline)) void cslp_settle_keys(const uint8_t *__restrict__ code,
                                                                   const uint64_t *__restrict__ each, uint64_t same,
                                                                   uint64_t count, int gpus, uint64_t *__restrict__ key,
                                                                   uint8_t *__restrict__ owner)
{
    for (uint64_t i = 0; i < count; i++) {
        unsigned g = code[i];
        uint64_t bytes = each ? each[i] : same;
        if (g >= (unsigned)gpus) {
            unsigned mask = cslp_mask_of_code((uint8_t)g), rest = mask & (mask - 1);
            int a = __builtin_ctz(mask), b = __builtin_ctz(rest);
            uint64_t most = rest & (rest - 1) ? cslp_largest(key, mask) : key[a] > key[b] ? key[a] : key[b];
            g = (CSLP_BYTE_GPUS - 1) - (most & (CSLP_BYTE_GPUS - 1));
        }
        key[g] -= bytes << CSLP_KEY_BITS;
        owner[i] = (uint8_t)g;
    }
}

static inline void cslp_settle_bytes(const struct cslp_codes *c, uint64_t from, uint64_t to, uint64_t *room,
                                     uint8_t *owner)
{
    uint64_t key[CSLP_BYTE_GPUS] = {0};
    for (int g = 0; g < c->gpus; g++) key[g] = room[g] << CSLP_KEY_BITS | (uint64_t)(CSLP_BYTE_GPUS - 1 - g);
    if (c->bytes) cslp_settle_keys(c->code + from, c->bytes + from, 0, to - from, c->gpus, key, owner + from);
    else cslp_settle_keys(c->code + from, 0, c->row_bytes, to - from, c->gpus, key, owner + from);
    for (int g = 0; g < c->gpus; g++) room[g] = key[g] >> CSLP_KEY_BITS;
}

/* Whether keys can hold the rooms. */
static inline bool cslp_keyed(const struct cslp_codes *c, const uint64_t *room)
{
    bool keyed = c->gpus <= CSLP_BYTE_GPUS;
    for (int g = 0; g < c->gpus; g++) keyed &= !(room[g] >> (64 - CSLP_KEY_BITS));
    return keyed;
}

static inline void cslp_settle_ties(const struct cslp_codes *c, uint64_t from, uint64_t to, const uint64_t **mask,
                                    uint64_t *room, uint8_t *owner)
{
    for (uint64_t i = from; i < to; i++) {
        uint64_t bytes = c->bytes ? c->bytes[i] : c->row_bytes;
        int g = c->code[i] >= c->gpus ? cslp_tie(c, i, mask, bytes, room) : c->code[i];
        room[g] -= bytes;
        owner[i] = (uint8_t)g;
    }
}

static inline int cslp_spill_of(int gpus, const uint32_t *hot, uint64_t bytes, const uint64_t *room)
{
    int best = -1;
    for (int g = 0; g < gpus; g++)
        if (room[g] >= bytes && (best < 0 || hot[g] > hot[best] || (hot[g] == hot[best] && room[g] > room[best])))
            best = g;
    return best;
}

/* The walk with care; hot: [to - from][gpus]. Returns the first position that fits nowhere, or `to`. */
static inline uint64_t cslp_careful(const struct cslp_codes *c, uint64_t from, uint64_t to, const uint64_t **mask,
                                    const uint32_t *hot, uint64_t *room, uint8_t *owner)
{
    for (uint64_t i = from; i < to; i++) {
        uint64_t bytes = c->bytes ? c->bytes[i] : c->row_bytes;
        int g = c->code[i] < c->gpus ? (room[c->code[i]] >= bytes ? c->code[i] : -1)
                                     : cslp_tie(c, i, mask, bytes, room);
        if (g < 0) g = cslp_spill_of(c->gpus, hot + (i - from) * (uint64_t)c->gpus, bytes, room);
        if (g < 0) return i;
        room[g] -= bytes;
        owner[i] = (uint8_t)g;
    }
    return to;
}

/* The smallest row of blocks from..blocks-1. */
static inline uint64_t cslp_smallest(const struct cslp_codes *c, uint64_t from, uint64_t blocks)
{
    uint64_t smallest = UINT64_MAX;
    for (; from < blocks; from++) {
        uint64_t here = cslp_sums(c, from)[c->gpus + CSLP_SMALLEST];
        smallest = here < smallest ? here : smallest;
    }
    return smallest;
}

/* Whether some GPU that is in the codes has no room for any row of a size of `smallest` and more. */
static inline bool cslp_filled(const struct cslp_codes *c, uint64_t smallest, const uint64_t *room)
{
    bool filled = false;
    for (int g = 0; g < c->gpus; g++) filled |= !c->left_out[g] && room[g] < smallest;
    return filled;
}

/* How far the positions of `c` came. */
enum cslp_end {
    CSLP_ALL,
    CSLP_FULL,
    CSLP_FILLED
}; /* all placed; one fits nowhere; a GPU is full, and codes without it are wanted */

/* Places positions in order. owner: [count]; *placed: how many, a prefix. renew: codes can be made without GPUs that
 * are full. */
static inline enum st cslp_settle(const struct cslp_codes *c, cslp_local local, void *of, bool renew, uint64_t *room,
                                  uint8_t *owner, uint64_t *placed, enum cslp_end *end, struct err *err)
{
    uint64_t blocks = (c->count + CSLP_BLOCK - 1) / CSLP_BLOCK;
    const uint64_t *mask = c->mask;
    *end = CSLP_ALL;
    *placed = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t *sums = cslp_sums(c, b), from = b * CSLP_BLOCK,
                       to = from + CSLP_BLOCK < c->count ? from + CSLP_BLOCK : c->count;
        *placed = to;
        if (cslp_roomy(c, sums, room)) {
            if (!sums[c->gpus + CSLP_TIES]) {
                for (int g = 0; g < c->gpus; g++) room[g] -= sums[g];
                memcpy(owner + from, c->code + from, to - from);
            } else if (cslp_keyed(c, room)) cslp_settle_bytes(c, from, to, room, owner);
            else cslp_settle_ties(c, from, to, &mask, room, owner);
            continue;
        }
        const uint32_t *hot = 0;
        enum st st = local(of, from, to - from, &hot, err);
        if (st != ST_OK) return st;
        *placed = cslp_careful(c, from, to, &mask, hot, room, owner);
        if (*placed < to) {
            *end = CSLP_FULL;
            return ST_OK;
        }
        if (renew && to < c->count && cslp_filled(c, cslp_smallest(c, b + 1, blocks), room)) {
            *end = CSLP_FILLED;
            return ST_OK;
        }
    }
    return ST_OK;
}

#endif
