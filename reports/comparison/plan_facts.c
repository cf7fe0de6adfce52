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

static void number_fact(FILE *to, const char *name, const char *unit, enum quantity quantity, double v)
{
    char text[STYLE_TEXT];
    if (!isnan(v)) fact(to, name, unit, style_quantity(text, quantity, v));
}

/* Transactions of an epoch, and behind them how far they are known. */
static void total_fact(FILE *to, const char *unit, double total, const char *known)
{
    char count[STYLE_TEXT], text[4 * STYLE_TEXT];
    snprintf(text, sizeof text, "%s%s", style_count(count, total), known);
    if (!isnan(total)) fact(to, "PCIe transactions", unit, text);
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
    char budget[GRID_BUDGET_TEXT], text[2][STYLE_TEXT], known[3 * STYLE_TEXT] = "", name[STYLE_NAME];
    fputs("<div class=\"scroll\"><table class=\"facts\">\n<tbody>\n", to);
    fact(to, "policy", "", grid_policy(grid, 0, STYLE_NAME, name));
    fact(to, "budget", "", grid_budget_text(grid, 0, budget));
    if (!r || r->status != ROW_OK) fact(to, "status", "", r && r->reason ? r->reason : "no numbers");
    else {
        if (!isnan(r->low))
            snprintf(known, sizeof known, " (interval %s to %s)", style_count(text[0], r->low),
                     style_count(text[1], r->high));
        total_fact(to, "per epoch, simulated", r->simulated.total, known);
        number_fact(to, "of these, topology", "per epoch, simulated", QUANTITY_COUNT, r->simulated.topology);
        number_fact(to, "of these, features", "per epoch, simulated", QUANTITY_COUNT, r->simulated.feature);
        snprintf(known, sizeof known, isnan(row_error(r)) ? "" : " (error %s%s)", row_error(r) >= 0.0005 ? "+" : "",
                 style_percent(text[0], row_error(r), 1));
        total_fact(to, "per epoch, predicted", r->predicted.total, known);
        number_fact(to, "with nothing cached", "per epoch", QUANTITY_COUNT, r->uncached);
        number_fact(to, "feature hits", "of feature rows", QUANTITY_RATE, row_feature_hit(r));
        number_fact(to, "topology hits", "of topology visits", QUANTITY_RATE, row_topology_hit(r));
        rounded_fact(to, r);
        number_fact(to, "busiest socket", "transactions per epoch", QUANTITY_COUNT, r->max_socket);
    }
    fputs("</tbody></table></div>\n", to);
}
