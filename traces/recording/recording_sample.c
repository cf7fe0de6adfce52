/* recording_sample.c - a GPU's counts of some vertices, and sums of all (declared in recording.h). */
#include "traces/recording/recording.h"
#include "traces/sampling/workload_types.h"

/* Sums of a hop's visits over all vertices, and of what they draw: whole numbers, so that threads do not matter. */
static void sum_visits(const struct recording *r, int hop, const uint32_t *visits, struct trace_sums *sums)
{
    uint64_t seen = 0;
    double drawn = 0;
#pragma omp parallel for num_threads(r->o->threads) reduction(+ : seen, drawn)
    for (uint64_t v = 0; v < r->width; v++) {
        if (!visits[v]) continue;
        seen += visits[v];
        drawn += visits[v] * workload_mean_draws(r->g, &r->t->workload, 0, hop, v);
    }
    sums->visits[hop] += seen;
    sums->draws[hop] += drawn;
}

static uint64_t sum_of(const struct recording *r, const uint32_t *counts)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(r->o->threads) reduction(+ : sum)
    for (uint64_t v = 0; v < r->width; v++) sum += counts[v];
    return sum;
}

void recording_add_sampled(struct recording *r, int gpu, int quantity, void *fold)
{
    const struct trace_sample *s = &r->o->sample;
    const struct recording_target to = recording_target_of(r, gpu, quantity, fold, fold);
    const int width = r->fold_bytes;
    uint32_t *counts = r->block + (uint64_t)quantity * r->width, all = 0;
    if (quantity) sum_visits(r, quantity - 1, counts, &r->t->sums[gpu]);
    else r->t->sums[gpu].feature += sum_of(r, counts);
#pragma omp parallel for num_threads(r->o->threads) reduction(| : all)
    for (uint64_t i = 0; i < s->rows; i++) {
        const uint32_t some = counts[s->id[i]];
        ((uint32_t *)to.rows)[i] += some;
        if (!to.sum) continue;
        const uint32_t sum = count_at((struct count_row){to.sum, width}, i) + some;
        count_put(to.sum, width, i, sum);
        all |= sum;
    }
    r->overflow |= to.sum && all > (width == 1 ? UINT8_MAX : UINT16_MAX);
#pragma omp parallel for num_threads(r->o->threads)
    for (uint64_t v = 0; v < r->width; v++) counts[v] = 0;
}

void recording_sampled_draws(struct recording *r, int gpu)
{
    struct trace *t = r->t;
    const struct trace_sample *s = &r->o->sample;
    uint32_t *draws = recording_wide(t->topology[gpu]), *visits[HOPS_MAX] = {NULL};
    for (int h = 0; h < t->workload.hops; h++) visits[h] = recording_wide(t->visits[h][gpu]);
#pragma omp parallel for num_threads(r->o->threads)
    for (uint64_t i = 0; i < s->rows; i++)
        draws[i] = r->draws ? r->draws[s->id[i]]
                            : (uint32_t)sample_draws(&t->workload, graph_degree(r->g, s->id[i]), visits, i);
    if (r->draws) t->sums[gpu].topology = sum_of(r, r->draws);
    for (int h = 0; h < t->workload.hops && !r->draws; h++) t->sums[gpu].topology += (uint64_t)t->sums[gpu].draws[h];
}
