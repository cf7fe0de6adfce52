/* measure.c - measures a figure as its file says; see paper_figure.h. */
#include <math.h>
#include <string.h>

#include "planner/claims/expression.h"
#include "planner/claims/paper_figure.h"
#include "planner/claims/repro_context.h"

/* ---- rows ---- */

/* Appends a row for every point of the axes from number `axis` on, each with the keys of `row`. */
static void product(const doc *axes, uint64_t axis, const doc *row, doc *out)
{
    const doc *values = doc_at(axes, axis);
    const char *name = doc_is_object(values) ? doc_next_key(values, NULL) : NULL;
    if (!values) return doc_append(out, doc_copy(row));
    if (name) values = doc_get(values, name);
    for (uint64_t i = 0; i < doc_size(values); i++) {
        doc *one = doc_copy(row);
        const doc *keys = doc_at(values, i);
        if (name) doc_put(one, name, doc_copy(keys));
        for (const char *k = name ? NULL : doc_next_key(keys, NULL); k; k = doc_next_key(keys, k))
            doc_put(one, k, doc_copy(doc_get(keys, k)));
        product(axes, axis + 1, one, out);
        doc_free(one);
    }
}

static void put_graph(const struct repro_graph *g, doc *row)
{
    doc *d = DOC(IS("n", g->g.n), IS("m", g->g.m), IS("row_bytes", g->g.row_bytes), IS("feature_dim", g->g.feature_dim),
                 IS("scale", g->scale), IS("given", g->given));
    doc_put(row, "graph", d);
}

/* ---- runs ---- */

static const struct {
    const char *name;
    enum st (*run)(struct repro *repro, doc *rows, const doc *let, struct err *err);
} kinds[] = {{"cells", repro_cells}, {"coverage", repro_coverage}, {"partitions", repro_partitions}, {NULL, NULL}};

/* Appends to `out` the rows of one point of `for`. */
static enum st run_point(struct repro *repro, const doc *x, const doc *point, doc *out, struct err *err)
{
    int kind = 0;
    const struct repro_graph *g;
    const doc *own = doc_get(point, "cells");
    const char *run = doc_text_value(doc_get(x, "run"), "cells");
    OWNED_DOC doc *rows = doc_array();
    product(own ? own : doc_get(x, "cells"), 0, point, rows);
    while (kinds[kind].name && strcmp(kinds[kind].name, run)) kind++;
    if (!kinds[kind].name) return err_set(err, ST_INPUT, "no kind of run is called '%.40s'", run);
    PASS(repro_graph(repro, point, &g, err));
    for (uint64_t i = 0; i < doc_size(rows); i++) put_graph(g, doc_at(rows, i));
    PASS(kinds[kind].run(repro, rows, doc_get(x, "let"), err));
    for (uint64_t i = 0; i < doc_size(rows); i++) doc_append(out, doc_copy(doc_at(rows, i)));
    return ST_OK;
}

/* ---- panels and points ---- */

static enum st add_panel(struct figure_data *data, const doc *panel, struct err *err)
{
    static const char *const kind_names[] = {"lines", "bars", "matrix"};
    int kind = 0;
    const char *t[4];
    for (int i = 0; i < 4; i++) t[i] = doc_text_value(doc_at(panel, (uint64_t)i), "");
    while (kind < 3 && strcmp(kind_names[kind], t[0])) kind++;
    if (kind == 3) return err_set(err, ST_INPUT, "no kind of panel is called '%.40s'", t[0]);
    struct figure_data_panel *p = figure_data_panel(data, (enum figure_data_kind)kind, t[1], t[2], t[3]);
    for (uint64_t k = 0; k < doc_size(doc_at(panel, 4)); k++)
        figure_data_series(data, p, doc_text_value(doc_at(doc_at(panel, 4), k), ""));
    return ST_OK;
}

