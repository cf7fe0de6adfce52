/* memory_bars.c - see memory_bars.h. */
#include "reports/memories/memory_bars.h"

#include <math.h>

#include "base/text.h"
#include "reports/figures/figure_axes.h"
#include "reports/figures/figure_panels.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"
#include "reports/shell/answers.h"

enum { WIDTH = 900, BAR = 28, COLOUR = 0x0B4F8A };
#define PAD 0.02 /* of the range, which figure_axis_write gives the axis at both ends */

/* A document and what its page says about it. */
struct memory_doc {
    const struct memory_page *of;
    doc *root; /* owned */
    struct figure_subject subject;
};

static enum st load(const char *path, void *one, const void *with, struct err *err)
{
    struct memory_doc *d = one;
    enum st st;
    doc *needed;
    d->of = with;
    TRY(doc_load(path, NULL, &d->root, err));
    const char *schema = document_text(d->root, "schema"), *server = document_text(doc_get(d->root, "plan"), "server");
    if (!text_starts(schema, d->of->schema)) TRY(document_refuse(schema, path, err));
    if (d->of->needs) TRY(doc_need_array(d->root, d->of->needs, path, &needed, err));
    if (!*server) server = document_text(d->root, "server");
    d->subject = figure_subject_make(doc_text_value(doc_get(doc_get(d->root, "graph"), "name"), "a graph"),
                                     *server ? server : "several nodes", "memory");
done:
    return st;
}

/* ---- the bars ---- */

static int bars_of(const struct memory_doc *d, struct memory_bar bars[MEMORY_BARS_MOST])
{
    int n = 0;
    for (; n < MEMORY_BARS_MOST; n++) {
        *bars[n].name = 0;
        bars[n].value = d->of->bar(d->root, n, bars[n].name);
        if (!*bars[n].name) break;
    }
    return n;
}

static enum st bars_write(struct figures *figures, const struct memory_page *of, const struct memory_bar *bars, int n,
                          const struct box *box, struct err *err)
{
    FILE *to = figures->script;
    enum st st = ST_OK;
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, bars[i].value);
    struct figure_axis x = figure_axis_make('x', of->quantity, of->quantity == QUANTITY_RATE ? most : most * 1.15);
    double wide = box->right - box->left, tall = (box->top - box->bottom) / (n + 0.2);
    figure_axis_write(to, &x);
    fputs("set ytics scale 0 (", to);
    for (int i = 0; i < n; i++) gnuplot_tic(to, bars[i].name, i, !i);
    fprintf(to,
            ")\nset yrange [%.1f:-0.6]\nset border 2\nset grid noytics\nset grid xtics lc rgb '#e4e4e4' lt 1 lw 0.8\n",
            n - 0.4);
    TRY(figure_series(figures, of->column, COLOUR, err));
    for (int i = 0; i < n; i++) {
        char position[64], value[STYLE_TEXT], text[2 * STYLE_NAME];
        double v = bars[i].value, at = isnan(v) ? 0 : v / x.unit, end;
        snprintf(position, sizeof position, "first %.9g, first %d", at, i);
        style_quantity(value, of->quantity, v);
        gnuplot_label(to, isnan(v) ? "no number" : value, position, "left offset 0.6,0 front tc rgb '#333333'");
        if (isnan(v)) continue;
        end = layout_place(&x.range, at) * wide / (1 + 2 * PAD);
        snprintf(text, sizeof text, "%.120s: %s", bars[i].name, value);
        figure_point(figures, box->left + PAD / (1 + 2 * PAD) * wide + end / 2, box->top - (i + 0.6) * tall,
                     fmax(8, end), 0.68 * tall, NULL, text);
    }
    fprintf(to,
            "plot '%s' skip 1 using ($2/2/%.9g):0:($2/2/%.9g):(0.34) with boxxyerror fs solid 1.0 noborder lc rgb "
            "'#%06X'\n",
            figure_now(figures)->csv, x.unit, x.unit, (unsigned)COLOUR);
done:
    return st;
}

static enum st draw(struct figures *figures, const void *one, struct err *err)
{
    const struct memory_doc *d = one;
    struct memory_bar bars[MEMORY_BARS_MOST];
    enum st st = ST_OK;
    int n = bars_of(d, bars), numbers = 0, longest = 6, height;
    for (int i = 0; i < n; i++) {
        numbers += !isnan(bars[i].value);
        if (style_length(bars[i].name) > longest) longest = style_length(bars[i].name);
    }
    if (numbers < 2) goto done; /* nothing is compared */
    height = 116 + BAR * n;
    struct box box = {24 + 7.0 * longest, WIDTH - 40, 56, height - 48};
    TRY(figure_begin_of(figures, &d->subject, "bars", d->of->figure, WIDTH, height, err));
    csv_header(&figures->csv, (const char *const[]){"what", d->of->column, NULL});
    for (int i = 0; i < n; i++) {
        csv_name(&figures->csv, bars[i].name);
        csv_number(&figures->csv, bars[i].value);
        csv_end(&figures->csv);
    }
    figure_panel(figures, &box);
    figure_axis_below(figures, &box, d->of->column);
    TRY(bars_write(figures, d->of, bars, n, &box, err));
    figure_caption(figures, "%s", d->of->caption);
    TRY(figure_end(figures, err));
done:
    return st;
}

/* ---- the page ---- */

static void sentence(FILE *to, const void *one, const char *open)
{
    const struct memory_doc *d = one;
    fputs(open, to);
    d->of->sentence(d->root, to);
    fputs("</p>\n", to);
}

static void tables(FILE *to, const void *one)
{
    const struct memory_doc *d = one;
    d->of->table(d->root, to);
}

enum st memory_page_report(const struct memory_page *page, const struct page_request *request, struct err *err)
{
    return answers_report(&(struct answers){.title = page->title,
                                            .bytes = sizeof(struct memory_doc),
                                            .root = offsetof(struct memory_doc, root),
                                            .subject = offsetof(struct memory_doc, subject),
                                            .with = page,
                                            .load = load,
                                            .draw = draw,
                                            .sentence = sentence,
                                            .tables = tables},
                          request, err);
}
