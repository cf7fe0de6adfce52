#include "planner/claims/paper_figure.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/claims/expression.h"
#include "planner/claims/repro_context.h"

static const char *const figure_keys[] = {"title",        "paper", "place", "caption", "differs", "missing",
                                          "seconds",      "with",  "for",   "cells",   "panels",  "points",
                                          "paper_points", "group", "let",   "claims",  NULL};
static const char *const claim_keys[] = {"statement", "test",  "why",  "quote",   "again", "needs",
                                         "missing",   "holds", "ours", "because", NULL};

enum st paper_figure_parse(const char *name, const char *text, struct paper_figure *out, struct err *err)
{
    doc *claims;
    PASS(doc_parse(text, strlen(text), name, &out->document, err));
    const doc *d = out->document;
    PASS(doc_only_keys(d, figure_keys, name, err));
    out->name = name;
    PASS(doc_need_text(d, "title", name, &out->title, err));
    PASS(doc_need_text(d, "paper", name, &out->paper, err));
    PASS(doc_need_text(d, "place", name, &out->place, err));
    out->missing = doc_text_value(doc_get(d, "missing"), NULL);
    out->seconds = doc_real_value(doc_get(d, "seconds"), 0);
    PASS(doc_need_array(d, "claims", name, &claims, err));
    out->claims = (int)doc_size(claims);
    if (out->claims < 1 || out->claims > CLAIMS_MAX)
        return err_set(err, ST_INPUT, "%s: 1 to %d claims are wanted", name, CLAIMS_MAX);
    for (int i = 0; i < out->claims; i++) {
        out->claim[i] = doc_at(claims, (uint64_t)i);
        PASS(doc_only_keys(out->claim[i], claim_keys, name, err));
    }
    return ST_OK;
}

enum st paper_figures_open(struct paper_figures **out, struct err *err)
{
    enum st st = ST_OK;
    struct paper_figures *all = NULL;
    NEW(all, 1, "figures of papers");
    for (const struct paper_figure_file *f = paper_figure_files; f->name; f++) {
        BUG_IF(all->count == PAPER_FIGURES_MAX);
        TRY(paper_figure_parse(f->name, f->text, &all->figure[all->count++], err));
    }
    *out = TAKE(all);
done:
    paper_figures_free(all);
    return st;
}

void paper_figures_free(struct paper_figures *all)
{
    for (int i = 0; all && i < all->count; i++) doc_free(all->figure[i].document);
    mem_free(all);
}

