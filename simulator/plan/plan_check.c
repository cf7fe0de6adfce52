#include "simulator/plan/plan_check.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/units.h"
#include "simulator/plan/routes.h"

/* What lists are checked against. */
struct checking {
    const struct placement *p;
    const struct graph *graph;
    const int *id;          /* of GPUs, for messages */
    const uint64_t *budget; /* [gpus] */
};

/* One bit per row. All bits are clear between two lists. */
static bool set_bit(uint64_t *bits, uint32_t v)
{
    uint64_t bit = (uint64_t)1 << (v & 63);
    bool was = bits[v >> 6] & bit;
    bits[v >> 6] |= bit;
    return was;
}

/* "topology row of vertex 5"; of several types "topology row 5 of author-writes->paper". */
static const char *row_named(const struct graph *g, bool topology, uint32_t row, char *out, size_t size)
{
    char label[GRAPH_LABEL_BYTES];
    uint64_t item = topology ? row : graph_topology_rows(g) + row;
    int table = graph_table_of(g, item);
    const struct row_table t = graph_table(g, table);
    if (graph_plain(g)) snprintf(out, size, "%s row of vertex %u", topology ? "topology" : "feature", row);
    else if (row >= (topology ? graph_topology_rows(g) : graph_feature_rows(g)))
        snprintf(out, size, "%s row %u", topology ? "topology" : "feature", row);
    else
        snprintf(out, size, "%s row %llu of %s", row_kind_name(t.kind), (unsigned long long)(item - t.first),
                 graph_table_label(g, table, label));
    return out;
}

static enum st check_ids(const struct checking *checking, int g, bool topology, uint64_t *bits, struct err *err)
{
    const struct row_list *l = topology ? &checking->p->topology[g] : &checking->p->feature[g];
    uint64_t n = topology ? graph_topology_rows(checking->graph) : graph_feature_rows(checking->graph), seen = 0;
    bool several = !graph_plain(checking->graph);
    char name[GRAPH_LABEL_BYTES + 64];
    enum st st = ST_OK;
    for (; seen < l->count; seen++) {
        uint32_t v = l->id[seen];
        if (v >= n)
            FAIL(ST_INPUT, "GPU %d holds the %s (place %llu of its list), but the graph has %llu %s", checking->id[g],
                 row_named(checking->graph, topology, v, name, sizeof name), (unsigned long long)seen,
                 (unsigned long long)n, several ? "such rows" : "vertices");
        if (set_bit(bits, v))
            FAIL(ST_INPUT, "GPU %d lists the %s twice, the second time at place %llu", checking->id[g],
                 row_named(checking->graph, topology, v, name, sizeof name), (unsigned long long)seen);
        if (several && !topology &&
            !graph_table_there(checking->graph,
                               graph_table_of(checking->graph, graph_topology_rows(checking->graph) + v)))
            FAIL(ST_INPUT, "GPU %d holds the %s, which has no features", checking->id[g],
                 row_named(checking->graph, topology, v, name, sizeof name));
    }
done:
    for (uint64_t i = 0; i < seen; i++) bits[l->id[i] >> 6] = 0;
    return st;
}

static enum st check_gpu(const struct checking *checking, int g, uint64_t *bits, struct err *err)
{
    char held[UNIT_TEXT], budget[UNIT_TEXT];
    PASS(check_ids(checking, g, true, bits, err));
    PASS(check_ids(checking, g, false, bits, err));
    uint64_t bytes = placement_topology_bytes(checking->p, g, checking->graph) +
                     placement_feature_bytes(checking->p, g, checking->graph);
    if (bytes > checking->budget[g])
        return err_set(err, ST_INPUT, "GPU %d holds %llu bytes (%s) of rows, but its budget is %llu (%s)",
                       checking->id[g], (unsigned long long)bytes, units_bytes(held, bytes),
                       (unsigned long long)checking->budget[g], units_bytes(budget, checking->budget[g]));
    return ST_OK;
}

/* All lists, a GPU per piece of work; the error of the lowest GPU is told. */
static enum st check_lists(const struct checking *checking, int threads, struct err *err)
{
    struct err first = {0};
    int gpus = checking->p->gpus, failed = gpus, together = threads < gpus ? threads : gpus;
    uint64_t rows = graph_topology_rows(checking->graph);
    if (rows < graph_feature_rows(checking->graph)) rows = graph_feature_rows(checking->graph);
#pragma omp parallel num_threads(together)
    {
        struct err mine = {0};
        uint64_t *bits = mem_array_near(rows / 64 + 1, sizeof *bits, "a check of the plan", &mine);
#pragma omp for schedule(dynamic, 1)
        for (int g = 0; g < gpus; g++) {
            if (bits && check_gpu(checking, g, bits, &mine) == ST_OK) continue;
#pragma omp critical(plan_check_first)
            if (g < failed) {
                first = mine;
                failed = g;
            }
        }
        mem_free(bits);
    }
    if (first.code) *err = first;
    return first.code;
}

static enum st check_peers(const struct placement *placement, const int *id, struct err *err)
{
    for (int g = 0; g < placement->gpus; g++) {
        bool listed[GPUS_MAX] = {false};
        if (placement->peers[g] < 0 || placement->peers[g] >= placement->gpus)
            return err_set(err, ST_INPUT, "GPU %d has %d peers, but there are %d other GPUs", id[g],
                           placement->peers[g], placement->gpus - 1);
        for (int i = 0; i < placement->peers[g]; i++) {
            int b = placement->peer[g][i];
            if (b < 0 || b >= placement->gpus || b == g || listed[b])
                return err_set(err, ST_INPUT,
                               "peer %d of GPU %d is the GPU at position %d, expected another GPU (0 to %d), listed "
                               "once",
                               i, id[g], b, placement->gpus - 1);
            listed[b] = true;
        }
    }
    return ST_OK;
}

static enum st check_reach(const struct plan *p, struct err *err)
{
    struct routes ways;
    int from, to;
    routes_find(&p->placement, p->links, p->assignment.id, &ways);
    if (routes_reach_peers(&p->placement, &ways, p->pcie_switch, &from, &to)) return ST_OK;
    return err_set(err, ST_INPUT,
                   "GPU %d reads rows of GPU %d, but no chain of NVLinks joins them, and they are not known to be "
                   "below one PCIe switch",
                   p->assignment.id[from], p->assignment.id[to]);
}

enum st plan_check_placement(const struct placement *p, const struct graph *graph, const int *id,
                             const uint64_t *budget, int threads, struct err *err)
{
    const struct checking checking = {p, graph, id, budget};
    PASS(check_peers(p, id, err));
    return check_lists(&checking, threads, err);
}

enum st plan_check(const struct plan *p, const struct graph *graph, int threads, struct err *err)
{
    PASS(check_peers(&p->placement, p->assignment.id, err)); /* routes are sought for good ones */
    PASS(check_reach(p, err));
    return plan_check_placement(&p->placement, graph, p->assignment.id, p->budget, threads, err);
}
