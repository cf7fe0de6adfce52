#include "planner/places/storage_plan.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/units.h"
#include "planner/policies/density.h"
#include "planner/places/place_reads.h"

/* Expected reads of the host per epoch. */
struct demand {
    float *rows, *visits;      /* [n] reads of feature rows, visits of topology rows */
    float *feature, *topology; /* [n] blocks that they cost */
};

static void demand_release(struct demand *d)
{
    mem_free(d->rows);
    mem_free(d->visits);
    mem_free(d->feature);
    mem_free(d->topology);
}

/* Adds what reader g is expected to read from the host. */
static void add_reads(const struct place_source *r, const struct estimates *e, int g, bool topology,
                      const uint8_t *where, void *to)
{
    const struct graph *graph = r->graph;
    struct demand *d = to;
#pragma omp parallel for num_threads(r->threads)
    for (uint64_t v = 0; v < graph->n; v++) {
        float reads = topology ? e->visits[v] : e->rows[v];
        if (where[v] || !(reads > 0)) continue;
        float share = place_reads_share(r, e, g, topology, v);
        if (topology) {
            float offsets = reads * (float)cachelines_of_offsets(v, r->line_bytes); /* offsets are in DRAM */
            d->visits[v] += reads * share;
            d->topology[v] += fmaxf(0, e->topology[v] - offsets) * share;
        } else {
            d->rows[v] += reads * share;
            d->feature[v] += e->feature[v] * share;
        }
    }
}

static enum st find_demand(const struct storage_request *r, struct demand *d, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = r->graph->n;
    struct place_source h = {.graph = r->graph,
                             .plan = r->plan,
                             .trace = r->trace,
                             .kernels = r->kernels,
                             .threads = r->threads,
                             .line_bytes = r->block_bytes};
    NEW(d->rows, n, "the reads of the host");
    NEW(d->visits, n, "the reads of the host");
    NEW(d->feature, n, "the reads of the host");
    NEW(d->topology, n, "the reads of the host");
    TRY(place_reads_each(&h, add_reads, d, err));
done:
    return st;
}

/* Bytes of item i: topology rows, then feature rows. Offsets are counted apart. */
static uint64_t item_bytes(const struct graph *g, uint64_t i)
{
    return i < g->n ? (4 + g->weight_bytes) * graph_degree(g, i) : g->row_bytes;
}

/* Fills DRAM in the order of what rows save per byte. A row that does not fit is skipped. */
static enum st fill(const struct storage_request *r, const struct demand *d, struct plan_places *out,
                    struct storage_forecast *f, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = r->graph;
    uint64_t n = g->n, *key = NULL, room = r->host_bytes - f->offset_bytes;
    /* what SSDs cannot be read for comes first, where there is room for it */
    bool topology_first = !storage_knows_topology(&r->plan->workload) && r->plan->placement.access != ACCESS_SAMPLERS &&
                          room >= (4 + g->weight_bytes) * g->m;
    uint32_t *order = NULL;
    NEW(key, 2 * n, "the order of the rows of the host");
    NEW(order, 2 * n, "the order of the rows of the host");
    for (uint64_t i = 0; i < 2 * n; i++) {
        uint64_t bytes = item_bytes(g, i);
        key[i] = bytes ? density_key(i < n ? d->topology[i] : d->feature[i - n], bytes) : 0;
        if (i < n && topology_first) key[i] = UINT64_MAX; /* empty rows, too: then DRAM lists all of them */
    }
    TRY(r->kernels->sort_hottest(r->threads, key, 2 * n, order, err));
    for (uint64_t k = 0; k < 2 * n; k++) {
        uint64_t i = order[k], bytes = item_bytes(g, i);
        if (bytes > room || (!key[i] && !f->all)) continue;
        room -= bytes;
        if (i < n) f->topology_bytes += bytes;
        else f->feature_bytes += bytes;
        TRY(row_list_add(&out->list[i < n ? LIST_TOPOLOGY : LIST_FEATURE][0], (uint32_t)(i < n ? i : i - n), err));
    }
done:
    mem_free(key);
    mem_free(order);
    return st;
}

/* The order on disk, and what is expected to be read from there. */
static enum st order_disk(const struct storage_request *r, const struct demand *d, struct storage *out,
                          struct storage_forecast *f, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = r->graph->n, *key = NULL;
    const struct row_list *topology = &out->places->list[LIST_TOPOLOGY][0],
                          *feature = &out->places->list[LIST_FEATURE][0];
    uint8_t *held = NULL;
    NEW(key, n, "the order on disk");
    NEW(held, n, "the rows of the host");
    NEW(out->disk, n, "the order on disk");
    for (uint64_t i = 0; i < feature->count; i++) held[feature->id[i]] = 1;
    for (uint64_t v = 0; v < n; v++) {
        f->rows_from_host += d->rows[v];
        if (held[v]) continue;
        key[v] = density_key(d->rows[v], 1);
        f->feature_rows += d->rows[v];
    }
    TRY(r->kernels->sort_hottest(r->threads, key, n, out->disk, err));
    memset(held, 0, n);
    for (uint64_t i = 0; i < topology->count; i++) held[topology->id[i]] = 1;
    for (uint64_t v = 0; v < n; v++)
        if (!held[v] && graph_degree(r->graph, v)) f->topology_visits += d->visits[v];
done:
    mem_free(key);
    mem_free(held);
    return st;
}

enum st storage_choose(const struct storage_request *r, struct storage *out, struct plan_places *places,
                       struct storage_forecast *forecast, struct err *err)
{
    enum st st;
    const struct graph *g = r->graph;
    struct storage_forecast f = {.offset_bytes = 8 * (g->n + 1)};
    struct demand d = {0};
    char asked[UNIT_TEXT], needed[UNIT_TEXT];
    if (r->host_bytes < f.offset_bytes)
        FAIL(ST_NO,
             "--host-memory: %s do not hold the offsets of the topology (8 bytes per vertex and one more: %s); give at "
             "least that",
             units_bytes(asked, r->host_bytes), units_bytes(needed, f.offset_bytes));
    f.all = r->host_bytes >= f.offset_bytes + (4 + g->weight_bytes) * g->m + g->n * g->row_bytes;
    out->block_bytes = r->block_bytes;
    out->places = places;
    places->places = 2; /* one reader: DRAM costs nothing, a read of the SSDs something */
    places->readers = places->nodes = 1;
    places->place[1].kind = PLACE_KIND_SSD;
    places->place[0].kind = PLACE_KIND_DRAM;
    places->cost[LIST_TOPOLOGY][0][1] = places->cost[LIST_FEATURE][0][1] = 1;
    TRY(find_demand(r, &d, err));
    TRY(fill(r, &d, places, &f, err));
    TRY(order_disk(r, &d, out, &f, err));
    *forecast = f;
done:
    demand_release(&d);
    return st;
}
