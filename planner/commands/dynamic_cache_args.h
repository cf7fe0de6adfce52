/* dynamic_cache_args.h - dynamic caches for `hotset simulate`: on a plan's mini-batches, or on a file of requests. */
#ifndef PLANNER_COMMANDS_DYNAMIC_CACHE_ARGS_H
#define PLANNER_COMMANDS_DYNAMIC_CACHE_ARGS_H

#include "base/cmd.h"
#include "simulator/movement/epoch_args.h"
#include "simulator/caches/dynamic.h"
#include "simulator/plan/plan.h"

struct dynamic_cache_args {
    const char *cache, *budget, *share, *admission, *save, *load;
    int64_t rows, gpu;
};

#define CACHING_PARAMS(type, member)                                                                                   \
    OPTION_TEXT("cache", 0, type, member.cache, "LIST", NULL,                                                          \
                "Dynamic feature caches in place of the plan's feature lists (`hotset list caches`; all): one row of " \
                "results each."),                                                                                      \
        OPTION_INTEGER("cache-rows", 0, type, member.rows, "N", "-1", -1, UINT32_MAX,                                  \
                       "Feature rows that each GPU's cache holds; -1: what the plan's budget leaves beside its "       \
                       "topology."),                                                                                   \
        OPTION_TEXT("cache-budget", 0, type, member.budget, "SIZE", NULL,                                              \
                    "The same in bytes per GPU: 2GiB, 5%, 5%V."),                                                      \
        OPTION_WORD("cache-share", 0, type, member.share, "WHO", "gpu", "gpu|clique",                                  \
                    "One cache per GPU, or one per clique with the rows of all its GPUs."),                            \
        OPTION_WORD("admission", 0, type, member.admission, "WHEN", NULL, "batch|request",                             \
                    "Missed rows enter at the end of their mini-batch, or before the next request [default: batch; "   \
                    "request for --requests]."),                                                                       \
        OPTION_TEXT("export-requests", 0, type, member.save, "FILE", NULL,                                             \
                    "Write the stream of one cache (--gpu, --cache-share) as libCacheSim's oracleGeneral, and stop."), \
        OPTION_INTEGER("gpu", 0, type, member.gpu, "I", "-1", -1, 255,                                                 \
                       "GPU id whose stream or mini-batches are written; -1: the first one's stream, everyone's "      \
                       "mini-batches."),                                                                               \
        OPTION_TEXT("requests", 0, type, member.load, "FILE", NULL,                                                    \
                    "Instead of a plan: replay an oracleGeneral file (equal times are one mini-batch) with --cache "   \
                    "and --cache-rows.")

/* Checks what belongs together; plan: whether a plan was given; batches: whether mini-batches are written, which --gpu
 * goes with, too. */
enum st dynamic_cache_check(const struct dynamic_cache_args *a, bool plan, bool batches, struct err *err) MUST_USE;

/* Rows of results of every cache of a->cache: appended to `rows` as documents that begin with `row` (which has the
 * plan's members) and have `simulated` and `dynamic{cache, rows, share, admission, requests, misses, replaced_rows,
 * replaced_bytes, evicted_rows}`, sums over the epochs. timing, server: for epoch times, as timing_put takes them. */
enum st dynamic_cache_plan(struct call *call, const struct dynamic_cache_args *a, const struct replay_request *r,
                           const struct timing *timing, const struct server *server, const struct plan *p,
                           const doc *row, doc *rows, struct err *err) MUST_USE;
/* The table of those rows. */
void dynamic_cache_table(const doc *rows, FILE *to);

/* --export-requests: says on stderr what was written. */
enum st dynamic_cache_export(struct call *call, const struct dynamic_cache_args *a, const struct replay_request *r,
                             struct err *err) MUST_USE;
/* --requests: prints a table, or a document (schema requests/1). */
enum st dynamic_cache_file(struct call *call, const struct dynamic_cache_args *a, struct err *err) MUST_USE;

#endif
