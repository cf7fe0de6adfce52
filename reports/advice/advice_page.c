#include "reports/shell/page_kind.h"

#include <math.h>
#include <string.h>

#include "base/premises.h"
#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/keys.h"
#include "reports/tables/tables.h"
#include "reports/formats/document_table.h"

enum { LEVERS_MOST = 64 };

#define NEEDED .flags = FIELD_NEEDED
static const char *const schema_words[] = {"advice/1", NULL};
/* What a setting needs per epoch; _saved: of what stands before it. */
#define VALUE_KEYS                                                                                                     \
    KEY_NUMBER("transactions", NULL, "PCIe reads."), KEY_SECONDS("seconds", "Of the epoch, by the model."),            \
        KEY_SECONDS("reads_seconds", "Of all reads below GPUs.")
static const struct field value_fields[] = {VALUE_KEYS, FIELDS_OPEN},
                          saved_fields[] = {VALUE_KEYS, KEY_SIGNED("reads_saved", NULL, "As a share."),
                                            KEY_SIGNED("transactions_saved", NULL, "As a share."),
                                            KEY_SIGNED("seconds_saved", NULL, "As a share."), FIELDS_OPEN};
#define SETTING_KEYS                                                                                                   \
    KEY_TEXT("deal", "How training vertices are dealt."), KEY_TEXT("order", "In which order they are trained."),       \
        KEY_TEXT("reach", "How far GPUs read."), KEY_TEXT("sampler", "How neighbours are drawn."),                     \
        KEY_TEXT("frontier", "Whose neighbours the next hop draws."), KEY_BYTES("feature_bytes", "Of an element."),    \
        KEY_TEXT("cache_type", "Elements of rows that GPUs hold; absent: as the host's."),                             \
        KEY_TEXT("policy", "Who places rows, beside lists of one's own."),                                             \
        KEY_COUNT("batch", "Seeds per mini-batch."), KEY_BYTES("host_memory_bytes", "For rows, of a node."),           \
        KEY_COUNT("drives", "SSDs of a node."), KEY_BYTES("budget_bytes", "Of a GPU; unknown: what training leaves."), \
        KEY_TEXT("options", "The same as options of hotset plan.")
static const struct field
    today_fields[] = {SETTING_KEYS, KEY_OBJECT("value", value_fields, "What it needs.", NEEDED), FIELDS_OPEN},
    best_fields[] = {SETTING_KEYS, KEY_OBJECT("value", saved_fields, "What it needs.", NEEDED), FIELDS_OPEN},
    lever_fields[] = {KEY_TEXT("name", "Of the lever.", NEEDED),
                      KEY_TEXT("summary", "What it changes."),
                      KEY_FLAG("possible", "Whether it could be tried."),
                      KEY_TEXT("reason", "Why it could not."),
                      KEY_FLAG("other_import", "It needs another import of the graph."),
                      KEY_FLAG("may_change_accuracy", "Whether the model may learn otherwise."),
                      KEY_TEXT("asks", "What it asks of the job."),
                      KEY_TEXT("options", "As options of hotset plan."),
                      KEY_OBJECT("alone", saved_fields, "With this lever alone."),
                      KEY_OBJECT("on_top", saved_fields, "On top of those before it."),
                      KEY_COUNT("place", "Among those put on top of each other."),
                      KEY_FLAG("advised", "Whether it is a part of the advice."),
                      FIELDS_OPEN},
    advice_fields[] = {FIELD_SCHEMA(schema_words),
                       KEY_TEXT("graph", "Its name."),
                       KEY_TEXT("server", "Its name."),
                       KEY_TEXT("policy", "That plans."),
                       KEY_OBJECT("today", today_fields, "The setting as it is.", NEEDED),
                       KEY_LIST("levers", lever_fields, "What could be changed.", NEEDED, .most = LEVERS_MOST),
                       KEY_OBJECT("advice", best_fields, "The levers together that save most.", NEEDED),
                       KEY_FLAG("exact", "Whether every lever was planned with an assignment of its own (--exact)."),
                       KEY_SHARE("rows_share", "Of the graph's rows, that were placed and simulated for all."),
                       PREMISES_KEY,
                       FIELDS_OPEN};

