#include "reports/shell/answers.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/tables/tables.h"
#include "reports/formats/document_table.h"

enum { LEVERS_MOST = 64 };

/* A document of advice, checked. Everything is borrowed from root. */
struct advice_read {
    doc *root; /* owned */
    const doc *today, *advice, *levers;
    int steps;                    /* advised levers */
    const doc *step[LEVERS_MOST]; /* in the order in which they were put on top of each other */
    struct figure_subject subject;
};

/* ---- reading ---- */

/* Sorts the advised levers by the place at which they were put on top. */
static void find_steps(struct advice_read *a)
{
    for (uint64_t i = 0; i < doc_size(a->levers); i++) {
        const doc *l = doc_at(a->levers, i);
        if (!doc_bool_value(doc_get(l, "advised"), false) || !doc_is_object(doc_get(l, "on_top"))) continue;
        int at = a->steps++;
        for (; at && document_count(a->step[at - 1], "place") > document_count(l, "place"); at--)
            a->step[at] = a->step[at - 1];
        a->step[at] = l;
    }
}

static enum st load(const char *path, void *one, const void *with, struct err *err)
{
    struct advice_read *out = one;
    doc *today, *advice, *levers;
    (void)with;
    PASS(doc_load(path, "advice/1", &out->root, err));
    PASS(doc_need_object(out->root, "today", path, &today, err));
    PASS(doc_need_object(out->root, "advice", path, &advice, err));
    PASS(doc_need_array(out->root, "levers", path, &levers, err));
    if (doc_size(levers) > LEVERS_MOST)
        return err_set(err, ST_INPUT,
                       "%s: has %llu levers, expected at most %d; write the document again with hotset advise -o", path,
                       (unsigned long long)doc_size(levers), LEVERS_MOST);
    out->today = today;
    out->advice = advice;
    out->levers = levers;
    out->subject = figure_subject_make(doc_text_value(doc_get(out->root, "graph"), "a graph"),
                                       doc_text_value(doc_get(out->root, "server"), "a server"), "advice");
    find_steps(out);
    return ST_OK;
}

/* ---- words and tables ---- */

static double transactions(const doc *of, const char *value)
{
    return document_count(doc_get(of, value), "transactions");
}

/* What the advice leaves, in a sentence. */
static void answer_write(FILE *to, const void *one, const char *open)
{
    const struct advice_read *a = one;
    double today = transactions(a->today, "value"), best = transactions(a->advice, "value");
    char text[2][STYLE_TEXT];
    if (isnan(today) || isnan(best)) return;
    fputs(open, to);
    if (!a->steps) fputs("No lever saves anything beyond today's setting", to);
    else
        fprintf(to, "%d lever%s together leave %s of %s PCIe transactions per epoch: %.0f %% fewer", a->steps,
                a->steps == 1 ? "" : "s", style_count(text[0], best), style_count(text[1], today),
                today > 0 ? 100 * (1 - best / today) : 0);
    fputs(".</p>\n", to);
}

static void levers_table(FILE *to, const struct advice_read *a)
{
    fputs("<h3>Each lever alone</h3>\n", to);
    document_columns(to, NULL,
                     &(struct column_table){.columns = advice_levers, .rows = a->levers, .skip = advice_impossible});
}

static void impossible_list(FILE *to, const struct advice_read *a)
{
    bool any = false;
    for (uint64_t i = 0; i < doc_size(a->levers); i++) {
        const doc *l = doc_at(a->levers, i);
        if (doc_is_object(doc_get(l, "alone"))) continue;
        if (!any) fputs("<h3>Not tried</h3>\n<ul>\n", to);
        any = true;
        html_element(to, "<li>", document_text(l, "name"), ": ");
        html_element(to, "", document_text(l, "reason"), "</li>\n");
    }
    if (any) fputs("</ul>\n", to);
}

/* ---- the page ---- */

