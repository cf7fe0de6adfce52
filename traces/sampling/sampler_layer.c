/* sampler_layer.c - layer-wise sampling (law: sampler.h; DSP section 4.2).
 *
 * DSP draws a frontier vertex with chance deg(v) / sum of degrees, then one of its neighbours. That is a uniform
 * position in the frontier's rows laid end to end, so one draw does both. Drawn positions are sorted, so that those of
 * a row are together.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/order.h"
#include "traces/sampling/sampler_scratch.h"

static const uint64_t vacant = UINT64_MAX;

enum st place_set_new(struct place_set *s, uint32_t most, struct err *err)
{
    uint64_t size = 64;
    while (size < 2 * (uint64_t)most) size *= 2;
    MAKE(s->cell, size, "a set of draws");
    s->mask = size - 1;
    memset(s->cell, 0xff, size * sizeof *s->cell);
    return ST_OK;
}

void place_set_free(struct place_set *s)
{
    mem_free(s->cell);
    memset(s, 0, sizeof *s);
}

/* Adds x; false when it was there. */
static bool sampler_layer_add(struct place_set *s, uint64_t x)
{
    uint64_t at = (x * 0x9E3779B97F4A7C15u >> 20) & s->mask;
    for (; s->cell[at] != vacant; at = (at + 1) & s->mask)
        if (s->cell[at] == x) return false;
    s->cell[at] = x;
    return true;
}

/* out: `count` of the positions 0..total-1, sorted. Without replacement: count <= total, by Floyd's algorithm. */
static void draw_places(const struct draw_key *key, uint64_t total, uint32_t count, bool replace, struct place_set *set,
                        uint64_t *out)
{
    struct rng_block words = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        uint64_t top = replace ? total - 1 : total - count + i;
        if (i % 2 == 0) words = draws_block(key, i / 2, 0);
        out[i] = draw_wide(key, i / 2, 2 * (i % 2), &words, top + 1);
        if (replace || sampler_layer_add(set, out[i])) continue;
        out[i] = top;
        sampler_layer_add(set, top);
    }
    if (!replace) memset(set->cell, 0xff, (set->mask + 1) * sizeof *set->cell);
    qsort(out, count, sizeof *out, order_u64);
}

/* Counts v's visit, whose draws are the entries place[0..count) of the graph, sorted. */
static void visit(const struct sampler *s, struct sampler_scratch *b, uint32_t hop, uint32_t v, const uint64_t *place,
                  uint64_t count, struct sample_counts *c, uint64_t *lines)
{
    uint64_t cost = cachelines_of_offsets(v, s->line_bytes), last = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t line = 4 * place[i] / s->line_bytes;
        cost += line != last;
        last = line;
        scratch_discover(b, s->g->indices[place[i]]);
    }
    scratch_visit(s, c, hop, v, cost, lines);
    scratch_keep(b, v, place, count);
    if (count && c && c->draws) scratch_count(&c->draws[v], (uint32_t)count, s->threads > 1);
}

void sampler_layer_wise(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key,
                        struct frontier f, struct sample_counts *c, uint64_t *lines)
{
    const struct graph *g = s->g;
    uint64_t rows = f.to - f.from, at = 0;
    bool replace = s->w->sampler == SAMPLER_LAYER_WISE_REPLACE;
    struct draw_key counter = {s->w->seed, UINT32_MAX, key->hop, key->batch, key->who}; /* no vertex has that number */
    b->before[0] = 0;
    for (uint64_t i = 0; i < rows; i++) b->before[i + 1] = b->before[i] + graph_degree(g, b->found[f.from + i]);
    uint64_t total = b->before[rows];
    uint32_t count = s->w->fanout[key->hop];
    if (!replace && total < count) count = (uint32_t)total;
    if (!total) count = 0;
    draw_places(&counter, total, count, replace, &b->drawn, b->places);
    for (uint64_t i = 0; i < rows; i++) {
        uint32_t v = b->found[f.from + i];
        uint64_t first = at;
        for (; at < count && b->places[at] < b->before[i + 1]; at++)
            b->places[at] += (uint64_t)g->indptr[v] - b->before[i];
        visit(s, b, key->hop, v, b->places + first, at - first, c, lines);
    }
}
