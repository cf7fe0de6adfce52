/* bars.c - see bars.h. */
#include "reports/shell/bars.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "reports/figures/figure_places.h"
#include "reports/formats/gnuplot.h"
#include "reports/shell/answers.h"

enum { WIDTH = 900, ROW = 28, MORE = 18 /* a row's height, per further series */, BEHIND = 40, MARK = 0xA32638 };
#define TALL 0.76 /* of a row that its bars take */

static const unsigned colours[BAR_SERIES] = {0x0B4F8A, 0xE69F00, 0x9FB3C8};

/* A document and what its page says about it. */
struct answer {
    const struct bar_page *of;
    doc *root; /* owned */
    struct figure_subject subject;
    char name[STYLE_NAME]; /* of the subject, where the page names it */
};

static enum st load(const char *path, void *one, const void *with, struct err *err)
{
    const struct page_kind *kind = with;
    struct answer *d = one;
    doc *needed;
    d->of = kind->bars;
    PASS(doc_load(path, NULL, &d->root, err));
    const char *schema = document_text(d->root, "schema"), *server = document_text(doc_get(d->root, "plan"), "server");
    if (!text_starts(schema, kind->schema)) PASS(document_refuse(schema, path, err));
    if (d->of->needs) PASS(doc_need_array(d->root, d->of->needs, path, &needed, err));
    if (!*server) server = document_text(d->root, "server");
    if (d->of->of) {
        d->of->of(d->root, d->name);
        d->subject = figure_subject_make(d->name, "", kind->name);
    } else
        d->subject = figure_subject_make(doc_text_value(doc_get(doc_get(d->root, "graph"), "name"), "a graph"),
                                         *server ? server : "several nodes", kind->name);
    return ST_OK;
}

/* ---- the bars ---- */

/* Those of one figure, in rows of `series`. */
struct drawn {
    const struct bars *of;
    struct bar *bar; /* [count], owned */
    int count, series, rows, longest;
    double most;
    struct figure_axis x;
    struct box box;
};

static enum st bars_read(struct drawn *d, const doc *root, struct err *err)
{
    enum st st = ST_OK;
    for (d->series = 1; d->of->series[0] && d->of->series[d->series];) d->series++;
    d->longest = 6;
    for (;; d->count++) {
        GROW(d->bar, d->count + 1, "bars");
        struct bar *b = &d->bar[d->count];
        *b = (struct bar){.value = -1};
        d->of->bar(root, d->count, b);
        if (!*b->name && !(b->value >= 0)) break;
        if (!*b->name) strcpy(b->name, "(no name)");
        if (b->value < 0) b->value = 0;
        d->most = fmax(d->most, b->value);
        if (style_length(b->name) > d->longest) d->longest = style_length(b->name);
    }
    d->rows = d->count / d->series;
    if (d->of->now) d->most = fmax(d->most, d->of->now(root));
done:
    return st;
}

static const char *says(const struct bars *of, const struct bar *b, char out[STYLE_NAME])
{
    char text[2][STYLE_TEXT];
    if (*b->says) return b->says;
    style_quantity(text[0], of->quantity, b->from);
    style_quantity(text[1], of->quantity, b->value);
    const bool range = b->from > 0 && b->from < b->value;
    snprintf(out, STYLE_NAME, "%s%s%s", range ? text[0] : "", range ? " to " : "",
             isnan(b->value) ? "no number" : text[1]);
    return out;
}

static void records(struct figures *figures, const struct drawn *d)
{
    csv_header(&figures->csv, (const char *const[]){"what", "series", "from", d->of->column, NULL});
    for (int i = 0; i < d->count; i++) {
        csv_name(&figures->csv, d->bar[i].name);
        csv_name(&figures->csv, d->series > 1 ? d->of->series[i % d->series] : "");
        csv_number(&figures->csv, d->bar[i].from);
        csv_number(&figures->csv, d->bar[i].value);
        csv_end(&figures->csv);
    }
}

/* Where a bar lies: the middle of its height, in rows from the top. */
static double row_of(const struct drawn *d, int i)
{
    return i / d->series + ((i % d->series) - (d->series - 1) / 2.0) * TALL / d->series;
}

/* What stands beside a bar, and the value of its point. */
static void beside(const struct figures *figures, const struct drawn *d, const struct figure_places *places, int i)
{
    const struct bar *b = &d->bar[i];
    const double unit = d->x.unit, at = isnan(b->value) ? 0 : b->value / unit, half = TALL / 2 / d->series;
    char position[64], text[STYLE_NAME];
    const char *shown = says(d->of, b, text);
    snprintf(position, sizeof position, "first %.9g, first %.4f", at, row_of(d, i));
    gnuplot_label(figures->script, shown, position, "left offset 0.6,0 front tc rgb '#333333'");
    for (int k = 0; k < b->marks; k++)
        fprintf(figures->script, "set label '' at first %.9g, first %.4f front point pt 13 ps 1.1 lc rgb '#%06X'\n",
                b->mark[k] / unit, row_of(d, i), MARK);
    figure_bar(figures, places, b->from / unit, row_of(d, i) - half, b->value / unit, row_of(d, i) + half, "%s%s%s: %s",
               b->name, d->series > 1 ? ", " : "", d->series > 1 ? d->of->series[i % d->series] : "", shown);
}

