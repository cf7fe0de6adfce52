/* sizing_page.c - the page of size questions; see reports/shell/page_kind.h. */
#include "reports/shell/page_kind.h"

#include <limits.h>
#include <math.h>
#include "base/mem.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/document_table.h"
#include "reports/sizing/sizing.h"

struct answers {
    struct sizing *list;
    int count;
};

static enum st figures_write(const void *of, int section, struct figures *figures, struct err *err)
{
    const struct answers *a = of;
    const struct sizing *s = &a->list[section];
    struct figure_subject all = s->subject;                       /* of figures that show more than one curve */
    if (s->shown < 0 || !s->curves[s->shown].count) return ST_OK; /* nothing fits: the page says why */
    if (s->curve_count > 1) all.server = "all configurations";
    PASS(sizing_plot_options(figures, s, &all, err));
    PASS(sizing_plot_curve(figures, s, err));
    PASS(sizing_plot_choices(figures, s, &all, err));
    return sizing_plot_frontier(figures, s, &all, err);
}

/* ---- what the answer rests on ---- */

static void targets_line(FILE *to, const doc *targets)
{
    if (!doc_size(targets)) return;
    fputs("<li>Target: ", to);
    for (uint64_t i = 0; i < doc_size(targets); i++)
        html_element(to, i ? ", " : "", doc_text_value(doc_get(doc_at(targets, i), "text"), "?"), "");
    fputs(".</li>\n", to);
}

static void next_gigabyte_line(FILE *to, const doc *next)
{
    char more[STYLE_TEXT], from[STYLE_TEXT], text[STYLE_TEXT];
    double saved = -document_number(next, "epoch_seconds");
    if (!doc_is_object(next)) return;
    fprintf(to,
            "<li>Another %s per GPU beyond %s raises the feature hit rate by %.3g percentage points and saves %s PCIe "
            "transactions per epoch",
            style_bytes(more, document_number(next, "more_bytes")),
            style_bytes(from, document_number(next, "from_budget_bytes")),
            100 * document_number(next, "feature_hit_rate"),
            style_count(text, fmax(0, -document_number(next, "transactions"))));
    if (saved > 0) fprintf(to, " and %s", style_seconds(text, saved));
    fputs(isnan(saved) || saved > 0 ? ".</li>\n" : ", but no time.</li>\n", to);
}

static void facts_list(FILE *to, const struct sizing *s)
{
    const doc *stand_in = doc_get(s->root, "stand_in");
    char text[STYLE_TEXT];
    fputs("<ul>\n", to);
    targets_line(to, doc_get(s->root, "targets"));
    if (s->knee >= 0)
        fprintf(to,
                "<li>The knee of the curve is at %s per GPU: beyond it, more memory gains less than on average.</li>\n",
                style_bytes(text, s->points[s->knee].budget));
    next_gigabyte_line(to, doc_get(s->root, "next_gigabyte"));
    if (doc_is_object(stand_in)) {
        fprintf(to, "<li>The graph is a stand-in of %.4g times the size: ", document_number(stand_in, "scale"));
        html_element(to, "", document_text(stand_in, "note"), ".</li>\n");
        html_element(to, "<li>", doc_text_value(doc_get(stand_in, "facts"), ""), "</li>\n");
    }
    fputs("</ul>\n", to);
}

/* ---- the page ---- */

static void lead_write(const void *of, FILE *to)
{
    const struct answers *a = of;
    if (a->count == 1) sizing_line_write(to, &a->list[0]);
}

static enum st section_write(const void *of, int section, const struct figures *figures, FILE *to, struct err *err)
{
    const struct answers *a = of;
    const struct sizing *s = &a->list[section];
    char graph[STYLE_NAME];
    if (a->count > 1) {
        fprintf(to, "<section class=\"subject\" id=\"s%d\">\n", section + 1);
        html_element(to, "<h2>", style_cut(graph, s->graph, 100), "");
        html_element(to, " <small>", s->name, "</small></h2>\n");
        sizing_line_write(to, s);
    } else fputs("<section>\n", to);
    PASS(page_figures_some(to, figures, section, 0, 1, err)); /* what the answer says, of every option */
    sizing_decision_write(to, s);
    sizing_options_table(to, s);
    facts_list(to, s);
    PASS(page_figures_some(to, figures, section, 1, INT_MAX, err));
    sizing_notes_write(to, s);
    sizing_curves_table(to, s);
    sizing_unknown_list(to, s);
    sizing_points_table(to, s);
    sizing_uncertainty_table(to, s);
    sizing_reservation_table(to, s);
    fputs("</section>\n", to);
    return ST_OK;
}

static void notes_write(const void *of, FILE *to)
{
    const struct answers *a = of;
    fputs("<section class=\"about\">\n", to);
    document_premises(to, a->list[0].root);
    sizing_rules_list(to, &a->list[0]);
    fputs("</section>\n", to);
}

static enum st sizing_report(const struct page_request *request, struct err *err)
{
    enum st st;
    struct answers a = {.count = request->count};
    NEW(a.list, a.count, "answers");
    for (int i = 0; i < a.count; i++) TRY(sizing_load(request->inputs[i], &a.list[i], err));
    for (int i = 0; i < a.count && a.count > 1; i++) figure_subject_number(&a.list[i].subject, i + 1);
    TRY(page_write(&(struct page){.title = page_title(request, "What to buy for GNN training"),
                                  .of = &a,
                                  .sections = a.count,
                                  .draw = figures_write,
                                  .lead = lead_write,
                                  .section = section_write,
                                  .notes = notes_write},
                   request, err));
done:
    for (int i = 0; a.list && i < a.count; i++) sizing_release(&a.list[i]);
    mem_free(a.list);
    return st;
}

extern const struct page_kind page_kind_sizing_page;
const struct page_kind page_kind_sizing_page = {.schema = "size/",
                                                .what = "answers of hotset size",
                                                .name = "size",
                                                .report = sizing_report};
