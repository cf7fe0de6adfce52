/* dynamic_cache_requests.h - streams of requests in files (libCacheSim's oracleGeneral): written from a plan's
 * mini-batches, or replayed instead of a plan. */
#ifndef PLANNER_COMMANDS_DYNAMIC_CACHE_REQUESTS_H
#define PLANNER_COMMANDS_DYNAMIC_CACHE_REQUESTS_H

#include "planner/commands/dynamic_cache_args.h"
#include "simulator/replay/replay.h"

/* --export-requests: draws the stream of one cache, writes it and says so on stderr. ST_USAGE for a GPU that the plan
 * does not have. */
enum st dynamic_cache_save_requests(struct call *call, const struct dynamic_cache_args *a,
                                    const struct replay_request *r, struct err *err) MUST_USE;
/* --requests: replays a file in every cache of --cache and prints a table, or a document (schema requests/1). ST_INPUT
 * for a file that is not such a stream. */
enum st dynamic_cache_run_requests(struct call *call, const struct dynamic_cache_args *a, struct err *err) MUST_USE;

#endif
