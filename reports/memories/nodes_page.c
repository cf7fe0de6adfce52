/* nodes_page.c - the page of answers of hotset nodes. */
#include <math.h>

#include "reports/formats/document.h"
#include "reports/memories/memory_bars.h"

static const doc *points_of(const doc *root, uint64_t ranking)
{
    return doc_get(doc_at(doc_get(root, "rankings"), ranking), "points");
}

static void sentence(const doc *root, FILE *to)
{
    const doc *points = points_of(root, 0), *first = doc_at(points, 0);
    char text[4][STYLE_TEXT];
    fprintf(to, "Without copies, %s of the rows that %s nodes gather per epoch come over the network",
            style_percent(text[0], document_number(first, "of_gathered"), 1),
            style_count(text[1], document_count(root, "nodes")));
    if (doc_size(points) > 1) {
        const doc *last = doc_at(points, doc_size(points) - 1);
        fprintf(to, "; %s of copies in each leave %s", style_bytes(text[2], document_count(last, "copy_bytes")),
                style_percent(text[3], document_number(last, "of_gathered"), 1));
    }
    fputs(".", to);
}

static double bar(const doc *root, int number, char name[STYLE_NAME])
{
    const doc *point = doc_at(points_of(root, 0), (uint64_t)number);
    if (point) snprintf(name, STYLE_NAME, "%.4g", document_number(point, "alpha"));
    return document_count(point, "remote_rows");
}

static void table(const doc *root, FILE *to)
{
    static const struct html_column columns[] = {{"copies ranked by", NULL, true},
                                                 {"alpha", "copies in parts of vertices / nodes", false},
                                                 {"memory", "per node", false},
                                                 {"remote rows", "per epoch", false},
                                                 {"share", "of the rows gathered", false},
                                                 {"busiest node", "bytes per epoch", false},
                                                 {"network time", "per epoch", false},
                                                 {0}};
    const doc *rankings = doc_get(root, "rankings"), *sharded = doc_get(root, "sharded");
    char text[STYLE_TEXT];
    html_table_begin(to, "Rows that pass the network, by ranking and number of the copies", columns);
    for (uint64_t r = 0; r < doc_size(rankings); r++)
        for (uint64_t i = 0; i < doc_size(points_of(root, r)); i++) {
            const doc *p = doc_at(points_of(root, r), i);
            html_element(to, "<tr><th scope=\"row\">", document_text(doc_at(rankings, r), "ranking"), "</th>");
            snprintf(text, sizeof text, "%.4g", document_number(p, "alpha"));
            html_cell(to, text);
            html_cell(to, style_bytes(text, document_count(p, "copy_bytes")));
            html_cell(to, style_count(text, document_count(p, "remote_rows")));
            html_cell(to, style_percent(text, document_number(p, "of_gathered"), 1));
            html_cell(to, style_bytes(text, document_count(p, "busiest_bytes")));
            html_cell(to, style_seconds(text, document_count(p, "seconds")));
            fputs("</tr>\n", to);
        }
    html_table_end(to);
    if (!doc_is_object(sharded)) return;
    fprintf(to, "<p class=\"note\">Striped rows and training vertices at random, for comparison: %s remote rows",
            style_count(text, document_count(sharded, "remote_rows")));
    fprintf(to, ", %s of the rows gathered.</p>\n", style_percent(text, document_number(sharded, "of_gathered"), 1));
}

static const struct memory_page answer = {
    .schema = "nodes/",
    .title = "What passes the network between nodes",
    .needs = "rankings",
    .figure = "Remote rows by copies",
    .column = "remote rows per epoch, by replication factor alpha",
    .caption = "Fewer is better. Copies by the first ranking; alpha 1 copies as many rows as a node owns. Counted in "
               "held-out epochs.",
    .quantity = QUANTITY_COUNT,
    .bar = bar,
    .sentence = sentence,
    .table = table,
};

static enum st nodes_report(const struct page_request *request, struct err *err)
{
    return memory_page_report(&answer, request, err);
}

extern const struct page_kind page_kind_nodes_page;
const struct page_kind page_kind_nodes_page = {.schema = "nodes/",
                                               .what = "answers of hotset nodes",
                                               .name = "nodes",
                                               .file = "nodes.json",
                                               .report = nodes_report};