/* A bar between two numbers of a waterfall, with a text above it. */
static void fall(struct drawing *d, int at, double from, double until, const char *name, const char *text)
{
    char count[STYLE_TEXT];
    struct drawing_point *p = drawing_point(d, at, until, "%.80s: %s left", name, style_count(count, until));
    p->from = from;
    p->text = drawing_say(d, "%s", text);
}

/* From today's transactions down to those of the advice, step by step. */
static enum st figures_write(struct figures *figures, const void *one, struct err *err)
{
    const struct advice_read *a = one;
    static const struct drawing_series series[] =
        {{.name = "all transactions", .colour = 0x5B6673, .shape = DRAWING_BARS},
         {.name = "saved, accuracy unchanged", .colour = 0x0B4F8A, .shape = DRAWING_BARS, .flags = SERIES_STACKED},
         {.name = "saved, accuracy to be checked", .colour = 0xD55E00, .shape = DRAWING_BARS, .flags = SERIES_STACKED}};
    OWNED_BY(drawing_release) struct drawing d = {0};
    char text[STYLE_TEXT], name[STYLE_NAME];
    const double today = transactions(a->today, "value"),
                 last = a->steps ? transactions(a->step[a->steps - 1], "on_top") : today;
    drawing_panel(&d, NULL, &(struct drawing_axis){.flags = AXIS_NAMES},
                  &(struct drawing_axis){"PCIe transactions per epoch", QUANTITY_COUNT, 0, 0, 0});
    drawing_tick(&d, AXIS_X, 0, "today");
    for (int i = 0; i < a->steps; i++)
        drawing_tick(&d, AXIS_X, i + 1, style_cut(name, document_text(a->step[i], "name"), 20));
    drawing_tick(&d, AXIS_X, a->steps + 1, "together");
    for (int kind = 0; kind < 3; kind++) {
        double now = today;
        drawing_series(&d, &series[kind]);
        if (!kind && !isnan(today)) fall(&d, 0, 0, today, "today", style_count(text, today));
        for (int i = 0; i < a->steps; i++) {
            const double next = transactions(a->step[i], "on_top");
            snprintf(text, sizeof text, "%+.1f %%", 100 * (next / now - 1));
            if (kind == 1 + doc_bool_value(doc_get(a->step[i], "may_change_accuracy"), true) && !isnan(now + next))
                fall(&d, i + 1, now, next, document_text(a->step[i], "name"), text);
            now = next;
        }
        if (!kind && !isnan(last)) fall(&d, a->steps + 1, 0, last, "together", style_count(text, last));
    }
    text_append(d.caption, sizeof d.caption,
                "Each lever is put on top of those left of it, and its percentage is of what they left. Simulated on "
                "held-out epochs. A lever that saved less than 0.5 %% there is left out.");
    return drawing_write(&d, figures, &a->subject, "levers", "What the levers save together", err);
}

static void options_write(FILE *to, const void *one)
{
    const struct advice_read *a = one;
    html_element(to, "<p>Today: <code>", document_text(a->today, "options"), "</code></p>\n");
    html_element(to, "<p>Advice: <code>", document_text(a->advice, "options"), "</code></p>\n");
    if (document_count(a->advice, "feature_bytes") < document_count(a->today, "feature_bytes"))
        fprintf(to, "<p>First import the graph again with <code>--feature-type %s</code>.</p>\n",
                document_count(a->advice, "feature_bytes") < 2 ? "i8" : "f16");
}

static void tables_write(FILE *to, const void *one)
{
    levers_table(to, one);
    impossible_list(to, one);
}

static const struct answers page = {.title = "What would save most",
                                    .bytes = sizeof(struct advice_read),
                                    .root = offsetof(struct advice_read, root),
                                    .subject = offsetof(struct advice_read, subject),
                                    .load = load,
                                    .draw = figures_write,
                                    .sentence = answer_write,
                                    .facts = options_write,
                                    .tables = tables_write};

extern const struct page_kind page_kind_advice_page;
const struct page_kind page_kind_advice_page = {.schema = "advice/",
                                                .what = "answers of hotset advise",
                                                .name = "advice",
                                                .answers = &page};
