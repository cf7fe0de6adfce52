#include "traces/sampling/labor.h"

#include "base/rng.h"
#include "base/rng_x86.h"
#include "traces/sampling/normal.h"

#define VARIATES 0x6c61626fu /* the last word of their counters */

struct labor_variates labor_variates_of(const struct workload *w, uint32_t hop, uint32_t batch, uint32_t who)
{
    uint32_t kappa = w->batch_dependency ? w->batch_dependency : 1, lane = w->layer_dependency ? 1 : hop + 1;
    struct labor_variates v = {.key = w->seed ^ 0x6c61626f72u ^ (uint64_t)lane << 56,
                               .window = batch / kappa,
                               .who = who,
                               .now = 1,
                               .together = rng_x86_works()};
    if (batch % kappa) normal_turn(batch % kappa, kappa, &v.now, &v.next);
    return v;
}

/* Window w's own variate of t, independent of all others. */
static inline uint64_t of_window(const struct labor_variates *v, uint32_t window, uint32_t t)
{
    struct rng_block b = rng_philox(v->key, t, window, v->who, VARIATES);
    return (uint64_t)b.word[1] << 32 | b.word[0];
}

uint64_t labor_variate(const struct labor_variates *v, uint32_t t)
{
    uint64_t now = of_window(v, v->window, t);
    if (!(v->next > 0)) return now;
    uint64_t next = of_window(v, v->window + 1, t);
    return normal_chance(v->now * normal_quantile(now) + v->next * normal_quantile(next));
}

bool labor_below(const struct labor_variates *v, uint32_t t, uint64_t share, double quantile)
{
    static const double doubt = 1e-3; /* far more than the relative errors of normal.h */
    uint64_t now = of_window(v, v->window, t);
    if (!(v->next > 0)) return now < share;
    double x = v->now * normal_quantile(now) + v->next * normal_quantile(of_window(v, v->window + 1, t)),
           near = doubt * (1 + (quantile < 0 ? -quantile : quantile));
    if (x > quantile + near) return false;
    if (x < quantile - near) return true;
    return normal_chance(x) < share;
}

/* The same of LABOR_SOME within one window. */
static uint32_t below_together(const struct labor_variates *v, const uint32_t *t, uint64_t share)
{
    uint32_t unsure, below = rng_x86_below(v->key, t, v->window, v->who, VARIATES, share, &unsure);
    for (; unsure; unsure &= unsure - 1) {
        const int i = __builtin_ctz(unsure);
        below |= (uint32_t)(of_window(v, v->window, t[i]) < share) << i;
    }
    return below;
}

uint32_t labor_below_some(const struct labor_variates *v, const uint32_t *t, int count, uint64_t share, double quantile)
{
    uint32_t padded[LABOR_SOME] = {0}, below = 0;
    if (v->next > 0 || !v->together) {
        for (int i = 0; i < count; i++) below |= (uint32_t)labor_below(v, t[i], share, quantile) << i;
        return below;
    }
    if (count == LABOR_SOME) return below_together(v, t, share);
    for (int i = 0; i < count; i++) padded[i] = t[i];
    return below_together(v, padded, share) & ((1u << count) - 1);
}

double labor_scale(const double *inverse, uint64_t degree, uint32_t k)
{
    double target = (double)degree * (double)degree / k, scale = 0;
    for (;;) { /* with what is certain at a scale that is too low: the next one is higher, and not too high */
        double sum = 0;
        uint64_t certain = 0;
        for (uint64_t i = 0; i < degree; i++) {
            if (scale >= inverse[i]) certain++;
            else sum += inverse[i];
        }
        double next = sum / (target - (double)certain);
        if (!(next > scale)) return scale;
        scale = next;
    }
}
