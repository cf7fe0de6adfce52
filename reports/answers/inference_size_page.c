/* inference_size_page.c - the page of answers of hotset size --job inference: servers, orders and chunks, how long each
 * takes for all vertices and what it needs (inference-size/1). */
#include <math.h>
#include <string.h>

#include "reports/shell/bars.h"

static const doc *row_of(const doc *root, int number) { return doc_at(doc_get(root, "rows"), (uint64_t)number); }

/* "l4-2, chunks of 300 vertices, order id" */
static void row_name(const doc *row, char out[STYLE_NAME])
{
    char server[STYLE_NAME], order[STYLE_NAME], text[STYLE_TEXT];
    const doc *chunk = doc_get(row, "chunk");
    double limit = document_number(chunk, "limit");
    style_cut(server, document_text(row, "server"), 40);
    style_cut(order, document_text(row, "order"), 20);
    if (limit > 0)
        snprintf(out, STYLE_NAME, "%.60s, %.20s, chunks of %.20s %.20s", server, order, style_count(text, limit),
                 document_text(chunk, "unit"));
    else snprintf(out, STYLE_NAME, "%.60s, %.20s", server, order);
}

static bool fits(const doc *row) { return doc_bool_value(doc_get(row, "fits"), false); }

static void inference_size_page_sentence(const doc *root, FILE *to)
{
    const char *answer = document_text(root, "answer");
    int count = 0, fit = 0;
    for (; row_of(root, count); count++) fit += fits(row_of(root, count));
    html_text(to, *answer ? answer : "None of the servers does what was asked");
    fprintf(to, "; %d of %d ways fit.", fit, count);
}

static void bar(const doc *root, int number, const char *key, struct bar *out)
{
    const doc *row = row_of(root, number);
    if (!row) return;
    row_name(row, out->name);
    out->value = fits(row) ? document_count(row, key) : NAN;
    if (!fits(row)) strcpy(out->says, "does not fit");
}

static void time_bar(const doc *root, int number, struct bar *out) { bar(root, number, "seconds", out); }
static void host_bar(const doc *root, int number, struct bar *out) { bar(root, number, "host_bytes", out); }
static void peak_bar(const doc *root, int number, struct bar *out) { bar(root, number, "gpu_peak_bytes", out); }

static void inference_size_page_table(const doc *root, FILE *to)
{
    static const struct column columns[] = {COLUMN("server", "server", CELL_TEXT),
                                            COLUMN("GPUs", "gpus", CELL_COUNT),
                                            COLUMN("order", "order", CELL_TEXT),
                                            COLUMN("chunk", "chunk.limit", CELL_COUNT),
                                            COLUMN("of", "chunk.unit", CELL_TEXT),
                                            COLUMN("time", "seconds", CELL_SECONDS),
                                            COLUMN("from host", "host_bytes", CELL_BYTES),
                                            COLUMN("from SSDs", "ssd_bytes", CELL_BYTES),
                                            COLUMN("NVLink", "nvlink_bytes", CELL_BYTES),
                                            COLUMN("written", "written_bytes", CELL_BYTES),
                                            {0}};
    static const struct column most[] = {COLUMN("server", "server", CELL_TEXT),
                                         COLUMN("order", "order", CELL_TEXT),
                                         COLUMN("chunk", "chunk.limit", CELL_COUNT),
                                         COLUMN("of a GPU", "gpu_peak_bytes", CELL_BYTES),
                                         COLUMN("of the host", "host_peak_bytes", CELL_BYTES),
                                         COLUMN("of SSDs", "ssd_peak_bytes", CELL_BYTES),
                                         COLUMN("does not fit", "why", CELL_LONG),
                                         {0}};
    document_table(to, "Servers, orders and chunks", doc_get(root, "rows"), NULL, columns);
    document_table(to, "What it holds at most", doc_get(root, "rows"), NULL, most);
}

static void subject(const doc *root, char name[STYLE_NAME])
{
    char graph[STYLE_NAME], model[STYLE_NAME];
    style_cut(graph, document_text(doc_get(root, "graph"), "name"), 60);
    style_cut(model, document_text(doc_get(root, "model"), "name"), 20);
    snprintf(name, STYLE_NAME, "%.80s, %.0f layers of %.30s", graph, document_number(doc_get(root, "model"), "layers"),
             model);
}

static const struct bars figure[] = {{.what = "time",
                                      .title = "How long it takes",
                                      .column = "time for all vertices",
                                      .caption = "Less is better.",
                                      .quantity = QUANTITY_SECONDS,
                                      .bar = time_bar},
                                     {.what = "host",
                                      .title = "What is read from the host",
                                      .column = "bytes from the host",
                                      .caption = "Less is better.",
                                      .quantity = QUANTITY_BYTES,
                                      .bar = host_bar},
                                     {.what = "peak",
                                      .title = "What a GPU holds at most",
                                      .column = "bytes of a GPU",
                                      .caption = "Of the fullest GPU.",
                                      .quantity = QUANTITY_BYTES,
                                      .bar = peak_bar},
                                     {0}};

extern const struct page_kind page_kind_inference_size_page;
const struct page_kind page_kind_inference_size_page = {.schema = "inference-size/",
                                                        .what = "answers of hotset size --job inference",
                                                        .name = "inference-size",
                                                        .title = "What inference over all vertices needs",
                                                        .needs = "rows",
                                                        .figure = figure,
                                                        .sentence = inference_size_page_sentence,
                                                        .table = inference_size_page_table,
                                                        .of = subject};
