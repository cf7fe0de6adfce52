/* comparison_tables.c - the tables of a grid; see comparison.h. */
#include "reports/comparison/comparison.h"

#include <math.h>
#include <string.h>
#include "reports/formats/html.h"
#include "reports/results/results_answer.h"

enum { COLUMNS_MAX = 8 }; /* budgets side by side */

static void policy_cell(FILE *to, const char *policy, const char *label)
{
    char name[STYLE_NAME];
    fputs("<th scope=\"row\">", to);
    html_key(to, style_look(policy).colour);
    html_element(to, "", style_cut(name, label, 60), "");
    fputs("</th>", to);
}

/* Whether tables set families apart: with few policies it would only cut them up. */
static int families_of(const struct grid *grid, enum family out[FAMILIES])
{
    enum { FEW = 6 };
    int n = grid_families(grid, out);
    return grid->policy_count > FEW && n > 1 ? n : 0;
}

/* One row per policy in the order of the grid, family after family under the family's name where there are many. */
static void rows_by_family(FILE *to, const struct grid *grid, int columns,
                           void (*row)(FILE *to, const struct grid *grid, int policy, const void *with),
                           const void *with)
{
    enum family family[FAMILIES];
    int n = families_of(grid, family);
    for (int i = 0; i < (n ? n : 1); i++) {
        fputs("<tbody>\n", to);
        if (n)
            fprintf(to, "<tr class=\"family\"><th scope=\"rowgroup\" colspan=\"%d\">%s</th></tr>\n", columns,
                    style_family(family[i]));
        for (int p = 0; p < grid->policy_count; p++)
            if (!n || style_look(grid->policies[p]).family == family[i]) row(to, grid, p, with);
        fputs("</tbody>\n", to);
    }
    fputs("</table></div>\n", to);
}

/* Says in `columns` cells' place why a row has no numbers. */
static void status_cell(FILE *to, const struct result_row *r, int columns)
{
    fputs(r ? "<td class=\"off" : "<td class=\"off soft", to);
    if (columns > 1) fprintf(to, " left\" colspan=\"%d", columns);
    fprintf(to, "\">%s</td>",
            !r                             ? "not run"
            : r->status == ROW_OOM         ? "out of memory"
            : r->status == ROW_UNSUPPORTED ? "unsupported"
                                           : "no number");
}

static void total_cell(FILE *to, const struct grid *grid, int policy, int budget)
{
    const struct result_row *r = grid->cell[policy][budget];
    char text[STYLE_TEXT];
    bool best;
    if (!r || r->status != ROW_OK || isnan(row_total(r))) {
        status_cell(to, r, 1);
        return;
    }
    best = row_total(r) <= grid_least(grid, budget) && !style_is_yardstick(grid->policies[policy]);
    fprintf(to, "<td%s>%s%s</td>", best ? " class=\"best\"" : "", style_count(text, row_total(r)),
            isnan(r->simulated.total) ? " <span class=\"soft\">p</span>" : "");
}

static void percent_cell(FILE *to, double share, bool sign)
{
    char text[STYLE_TEXT];
    fprintf(to, "<td>%s%s</td>", sign && share >= 0.0005 ? "+" : "", style_percent(text, share, 1));
}

static void error_cell(FILE *to, const struct grid *grid, int policy, const struct result_row *r)
{
    if (style_is_yardstick(grid->policies[policy])) fputs("<td class=\"soft\">not held out</td>", to);
    else percent_cell(to, row_error(r), true);
}

static bool any_predicted(const struct grid *grid)
{
    for (int p = 0; p < grid->policy_count; p++)
        for (int b = 0; b < grid->budget_count; b++)
            if (grid_row(grid, p, b) && isnan(grid_row(grid, p, b)->simulated.total) &&
                !isnan(grid_row(grid, p, b)->predicted.total))
                return true;
    return false;
}

/* Budgets from..until-1 side by side. */
struct columns {
    int from, until;
};

static void totals_row(FILE *to, const struct grid *grid, int policy, const void *with)
{
    const struct columns *c = with;
    fputs("<tr>", to);
    policy_cell(to, grid->policies[policy], grid->label[policy]);
    for (int b = c->from; b < c->until; b++) total_cell(to, grid, policy, b);
    fputs("</tr>\n", to);
}

