/* mean-row - hotset inside cliques, as if there were no types: feature rows of all types count as rows of the mean size
 * and the mean cost of a read, and so do those of edges; topology rows know their lengths. What knowing the types is
 * worth is the difference to hotset. */
#include "planner/policies/density.h"

/* Rows of one kind. */
static void set_keys_of(const struct policy_input *in, const struct estimates *e, enum row_kind kind, uint64_t *key)
{
    const struct graph *g = in->graph;
    uint64_t rows = graph_topology_rows(g);
    double bytes = 0, count = 0, saved = 0, reads = 0;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        if (table.kind != kind || !graph_table_there(g, k)) continue;
        for (uint64_t i = table.first; i < table.first + table.count; i++) {
            saved += (double)e->feature[i - rows];
            reads += (double)e->rows[i - rows];
        }
        bytes += (double)(table.count * table.cached_bytes);
        count += (double)table.count;
    }
    double lines = reads > 0 ? saved / reads : 0;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        if (table.kind != kind || !graph_table_there(g, k)) continue;
        for (uint64_t i = table.first; i < table.first + table.count; i++)
            key[i] = density_key((double)e->rows[i - rows] * lines, (uint64_t)(bytes / count + 0.5)) | 1;
    }
}

static void set_keys(const struct policy_input *in, int clique, uint64_t *key)
{
    const struct estimates *e = &in->estimates[clique];
    density_keys(in, e->topology, e->feature, 1, key);
    set_keys_of(in, e, ROWS_FEATURE, key);
    set_keys_of(in, e, ROWS_EDGE, key);
}

static enum st mean_row_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                              struct err *err)
{
    return density_place_by(in, set_keys, plan, verdict, err);
}

const struct policy policy_mean_row = {.name = "mean-row",
                                       .summary = "as hotset, but feature rows of all types count as rows of the mean "
                                                  "size: planning without types",
                                       .source = "this project",
                                       .hotness = "calibrated",
                                       .choice = HOTNESS_RATES,
                                       .assignment = ASSIGNMENT_HIERARCHICAL,
                                       .any_deal = true,
                                       .needs_estimates = true,
                                       .of_types = true,
                                       .reaches = REACHES_ALL,
                                       .place = mean_row_place};
