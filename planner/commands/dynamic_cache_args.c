#include "planner/commands/dynamic_cache_args.h"

#include <string.h>

enum st dynamic_cache_check(const struct dynamic_cache_args *a, bool plan, bool batches, struct err *err)
{
    if (a->rows >= 0 && a->budget) return err_set(err, ST_USAGE, "--cache-rows and --cache-budget exclude each other");
    if (a->load && plan) return err_set(err, ST_USAGE, "--requests FILE replaces a plan; give one of them");
    if (a->load && (!a->cache || a->rows < 0))
        return err_set(err, ST_USAGE, "--requests needs --cache LIST and --cache-rows N");
    if (a->load && a->save)
        return err_set(err, ST_USAGE, "--requests reads and --export-requests writes; give one of them");
    if (!a->load && !plan)
        return err_set(err, ST_USAGE, "an argument is missing after 'simulate'; expected: P, or --requests FILE");
    if (!a->cache && (a->rows >= 0 || a->budget || a->admission))
        return err_set(err, ST_USAGE, "--cache-rows, --cache-budget and --admission need --cache LIST");
    if (a->cache && a->save) return err_set(err, ST_USAGE, "--export-requests replays no --cache; give one of them");
    if (!a->cache && !a->save && !strcmp(a->share, "clique"))
        return err_set(err, ST_USAGE, "--cache-share clique: needs --cache LIST or --export-requests FILE");
    if (!a->save && !batches && a->gpu >= 0)
        return err_set(err, ST_USAGE, "--gpu: only --export-requests and --export-batches use it; leave it out");
    return ST_OK;
}

enum st dynamic_cache_list(const struct call *call, const char *names, const struct cache *out[CACHES_MAX], int *count,
                           struct err *err)
{
    int all, kept = 0;
    PASS(cache_list(names, out, &all, err));
    for (int i = 0, k; i < all; i++) {
        for (k = 0; k < kept && out[k] != out[i];) k++;
        if (k < kept) call_say_twice(call, "cache", out[i]->name);
        else out[kept++] = out[i];
    }
    *count = kept;
    return ST_OK;
}

enum admission dynamic_cache_admission(const struct dynamic_cache_args *a, enum admission otherwise)
{
    if (!a->admission) return otherwise;
    return strcmp(a->admission, "batch") ? ADMISSION_REQUEST : ADMISSION_BATCH;
}
