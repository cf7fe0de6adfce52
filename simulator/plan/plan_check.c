#include "simulator/plan/plan_check.h"

#include "base/mem.h"
#include "base/units.h"
#include "simulator/plan/routes.h"

/* One bit per vertex. All bits are clear between two lists. */
static bool set_bit(uint64_t *bits, uint32_t v)
{
    uint64_t bit = (uint64_t)1 << (v & 63);
    bool was = bits[v >> 6] & bit;
    bits[v >> 6] |= bit;
    return was;
}

static enum st check_ids(const struct row_list *l, uint64_t n, int id, const char *kind, uint64_t *bits,
                         struct err *err)
{
    enum st st = ST_OK;
    uint64_t seen = 0;
    for (; seen < l->count; seen++) {
        uint32_t v = l->id[seen];
        if (v >= n)
            FAIL(ST_INPUT,
                 "GPU %d holds the %s row of vertex %u (place %llu of its list), but the graph has %llu "
                 "vertices",
                 id, kind, v, (unsigned long long)seen, (unsigned long long)n);
        if (set_bit(bits, v))
            FAIL(ST_INPUT, "GPU %d lists the %s row of vertex %u twice, the second time at place %llu", id, kind, v,
                 (unsigned long long)seen);
    }
done:
    for (uint64_t i = 0; i < seen; i++) bits[l->id[i] >> 6] = 0;
    return st;
}

static enum st check_gpu(const struct plan *p, const struct graph *graph, int g, uint64_t *bits, struct err *err)
{
    enum st st;
    int id = p->assignment.id[g];
    char held[UNIT_TEXT], budget[UNIT_TEXT];
    TRY(check_ids(&p->placement.topology[g], graph->n, id, "topology", bits, err));
    TRY(check_ids(&p->placement.feature[g], graph->n, id, "feature", bits, err));
    uint64_t bytes = plan_topology_bytes(p, g, graph) + plan_feature_bytes(p, g, graph);
    if (bytes > p->budget[g])
        FAIL(ST_INPUT, "GPU %d holds %llu bytes (%s) of rows, but its budget is %llu (%s)", id,
             (unsigned long long)bytes, units_bytes(held, bytes), (unsigned long long)p->budget[g],
             units_bytes(budget, p->budget[g]));
done:
    return st;
}

/* All lists, a GPU per piece of work; the error of the lowest GPU is told. */
static enum st check_lists(const struct plan *p, const struct graph *graph, int threads, struct err *err)
{
    struct err first = {0};
    int gpus = p->placement.gpus, failed = gpus, together = threads < gpus ? threads : gpus;
#pragma omp parallel num_threads(together)
    {
        struct err mine = {0};
        uint64_t *bits = mem_array_near(graph->n / 64 + 1, sizeof *bits, "a check of the plan", &mine);
#pragma omp for schedule(dynamic, 1)
        for (int g = 0; g < gpus; g++) {
            if (bits && check_gpu(p, graph, g, bits, &mine) == ST_OK) continue;
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

static enum st check_peers(const struct plan *p, struct err *err)
{
    const struct placement *x = &p->placement;
    const int *id = p->assignment.id;
    for (int g = 0; g < x->gpus; g++) {
        bool listed[GPUS_MAX] = {false};
        if (x->peers[g] < 0 || x->peers[g] >= x->gpus)
            return err_set(err, ST_INPUT, "GPU %d has %d peers, but there are %d other GPUs", id[g], x->peers[g],
                           x->gpus - 1);
        for (int i = 0; i < x->peers[g]; i++) {
            int b = x->peer[g][i];
            if (b < 0 || b >= x->gpus || b == g || listed[b])
                return err_set(err, ST_INPUT,
                               "peer %d of GPU %d is the GPU at position %d, expected another GPU (0 to %d), listed "
                               "once",
                               i, id[g], b, x->gpus - 1);
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

enum st plan_check(const struct plan *p, const struct graph *graph, int threads, struct err *err)
{
    enum st st;
    TRY(check_peers(p, err));
    TRY(check_reach(p, err));
    TRY(check_lists(p, graph, threads, err));
done:
    return st;
}
