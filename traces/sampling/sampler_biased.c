/* sampler_biased.c - neighbours by weight, without replacement (law: sampler.h).
 *
 * Every neighbour gets an exponential time E / w, E = -ln u, and the earliest `fanout` are drawn: the first is
 * neighbour i with chance w_i / sum of w, and so on among those that are left (Efraimidis and Spirakis 2006 use
 * u^(1/w), the same order). Logarithms are integers and the one division is IEEE's, so that every machine draws the
 * same; equal times go to the lower position.
 */
#include "base/cacheline.h"
#include "traces/sampling/sampler_scratch.h"

static inline bool later(const struct draw_rank *a, const struct draw_rank *b)
{
    return a->key > b->key || (a->key == b->key && a->position > b->position);
}

/* Sets the root of a heap whose latest element is its root. */
static void set_root(struct draw_rank *heap, uint32_t count, struct draw_rank rank)
{
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && later(&heap[child + 1], &heap[child])) child++;
        if (!later(&heap[child], &rank)) break;
        heap[at] = heap[child];
    }
    heap[at] = rank;
}

static void push(struct draw_rank *heap, uint32_t at, struct draw_rank rank)
{
    for (uint32_t parent; at && later(&rank, &heap[parent = (at - 1) / 2]); at = parent) heap[at] = heap[parent];
    heap[at] = rank;
}

static const double never = 1e100; /* beyond E / w of any float: weight 0 comes after all others */

/* True when a neighbour certainly comes after `latest`, without a logarithm: -ln u >= 1 - u, minus the error of
 * draw_exponential. */
static inline bool surely_later(uint64_t word, float weight, double latest)
{
    uint64_t least = ~word >> (64 - DRAW_LOG_BITS);
    if (!(weight > 0)) return latest < never;
    return (double)(least > 512 ? least - 512 : 0) > latest * (double)weight * 1.000001;
}

void biased_draw(const struct draw_key *key, const float *weight, uint64_t degree, uint32_t count,
                 struct draw_rank *heap)
{
    struct rng_block words = {{0}};
    for (uint64_t i = 0; i < degree; i++) {
        if (i % 2 == 0) words = draw_counter(key, (uint32_t)(i / 2));
        uint64_t word = (uint64_t)words.word[2 * (i % 2) + 1] << 32 | words.word[2 * (i % 2)];
        if (i >= count && surely_later(word, weight[i], heap[0].key)) continue;
        double time = (double)draw_exponential(word);
        struct draw_rank rank = {weight[i] > 0 ? time / (double)weight[i] : never * (1 + time), (uint32_t)i};
        if (i < count) push(heap, (uint32_t)i, rank);
        else if (later(&heap[0], &rank)) set_root(heap, count, rank);
    }
}

void sampler_biased(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key, struct frontier f,
                    struct sample_counts *c, uint64_t *lines)
{
    const struct graph *g = s->g;
    uint32_t fanout = s->w->fanout[key->hop];
    for (uint64_t i = f.from; i < f.to; i++) {
        uint32_t v = b->found[i];
        uint64_t start = (uint64_t)g->indptr[v], degree = (uint64_t)g->indptr[v + 1] - start,
                 row = cachelines_touched(4 * start, 4 * degree, s->line_bytes);
        struct draw_key counter = {s->w->seed, v, key->hop, key->batch, key->who};
        scratch_visit(s, c, key->hop, v, cachelines_of_offsets(v, s->line_bytes) + (degree > fanout ? 2 * row : row),
                      lines);
        if (degree > fanout) biased_draw(&counter, g->weights + start, degree, fanout, b->keys);
        uint64_t taken = degree < fanout ? degree : fanout;
        for (uint64_t k = 0; k < taken; k++) b->places[k] = start + (degree > fanout ? b->keys[k].position : k);
        scratch_take(g, b, taken);
        scratch_keep(b, v, b->places, taken);
    }
}
