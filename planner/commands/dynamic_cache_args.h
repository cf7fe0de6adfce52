/* dynamic_cache_args.h - the options of `hotset simulate` for dynamic caches: on a plan's mini-batches, or on a file of
 * requests. */
#ifndef PLANNER_COMMANDS_DYNAMIC_CACHE_ARGS_H
#define PLANNER_COMMANDS_DYNAMIC_CACHE_ARGS_H

#include "base/cmd.h"
#include "simulator/caches/cache.h"

struct dynamic_cache_args {
    const char *cache, *budget, *share, *admission, *save, *load;
    int64_t rows, gpu;
};

#define DYNAMIC_CACHE_PARAMS(type, member)                                                                             \
    OPTION_TEXT("cache", 0, type, member.cache, "LIST", NULL,                                                          \
                "Simulate these dynamic feature caches instead of the plan's feature lists, one row of results each; " \
                "'hotset list caches' shows the names; all: every one."),                                              \
        OPTION_INTEGER("cache-rows", 0, type, member.rows, "N", "-1", -1, UINT32_MAX,                                  \
                       "Feature rows per cache and GPU [default: as many as fit the plan's budget minus its "          \
                       "topology]."),                                                                                  \
        OPTION_TEXT("cache-budget", 0, type, member.budget, "SIZE", NULL,                                              \
                    "The same in bytes per GPU: 2GiB, 5%, 5%V."),                                                      \
        OPTION_CACHE_SHARE(type, member.share, "gpu", ""),                                                             \
        OPTION_ADMISSION(type, member.admission, NULL, " [default: batch; request for --requests]"),                   \
        OPTION_WRITES("export-requests", 0, type, member.save, "FILE", NULL,                                           \
                      "Write the request stream of one cache (--gpu, --cache-share) in libCacheSim's oracleGeneral "   \
                      "format, instead of simulating."),                                                               \
        OPTION_INTEGER("gpu", 0, type, member.gpu, "I", "-1", -1, 255,                                                 \
                       "Id of the GPU to export [default: the stream of the first GPU, or the mini-batches of all "    \
                       "GPUs]."),                                                                                      \
        OPTION_REQUESTS(type, member.load)

/* Refuses options that do not go together (ST_USAGE). plan: whether a plan was given; batches: whether mini-batches are
 * written (--export-batches), which uses --gpu, too. */
enum st dynamic_cache_check(const struct dynamic_cache_args *a, bool plan, bool batches, struct err *err) MUST_USE;
/* Reads --cache LIST into out: [CACHES_MAX]; a cache that is listed more than once is taken once, which is said on
 * stderr. ST_USAGE for an unknown one. */
enum st dynamic_cache_list(const struct call *call, const char *names, const struct cache *out[CACHES_MAX], int *count,
                           struct err *err) MUST_USE;
/* When missed rows enter the cache: --admission, or `otherwise` where it was not given. */
enum admission dynamic_cache_admission(const struct dynamic_cache_args *a, enum admission otherwise);

#endif
