/* what_if_page.c - the page of answers of hotset what-if: a tornado, with the places where the answer changes. */
#include <math.h>

#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static const doc *input_of(const doc *root, int number) { return doc_at(doc_get(root, "inputs"), (uint64_t)number); }

static double end_of(const doc *input, const char *side)
{
    return document_count(doc_get(input, side), "epoch_seconds");
}

static double now_of(const doc *root) { return document_count(root, "epoch_seconds"); }

static void subject(const doc *root, char name[STYLE_NAME]) { style_cut(name, document_text(root, "of"), 60); }

static void what_if_page_sentence(const doc *root, FILE *to)
{
    char text[COLUMN_TEXT], seconds[STYLE_TEXT];
    int flips = 0;
    html_element(to, "An epoch of ", document_text(root, "of"), " takes ");
    fputs(style_seconds(seconds, now_of(root)), to);
    html_element(to, ": ", document_text(root, "decision"), ", and ");
    for (int i = 0; input_of(root, i); i++)
        for (uint64_t k = 0; k < doc_size(doc_get(input_of(root, i), "flips")); k++) {
            const doc *flip = doc_at(doc_get(input_of(root, i), "flips"), k);
            html_element(to, flips++ ? ", " : "that changes with ", document_text(input_of(root, i), "name"), " at ");
            html_element(to, "", what_if_moved(flip, text), " (");
            html_element(to, "", document_text(flip, "decision"), ")");
        }
    fputs(flips ? "." : "no input changes that within its range.", to);
}

static void bar(const doc *root, int number, struct bar *out)
{
    const doc *input = input_of(root, number), *flips = doc_get(input, "flips");
    char text[2][STYLE_TEXT];
    double low = end_of(input, "low"), high = end_of(input, "high"), now = now_of(root);
    style_cut(out->name, document_text(input, "name"), 60);
    out->from = fmin(now, fmin(low, high));
    out->value = isnan(low) || isnan(high) ? NAN : fmax(now, fmax(low, high));
    if (out->value >= 0)
        snprintf(out->says, sizeof out->says, "%s to %s", style_seconds(text[0], low), style_seconds(text[1], high));
    for (uint64_t k = 0; k < doc_size(flips) && out->marks < BAR_MARKS; k++) {
        double at = document_count(doc_at(flips, k), "epoch_seconds");
        if (at >= 0) out->mark[out->marks++] = at;
    }
}

static void what_if_page_table(const doc *root, FILE *to)
{
    static const struct column subjects[] = {COLUMN("answer", "name", CELL_TEXT),
                                             COLUMN("epoch", "epoch_seconds", CELL_SECONDS),
                                             COLUMN("waits for", "binds", CELL_TEXT),
                                             {0}};
    static const struct column sources[] = {COLUMN("input", "name", CELL_TEXT),
                                            COLUMN("what it is", "what", CELL_LONG),
                                            COLUMN("where its range is from", "source", CELL_LONG),
                                            {0}};
    document_table(to, "Inputs moved alone, widest first", doc_get(root, "inputs"), NULL, what_if_inputs);
    document_table(to, "What the inputs are", doc_get(root, "inputs"), NULL, sources);
    document_table(to, "What was compared", doc_get(root, "subjects"), NULL, subjects);
    document_premises(to, root);
}

static const struct bars figure[] = {{.what = "tornado",
                                      .title = "What an epoch takes while one input moves",
                                      .column = "epoch time",
                                      .caption = "Each input moves alone through its range, the others as they are; "
                                                 "the line is the epoch as it is. A diamond is where the answer "
                                                 "changes.",
                                      .quantity = QUANTITY_SECONDS,
                                      .bar = bar,
                                      .now = now_of},
                                     {0}};

extern const struct page_kind page_kind_what_if_page;
const struct page_kind page_kind_what_if_page = {.schema = "what-if/",
                                                 .what = "answers of hotset what-if",
                                                 .name = "what-if",
                                                 .title = "Which inputs would change the answer",
                                                 .needs = "inputs",
                                                 .figure = figure,
                                                 .sentence = what_if_page_sentence,
                                                 .table = what_if_page_table,
                                                 .of = subject};
