/* ducati - topology and feature rows in one list by what a byte of them saves: share of its kind's reads * slope of
 * the kind / bytes. A slope is what holding all of a kind would save; DUCATI fits both to measured times, here they
 * are options, by default the transactions of the pre-sampled epochs with nothing cached. One GPU's cache, the same
 * on every GPU, without NVLink (DUCATI, SIGMOD'23). */
#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "planner/policies/density.h"
#include "planner/policies/place.h"
#include "traces/recording/trace_rows.h"

enum { SLOPE_TOPOLOGY, SLOPE_FEATURE };

/* Reads of a row by all GPUs. */
static uint64_t reads_of(const struct policy_input *in, const struct row_table *table, uint64_t row)
{
    uint64_t sum = 0;
    for (int g = 0; g < in->trace->assignment.gpus; g++) sum += trace_row_reads(in->trace, in->graph, *table, row, g);
    return sum;
}

static void set_keys(const struct policy_input *in, uint64_t line_bytes, uint64_t *key)
{
    const struct graph *g = in->graph;
    uint64_t visits = 0, rows = 0, lines = 0, draws = 0;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        if (!graph_table_there(g, k)) continue; /* vertices of a type without features read no rows */
        for (uint64_t v = 0; v < table.count; v++) {
            uint64_t read = key[table.first + v] = reads_of(in, &table, v);
            visits += table.kind == ROWS_TOPOLOGY ? read : 0;
            rows += table.kind == ROWS_TOPOLOGY ? 0 : read;
            lines += table.kind == ROWS_TOPOLOGY || !read
                         ? 0
                         : read * cachelines_of_feature(v, table.row_bytes, line_bytes);
        }
    }
    for (int c = 0; c < in->trace->assignment.cliques; c++) draws += in->trace->n_tsum[c];
    double slope_t = isnan(in->option[SLOPE_TOPOLOGY]) ? (double)draws : in->option[SLOPE_TOPOLOGY];
    double slope_f = isnan(in->option[SLOPE_FEATURE]) ? (double)lines : in->option[SLOPE_FEATURE];
    double each_t = visits ? slope_t / (double)visits : 0, each_f = rows ? slope_f / (double)rows : 0;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        double each = table.kind == ROWS_TOPOLOGY ? each_t : each_f;
        for (uint64_t v = 0; v < table.count && graph_table_there(g, k); v++)
            key[table.first + v] = density_key((double)key[table.first + v] * each, row_table_bytes(g, &table, v));
    }
}

static enum st ducati_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    enum st st = ST_OK;
    uint64_t items = graph_items(in->graph), room[GPUS_MAX], *key = NULL;
    OWNED uint32_t *order = NULL;
    if (!density_possible(in->graph, verdict)) return ST_OK;
    place_no_peers(plan);
    NEW(key, items, "densities");
    NEW(order, items, "an order of rows");
    set_keys(in, plan->line_bytes, key);
    TRY(in->kernels->sort_hottest(in->threads, key, items, order, err));
    memcpy(room, plan->budget, sizeof room);
    for (int g = 0; g < plan->assignment.gpus; g++) /* rows that were never read follow the others, topology first */
        TRY(place_prefix_items(in->graph, order, items, g, plan, room, err));
done:
    mem_free(key);
    return st;
}

const struct policy policy_ducati =
    {.name = "ducati",
     .summary = "topology and features by reads saved per byte, the same cache on every GPU, no NVLink",
     .source = "DUCATI (SIGMOD'23)",
     .hotness = "presample, topology and features",
     .assignment = ASSIGNMENT_GLOBAL,
     .any_deal = true,
     .own_memory = true,
     .reaches = REACHES_ALL,
     .place = ducati_place,
     .options = {{"slope-topology", "what holding all topology would save", 0, 1e18, NAN, false},
                 {"slope-feature", "what holding all features would save, in the same unit", 0, 1e18, NAN, false}}};
