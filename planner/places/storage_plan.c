#include "planner/places/storage_plan.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/units.h"
#include "planner/policies/density.h"
#include "planner/places/memory_args.h"
#include "planner/places/place_reads.h"

/* Expected reads of the host per epoch; rows of topology and of features have numbers of their own kind. */
struct demand {
    float *rows, *visits;      /* reads of feature rows, visits of topology rows */
    float *feature, *topology; /* blocks that they cost */
};

static void demand_release(struct demand *d)
{
    mem_free(d->rows);
    mem_free(d->visits);
    mem_free(d->feature);
    mem_free(d->topology);
}

/* The same of one table's rows. */
static void add_table(const struct place_source *r, const struct estimates *e, int g, const struct row_table *t,
                      const uint8_t *where, struct demand *d)
{
    const uint64_t first = row_table_begin(r->graph, t);
    const bool topology = t->kind == ROWS_TOPOLOGY;
#pragma omp parallel for num_threads(r->threads)
    for (uint64_t i = 0; i < t->count; i++) {
        const uint64_t v = first + i;
        float reads = topology ? e->visits[v] : e->rows[v];
        if (where[v] || !(reads > 0)) continue;
        float share = place_reads_share(r, e, g, topology, v);
        if (topology) {
            float offsets = reads * (float)cachelines_of_offsets(i, r->line_bytes); /* offsets are in DRAM */
            d->visits[v] += reads * share;
            d->topology[v] += fmaxf(0, e->topology[v] - offsets) * share;
        } else {
            d->rows[v] += reads * share;
            d->feature[v] += e->feature[v] * share;
        }
    }
}

/* Adds what reader g is expected to read from the host. */
static void add_reads(const struct place_source *r, const struct estimates *e, int g, bool topology,
                      const uint8_t *where, void *to)
{
    for (int k = 0; k < graph_tables(r->graph); k++) {
        const struct row_table t = graph_table(r->graph, k);
        if (graph_table_there(r->graph, k) && (t.kind == ROWS_TOPOLOGY) == topology) add_table(r, e, g, &t, where, to);
    }
}

static enum st find_demand(const struct storage_request *r, struct demand *d, struct err *err)
{
    const uint64_t lists = graph_topology_rows(r->graph), features = graph_feature_rows(r->graph);
    struct place_source h = {.graph = r->graph,
                             .plan = r->plan,
                             .trace = r->trace,
                             .kernels = r->kernels,
                             .threads = r->threads,
                             .line_bytes = r->block_bytes};
    MAKE(d->rows, features + 1, "the reads of the host");
    MAKE(d->visits, lists + 1, "the reads of the host");
    MAKE(d->feature, features + 1, "the reads of the host");
    MAKE(d->topology, lists + 1, "the reads of the host");
    return place_reads_each(&h, add_reads, d, err);
}

/* Bytes of row i of a table. Offsets are counted apart. */
static uint64_t row_bytes(const struct graph *g, const struct row_table *t, uint64_t i)
{
    return row_table_host_bytes(g, t, i) - (t->kind == ROWS_TOPOLOGY ? 8 : 0);
}

/* What DRAM is filled with: items in the order of what they save per byte. */
struct filling {
    uint64_t *key;   /* [items] */
    uint32_t *order; /* [items] */
    uint8_t *held;   /* [items] */
    uint64_t room;
};

/* Keys of a table's rows. topology_first: what SSDs cannot be read for; empty rows, too: then DRAM lists all of them */
static void rank_table(const struct storage_request *r, const struct demand *d, const struct row_table *t,
                       bool topology_first, uint64_t *key)
{
    const struct graph *g = r->graph;
    const float *saved = (t->kind == ROWS_TOPOLOGY ? d->topology : d->feature) + row_table_begin(g, t);
#pragma omp parallel for num_threads(r->threads)
    for (uint64_t i = 0; i < t->count; i++) {
        uint64_t bytes = row_bytes(g, t, i);
        key[t->first + i] = bytes ? density_key(saved[i], bytes) : 0;
        if (t->kind == ROWS_TOPOLOGY && topology_first) key[t->first + i] = UINT64_MAX;
    }
}

/* Takes the items in turn. A row that does not fit is skipped. */
static void take_rows(const struct storage_request *r, struct filling *x, struct storage_forecast *f)
{
    const struct graph *g = r->graph;
    struct row_table t = graph_table(g, 0);
    for (uint64_t k = 0; k < graph_items(g); k++) {
        const uint64_t i = x->order[k];
        if (i - t.first >= t.count) t = graph_table(g, graph_table_of(g, i));
        if (t.kind != ROWS_TOPOLOGY && !t.row_bytes) continue;
        const uint64_t bytes = row_bytes(g, &t, i - t.first);
        if (bytes > x->room || (!x->key[i] && !f->all)) continue;
        x->room -= bytes;
        *(t.kind == ROWS_TOPOLOGY ? &f->topology_bytes : &f->feature_bytes) += bytes;
        x->held[i] = 1;
    }
}

/* The rows that were taken: the hottest first, or ascending where lists of several types are told apart by their
 * numbers. */
