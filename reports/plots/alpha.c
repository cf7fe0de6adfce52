/* alpha.c - predicted transactions against the share of the budget that goes to topology, per clique. */
#include <math.h>

#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/plots/plots.h"

enum { PARTS = 3 };
static const char *const keys[PARTS] = {"topology_transactions", "feature_transactions", "total_transactions"};

static const doc *sweep_of(const struct result_row *r, uint64_t clique)
{
    const doc *sweep = r ? doc_get(doc_at(r->cliques, clique), "sweep") : NULL;
    return doc_is_array(sweep) && doc_size(sweep) <= REPORT_SWEEP_MAX ? sweep : NULL;
}

/* Transactions of a point; NaN when the point cannot be drawn. */
static double point_value(const doc *point, int key)
{
    double alpha = document_number(point, "alpha");
    return alpha >= 0 && alpha <= 1 ? document_count(point, keys[key]) : NAN;
}

/* Points of a clique; *most: their highest value. */
static int points_count(const struct result_row *r, uint64_t clique, double *most)
{
    const doc *sweep = sweep_of(r, clique);
    int n = 0;
    for (uint64_t i = 0; i < doc_size(sweep); i++) {
        double here = NAN;
        for (int k = 0; k < PARTS; k++) here = fmax(here, point_value(doc_at(sweep, i), k));
        n += !isnan(here);
        *most = fmax(*most, here);
    }
    return n;
}

/* Cliques with a line, and the highest value of all, so that they can be compared. */
static int cliques_drawn(const struct result_row *r, double *most)
{
    int n = 0;
    for (uint64_t i = 0; r && i < doc_size(r->cliques); i++) n += points_count(r, i, most) > 1;
    return n;
}

/* "Clique 0: GPU 0 to 3" */
static void clique_name(const doc *clique, uint64_t index, char *out, size_t size)
{
    enum { MOST = 16 };
    const doc *gpus = doc_get(clique, "gpus");
    int id[MOST], n = 0;
    for (uint64_t i = 0; i < doc_size(gpus) && n < MOST; i++)
        if (doc_is_integer(doc_at(gpus, i))) id[n++] = (int)doc_integer_value(doc_at(gpus, i), 0);
    snprintf(out, size, "Clique %llu%s", (unsigned long long)index, n ? ": GPU " : "");
    text_append_ids(out, size, id, n);
    if (doc_size(gpus) > MOST) text_append(out, size, ", ..");
}

static void panel_add(struct drawing *d, const struct result_row *r, uint64_t clique, double most)
{
    static const struct drawing_series parts[PARTS] = {{.name = "topology", .colour = 0x00805F, .dash = 1, .mark = -1},
                                                       {.name = "features", .colour = 0xB07A00, .dash = 2, .mark = -1},
                                                       {.name = "total", .colour = 0x111111, .mark = -1, .width = 2.2}};
    const doc *c = doc_at(r->cliques, clique), *sweep = sweep_of(r, clique);
    const double chosen = document_number(c, "alpha");
    char heading[STYLE_NAME];
    clique_name(c, clique, heading, sizeof heading);
    if (chosen >= 0 && chosen <= 1) text_append(heading, sizeof heading, ", chosen: %.3g", chosen);
    drawing_panel(d, heading,
                  &(struct drawing_axis){"alpha (share of the budget for topology)", QUANTITY_COUNT, AXIS_EXACT, 0, 1},
                  &(struct drawing_axis){"transactions per epoch", QUANTITY_COUNT, 0, 0, most});
    if (chosen >= 0 && chosen <= 1) drawing_mark(d, AXIS_X, chosen, 0, 0xD55E00, NULL);
    for (int k = 0; k < PARTS; k++) {
        drawing_series(d, &parts[k]);
        for (uint64_t i = 0; i < doc_size(sweep); i++) {
            const double v = point_value(doc_at(sweep, i), k);
            if (!isnan(v)) drawing_point(d, document_number(doc_at(sweep, i), "alpha"), v, NULL);
        }
    }
}

enum st plot_alpha(struct figures *figures, const struct grid *grid, struct err *err)
{
    enum { PANELS = 8 };
    OWNED_BY(drawing_release) struct drawing d = {.ends = true, .tall = 162};
    const struct result_row *r = NULL;
    double most = 0, unused = 0;
    int policy = 0, n = 0, shown = 0;
    char title[200], name[STYLE_NAME], budget[GRID_BUDGET_TEXT];
    for (; policy < grid->policy_count && !n; policy++) {
        r = grid_row(grid, policy, grid->middle);
        n = cliques_drawn(r, &most);
    }
    if (!n) return ST_OK;
    policy--;
    for (uint64_t c = 0; c < doc_size(r->cliques) && shown < PANELS; c++)
        if (points_count(r, c, &unused) > 1) {
            panel_add(&d, r, c, most);
            shown++;
        }
    snprintf(title, sizeof title, "Topology or features: alpha of %s at %s", grid_policy(grid, policy, 30, name),
             grid->budgets[grid->middle].label);
    drawing_caption(&d,
                    "Policy %s at budget %s. At the left the whole budget goes to features, at the right to topology. "
                    "More topology saves topology transactions and costs feature transactions. The planner takes the "
                    "alpha with the lowest predicted total (dashed line). Where the total is flat around it, the exact "
                    "split matters little.",
                    grid_policy(grid, policy, 60, name), grid_budget_text(grid, grid->middle, budget));
    if (n > shown) drawing_caption(&d, " The first %d of %d cliques are drawn.", shown, n);
    return drawing_write(&d, figures, &grid->subject, "alpha", title, err);
}
