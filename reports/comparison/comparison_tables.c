/* comparison_tables.c - the tables of a scene; see page.h. */
#include <math.h>
#include <string.h>
#include "reports/formats/html.h"
#include "reports/comparison/comparison_page.h"

enum { COLUMNS_MAX = 8 }; /* budgets side by side */

static void policy_cell(FILE *to, const char *policy)
{
    char name[STYLE_NAME];
    fprintf(to, "<th scope=\"row\"><i class=\"key\" style=\"background:#%06X\"></i>", style_look(policy).colour);
    html_text(to, style_cut(name, policy, 60));
    fputs("</th>", to);
}

/* Whether tables set families apart: with few policies it would only cut them up. */
static int families_of(const struct grid *s, enum family out[FAMILIES])
{
    enum { FEW = 6 };
    int n = grid_families(s, out);
    return s->policy_count > FEW && n > 1 ? n : 0;
}

/* One row per policy in the order of the scene, family after family under the family's name where there are many. */
static void rows_by_family(FILE *to, const struct grid *s, int columns,
                           void (*row)(FILE *to, const struct grid *s, int policy, const void *with), const void *with)
{
    enum family family[FAMILIES];
    int n = families_of(s, family);
    for (int i = 0; i < (n ? n : 1); i++) {
        fputs("<tbody>\n", to);
        if (n)
            fprintf(to, "<tr class=\"family\"><th scope=\"rowgroup\" colspan=\"%d\">%s</th></tr>\n", columns,
                    style_family(family[i]));
        for (int p = 0; p < s->policy_count; p++)
            if (!n || style_look(s->policies[p]).family == family[i]) row(to, s, p, with);
        fputs("</tbody>\n", to);
    }
    fputs("</table></div>\n", to);
}

/* The fewest transactions at a budget among policies that can be had; NaN when none has a number. */
static double least_at(const struct grid *s, int budget)
{
    double least = NAN;
    for (int p = 0; p < s->policy_count; p++) {
        const struct row *r = grid_row(s, p, budget);
        if (r && !style_is_yardstick(s->policies[p]) && !isnan(rows_total(r)))
            least = isnan(least) ? rows_total(r) : fmin(least, rows_total(r));
    }
    return least;
}

static void status_cell(FILE *to, const struct row *r, const char *more)
{
    fprintf(to, "<td class=\"%s%s>%s</td>", r ? "off" : "off soft", more,
            !r                             ? "not run"
            : r->status == ROW_OOM         ? "out of memory"
            : r->status == ROW_UNSUPPORTED ? "unsupported"
                                           : "no number");
}

static void total_cell(FILE *to, const struct grid *s, int policy, int budget)
{
    const struct row *r = s->cell[policy][budget];
    char text[STYLE_TEXT];
    bool best;
    if (!r || r->status != ROW_OK || isnan(rows_total(r))) {
        status_cell(to, r, "\"");
        return;
    }
    best = rows_total(r) <= least_at(s, budget) && !style_is_yardstick(s->policies[policy]);
    fprintf(to, "<td%s>%s%s</td>", best ? " class=\"best\"" : "", style_count(text, rows_total(r)),
            isnan(r->simulated.total) ? " <span class=\"soft\">p</span>" : "");
}

static void budget_head(FILE *to, const struct budget *b)
{
    char text[STYLE_TEXT];
    fputs("<th scope=\"col\">", to);
    html_text(to, b->label);
    if (b->text && !isnan(b->bytes)) fprintf(to, "<span>%s</span>", style_bytes(text, b->bytes));
    fputs("</th>", to);
}

static bool any_predicted(const struct grid *s)
{
    for (int p = 0; p < s->policy_count; p++)
        for (int b = 0; b < s->budget_count; b++)
            if (grid_row(s, p, b) && isnan(grid_row(s, p, b)->simulated.total) &&
                !isnan(grid_row(s, p, b)->predicted.total))
                return true;
    return false;
}

/* Budgets from..until-1 side by side. */
struct columns {
    int from, until;
};

static void totals_row(FILE *to, const struct grid *s, int policy, const void *with)
{
    const struct columns *c = with;
    fputs("<tr>", to);
    policy_cell(to, s->policies[policy]);
    for (int b = c->from; b < c->until; b++) total_cell(to, s, policy, b);
    fputs("</tr>\n", to);
}

static void totals_write(FILE *to, const struct grid *s, int from, int until)
{
    char text[STYLE_TEXT], least[STYLE_TEXT];
    fputs("<div class=\"scroll\"><table class=\"grid\">\n<caption>PCIe transactions per epoch by policy and cache "
          "budget (below it: bytes per GPU). "
          "Fewer is better; the fewest per budget "
          "are marked.",
          to);
    if (any_predicted(s)) fputs(" p: predicted, not simulated.", to);
    if (s->uncached > s->uncached_least)
        fprintf(to, " With nothing cached: %s to %s, by who samples and who trains what.",
                style_count(least, s->uncached_least), style_count(text, s->uncached));
    else if (!isnan(s->uncached)) fprintf(to, " With nothing cached: %s.", style_count(text, s->uncached));
    fputs("</caption>\n<thead><tr><th scope=\"col\">policy</th>", to);
    for (int b = from; b < until; b++) budget_head(to, &s->budgets[b]);
    fputs("</tr></thead>\n", to);
    rows_by_family(to, s, 1 + until - from, totals_row, &(struct columns){from, until});
}

static void percent_cell(FILE *to, double share, bool sign)
{
    char text[STYLE_TEXT];
    fprintf(to, "<td>%s%s</td>", sign && share >= 0.0005 ? "+" : "", style_percent(text, share, 1));
}

