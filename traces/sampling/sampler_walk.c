/* sampler_walk.c - random walks with restart (law: sampler.h; DSP section 4.2: node-wise sampling of fan-out 1; along a
 * metapath as DGL's PinSAGESampler). */
#include "base/cacheline.h"
#include "traces/sampling/sampler_scratch.h"
#include "traces/sampling/workload_types.h"

static const uint32_t nowhere = UINT32_MAX;

/* What a step takes a neighbour from: row v - from, whose entries are counted from vertex `to`. */
struct stride {
    const int64_t *indptr;
    const uint32_t *indices;
    uint64_t from, to, item; /* item: number of topology row 0 */
    uint32_t *edge;          /* counts of the relation's edges, or NULL */
};

static struct stride stride_of(const struct sampler *s, uint32_t hop, const struct sample_counts *c)
{
    const struct graph *g = s->g;
    const struct graph_csr csr = graph_csr(g, workload_types_step(g, s->w, (int)hop));
    return (struct stride){csr.indptr,       csr.indices,
                           csr.first_target, csr.first_source,
                           csr.first_row,    c && c->edge && csr.edge_features ? c->edge + csr.first_edge : NULL};
}

/* Takes a step of walk `k` of a seed from v, and counts the visit. Returns where it leads, or nowhere. */
static uint32_t step(const struct sampler *s, struct sampler_scratch *b, const struct draw_key *key, uint32_t k,
                     const struct rng_block *words, const struct stride *stride, uint32_t v, struct sample_counts *c,
                     uint64_t *lines)
{
    const bool shared = s->threads > 1;
    uint64_t row = v - stride->from, item = stride->item + row, place = (uint64_t)stride->indptr[row],
             degree = (uint64_t)stride->indptr[row + 1] - place,
             cost = cachelines_of_offsets(row, s->line_bytes) + !!degree;
    if (degree) place += draws_below(key, k, 1, words->word[1], (uint32_t)degree);
    scratch_keep(b, (uint32_t)item, &place, !!degree);
    *lines += cost;
    if (c) scratch_count(&c->visits[key->hop][v], 1, shared);
    if (c && c->lines) scratch_count(&c->lines[item], (uint32_t)cost, shared);
    if (!degree) return nowhere;
    if (c && c->draws) scratch_count(&c->draws[item], 1, shared);
    if (stride->edge) scratch_count(&stride->edge[place], 1, shared);
    return (uint32_t)stride->to + stride->indices[place];
}

void sampler_walk(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key, struct frontier f,
                  struct sample_counts *c, uint64_t *lines)
{
    uint32_t walks = s->w->walks;
    const uint64_t restart = (uint64_t)(s->w->restart * 0x1p32); /* of 2^32 */
    const struct stride stride = stride_of(s, key->hop, c);
    const bool begins = s->w->metapath < 2 || key->hop % (uint32_t)s->w->metapath == 0; /* the metapath does */
    (void)f; /* walks continue from their own positions */
    for (uint64_t i = 0; i < b->seeds; i++) {
        uint32_t seed = b->found[i];
        struct draw_key counter = {s->w->seed, seed, key->hop, key->batch, key->who};
        for (uint32_t k = 0; k < walks; k++) {
            uint32_t *at = &b->at[i * walks + k];
            if (!begins && *at == nowhere) continue;
            struct rng_block words = draws_block(&counter, k, 0);
            bool again = begins && (!key->hop || *at == nowhere || words.word[0] < restart);
            *at = step(s, b, &counter, k, &words, &stride, again ? seed : *at, c, lines);
            if (*at != nowhere) scratch_discover(b, *at);
        }
    }
}
