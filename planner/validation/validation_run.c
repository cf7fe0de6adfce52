#include "planner/validation/validation_run.h"

#include <math.h>
#include <string.h>
#include <stdbool.h>

/* ---- the least-squares fit of a few positive numbers ---- */

enum { FIT_MAX = 4 };

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

static void validation_run_measure(const struct simplex *s, struct corner *c)
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
    validation_run_measure(s, &c);
    return c;
}

static void shrink(struct simplex *s)
{
    struct corner old[FIT_MAX + 1];
    memcpy(old, s->corner, sizeof old);
    for (int k = 1; k <= s->count; k++) s->corner[k].cost = INFINITY;
    for (int k = 1; k <= s->count; k++) {
        for (int i = 0; i < s->count; i++) old[k].at[i] = (old[k].at[i] + old[0].at[i]) / 2;
        validation_run_measure(s, &old[k]);
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

static void validation_run_begin(struct simplex *s, const struct corner *from)
{
    for (int k = 0; k <= s->count; k++) s->corner[k].cost = INFINITY;
    for (int k = 0; k <= s->count; k++) {
        struct corner c = *from;
        if (k) c.at[k - 1] += 0.7;
        validation_run_measure(s, &c);
        insert(s, &c);
    }
}

/* Finds x[count] > 0 with a small cost(of, x), from the values that x holds: the simplex method of Nelder and Mead (The
 * Computer Journal, 1965) over the logarithms, restarted until a restart gains nothing. count: 1 to FIT_MAX. cost may
 * return infinity. A local minimum; the same input gives the same result. */
static void validation_minimise(double (*cost)(const void *of, const double *x), const void *of, int count, double *x)
{
    struct simplex s = {.cost = cost, .of = of, .count = count};
    struct corner best;
    for (int i = 0; i < count; i++) best.at[i] = log(x[i]);
    validation_run_measure(&s, &best);
    for (int r = 0; r < RESTARTS; r++) {
        double before = best.cost;
        validation_run_begin(&s, &best);
        for (int i = 0; i < STEPS && !small(&s); i++) step(&s);
        best = s.corner[0];
        if (!(best.cost < before * (1 - 1e-9))) break;
    }
    for (int i = 0; i < count; i++) x[i] = exp(best.at[i]);
}

const char *validation_verdict_name(enum validation_verdict v)
{
    static const char *const names[] = {"not known", "missed", "met"};
    return names[v];
}

static double validation_run_predict(const struct validation_case *c, const struct validation_point *p,
                                     const double *parameter)
{
    double v = c->model->predict(p->server, p->value, parameter);
    return isfinite(v) && v > 0 ? v : NAN;
}

/* ---- fitting ---- */

struct fit {
    const struct validation_case *c;
    int without; /* point that is left out; -1: none */
};

static void validation_run_fill(const struct validation_case *c, const double *x, double *parameter)
{
    memcpy(parameter, c->parameter, sizeof c->parameter);
    for (int i = 0, k = 0; i < c->parameters; i++)
        if (c->fitted[i]) parameter[i] = x[k++];
}

static double misfit(const void *of, const double *x)
{
    const struct fit *f = of;
    double parameter[MODEL_PARAMETERS_MAX], sum = 0;
    validation_run_fill(f->c, x, parameter);
    for (int i = 0; i < f->c->points; i++) {
        const struct validation_point *p = &f->c->point[i];
        if (p->use == POINT_PREDICT || i == f->without) continue;
        double off = log(validation_run_predict(f->c, p, parameter) / p->measured);
        if (isnan(off)) return INFINITY;
        sum = f->c->largest ? fmax(sum, off * off) : sum + off * off;
    }
    return sum;
}

/* Fits all parameters of the case; parameter: those to predict with. */
static void fit(const struct validation_case *c, int without, double *parameter)
{
    struct fit f = {c, without};
    double x[MODEL_PARAMETERS_MAX] = {0};
    int count = 0;
    for (int i = 0; i < c->parameters; i++)
        if (c->fitted[i]) x[count++] = c->parameter[i];
    if (count) validation_minimise(misfit, &f, count, x);
    validation_run_fill(c, x, parameter);
}

void validation_run(struct validation_case *c)
{
    double all[MODEL_PARAMETERS_MAX], parameter[MODEL_PARAMETERS_MAX];
    fit(c, -1, all);
    for (int i = 0; i < c->points; i++) {
        struct validation_point *p = &c->point[i];
        memcpy(parameter, all, sizeof all);
        if (p->use == POINT_LEAVE_ONE_OUT) fit(c, i, parameter);
        p->predicted = validation_run_predict(c, p, parameter);
        p->error = p->predicted / p->measured - 1;
    }
    memcpy(c->parameter, all, sizeof all);
}

/* ---- judging ---- */

static double middle(double *v, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k && v[k - 1] > v[k]; k--) {
            double t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
    return count ? (v[(count - 1) / 2] + v[count / 2]) / 2 : NAN;
}

static double larger(double a, double b) { return isnan(a) || fabs(b) > fabs(a) ? b : a; }

struct validation_summary validation_summarise(const struct validation_case *c)
{
    struct validation_summary s = {.worst = NAN, .worst_residual = NAN};
    double off[CASE_POINTS_MAX];
    int known = 0;
    for (int i = 0; i < c->points; i++) {
        const struct validation_point *p = &c->point[i];
        s.fitted += p->use == POINT_FIT;
        s.predicted += p->use != POINT_FIT;
        if (isnan(p->error)) {
            s.unknown++;
            continue;
        }
        s.within += fabs(p->error) <= c->tolerance;
        s.worst = larger(s.worst, p->error);
        if (p->use == POINT_FIT) s.worst_residual = larger(s.worst_residual, p->error);
        off[known++] = fabs(p->error);
    }
    s.median = middle(off, known);
    s.verdict = s.unknown ? CASE_UNKNOWN : s.within == c->points ? CASE_MET : CASE_MISSED;
    return s;
}

void validation_worst_first(const struct validation_case *cases, int count, int *order)
{
    for (int i = 0; i < count; i++) {
        struct validation_summary s = validation_summarise(&cases[i]);
        int at = i;
        for (; at; at--) {
            struct validation_summary before = validation_summarise(&cases[order[at - 1]]);
            bool first = s.unknown && !before.unknown;
            if (!first && (before.unknown || !(fabs(s.worst) > fabs(before.worst)))) break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}
