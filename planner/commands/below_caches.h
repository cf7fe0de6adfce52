/* below_caches.h - replacement rules in DRAM instead of its planned lists, above SSDs: `simulate --cache` of a plan
 * with SSDs.
 *
 * One cache serves all GPUs of the server (simulator/storage/storage_dynamic.h), and holds as many feature rows as the
 * plan's DRAM. simulated.memories gets caches[]: {cache, rows, requests, misses, miss_rate, static_miss_rate,
 * blocks_per_epoch, ssd_seconds}; static_miss_rate: of the planned lists, on the same requests.
 */
#ifndef PLANNER_COMMANDS_BELOW_CACHES_H
#define PLANNER_COMMANDS_BELOW_CACHES_H

#include "planner/commands/dynamic_cache_args.h"
#include "simulator/plan/plan.h"

/* Before anything is simulated. ST_USAGE for an unknown rule, another option of caches, several types, and a plan
 * without SSDs or of one node of several. */
enum st below_caches_check(const struct call *call, const struct dynamic_cache_args *a, const struct graph *g,
                           const struct plan *p, struct err *err) MUST_USE;
/* Appends what the rules of a->cache do on the mini-batches of r; p->simulated has memories. Errors of the simulation.
 */
enum st below_caches(const struct call *call, const struct dynamic_cache_args *a, const struct replay_request *r,
                     const struct plan *p, doc *list, struct err *err) MUST_USE;
void below_caches_print(const doc *list, FILE *to); /* nothing without caches */

#endif
