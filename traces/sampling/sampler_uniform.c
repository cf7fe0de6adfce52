/* sampler_uniform.c - uniform draws without replacement (law: sampler.h). */
#include "base/cacheline.h"
#include "traces/sampling/sampler_scratch.h"

/* Of the visits of a block: who draws, and their random words. */
static void sampler_uniform_words(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key,
                                  uint64_t at, uint64_t end)
{
    const uint32_t fanout = s->w->fanout[key->hop];
    const struct draw_key like = {s->w->seed, 0, key->hop, key->batch, key->who};
    uint32_t drawers[SAMPLER_BLOCK], count = 0;
    for (uint64_t i = at; i < end; i++) {
        drawers[count] = b->found[i];
        count += graph_degree(s->g, b->found[i]) > fanout;
    }
    draw_words(&like, drawers, count, fanout, b->words);
}

/* Writes the positions that v draws into places and returns the transactions of the visit. *words: those of the next
 * visit that draws, which a visit that draws moves on; NULL: none were made. */
static uint64_t sampler_uniform_choose(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key,
                                       const struct rng_block **words, uint32_t v, uint64_t *places, uint32_t *taken)
{
    const uint32_t fanout = s->w->fanout[key->hop];
    uint64_t start = (uint64_t)s->g->indptr[v], degree = (uint64_t)s->g->indptr[v + 1] - start,
             lines = cachelines_of_offsets(v, s->line_bytes);
    if (degree <= fanout) {
        for (uint64_t i = 0; i < degree; i++) places[i] = start + i;
        for (uint64_t i = 0; i < degree; i += 16) __builtin_prefetch(&s->g->indices[start + i]);
        *taken = (uint32_t)degree;
        return lines + cachelines_touched(4 * start, 4 * degree, s->line_bytes);
    }
    struct draw_key counter = {s->w->seed, v, key->hop, key->batch, key->who};
    if (*words) {
        draw_distinct_of(&b->set, &counter, *words, (uint32_t)degree, fanout, b->picks);
        *words += (fanout + 3) / 4;
    } else draw_distinct(&b->set, &counter, (uint32_t)degree, fanout, b->picks);
    for (uint32_t i = 0; i < fanout; i++) {
        places[i] = start + b->picks[i];
        __builtin_prefetch(&s->g->indices[places[i]]);
    }
    *taken = fanout;
    return lines + draw_lines(&b->set, b->picks, fanout, 4 * start, degree, s->line_bytes);
}

/* In blocks, so that the loads of one step are in flight together. */
void sampler_uniform(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key, struct frontier f,
                     struct sample_counts *c, uint64_t *lines)
{
    const uint64_t block = (uint64_t)s->block;
    const bool together = s->w->fanout[key->hop] <= DRAW_TOGETHER;
    uint32_t taken;
    for (uint64_t at = f.from; at < f.to; at += block) {
        uint64_t end = at + block < f.to ? at + block : f.to, n = 0;
        const struct rng_block *words = together ? b->words : NULL;
        if (together) sampler_uniform_words(s, b, key, at, end);
        for (uint64_t i = at; i < end; i++) {
            uint32_t v = b->found[i];
            if (i + block < f.to) scratch_prefetch(s, c, key->hop, b->found[i + block]);
            uint64_t cost = sampler_uniform_choose(s, b, key, &words, v, b->places + n, &taken);
            scratch_keep(b, v, b->places + n, taken);
            n += taken;
            scratch_visit(s, c, key->hop, v, cost, lines);
        }
        scratch_take(s->g, b, n);
    }
}
