/* drift_page.c - the page of answers of hotset drift. */
#include <math.h>
#include <string.h>

#include "base/premises.h"
#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/keys.h"
#include "reports/formats/style.h"
#include "reports/shell/page_kind.h"
#include "reports/tables/tables.h"
#include "reports/formats/document_table.h"

enum { SCHEMES_MOST = 64, WINDOWS_MOST = 100000 };

#define NEEDED .flags = FIELD_NEEDED
static const char *const schema_words[] = {"drift/1", NULL};
#define SHOWN_KEYS                                                                                                     \
    KEY_SHARE("feature_hit_rate", "Of feature rows."), KEY_SHARE("topology_hit_rate", "Of topology visits."),          \
        KEY_NUMBER("total_transactions", NULL, "PCIe reads per epoch."),                                               \
        KEY_SECONDS("transfer_seconds", "Of the stage that reads, per epoch."),                                        \
        KEY_BYTES("bytes_loaded", "By the changes of plans."), KEY_SECONDS("seconds_loading", "That they take."),      \
        KEY_OBJECT("memories", NULL, "What lies below the GPUs.")
static const struct field window_fields[] = {KEY_COUNT("window", "Its number."), SHOWN_KEYS, FIELDS_OPEN},
                          scheme_fields[] = {SHOWN_KEYS, KEY_TEXT("scheme", "How plans keep up.", NEEDED),
                                             KEY_SIGNED("seconds_saved", "seconds",
                                                        "Against the first plan, in all, loading deducted."),
                                             KEY_LIST("windows", window_fields, "Without the first.", NEEDED,
                                                      .least = 1, .most = WINDOWS_MOST),
                                             FIELDS_OPEN},
                          left_fields[] = {KEY_TEXT("scheme", "Its name."), KEY_TEXT("reason", "Why it is left out."),
                                           FIELDS_OPEN},
                          drift_fields[] = {FIELD_SCHEMA(schema_words),
                                            KEY_OBJECT("graph", NULL, "What it is of."),
                                            KEY_TEXT("server", "Its name."),
                                            KEY_TEXT("budget", "Of a GPU's cache, as it was asked."),
                                            KEY_TEXT("deal", "How training vertices are dealt."),
                                            KEY_COUNT("windows", "How many, with the first."),
                                            KEY_TEXT("windows_by", "What parts them: time or id."),
                                            KEY_COUNT("window_width", "Of each, in that."),
                                            KEY_COUNT("epochs_per_window", "That are trained."),
                                            KEY_BYTES("move_budget_bytes", "That a change may load."),
                                            KEY_BYTES("host_memory_bytes", "For rows, of a node."),
                                            KEY_OBJECT("drives", NULL, "SSDs of a node."),
                                            KEY_COUNT("nodes", "How many."),
                                            KEY_OBJECT("network", NULL, "Between them."),
                                            KEY_LIST("left_out", left_fields, "Schemes that these memories leave out."),
                                            KEY_LIST("schemes", scheme_fields,
                                                     "Means over the windows after the first.", NEEDED, .least = 1,
                                                     .most = SCHEMES_MOST),
                                            PREMISES_KEY,
                                            FIELDS_OPEN};

/* ---- the page ---- */

