/* storage_dynamic.h - replacement rules in DRAM, in place of a planned list of feature rows.
 *
 * One cache serves all GPUs of the server, as GraphBolt's CPU cache does. Its requests are the feature rows that no GPU
 * in reach holds, mini-batch by mini-batch, GPUs round robin (stream.h); it begins empty and admits after each
 * mini-batch. Missed rows are read from the SSDs, where feature rows lie in the order of ids.
 */
#ifndef SIMULATOR_STORAGE_STORAGE_DYNAMIC_H
#define SIMULATOR_STORAGE_STORAGE_DYNAMIC_H

#include "simulator/caches/cache.h"
#include "simulator/storage/storage.h"

struct storage_cache {
    struct cache_counts rows; /* requests, misses, .. over all epochs */
    uint64_t blocks;          /* read from the SSDs, over all epochs */
};

/* Runs `count` rules with a capacity of `rows` rows each. out: [count]. Takes 4 bytes per request (twice that while
 * GPUs are interleaved, 4 more for rules that know the future), n / 8 bytes per GPU and the rules' states. Errors as
 * stream_draw and cache_run. */
enum st storage_dynamic(const struct replay_request *r, const struct placement *p, uint64_t block_bytes, uint64_t rows,
                        const struct cache *const *cache, int count, struct storage_cache *out, struct err *err)
    MUST_USE;

#endif