static enum st bars_write(struct figures *figures, const struct drawn *d, double now, struct err *err)
{
    FILE *to = figures->script;
    const double unit = d->x.unit, least = (d->x.range.high - d->x.range.low) / 300;
    const struct figure_places places = {d->box, figure_axis_span(&d->x), figure_span(d->rows - 0.4, -0.6)};
    char text[STYLE_TEXT];
    figure_axis_write(to, &d->x);
    fputs("set ytics scale 0 (", to);
    for (int i = 0; i < d->rows; i++) gnuplot_tic(to, d->bar[i * d->series].name, i, !i);
    fprintf(to, ")\nset yrange [%.1f:-0.6]\nset border 2\nunset grid\n", d->rows - 0.4);
    if (now >= 0) figure_mark(figures, now / unit, MARK);
    if (now >= 0)
        figure_label(figures, d->box.left + layout_place(&places.x, now / unit) * (d->box.right - d->box.left),
                     d->box.top + 8, style_quantity(text, d->of->quantity, now), "center tc rgb '#A32638'");
    for (int s = 0; s < d->series; s++) {
        PASS(figure_series(figures, d->series > 1 ? d->of->series[s] : d->of->column, colours[s], err));
        for (int i = s; i < d->count; i += d->series) beside(figures, d, &places, i);
    }
    for (int s = 0; s < d->series; s++)
        fprintf(to,
                "%s'%s' skip 1 every %d::%d using "
                "(($3+$4)/2/%.9g):(floor($0)%+.4f):($3/%.9g):($3>0&&($4-$3)/%.9g<%.9g?$3/%.9g+%.9g:$4/"
                "%.9g):(floor($0)%+.4f):(floor($0)%+.4f) with boxxyerror fs solid 1.0 noborder lc rgb '#%06X'",
                s ? ", \\\n  " : "plot ", figure_now(figures)->csv, d->series, s, unit, row_of(d, s), unit, unit, least,
                unit, least, unit, row_of(d, s) - TALL / 2 / d->series, row_of(d, s) + TALL / 2 / d->series,
                colours[s]);
    fputc('\n', to);
    return ST_OK;
}

static enum st bars_draw(struct figures *figures, const struct answer *a, const struct bars *of, struct err *err)
{
    struct drawn d = {.of = of};
    struct figure_key key[BAR_SERIES];
    enum st st;
    int numbers = 0;
    TRY(bars_read(&d, a->root, err));
    for (int i = 0; i < d.count; i++) numbers += !isnan(d.bar[i].value);
    if (numbers < 2) goto done; /* nothing is compared */
    const int legend = d.series > 1 || of->now ? 24 : 0, height = 116 + legend + (ROW + MORE * (d.series - 1)) * d.rows;
    double now = of->now ? of->now(a->root) : NAN;
    d.box = (struct box){24 + 7.0 * d.longest, WIDTH - BEHIND, 56, height - 48 - legend};
    bool ranges = false;
    for (int i = 0; i < d.count; i++) ranges |= d.bar[i].from > 0 || *d.bar[i].says;
    const bool whole = of->quantity == QUANTITY_RATE && d.most <= 1; /* the axis ends at 100 % */
    d.x = figure_axis_make('x', of->quantity, d.most * (ranges ? 1.35 : whole ? 1.0 : 1.15));
    TRY(figure_begin_of(figures, &a->subject, of->what, of->title, WIDTH, height, err));
    records(figures, &d);
    figure_panel(figures, &d.box);
    for (int s = 0; s < d.series; s++) key[s] = (struct figure_key){of->series[s], colours[s]};
    if (d.series > 1) figure_legend(figures, (int)d.box.left, 50, key, d.series);
    figure_axis_below(figures, &d.box, of->column);
    TRY(bars_write(figures, &d, now, err));
    figure_caption(figures, "%s", of->caption);
    TRY(figure_end(figures, err));
done:
    mem_free(d.bar);
    return st;
}

static enum st draw(struct figures *figures, const void *one, struct err *err)
{
    const struct answer *a = one;
    for (const struct bars *b = a->of->figure; b->title; b++) PASS(bars_draw(figures, a, b, err));
    return ST_OK;
}

/* ---- the page ---- */

static void sentence(FILE *to, const void *one, const char *open)
{
    const struct answer *a = one;
    fputs(open, to);
    a->of->sentence(a->root, to);
    fputs("</p>\n", to);
}

static void tables(FILE *to, const void *one)
{
    const struct answer *a = one;
    a->of->table(a->root, to);
}

enum st page_kind_report(const struct page_kind *kind, const struct page_request *request, struct err *err)
{
    if (kind->answers) return answers_report(kind->answers, request, err);
    if (!kind->bars) return kind->report(request, err);
    return answers_report(&(struct answers){.title = kind->bars->title,
                                            .bytes = sizeof(struct answer),
                                            .root = offsetof(struct answer, root),
                                            .subject = offsetof(struct answer, subject),
                                            .with = kind,
                                            .load = load,
                                            .draw = draw,
                                            .sentence = sentence,
                                            .tables = tables},
                          request, err);
}
