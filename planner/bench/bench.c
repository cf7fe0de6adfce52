#include "planner/bench/bench.h"

#include <stdlib.h>

#include "base/progress.h"

enum { REPEATS_MAX = 101 };

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

enum st bench_run(const struct bench_case *c, const struct bench_setup *s, int repeats, struct bench_result *out,
                  struct err *err)
{
    double taken[REPEATS_MAX];
    void *state = NULL;
    enum st st;
    if (repeats > REPEATS_MAX) repeats = REPEATS_MAX;
    TRY(c->begin(s, &state, err));
    for (int r = -1; r < repeats; r++) {
        double began = clock_seconds();
        TRY(c->run(s, state, err));
        if (r >= 0) taken[r] = clock_seconds() - began;
    }
    qsort(taken, (size_t)repeats, sizeof *taken, by_value);
    *out = (struct bench_result){.best = taken[0], .median = taken[repeats / 2], .worst = taken[repeats - 1]};
    c->work(s, state, &out->work);
done:
    if (state) c->end(state);
    return st;
}

double bench_limit(const struct bench_work *w, const struct limits *l)
{
    if (w->seconds > 0) return w->seconds;
    return limits_seconds(l, w->bytes, w->gathers, w->span) + limits_seconds(l, 0, w->more_gathers, w->more_span);
}