enum st paper_figure_find(const struct paper_figures *all, const char *name, const struct paper_figure **out,
                          struct err *err)
{
    const char *names[PAPER_FIGURES_MAX + 1] = {0};
    for (int i = 0; i < all->count; i++) {
        names[i] = all->figure[i].name;
        if (strcmp(name, names[i])) continue;
        *out = &all->figure[i];
        return ST_OK;
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "--only: the figure '%.40s' is not known%s%s%s; 'hotset list claims' shows them",
                   name, near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
}

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

/* Appends to `out` the rows of one point of `for`. */
static enum st run_point(struct repro *repro, const doc *x, const doc *point, doc *out, struct err *err)
{
    const struct repro_graph *g;
    const doc *own = doc_get(point, "cells");
    OWNED_DOC doc *rows = doc_array();
    product(own ? own : doc_get(x, "cells"), 0, point, rows);
    PASS(repro_graph(repro, point, &g, err));
    for (uint64_t i = 0; i < doc_size(rows); i++) put_graph(g, doc_at(rows, i));
    PASS(repro_cells(repro, rows, doc_get(x, "let"), err));
    for (uint64_t i = 0; i < doc_size(rows); i++) doc_append(out, doc_copy(doc_at(rows, i)));
    return ST_OK;
}

/* ---- panels and points ---- */

static const char *const panel_kinds[] = {"lines", "bars", "matrix", NULL};

/* The panel's series of that name, which is added when it is new. stated: the paper has its numbers. */
static doc *series_of(doc *panels, int panel, const char *name, bool stated)
{
    doc *list = doc_get(doc_at(panels, (uint64_t)panel), "series");
    if (!expression_series(panels, panel, name))
        doc_append(list,
                   DOC(IS("name", name), IS("source", "hotset"), IS("points", doc_array()), IS("ranges", doc_array())));
    doc *s = (doc *)expression_series(panels, panel, name);
    if (stated) doc_put(s, "source", doc_text("paper"));
    return s;
}

static enum st add_panel(doc *panels, const doc *panel, struct err *err)
{
    int kind = 0;
    const char *t[4];
    for (int i = 0; i < 4; i++) t[i] = doc_text_value(doc_at(panel, (uint64_t)i), "");
    while (panel_kinds[kind] && strcmp(panel_kinds[kind], t[0])) kind++;
    if (!panel_kinds[kind]) return err_set(err, ST_INPUT, "no kind of panel is called '%.40s'", t[0]);
    doc_append(panels, DOC(IS("kind", t[0]), IS("title", t[1]), IS("x", t[2]), IS("y", t[3]),
                           IS("categories", doc_array()), IS("series", doc_array())));
    for (uint64_t k = 0; k < doc_size(doc_at(panel, 4)); k++)
        series_of(panels, (int)doc_size(panels) - 1, doc_text_value(doc_at(doc_at(panel, 4), k), ""), false);
    return ST_OK;
}

/* The places of a point: numbers, or names of categories, which are added when they are new. */
static enum st places(const doc *panel, const doc *x, const struct scope *s, struct vector *out, struct err *err)
{
    char text[EXPRESSION_BYTES];
    doc *names = doc_get(panel, "categories");
    if (!strcmp(doc_text_value(doc_get(panel, "kind"), ""), panel_kinds[0])) return expression_of(x, s, out, err);
    out->count = 0;
    for (uint64_t i = 0, at; i < (doc_is_array(x) ? doc_size(x) : 1) && i < VECTOR_MOST; i++) {
        const char *name = doc_text_value(doc_is_array(x) ? doc_at(x, i) : x, "");
        expression_fill(name, doc_at(s->rows, s->row), text, sizeof text);
        for (at = 0; at < doc_size(names) && strcmp(doc_text_value(doc_at(names, at), ""), text);) at++;
        if (at == doc_size(names)) doc_append(names, doc_text(text));
        out->v[out->count++] = (double)at;
    }
    return ST_OK;
}

static doc *pair_of(double a, double b)
{
    doc *pair = doc_array();
    doc_append(pair, doc_real(a));
    doc_append(pair, doc_real(b));
    return pair;
}

static enum st add_point(doc *panels, const doc *point, const struct scope *s, bool stated, struct err *err)
{
    struct vector panel, x, y, when = {1, {1}};
    char name[EXPRESSION_BYTES];
    PASS(expression_of(doc_at(point, 0), s, &panel, err));
    if (!(panel.v[0] >= 0 && panel.v[0] < (double)doc_size(panels)))
        return err_set(err, ST_INPUT, "a point has no panel");
    const int of = (int)panel.v[0];
    if (doc_at(point, 4)) PASS(expression_of(doc_at(point, 4), s, &when, err));
    if (when.count == 1 && when.v[0] == 0) return ST_OK;
    PASS(places(doc_at(panels, (uint64_t)of), doc_at(point, 2), s, &x, err));
    PASS(expression_of(doc_at(point, 3), s, &y, err));
    if (x.count != y.count || (when.count != 1 && when.count != x.count))
        return err_set(err, ST_INPUT, "a point has %d places and %d numbers", x.count, y.count);
    expression_fill(doc_text_value(doc_at(point, 1), ""), doc_at(s->rows, s->row), name, sizeof name);
    for (int i = 0; i < x.count; i++) {
        if (when.v[when.count > 1 ? i : 0] == 0 ||
            (stated && !isnan(expression_point(expression_series(panels, of, name), x.v[i]))))
            continue;
        doc_append(doc_get(series_of(panels, of, name, stated), "points"), pair_of(x.v[i], y.v[i]));
    }
    return ST_OK;
}

/* points: of all rows. */
static enum st add_points(doc *panels, const doc *points, const struct scope *all, bool stated, struct err *err)
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
        for (s.row = 0; s.row < doc_size(s.rows); s.row++) PASS(add_point(panels, p, &s, stated, err));
        doc_free(rows);
        rows = NULL;
    }
    return ST_OK;
}

enum st paper_figure_measure(const struct paper_figure *f, struct repro *repro, doc **out, struct err *err)
{
    enum st st = ST_OK;
    const doc *x = f->document, *panels = doc_get(x, "panels");
    OWNED_DOC doc *points = doc_array(), *rows = doc_array(), *made = doc_array();
    struct scope s = {.let = doc_get(x, "let"), .rows = rows};
    for (uint64_t i = 0; i < doc_size(panels); i++) TRY(add_panel(made, doc_at(panels, i), err));
    product(doc_get(x, "for"), 0, doc_get(x, "with"), points);
    for (uint64_t i = 0; i < doc_size(points); i++) {
        TRY(run_point(repro, x, doc_at(points, i), rows, err));
        if (!i) s.group = (uint64_t)doc_integer_value(doc_get(x, "group"), (int64_t)doc_size(rows));
    }
    TRY(add_points(made, doc_get(x, "points"), &s, false, err));
    TRY(add_points(made, doc_get(x, "paper_points"), &s, true, err));
    *out = TAKE(made);
done:
    return st == ST_OK ? ST_OK : err_prefix(err, "%s: ", f->name);
}

/* ---- several seeds ---- */

