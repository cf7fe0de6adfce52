#include "simulator/movement/calibration.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum { POINTS_MAX = 4096, HELD_OUT_FROM = 4 };

/* Least squares over all points but `without` (-1: none). */
static void fit(const double *x, const double *y, int points, int without, double *a, double *b)
{
    double n = 0, mx = 0, my = 0, xx = 0, xy = 0;
    for (int i = 0; i < points; i++) {
        if (i == without) continue;
        n++;
        mx += x[i];
        my += y[i];
    }
    mx /= n;
    my /= n;
    for (int i = 0; i < points; i++) {
        if (i == without) continue;
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    bool flat = !(xx > 1e-18 * n * mx * mx); /* one point, or equal ones: no slope */
    *b = flat ? my / mx : xy / xx;
    *a = flat ? 0 : my - *b * mx;
}

enum st calibration_fit(const double *model, const double *measured, int points, struct calibration *out,
                        struct err *err)
{
    struct calibration c = {.points = points, .held_out_rms = NAN};
    double squares = 0, held_out = 0;
    if (points < 1)
        return err_set(err, ST_INPUT, "the calibration has no points; give at least one with measured_seconds");
    fit(model, measured, points, -1, &c.a, &c.b);
    for (int i = 0; i < points; i++) {
        double a, b, off = (c.a + c.b * model[i]) / measured[i] - 1;
        squares += off * off;
        if (fabs(off) > fabs(c.worst)) c.worst = off;
        if (points < HELD_OUT_FROM) continue;
        fit(model, measured, points, i, &a, &b);
        off = (a + b * model[i]) / measured[i] - 1;
        held_out += off * off;
    }
    c.rms = sqrt(squares / points);
    if (points >= HELD_OUT_FROM) c.held_out_rms = sqrt(held_out / points);
    *out = c;
    return ST_OK;
}

/* Whether a row has the members that the point states. */
static bool row_fits(const doc *row, const doc *point)
{
    static const char *const keys[] = {"policy", "budget", "server", "graph"};
    for (int i = 0; i < 4; i++) {
        const char *wanted = doc_text_value(doc_get(point, keys[i]), NULL);
        if (wanted && strcmp(wanted, doc_text_value(doc_get(row, keys[i]), ""))) return false;
    }
    return true;
}

/* The prediction that a row of a results document states. */
static enum st find_row(const char *folder, const doc *point, const char *where, double *out, struct err *err)
{
    const char *file = NULL;
    char path[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    int fits = 0;
    PASS(doc_need_text(point, "results", where, &file, err));
    if (*file == '/') snprintf(path, sizeof path, "%s", file);
    else PASS(path_join(path, folder, file, err));
    PASS(doc_load(path, "results/1", &d, err));
    const doc *rows = doc_get(d, "rows");
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        if (!row_fits(doc_at(rows, i), point)) continue;
        fits++;
        *out = doc_real_value(doc_get(doc_get(doc_get(doc_at(rows, i), "simulated"), "epoch_time"), "model_seconds"),
                              NAN);
    }
    if (fits != 1)
        return err_set(err, ST_INPUT,
                       "%s: %d rows of %s match this point, expected one; name its policy, budget, server and graph",
                       where, fits, path);
    if (!(*out > 0))
        return err_set(err, ST_INPUT,
                       "%s: the row of %s states no epoch time; simulate it on a server whose constants are known",
                       where, path);
    return ST_OK;
}

static enum st read_point(const char *folder, const doc *point, const char *where, double *model, double *measured,
                          struct err *err)
{
    static const char *const keys[] = {"name",   "measured_seconds", "model_seconds", "results", "policy",
                                       "budget", "server",           "graph",         NULL};
    if (!doc_is_object(point))
        return err_set(err, ST_INPUT,
                       "%s is not an object, but {\"model_seconds\": .., \"measured_seconds\": ..} is expected", where);
    PASS(doc_only_keys(point, keys, where, err));
    PASS(doc_need_real(point, "measured_seconds", 1e-9, 1e9, where, measured, err));
    if (doc_is_null(doc_get(point, "model_seconds"))) PASS(find_row(folder, point, where, model, err));
    else PASS(doc_need_real(point, "model_seconds", 1e-9, 1e9, where, model, err));
    return ST_OK;
}

enum st calibration_load(const char *path, struct calibration *out, struct err *err)
{
    doc *points = NULL;
    OWNED_DOC doc *d = NULL;
    char folder[PATH_BYTES], where[PATH_BYTES + 40];
    PASS(doc_load(path, "calibration/1", &d, err));
    PASS(doc_need_array(d, "points", path, &points, err));
    uint64_t count = doc_size(points);
    if (!count || count > POINTS_MAX)
        return err_set(err, ST_INPUT, "%s: has %llu points, but 1 to %d are possible", path, (unsigned long long)count,
                       POINTS_MAX);
    snprintf(folder, sizeof folder, "%.*s", (int)(path_base(path) - path), path);
    if (!*folder) snprintf(folder, sizeof folder, ".");
    OWNED_NEW(double, model, count, "points of a calibration");
    OWNED_NEW(double, measured, count, "points of a calibration");
    for (uint64_t i = 0; i < count; i++) {
        snprintf(where, sizeof where, "%s: points[%llu]", path, (unsigned long long)i);
        PASS(read_point(folder, doc_at(points, i), where, &model[i], &measured[i], err));
    }
    return calibration_fit(model, measured, (int)count, out, err);
}

double calibration_apply(const struct calibration *c, double seconds)
{
    double t = c->a + c->b * seconds;
    return t < 0 ? 0 : t; /* not fmax, which would turn NaN into 0 */
}

doc *calibration_document(const struct calibration *c)
{
    doc *d = doc_object();
    doc_put(d, "points", doc_integer(c->points));
    doc_put(d, "a_seconds", doc_real(c->a));
    doc_put(d, "b", doc_real(c->b));
    doc_put(d, "residual_rms", doc_real(c->rms));
    doc_put(d, "residual_worst", doc_real(c->worst));
    doc_put(d, "held_out_rms", doc_real(c->held_out_rms));
    return d;
}
