/* cslp_codes.h - the sequential half of CSLP, on the host, with preferences that a device found: one byte per position.
 *
 * The GPUs that a row prefers depend on hotness only. The device writes a code per position: the GPU of the highest
 * local hotness (a code below `gpus`), or another code when several GPUs tie. It also sums, per block of CSLP_BLOCK
 * positions and per GPU, the bytes of the rows that prefer this GPU alone. The host then places block after block:
 *
 *   - Every GPU has room for all rows of the block that may come to it, and no row ties: the owners are the codes, and
 *     the sums are subtracted from the room. The host looks at no position.
 *   - The same, but rows tie: positions are placed in order, because the most room left decides. This chain is
 *     sequential: one subtraction per position, one comparison per tied GPU.
 *   - Some GPU may become full: every position is checked. A row whose preferred GPUs are full goes to the hottest GPU
 *     with room (the spill rule), for which the host asks for the local hotness of the block.
 *
 * A GPU without room for the smallest row left is removed from the preferences: cslp_place ends, and the caller has the
 * device make new codes for the rest. So blocks are as fast after a GPU is full as before.
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

/* Sums of a block: [gpus] bytes of rows that prefer a GPU alone, then bytes and number of the rows that tie, and the
 * bytes of the smallest row. */
enum { CSLP_TIED_BYTES, CSLP_TIES, CSLP_SMALLEST, CSLP_EXTRAS };

/* The code of a mask of preferred GPUs, of up to 8 GPUs, and back. One GPU has its index as code, and several have
 * their mask, except that masks 3, 5, 6 and 7, which are indexes too, become 8, 16, 32 and 64, which as masks stand for
 * one GPU and are free. With more GPUs a tie has the code CSLP_TIED, and masks come in a list of their own. */
EVERYWHERE uint8_t cslp_code_of_mask(uint8_t mask)
{
    uint8_t g = 0;
    if (!(mask & (mask - 1))) {
        while (mask >> (g + 1)) g++;
        return g;
    }
    return mask == 3 ? 8 : mask == 5 ? 16 : mask == 6 ? 32 : mask == 7 ? 64 : mask;
}
EVERYWHERE uint8_t cslp_mask_of_code(uint8_t code)
{
    return code == 8 ? 3 : code == 16 ? 5 : code == 32 ? 6 : code == 64 ? 7 : code;
}
/* 64-bit words of a mask in that list; 0 for up to 8 GPUs. */
EVERYWHERE int cslp_mask_words(int gpus) { return gpus <= CSLP_BYTE_GPUS ? 0 : (gpus + 63) / 64; }

/* Consecutive positions with their codes. GPUs that are `left_out` are in no code. */
struct cslp_codes {
    int gpus;
    uint64_t count;
    const uint8_t *code;   /* [count] */
    const uint64_t *bytes; /* [count] bytes of the rows; NULL: row_bytes each */
    uint64_t row_bytes;
    const uint64_t *sums; /* [blocks][gpus + CSLP_EXTRAS] */
    const uint64_t *mask; /* [ties][words] masks of the tied positions, in order; only with more than 8 GPUs */
    bool left_out[KERNEL_GPUS_MAX];
};

/* Asks for the local hotness of positions from..from+count-1: *hot is [count][gpus], valid until the next call. */
typedef enum st (*cslp_local)(void *of, uint64_t from, uint64_t count, const uint32_t **hot, struct err *err);

/* The sums of a block. */
static inline const uint64_t *cslp_sums(const struct cslp_codes *c, uint64_t block)
{
    return c->sums + block * ((uint64_t)c->gpus + CSLP_EXTRAS);
}

/* Whether every GPU has room for all rows of a block that may come to it. */
static inline bool cslp_room_for_all(const struct cslp_codes *c, const uint64_t *sums, const uint64_t *room)
{
    bool enough = true;
    for (int g = 0; g < c->gpus; g++) enough &= c->left_out[g] || room[g] >= sums[g] + sums[c->gpus + CSLP_TIED_BYTES];
    return enough;
}

/* The GPU for tied position i; *mask moves to the next tie's. */
static inline int cslp_tie(const struct cslp_codes *c, uint64_t i, const uint64_t **mask, uint64_t bytes,
                           const uint64_t *room)
{
    struct cslp_preference p = {{0}};
    if (c->gpus <= CSLP_BYTE_GPUS) p.top[0] = cslp_mask_of_code(c->code[i]);
    for (int word = 0; word < cslp_mask_words(c->gpus); word++) p.top[word] = *(*mask)++;
    return cslp_preferred(&p, bytes, room);
}

/* The room of up to 8 GPUs as keys: room << 3 | 7 - index. The largest key is the most room at the lowest index, so the
 * choice is a maximum without branches. */
enum { CSLP_KEY_BITS = 3 };
static inline uint64_t cslp_largest(const uint64_t key[CSLP_BYTE_GPUS], unsigned mask)
{
    uint64_t best[CSLP_BYTE_GPUS];
    for (int g = 0; g < CSLP_BYTE_GPUS; g++) best[g] = key[g] & (0 - (uint64_t)(mask >> g & 1));
    for (int far = CSLP_BYTE_GPUS / 2; far; far /= 2)
        for (int g = 0; g < far; g++) best[g] = best[g] > best[g + far] ? best[g] : best[g + far];
    return best[0];
}

