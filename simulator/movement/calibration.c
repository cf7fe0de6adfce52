#include "simulator/movement/calibration.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

enum { POINTS_MAX = 4096, HELD_OUT_FROM = 4, NAMES = 4 };

/* A measured epoch. */
struct point {
    double measured, model; /* seconds; model NAN: as the row of `results` states it that has these names */
    const char *results, *name[NAMES];
};
static const char *const schema_words[] = {"calibration/1", NULL}, *const row_keys[NAMES] = {"policy", "budget",
                                                                                             "server", "graph"};

#define SECONDS(k, m, say, ...)                                                                                        \
    {                                                                                                                  \
        .key = k, .kind = FIELD_REAL, FIELD_TO(struct point, m), .least = 1e-9, .most = 1e9, .unit = "seconds",        \
        .help = say, __VA_ARGS__                                                                                       \
    }
#define TEXT(k, m, say)                                                                                                \
    {                                                                                                                  \
        .key = k, .kind = FIELD_STRING, FIELD_TO(struct point, m), .help = say                                         \
    }
static const struct field point_fields[] =
    {{.key = "name", .kind = FIELD_STRING, .help = "For people."},
     SECONDS("measured_seconds", measured, "What an epoch took.", .flags = FIELD_NEEDED),
     SECONDS("model_seconds", model, "What the model predicts; absent: as a row of results states it.", .absent = NAN),
     TEXT("results", results, "A results/1 document; its path is relative to this file."),
     TEXT("policy", name[0], "Of the row."),
     TEXT("budget", name[1], "Of the row, where several fit."),
     TEXT("server", name[2], "Likewise."),
     TEXT("graph", name[3], "Likewise."),
     FIELDS_END};

struct points {
    struct point *point;
    int count;
};
const struct field calibration_fields[] = {FIELD_SCHEMA(schema_words),
                                           {.key = "points",
                                            .kind = FIELD_LIST,
                                            FIELD_AT(struct points, point, count),
                                            .of = point_fields,
                                            .flags = FIELD_NEEDED | FIELD_POINTER,
                                            .least = 1,
                                            .most = POINTS_MAX,
                                            .help = "Measured epochs."},
                                           FIELDS_OPEN};

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

static bool row_fits(const doc *row, const struct point *p)
{
    for (int i = 0; i < NAMES; i++)
        if (p->name[i] && strcmp(p->name[i], doc_text_value(doc_get(row, row_keys[i]), ""))) return false;
    return true;
}

/* The prediction that a row of a results document states. */
static enum st find_row(const char *folder, const char *where, struct point *p, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    int fits = 0;
    if (!p->results) return err_set(err, ST_INPUT, "%s: has neither model_seconds nor results; state one", where);
    if (*p->results == '/') snprintf(path, sizeof path, "%s", p->results);
    else PASS(path_join(path, folder, p->results, err));
    PASS(doc_load(path, "results/1", &d, err));
    const doc *rows = doc_get(d, "rows");
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        if (!row_fits(doc_at(rows, i), p)) continue;
        fits++;
        p->model = doc_real_value(doc_path(doc_at(rows, i), "simulated.epoch_time.model_seconds"), NAN);
    }
    if (fits != 1)
        return err_set(err, ST_INPUT,
                       "%s: %d rows of %s match this point, expected one; name its policy, budget, server and graph",
                       where, fits, path);
    if (!(p->model > 0))
        return err_set(err, ST_INPUT,
                       "%s: the row of %s states no epoch time; simulate it on a server whose constants are known",
                       where, path);
    return ST_OK;
}

enum st calibration_load(const char *path, struct calibration *out, struct err *err)
{
    OWNED_DOC doc *d = NULL;
    char folder[PATH_BYTES], where[PATH_BYTES + 40];
    PASS(doc_load(path, "calibration/1", &d, err));
    const uint64_t count = doc_size(doc_get(d, "points"));
    OWNED_NEW(struct point, point, count, "points of a calibration");
    OWNED_NEW(double, model, count, "points of a calibration");
    OWNED_NEW(double, measured, count, "points of a calibration");
    PASS(fields_read(calibration_fields, d, path, &(struct points){.point = point}, err));
    snprintf(folder, sizeof folder, "%.*s", (int)(path_base(path) - path), path);
    if (!*folder) snprintf(folder, sizeof folder, ".");
    for (uint64_t i = 0; i < count; i++) {
        snprintf(where, sizeof where, "%s: points[%llu]", path, (unsigned long long)i);
        if (isnan(point[i].model)) PASS(find_row(folder, where, &point[i], err));
        model[i] = point[i].model;
        measured[i] = point[i].measured;
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
    return DOC(IS("points", c->points), IS("a_seconds", c->a), IS("b", c->b), IS("residual_rms", c->rms),
               IS("residual_worst", c->worst), IS("held_out_rms", c->held_out_rms));
}
