/* dynamic.h - the replay of dynamic feature caches: the same held-out mini-batches as replay_run, with replacement
 * rules in place of static feature lists.
 *
 * Topology rows stay where the placement has them. Features are held by one cache per GPU, or by one per clique with
 * the capacity of all its GPUs; its stream is then the clique's mini-batches round robin (stream.h). A shared cache
 * holds row v on member v mod (number of members) of the clique, so a hit is served by the own GPU or a peer. Caches
 * begin empty, unless they served requests before, and keep their rows from epoch to epoch, so the counts include the
 * misses that fill them. Contents change from mini-batch to mini-batch, so there is no interval.
 */
#ifndef SIMULATOR_CACHES_DYNAMIC_H
#define SIMULATOR_CACHES_DYNAMIC_H

#include "simulator/caches/cache.h"

struct dynamic_request {
    const struct replay_request *replay;
    const struct placement *placement; /* its feature lists are not used */
    bool shared;                       /* one cache per clique; false: one per GPU */
    enum admission admission;
    const uint64_t (*rows)[GPUS_MAX]; /* [count] capacity of each GPU under each rule */
    const struct cache *const *cache; /* [count] rules */
    int count;
    struct stream *before; /* [GPUs or cliques] requests that the caches served before, which warm them and are not
                              counted in `out`; replaced by those of this replay. NULL: caches begin empty. Owned by the
                              caller. */
    const struct replay
        *bare; /* what replay_run finds for the placement without feature lists; NULL: it is not known */
};

/* Sums over caches (GPUs or cliques) and epochs, with what was served before. */
struct dynamic_counts {
    uint64_t capacity; /* rows */
    struct cache_counts rows;
    double seconds; /* that the rule ran */
};

/* Replays all rules. out, counts: [count], zeroed by the caller; each out is to be released also after an error. out is
 * what replay_run counts without feature lists, with the hits moved from the host to the GPUs. Allocates the stream of
 * one cache at a time (4 bytes per request, 9 with a rule that knows the future) and the states of the rules. Errors as
 * replay_run. */
enum st dynamic_run(const struct dynamic_request *d, struct replay *out, struct dynamic_counts *counts, struct err *err)
    MUST_USE;

/* {cache, rows, share, admission, requests, misses, replaced_rows, replaced_bytes, evicted_rows} of rule i, and
 * requests_per_second with stamp. counts: of that rule. Owned by the caller. */
doc *dynamic_document(const struct dynamic_request *d, int i, const struct dynamic_counts *counts, bool stamp);

/* The positions of the GPUs that use cache number `unit`: GPU `unit`, or the GPUs of clique `unit` when caches are
 * shared. Returns how many. */
int dynamic_readers(const struct assignment *a, bool shared, int unit, int readers[GPUS_MAX]);

#endif
