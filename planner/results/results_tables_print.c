/* results_tables_print.c - a comparison table of rows by table of rows (declared in results_tables.h). */
#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/results_tables.h"
#include "planner/results/table_values.h"
#include "reports/results/results_answer.h"

enum { COLUMNS_MOST = 64 };

static const struct {
    const char *title, *key;
} figures[] = {{"hit rate", "hit_rate"},
               {"held by all GPUs", "held_bytes"},
               {"transactions", "transactions"},
               {"mean error of what GPUs serve rounded", "expected_error"}};
enum { ERRORS = 3 };

static void add_value(struct table *t, size_t figure, const doc *table)
{
    const doc *value = doc_get(table, figures[figure].key);
    if (figure == 0) table_percent(t, doc_real_value(value, NAN));
    else if (figure == 1) table_bytes(t, value);
    else if (figure == ERRORS) table_percent(t, doc_number(value, "mean"));
    else table_count(t, value ? value : doc_get(table, "predicted_transactions"));
}

/* rows[from..until): of one server and budget. */
static void figure_print(const doc *rows, uint64_t from, uint64_t until, size_t figure, FILE *to)
{
    const char *headers[COLUMNS_MOST + 3] = {"rows", "kind"};
    char name[COLUMNS_MOST][64];
    uint64_t count = until - from < COLUMNS_MOST ? until - from : COLUMNS_MOST;
    const doc *tables = NULL;
    for (uint64_t i = 0; i < count; i++) {
        snprintf(name[i], sizeof name[i], ">%.60s", doc_text_value(doc_get(doc_at(rows, from + i), "policy"), "?"));
        headers[2 + i] = name[i];
        if (!tables) tables = doc_get(doc_at(rows, from + i), "tables");
    }
    struct table *t = table_new(headers);
    for (uint64_t k = 0; k < doc_size(tables); k++) {
        if (figure == ERRORS && !doc_is_object(doc_get(doc_at(tables, k), "expected_error"))) continue;
        table_add(t, "%s", doc_text_value(doc_get(doc_at(tables, k), "label"), "?"));
        table_add(t, "%s", doc_text_value(doc_get(doc_at(tables, k), "kind"), "?"));
        for (uint64_t i = 0; i < count; i++) add_value(t, figure, doc_at(doc_get(doc_at(rows, from + i), "tables"), k));
    }
    terminal_print(to, "\n%s, %s per %s on %s\n", figures[figure].title,
                   doc_text_value(doc_get(doc_at(rows, from), "budget"), "?"),
                   strcmp(doc_text_value(doc_get(doc_at(rows, from), "budget_per"), "gpu"), "gpu") ? "clique" : "GPU",
                   doc_text_value(doc_get(doc_at(rows, from), "server"), "?"));
    table_show(t, to);
}

/* Whether rows[from..until) state errors. */
static bool measured(const doc *rows, uint64_t from, uint64_t until)
{
    bool any = false;
    for (uint64_t i = from; i < until; i++) any |= doc_is_object(doc_get(doc_at(rows, i), "expected_error"));
    return any;
}

/* Rows whose plans hold elements that are beyond the cached type: such rows are in no mean. */
static void overflows_print(const doc *rows, FILE *to)
{
    char count[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        const doc *row = doc_at(rows, i);
        double reads = doc_real_value(doc_get(doc_get(row, "expected_error"), "overflowed_reads"), 0);
        if (reads >= 0.5)
            terminal_print(to, "%s at %s: %s reads per epoch get rows that overflow; they are not in the error\n",
                           doc_text_value(doc_get(row, "policy"), "?"), doc_text_value(doc_get(row, "budget"), "?"),
                           units_count(count, (uint64_t)(reads + 0.5)));
    }
}

void results_tables_print(const doc *rows, FILE *to)
{
    for (uint64_t i = 0, end; i < doc_size(rows); i = end) {
        for (end = i + 1; end < doc_size(rows) && results_same_group(doc_at(rows, i), doc_at(rows, end));) end++;
        size_t count = measured(rows, i, end) ? ERRORS + 1 : ERRORS;
        for (size_t f = 0; f < count; f++) figure_print(rows, i, end, f, to);
    }
    overflows_print(rows, to);
}
