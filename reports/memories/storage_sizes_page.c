/* storage_sizes_page.c - the page of answers of hotset storage of several sizes of host memory (storage-sizes/1). */
#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static void storage_sizes_page_sentence(const doc *root, FILE *to)
{
    const doc *found = doc_get(root, "answer");
    char text[2][STYLE_TEXT];
    fprintf(to, "%s of host memory keeps an epoch within %s of what it takes with everything in DRAM.",
            doc_is_object(found) ? style_bytes(text[0], document_count(found, "host_memory_bytes"))
                                 : "None of the sizes",
            style_percent(text[1], document_number(root, "within"), 0));
}

static void bar(const doc *root, int number, struct bar *out)
{
    const doc *size = doc_at(doc_get(root, "sizes"), (uint64_t)number);
    char text[STYLE_TEXT];
    if (size) style_cut(out->name, style_bytes(text, document_count(size, "host_memory_bytes")), 30);
    out->value = document_count(size, "ssd_bytes");
}

static void storage_sizes_page_table(const doc *root, FILE *to)
{
    document_table(to, "Sizes of host memory, with the SSDs below it", doc_get(root, "sizes"), "drives",
                   storage_sizes_columns);
}

static const struct bars figure[] = {{.what = "bars",
                                      .title = "Bytes read from SSDs by host memory",
                                      .column = "bytes read from SSDs per epoch",
                                      .caption = "Fewer is better. Blocks that GPUs read, in held-out epochs; the plan "
                                                 "of the GPUs is the same throughout.",
                                      .quantity = QUANTITY_BYTES,
                                      .bar = bar},
                                     {0}};

extern const struct page_kind page_kind_storage_sizes_page;
const struct page_kind page_kind_storage_sizes_page = {.schema = "storage-sizes/",
                                                       .what = "answers of hotset storage of several sizes",
                                                       .name = "storage-sizes",
                                                       .file = "storage.json",
                                                       .title = "How much host memory is enough above SSDs",
                                                       .needs = "sizes",
                                                       .figure = figure,
                                                       .sentence = storage_sizes_page_sentence,
                                                       .table = storage_sizes_page_table};
