/* memory_answer.c - see memory_answer.h. */
#include "reports/memories/memory_answer.h"

#include <math.h>

#include "base/mem.h"
#include "base/text.h"
#include "reports/figures/figure_axes.h"
#include "reports/figures/figure_panels.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"

enum { WIDTH = 900, BAR = 28, COLOUR = 0x0B4F8A };
#define PAD 0.02 /* of the range, which figure_axis_write gives the axis at both ends */

struct answers {
    const struct memory_answer *of;
    doc **roots; /* owned */
    struct figure_subject *subjects;
    int count;
};

static enum st load(struct answers *a, int i, const char *schema, const char *path, struct err *err)
{
    enum st st;
    doc *needed;
    TRY(doc_load(path, NULL, &a->roots[i], err));
    const doc *root = a->roots[i];
    if (!text_starts(document_text(root, "schema"), schema))
        TRY(document_refuse(document_text(root, "schema"), path, err));
    if (a->of->needs) TRY(doc_need_array(root, a->of->needs, path, &needed, err));
    const char *server = document_text(doc_get(root, "plan"), "server");
    if (!*server) server = document_text(root, "server");
    a->subjects[i] = figure_subject_make(doc_text_value(doc_get(doc_get(root, "graph"), "name"), "a graph"),
                                         *server ? server : "several nodes", "memory");
    if (a->count > 1) figure_subject_number(&a->subjects[i], i + 1);
done:
    return st;
}

/* ---- the bars ---- */

static int bars_of(const struct answers *a, int section, struct memory_bar bars[MEMORY_BARS_MOST])
{
    int n = 0;
    for (; n < MEMORY_BARS_MOST; n++) {
        *bars[n].name = 0;
        bars[n].value = a->of->bar(a->roots[section], n, bars[n].name);
        if (!*bars[n].name) break;
    }
    return n;
}

static enum st bars_write(struct figures *figures, const struct memory_answer *of, const struct memory_bar *bars, int n,
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

static enum st draw(const void *of, int section, struct figures *figures, struct err *err)
{
    const struct answers *a = of;
    struct memory_bar bars[MEMORY_BARS_MOST];
    enum st st = ST_OK;
    int n = bars_of(a, section, bars), numbers = 0, longest = 6, height;
    for (int i = 0; i < n; i++) {
        numbers += !isnan(bars[i].value);
        if (style_length(bars[i].name) > longest) longest = style_length(bars[i].name);
    }
    if (numbers < 2) goto done; /* nothing is compared */
    height = 116 + BAR * n;
    struct box box = {24 + 7.0 * longest, WIDTH - 40, 56, height - 48};
    TRY(figure_begin_of(figures, &a->subjects[section], "bars", a->of->figure, WIDTH, height, err));
    csv_header(&figures->csv, (const char *const[]){"what", a->of->column, NULL});
    for (int i = 0; i < n; i++) {
        csv_name(&figures->csv, bars[i].name);
        csv_number(&figures->csv, bars[i].value);
        csv_end(&figures->csv);
    }
    figure_panel(figures, &box);
    figure_axis_below(figures, &box, a->of->column);
    TRY(bars_write(figures, a->of, bars, n, &box, err));
    figure_caption(figures, "%s", a->of->caption);
    TRY(figure_end(figures, err));
done:
    return st;
}

/* ---- the page ---- */

static void lead(const void *of, FILE *to)
{
    const struct answers *a = of;
    if (a->count > 1) return;
    fputs("<p class=\"lead\">", to);
    a->of->sentence(a->roots[0], to);
    fputs("</p>\n", to);
}

static enum st section_write(const void *of, int section, const struct figures *figures, FILE *to, struct err *err)
{
    const struct answers *a = of;
    enum st st;
    fprintf(to, "<section class=\"subject\" id=\"s%d\">\n", section + 1);
    html_element(to, "<h2>", a->subjects[section].graph, "");
    html_element(to, " <small>on ", a->subjects[section].server, "</small></h2>\n");
    if (a->count > 1) {
        fputs("<p>", to);
        a->of->sentence(a->roots[section], to);
        fputs("</p>\n", to);
    }
    TRY(page_figures_write(to, figures, section, err));
    a->of->table(a->roots[section], to);
    fputs("</section>\n", to);
done:
    return st;
}

enum st memory_answer_report(const struct memory_answer *answer, const char *schema, const struct page_request *request,
                             struct err *err)
{
    enum st st;
    struct answers a = {.of = answer, .count = request->count};
    NEW(a.roots, a.count, "answers");
    NEW(a.subjects, a.count, "answers");
    for (int i = 0; i < a.count; i++) TRY(load(&a, i, schema, request->inputs[i], err));
    TRY(page_write(&(struct page){.title = page_title(request, answer->title),
                                  .of = &a,
                                  .sections = a.count,
                                  .draw = draw,
                                  .lead = lead,
                                  .section = section_write},
                   request, err));
done:
    for (int i = 0; a.roots && i < a.count; i++) doc_free(a.roots[i]);
    mem_free(a.roots);
    mem_free(a.subjects);
    return st;
}
