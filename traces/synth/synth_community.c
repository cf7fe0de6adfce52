/* synth_community.c - degree-corrected planted communities (Karrer and Newman, Phys. Rev. E 83, 2011): both ends of
 * an edge are drawn by vertex weight, the second one from the first one's community, or, for a share `mixing` of the
 * edges, from all vertices. Weights follow a power law. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "traces/builder/builder_csr.h"
#include "traces/synth/synth_community.h"

enum { WEIGHT_STREAM = 0x776569, SIZE_STREAM = 0x73697a, EDGE_STREAM = 0x636f6d, WEIGHT_UNIT = 256 };

static uint64_t weight_of(const struct synth_options *o, uint64_t v, double most)
{
    double w = pow(1 - rng_unit(o->seed, WEIGHT_STREAM, v), -1 / (o->gamma - 1));
    return (uint64_t)((w < most ? w : most) * WEIGHT_UNIT);
}

static void fill_sums(struct community_state *s, const struct synth_options *o, int threads)
{
    double most = 2 * sqrt((double)s->n) + 1;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t v = 0; v < s->n; v++) s->sum[v + 1] = weight_of(o, v, most);
    for (uint64_t v = 0; v < s->n; v++) s->sum[v + 1] += s->sum[v];
}

static void fill_guide(struct community_state *s)
{
    uint64_t total = s->sum[s->n], v = 0;
    for (uint64_t c = 0; c < s->cells; c++) {
        uint64_t unit = (uint64_t)((unsigned __int128)total * c / s->cells);
        while (s->sum[v + 1] <= unit) v++;
        s->guide[c] = (uint32_t)v;
    }
}

/* Sizes differ by up to a factor of three; at least one vertex each. */
static void fill_starts(struct community_state *s, const struct synth_options *o)
{
    uint64_t total = 0, before = 0, spare = s->n - s->communities;
    for (uint64_t c = 0; c < s->communities; c++) total += 512 + rng_hash(o->seed, SIZE_STREAM, c) % 1025;
    for (uint64_t c = 0; c < s->communities; c++) {
        s->start[c] = c + (uint64_t)((unsigned __int128)spare * before / total);
        before += 512 + rng_hash(o->seed, SIZE_STREAM, c) % 1025;
    }
    s->start[s->communities] = s->n;
    for (uint64_t c = 0; c <= s->communities; c++) s->base[c] = s->sum[s->start[c]];
}

/* Has to follow fill_starts. */
static void fill_near(struct community_state *s)
{
    for (uint64_t v = 0, c = 0; v < s->n; v += s->step) {
        while (s->start[c + 1] <= v) c++;
        s->near[v / s->step] = (uint32_t)c;
    }
}

void community_finish(void *state)
{
    struct community_state *s = state;
    if (!s) return;
    mem_free(s->sum);
    mem_free(s->guide);
    mem_free(s->start);
    mem_free(s->base);
    mem_free(s->near);
    mem_free(s);
}

enum st community_begin(const struct synth_options *o, int threads, void **state, struct err *err)
{
    struct community_state *s = NULL;
    enum st st = ST_OK;
    if (o->communities < 1 || o->communities > o->vertices)
        FAIL(ST_USAGE, "--communities: %llu is out of range; expected 1 to the number of vertices, %llu",
             (unsigned long long)o->communities, (unsigned long long)o->vertices);
    NEW(s, 1, "communities");
    s->n = s->cells = o->vertices;
    s->communities = o->communities;
    s->step = s->n / s->communities / 8 + 1; /* few communities begin in one step */
    s->mixing = (uint64_t)(o->mixing * 0x1p32);
    NEW(s->sum, s->n + 1, "vertex weights");
    NEW(s->guide, s->cells, "an index of vertex weights");
    NEW(s->start, s->communities + 1, "communities");
    NEW(s->base, s->communities + 1, "communities");
    NEW(s->near, s->n / s->step + 1, "an index of communities");
    fill_sums(s, o, threads);
    fill_guide(s);
    fill_starts(s, o);
    fill_near(s);
    *state = TAKE(s);
done:
    community_finish(s);
    return st;
}

void community_vertices(const struct community_state *s, uint64_t *unit, int count)
{
    uint64_t cell[COMMUNITY_CHUNK], v[COMMUNITY_CHUNK], total = s->sum[s->n];
    for (int k = 0; k < count; k++) {
        cell[k] = (uint64_t)((unsigned __int128)unit[k] * s->cells / total);
        __builtin_prefetch(&s->guide[cell[k]]);
    }
    for (int k = 0; k < count; k++) {
        v[k] = s->guide[cell[k]];
        __builtin_prefetch(&s->sum[v[k] + 1]);
    }
    for (int k = 0; k < count; k++) {
        uint64_t at = v[k];
        while (s->sum[at + 1] <= unit[k]) at++;
        unit[k] = at;
    }
}