static void count_cell(FILE *to, double v)
{
    char text[STYLE_TEXT];
    fprintf(to, "<td>%s</td>", style_count(text, v));
}

static void details_row(FILE *to, const struct grid *s, int policy, const void *unused)
{
    (void)unused;
    const struct row *r = s->cell[policy][s->middle];
    double least = least_at(s, s->middle);
    char low[STYLE_TEXT], high[STYLE_TEXT];
    fputs("<tr>", to);
    policy_cell(to, s->policies[policy]);
    if (!r || r->status != ROW_OK) {
        status_cell(to, r, " left\" colspan=\"7\"");
        fputs("</tr>\n", to);
        return;
    }
    total_cell(to, s, policy, s->middle);
    if (isnan(r->low)) fputs("<td>-</td>", to);
    else fprintf(to, "<td>%s to %s</td>", style_count(low, r->low), style_count(high, r->high));
    percent_cell(to, least > 0 ? rows_total(r) / least - 1 : NAN, true);
    percent_cell(to, rows_feature_hit(r), false);
    percent_cell(to, rows_topology_hit(r), false);
    if (style_is_yardstick(s->policies[policy])) fputs("<td class=\"soft\">not held out</td>", to);
    else percent_cell(to, rows_error(r), true);
    count_cell(to, r->max_socket);
    fputs("</tr>\n", to);
}

static void details_write(FILE *to, const struct grid *s)
{
    char budget[160];
    fputs("<div class=\"scroll\"><table>\n<caption>In detail at a budget of ", to);
    html_text(to, figures_budget(s, s->middle, budget));
    fputs(".</caption>\n<thead><tr><th scope=\"col\">policy</th><th scope=\"col\">transactions<span>per "
          "epoch</span></th><th "
          "scope=\"col\">interval<span>per epoch</span></th>"
          "<th scope=\"col\">over the fewest<span>in transactions</span></th><th scope=\"col\">feature hits<span>of "
          "feature rows</span></th><th "
          "scope=\"col\">topology hits<span>of topology "
          "visits</span></th><th scope=\"col\">prediction error<span>of the total</span></th><th scope=\"col\">busiest "
          "socket<span>transactions per "
          "epoch</span></th></tr></thead>\n",
          to);
    rows_by_family(to, s, 8, details_row, NULL);
}

/* ---- what gave no numbers ---- */

static const char *reason_of(const struct row *r) { return r->reason ? r->reason : "no reason was given"; }

/* The row of a policy at a budget that has no numbers for a stated cause; NULL otherwise. */
static const struct row *row_without(const struct grid *s, int policy, int budget)
{
    const struct row *r = s->cell[policy][budget];
    return r && r->status != ROW_OK ? r : NULL;
}

/* Reasons differ by the bytes that a budget has. A policy has one line, with its budgets and the reasons of the first
 * and the last of them. */
static void status_row(FILE *to, const struct grid *s, int policy, int first)
{
    const struct row *r = row_without(s, policy, first);
    int more = 0;
    fputs("<tr>", to);
    policy_cell(to, r->policy);
    fputs("<td class=\"left\">", to);
    for (int b = first; b < s->budget_count; b++) {
        const struct row *other = row_without(s, policy, b);
        if (!other || other->status != r->status) continue;
        if (b > first) fputs(", ", to);
        html_text(to, s->budgets[b].label);
        more += b > first && strcmp(reason_of(other), reason_of(r));
    }
    fprintf(to, "</td><td class=\"left off\">%s</td><td class=\"long\">",
            r->status == ROW_OOM ? "out of memory" : "unsupported");
    if (more) {
        fputs("at ", to);
        html_text(to, s->budgets[first].label);
        fputs(": ", to);
    }
    html_text(to, reason_of(r));
    for (int b = first + 1; b < s->budget_count && more; b++) { /* the last one is the nearest to fitting */
        const struct row *last = row_without(s, policy, b);
        bool later = false;
        for (int k = b + 1; k < s->budget_count; k++)
            later |= row_without(s, policy, k) && row_without(s, policy, k)->status == r->status;
        if (!last || last->status != r->status || later) continue;
        fputs("; at ", to);
        html_text(to, s->budgets[b].label);
        fputs(": ", to);
        html_text(to, reason_of(last));
    }
    fputs("</td></tr>\n", to);
}

/* One line per policy and status, with the first reason and the last. */
static void statuses_write(FILE *to, const struct grid *s)
{
    bool began = false;
    for (int p = 0; p < s->policy_count; p++)
        for (int b = 0; b < s->budget_count; b++) {
            const struct row *r = row_without(s, p, b);
            bool told = false;
            for (int k = 0; k < b; k++) told |= r && row_without(s, p, k) && row_without(s, p, k)->status == r->status;
            if (!r || told) continue;
            if (!began)
                fputs("<h3>Runs without numbers</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th "
                      "scope=\"col\">policy</th><th scope=\"col\" class=\"left\">budgets</th>"
                      "<th scope=\"col\" class=\"left\">status</th><th scope=\"col\" "
                      "class=\"left\">reason</th></tr></thead>\n<tbody>\n",
                      to);
            began = true;
            status_row(to, s, p, b);
        }
    if (began) fputs("</tbody></table></div>\n", to);
}

void tables_write(const struct page *p, const struct grid *grid)
{
    for (int b = 0; b < grid->budget_count; b += COLUMNS_MAX)
        totals_write(p->to, grid, b, b + COLUMNS_MAX < grid->budget_count ? b + COLUMNS_MAX : grid->budget_count);
    details_write(p->to, grid);
    statuses_write(p->to, grid);
}
