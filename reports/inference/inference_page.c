/* inference_page.c - the page of plans of inference. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/style.h"
#include "reports/shell/page_kind.h"
#include "reports/tables/tables.h"
#include "reports/formats/document_table.h"

enum { LAYERS_MOST = 64, TRIED_MOST = 4096, GROUPS = 8 };

/* ---- reading ---- */

static enum st inference_page_check(const doc *root, const char *path, struct err *err)
{
    const uint64_t layers = doc_size(doc_get(root, "layers")), choices = doc_size(doc_get(root, "tried"));
    doc *tried;
    const char *order;
    PASS(doc_need_text(root, "order", path, &order, err));
    if (!doc_is_null(doc_get(root, "tried"))) /* a plan that was counted again has none */
        PASS(doc_need_array(root, "tried", path, &tried, err));
    if (layers < 1 || layers > LAYERS_MOST || choices > TRIED_MOST)
        return err_set(err, ST_INPUT,
                       "%s: has %llu layers and %llu choices, expected 1 to %d and at most %d; write the document "
                       "again with hotset plan --job inference",
                       path, (unsigned long long)layers, (unsigned long long)choices, LAYERS_MOST, TRIED_MOST);
    return ST_OK;
}

/* ---- figures ---- */

/* Whether choice x is better than y, which may be NULL. */
static bool better(const doc *x, const doc *y)
{
    double a = document_count(x, "seconds"), b = document_count(y, "seconds");
    if (isnan(a) || isnan(b)) {
        a = document_count(x, "host_bytes") + document_count(x, "ssd_bytes");
        b = document_count(y, "host_bytes") + document_count(y, "ssd_bytes");
    }
    return !isnan(a) && !(a >= b);
}

/* A figure of bytes that move, as groups of bars. */
struct moves {
    const char *what, *title, *below, *caption;
    struct {
        const char *name, *key;
    } bar[4];
};

/* list: a group per object; label: the key of its name, or NULL: its number. */
static enum st moves_draw(struct figures *figures, const struct figure_subject *subject, const struct moves *m,
                          const doc *const *list, int count, const char *label, struct err *err)
{
    static const unsigned colours[] = {0x0B4F8A, 0xB5500A, 0x1B7A4B, 0x6A4FB0};
    OWNED_BY(drawing_release) struct drawing f = {0};
    char name[GROUPS][STYLE_TEXT], text[STYLE_TEXT];
    drawing_panel(&f, NULL, &(struct drawing_axis){.title = m->below, .flags = AXIS_NAMES},
                  &(struct drawing_axis){"bytes of all GPUs", QUANTITY_BYTES, 0, 0, 0});
    for (int i = 0; i < count; i++) {
        if (label) snprintf(name[i], sizeof name[i], "%.24s", document_text(list[i], label));
        else snprintf(name[i], sizeof name[i], "%d", i + 1);
        drawing_tick(&f, AXIS_X, i, name[i]);
    }
    for (int k = 0; k < 4; k++) {
        drawing_bars(&f, m->bar[k].name, colours[k], 0);
        for (int i = 0; i < count; i++) {
            const double v = document_count(list[i], m->bar[k].key);
            drawing_point(&f, i, v, "%s, %s: %s", name[i], m->bar[k].name, style_bytes(text, v));
        }
    }
    drawing_caption(&f, "%s", m->caption);
    return drawing_write(&f, figures, subject, m->what, m->title, err);
}

/* The best choice of every order, in the order of the document. Returns how many. */
static int by_order(const doc *tried, const doc *best[GROUPS])
{
    int n = 0;
    for (uint64_t i = 0; i < doc_size(tried); i++) {
        const doc *x = doc_at(tried, i);
        int k = 0;
        while (k < n && strcmp(document_text(x, "order"), document_text(best[k], "order"))) k++;
        if (k == GROUPS || isnan(document_count(x, "host_bytes"))) continue; /* does not fit */
        if (k == n) best[n++] = NULL;
        if (better(x, best[k])) best[k] = x;
    }
    return n;
}

static enum st figures_write(struct figures *figures, const doc *root, const struct figure_subject *subject,
                             struct err *err)
{
    static const struct moves orders = {.what = "orders",
                                        .title = "Bytes by order of chunks",
                                        .below = "order of the vertices",
                                        .caption = "The best chunk size of each order; all layers together. DRAM, SSDs "
                                                   "and NVLink: read by GPUs.",
                                        .bar = {{"DRAM", "host_bytes"},
                                                {"SSDs", "ssd_bytes"},
                                                {"NVLink", "nvlink_bytes"},
                                                {"written", "written_bytes"}}},
                              layers = {.what = "layers",
                                        .title = "Bytes by layer",
                                        .below = "layer",
                                        .caption = "The chosen plan. Rows of the layer below, read from DRAM and SSDs; "
                                                   "topology; rows that are written.",
                                        .bar = {{"rows, DRAM", "host_bytes"},
                                                {"rows, SSDs", "ssd_row_bytes"},
                                                {"topology", "topology_bytes"},
                                                {"written", "written_bytes"}}};
    const doc *list[GROUPS], *all = doc_get(root, "layers");
    int n = by_order(doc_get(root, "tried"), list);
    if (n > 1) PASS(moves_draw(figures, subject, &orders, list, n, "order", err));
    for (n = 0; n < GROUPS && n < (int)doc_size(all); n++) list[n] = doc_at(all, (uint64_t)n);
    return moves_draw(figures, subject, &layers, list, n, NULL, err);
}

/* ---- the page ---- */

static void answer_write(const doc *root, FILE *to)
{
    const doc *total = doc_get(root, "total"), *memory = doc_get(root, "memory");
    char text[4][STYLE_TEXT];
    html_element(to, "<b>", document_text(root, "order"), "</b>");
    fprintf(to, " is the order to take: one pass reads %s from DRAM and %s from SSDs and takes %s; a GPU needs %s.",
            style_bytes(text[0], document_count(total, "host_bytes")),
            style_bytes(text[1], document_count(total, "ssd_bytes")),
            style_seconds(text[2], document_count(total, "seconds")),
            style_bytes(text[3], document_count(memory, "gpu_peak_bytes")));
}

static void tables_write(const doc *root, FILE *to)
{
    document_table(to, "What was tried; - where it does not fit", doc_get(root, "tried"), NULL, inference_choices);
    document_table(to, "The chosen plan, layer by layer", doc_get(root, "layers"), NULL, inference_layers);
}

extern const struct page_kind page_kind_inference_page;
const struct page_kind page_kind_inference_page = {.schema = "inference/",
                                                   .what = "documents of hotset plan --job inference",
                                                   .name = "inference",
                                                   .title = "Inference over all vertices",
                                                   .exact = "inference/1",
                                                   .needs = "layers",
                                                   .check = inference_page_check,
                                                   .draw = figures_write,
                                                   .sentence = answer_write,
                                                   .table = tables_write};
