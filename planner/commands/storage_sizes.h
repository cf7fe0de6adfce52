/* storage_sizes.h - how much host memory and how many SSDs: one plan judged on lists of both (storage-sizes/1).
 *
 * {schema, plan{path, policy, server}, graph{..}, needed_bytes, all_in_dram_seconds, within, sizes[], answer}
 *   - needed_bytes: topology with offsets, and features; all_in_dram_seconds: an epoch that reads no SSD, null where it
 *     is not known
 *   - sizes[], by memory, each {host_memory_bytes, share, dram_hit_rate, blocks, ssd_bytes, disk_order, drives[{drives,
 *     name, ssd_seconds, ssd_limit, epoch_seconds, slower}]}: share of needed_bytes; means per held-out epoch; slower:
 *     epoch_seconds / all_in_dram_seconds - 1; null: not known
 *   - answer: {host_memory_bytes, drives, name, epoch_seconds, slower} of the least memory, and there of the first
 *     drives, whose epoch is at most `within` slower; null when there is none, or seconds are not known
 */
#ifndef PLANNER_COMMANDS_STORAGE_SIZES_H
#define PLANNER_COMMANDS_STORAGE_SIZES_H

#include <stdio.h>

#include "planner/commands/storage_work.h"

/* Judges every memory of --host-memory with every entry of --ssd. The recording is made once, and the epochs of a
 * memory serve all drives. w: opened. *out: owned by the caller. ST_USAGE for a malformed list, or drives whose blocks
 * differ; errors of storage_work_*. */
enum st storage_sizes(struct call *call, const struct kernels *k, struct storage_work *w, doc **out, struct err *err)
    MUST_USE;
/* The table, and the answer as a sentence. */
void storage_sizes_print(const doc *d, FILE *to);

#endif
