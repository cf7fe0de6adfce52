/* cache.h - dynamic caches of rows: what a replacement rule is, and the engine that runs one over a stream and counts
 * (MODEL.md, section 8).
 *
 * A rule is one file in caches/ with one descriptor `cache_<file>`, listed by the Makefile; to add one, copy the
 * nearest. It says what is held; the engine counts. All rows have one size, so capacity is in rows. Ids are dense
 * (0..ids-1), so every rule keeps plain arrays: no hashing.
 *
 * Two ways to admit:
 * - `request`: a missed row is in the cache before the next request is looked at. Every miss is admitted. This is
 *   what cache simulators such as libCacheSim do.
 * - `batch`: all rows of a mini-batch are looked up in what was held when it began (hits update the rule's memory of
 *   recency and frequency, in the order of discovery), then its misses are admitted in the order of discovery; with
 *   more misses than rows, late ones push out early ones. This is what a training runtime can do: it fetches a
 *   mini-batch's missing rows together.
 */
#ifndef SIMULATOR_CACHES_CACHE_H
#define SIMULATOR_CACHES_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "simulator/replay/stream.h"

struct cache_setup {
    uint64_t ids;         /* >= 1 */
    uint64_t capacity;    /* rows, 1..ids */
    uint64_t requests;    /* of the stream */
    const uint32_t *id;   /* [requests] the stream, borrowed */
    const uint32_t *next; /* [requests] position of the next request of the same id, STREAM_NEVER when there is none;
                             only with `future` */
};

struct cache {
    const char *name, *summary, *source; /* source: who published the rule */
    bool future;                         /* knows the requests to come */
    enum st (*begin)(const struct cache_setup *s, void **state, struct err *err);
    void (*end)(void *state); /* NULL is allowed */
    /* Positions from..to-1 on demand: hit[i - from] says whether the row was held; a missed one is admitted at once. */
    void (*serve)(void *state, const uint32_t *id, uint64_t from, uint64_t to, uint8_t *hit);
    /* The same without admitting. */
    void (*look_up)(void *state, const uint32_t *id, uint64_t from, uint64_t to, uint8_t *hit);
    /* Admits the rows at these positions of the stream; none of them is held, and no id comes twice. */
    void (*admit)(void *state, const uint32_t *id, const uint32_t *positions, uint64_t count);
};

extern const struct cache *const caches_registered[]; /* NULL-ended */
/* ST_USAGE with a did-you-mean. */
enum st cache_find(const char *name, const struct cache **out, struct err *err) MUST_USE;

enum { CACHES_MAX = 16 };
/* Names parted by commas, or "all"; *count of them, at most CACHES_MAX. */
enum st cache_list(const char *names, const struct cache *out[CACHES_MAX], int *count, struct err *err) MUST_USE;

enum admission { ADMISSION_BATCH, ADMISSION_REQUEST };
const char *admission_name(enum admission a); /* "batch", "request" */

/* Counts of a whole stream from an empty cache. hits + misses = requests; rows held at the end = min(admitted,
 * capacity). */
struct cache_counts {
    uint64_t requests, misses;
    uint64_t admitted; /* rows written into the cache: every miss, unless there is no room at all */
    uint64_t evicted;  /* rows pushed out: admitted, less those that went into free room */
};

/* Runs one rule over a stream. capacity: rows; 0 misses always, and more than the stream's ids is as good as all of
 * them. next: as in struct cache_setup; may be NULL unless cache->future. hit: [requests], or NULL. Takes the rule's
 * state (see its file) and, under `batch`, 4 bytes per row of the largest mini-batch. Any thread may call it. */
enum st cache_run(const struct cache *c, const struct stream *s, const uint32_t *next, uint64_t capacity,
                  enum admission admission, uint8_t *hit, struct cache_counts *out, struct err *err) MUST_USE;

#endif
