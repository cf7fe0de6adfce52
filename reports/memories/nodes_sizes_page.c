/* nodes_sizes_page.c - the page of nodes-sizes/1, which hotset nodes of older versions answered for several numbers of
 * nodes or networks. */
#include <math.h>

#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static const struct column nodes_sizes_page_columns[] =
    {COLUMN("nodes", "^nodes", CELL_COUNT, .flags = COLUMN_ONCE),
     COLUMN("GB/s", "^nic_gbps", CELL_NUMBER, .form = "%g", .page = "network", .unit = "GB/s of a node",
            .flags = COLUMN_ONCE),
     COLUMN("alpha", "alpha", CELL_NUMBER, .form = "%g", .unit = "copies in parts of a node's own"),
     COLUMN("memory per node", "memory_bytes", CELL_BYTES, .page = "memory", .unit = "of a node"),
     COLUMN("remote rows", "remote_rows", CELL_COUNT, .unit = "per epoch"),
     COLUMN("network time", "network_seconds", CELL_SECONDS, .page = "network", .unit = "per epoch"),
     COLUMN("epoch", "epoch_seconds", CELL_SECONDS),
     COLUMN("slower", "slower", CELL_PERCENT, .form = "%+.1f %%", .page = "longer", .unit = "than without a network"),
     {0}};

static const doc *size_of(const doc *root, int number) { return doc_at(doc_get(root, "sizes"), (uint64_t)number); }

/* "2 nodes, 12.5 GB/s" */
static void size_name(const doc *size, char out[STYLE_NAME])
{
    double nodes = document_number(size, "nodes"), nic = document_number(size, "nic_gbps");
    snprintf(out, STYLE_NAME, isnan(nic) ? "%.0f node%s" : "%.0f node%s, %.4g GB/s", nodes, nodes == 1 ? "" : "s", nic);
}

static void nodes_sizes_page_sentence(const doc *root, FILE *to)
{
    const doc *found = doc_get(root, "answer");
    char name[STYLE_NAME], text[STYLE_TEXT];
    if (!doc_is_object(found)) {
        fputs("None of the sizes meets what was asked.", to);
        return;
    }
    size_name(found, name);
    html_element(to, "", name, "");
    fprintf(to, ", alpha %.4g: a node needs %s", document_number(found, "alpha"),
            style_bytes(text, document_count(found, "memory_bytes")));
    if (document_count(found, "epoch_seconds") >= 0)
        fprintf(to, ", and an epoch takes %s", style_seconds(text, document_count(found, "epoch_seconds")));
    if (document_number(found, "slower") > 0)
        fprintf(to, ", %s longer than without a network", style_percent(text, document_number(found, "slower"), 1));
    fputs(".", to);
}

/* From the most copies to none. */
static void range_bar(const doc *root, int number, const char *key, struct bar *out)
{
    const doc *size = size_of(root, number), *points = doc_get(size, "points");
    if (!size) return;
    size_name(size, out->name);
    out->from = out->value = document_count(doc_at(points, 0), key);
    for (uint64_t i = 1; i < doc_size(points); i++) {
        double v = document_count(doc_at(points, i), key);
        out->from = fmin(out->from, v);
        out->value = fmax(out->value, v);
    }
}

static void epoch_bar(const doc *root, int number, struct bar *out) { range_bar(root, number, "epoch_seconds", out); }

static void network_bar(const doc *root, int number, struct bar *out)
{
    range_bar(root, number, "network_seconds", out);
}

static void rows_bar(const doc *root, int number, struct bar *out) { range_bar(root, number, "remote_rows", out); }

static void nodes_sizes_page_table(const doc *root, FILE *to)
{
    document_table(to, "Numbers of nodes, networks and copies", doc_get(root, "sizes"), "points",
                   nodes_sizes_page_columns);
}

#define RANGE                                                                                                          \
    "From the most copies of other nodes' rows that were tried (left end) to none (right end). Fewer is better."
static const struct bars figure[] = {{.what = "epoch",
                                      .title = "Epoch time by nodes and network",
                                      .column = "epoch time",
                                      .caption = RANGE,
                                      .quantity = QUANTITY_SECONDS,
                                      .bar = epoch_bar},
                                     {.what = "network",
                                      .title = "Time of the busiest network link",
                                      .column = "network time per epoch",
                                      .caption = RANGE,
                                      .quantity = QUANTITY_SECONDS,
                                      .bar = network_bar},
                                     {.what = "rows",
                                      .title = "Rows that pass the network",
                                      .column = "remote rows per epoch",
                                      .caption = RANGE,
                                      .quantity = QUANTITY_COUNT,
                                      .bar = rows_bar},
                                     {0}};

extern const struct page_kind page_kind_nodes_sizes_page;
const struct page_kind page_kind_nodes_sizes_page = {.schema = "nodes-sizes/",
                                                     .what = "answers of hotset nodes of several sizes",
                                                     .name = "nodes-sizes",
                                                     .title = "How many nodes, and which network",
                                                     .needs = "sizes",
                                                     .figure = figure,
                                                     .sentence = nodes_sizes_page_sentence,
                                                     .table = nodes_sizes_page_table};