/* Places the rows of a block with room for all, with keys. each: bytes of every row; NULL: `same` bytes. */
static inline __attribute__((always_inline)) void cslp_place_keys(const uint8_t *__restrict__ code,
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

/* Places positions from..to-1 of a block with room for all; cslp_keys_fit holds. */
static inline void cslp_place_keyed(const struct cslp_codes *c, uint64_t from, uint64_t to, uint64_t *room,
                                    uint8_t *owner)
{
    uint64_t key[CSLP_BYTE_GPUS] = {0};
    for (int g = 0; g < c->gpus; g++) key[g] = room[g] << CSLP_KEY_BITS | (uint64_t)(CSLP_BYTE_GPUS - 1 - g);
    if (c->bytes) cslp_place_keys(c->code + from, c->bytes + from, 0, to - from, c->gpus, key, owner + from);
    else cslp_place_keys(c->code + from, 0, c->row_bytes, to - from, c->gpus, key, owner + from);
    for (int g = 0; g < c->gpus; g++) room[g] = key[g] >> CSLP_KEY_BITS;
}

/* Whether keys can hold the room: up to 8 GPUs, each with less than 2^61 bytes. */
static inline bool cslp_keys_fit(const struct cslp_codes *c, const uint64_t *room)
{
    bool fit = c->gpus <= CSLP_BYTE_GPUS;
    for (int g = 0; g < c->gpus; g++) fit &= !(room[g] >> (64 - CSLP_KEY_BITS));
    return fit;
}

/* The same with any number of GPUs. */
static inline void cslp_place_ties(const struct cslp_codes *c, uint64_t from, uint64_t to, const uint64_t **mask,
                                   uint64_t *room, uint8_t *owner)
{
    for (uint64_t i = from; i < to; i++) {
        uint64_t bytes = c->bytes ? c->bytes[i] : c->row_bytes;
        int g = c->code[i] >= c->gpus ? cslp_tie(c, i, mask, bytes, room) : c->code[i];
        room[g] -= bytes;
        owner[i] = (uint8_t)g;
    }
}

/* cslp_spill with the row's local hotness in hot[gpus]. */
static inline int cslp_spill_of(int gpus, const uint32_t *hot, uint64_t bytes, const uint64_t *room)
{
    int best = -1;
    for (int g = 0; g < gpus; g++)
        if (room[g] >= bytes && (best < 0 || hot[g] > hot[best] || (hot[g] == hot[best] && room[g] > room[best])))
            best = g;
    return best;
}

/* Places positions from..to-1 where GPUs may become full; hot: [to - from][gpus]. Returns the first position that fits
 * nowhere, or `to`. */
static inline uint64_t cslp_place_checked(const struct cslp_codes *c, uint64_t from, uint64_t to, const uint64_t **mask,
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

/* Bytes of the smallest row of blocks from..blocks-1. */
static inline uint64_t cslp_smallest(const struct cslp_codes *c, uint64_t from, uint64_t blocks)
{
    uint64_t smallest = UINT64_MAX;
    for (; from < blocks; from++) {
        uint64_t here = cslp_sums(c, from)[c->gpus + CSLP_SMALLEST];
        smallest = here < smallest ? here : smallest;
    }
    return smallest;
}

/* Whether a GPU that is in the codes has no room for a row of `smallest` bytes. */
static inline bool cslp_any_full(const struct cslp_codes *c, uint64_t smallest, const uint64_t *room)
{
    bool full = false;
    for (int g = 0; g < c->gpus; g++) full |= !c->left_out[g] && room[g] < smallest;
    return full;
}

/* Why placing ended. */
enum cslp_end {
    CSLP_ALL,    /* all positions are placed */
    CSLP_NO_FIT, /* a row fits nowhere */
    CSLP_NEW     /* a GPU became full: new codes without it are wanted */
};

/* Places positions in order. local, of: the function that is asked for local hotness, and its argument. renew: the
 * caller can make new codes without full GPUs. room: [gpus] bytes left, reduced; owner: [count]; *placed: positions
 * placed, a prefix. Errors are those of `local`. */
static inline enum st cslp_place(const struct cslp_codes *c, cslp_local local, void *of, bool renew, uint64_t *room,
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
        if (cslp_room_for_all(c, sums, room)) {
            if (!sums[c->gpus + CSLP_TIES]) {
                for (int g = 0; g < c->gpus; g++) room[g] -= sums[g];
                memcpy(owner + from, c->code + from, to - from);
            } else if (cslp_keys_fit(c, room)) cslp_place_keyed(c, from, to, room, owner);
            else cslp_place_ties(c, from, to, &mask, room, owner);
            continue;
        }
        const uint32_t *hot = 0;
        enum st st = local(of, from, to - from, &hot, err);
        if (st != ST_OK) return st;
        *placed = cslp_place_checked(c, from, to, &mask, hot, room, owner);
        if (*placed < to) {
            *end = CSLP_NO_FIT;
            return ST_OK;
        }
        if (renew && to < c->count && cslp_any_full(c, cslp_smallest(c, b + 1, blocks), room)) {
            *end = CSLP_NEW;
            return ST_OK;
        }
    }
    return ST_OK;
}

#endif
