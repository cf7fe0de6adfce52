/* tiers_page.c - the page of answers of hotset tiers. */
#include <math.h>

#include "reports/formats/document.h"
#include "reports/memories/memory_bars.h"

static const doc *way_of(const doc *root, int number) { return doc_at(doc_get(root, "ways"), (uint64_t)number); }

static double seconds(const doc *way) { return document_count(way, "simulated_seconds"); }

static void sentence(const doc *root, FILE *to)
{
    const doc *first = way_of(root, 0), *second = way_of(root, 1);
    char text[2][STYLE_TEXT];
    html_element(to, "Planned as ", document_text(first, "way"), "");
    fprintf(to, ", all reads of an epoch take %s per GPU", style_seconds(text[0], seconds(first)));
    if (seconds(second) > 0) {
        html_element(to, "; planned ", document_text(second, "way"), "");
        fprintf(to, ", they take %.2f times as long", seconds(second) / seconds(first));
    }
    if (document_number(root, "above_bound") >= 0)
        fprintf(to, ". It is at most %s above the best there is, by expected reads",
                style_percent(text[1], document_number(root, "above_bound"), 2));
    fputs(".", to);
}

static double bar(const doc *root, int number, char name[STYLE_NAME])
{
    style_cut(name, document_text(way_of(root, number), "way"), 30);
    return seconds(way_of(root, number));
}

static void ways_table(const doc *root, FILE *to)
{
    static const struct html_column columns[] = {{"planned", NULL, true},
                                                 {"seconds", "per epoch and GPU", false},
                                                 {"predicted", NULL, false},
                                                 {"prediction error", NULL, false},
                                                 {0}};
    char text[STYLE_TEXT];
    html_table_begin(to, "The ways to plan", columns);
    for (int i = 0; way_of(root, i); i++) {
        html_element(to, "<tr><th scope=\"row\">", document_text(way_of(root, i), "way"), "</th>");
        html_cell(to, style_seconds(text, seconds(way_of(root, i))));
        html_cell(to, style_seconds(text, document_count(way_of(root, i), "predicted_seconds")));
        html_cell(to, style_percent(text, document_number(way_of(root, i), "prediction_error"), 2));
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static void table(const doc *root, FILE *to)
{
    static const struct html_column columns[] = {{"memory", NULL, true},
                                                 {"room", NULL, false},
                                                 {"used", NULL, false},
                                                 {"feature rows", NULL, false},
                                                 {"topology rows", NULL, false},
                                                 {"feature reads", "per epoch", false},
                                                 {"topology lines", "per epoch", false},
                                                 {"time", "of its reads", false},
                                                 {0}};
    const doc *places = doc_get(root, "places"), *held = doc_get(way_of(root, 0), "places");
    char text[STYLE_TEXT];
    ways_table(root, to);
    html_table_begin(to, "What each memory holds and serves, planned the first way", columns);
    for (uint64_t i = 0; i < doc_size(held); i++) {
        const doc *h = doc_at(held, i);
        html_element(to, "<tr><th scope=\"row\">", document_text(doc_at(places, i), "name"), "</th>");
        html_cell(to, style_bytes(text, document_count(doc_at(places, i), "capacity_bytes")));
        html_cell(to, style_bytes(text, document_count(h, "used_bytes")));
        html_cell(to, style_count(text, document_count(h, "feature_rows")));
        html_cell(to, style_count(text, document_count(h, "topology_rows")));
        html_cell(to, style_count(text, document_count(h, "feature_reads")));
        html_cell(to, style_count(text, document_count(h, "topology_lines")));
        html_cell(to, style_seconds(text, document_count(h, "seconds")));
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static const struct memory_page answer = {
    .schema = "tiers/",
    .title = "All memories as one problem",
    .needs = "ways",
    .figure = "Seconds of all reads",
    .column = "seconds per epoch and GPU",
    .caption = "Fewer is better. The sum over all reads of a held-out epoch, as if none overlapped. Tier by tier: GPUs "
               "are filled first, then DRAM, each for its own readers.",
    .quantity = QUANTITY_SECONDS,
    .bar = bar,
    .sentence = sentence,
    .table = table,
};

static enum st tiers_report(const struct page_request *request, struct err *err)
{
    return memory_page_report(&answer, request, err);
}

extern const struct page_kind page_kind_tiers_page;
const struct page_kind page_kind_tiers_page = {.schema = "tiers/",
                                               .what = "answers of hotset tiers",
                                               .name = "tiers",
                                               .file = "tiers.json",
                                               .report = tiers_report};
