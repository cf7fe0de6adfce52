/* builder_renumber.h - 64-bit ids to dense ones, in ascending order. */
#ifndef TRACES_BUILDER_BUILDER_RENUMBER_H
#define TRACES_BUILDER_BUILDER_RENUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include "traces/builder/builder_spill.h"

/* Collects the ids of `wide` (pairs of u64), each once, into *ids[*count] (ascending; the caller frees it with
 * mem_free), and appends the same arcs as pairs of u32 to `dense`: an id becomes its position in *ids. ST_LIMIT beyond
 * 2^32 - 2 ids, or when memory or disk is out. Memory: 16 bytes per id, and a chunk of 64 MiB. */
enum st renumber_ids(const struct spill *wide, struct spill *dense, int threads, int64_t **ids, uint64_t *count,
                     struct err *err) MUST_USE;

/* Position of `id` in ids[count] (ascending); UINT64_MAX when it is not there. */
uint64_t renumber_find(const int64_t *ids, uint64_t count, int64_t id);

#endif
