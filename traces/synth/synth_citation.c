/* synth_citation.c - papers that cite older papers: ids of a field (a community) rise with time. A paper cites older
 * papers of its field, drawn by weight, so that the oldest have been cited most, or, for a share `mixing` of its
 * references, any paper by weight. The arc leads from the cited paper to the citing one, so a paper draws from its
 * references. Every paper has about as many, or, `exponential`, half of the references are dealt so and half by numbers
 * that follow an exponential distribution, which those of the Web of Science do (Yasui and Nakano, PLOS ONE 17(6),
 * 2022). The half is ours: it is nearest to rows per seed of papers100M (traces/BENCH.md).
 *
 * Of GROUP papers in a row each has the number of references of another part of the distribution, so no list of
 * weights is needed: who cites is drawn by his number, and the quantile of a number that was drawn by itself is 1 - xy,
 * with x and y uniform. */
#include <math.h>

#include "base/rng.h"
#include "traces/builder/builder_csr.h"
#include "traces/synth/synth_community.h"

enum { CITATION_STREAM = 0x636974, REFERENCE_STREAM = 0x726566, GROUP_BITS = 6, GROUP = 1 << GROUP_BITS };

/* Which part of the distribution the papers of a group have: paper i has part i ^ order. */
static uint64_t order_of(const struct synth_options *o, uint64_t group)
{
    return rng_hash(o->seed, REFERENCE_STREAM, group) % GROUP;
}

/* The citing paper. */
static uint64_t citing(const struct synth_options *o, const struct community_state *s, const struct rng_block *b)
{
    uint64_t whole = s->n / GROUP;
    if (!o->exponential || !whole) return community_scaled(b->word[0], b->word[1], s->n);
    uint64_t v = community_scaled(b->word[0], b->word[1], s->n), group = v / GROUP; /* the rest is no group: as drawn */
    uint64_t part = ~((uint64_t)b->word[2] * b->word[3]) >> (64 - GROUP_BITS);
    return group < whole && b->word[1] & 1 ? group * GROUP + (part ^ order_of(o, group)) : v;
}

/* Chance that a draw's citing paper is v. */
static double citing_chance(const struct synth_options *o, const struct community_state *s, uint64_t v)
{
    uint64_t group = v / GROUP;
    if (!o->exponential || group >= s->n / GROUP) return 1 / (double)s->n;
    uint64_t part = v % GROUP ^ order_of(o, group);
    double high = 1 - (double)part / GROUP, low = high - 1.0 / GROUP; /* 1 - quantile */
    double share = high - high * log(high) - (low > 0 ? low - low * log(low) : 0);
    return (1 + share * GROUP) / 2 / (double)s->n;
}

/* Units that a paper's reference is drawn from, inside its field. The oldest paper has none older: the whole field. */
static void older(const struct community_state *s, uint64_t v, uint64_t *low, uint64_t *high)
{
    uint64_t field = community_of(s, v);
    *low = s->base[field];
    *high = v > s->start[field] ? s->sum[v] : s->base[field + 1];
}

/* At most COMMUNITY_CHUNK arcs. */
static void chunk(const struct synth_options *o, const struct community_state *s, uint64_t first, int count,
                  uint32_t *pairs)
{
    uint64_t u[COMMUNITY_CHUNK], v[COMMUNITY_CHUNK];
    for (int k = 0; k < count; k++) {
        uint64_t i = first + (uint64_t)k;
        struct rng_block b = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), 0, CITATION_STREAM);
        v[k] = i < s->n ? i : citing(o, s, &b);
        __builtin_prefetch(&s->sum[v[k]]);
    }
    for (int k = 0; k < count; k++) {
        uint64_t i = first + (uint64_t)k, low = 0, high = s->sum[s->n];
        struct rng_block d = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), 1, CITATION_STREAM);
        if (d.word[2] >= s->mixing) older(s, v[k], &low, &high);
        u[k] = low + community_scaled(d.word[0], d.word[1], high - low);
    }
    community_vertices(s, u, count);
    for (int k = 0; k < count; k++) {
        pairs[2 * k] = u[k] == v[k] ? ARC_NONE : (uint32_t)u[k];
        pairs[2 * k + 1] = (uint32_t)v[k];
    }
}

static void arcs(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs)
{
    community_chunks(o, state, first, count, pairs, chunk);
}

static double chance(const struct community_state *s, const struct synth_options *o, uint64_t u, uint64_t v)
{
    uint64_t low, high;
    double weight = (double)(s->sum[u + 1] - s->sum[u]), all = (double)s->sum[s->n];
    older(s, v, &low, &high);
    bool inside = s->sum[u] >= low && s->sum[u] < high;
    return (o->mixing * weight / all + (inside ? (1 - o->mixing) * weight / (double)(high - low) : 0)) *
           citing_chance(o, s, v);
}

static enum st draws(const struct synth_options *o, const void *state, uint64_t *out, struct err *err)
{
    return community_draws(o, state, &synth_citation, chance, o->edges, out, err);
}

const struct synth_kind synth_citation = {.name = "citation",
                                          .begin = community_begin,
                                          .arcs = arcs,
                                          .draws = draws,
                                          .finish = community_finish};