/* Hit rates window by window: of features, or where no cache holds any, of topology. */
static enum st figures_write(struct figures *figures, const doc *root, const struct figure_subject *subject,
                             struct err *err)
{
    enum { LINES = 7 };
    static const unsigned colours[LINES] = {0x000000, 0xB5500A, 0x1B7A4B, 0x0B4F8A, 0x6B7280, 0x8E3A80, 0xA32638};
    static const int dashes[LINES] = {0, 1, 3, 0, 2, 4, 1}, marks[LINES] = {7, 5, 9, 11, 13, 6, 4};
    const doc *schemes = doc_get(root, "schemes");
    OWNED_BY(drawing_release) struct drawing d = {.ends = true, .tall = 314};
    bool held = false;
    double last = 1;
    char text[STYLE_TEXT];
    for (uint64_t i = 0; i < doc_size(schemes); i++)
        held |= document_number(doc_at(schemes, i), "feature_hit_rate") > 0;
    drawing_panel(&d, NULL, &(struct drawing_axis){"window", QUANTITY_COUNT, AXIS_NEAR, 0, 0},
                  &(struct drawing_axis){"hit rate (share of reads)", QUANTITY_RATE, 0, 0, 0});
    for (int i = 0; i < LINES && i < (int)doc_size(schemes); i++) {
        const doc *scheme = doc_at(schemes, (uint64_t)i), *windows = doc_get(scheme, "windows");
        const char *name = document_text(scheme, "scheme");
        drawing_series(&d, &(struct drawing_series){name, NULL, colours[i], DRAWING_LINE, .dash = dashes[i],
                                                    .mark = marks[i]});
        for (uint64_t k = 0; k < doc_size(windows); k++) {
            const double window = document_count(doc_at(windows, k), "window"),
                         rate = document_number(doc_at(windows, k), held ? "feature_hit_rate" : "topology_hit_rate");
            drawing_point(&d, window, rate, "%.60s, window %.0f: %s", name, window, style_percent(text, rate, 1));
            last = fmax(last, window);
        }
    }
    for (int window = 0; window <= last && last < 1e6; window++) {
        snprintf(text, sizeof text, "%d", window);
        if (window || last < 2) drawing_tick(&d, AXIS_X, window, text);
    }
    drawing_caption(&d,
                    "Reads of %s rows that GPUs hold, on held-out epochs of each window. Window 0 made the first plan; "
                    "oracle knows the window that it serves.",
                    held ? "feature" : "topology");
    return drawing_write(&d, figures, subject, "drift", "Hit rate window by window", err);
}

static const doc *scheme_of(const doc *root, const char *name)
{
    const doc *schemes = doc_get(root, "schemes");
    for (uint64_t i = 0; i < doc_size(schemes); i++)
        if (!strcmp(document_text(doc_at(schemes, i), "scheme"), name)) return doc_at(schemes, i);
    return NULL;
}

/* What saves most seconds against the first plan; NULL: nothing does. */
static const doc *best_of(const doc *root)
{
    const doc *schemes = doc_get(root, "schemes");
    const doc *best = NULL;
    double most = 0;
    for (uint64_t i = 0; i < doc_size(schemes); i++) {
        double saved = document_number(doc_at(schemes, i), "seconds_saved");
        if (!(saved > most)) continue;
        most = saved;
        best = doc_at(schemes, i);
    }
    return best;
}

static void answer_write(const doc *root, FILE *to)
{
    const doc *fixed = scheme_of(root, "fixed"), *best = best_of(root);
    char text[3][STYLE_TEXT];
    if (!best) {
        fputs("No way of keeping up pays: the plan of the first window stays the fastest.", to);
        return;
    }
    html_element(to, "<b>", document_text(best, "scheme"), "</b>");
    fprintf(to,
            " pays most: after the first window an epoch reads the host in %s transactions, with the first plan's rows "
            "in %s; in all it saves %s, loading deducted.",
            style_count(text[0], document_count(best, "total_transactions")),
            style_count(text[1], document_count(fixed, "total_transactions")),
            style_seconds(text[2], document_count(best, "seconds_saved")));
}

static void schemes_table(const doc *root, FILE *to)
{
    document_table(to, "Means over the windows after the first", doc_get(root, "schemes"), NULL, drift_columns);
}

extern const struct page_kind page_kind_drift_page;
const struct page_kind page_kind_drift_page = {.schema = "drift/",
                                               .what = "answers of hotset drift",
                                               .name = "drift",
                                               .title = "How plans age",
                                               .exact = "drift/1",
                                               .needs = "schemes",
                                               .fields = drift_fields,
                                               .draw = figures_write,
                                               .sentence = answer_write,
                                               .table = schemes_table};
