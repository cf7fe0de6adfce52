#include "planner/validation/validation_fit.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { STEPS = 2000, RESTARTS = 20 };

struct corner {
    double at[FIT_MAX], cost; /* at: logarithms */
};
struct simplex {
    double (*cost)(const void *of, const double *x);
    const void *of;
    int count;
    struct corner corner[FIT_MAX + 1]; /* ascending by cost */
};

static void measure(const struct simplex *s, struct corner *c)
{
    double x[FIT_MAX];
    for (int i = 0; i < s->count; i++) x[i] = exp(c->at[i]);
    c->cost = s->cost(s->of, x);
    if (isnan(c->cost)) c->cost = INFINITY;
}

/* Puts a corner into its place; the last one falls out. */
static void insert(struct simplex *s, const struct corner *c)
{
    int at = s->count;
    for (; at && s->corner[at - 1].cost > c->cost; at--) s->corner[at] = s->corner[at - 1];
    s->corner[at] = *c;
}

/* The last corner moved along the line through the middle of the others: 1 mirrors it, -0.5 halves its distance. */
static struct corner moved(const struct simplex *s, double by)
{
    struct corner c;
    for (int i = 0; i < s->count; i++) {
        double middle = 0;
        for (int k = 0; k < s->count; k++) middle += s->corner[k].at[i] / s->count;
        c.at[i] = middle + by * (middle - s->corner[s->count].at[i]);
    }
    measure(s, &c);
    return c;
}

static void shrink(struct simplex *s)
{
    struct corner old[FIT_MAX + 1];
    memcpy(old, s->corner, sizeof old);
    for (int k = 1; k <= s->count; k++) s->corner[k].cost = INFINITY;
    for (int k = 1; k <= s->count; k++) {
        for (int i = 0; i < s->count; i++) old[k].at[i] = (old[k].at[i] + old[0].at[i]) / 2;
        measure(s, &old[k]);
        insert(s, &old[k]);
    }
}

static void step(struct simplex *s)
{
    struct corner mirrored = moved(s, 1), further;
    if (mirrored.cost < s->corner[0].cost) {
        further = moved(s, 2);
        insert(s, further.cost < mirrored.cost ? &further : &mirrored);
    } else if (mirrored.cost < s->corner[s->count - 1].cost) {
        insert(s, &mirrored);
    } else {
        further = moved(s, mirrored.cost < s->corner[s->count].cost ? 0.5 : -0.5);
        if (further.cost < s->corner[s->count].cost) insert(s, &further);
        else shrink(s);
    }
}

static bool small(const struct simplex *s)
{
    double wide = 0;
    for (int i = 0; i < s->count; i++) wide = fmax(wide, fabs(s->corner[s->count].at[i] - s->corner[0].at[i]));
    return wide < 1e-12;
}

static void begin(struct simplex *s, const struct corner *from)
{
    for (int k = 0; k <= s->count; k++) s->corner[k].cost = INFINITY;
    for (int k = 0; k <= s->count; k++) {
        struct corner c = *from;
        if (k) c.at[k - 1] += 0.7;
        measure(s, &c);
        insert(s, &c);
    }
}

void validation_minimise(double (*cost)(const void *of, const double *x), const void *of, int count, double *x)
{
    struct simplex s = {.cost = cost, .of = of, .count = count};
    struct corner best;
    for (int i = 0; i < count; i++) best.at[i] = log(x[i]);
    measure(&s, &best);
    for (int r = 0; r < RESTARTS; r++) {
        double before = best.cost;
        begin(&s, &best);
        for (int i = 0; i < STEPS && !small(&s); i++) step(&s);
        best = s.corner[0];
        if (!(best.cost < before * (1 - 1e-9))) break;
    }
    for (int i = 0; i < count; i++) x[i] = exp(best.at[i]);
}
