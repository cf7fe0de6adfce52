/* sockets_page.c - the page of answers of hotset sockets. */
#include <string.h>

#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static const doc *chosen_of(const doc *root)
{
    const doc *ways = doc_get(root, "ways");
    for (uint64_t i = 0; i < doc_size(ways); i++)
        if (!strcmp(document_text(doc_at(ways, i), "way"), document_text(root, "chosen"))) return doc_at(ways, i);
    return NULL;
}

static void sockets_page_sentence(const doc *root, FILE *to)
{
    const doc *simulated = doc_get(chosen_of(root), "simulated");
    char text[2][STYLE_TEXT];
    html_element(to, "With rows laid out by ", document_text(root, "chosen"), "");
    fprintf(to, ", %s of what GPUs read from the host cross between sockets per epoch: %s.",
            style_percent(text[0], document_number(simulated, "crossing_share"), 1),
            style_bytes(text[1], document_count(simulated, "crossing_bytes")));
}

static void sockets_page_table(const doc *root, FILE *to)
{
    document_table(to, "The ways to lay rows out on the sockets", doc_get(root, "ways"), NULL, memories_socket_ways);
}

static const struct bars figure[] = {{.what = "bars",
                                      .title = "Bytes between sockets",
                                      .column = "bytes between sockets per epoch",
                                      .caption = "Fewer is better. Counted in held-out epochs; interleave puts pages "
                                                 "on the sockets in turn, replicate holds the hottest rows on all "
                                                 "sockets, place puts each row where it is read most.",
                                      .quantity = QUANTITY_BYTES,
                                      .rows = "ways",
                                      .name = "way",
                                      .value = "simulated.crossing_bytes"},
                                     {0}};

extern const struct page_kind page_kind_sockets_page;
const struct page_kind page_kind_sockets_page = {.schema = "sockets/",
                                                 .what = "answers of hotset sockets",
                                                 .name = "sockets",
                                                 .file = "sockets.json",
                                                 .title = "Which socket holds which row",
                                                 .needs = "ways",
                                                 .figure = figure,
                                                 .sentence = sockets_page_sentence,
                                                 .table = sockets_page_table};
