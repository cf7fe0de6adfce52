#include "planner/validation/validation_run.h"

#include <math.h>
#include <string.h>

#include "planner/validation/validation_fit.h"

const char *validation_verdict_name(enum validation_verdict v)
{
    static const char *const names[] = {"not known", "missed", "met"};
    return names[v];
}

static double predict(const struct validation_case *c, const struct validation_point *p, const double *parameter)
{
    double v = c->model->predict(p->server, p->value, parameter);
    return isfinite(v) && v > 0 ? v : NAN;
}

/* ---- fitting ---- */

struct fit {
    const struct validation_case *c;
    int without; /* point that is left out; -1: none */
};

static void fill(const struct validation_case *c, const double *x, double *parameter)
{
    memcpy(parameter, c->parameter, sizeof c->parameter);
    for (int i = 0, k = 0; i < c->parameters; i++)
        if (c->fitted[i]) parameter[i] = x[k++];
}

static double misfit(const void *of, const double *x)
{
    const struct fit *f = of;
    double parameter[MODEL_PARAMETERS_MAX], sum = 0;
    fill(f->c, x, parameter);
    for (int i = 0; i < f->c->points; i++) {
        const struct validation_point *p = &f->c->point[i];
        if (p->use == POINT_PREDICT || i == f->without) continue;
        double off = log(predict(f->c, p, parameter) / p->measured);
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
    fill(c, x, parameter);
}

void validation_run(struct validation_case *c)
{
    double all[MODEL_PARAMETERS_MAX], parameter[MODEL_PARAMETERS_MAX];
    fit(c, -1, all);
    for (int i = 0; i < c->points; i++) {
        struct validation_point *p = &c->point[i];
        memcpy(parameter, all, sizeof all);
        if (p->use == POINT_LEAVE_ONE_OUT) fit(c, i, parameter);
        p->predicted = predict(c, p, parameter);
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
