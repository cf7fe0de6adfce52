#include "reports/comparison/comparison.h"

#include <math.h>
#include <string.h>
#include "reports/formats/csv.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/formats/document_table.h"

static const char *label_of(const doc *table) { return doc_text_value(doc_get(table, "label"), "?"); }

/* "topology of", "features of", .. */
static const char *kind_of(const doc *table)
{
    const char *kind = doc_text_value(doc_get(table, "kind"), "");
    return !strcmp(kind, "topology") ? "topology" : !strcmp(kind, "feature") ? "features" : "edge features";
}

/* The entry of a row for the type or relation of `as`; NULL: none. */
static const doc *same_table(const doc *tables, const doc *as)
{
    for (uint64_t i = 0; i < doc_size(tables); i++)
        if (!strcmp(label_of(doc_at(tables, i)), label_of(as)) && !strcmp(kind_of(doc_at(tables, i)), kind_of(as)))
            return doc_at(tables, i);
    return NULL;
}

static void cell_write(FILE *to, const doc *table)
{
    char hits[STYLE_TEXT], held[STYLE_TEXT], count[STYLE_TEXT];
    double transactions = document_number(table, "transactions");
    if (isnan(transactions)) transactions = document_number(table, "predicted_transactions");
    if (!table) {
        fputs("<td class=\"off soft\">not run</td>", to);
        return;
    }
    fprintf(to, "<td>%s<br><span class=\"soft\">%s</span><br>%s</td>",
            style_percent(hits, document_number(table, "hit_rate"), 1),
            style_bytes(held, document_number(table, "held_bytes")), style_count(count, transactions));
}

void type_tables_write(FILE *to, const struct grid *grid)
{
    const doc *tables = NULL;
    char budget[GRID_BUDGET_TEXT], name[STYLE_NAME];
    for (int p = 0; p < grid->policy_count && !tables; p++)
        if (grid_row(grid, p, grid->middle)) tables = grid_row(grid, p, grid->middle)->tables;
    if (!tables) return;
    html_element(to, "<div class=\"scroll\"><table>\n<caption>By type and relation at a budget of ",
                 grid_budget_text(grid, grid->middle, budget),
                 ": hit rate, bytes that all GPUs hold together, transactions per epoch.</caption>\n<thead><tr><th "
                 "scope=\"col\">rows</th>");
    for (int p = 0; p < grid->policy_count; p++)
        html_element(to, "<th scope=\"col\">", style_cut(name, grid->label[p], 60), "</th>");
    fputs("</tr></thead>\n<tbody>\n", to);
    for (uint64_t i = 0; i < doc_size(tables); i++) {
        const doc *table = doc_at(tables, i);
        fprintf(to, "<tr><th scope=\"row\">%s of ", kind_of(table));
        html_text(to, style_cut(name, label_of(table), 80));
        fputs("</th>", to);
        for (int p = 0; p < grid->policy_count; p++) {
            const struct result_row *r = grid_row(grid, p, grid->middle);
            cell_write(to, r ? same_table(r->tables, table) : NULL);
        }
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

static const char *rows_of(const struct column_row *r, char out[COLUMN_TEXT])
{
    char name[STYLE_NAME];
    snprintf(out, COLUMN_TEXT, "%s of %s", kind_of(r->row), style_cut(name, label_of(r->row), 80));
    return out;
}

void type_tables_plan_write(FILE *to, const struct grid *grid)
{
    static const struct column columns[] = {COLUMN("rows", NULL, CELL_FORM, .text = rows_of),
                                            COLUMN("in all", "rows", CELL_COUNT),
                                            COLUMN("held", "held_rows", CELL_COUNT),
                                            COLUMN("bytes held", "held_bytes", CELL_BYTES),
                                            COLUMN("hit rate", "hit_rate", CELL_PERCENT),
                                            COLUMN("transactions", "transactions|predicted_transactions", CELL_COUNT),
                                            COLUMN("nothing cached", "uncached_transactions", CELL_COUNT),
                                            {0}};
    const struct result_row *r = grid->cell[0][0];
    if (!r || r->status != ROW_OK || !r->tables) return;
    document_table(to,
                   "By type and relation: rows, rows and bytes that all GPUs hold together (copies count each), hit "
                   "rate, and transactions per epoch (predicted where nothing was simulated).",
                   r->tables, NULL, columns);
}

bool type_tables_any(const struct result_rows *rows)
{
    bool any = false;
    for (uint64_t i = 0; i < rows->count; i++) any |= rows->list[i].tables != NULL;
    return any;
}

void type_tables_csv_write(FILE *to, const struct result_rows *rows)
{
    static const char *const names[] = {"document",        "row",  "graph",           "server", "policy",
                                        "budget as given", "kind", "type or relation"};
    static const struct {
        const char *name, *key;
    } numbers[] = {{"rows", "rows"},
                   {"held rows [all GPUs]", "held_rows"},
                   {"held bytes [all GPUs]", "held_bytes"},
                   {"hit rate [share of reads, 0..1]", "hit_rate"},
                   {"predicted [transactions per epoch]", "predicted_transactions"},
                   {"simulated [transactions per epoch]", "transactions"},
                   {"uncached [transactions per epoch]", "uncached_transactions"}};
    struct csv c = {to, 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) csv_text(&c, names[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) csv_text(&c, numbers[i].name);
    csv_end(&c);
    for (uint64_t i = 0; i < rows->count; i++) {
        const struct result_row *r = &rows->list[i];
        for (uint64_t k = 0; k < doc_size(r->tables); k++) {
            csv_text(&c, rows->sources[r->source].name);
            csv_number(&c, (double)r->number);
            csv_text(&c, r->graph);
            csv_text(&c, r->server);
            csv_text(&c, r->policy);
            csv_text(&c, r->budget);
            csv_text(&c, kind_of(doc_at(r->tables, k)));
            csv_text(&c, label_of(doc_at(r->tables, k)));
            for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
                csv_number(&c, document_number(doc_at(r->tables, k), numbers[j].key));
            csv_end(&c);
        }
    }
}
