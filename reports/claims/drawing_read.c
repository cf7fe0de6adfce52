/* drawing_read.c - figure/1 into struct drawing; see drawing.h. */
#include "reports/claims/drawing.h"

#include <math.h>
#include <string.h>

static enum st read_points(const doc *points, const char *where, struct drawing_series *s, struct err *err)
{
    if (doc_size(points) > DRAWING_POINTS)
        return err_set(err, ST_INPUT, "%s: series '%.60s' has more than %d points", where, s->name, DRAWING_POINTS);
    for (uint64_t i = 0; i < doc_size(points); i++) {
        const doc *pair = doc_at(points, i);
        double x = doc_real_value(doc_at(pair, 0), NAN), y = doc_real_value(doc_at(pair, 1), NAN);
        if (!doc_is_array(pair) || doc_size(pair) != 2 || !(fabs(x) < 1e15) || (!isnan(y) && !(fabs(y) < 1e15)))
            return err_set(err, ST_INPUT,
                           "%s: point %d of series '%.60s' is not [x, y] with numbers below 1e15 (y may be null)",
                           where, (int)i, s->name);
        s->x[s->count] = x;
        s->y[s->count++] = y;
    }
    return ST_OK;
}

/* The ranges over seeds: one [low, high] per point, or none at all. */
static enum st read_ranges(const doc *ranges, const char *where, struct drawing_series *s, struct err *err)
{
    if (!ranges || !doc_size(ranges)) return ST_OK;
    if (doc_size(ranges) != (uint64_t)s->count)
        return err_set(err, ST_INPUT, "%s: series '%.60s' has %d points and %d ranges", where, s->name, s->count,
                       (int)doc_size(ranges));
    for (int i = 0; i < s->count; i++) {
        const doc *pair = doc_at(ranges, (uint64_t)i);
        s->low[i] = doc_real_value(doc_at(pair, 0), NAN);
        s->high[i] = doc_real_value(doc_at(pair, 1), NAN);
        if (!doc_is_array(pair) || doc_size(pair) != 2 || s->low[i] > s->y[i] || s->high[i] < s->y[i] ||
            (!isnan(s->low[i]) && !(fabs(s->low[i]) < 1e15)) || (!isnan(s->high[i]) && !(fabs(s->high[i]) < 1e15)))
            return err_set(err, ST_INPUT, "%s: range %d of series '%.60s' is not [low, high] around the point", where,
                           i, s->name);
    }
    s->ranged = true;
    return ST_OK;
}

static enum st read_series(const doc *list, const char *where, struct drawing_panel *p, struct err *err)
{
    if (doc_size(list) > DRAWING_SERIES)
        return err_set(err, ST_INPUT, "%s: panel '%.60s' has more than %d series", where, p->title, DRAWING_SERIES);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        struct drawing_series *s = &p->series[p->count++];
        const char *source;
        doc *points;
        PASS(doc_need_text(doc_at(list, i), "name", where, &s->name, err));
        PASS(doc_need_text(doc_at(list, i), "source", where, &source, err));
        PASS(doc_need_array(doc_at(list, i), "points", where, &points, err));
        s->stated = !strcmp(source, "paper");
        PASS(read_points(points, where, s, err));
        PASS(read_ranges(doc_get(doc_at(list, i), "ranges"), where, s, err));
        for (int k = 0; k < s->count && p->kind != DRAWING_LINES; k++)
            if (s->x[k] < 0 || s->x[k] >= p->categories || s->x[k] != rint(s->x[k]))
                return err_set(err, ST_INPUT, "%s: series '%.60s' has x %g, which numbers none of the %d categories",
                               where, s->name, s->x[k], p->categories);
    }
    return ST_OK;
}

static enum st read_panel(const doc *d, const char *where, struct drawing_panel *p, struct err *err)
{
    static const char *const kinds[] = {"lines", "bars", "matrix"};
    const char *kind;
    doc *categories, *series;
    int k = 0;
    PASS(doc_need_text(d, "kind", where, &kind, err));
    PASS(doc_need_text(d, "title", where, &p->title, err));
    PASS(doc_need_text(d, "x", where, &p->x, err));
    PASS(doc_need_text(d, "y", where, &p->y, err));
    PASS(doc_need_array(d, "categories", where, &categories, err));
    PASS(doc_need_array(d, "series", where, &series, err));
    while (k < 3 && strcmp(kind, kinds[k])) k++;
    if (k == 3) return err_set(err, ST_INPUT, "%s: kind is '%.40s'; expected lines, bars or matrix", where, kind);
    p->kind = (enum drawing_kind)k;
    if (doc_size(categories) > DRAWING_CATEGORIES)
        return err_set(err, ST_INPUT, "%s: panel '%.60s' has more than %d categories", where, p->title,
                       DRAWING_CATEGORIES);
    for (uint64_t i = 0; i < doc_size(categories); i++)
        p->category[p->categories++] = doc_text_value(doc_at(categories, i), "?");
    return read_series(series, where, p, err);
}

/* Names become files: letters, digits and dashes. */
static bool good_name(const char *name)
{
    return *name && strlen(name) < 80 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

enum st drawing_load(const char *path, struct drawing *out, struct err *err)
{
    doc *panels;
    PASS(doc_load(path, "figure/1", &out->document, err));
    PASS(doc_need_text(out->document, "name", path, &out->name, err));
    PASS(doc_need_text(out->document, "title", path, &out->title, err));
    PASS(doc_need_array(out->document, "panels", path, &panels, err));
    if (!good_name(out->name))
        return err_set(err, ST_INPUT, "%s: name is '%.60s'; expected at most 79 small letters, digits and dashes", path,
                       out->name);
    if (!doc_size(panels) || doc_size(panels) > DRAWING_PANELS)
        return err_set(err, ST_INPUT, "%s: has %d panels; expected 1 to %d", path, (int)doc_size(panels),
                       DRAWING_PANELS);
    for (uint64_t i = 0; i < doc_size(panels); i++)
        PASS(read_panel(doc_at(panels, i), path, &out->panel[out->count++], err));
    return ST_OK;
}

void drawing_release(struct drawing *d)
{
    doc_free(d->document);
    memset(d, 0, sizeof *d);
}
