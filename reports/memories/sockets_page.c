/* sockets_page.c - the page of answers of hotset sockets. */
#include <math.h>
#include <string.h>

#include "reports/formats/document.h"
#include "reports/memories/memory_bars.h"

static const doc *chosen_of(const doc *root)
{
    const doc *ways = doc_get(root, "ways");
    for (uint64_t i = 0; i < doc_size(ways); i++)
        if (!strcmp(document_text(doc_at(ways, i), "way"), document_text(root, "chosen"))) return doc_at(ways, i);
    return NULL;
}

static double crossing(const doc *way) { return document_count(doc_get(way, "simulated"), "crossing_bytes"); }

static void sentence(const doc *root, FILE *to)
{
    const doc *simulated = doc_get(chosen_of(root), "simulated");
    char text[2][STYLE_TEXT];
    html_element(to, "With rows laid out by ", document_text(root, "chosen"), "");
    fprintf(to, ", %s of what GPUs read from the host cross between sockets per epoch: %s.",
            style_percent(text[0], document_number(simulated, "crossing_share"), 1),
            style_bytes(text[1], document_count(simulated, "crossing_bytes")));
}

static double bar(const doc *root, int number, char name[STYLE_NAME])
{
    const doc *way = doc_at(doc_get(root, "ways"), (uint64_t)number);
    style_cut(name, document_text(way, "way"), 30);
    return crossing(way);
}

static void table(const doc *root, FILE *to)
{
    static const struct html_column columns[] = {{"rows on sockets", NULL, true},
                                                 {"DRAM used", NULL, false},
                                                 {"read", "per epoch", false},
                                                 {"between sockets", "per epoch", false},
                                                 {"share", "of what is read", false},
                                                 {"prediction error", NULL, false},
                                                 {"time", "of the busiest link or DRAM", false},
                                                 {0}};
    const doc *ways = doc_get(root, "ways");
    char text[STYLE_TEXT];
    html_table_begin(to, "The ways to lay rows out on the sockets", columns);
    for (uint64_t i = 0; i < doc_size(ways); i++) {
        const doc *way = doc_at(ways, i), *held = doc_get(way, "held_bytes"), *simulated = doc_get(way, "simulated");
        double bytes = 0;
        for (uint64_t k = 0; k < doc_size(held); k++) bytes += doc_real_value(doc_at(held, k), NAN);
        html_element(to, "<tr><th scope=\"row\">", document_text(way, "way"), "</th>");
        html_cell(to, style_bytes(text, bytes));
        html_cell(to, style_bytes(text, document_count(simulated, "host_bytes")));
        html_cell(to, style_bytes(text, crossing(way)));
        html_cell(to, style_percent(text, document_number(simulated, "crossing_share"), 1));
        html_cell(to, style_percent(text, document_number(way, "prediction_error"), 1));
        html_cell(to, style_seconds(text, document_count(simulated, "seconds")));
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static const struct memory_page answer = {
    .schema = "sockets/",
    .title = "Which socket holds which row",
    .needs = "ways",
    .figure = "Bytes between sockets",
    .column = "bytes between sockets per epoch",
    .caption = "Fewer is better. Counted in held-out epochs; interleave puts pages on the sockets in turn, replicate "
               "holds the hottest rows on all sockets, place puts each row where it is read most.",
    .quantity = QUANTITY_BYTES,
    .bar = bar,
    .sentence = sentence,
    .table = table,
};

static enum st sockets_report(const struct page_request *request, struct err *err)
{
    return memory_page_report(&answer, request, err);
}

extern const struct page_kind page_kind_sockets_page;
const struct page_kind page_kind_sockets_page = {.schema = "sockets/",
                                                 .what = "answers of hotset sockets",
                                                 .name = "sockets",
                                                 .file = "sockets.json",
                                                 .report = sockets_report};
