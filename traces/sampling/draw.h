/* draw.h - uniform draws without replacement, and the transactions that they touch. */
#ifndef TRACES_SAMPLING_DRAW_H
#define TRACES_SAMPLING_DRAW_H

#include <stdint.h>
#include "base/draws.h"
#include "base/status.h"

/* Scratch of one thread: an open-addressing set of numbers, emptied by a new tick. */
struct draw_set {
    uint32_t *member, *tick; /* [mask + 1] */
    uint64_t *bits;          /* one per position of a short row; all 0 between calls */
    uint32_t mask, now;
};
/* A set for up to `most` numbers at once; free it with draw_set_free. ST_LIMIT when memory is out. */
enum st draw_set_new(struct draw_set *s, uint32_t most, struct err *err) MUST_USE;
/* Frees what s owns; a zeroed struct is allowed. */
void draw_set_free(struct draw_set *s);

/* out[count]: distinct positions of 0..degree-1, every subset equally likely (Floyd's algorithm; exactly uniform
 * numbers by Lemire's rejection). 1 <= count < degree; count <= the set's most. */
void draw_distinct(struct draw_set *s, const struct draw_key *key, uint32_t degree, uint32_t count, uint32_t *out);

/* The same from words that draw_words made. count <= DRAW_TOGETHER. */
enum { DRAW_TOGETHER = 32 };
void draw_distinct_of(struct draw_set *s, const struct draw_key *key, const struct rng_block *words, uint32_t degree,
                      uint32_t count, uint32_t *out);
/* The random words of `count` draws of each of some vertices, like->vertex aside; several are computed side by side.
 * words: [draw_words_room], (count + 3) / 4 blocks per visit. count <= DRAW_TOGETHER. */
void draw_words(const struct draw_key *like, const uint32_t *vertex, uint32_t visits, uint32_t count,
                struct rng_block *words);
static inline uint64_t draw_words_room(uint64_t visits, uint64_t count) { return visits * ((count + 3) / 4) + 16; }

/* A number of 0..range-1, exactly uniform, from words lane and lane + 1 of block number `block`, which *words holds;
 * further blocks are computed when it is rejected. range >= 1. */
uint64_t draw_wide(const struct draw_key *key, uint32_t block, uint32_t lane, const struct rng_block *words,
                   uint64_t range);

/* Two 64-bit words: pair number `pair` of a visit that may need one word per neighbour of a row. Its counter is apart
 * from that of draws_block. */
static inline struct rng_block draw_counter(const struct draw_key *key, uint32_t pair)
{
    return rng_philox(key->seed ^ 0x77656967687473u ^ (uint64_t)(key->hop + 1) << 56, key->vertex, key->batch, key->who,
                      pair);
}

/* -ln(word / 2^64) in units of 2^-DRAW_LOG_BITS (65 ln 2 for word 0), in integers: the same on every machine, never
 * above the true value and within 2^-50 of it. */
enum { DRAW_LOG_BITS = 58 };
uint64_t draw_exponential(uint64_t word);

/* How many distinct lines of line_bytes bytes the entries positions[count] (4 bytes each) of a row touch, which begins
 * at byte `start` and has `degree` entries. */
uint64_t draw_lines(struct draw_set *s, const uint32_t *positions, uint32_t count, uint64_t start, uint64_t degree,
                    uint64_t line_bytes);

#endif
