/* Request files, then every cache over what was read. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include <stdbool.h>
#include "simulator/caches/cache.h"
#include "simulator/caches/requests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct stream s = {0};
    struct cache_counts k;
    bool once = size / 24 % 2; /* good files are whole records */
    uint32_t *next = NULL;
    char path[400];
    snprintf(path, sizeof path, "%s", fuzz_file("requests", data, size));
    uint64_t before = mem_in_use();
    enum st st = requests_load(path, once, &s, &err);
    if (st == ST_OK) st = stream_next(&s, &next, &err);
    for (const struct cache *const *c = caches_registered; *c && st == ST_OK; c++)
        for (int how = ADMISSION_BATCH; how <= ADMISSION_REQUEST && st == ST_OK; how++) {
            if (how == ADMISSION_BATCH && !once) continue; /* ids may come twice in a mini-batch */
            st = cache_run(*c, &s, next, size / 48 % 7, (enum admission)how, NULL, &k, &err);
        }
    mem_free(next);
    stream_release(&s);
    fuzz_verdict(st, &err, before);
    return 0;
}
