#include "simulator/replay/replay_interval.h"

#include <math.h>

#include "base/student.h"

static const double NORMAL = 1.96;

void spread_add(struct spread *s, double x)
{
    s->sum += x;
    s->squares += x * x;
    s->groups++;
}

/* Variance of the sum of all groups, from the variance between them; negative when there are fewer than two. */
static double spread_variance(const struct spread *s)
{
    if (s->groups < 2) return -1;
    double mean = s->sum / s->groups, between = (s->squares - s->groups * mean * mean) / (s->groups - 1);
    return between > 0 ? between * s->groups : 0;
}

void replay_interval(const struct spread *spreads, const struct assignment *a, struct replay *out)
{
    double variance = 0, sum = 0, sampled = 0;
    int freedom = 0;
    out->interval_known = true;
    for (int g = 0; g < a->gpus; g++) {
        if (!a->train_count[g]) continue;
        double v = spread_variance(&spreads[g]);
        out->interval_known &= v >= 0;
        variance += v;
        freedom += spreads[g].groups - 1;
        sampled += spreads[g].sampled;
        sum += (double)(out->gpu[g].topology + out->gpu[g].feature);
    }
    if (freedom < 1) out->interval_known = false;
    if (!out->interval_known) return;
    double epochs = (double)out->epochs, half = student_quantile(0.05, freedom) * sqrt(variance) / epochs;
    half = student_together(half, NORMAL * sampled / epochs);
    out->low = sum / epochs > half ? sum / epochs - half : 0;
    out->high = sum / epochs + half;
}
