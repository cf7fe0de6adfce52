/* tables.c - the tables of a scene; see page.h. */
#include <math.h>
#include "reports/formats/html.h"
#include "reports/page.h"

enum { COLUMNS_MAX = 8 }; /* budgets side by side */

static void policy_cell(FILE *to, const char *policy)
{
    char name[STYLE_NAME];
    fprintf(to, "<th scope=\"row\"><i class=\"key\" style=\"background:#%06X\"></i>", style_look(policy).colour);
    html_text(to, style_cut(name, policy, 60));
    fputs("</th>", to);
}

/* The fewest transactions at a budget among policies that can be had; NaN when none has a number. */
static double least_at(const struct scene *s, int budget)
{
    double least = NAN;
    for (int p = 0; p < s->policy_count; p++) {
        const struct row *r = scene_row(s, p, budget);
        if (r && !style_is_yardstick(s->policies[p]) && !isnan(rows_total(r))) least = isnan(least) ? rows_total(r) : fmin(least, rows_total(r));
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

static void total_cell(FILE *to, const struct scene *s, int policy, int budget)
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

static bool any_predicted(const struct scene *s)
{
    for (int p = 0; p < s->policy_count; p++)
        for (int b = 0; b < s->budget_count; b++)
            if (scene_row(s, p, b) && isnan(scene_row(s, p, b)->simulated.total) && !isnan(scene_row(s, p, b)->predicted.total)) return true;
    return false;
}

/* Budgets from..to-1 side by side. */
static void totals_write(FILE *to, const struct scene *s, int from, int until)
{
    char text[STYLE_TEXT], least[STYLE_TEXT];
    fputs("<div class=\"scroll\"><table class=\"grid\">\n<caption>PCIe transactions per epoch by policy and cache budget (below it: bytes per GPU). "
          "Fewer is better; the fewest per budget "
          "are marked.",
          to);
    if (any_predicted(s)) fputs(" p: predicted, not simulated.", to);
    if (s->uncached > s->uncached_least)
        fprintf(to, " With nothing cached: %s to %s, by who samples and who trains what.", style_count(least, s->uncached_least), style_count(text, s->uncached));
    else if (!isnan(s->uncached)) fprintf(to, " With nothing cached: %s.", style_count(text, s->uncached));
    fputs("</caption>\n<thead><tr><th scope=\"col\">policy</th>", to);
    for (int b = from; b < until; b++) budget_head(to, &s->budgets[b]);
    fputs("</tr></thead>\n<tbody>\n", to);
    for (int p = 0; p < s->policy_count; p++) {
        fputs("<tr>", to);
        policy_cell(to, s->policies[p]);
        for (int b = from; b < until; b++) total_cell(to, s, p, b);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
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

static void details_row(FILE *to, const struct scene *s, int policy)
{
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

static void details_write(FILE *to, const struct scene *s)
{
    char budget[160];
    fputs("<div class=\"scroll\"><table>\n<caption>In detail at a budget of ", to);
    html_text(to, studio_budget(s, s->middle, budget));
    fputs(".</caption>\n<thead><tr><th scope=\"col\">policy</th><th scope=\"col\">transactions<span>per epoch</span></th><th "
          "scope=\"col\">interval<span>per epoch</span></th>"
          "<th scope=\"col\">over the fewest<span>in transactions</span></th><th scope=\"col\">feature hits<span>of feature rows</span></th><th "
          "scope=\"col\">topology hits<span>of topology "
          "visits</span></th><th scope=\"col\">prediction error<span>of the total</span></th><th scope=\"col\">busiest socket<span>transactions per "
          "epoch</span></th></tr></thead>\n<tbody>\n",
          to);
    for (int p = 0; p < s->policy_count; p++) details_row(to, s, p);
    fputs("</tbody></table></div>\n", to);
}

/* What gave no numbers, each with its reason. */
static void statuses_write(const struct page *page, const struct scene *s)
{
    FILE *to = page->to;
    bool began = false;
    for (uint64_t i = 0; i < page->rows->count; i++) {
        const struct row *r = &page->rows->list[i];
        int p = 0, b = 0;
        bool mine = false;
        if (r->status == ROW_OK) continue;
        for (p = 0; p < s->policy_count && !mine; p++)
            for (b = 0; b < s->budget_count && !mine; b++) mine = s->cell[p][b] == r;
        if (!mine) continue;
        if (!began)
            fputs("<h3>Runs without numbers</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">policy</th><th scope=\"col\" "
                  "class=\"left\">budget</th><th scope=\"col\" "
                  "class=\"left\">status</th><th scope=\"col\" class=\"left\">reason</th></tr></thead>\n<tbody>\n",
                  to);
        began = true;
        fputs("<tr>", to);
        policy_cell(to, r->policy);
        fputs("<td class=\"left\">", to);
        html_text(to, s->budgets[b - 1].label);
        fprintf(to, "</td><td class=\"left off\">%s</td><td class=\"long\">", r->status == ROW_OOM ? "out of memory" : "unsupported");
        html_text(to, r->reason ? r->reason : "no reason was given");
        fputs("</td></tr>\n", to);
    }
    if (began) fputs("</tbody></table></div>\n", to);
}

void tables_write(const struct page *p, const struct scene *scene)
{
    for (int b = 0; b < scene->budget_count; b += COLUMNS_MAX)
        totals_write(p->to, scene, b, b + COLUMNS_MAX < scene->budget_count ? b + COLUMNS_MAX : scene->budget_count);
    details_write(p->to, scene);
    statuses_write(p, scene);
}
