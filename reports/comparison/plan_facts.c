/* plan_facts.c - the numbers of one plan, each with what it is of; see comparison.h. */
#include "reports/comparison/comparison.h"

#include <math.h>
#include "base/text.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"

static void fact(FILE *to, const char *name, const char *unit, const char *value)
{
    html_element(to, "<tr><th scope=\"row\">", name, "");
    if (*unit) html_element(to, " <small>", unit, "</small>");
    html_element(to, "</th><td class=\"long\">", value, "</td></tr>\n");
}

static void share_fact(FILE *to, const char *name, const char *unit, double share)
{
    char text[STYLE_TEXT];
    if (!isnan(share)) fact(to, name, unit, style_percent(text, share, 1));
}

static void count_fact(FILE *to, const char *name, const char *unit, double v)
{
    char text[STYLE_TEXT];
    if (!isnan(v)) fact(to, name, unit, style_count(text, v));
}

static void total_fact(FILE *to, const struct result_row *r)
{
    char total[STYLE_TEXT], low[STYLE_TEXT], high[STYLE_TEXT], text[4 * STYLE_TEXT];
    if (isnan(r->simulated.total)) return;
    style_count(total, r->simulated.total);
    if (isnan(r->low)) snprintf(text, sizeof text, "%s", total);
    else
        snprintf(text, sizeof text, "%s (interval %s to %s)", total, style_count(low, r->low),
                 style_count(high, r->high));
    fact(to, "PCIe transactions", "per epoch, simulated", text);
}

static void prediction_fact(FILE *to, const struct result_row *r)
{
    char total[STYLE_TEXT], error[STYLE_TEXT], text[3 * STYLE_TEXT];
    if (isnan(r->predicted.total)) return;
    style_count(total, r->predicted.total);
    if (isnan(row_error(r))) snprintf(text, sizeof text, "%s", total);
    else
        snprintf(text, sizeof text, "%s (error %s%s)", total, row_error(r) >= 0.0005 ? "+" : "",
                 style_percent(error, row_error(r), 1));
    fact(to, "PCIe transactions", "per epoch, predicted", text);
}

/* "paper as f8, author as i8": what GPUs hold in another element type than the host. */
static void rounded_fact(FILE *to, const struct result_row *r)
{
    char text[4 * STYLE_NAME] = "";
    for (uint64_t i = 0; i < doc_size(r->rounded); i++) {
        const doc *one = doc_at(r->rounded, i);
        const char *type = document_text(one, "type");
        text_append(text, sizeof text, "%s%.80s as %.8s (host: %.8s)", i ? ", " : "",
                    *type ? type : document_text(one, "relation"), document_text(one, "element"),
                    document_text(one, "host_element"));
    }
    if (*text) fact(to, "GPUs hold rows", "rounded", text);
}

void plan_facts_write(FILE *to, const struct grid *grid)
{
    const struct result_row *r = grid->cell[0][0];
    char budget[GRID_BUDGET_TEXT];
    fputs("<div class=\"scroll\"><table class=\"facts\">\n<tbody>\n", to);
    fact(to, "policy", "", grid->policies[0]);
    fact(to, "budget", "", grid_budget_text(grid, 0, budget));
    if (!r || r->status != ROW_OK) fact(to, "status", "", r && r->reason ? r->reason : "no numbers");
    else {
        total_fact(to, r);
        count_fact(to, "of these, topology", "per epoch, simulated", r->simulated.topology);
        count_fact(to, "of these, features", "per epoch, simulated", r->simulated.feature);
        prediction_fact(to, r);
        count_fact(to, "with nothing cached", "per epoch", r->uncached);
        share_fact(to, "feature hits", "of feature rows", row_feature_hit(r));
        share_fact(to, "topology hits", "of topology visits", row_topology_hit(r));
        rounded_fact(to, r);
        count_fact(to, "busiest socket", "transactions per epoch", r->max_socket);
    }
    fputs("</tbody></table></div>\n", to);
}
