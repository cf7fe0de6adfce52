/* cache.h - dynamic caches of rows: what a replacement rule is, and the engine that runs rules over streams and counts
 * (model/replay.md; measured: simulator/BENCH.md).
 *
 * A rule is one file in this folder with one descriptor (a const struct) `cache_<file>`, which the Makefile lists. The
 * rule decides which rows are held; the engine counts. All rows have one size, so capacity is in rows. Ids are dense
 * (0..ids-1), so a rule keeps plain arrays, without hashing.
 *
 * There are two kinds of admission:
 *   - request: a missed row is admitted before the next request is looked up. This is what cache simulators such as
 *     libCacheSim do.
 *   - batch: all rows of a mini-batch are looked up in the cache as it was when the mini-batch began; hits update the
 *     rule's recency and frequency, in the order of discovery. Then the misses are admitted, in the order of
 *     discovery; with more misses than capacity, late rows evict early ones. This is what a training runtime can do:
 *     it fetches all missing rows of a mini-batch together.
 */
#ifndef SIMULATOR_CACHES_CACHE_H
#define SIMULATOR_CACHES_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "simulator/replay/stream.h"

/* One run of a rule. */
struct cache_setup {
    uint64_t ids;         /* >= 1 */
    uint64_t capacity;    /* rows, 1..ids */
    uint64_t requests;    /* of the stream */
    const uint32_t *id;   /* [requests] the stream, borrowed */
    const uint32_t *next; /* [requests] of stream_next; only with `future`, else perhaps NULL */
};

/* An array of a rule's state: the engine allocates it zeroed, and frees it. */
struct cache_array {
    size_t offset, size; /* of the pointer in the state; of an element */
    uint64_t (*count)(const struct cache_setup *s);
    const char *what; /* noun for the error sentence; NULL ends the list */
};
#define CACHE_ARRAY(member, count, what)                                                                               \
    {                                                                                                                  \
        offsetof(struct state, member), sizeof *((struct state *)0)->member, count, what                               \
    }
uint64_t cache_per_id(const struct cache_setup *s);  /* a count: an element per id */
uint64_t cache_per_row(const struct cache_setup *s); /* a count: an element per row of the capacity */

/* A rule. The functions are made by CACHE_LOOPS (loops.h). */
struct cache {
    const char *name, *summary, *source; /* source: the publication */
    bool future;                         /* the rule knows future requests */
    size_t state_bytes;                  /* sizeof(struct state) */
    const struct cache_array *arrays;    /* of the state */
    /* Sets the state of an empty cache; its arrays are there, and all else is zero. */
    void (*start)(void *state, const struct cache_setup *s);
    /* Serves positions from..to-1: hit[i - from] says whether the row was held; a missed row is admitted at once. */
    void (*serve)(void *state, const uint32_t *id, uint64_t from, uint64_t to, uint8_t *hit);
    /* The same without admission. */
    void (*look_up)(void *state, const uint32_t *id, uint64_t from, uint64_t to, uint8_t *hit);
    /* Admits the rows at positions[0..count) of the stream; none is held, and no id comes twice. */
    void (*admit)(void *state, const uint32_t *id, const uint32_t *positions, uint64_t count);
};

extern const struct cache *const caches_registered[]; /* NULL-ended */
/* Finds a rule by name. ST_USAGE with the nearest name. */
enum st cache_find(const char *name, const struct cache **out, struct err *err) MUST_USE;

enum { CACHES_MAX = 16 };
/* Finds the rules of a list of names with commas, or of "all"; *count: how many. ST_USAGE for an unknown name or more
 * than CACHES_MAX. */
enum st cache_list(const char *names, const struct cache *out[CACHES_MAX], int *count, struct err *err) MUST_USE;

enum admission { ADMISSION_BATCH, ADMISSION_REQUEST };
const char *admission_name(enum admission a); /* "batch", "request" */

/* Counts of a stream, from an empty cache on. */
struct cache_counts {
    uint64_t requests, misses;
    uint64_t admitted; /* rows written into the cache: all misses; none when the capacity is 0 */
    uint64_t evicted;  /* admitted rows that replaced others */
};

/* Runs one rule over a stream. capacity: rows; 0 means that every request misses. next: as in struct cache_setup. hit:
 * [requests], whether each request hit; or NULL. Allocates the rule's state (its file says how much) and, with batch
 * admission, 4 bytes per row of the largest mini-batch; ST_LIMIT when that is refused. Any thread may call it. */
enum st cache_run(const struct cache *c, const struct stream *s, const uint32_t *next, uint64_t capacity,
                  enum admission admission, uint8_t *hit, struct cache_counts *out, struct err *err) MUST_USE;

#endif