static void totals_head(FILE *to, const struct grid *grid, const struct columns *c)
{
    struct html_column columns[COLUMNS_MAX + 2] = {{.name = "policy"}};
    char bytes[COLUMNS_MAX][STYLE_TEXT];
    int n = 1;
    for (int b = c->from; b < c->until; b++, n++) {
        const struct grid_budget *budget = &grid->budgets[b];
        columns[n] = (struct html_column){.name = budget->label};
        if (budget->text && !isnan(budget->bytes)) columns[n].unit = style_bytes(bytes[b - c->from], budget->bytes);
    }
    html_table_head(to, columns);
}

static void totals_write(FILE *to, const struct grid *grid, const struct columns *c)
{
    char text[STYLE_TEXT], least[STYLE_TEXT];
    const int values = c->until - c->from;
    fprintf(to,
            "<div class=\"scroll\"><table class=\"grid\" style=\"--columns:%d\">\n<caption>PCIe transactions per epoch "
            "by policy and cache budget (in small type: bytes per GPU). Fewer is better; the fewest at each budget are "
            "marked.",
            values);
    if (any_predicted(grid)) fputs(" p: predicted, not simulated.", to);
    if (grid->uncached > grid->uncached_least)
        fprintf(to, " With nothing cached: %s to %s, depending on which GPUs sample and which train.",
                style_count(least, grid->uncached_least), style_count(text, grid->uncached));
    else if (!isnan(grid->uncached)) fprintf(to, " With nothing cached: %s.", style_count(text, grid->uncached));
    fputs("</caption>\n", to);
    totals_head(to, grid, c);
    rows_by_family(to, grid, 1 + values, totals_row, c);
}

static void count_cell(FILE *to, double v)
{
    char text[STYLE_TEXT];
    fprintf(to, "<td>%s</td>", style_count(text, v));
}

/* What is to be known of a row beside its numbers, as the terminal says it. */
static void note_cell(FILE *to, const struct grid *grid, int budget, const struct result_row *r)
{
    const doc *rows[GRID_POLICIES_MAX], *best = NULL;
    uint64_t count = 0;
    for (int p = 0; p < grid->policy_count; p++)
        if (grid->cell[p][budget]) rows[count++] = grid->cell[p][budget]->object;
    results_sort(rows, count);
    best = results_best(rows, count);
    fprintf(to, "<td class=\"left\">%s</td>", results_note(r->object, best));
}

static void details_row(FILE *to, const struct grid *grid, int policy, const void *number)
{
    const int budget = *(const int *)number;
    const struct result_row *r = grid->cell[policy][budget];
    double least = grid_least(grid, budget);
    char time[STYLE_TEXT];
    fputs("<tr>", to);
    policy_cell(to, grid->policies[policy], grid->label[policy]);
    if (!r || r->status != ROW_OK) {
        status_cell(to, r, 9);
        fputs("</tr>\n", to);
        return;
    }
    fprintf(to, "<td>%s</td>", isfinite(r->epoch_seconds) ? style_seconds(time, r->epoch_seconds) : "-");
    total_cell(to, grid, policy, budget);
    if (isnan(r->low) || !(row_total(r) > 0)) fputs("<td>-</td>", to);
    else fprintf(to, "<td>&plusmn;%.2g %%</td>", 50 * (r->high - r->low) / row_total(r));
    percent_cell(to, least > 0 ? row_total(r) / least - 1 : NAN, true);
    percent_cell(to, row_feature_hit(r), false);
    percent_cell(to, row_topology_hit(r), false);
    error_cell(to, grid, policy, r);
    count_cell(to, r->max_socket);
    note_cell(to, grid, budget, r);
    fputs("</tr>\n", to);
}

