/* storage_page.c - the page of answers of hotset storage of one size of host memory (storage/1). */
#include <math.h>
#include <string.h>

#include "reports/shell/bars.h"

static const char *const from[3][2] = {{"GPUs", "from_gpus"}, {"DRAM", "from_dram"}, {"SSDs", "from_ssd"}};

static const doc *features(const doc *root) { return doc_get(doc_get(root, "simulated"), "feature"); }

static void storage_page_sentence(const doc *root, FILE *to)
{
    const doc *epoch = doc_get(doc_get(root, "simulated"), "epoch");
    double with = document_count(epoch, "seconds"), without = document_count(epoch, "without_ssd_seconds");
    char text[3][STYLE_TEXT];
    fprintf(to, "With %s of host memory, DRAM serves %s of the feature rows that no GPU holds",
            style_bytes(text[0], document_count(root, "host_memory_bytes")),
            style_percent(text[1], document_number(features(root), "dram_hit_rate"), 1));
    if (without > 0 && with >= 2 * without)
        fprintf(to, ", and an epoch takes %.3g times as long as with everything in DRAM", with / without);
    else if (without > 0 && with >= without)
        fprintf(to, ", and an epoch takes %s longer than with everything in DRAM",
                style_percent(text[2], with / without - 1, 1));
    fputs(".", to);
}

static void bar(const doc *root, int number, struct bar *out)
{
    if (number >= 3) return;
    style_cut(out->name, from[number][0], 60);
    out->value = document_count(features(root), from[number][1]);
}

static void storage_page_table(const doc *root, FILE *to)
{
    static const struct column columns[] = {COLUMN("GPU", "id", CELL_COUNT),
                                            COLUMN("feature rows", "feature.rows", CELL_COUNT),
                                            COLUMN("from GPUs", "feature.from_gpus", CELL_COUNT),
                                            COLUMN("from DRAM", "feature.from_dram", CELL_COUNT),
                                            COLUMN("from SSDs", "feature.from_ssd", CELL_COUNT),
                                            COLUMN("DRAM hits", "feature.dram_hit_rate", CELL_PERCENT,
                                                   .unit = "of what no GPU holds"),
                                            {0}};
    document_table(to, "Where each GPU's feature rows come from, per held-out epoch",
                   doc_get(doc_get(root, "simulated"), "gpus"), NULL, columns);
}

static const struct bars figure[] = {{.what = "bars",
                                      .title = "Feature rows by the memory they come from",
                                      .column = "feature rows per held-out epoch",
                                      .caption = "Rows that GPUs hold never reach the host; DRAM holds the rows that "
                                                 "save most SSD reads per byte; the others are read from SSDs.",
                                      .quantity = QUANTITY_COUNT,
                                      .bar = bar},
                                     {0}};

extern const struct page_kind page_kind_storage_page;
const struct page_kind page_kind_storage_page = {.schema = "storage/",
                                                 .what = "answers of hotset storage",
                                                 .name = "storage",
                                                 .file = "storage.json",
                                                 .title = "What host memory holds above SSDs",
                                                 .figure = figure,
                                                 .sentence = storage_page_sentence,
                                                 .table = storage_page_table};
