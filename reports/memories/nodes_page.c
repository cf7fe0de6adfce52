/* nodes_page.c - the page of nodes/1, answers of hotset nodes of older versions. */
#include <math.h>

#include "reports/shell/bars.h"

static const doc *points_of(const doc *root, uint64_t ranking)
{
    return doc_get(doc_at(doc_get(root, "rankings"), ranking), "points");
}

static void nodes_page_sentence(const doc *root, FILE *to)
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

static void bar(const doc *root, int number, struct bar *out)
{
    const doc *point = doc_at(points_of(root, 0), (uint64_t)number);
    if (point) snprintf(out->name, STYLE_NAME, "%.4g", document_number(point, "alpha"));
    out->value = document_number(point, "remote_bytes");
}

static void nodes_page_table(const doc *root, FILE *to)
{
    static const struct column columns[] =
        {COLUMN("copies ranked by", "^ranking", CELL_TEXT),
         COLUMN("alpha", "alpha", CELL_NUMBER, .unit = "copies in parts of a node's own"),
         COLUMN("memory", "copy_bytes", CELL_BYTES, .unit = "per node"),
         COLUMN("remote rows", "remote_rows", CELL_COUNT, .unit = "per epoch"),
         COLUMN("their bytes", "remote_bytes", CELL_BYTES, .unit = "per epoch"),
         COLUMN("share", "of_gathered", CELL_PERCENT, .unit = "of the rows gathered"),
         COLUMN("busiest node", "busiest_bytes", CELL_BYTES, .unit = "bytes per epoch"),
         COLUMN("network time", "seconds", CELL_SECONDS, .unit = "per epoch"),
         {0}};
    const doc *sharded = doc_get(root, "sharded");
    char text[STYLE_TEXT];
    document_table(to, "Rows that pass the network, by ranking and number of the copies", doc_get(root, "rankings"),
                   "points", columns);
    if (!doc_is_object(sharded)) return;
    fprintf(to, "<p class=\"note\">Striped rows and training vertices at random, for comparison: %s remote rows",
            style_count(text, document_count(sharded, "remote_rows")));
    fprintf(to, ", %s of the rows gathered.</p>\n", style_percent(text, document_number(sharded, "of_gathered"), 1));
}

static const struct bars figure[] = {{.what = "bars",
                                      .title = "Bytes over the network by copies",
                                      .column = "bytes of remote rows per epoch, by replication factor alpha",
                                      .caption = "Fewer is better. Copies by the first ranking; alpha 1 copies as much "
                                                 "as a node owns. Counted in held-out epochs.",
                                      .quantity = QUANTITY_BYTES,
                                      .bar = bar},
                                     {0}};

extern const struct page_kind page_kind_nodes_page;
const struct page_kind page_kind_nodes_page = {.schema = "nodes/",
                                               .what = "answers of hotset nodes",
                                               .name = "nodes",
                                               .file = "nodes.json",
                                               .title = "What passes the network between nodes",
                                               .needs = "rankings",
                                               .figure = figure,
                                               .sentence = nodes_page_sentence,
                                               .table = nodes_page_table};
