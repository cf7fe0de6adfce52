#include "hwprofiles/model/cpu_sampling.h"

#include <math.h>

/* A list of ascending numbers from 1. */
static enum st read_axis(const doc *d, const char *key, const char *where, double *out, int *count, struct err *err)
{
    doc *list = NULL;
    PASS(doc_need_array(d, key, where, &list, err));
    if (doc_size(list) < 1 || doc_size(list) > CPU_SAMPLING_MOST)
        return err_set(err, ST_INPUT, "%s: \"cpu_sampling\" has %llu numbers in \"%s\", expected 1 to %d", where,
                       (unsigned long long)doc_size(list), key, CPU_SAMPLING_MOST);
    *count = (int)doc_size(list);
    for (int i = 0; i < *count; i++) {
        out[i] = doc_real_value(doc_at(list, (uint64_t)i), NAN);
        if (!(out[i] >= 1 && out[i] <= 1e12) || (i && out[i] <= out[i - 1]))
            return err_set(err, ST_INPUT,
                           "%s: number %d of \"%s\" in \"cpu_sampling\" must be 1 or more, and above the one before",
                           where, i, key);
    }
    return ST_OK;
}

enum st cpu_sampling_read(const doc *d, const char *where, struct cpu_sampling *out, struct err *err)
{
    static const char *const keys[] = {"threads", "batch", "edges_per_second", NULL};
    struct cpu_sampling c = {0};
    doc *rows = NULL;
    PASS(doc_only_keys(d, keys, where, err));
    PASS(read_axis(d, "threads", where, c.thread, &c.threads, err));
    PASS(read_axis(d, "batch", where, c.batch, &c.batches, err));
    PASS(doc_need_array(d, "edges_per_second", where, &rows, err));
    for (int i = 0; i < c.threads; i++) {
        const doc *row = doc_at(rows, (uint64_t)i);
        if (doc_size(rows) != (uint64_t)c.threads || !doc_is_array(row) || doc_size(row) != (uint64_t)c.batches)
            return err_set(err, ST_INPUT,
                           "%s: \"edges_per_second\" in \"cpu_sampling\" must have a row per number of threads (%d), "
                           "and in each a rate per batch (%d)",
                           where, c.threads, c.batches);
        for (int k = 0; k < c.batches; k++) {
            c.edges[i][k] = doc_real_value(doc_at(row, (uint64_t)k), NAN);
            if (!(c.edges[i][k] >= 1e-6 && c.edges[i][k] <= 1e15))
                return err_set(err, ST_INPUT,
                               "%s: rate %d of row %d of \"cpu_sampling\" is no rate in edges per second", where, k, i);
        }
    }
    *out = c;
    return ST_OK;
}

static doc *axis(const double *v, int count)
{
    doc *list = doc_array();
    for (int i = 0; i < count; i++) doc_append(list, doc_real(v[i]));
    return list;
}

doc *cpu_sampling_document(const struct cpu_sampling *c)
{
    doc *d = doc_object(), *rows = doc_array();
    doc_put(d, "threads", axis(c->thread, c->threads));
    doc_put(d, "batch", axis(c->batch, c->batches));
    for (int i = 0; i < c->threads; i++) doc_append(rows, axis(c->edges[i], c->batches));
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
