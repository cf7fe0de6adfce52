#include "traces/sampling/seeds.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "traces/sampling/workload_times.h"
#include "traces/sampling/workload_types.h"

enum { STREAM_SPLIT = 0x73706c74, STREAM_NEGATIVE = 0x6e656761, ROUNDS = 4, TAG = 0x65646765 };

/* Of a graph that is not plain: some relation that is drawn has weights, and none of them rows of edges. */
static enum st check_weights(const struct workload *w, const struct graph *g, struct err *err)
{
    char label[GRAPH_LABEL_BYTES];
    bool drawn = false;
    for (int r = 0; r < g->relations; r++) {
        const struct graph_relation *relation = &g->relation[r];
        bool here = false;
        for (int h = 0; h < w->hops; h++) here |= relation->weights && workload_fanout(w, r, h);
        drawn |= here;
        if (here && relation->features.row_bytes)
            return err_set(err, ST_INPUT,
                           "%s: relation %s has weights and feature rows of edges; how often --sampler biased draws "
                           "each edge is not planned, so take --sampler uniform, or leave the relation out of --fanout",
                           g->path, graph_relation_label(g, r, label));
    }
    if (drawn) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: no relation that is drawn has weights, which --sampler biased needs; save one float32 per "
                   "entry as relation<r>_weights.npy, or import the graph again from a source that has weights",
                   g->path);
}

/* Of a graph that is not plain: seeds are of the type where walks begin, and edges of the seeds' relation are dealt. */
static enum st check_seeds(const struct workload *w, const struct graph *g, struct err *err)
{
    const struct graph_relation *r = workload_edges(w) ? &g->relation[w->seed_relation] : NULL;
    char label[GRAPH_LABEL_BYTES];
    int begins = w->sampler == SAMPLER_WALK ? g->relation[workload_types_step(g, w, 0)].target : -1;
    if (r && !g->type[r->target].train_count)
        return err_set(err, ST_INPUT,
                       "%s: the edges of %s go with the vertices of %s that train, and none does; name training "
                       "vertices of that type, or a relation into another one",
                       g->path, graph_relation_label(g, w->seed_relation, label), g->type[r->target].name);
    for (int t = 0; begins >= 0 && t < g->types; t++) {
        bool seeds = r ? t == r->target || t == r->source : g->type[t].train_count > 0;
        if (seeds && t != begins)
            return err_set(err, ST_INPUT,
                           "%s: walks begin at seeds, some of which are vertices of %s, but the metapath begins at %s; "
                           "choose one that begins where all seeds are",
                           g->path, g->type[t].name, g->type[begins].name);
    }
    return ST_OK;
}

enum st workload_needs(const struct workload *w, const struct graph *g, struct err *err)
{
    enum st st = graph_plain(g) ? ST_OK : check_seeds(w, g, err);
    if (st == ST_OK && workload_temporal(w) && !g->vertex_times)
        return err_set(err, ST_INPUT,
                       "%s: has no times, which --sampler %s needs; import the graph again with --times or "
                       "--vertex-times FILE",
                       g->path, sampler_name(w->sampler));
    if (st == ST_OK) st = workload_times_fit(w, g, err);
    if (st != ST_OK || w->sampler != SAMPLER_BIASED) return st;
    if (!graph_plain(g)) return check_weights(w, g, err);
    if (g->weights) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: has no weights.npy, which --sampler biased needs; import the graph again with --weights, or "
                   "save one float32 per arc beside indices.npy",
                   g->path);
}

enum st workload_attach(const struct workload *w, struct graph *g, struct err *err)
{
    enum st st = workload_needs(w, g, err);
    bool biased = st == ST_OK && w->sampler == SAMPLER_BIASED;
    g->weight_bytes = !graph_plain(g) ? 0 : biased ? 4 : st == ST_OK && workload_temporal(w) ? 8 : 0;
    for (int r = 0; r < g->relations; r++) g->relation[r].weight_bytes = biased && g->relation[r].weights ? 4 : 0;
    return st;
}

/* ---- counting ---- */

uint64_t seeds_row_edges(const struct workload *w, const struct graph *g, uint32_t v)
{
    const struct graph_csr csr = graph_csr(g, w->seed_relation);
    uint64_t row = v - csr.first_target; /* of a type before it: far beyond the rows */
    if (row >= csr.rows) return 0;
    uint64_t low = (uint64_t)csr.indptr[row], end = (uint64_t)csr.indptr[row + 1], high = end;
    if (strcmp(g->sample, "both")) return end - low;
    while (low < high) { /* the first neighbour that is not below v */
        uint64_t middle = (low + high) / 2;
        if (csr.indices[middle] < v) low = middle + 1;
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
    for (uint64_t i = 0; i < count; i++) edges += seeds_row_edges(w, g, train[i]);
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
    const struct graph_csr csr = graph_csr(g, w->seed_relation);
    struct edge_seeds s = {.count = count,
                           .indptr = csr.indptr,
                           .indices = csr.indices,
                           .source = (uint32_t)csr.first_source,
                           .negatives = {csr.first_target, csr.rows}};
    NEW(s.train, count, "training vertices");
    NEW(s.first, count + 1, "training edges");
    for (uint64_t i = 0; i < count; i++) {
        s.train[i] = train[i];
        s.first[i + 1] = s.first[i] + seeds_row_edges(w, g, train[i]);
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
    end[1] = s->source + s->indices[(uint64_t)s->indptr[end[0] - s->negatives.first + 1] - (s->first[low + 1] - edge)];
}

uint32_t edge_seeds_negative(const struct edge_seeds *s, uint64_t seed, uint32_t who, uint64_t i, uint32_t k)
{
    struct rng_block b = rng_philox(seed ^ i >> 32 << 32, (uint32_t)i, who, k, STREAM_NEGATIVE);
    uint64_t word = (uint64_t)b.word[1] << 32 | b.word[0];
    return (uint32_t)(s->negatives.first + (uint64_t)((unsigned __int128)word * s->negatives.count >> 64));
}
