/* builder_renumber.h - 64-bit ids to dense ones, in ascending order. */
#ifndef TRACES_BUILDER_BUILDER_RENUMBER_H
#define TRACES_BUILDER_BUILDER_RENUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include "traces/builder/builder_spill.h"

/* Collects the ids of `wide` (u64 pairs), ascending and once each, into *ids[*count] (int64; caller frees with
 * mem_free), and appends the same arcs as u32 pairs of dense ids to `dense`. ST_LIMIT when there are too many ids. */
enum st renumber_ids(const struct spill *wide, struct spill *dense, int threads, int64_t **ids, uint64_t *count,
                     struct err *err) MUST_USE;

/* Position of `id` in ids[count] (ascending), or UINT64_MAX. */
uint64_t renumber_find(const int64_t *ids, uint64_t count, int64_t id);

#endif
