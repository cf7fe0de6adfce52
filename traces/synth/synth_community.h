/* synth_community.h - vertices with weights, in communities of consecutive ids: what the kinds community, citation and
 * web draw from.
 *
 * Weights follow a power law and are integers, so that sums do not depend on the order of adding. A "unit" is a number
 * below the sum of all weights; every unit belongs to one vertex.
 */
#ifndef TRACES_SYNTH_SYNTH_COMMUNITY_H
#define TRACES_SYNTH_SYNTH_COMMUNITY_H

#include "traces/synth/synth.h"

/* Arcs drawn together, so that their loads are in flight together. */
enum { COMMUNITY_CHUNK = 64 };

struct community_state {
    uint64_t *sum;   /* [n+1] weights before a vertex; integers, so that no order of adding matters */
    uint32_t *guide; /* [cells] the vertex that holds the first unit of each cell of the total */
    uint64_t *start; /* [communities + 1] first vertex */
    uint64_t *base;  /* [communities + 1] sum[start[c]], close together */
    uint32_t *near;  /* [n / step + 1] the community of the first of every `step` vertices */
    uint64_t n, cells, communities, step;
    uint64_t mixing; /* of 2^32 */
};

/* synth_kind.begin: weights by o->gamma, o->communities sizes that differ by up to a factor of three. ST_USAGE unless
 * there are 1 to n communities; ST_LIMIT for memory. */
enum st community_begin(const struct synth_options *o, int threads, void **state, struct err *err) MUST_USE;
/* synth_kind.finish. */
void community_finish(void *state);

/* Chance that one draw of a kind gives the stored arc u, v (undirected: in either order). */
typedef double community_chance(const struct community_state *s, const struct synth_options *o, uint64_t u, uint64_t v);
/* *out: draws, at most 4 times `wanted`, that give about `wanted` different arcs of the kind, estimated from a sample.
 * ST_LIMIT for memory. */
enum st community_draws(const struct synth_options *o, const struct community_state *s, const struct synth_kind *kind,
                        community_chance *likely, uint64_t wanted, uint64_t *out, struct err *err) MUST_USE;

/* Writes `count` arcs, at most COMMUNITY_CHUNK, from number `first` on, as synth_kind.arcs does. */
typedef void community_chunk(const struct synth_options *o, const struct community_state *s, uint64_t first, int count,
                             uint32_t *pairs);
/* synth_kind.arcs by chunks. */
void community_chunks(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs,
                      community_chunk *write);

/* Replaces unit[count] by the vertices that hold them; count <= COMMUNITY_CHUNK. */
void community_vertices(const struct community_state *s, uint64_t *unit, int count);

/* The community of a vertex. */
static inline uint64_t community_of(const struct community_state *s, uint64_t v)
{
    uint64_t c = s->near[v / s->step];
    while (s->start[c + 1] <= v) c++;
    return c;
}

/* A number below range from 64 random bits. */
static inline uint64_t community_scaled(uint32_t high, uint32_t low, uint64_t range)
{
    return (uint64_t)(((unsigned __int128)((uint64_t)high << 32 | low) * range) >> 64);
}

#endif
