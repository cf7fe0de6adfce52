#include "hwprofiles/model/cpu_sampling.h"

#include <math.h>

static enum st check_axis(const double *v, int count, const char *key, const char *where, struct err *err)
{
    for (int i = 1; i < count; i++)
        if (v[i] <= v[i - 1])
            return err_set(err, ST_INPUT, "%s: number %d of \"%s\" in \"cpu_sampling\" must be above the one before",
                           where, i, key);
    return ST_OK;
}

enum st cpu_sampling_read(const doc *d, const char *where, struct cpu_sampling *c, struct err *err)
{
    const doc *rows = doc_get(d, "edges_per_second");
    PASS(check_axis(c->thread, c->threads, "threads", where, err));
    PASS(check_axis(c->batch, c->batches, "batch", where, err));
    for (int i = 0; i < c->threads; i++) {
        const doc *row = doc_at(rows, (uint64_t)i);
        if (doc_size(rows) != (uint64_t)c->threads || doc_size(row) != (uint64_t)c->batches)
            return err_set(err, ST_INPUT,
                           "%s: \"edges_per_second\" in \"cpu_sampling\" must have a row per number of threads (%d), "
                           "and in each a rate per batch (%d)",
                           where, c->threads, c->batches);
        for (int k = 0; k < c->batches; k++) {
            c->edges[i][k] = doc_real_value(doc_at(row, (uint64_t)k), 0);
            if (c->edges[i][k] < 1e-6)
                return err_set(err, ST_INPUT,
                               "%s: rate %d of row %d of \"cpu_sampling\" is no rate in edges per second", where, k, i);
        }
    }
    return ST_OK;
}

doc *cpu_sampling_rates(const struct cpu_sampling *c)
{
    doc *d = doc_object(), *rows = doc_array();
    for (int i = 0; i < c->threads; i++) {
        doc *row = doc_array();
        for (int k = 0; k < c->batches; k++) doc_append(row, doc_real(c->edges[i][k]));
        doc_append(rows, row);
    }
    doc_put(d, "edges_per_second", rows);
    return d;
}

/* The piece of an axis that holds v: *from its lower end, *part how far along its logarithm, 0..1. */
static void locate(const double *axis, int count, double v, int *from, double *part)
{
    *from = 0;
    *part = 0;
    if (!(v > axis[0])) return;
    while (*from + 1 < count && axis[*from + 1] <= v) (*from)++;
    if (*from + 1 < count) *part = log(v / axis[*from]) / log(axis[*from + 1] / axis[*from]);
}

double cpu_sampling_rate(const struct cpu_sampling *c, double threads, double batch)
{
    int t, b;
    double at_t, at_b, rate[2];
    locate(c->thread, c->threads, threads, &t, &at_t);
    locate(c->batch, c->batches, batch, &b, &at_b);
    for (int i = 0; i < 2; i++) {
        const double *row = c->edges[t + (i && t + 1 < c->threads)];
        double low = log(row[b]), high = log(row[b + (b + 1 < c->batches)]);
        rate[i] = low + at_b * (high - low);
    }
    double found = exp(rate[0] + at_t * (rate[1] - rate[0]));
    return threads < c->thread[0] ? found * threads / c->thread[0] : found;
}
