#include "traces/sampling/seeds.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

enum { STREAM_SPLIT = 0x73706c74, ROUNDS = 4, TAG = 0x65646765 };

enum st workload_attach(const struct workload *w, struct graph *g, struct err *err)
{
    g->weight_bytes = 0;
    if (w->sampler != SAMPLER_BIASED) return ST_OK;
    if (!g->weights)
        return err_set(err, ST_INPUT,
                       "%s: has no weights.npy, which --sampler biased needs; import the graph again with "
                       "--weights, or save one float32 per arc beside indices.npy",
                       g->path);
    g->weight_bytes = 4;
    return ST_OK;
}

/* ---- counting ---- */

uint64_t seeds_row_edges(const struct graph *g, uint32_t v)
{
    uint64_t low = (uint64_t)g->indptr[v], end = (uint64_t)g->indptr[v + 1], high = end;
    if (strcmp(g->sample, "both")) return end - low;
    while (low < high) { /* the first neighbour that is not below v */
        uint64_t middle = (low + high) / 2;
        if (g->indices[middle] < v) low = middle + 1;
        else high = middle;
    }
    return end - low;
}

static uint64_t share_of(const struct workload *w, uint64_t edges)
{
    uint64_t some = (uint64_t)floor(w->edge_share * (double)edges + 0.5);
    return some < edges ? some : edges;
}

uint64_t seeds_count(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count)
{
    uint64_t edges = 0;
    if (!workload_edges(w)) return count;
    for (uint64_t i = 0; i < count; i++) edges += seeds_row_edges(g, train[i]);
    return share_of(w, edges);
}

uint64_t seeds_batches(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count)
{
    return (seeds_count(w, g, train, count) + w->batch - 1) / w->batch;
}

/* ---- orders ---- */

/* A keyed number in 0..range-1, range <= 2^32; its bias is below 2^-32. */
static uint64_t mix(uint64_t key, uint32_t stream, uint32_t round, uint64_t x, uint64_t range)
{
    struct rng_block b = rng_philox(key, (uint32_t)x, stream, round, TAG);
    return (uint64_t)((unsigned __int128)((uint64_t)b.word[1] << 32 | b.word[0]) * range >> 64);
}

uint64_t seeds_permute(uint64_t key, uint32_t stream, uint64_t size, uint64_t x)
{
    uint64_t a = (uint64_t)ceil(sqrt((double)size)), b;
    while (a * a < size) a++; /* the root may be one too small */
    b = (size + a - 1) / a;
    do { /* a * b exceeds size by less than a row: a second turn is rare */
        uint64_t left = x % a, right = x / a;
        for (uint32_t r = 0; r < ROUNDS; r++) {
            left = (left + mix(key, stream, 2 * r, right, a)) % a;
            right = (right + mix(key, stream, 2 * r + 1, left, b)) % b;
        }
        x = right * a + left;
    } while (x >= size);
    return x;
}

/* ---- edges ---- */

enum st edge_seeds_make(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count,
                        struct edge_seeds *out, struct err *err)
{
    enum st st = ST_OK;
    struct edge_seeds s = {.g = g, .count = count};
    NEW(s.train, count, "training vertices");
    NEW(s.first, count + 1, "training edges");
    for (uint64_t i = 0; i < count; i++) {
        s.train[i] = train[i];
        s.first[i + 1] = s.first[i] + seeds_row_edges(g, train[i]);
    }
    s.edges = s.first[count];
    s.trained = share_of(w, s.edges);
    *out = s;
    return ST_OK;
done:
    edge_seeds_release(&s);
    return st;
}

void edge_seeds_release(struct edge_seeds *s)
{
    mem_free(s->train);
    mem_free(s->first);
    memset(s, 0, sizeof *s);
}

void edge_seeds_at(const struct edge_seeds *s, uint64_t seed, uint32_t who, uint64_t i, uint32_t end[2])
{
    uint64_t edge = seeds_permute(0, STREAM_SPLIT, s->edges, seeds_permute(seed, who, s->trained, i)), low = 0,
             high = s->count;
    while (high - low > 1) { /* the last row that begins at or before the edge */
        uint64_t middle = (low + high) / 2;
        if (s->first[middle] <= edge) low = middle;
        else high = middle;
    }
    end[0] = s->train[low];
    end[1] = s->g->indices[(uint64_t)s->g->indptr[end[0] + 1] - (s->first[low + 1] - edge)];
}
