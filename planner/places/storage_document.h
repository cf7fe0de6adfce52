/* storage_document.h - storage/1: what DRAM holds, what the SSDs are read for, and the seconds that they take.
 *
 * {schema, plan{path, policy, server}, graph{..}, host_memory_bytes, block_bytes, dram{offset_bytes, topology{rows,
 * share, bytes, file}, feature{..}, lists[]}, ssd{.. of drives_document, needed_bytes}, disk_order{chosen, file},
 * predicted{..}, simulated{..}, caches[], files[]}
 *   - share: of all rows of the kind. Of several types, file is null and lists[] has what a place of a plan has
 *     (plan_places.h); disk_order_feature_<type>.npy and disk_order_edge_feature_<relation>.npy are in files[]
 *   - predicted: {feature_rows_from_ssd, topology_visits_from_ssd, feature_rows_from_host} per epoch
 *   - simulated: means per epoch of held-out epochs, over all GPUs: {epochs, seed, feature{rows, from_gpus, from_dram,
 *     from_ssd, dram_hit_rate, blocks{id, heat}, amplification{id, heat}}, topology{visits, from_dram, from_ssd,
 * blocks, amplification}, blocks, ssd_bytes, ssd_seconds, ssd_limit, prediction_error, epoch{..}, gpus[]}
 *   - dram_hit_rate: of the rows that no GPU served; amplification: bytes of blocks read / bytes of rows (or of
 *     neighbours) that were needed from there; both null when there are none
 *   - prediction_error: predicted / simulated - 1 of feature rows from the SSDs
 *   - epoch: {seconds, without_ssd_seconds, stage_seconds}: the plan's epoch time with one more stage, the SSDs', of so
 *     many seconds per iteration; null where the plan's epoch time or the drives' rates are not known
 *   - caches[]: {cache, rows, requests, misses, miss_rate, static_miss_rate, blocks_per_epoch, ssd_seconds}
 */
#ifndef PLANNER_PLACES_STORAGE_DOCUMENT_H
#define PLANNER_PLACES_STORAGE_DOCUMENT_H

#include "hwprofiles/model/drive.h"
#include "planner/places/storage_plan.h"
#include "simulator/storage/storage_dynamic.h"

struct storage_result { /* borrowed */
    const struct graph *graph;
    const struct plan *plan;
    const char *plan_path;
    const struct storage *storage;
    const struct storage_forecast *forecast;
    const struct storage_counts *counts; /* of held-out epochs */
    const doc *epoch_time;               /* of the plan (epoch_document.h); NULL: not known */
    struct drives drives;                /* count 0: none were given; seconds are null */
    uint64_t host_bytes, seed;
    enum disk_order order;
    const struct cache *const *cache; /* [caches] */
    const struct storage_cache *cached;
    int caches;
};

/* The document without files[]. Owned by the caller. */
doc *storage_document(const struct storage_result *r);
/* Writes the directory: storage.json with these members, host_topology.npy and host_feature.npy (ids of the rows in
 * DRAM, hottest first) and disk_order.npy (vertices in the order of DISK_HEAT); of several types the files named above,
 * lists ascending. d: of storage_document; files[] is added to it. */
enum st storage_save(const struct storage_result *r, const char *path, doc *d, struct err *err) MUST_USE;

#endif
