/* synth_web.c - pages of hosts: ids of a host (a community) are consecutive, as where URLs are sorted. Every page
 * has some links; a few hosts are linked much more densely, so that the longest rows are not those that samples of
 * all pages read most. A quarter of the links inside a host lead to a page near by, at a distance d with a chance like
 * 1 / d (neighbours in a folder), the others to a page of the host by weight (its entry pages); a share `mixing` leads
 * to any page by weight. The arc leads from the linked page to the
 * linking one, so a page draws from its links. */
#include <math.h>

#include "base/rng.h"
#include "traces/builder/builder_csr.h"
#include "traces/synth/synth_community.h"

enum { WEB_STREAM = 0x776562, FIRST = 6 };

/* 2^(bits of x): from 1 to most, so that each doubling of the distance is as likely as the last. Whole numbers and
 * shifts alone: the same on every machine. */
static uint64_t distance(uint32_t x, uint32_t y, uint64_t most)
{
    int doublings = 64 - __builtin_clzll(most);
    uint64_t low = (uint64_t)1 << ((uint64_t)x * (uint64_t)doublings >> 32), d = low + ((uint64_t)y * low >> 32);
    return d > most ? most : d;
}

/* A page of the host [low, high) near v, other than v where there is one. */
static uint64_t near_by(uint64_t v, uint64_t low, uint64_t high, const struct rng_block *d)
{
    uint64_t back = v - low, ahead = high - 1 - v;
    bool down = ahead == 0 || (back > 0 && d->word[3] & 1);
    uint64_t most = down ? back : ahead;
    if (!most) return v;
    uint64_t far = distance(d->word[0], d->word[1], most);
    return down ? v - far : v + far;
}

/* The page that link i stands on: every page in turn for the first links, then pages of hosts that are linked densely:
 * the host is number hosts * x^4 of x uniform in [0, 1), so a tenth of the hosts has more than half of these links. */
static uint64_t linking(const struct community_state *s, uint64_t i, const struct rng_block *b)
{
    if (i < FIRST * s->n) return i % s->n;
    uint64_t x = b->word[0], square = x * x >> 32, host = s->communities * (square * square >> 32) >> 32;
    return s->start[host] + community_scaled(b->word[1], b->word[3], s->start[host + 1] - s->start[host]);
}

/* At most COMMUNITY_CHUNK arcs. Those drawn by weight are listed in `which`, so that they are looked up together. */
static void chunk(const struct synth_options *o, const struct community_state *s, uint64_t first, int count,
                  uint32_t *pairs)
{
    uint64_t unit[COMMUNITY_CHUNK], v, u;
    int which[COMMUNITY_CHUNK], units = 0;
    for (int k = 0; k < count; k++) {
        uint64_t i = first + (uint64_t)k;
        struct rng_block b = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), 0, WEB_STREAM);
        struct rng_block d = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), 1, WEB_STREAM);
        v = linking(s, i, &b);
        uint64_t host = community_of(s, v), low = 0, high = s->sum[s->n];
        bool anywhere = d.word[2] < s->mixing;
        pairs[2 * k + 1] = (uint32_t)v;
        if (!anywhere && !(b.word[2] & 3)) {
            u = near_by(v, s->start[host], s->start[host + 1], &d);
            pairs[2 * k] = u == v ? ARC_NONE : (uint32_t)u;
            continue;
        }
        if (!anywhere) low = s->base[host], high = s->base[host + 1];
        unit[units] = low + community_scaled(d.word[0], d.word[1], high - low);
        which[units++] = k;
    }
    community_vertices(s, unit, units);
    for (int k = 0; k < units; k++)
        pairs[2 * which[k]] = unit[k] == pairs[2 * which[k] + 1] ? ARC_NONE : (uint32_t)unit[k];
}

static void arcs(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs)
{
    community_chunks(o, state, first, count, pairs, chunk);
}

/* Of a page near by about 1 / (2 d doublings). */
static double chance(const struct community_state *s, const struct synth_options *o, uint64_t u, uint64_t v)
{
    double all = (double)s->sum[s->n], to = (double)(s->sum[u + 1] - s->sum[u]);
    uint64_t host = community_of(s, v), low = s->start[host], high = s->start[host + 1];
    double hosts = (double)s->communities, q = o->mixing * to / all,
           from = pow((double)(host + 1) / hosts, 0.25) - pow((double)host / hosts, 0.25);
    if (u >= low && u < high && u != v) {
        uint64_t most = u < v ? v - low : high - 1 - v, d = u < v ? v - u : u - v;
        int doublings = 64 - __builtin_clzll(most);
        q += (1 - o->mixing) *
             (0.75 * to / (double)(s->sum[high] - s->sum[low]) + 0.25 * 0.7 / (double)d / doublings / 2);
    }
    return q * from / (double)(high - low);
}

static enum st draws(const struct synth_options *o, const void *state, uint64_t *out, struct err *err)
{
    return community_draws(o, state, &synth_web, chance, o->edges, out, err);
}

const struct synth_kind synth_web = {.name = "web",
                                     .begin = community_begin,
                                     .arcs = arcs,
                                     .draws = draws,
                                     .finish = community_finish};
