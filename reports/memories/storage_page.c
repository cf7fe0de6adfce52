/* storage_page.c - the page of answers of hotset storage: one size of host memory (storage/1), or several
 * (storage-sizes/1). */
#include <math.h>
#include <string.h>

#include "reports/formats/document.h"
#include "reports/memories/memory_bars.h"

/* ---- one size ---- */

static const char *const from[3][2] = {{"GPUs", "from_gpus"}, {"DRAM", "from_dram"}, {"SSDs", "from_ssd"}};

static const doc *features(const doc *root) { return doc_get(doc_get(root, "simulated"), "feature"); }

static void one_sentence(const doc *root, FILE *to)
{
    const doc *epoch = doc_get(doc_get(root, "simulated"), "epoch");
    double with = document_count(epoch, "seconds"), without = document_count(epoch, "without_ssd_seconds");
    char text[3][STYLE_TEXT];
    fprintf(to, "With %s of host memory, DRAM serves %s of the feature rows that no GPU holds",
            style_bytes(text[0], document_count(root, "host_memory_bytes")),
            style_percent(text[1], document_number(features(root), "dram_hit_rate"), 1));
    if (without > 0 && with >= without)
        fprintf(to, ", and an epoch takes %s longer than with everything in DRAM",
                style_percent(text[2], with / without - 1, 1));
    fputs(".", to);
}

static double one_bar(const doc *root, int number, char name[STYLE_NAME])
{
    if (number >= 3) return NAN;
    style_cut(name, from[number][0], 30);
    return document_count(features(root), from[number][1]);
}

static void one_table(const doc *root, FILE *to)
{
    static const struct html_column columns[] = {{"GPU", NULL, true},
                                                 {"feature rows", NULL, false},
                                                 {"from GPUs", NULL, false},
                                                 {"from DRAM", NULL, false},
                                                 {"from SSDs", NULL, false},
                                                 {"DRAM hits", "of what no GPU holds", false},
                                                 {0}};
    const doc *gpus = doc_get(doc_get(root, "simulated"), "gpus");
    char text[STYLE_TEXT];
    html_table_begin(to, "Where each GPU's feature rows come from, over the held-out epochs", columns);
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        const doc *f = doc_get(doc_at(gpus, i), "feature");
        html_element(to, "<tr><th scope=\"row\">", style_count(text, document_count(doc_at(gpus, i), "id")), "</th>");
        html_cell(to, style_count(text, document_count(f, "rows")));
        for (int k = 0; k < 3; k++) html_cell(to, style_count(text, document_count(f, from[k][1])));
        html_cell(to, style_percent(text, document_number(f, "dram_hit_rate"), 1));
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static const struct memory_page one = {
    .schema = "storage/",
    .title = "What host memory holds above SSDs",
    .figure = "Feature rows by the memory they come from",
    .column = "feature rows over the held-out epochs",
    .caption = "Rows that GPUs hold never reach the host; DRAM holds the rows that save most SSD reads per byte; the "
               "others are read from SSDs.",
    .quantity = QUANTITY_COUNT,
    .bar = one_bar,
    .sentence = one_sentence,
    .table = one_table,
};

/* ---- several ---- */

static const doc *size_of(const doc *root, int number) { return doc_at(doc_get(root, "sizes"), (uint64_t)number); }

static void many_sentence(const doc *root, FILE *to)
{
    const doc *found = doc_get(root, "answer");
    char text[2][STYLE_TEXT];
    fprintf(to, "%s of host memory keeps an epoch within %s of what it takes with everything in DRAM.",
            doc_is_object(found) ? style_bytes(text[0], document_count(found, "host_memory_bytes"))
                                 : "None of the sizes",
            style_percent(text[1], document_number(root, "within"), 0));
}

static double many_bar(const doc *root, int number, char name[STYLE_NAME])
{
    const doc *size = size_of(root, number);
    char text[STYLE_TEXT];
    if (size) style_cut(name, style_bytes(text, document_count(size, "host_memory_bytes")), 30);
    return document_count(size, "ssd_bytes");
}

static void many_table(const doc *root, FILE *to)
{
    static const struct html_column columns[] = {{"host memory", NULL, true},
                                                 {"of all data", NULL, false},
                                                 {"DRAM hits", "of what no GPU holds", false},
                                                 {"blocks", "per epoch", false},
                                                 {"SSDs", NULL, true},
                                                 {"SSD time", "per epoch", false},
                                                 {"epoch", NULL, false},
                                                 {"longer", "than with all in DRAM", false},
                                                 {0}};
    char text[STYLE_TEXT], drives[STYLE_NAME];
    html_table_begin(to, "Sizes of host memory, with the SSDs below it", columns);
    for (int i = 0; size_of(root, i); i++) {
        const doc *size = size_of(root, i), *list = doc_get(size, "drives");
        for (uint64_t k = 0; k < doc_size(list); k++) {
            const doc *d = doc_at(list, k);
            html_element(to, "<tr><th scope=\"row\">", style_bytes(text, document_count(size, "host_memory_bytes")),
                         "</th>");
            html_cell(to, style_percent(text, document_number(size, "share"), 1));
            html_cell(to, style_percent(text, document_number(size, "dram_hit_rate"), 1));
            html_cell(to, style_count(text, document_count(size, "blocks")));
            snprintf(drives, sizeof drives, "%s x %.60s", style_count(text, document_count(d, "drives")),
                     document_text(d, "name"));
            html_element(to, "<td class=\"left\">", drives, "</td>");
            html_cell(to, style_seconds(text, document_count(d, "ssd_seconds")));
            html_cell(to, style_seconds(text, document_count(d, "epoch_seconds")));
            html_cell(to, style_percent(text, document_number(d, "slower"), 1));
            fputs("</tr>\n", to);
        }
    }
    html_table_end(to);
}

static const struct memory_page many = {
    .schema = "storage-sizes/",
    .title = "How much host memory is enough above SSDs",
    .needs = "sizes",
    .figure = "Bytes read from SSDs by host memory",
    .column = "bytes read from SSDs per epoch",
    .caption = "Fewer is better. Blocks that GPUs read, in held-out epochs; the plan of the GPUs is the same "
               "throughout.",
    .quantity = QUANTITY_BYTES,
    .bar = many_bar,
    .sentence = many_sentence,
    .table = many_table,
};

static enum st storage_report(const struct page_request *request, struct err *err)
{
    doc *first = NULL;
    enum st st;
    TRY(doc_load(request->inputs[0], NULL, &first, err));
    bool several = !strcmp(document_text(first, "schema"), "storage-sizes/1");
    TRY(memory_page_report(several ? &many : &one, request, err));
done:
    doc_free(first);
    return st;
}

extern const struct page_kind page_kind_storage_page;
const struct page_kind page_kind_storage_page = {.schema = "storage",
                                                 .what = "answers of hotset storage",
                                                 .name = "storage",
                                                 .file = "storage.json",
                                                 .report = storage_report};
