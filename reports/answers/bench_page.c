/* bench_page.c - the page of hotset bench: how much of this machine's memory speed each operation reaches. */
#include <math.h>

#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static const doc *row_of(const doc *root, int number) { return doc_at(doc_get(root, "rows"), (uint64_t)number); }

static void subject(const doc *root, char name[STYLE_NAME])
{
    const doc *machine = doc_get(root, "machine");
    style_cut(name, document_text(machine, "cpu"), 60);
}

/* The row of least share; NULL: none has one. */
static const doc *least_of(const doc *root)
{
    const doc *least = NULL;
    for (int i = 0; row_of(root, i); i++) {
        double share = document_count(row_of(root, i), "share_of_limit");
        if (share >= 0 && !(least && document_number(least, "share_of_limit") <= share)) least = row_of(root, i);
    }
    return least;
}

static void bench_page_sentence(const doc *root, FILE *to)
{
    const doc *machine = doc_get(root, "machine"), *least = least_of(root);
    int whole = 0, count = 0;
    char text[2][STYLE_TEXT];
    for (; row_of(root, count); count++) whole += document_number(row_of(root, count), "share_of_limit") >= 0.5;
    fprintf(to, "%d of %d operations reach half of what memory allows on %s threads of ", whole, count,
            style_count(text[0], document_count(machine, "threads")));
    html_text(to, document_text(machine, "cpu"));
    if (least) {
        html_element(to, "; the least is ", document_text(least, "name"), "");
        fprintf(to, " with %s", style_percent(text[1], document_number(least, "share_of_limit"), 1));
    }
    fputs(".", to);
}

static void bench_page_table(const doc *root, FILE *to)
{
    static const struct column loads[] = {COLUMN("from an array of", "span_bytes", CELL_BYTES),
                                          COLUMN("random loads", "loads_per_second", CELL_COUNT, .unit = "per second"),
                                          {0}};
    const doc *limits = doc_get(root, "limits");
    char text[2][STYLE_TEXT];
    document_table(to, "Operations and stages", doc_get(root, "rows"), NULL, bench_columns);
    document_table(to, "Random loads of 4 bytes", doc_get(limits, "gathers"), NULL, loads);
    fprintf(to, "<p class=\"note\">Memory streams %s GB/s when read and %s GB/s as a triad.</p>\n",
            style_form(text[0], "%.3g", document_number(limits, "read_gbps")),
            style_form(text[1], "%.3g", document_number(limits, "triad_gbps")));
}

static const struct bars figure[] = {{.what = "share",
                                      .title = "Share of the limit",
                                      .column = "share of what memory allows",
                                      .caption = "More is better. The limit is the time that the least possible "
                                                 "streamed bytes and random loads take at the rates measured here; a "
                                                 "share above 100 % means that skew keeps the data in cache.",
                                      .quantity = QUANTITY_RATE,
                                      .rows = "rows",
                                      .name = "name",
                                      .value = "share_of_limit"},
                                     {0}};

extern const struct page_kind page_kind_bench_page;
const struct page_kind page_kind_bench_page = {.schema = "bench/",
                                               .what = "timings of hotset bench",
                                               .name = "bench",
                                               .title = "How fast this machine is, against its memory",
                                               .needs = "rows",
                                               .figure = figure,
                                               .sentence = bench_page_sentence,
                                               .table = bench_page_table,
                                               .of = subject};