/* At most COMMUNITY_CHUNK arcs. */
static void chunk(const struct synth_options *o, const struct community_state *s, uint64_t first, int count,
                  uint32_t *pairs)
{
    uint64_t u[COMMUNITY_CHUNK], v[COMMUNITY_CHUNK];
    for (int k = 0; k < count; k++) {
        uint64_t i = first + (uint64_t)k;
        struct rng_block b = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), 0, EDGE_STREAM);
        u[k] = community_scaled(b.word[0], b.word[1], s->sum[s->n]);
    }
    community_vertices(s, u, count);
    for (int k = 0; k < count; k++) {
        uint64_t i = first + (uint64_t)k, c = community_of(s, u[k]);
        struct rng_block d = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), 1, EDGE_STREAM);
        bool inside = d.word[2] >= s->mixing;
        uint64_t low = inside ? s->base[c] : 0, high = inside ? s->base[c + 1] : s->sum[s->n];
        v[k] = low + community_scaled(d.word[0], d.word[1], high - low);
    }
    community_vertices(s, v, count);
    for (int k = 0; k < count; k++) {
        pairs[2 * k] = u[k] == v[k] ? ARC_NONE : (uint32_t)u[k];
        pairs[2 * k + 1] = (uint32_t)v[k];
    }
}

void community_chunks(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs,
                      community_chunk *write)
{
    for (uint64_t at = 0; at < count; at += COMMUNITY_CHUNK)
        write(o, state, first + at, (int)(count - at < COMMUNITY_CHUNK ? count - at : COMMUNITY_CHUNK), pairs + 2 * at);
}

static void arcs(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs)
{
    community_chunks(o, state, first, count, pairs, chunk);
}

/* Chance that one draw gives the edge u - v, in either order. */
static double chance(const struct community_state *s, const struct synth_options *o, uint64_t u, uint64_t v)
{
    uint64_t c = community_of(s, u);
    double all = (double)s->sum[s->n], own = (double)(s->sum[s->start[c + 1]] - s->sum[s->start[c]]);
    double wu = (double)(s->sum[u + 1] - s->sum[u]), wv = (double)(s->sum[v + 1] - s->sum[v]);
    double inside = c == community_of(s, v) ? (1 - o->mixing) / own : 0;
    return 2 * wu / all * wv * (o->mixing / all + inside);
}

/* Estimates from a sample how many different edges `draws` draws give: an edge of chance q is drawn with 1 - (1 -
 * q)^draws, and it is in the sample with q. */
static double distinct(const double *q, uint64_t count, double draws)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        if (q[i] > 0) sum += -expm1(draws * log1p(-q[i])) / q[i];
    return sum / (double)count;
}

enum st community_draws(const struct synth_options *o, const struct community_state *s, const struct synth_kind *kind,
                        community_chance *likely, uint64_t wanted, uint64_t *out, struct err *err)
{
    enum { SAMPLE = 1 << 14, MOST = 4 };
    uint64_t low = wanted, high = MOST * wanted,
             from = 8 * o->vertices; /* a kind may give the first arcs to every row */
    OWNED_NEW(uint32_t, pairs, 2 * SAMPLE, "sampled edges");
    OWNED_NEW(double, q, SAMPLE, "sampled edges");
    kind->arcs(o, s, kind->both ? 0 : from, SAMPLE, pairs);
    for (uint64_t i = 0; i < SAMPLE; i++)
        if (pairs[2 * i] != ARC_NONE) {
            q[i] = likely(s, o, pairs[2 * i], pairs[2 * i + 1]);
            if (q[i] > 0.999) q[i] = 0.999;
        }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (distinct(q, SAMPLE, (double)middle) < (double)wanted) low = middle + 1;
        else high = middle;
    }
    *out = low;
    return ST_OK;
}

/* Hubs of one community are drawn repeatedly: more draws, so that about edges / 2 different edges come out. */
static enum st draws(const struct synth_options *o, const void *state, uint64_t *out, struct err *err)
{
    return community_draws(o, state, &synth_community, chance, (o->edges + 1) / 2, out, err);
}

const struct synth_kind synth_community = {.name = "community",
                                           .both = true,
                                           .begin = community_begin,
                                           .arcs = arcs,
                                           .draws = draws,
                                           .finish = community_finish};