static enum st list_rows(const struct graph *g, const struct filling *x, struct plan_places *out, struct err *err)
{
    const uint64_t lists = graph_topology_rows(g);
    for (uint64_t k = 0; k < graph_items(g); k++) {
        const uint64_t i = graph_plain(g) ? x->order[k] : k;
        if (!x->held[i]) continue;
        PASS(row_list_add(&out->list[i < lists ? LIST_TOPOLOGY : LIST_FEATURE][0],
                          (uint32_t)(i < lists ? i : i - lists), err));
    }
    return ST_OK;
}

/* Fills DRAM in the order of what rows save per byte. */
static enum st fill(const struct storage_request *r, const struct demand *d, struct plan_places *out,
                    struct storage_forecast *f, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = r->graph;
    const uint64_t items = graph_items(g);
    struct filling x = {.room = r->host_bytes - f->offset_bytes};
    uint64_t topology = 0;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        for (uint64_t i = 0; t.kind == ROWS_TOPOLOGY && i < t.count; i++) topology += row_bytes(g, &t, i);
    }
    /* what SSDs cannot be read for comes first, where there is room for it */
    bool topology_first = !storage_knows_topology(&r->plan->workload) && r->plan->placement.access != ACCESS_SAMPLERS &&
                          x.room >= topology;
    NEW(x.key, items, "the order of the rows of the host");
    NEW(x.order, items, "the order of the rows of the host");
    NEW(x.held, items, "the rows of the host");
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        rank_table(r, d, &t, topology_first, x.key);
    }
    TRY(r->kernels->sort_hottest(r->threads, x.key, items, x.order, err));
    take_rows(r, &x, f);
    TRY(list_rows(g, &x, out, err));
done:
    mem_free(x.key);
    mem_free(x.order);
    mem_free(x.held);
    return st;
}

/* Marks the rows of a kind that DRAM holds. */
static void mark_held(const struct row_list *l, uint8_t *held)
{
    for (uint64_t i = 0; i < l->count; i++) held[l->id[i]] = 1;
}

/* The order of the rows of one file on disk: those that DRAM does not hold, by their reads. */
static enum st order_file(const struct storage_request *r, const struct demand *d, const struct row_table *t,
                          const uint8_t *held, uint64_t *key, uint32_t *disk, struct storage_forecast *f,
                          struct err *err)
{
    const uint64_t first = row_table_begin(r->graph, t);
    for (uint64_t i = 0; i < t->count; i++) {
        f->rows_from_host += d->rows[first + i];
        key[i] = held[first + i] ? 0 : density_key(d->rows[first + i], 1);
        if (!held[first + i]) f->feature_rows += d->rows[first + i];
    }
    return r->kernels->sort_hottest(r->threads, key, t->count, disk + first, err);
}

/* The order on disk, and what is expected to be read from there. */
static enum st order_disk(const struct storage_request *r, const struct demand *d, struct storage *out,
                          struct storage_forecast *f, struct err *err)
{
    const struct graph *g = r->graph;
    OWNED_NEW(uint64_t, key, graph_most_rows(g) + 1, "the order on disk");
    OWNED_NEW(uint8_t, held, graph_most_rows(g) + 1, "the rows of the host");
    MAKE(out->disk, graph_feature_rows(g) + 1, "the order on disk");
    mark_held(&out->places->list[LIST_FEATURE][0], held);
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (t.kind != ROWS_TOPOLOGY) PASS(order_file(r, d, &t, held, key, out->disk, f, err));
    }
    memset(held, 0, graph_most_rows(g));
    mark_held(&out->places->list[LIST_TOPOLOGY][0], held);
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        for (uint64_t i = 0; t.kind == ROWS_TOPOLOGY && i < t.count; i++)
            if (!held[t.first + i] && row_bytes(g, &t, i)) f->topology_visits += d->visits[t.first + i];
    }
    return ST_OK;
}

enum st storage_choose(const struct storage_request *r, struct storage *out, struct plan_places *places,
                       struct storage_forecast *forecast, struct err *err)
{
    const struct graph *g = r->graph;
    struct storage_forecast f = {.offset_bytes = memory_args_offsets(g)};
    OWNED_BY(demand_release) struct demand d = {0};
    char asked[UNIT_TEXT], needed[UNIT_TEXT];
    if (r->host_bytes < f.offset_bytes)
        return err_set(err, ST_NO,
                       "--host-memory: %s do not hold the offsets of the topology (8 bytes per neighbour list, and one "
                       "more per relation: %s); give at least that",
                       units_bytes(asked, r->host_bytes), units_bytes(needed, f.offset_bytes));
    f.all = r->host_bytes >= memory_args_needed(g);
    out->block_bytes = r->block_bytes;
    out->places = places;
    places->places = 2; /* one reader: DRAM costs nothing, a read of the SSDs something */
    places->readers = places->nodes = 1;
    places->place[1].kind = PLACE_KIND_SSD;
    places->place[0] = (struct place){.kind = PLACE_KIND_DRAM, .socket = -1};
    places->cost[LIST_TOPOLOGY][0][1] = places->cost[LIST_FEATURE][0][1] = 1;
    PASS(find_demand(r, &d, err));
    PASS(fill(r, &d, places, &f, err));
    PASS(order_disk(r, &d, out, &f, err));
    *forecast = f;
    return ST_OK;
}
