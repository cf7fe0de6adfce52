/* diff_page.c - the page of answers of hotset diff: what changed per GPU. */
#include <math.h>

#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static const char *const kinds[] = {"feature", "topology"};

static const doc *gpu_of(const doc *root, int number) { return doc_at(doc_get(root, "gpus"), (uint64_t)number); }

/* Bytes of one kind of change in all rows that a GPU caches; NaN where some are not known. */
static double bytes_of(const doc *gpu, const char *change)
{
    double sum = 0;
    for (int k = 0; k < 2; k++) sum += document_count(doc_get(doc_get(gpu, kinds[k]), change), "bytes");
    return sum;
}

static double loaded(const doc *gpu) { return bytes_of(gpu, "added") + bytes_of(gpu, "moved_in"); }

static void diff_page_sentence(const doc *root, FILE *to)
{
    const doc *from = doc_get(root, "before"), *into = doc_get(root, "after");
    const doc *total = doc_get(doc_get(root, "simulated"), "total_transactions");
    double bytes = 0, change = document_number(total, "change");
    char text[4][STYLE_TEXT];
    for (int i = 0; gpu_of(root, i); i++) bytes += loaded(gpu_of(root, i));
    html_element(to, "From ", document_text(from, "path"), " (");
    html_element(to, "", document_text(from, "policy"), ") to ");
    html_element(to, "", document_text(into, "path"), " (");
    html_element(to, "", document_text(into, "policy"), ") GPUs load ");
    fputs(isnan(bytes) ? "rows whose bytes are not known" : style_bytes(text[0], bytes), to);
    if (!isnan(change))
        fprintf(to, ", and an epoch reads the host in %s %s transactions: %s instead of %s",
                style_percent(text[1], fabs(change), 1), change > 0 ? "more" : "fewer",
                style_count(text[2], document_count(total, "after")),
                style_count(text[3], document_count(total, "before")));
    fputs(".", to);
}

static void bar(const doc *root, int number, struct bar *out)
{
    char id[STYLE_TEXT];
    const doc *gpu = gpu_of(root, number / 3);
    if (!gpu) return;
    snprintf(out->name, sizeof out->name, "GPU %s", style_form(id, "%.0f", document_number(gpu, "id")));
    out->value = number % 3 == 0   ? bytes_of(gpu, "kept")
                 : number % 3 == 1 ? loaded(gpu)
                                   : bytes_of(gpu, "removed") + bytes_of(gpu, "moved_out");
}

static void pair_row(FILE *to, const char *name, const doc *pair, bool rate)
{
    char text[STYLE_TEXT];
    double before = document_number(pair, "before"), after = document_number(pair, "after");
    html_element(to, "<tr><th scope=\"row\">", name, "</th>");
    html_cell(to, rate ? style_percent(text, before, 1) : style_count(text, before));
    html_cell(to, rate ? style_percent(text, after, 1) : style_count(text, after));
    html_cell(to, style_percent(text, rate ? after - before : before > 0 ? after / before - 1 : NAN, 1));
    fputs("</tr>\n", to);
}

/* What both plans read, predicted or simulated; of several types, each table. */
static void judged(const doc *root, const char *how, FILE *to)
{
    static const struct {
        const char *name, *key;
        bool rate;
    } lines[] = {{"all transactions", "total_transactions", false},
                 {"topology transactions", "topology_transactions", false},
                 {"feature transactions", "feature_transactions", false},
                 {"topology hit rate", "topology_hit_rate", true},
                 {"feature hit rate", "feature_hit_rate", true}};
    const doc *of = doc_get(root, how), *tables = doc_get(of, "tables");
    struct html_column columns[] = {{how, "per epoch", true},
                                    {"before", NULL, false},
                                    {"after", NULL, false},
                                    {"change", NULL, false},
                                    {0}};
    char name[STYLE_NAME], line[STYLE_NAME + 16];
    if (!doc_is_object(of)) return;
    html_table_begin(to, "What both plans read", columns);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (doc_is_number(doc_get(doc_get(of, lines[i].key), "after")))
            pair_row(to, lines[i].name, doc_get(of, lines[i].key), lines[i].rate);
    for (uint64_t t = 0; t < doc_size(tables); t++) {
        snprintf(line, sizeof line, "%s: hits", document_rows_name(name, doc_at(tables, t)));
        pair_row(to, line, doc_get(doc_at(tables, t), "hit_rate"), true);
        pair_row(to, name, doc_get(doc_at(tables, t), "transactions"), false);
    }
    html_table_end(to);
}

static void diff_page_table(const doc *root, FILE *to)
{
    static const struct column alpha[] = {COLUMN("clique of GPUs", "gpus", CELL_LIST),
                                          COLUMN("alpha before", "alpha_before", CELL_PERCENT,
                                                 .unit = "share of the cache for topology"),
                                          COLUMN("alpha after", "alpha_after", CELL_PERCENT),
                                          {0}};
    const doc *gpus = doc_get(root, "gpus");
    judged(root, "simulated", to);
    judged(root, "predicted", to);
    if (doc_get(doc_at(gpus, 0), "tables"))
        document_table(to, "Rows of each type and relation", gpus, "tables", diff_types);
    document_table(to, "Feature rows", gpus, NULL, diff_features);
    document_table(to, "Topology rows", gpus, NULL, diff_topology);
    document_table(to, "Training vertices", gpus, NULL, diff_train);
    if (doc_is_number(doc_get(doc_at(doc_get(root, "cliques"), 0), "alpha_before")))
        document_table(to, "How caches are split", doc_get(root, "cliques"), NULL, alpha);
}

static void subject(const doc *root, char name[STYLE_NAME])
{
    char path[2][STYLE_NAME];
    snprintf(name, STYLE_NAME, "%.90s to %.90s", style_cut(path[0], document_text(doc_get(root, "before"), "path"), 28),
             style_cut(path[1], document_text(doc_get(root, "after"), "path"), 28));
}

static const struct bars figure[] = {{.what = "moves",
                                      .title = "What each GPU keeps, loads and drops",
                                      .column = "bytes of feature and topology rows",
                                      .caption = "Loaded rows are new on the GPU or come from another one, over NVLink "
                                                 "where there is a link.",
                                      .quantity = QUANTITY_BYTES,
                                      .series = {"kept", "loaded", "dropped"},
                                      .bar = bar},
                                     {0}};

extern const struct page_kind page_kind_diff_page;
const struct page_kind page_kind_diff_page = {.schema = "diff/",
                                              .what = "answers of hotset diff",
                                              .name = "diff",
                                              .title = "What changes from one plan to the other",
                                              .needs = "gpus",
                                              .figure = figure,
                                              .sentence = diff_page_sentence,
                                              .table = diff_page_table,
                                              .of = subject};