static void details_at(FILE *to, const struct grid *grid, int number, bool slides)
{
    static const struct html_column columns[] = {{.name = "policy"},
                                                 {"epoch", "time", false},
                                                 {"transactions", "per epoch", false},
                                                 {"interval", "of transactions", false},
                                                 {"above the fewest", "in transactions", false},
                                                 {"feature hits", "of feature rows", false},
                                                 {"topology hits", "of topology visits", false},
                                                 {"prediction error", "of the total", false},
                                                 {"busiest socket", "per epoch", false},
                                                 {"note", NULL, true},
                                                 {0}};
    char budget[GRID_BUDGET_TEXT];
    fputs("<div class=\"scroll\"", to);
    if (slides) html_element(to, " data-budget=\"", grid->budgets[number].label, "\"");
    fputs(number == grid->middle ? ">" : " hidden>", to);
    html_element(to, "<table>\n<caption>Details at a budget of ", grid_budget_text(grid, number, budget),
                 ".</caption>\n");
    html_table_head(to, columns);
    rows_by_family(to, grid, 10, details_row, &number);
}

/* Of the middle budget; the slider of the page's script, which knows one table of budgets, shows those of others. */
static void details_write(FILE *to, const struct grid *grid)
{
    const bool all = grid->budget_count <= COLUMNS_MAX;
    for (int b = 0; b < grid->budget_count; b++)
        if (all || b == grid->middle) details_at(to, grid, b, all);
}

/* ---- what gave no numbers ---- */

static const char *reason_of(const struct result_row *r)
{
    return r->reason ? r->reason : "the document states no reason";
}

/* Reasons differ by the bytes that a budget has. A policy has one line per status, with its budgets and the reasons of
 * the first and the last of them, which is the nearest to fitting. began: whether the table was. */
static void status_row(FILE *to, const struct grid *grid, int policy, enum row_status status, bool *began)
{
    static const struct html_column columns[] = {{.name = "policy"},
                                                 {"budgets", NULL, true},
                                                 {"status", NULL, true},
                                                 {"reason", NULL, true},
                                                 {0}};
    const struct result_row *const *cell = grid->cell[policy];
    char name[STYLE_NAME];
    int first = -1, last = -1;
    bool differ = false;
    for (int b = 0; b < grid->budget_count; b++) {
        if (!cell[b] || cell[b]->status != status) continue;
        if (first < 0) first = b;
        differ |= strcmp(reason_of(cell[b]), reason_of(cell[first])) != 0;
        last = b;
    }
    if (first < 0) return;
    if (!*began) fputs("<h3>Runs without numbers</h3>\n", to);
    if (!*began) html_table_begin(to, NULL, columns);
    *began = true;
    fputs("<tr>", to);
    policy_cell(to, cell[first]->policy, style_policy(name, cell[first]->policy));
    fputs("<td class=\"left\">", to);
    for (int b = first; b <= last; b++)
        if (cell[b] && cell[b]->status == status) html_element(to, b > first ? ", " : "", grid->budgets[b].label, "");
    fprintf(to, "</td><td class=\"left off\">%s</td><td class=\"long\">",
            status == ROW_OOM ? "out of memory" : "unsupported");
    if (differ) html_element(to, "at ", grid->budgets[first].label, ": ");
    html_text(to, reason_of(cell[first]));
    if (differ) html_element(to, "; at ", grid->budgets[last].label, ": ");
    if (differ) html_text(to, reason_of(cell[last]));
    fputs("</td></tr>\n", to);
}

static void statuses_write(FILE *to, const struct grid *grid)
{
    bool began = false;
    for (int p = 0; p < grid->policy_count; p++)
        for (enum row_status status = ROW_OOM; status <= ROW_UNSUPPORTED; status++)
            status_row(to, grid, p, status, &began);
    if (began) html_table_end(to);
}

static void all_totals_write(FILE *to, const struct grid *grid)
{
    for (int b = 0; b < grid->budget_count; b += COLUMNS_MAX)
        totals_write(to, grid,
                     &(struct columns){b, b + COLUMNS_MAX < grid->budget_count ? b + COLUMNS_MAX : grid->budget_count});
}

void comparison_tables_write(FILE *to, const struct grid *grid)
{
    all_totals_write(to, grid);
    details_write(to, grid);
    type_tables_write(to, grid);
    statuses_write(to, grid);
}

void comparison_overview_write(FILE *to, const struct grid *grid)
{
    all_totals_write(to, grid);
    details_write(to, grid);
    statuses_write(to, grid);
}