/* The advised levers, sorted by the place at which they were put on top of each other. Returns how many. */
static int steps_find(const doc *root, const doc *step[LEVERS_MOST])
{
    const doc *levers = doc_get(root, "levers");
    int steps = 0;
    for (uint64_t i = 0; i < doc_size(levers) && steps < LEVERS_MOST; i++) {
        const doc *l = doc_at(levers, i);
        if (!doc_bool_value(doc_get(l, "advised"), false) || !doc_is_object(doc_get(l, "on_top"))) continue;
        int at = steps++;
        for (; at && document_count(step[at - 1], "place") > document_count(l, "place"); at--) step[at] = step[at - 1];
        step[at] = l;
    }
    return steps;
}

/* ---- words and tables ---- */

static double transactions(const doc *of, const char *value)
{
    return document_count(doc_get(of, value), "transactions");
}

static double seconds(const doc *of, const char *value) { return document_number(doc_get(of, value), "seconds"); }

/* What is advised, and what it saves, as the terminal says it. */
static void answer_write(const doc *root, FILE *to)
{
    const doc *step[LEVERS_MOST], *today = doc_get(root, "today"), *advice = doc_get(root, "advice");
    const int steps = steps_find(root, step);
    const double reads[] = {transactions(today, "value"), transactions(advice, "value")},
                 epoch[] = {seconds(today, "value"), seconds(advice, "value")};
    char text[2][STYLE_TEXT];
    if (isnan(reads[0]) || isnan(reads[1])) return;
    if (!steps) {
        fputs("No lever saves anything beyond today's setting.", to);
        return;
    }
    for (int i = 0; i < steps; i++)
        html_element(to, i ? ", " : "Advised: ", advice_lever_word(document_text(step[i], "name")), "");
    fputs(": ", to);
    if (epoch[0] > 0 && !isnan(epoch[1]))
        fprintf(to, "an epoch takes %s instead of %s (%+.1f %%), with ", style_seconds(text[0], epoch[1]),
                style_seconds(text[1], epoch[0]), 100 * (epoch[1] / epoch[0] - 1));
    fprintf(to, "%s instead of %s PCIe reads", style_count(text[0], reads[1]), style_count(text[1], reads[0]));
    if (reads[0] > 0) fprintf(to, " (%+.1f %%)", 100 * (reads[1] / reads[0] - 1));
    fputs(".", to);
}

static void levers_table(const doc *root, FILE *to)
{
    fputs("<h3>Each lever alone</h3>\n", to);
    document_columns(to, NULL,
                     &(struct column_table){.columns = advice_levers,
                                            .rows = doc_get(root, "levers"),
                                            .skip = advice_impossible});
}

static void impossible_list(const doc *root, FILE *to)
{
    const doc *levers = doc_get(root, "levers");
    bool any = false;
    for (uint64_t i = 0; i < doc_size(levers); i++) {
        const doc *l = doc_at(levers, i);
        if (doc_is_object(doc_get(l, "alone"))) continue;
        if (!any) fputs("<h3>Not tried</h3>\n<ul>\n", to);
        any = true;
        html_element(to, "<li>", advice_lever_word(document_text(l, "name")), ": ");
        html_element(to, "", document_text(l, "reason"), "</li>\n");
    }
    if (any) fputs("</ul>\n", to);
}

/* ---- the page ---- */

/* What a waterfall shows of every setting. */
struct saved {
    const char *what, *title, *axis;
    enum quantity quantity;
    double (*of)(const doc *setting, const char *value);
};

/* A bar between two numbers of a waterfall, with a text above it. */
static void fall(struct drawing *d, const struct saved *s, int at, double from, double until, const char *name,
                 const char *text)
{
    char left[STYLE_TEXT];
    struct drawing_point *p = drawing_point(d, at, until, "%.80s: %s left", name,
                                            style_quantity(left, s->quantity, until));
    p->from = from;
    p->text = drawing_say(d, "%s", text);
}

