/* dynamic.h - judges dynamic feature caches: the same held-out mini-batches as replay_run, with a replacement rule in
 * place of static feature lists.
 *
 * Topology stays where the placement says. Features are held by one cache per GPU, or by one per clique with the rows
 * of all its GPUs (the stream is then the clique's mini-batches round robin; see stream.h). Caches begin empty and
 * are not told where an epoch ends, so the counts include filling them; what was held changes from batch to batch, so
 * no interval is given.
 * A shared cache holds row v in the memory of the clique's member number v mod (number of members), so a hit is the
 * own GPU's or a peer's; its capacity counts for the clique as a whole.
 */
#ifndef SIMULATOR_CACHES_DYNAMIC_H
#define SIMULATOR_CACHES_DYNAMIC_H

#include "simulator/caches/cache.h"

struct dynamic_request {
    const struct replay_request *replay;
    const struct placement *placement; /* its feature lists are left aside */
    bool shared;                       /* by each clique */
    enum admission admission;
    const uint64_t (*rows)[GPUS_MAX]; /* [count] capacity that each GPU brings to that cache */
    const struct cache *const *cache; /* [count] */
    int count;
};

/* Sums over caches (GPUs or cliques) and epochs. */
struct dynamic_counts {
    uint64_t capacity; /* rows */
    struct cache_counts rows;
    double seconds; /* spent in the rule */
};

/* out, counts: [count], zeroed by the caller; each out is to be released. Under a plan whose features were cached
 * never, out is what replay_run counts, less the hits. Takes the stream of one cache at a time (4 bytes per request,
 * 9 with a rule that knows the future) and the rules' states. */
enum st dynamic_run(const struct dynamic_request *d, struct replay *out, struct dynamic_counts *counts, struct err *err)
    MUST_USE;

/* {cache, rows, share, admission, requests, misses, replaced_rows, replaced_bytes, evicted_rows} of cache i; with
 * requests_per_second under --stamp. */
doc *dynamic_document(const struct dynamic_request *d, int i, const struct dynamic_counts *counts, bool stamp);

/* The readers (positions) that share cache number `unit` with others or not; units are GPUs or cliques. Returns how
 * many. */
int dynamic_readers(const struct assignment *a, bool shared, int unit, int readers[GPUS_MAX]);

#endif