/* The places of a point: numbers, or names of categories. */
static enum st places(struct figure_data *data, struct figure_data_panel *p, const doc *x, const struct scope *s,
                      struct vector *out, struct err *err)
{
    char text[EXPRESSION_BYTES];
    if (p->kind == FIGURE_DATA_LINES) return expression_of(x, s, out, err);
    out->count = 0;
    for (uint64_t i = 0; i < (doc_is_array(x) ? doc_size(x) : 1); i++) {
        const char *name = doc_text_value(doc_is_array(x) ? doc_at(x, i) : x, "");
        expression_fill(name, doc_at(s->rows, s->row), text, sizeof text);
        out->v[out->count++] = figure_data_category(data, p, text);
    }
    return ST_OK;
}

static enum st add_point(struct figure_data *data, const doc *point, const struct scope *s, bool stated,
                         struct err *err)
{
    struct vector panel, x, y, when = {1, {1}};
    char series[EXPRESSION_BYTES];
    PASS(expression_of(doc_at(point, 0), s, &panel, err));
    if (!(panel.v[0] >= 0 && panel.v[0] < data->count)) return err_set(err, ST_INPUT, "a point has no panel");
    if (doc_at(point, 4)) PASS(expression_of(doc_at(point, 4), s, &when, err));
    if (when.count == 1 && when.v[0] == 0) return ST_OK;
    struct figure_data_panel *p = &data->panel[(int)panel.v[0]];
    PASS(places(data, p, doc_at(point, 2), s, &x, err));
    PASS(expression_of(doc_at(point, 3), s, &y, err));
    if (x.count != y.count || (when.count != 1 && when.count != x.count))
        return err_set(err, ST_INPUT, "a point has %d places and %d numbers", x.count, y.count);
    expression_fill(doc_text_value(doc_at(point, 1), ""), doc_at(s->rows, s->row), series, sizeof series);
    for (int i = 0; i < x.count; i++) {
        if (when.v[when.count > 1 ? i : 0] == 0) continue;
        if (!stated) figure_data_add(data, p, series, x.v[i], y.v[i]);
        else if (isnan(figure_data_at(data, (int)panel.v[0], series, x.v[i])))
            figure_data_state(data, p, series, x.v[i], y.v[i]);
    }
    return ST_OK;
}

/* points: of all rows. */
static enum st add_points(struct figure_data *data, const doc *points, const struct scope *all, bool stated,
                          struct err *err)
{
    OWNED_DOC doc *rows = NULL;
    for (uint64_t i = 0; i < doc_size(points); i++) {
        const doc *p = doc_at(points, i);
        struct scope s = *all;
        if (doc_is_object(p)) {
            rows = doc_array();
            for (uint64_t r = 0; r < doc_size(all->rows); r++)
                product(doc_get(p, "each"), 0, doc_at(all->rows, r), rows);
            s.rows = rows;
            s.group = all->group * (doc_size(rows) / doc_size(all->rows));
            p = doc_get(p, "point");
        }
        for (s.row = 0; s.row < doc_size(s.rows); s.row++) PASS(add_point(data, p, &s, stated, err));
        doc_free(rows);
        rows = NULL;
    }
    return ST_OK;
}

enum st paper_figure_measure(const struct paper_figure *f, struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    const doc *x = f->document, *panels = doc_get(x, "panels");
    OWNED_DOC doc *points = doc_array(), *rows = doc_array();
    struct scope s = {.let = doc_get(x, "let"), .rows = rows};
    for (uint64_t i = 0; i < doc_size(panels); i++) TRY(add_panel(repro->data, doc_at(panels, i), err));
    product(doc_get(x, "for"), 0, doc_get(x, "with"), points);
    for (uint64_t i = 0; i < doc_size(points); i++) {
        TRY(run_point(repro, x, doc_at(points, i), rows, err));
        if (!i) s.group = (uint64_t)doc_integer_value(doc_get(x, "group"), (int64_t)doc_size(rows));
    }
    TRY(add_points(repro->data, doc_get(x, "points"), &s, false, err));
    TRY(add_points(repro->data, doc_get(x, "paper_points"), &s, true, err));
done:
    return st == ST_OK ? ST_OK : err_prefix(err, "%s: ", f->name);
}
