/* synth_citation.c - papers that cite older papers: ids of a field (a community) rise with time. A paper cites older
 * papers of its field, drawn by weight, so that the oldest have been cited most, or, for a share `mixing` of its
 * references, any paper by weight. The arc leads from the cited paper to the citing one, so a paper draws from its
 * references; every paper has about as many. */
#include "base/rng.h"
#include "traces/builder/builder_csr.h"
#include "traces/synth/synth_community.h"

enum { CITATION_STREAM = 0x636974 };

/* Units that a paper's reference is drawn from, inside its field. The oldest paper has none older: the whole field. */
static void older(const struct community_state *s, uint64_t v, uint64_t *low, uint64_t *high)
{
    uint64_t field = community_of(s, v);
    *low = s->sum[s->start[field]];
    *high = v > s->start[field] ? s->sum[v] : s->sum[s->start[field + 1]];
}

static void arcs(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs)
{
    const struct community_state *s = state;
    for (uint64_t i = first; i < first + count; i++, pairs += 2) {
        struct rng_block b = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), 0, CITATION_STREAM);
        struct rng_block d = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), 1, CITATION_STREAM);
        uint64_t v = i < s->n ? i : community_scaled(b.word[0], b.word[1], s->n), low = 0, high = s->sum[s->n];
        if (d.word[2] >= s->mixing) older(s, v, &low, &high);
        uint64_t u = community_vertex(s, low + community_scaled(d.word[0], d.word[1], high - low));
        pairs[0] = u == v ? ARC_NONE : (uint32_t)u;
        pairs[1] = (uint32_t)v;
    }
}

static double chance(const struct community_state *s, const struct synth_options *o, uint64_t u, uint64_t v)
{
    uint64_t low, high;
    double weight = (double)(s->sum[u + 1] - s->sum[u]), all = (double)s->sum[s->n];
    older(s, v, &low, &high);
    bool inside = s->sum[u] >= low && s->sum[u] < high;
    return (o->mixing * weight / all + (inside ? (1 - o->mixing) * weight / (double)(high - low) : 0)) / (double)s->n;
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
