/* ducati - topology and feature rows in one list by what a byte of them saves: share of its kind's reads * slope of
 * the kind / bytes. A slope is what holding all of a kind would save; DUCATI fits both to measured times, here they
 * are options, by default the transactions of the pre-sampled epochs with nothing cached. One GPU's cache, the same
 * on every GPU, without NVLink (DUCATI, SIGMOD'23). */
#include <math.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "planner/policies/density.h"
#include "planner/policies/place.h"

enum { SLOPE_TOPOLOGY, SLOPE_FEATURE };

static uint64_t feature_reads(const struct trace *t, uint64_t v)
{
    uint64_t sum = 0;
    for (int g = 0; g < t->assignment.gpus; g++) sum += count_at(t->feature[g], v);
    return sum;
}

static uint64_t topology_reads(const struct trace *t, uint64_t v)
{
    uint64_t sum = 0;
    for (int g = 0; g < t->assignment.gpus; g++)
        for (int h = 0; h < t->workload.hops; h++) sum += count_at(t->visits[h][g], v);
    return sum;
}

static void set_keys(const struct policy_input *in, uint64_t line_bytes, uint64_t *key)
{
    const struct graph *g = in->graph;
    uint64_t n = g->n, visits = 0, rows = 0, lines = 0, draws = 0;
    for (uint64_t v = 0; v < n; v++) {
        uint64_t read = feature_reads(in->trace, v);
        visits += topology_reads(in->trace, v);
        rows += read;
        lines += read * cachelines_of_feature(v, g->row_bytes, line_bytes);
    }
    for (int c = 0; c < in->trace->assignment.cliques; c++) draws += in->trace->n_tsum[c];
    double slope_t = isnan(in->option[SLOPE_TOPOLOGY]) ? (double)draws : in->option[SLOPE_TOPOLOGY];
    double slope_f = isnan(in->option[SLOPE_FEATURE]) ? (double)lines : in->option[SLOPE_FEATURE];
    double each_t = visits ? slope_t / (double)visits : 0, each_f = rows ? slope_f / (double)rows : 0;
    for (uint64_t v = 0; v < n; v++) {
        key[v] = density_key((double)topology_reads(in->trace, v) * each_t, graph_topology_bytes(g, v));
        key[n + v] = density_key((double)feature_reads(in->trace, v) * each_f, graph_cached_bytes(g));
    }
}

/* The longest prefix that fits; rows that were never read follow the others, topology first. */
static enum st fill(const struct policy_input *in, const uint32_t *order, int gpu, struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, room[GPUS_MAX];
    room[gpu] = plan->budget[gpu];
    for (uint64_t i = 0; i < 2 * n; i++) {
        bool topology = order[i] < n;
        uint32_t v = (uint32_t)(topology ? order[i] : order[i] - n);
        uint64_t before = room[gpu];
        TRY(place_prefix(in->graph, &v, 1, topology, gpu, plan, room, err));
        if (room[gpu] == before) break;
    }
done:
    return st;
}

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, *key = NULL;
    uint32_t *order = NULL;
    if (!density_possible(in->graph->n, verdict)) return ST_OK;
    place_no_peers(plan);
    NEW(key, 2 * n, "densities");
    NEW(order, 2 * n, "an order of rows");
    set_keys(in, plan->line_bytes, key);
    TRY(in->kernels->sort_hottest(in->threads, key, 2 * n, order, err));
    for (int g = 0; g < plan->assignment.gpus; g++) TRY(fill(in, order, g, plan, err));
done:
    mem_free(key);
    mem_free(order);
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
     .place = place,
     .options = {{"slope-topology", "what holding all topology would save", 0, 1e18, NAN, false},
                 {"slope-feature", "what holding all features would save, in the same unit", 0, 1e18, NAN, false}}};