/* From today's number down to that of the advice, step by step; nothing where a step has none. */
static enum st waterfall(struct figures *figures, const doc *root, const struct figure_subject *subject,
                         const struct saved *s, struct err *err)
{
    const doc *step[LEVERS_MOST];
    const int steps = steps_find(root, step);
    const struct drawing_series series[] =
        {{.name = s->axis, .colour = 0x5B6673, .shape = DRAWING_BARS},
         {.name = "saved, accuracy unchanged", .colour = 0x0B4F8A, .shape = DRAWING_BARS, .flags = SERIES_STACKED},
         {.name = "saved, accuracy to be checked", .colour = 0xD55E00, .shape = DRAWING_BARS, .flags = SERIES_STACKED}};
    OWNED_BY(drawing_release) struct drawing d = {0};
    char text[STYLE_TEXT], name[STYLE_NAME];
    const double today = s->of(doc_get(root, "today"), "value"),
                 last = steps ? s->of(step[steps - 1], "on_top") : today;
    bool all = !isnan(today);
    for (int i = 0; i < steps; i++) all &= !isnan(s->of(step[i], "on_top"));
    if (!all) return ST_OK;
    drawing_panel(&d, NULL, &(struct drawing_axis){.flags = AXIS_NAMES},
                  &(struct drawing_axis){s->axis, s->quantity, 0, 0, 0});
    drawing_tick(&d, AXIS_X, 0, "today");
    for (int i = 0; i < steps; i++)
        drawing_tick(&d, AXIS_X, i + 1, style_cut(name, advice_lever_word(document_text(step[i], "name")), 60));
    drawing_tick(&d, AXIS_X, steps + 1, "together");
    for (int kind = 0; kind < 3; kind++) {
        double now = today;
        drawing_series(&d, &series[kind]);
        if (!kind) fall(&d, s, 0, 0, today, "today", style_quantity(text, s->quantity, today));
        for (int i = 0; i < steps; i++) {
            const double next = s->of(step[i], "on_top");
            snprintf(text, sizeof text, "%+.1f %%", 100 * (next / now - 1));
            if (kind == 1 + doc_bool_value(doc_get(step[i], "may_change_accuracy"), true))
                fall(&d, s, i + 1, now, next, advice_lever_word(document_text(step[i], "name")), text);
            now = next;
        }
        if (!kind) fall(&d, s, steps + 1, 0, last, "together", style_quantity(text, s->quantity, last));
    }
    drawing_caption(&d, "Each lever is put on top of those left of it, and its percentage is of what they left. "
                        "Simulated on held-out epochs. Levers that saved less than 1 %% of the epoch, or of reads "
                        "where it is not known, are left out.");
    return drawing_write(&d, figures, subject, s->what, s->title, err);
}

static enum st figures_write(struct figures *figures, const doc *root, const struct figure_subject *subject,
                             struct err *err)
{
    static const struct saved epoch = {"levers-time", "What the levers save together: time", "time of an epoch",
                                       QUANTITY_SECONDS, seconds},
                              reads = {"levers", "What the levers save together: reads", "PCIe reads per epoch",
                                       QUANTITY_COUNT, transactions};
    PASS(waterfall(figures, root, subject, &epoch, err));
    return waterfall(figures, root, subject, &reads, err);
}

static void options_write(const doc *root, FILE *to)
{
    const doc *today = doc_get(root, "today"), *advice = doc_get(root, "advice");
    html_element(to, "<p>Today: <code>", document_text(today, "options"), "</code></p>\n");
    html_element(to, "<p>Advice: <code>", document_text(advice, "options"), "</code></p>\n");
    if (document_count(advice, "feature_bytes") < document_count(today, "feature_bytes"))
        fprintf(to, "<p>First import the graph again with <code>--feature-type %s</code>.</p>\n",
                document_count(advice, "feature_bytes") < 2 ? "i8" : "f16");
}

static void tables_write(const doc *root, FILE *to)
{
    levers_table(root, to);
    impossible_list(root, to);
    document_premises(to, root);
}

extern const struct page_kind page_kind_advice_page;
const struct page_kind page_kind_advice_page = {.schema = "advice/",
                                                .what = "answers of hotset advise",
                                                .name = "advice",
                                                .title = "What would save most",
                                                .exact = "advice/1",
                                                .needs = "levers",
                                                .fields = advice_fields,
                                                .draw = figures_write,
                                                .sentence = answer_write,
                                                .facts = options_write,
                                                .table = tables_write};