void paper_figure_merge(const doc *const *each, int count, doc *panels)
{
    double v[SEEDS_MOST];
    for (int p = 0; count > 1 && p < (int)doc_size(panels); p++) {
        const doc *list = doc_get(doc_at(panels, (uint64_t)p), "series");
        for (uint64_t i = 0; i < doc_size(list); i++) {
            doc *s = doc_at(list, i), *points = doc_array();
            const char *name = doc_text_value(doc_get(s, "name"), "");
            if (strcmp(doc_text_value(doc_get(s, "source"), ""), "hotset")) {
                doc_free(points);
                continue;
            }
            for (uint64_t k = 0; k < doc_size(doc_get(s, "points")); k++) {
                double x = doc_real_value(doc_at(doc_at(doc_get(s, "points"), k), 0), NAN), any = 0;
                for (int n = 0; n < count; n++) any += v[n] = expression_point(expression_series(each[n], p, name), x);
                const struct order o = order_of(v, count);
                doc_append(points, pair_of(x, isnan(any) ? NAN : v[o.median]));
                doc_append(doc_get(s, "ranges"), isnan(any) ? pair_of(NAN, NAN) : pair_of(v[o.least], v[o.most]));
            }
            doc_put(s, "points", points);
        }
    }
}

/* ---- verdicts ---- */

/* words: [format, numbers]. */
static enum st say(const doc *words, const struct scope *s, int seeds, char *out, size_t bytes, struct err *err)
{
    return expression_words(doc_text_value(doc_at(words, 0), ""), doc_text_value(doc_at(words, 1), ""), s, seeds, out,
                            bytes, err);
}

/* Whether the numbers are there that the claim needs of that seed; else f->reason says that they are not. */
static enum st available(const doc *claim, const struct scope *s, struct finding *f, bool *good, struct err *err)
{
    struct vector v;
    int missing = 0;
    const char *other = doc_text_value(doc_get(claim, "missing"), NULL);
    PASS(expression_value(doc_text_value(doc_get(claim, "needs"), ""), s, &v, err));
    for (int i = 0; i < v.count; i++) missing += isnan(v.v[i]);
    *good = !missing;
    if (missing && other) snprintf(f->reason, sizeof f->reason, "%s", other);
    else if (missing)
        snprintf(f->reason, sizeof f->reason,
                 "%d of the %d numbers that the claim needs are not available on this stand-in", missing, v.count);
    return ST_OK;
}

static enum st judge_one(const doc *claim, const struct scope *s, int seeds, struct finding *f, struct err *err)
{
    const doc *because = doc_get(claim, "because"), *when = doc_at(because, 2);
    struct scope fails[SEEDS_MOST];
    int told = 0;
    f->seeds = seeds;
    for (int i = 0; i < seeds; i++) {
        bool good;
        double holds, also = 1;
        PASS(available(claim, &s[i], f, &good, err));
        if (!good) return ST_OK;
        PASS(expression_number(doc_text_value(doc_get(claim, "holds"), ""), &s[i], &holds, err));
        f->holds += holds != 0;
        if (when) PASS(expression_number(doc_text_value(when, ""), &s[i], &also, err));
        if (because && holds == 0 && also != 0) fails[told++] = s[i];
    }
    f->verdict = 2 * f->holds > seeds ? VERDICT_HOLDS : VERDICT_FAILS;
    PASS(say(doc_get(claim, "ours"), s, seeds, f->ours, sizeof f->ours, err));
    if (f->verdict == VERDICT_FAILS && told) PASS(say(because, fails, told, f->reason, sizeof f->reason, err));
    return ST_OK;
}

enum st paper_figure_judge(const struct paper_figure *figure, const doc *const *panels, int seeds, struct finding *f,
                           struct err *err)
{
    enum st st = ST_OK;
    struct scope s[SEEDS_MOST];
    BUG_IF(seeds > SEEDS_MOST);
    for (int i = 0; i < seeds; i++) s[i] = (struct scope){.panels = panels[i], .let = doc_get(figure->document, "let")};
    for (int i = 0; i < figure->claims; i++) TRY(judge_one(figure->claim[i], s, seeds, &f[i], err));
done:
    return st == ST_OK ? ST_OK : err_prefix(err, "%s: ", figure->name);
}

void paper_figure_compare(struct finding *given, const struct finding *stand_in)
{
    if (given->verdict == stand_in->verdict || given->verdict == VERDICT_NOT_MEASURED ||
        stand_in->verdict == VERDICT_NOT_MEASURED)
        return;
    if (given->verdict == VERDICT_HOLDS) given->verdict = VERDICT_HOLDS_GIVEN;
    text_append(given->reason, sizeof given->reason, "%sOn the stand-in it %s: %s.", *given->reason ? " " : "",
                stand_in->verdict == VERDICT_HOLDS ? "holds" : "does not hold", stand_in->ours);
}

void paper_figure_put(doc *to, const doc *from, const char *const *keys)
{
    for (; *keys; keys++) doc_put(to, *keys, doc_get(from, *keys) ? doc_copy(doc_get(from, *keys)) : doc_null());
}
