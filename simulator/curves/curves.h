/* curves.h - the hit rates of a plan's reads over the size of a cache: every order of rows, every GPU or clique, every
 * table.
 *
 * The reads are the held-out mini-batches that replay_run draws. Each GPU has a cache, or each clique one for all its
 * GPUs; a curve is drawn of each and of all together, at equal shares. Tables are those of one kind: features of each
 * type, or topology of each relation. A table's curve is that of a cache of its own, size 100 % being the whole table;
 * of several tables there is also one of a cache that all of them share, by bytes.
 *
 * Lines: rankings (the plan's own order; metrics; the counts of the reads themselves, the static optimum) and LRU are
 * exact (curve_exact.h); other rules are sampled (curve_samples.h) where all rows of a table have one size, and left
 * out elsewhere. Where rows differ in size a ranking is by key per byte.
 */
#ifndef SIMULATOR_CURVES_CURVES_H
#define SIMULATOR_CURVES_CURVES_H

#include "base/doc.h"
#include "simulator/caches/cache.h"
#include "simulator/replay/replay.h"

enum { CURVE_LINES_MAX = 32, CURVE_POINTS_MAX = 10000 };

enum curve_order {
    CURVE_OPTIMUM, /* by the requests of the stream itself */
    CURVE_PLAN,    /* the plan's lists, which end where its budget did; of several tables equal shares of each list */
    CURVE_RANKING, /* by the keys that `rank` gives */
    CURVE_CACHE    /* a replacement rule */
};
struct curve_line {
    const char *name; /* static or borrowed */
    enum curve_order order;
    const struct cache *cache; /* of CURVE_CACHE */
};

struct curve_request {
    const struct replay_request *replay;
    const struct placement *placement; /* for CURVE_PLAN */
    bool topology, shared;             /* kind of rows; one cache per clique */
    enum admission admission;
    uint64_t points; /* sizes, in equal steps up to 100 % */
    const struct curve_line *line;
    int lines;
    /* Sets key: [rows of the kind] of a ranking for a clique. */
    enum st (*rank)(void *of, const char *name, int clique, uint64_t *key, struct err *err);
    void *of;
};

/* A document curve/1: {schema, kind, share, admission, epochs, seed, points, parts[]{unit, table, caches, requests,
 * distinct, rows, bytes, lines[]{name, exact, groups, hit_rate[points + 1], bar[points + 1], knee{share, bytes,
 * hit_rate}}}}. unit: "all", "gpu 0", "clique 0"; rows, bytes: of the table, once per cache. hit_rate[i]: of a cache
 * of i / points of the table; null beyond what a plan's list holds. bar: of sampled lines. *out: owned by the caller.
 * The same on any number of threads. ST_LIMIT for memory; errors of stream_draw. */
enum st curves_run(const struct curve_request *r, doc **out, struct err *err) MUST_USE;

/* The same of a stream from a file, whose rows have one size; lines: CURVE_OPTIMUM and CURVE_CACHE. */
enum st curves_of_stream(const struct curve_request *r, const struct stream *s, int threads, uint64_t seed, doc **out,
                         struct err *err) MUST_USE;

/* Where a curve turns: the size at which it is farthest above the straight line from its first point to its last
 * (Satopaa et al. 2011). y: [count], NaN ends it. 0: nowhere. */
uint64_t curves_knee(const double *y, uint64_t count);

#endif
