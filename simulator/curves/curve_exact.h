/* curve_exact.h - hits of a stream of requests under caches of many sizes, exactly and in one pass (model/replay.md).
 *
 * Sizes are capacities in rows, or in bytes where rows differ in size (`bytes`); ascending. Two orders need one pass:
 *
 *   - A ranking. A static cache of a size holds the longest prefix of the ranking that fits, so its hits are a prefix
 *     sum of the rows' requests. It is filled beforehand: no request misses because the cache was still empty.
 *   - LRU (Mattson et al. 1970). It holds the rows used last, as many as fit, so a request hits in every cache that has
 *     room for the row and all rows used since its last use: its reuse distance. With rows of several sizes it evicts
 *     until the new row fits; a row is held as long as no more than the capacity was used since, itself included.
 *     Admission is per request: with admission per mini-batch a cache's order depends on its size, so one pass cannot
 *     give all.
 */
#ifndef SIMULATOR_CURVES_CURVE_EXACT_H
#define SIMULATOR_CURVES_CURVE_EXACT_H

#include "simulator/replay/stream.h"

struct curve_sizes {
    const uint64_t *capacity; /* [count] ascending: rows, or bytes */
    uint64_t count;
    const uint64_t *bytes; /* [ids] of each row; NULL: capacities are in rows */
};

/* Size of a row in the unit of the capacities. */
static inline uint64_t curve_size_of(const struct curve_sizes *s, uint32_t id) { return s->bytes ? s->bytes[id] : 1; }

/* hits: [sizes->count], set to the requests that hit under LRU, from an empty cache on. Takes 4 bytes per id and 2 bits
 * per request. ST_LIMIT for memory. */
enum st curve_exact_lru(const struct stream *s, const struct curve_sizes *sizes, uint64_t *hits, struct err *err)
    MUST_USE;

/* requested: [ids], set to the requests of each row. */
void curve_exact_requests(const struct stream *s, uint64_t *requested);

/* hits: [sizes->count], set to the requests that static caches of order[0..rows) answer; rows: distinct. held: [sizes->
 * count], set to the rows of each; may be NULL. */
void curve_exact_ranked(const uint64_t *requested, const uint32_t *order, uint64_t rows,
                        const struct curve_sizes *sizes, uint64_t *hits, uint64_t *held);

#endif
