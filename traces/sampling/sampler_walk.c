/* sampler_walk.c - random walks with restart (law: sampler.h; DSP section 4.2: node-wise sampling of fan-out 1). */
#include "base/cacheline.h"
#include "traces/sampling/sampler_scratch.h"

static const uint32_t nowhere = UINT32_MAX;

/* Position in indices of the next vertex of walk `k` of a seed, from v; UINT64_MAX if v has no neighbours. */
static uint64_t step(const struct graph *g, const struct draw_key *key, uint32_t k, const struct rng_block *words,
                     uint32_t v)
{
    uint64_t start = (uint64_t)g->indptr[v], degree = (uint64_t)g->indptr[v + 1] - start;
    return degree ? start + draws_below(key, k, 1, words->word[1], (uint32_t)degree) : UINT64_MAX;
}

void sampler_walk(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key, struct frontier f,
                  struct sample_counts *c, uint64_t *lines)
{
    const struct graph *g = s->g;
    uint32_t walks = s->w->walks;
    uint64_t restart = (uint64_t)(s->w->restart * 0x1p32); /* of 2^32 */
    (void)f;                                               /* walks continue from their own positions */
    for (uint64_t i = 0; i < b->seeds; i++) {
        uint32_t seed = b->found[i];
        struct draw_key counter = {s->w->seed, seed, key->hop, key->batch, key->who};
        for (uint32_t k = 0; k < walks; k++) {
            uint32_t *at = &b->at[i * walks + k];
            struct rng_block words = draws_block(&counter, k, 0);
            uint32_t v = !key->hop || *at == nowhere || words.word[0] < restart ? seed : *at;
            uint64_t place = step(g, &counter, k, &words, v);
            *at = place == UINT64_MAX ? nowhere : g->indices[place];
            scratch_keep(b, v, &place, *at != nowhere);
            scratch_visit(s, c, key->hop, v, cachelines_of_offsets(v, s->line_bytes) + (*at != nowhere), lines);
            if (*at != nowhere) scratch_discover(b, *at);
        }
    }
}
