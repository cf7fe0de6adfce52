#include "planner/engine/expected_epoch.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "hwprofiles/model/bandwidth.h"
#include "planner/engine/thin.h"
#include "traces/recording/trace_rows.h"

enum { FINE = 1 << 10 }; /* counts are in units of 1 / FINE, for edges that are gathered now and then */

/* A GPU's reads of one kind by source, over all recorded epochs. */
struct by_source {
    uint64_t reads[GPUS_MAX + 1], draws[GPUS_MAX + 1]; /* visits or rows; draws: of topology */
    uint64_t bytes[GPUS_MAX + 1];                      /* of feature rows */
    uint64_t lines;                                    /* transactions of feature rows that the host serves */
};

static inline int source_of(uint8_t at, int gpus) { return at ? at - 1 : gpus; }

static void count_topology(const struct graph *graph, const struct trace *t, const struct row_table *table, int g,
                           const uint8_t *at, int threads, struct by_source *to)
{
    const int hops = t->workload.hops, gpus = t->assignment.gpus;
    struct count_row seen[HOPS_MAX];
    uint64_t reads[GPUS_MAX + 1] = {0}, draws[GPUS_MAX + 1] = {0};
    for (int h = 0; h < hops; h++) seen[h] = trace_visits(t, graph, *table, h, g);
#pragma omp parallel for num_threads(threads) reduction(+ : reads[:GPUS_MAX + 1], draws[:GPUS_MAX + 1])
    for (uint64_t v = 0; v < table->count; v++) {
        uint64_t some = 0;
        for (int h = 0; h < hops; h++) some += count_at(seen[h], v);
        if (!some) continue;
        int source = source_of(at[table->first + v], gpus);
        reads[source] += some;
        draws[source] += trace_row_draws(t, graph, *table, v, g);
    }
    for (int i = 0; i <= gpus; i++) {
        to->reads[i] += reads[i] * FINE;
        to->draws[i] += draws[i] * FINE;
    }
}

static void count_features(const struct graph *graph, const struct trace *t, const struct row_table *table, int g,
                           const uint8_t *at, int threads, struct by_source *to)
{
    const struct count_row rows = trace_gathers(t, graph, *table, g);
    const int gpus = t->assignment.gpus;
    uint64_t reads[GPUS_MAX + 1] = {0}, lines = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : reads[:GPUS_MAX + 1], lines)
    for (uint64_t v = 0; v < table->count; v++) {
        uint64_t f = count_at(rows, v);
        if (!f) continue;
        reads[source_of(at[v], gpus)] += f;
        lines += at[v] ? 0 : f * cachelines_of_feature(v, table->row_bytes, t->line_bytes);
    }
    for (int i = 0; i <= gpus; i++) {
        to->reads[i] += reads[i] * FINE;
        to->bytes[i] += reads[i] * FINE * (i < gpus ? table->cached_bytes : table->row_bytes);
    }
    to->lines += lines * FINE;
}

/* Edges are gathered as often as visits of their row are expected to draw them. */
static void count_edges(const struct graph *graph, const struct trace *t, const struct row_table *table, int g,
                        const uint8_t *at, int threads, struct by_source *to)
{
    const struct graph_relation *r = &graph->relation[table->of];
    const struct row_table rows = graph_table(graph, table->of);
    const int gpus = t->assignment.gpus;
    uint64_t reads[GPUS_MAX + 1] = {0}, lines = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : reads[:GPUS_MAX + 1], lines)
    for (uint64_t v = 0; v < r->rows; v++) {
        uint64_t degree = relation_degree(r, v),
                 each = degree ? trace_row_draws(t, graph, rows, v, g) * FINE / degree : 0;
        for (uint64_t e = (uint64_t)r->indptr[v]; each && e < (uint64_t)r->indptr[v + 1]; e++) {
            reads[source_of(at[e], gpus)] += each;
            lines += at[e] ? 0 : each * cachelines_of_feature(e, table->row_bytes, t->line_bytes);
        }
    }
    for (int i = 0; i <= gpus; i++) {
        to->reads[i] += reads[i];
        to->bytes[i] += reads[i] * (i < gpus ? table->cached_bytes : table->row_bytes);
    }
    to->lines += lines;
}

/* What GPU g was recorded to read of both kinds. */
static enum st count_gpu(const struct graph *graph, const struct trace *t, const struct placement *p, int g,
                         int threads, struct by_source *topology, struct by_source *feature, struct err *err)
{
    OWNED_NEW(uint8_t, at_topology, graph_topology_rows(graph) + 1, "the look-up of a placement");
    OWNED_NEW(uint8_t, at_feature, graph_feature_rows(graph) + 1, "the look-up of a placement");
    placement_locate(p, g, p->topology, graph_topology_rows(graph), at_topology);
    placement_locate(p, g, p->feature, graph_feature_rows(graph), at_feature);
    for (int k = 0; k < graph_tables(graph); k++) {
        const struct row_table table = graph_table(graph, k);
        const uint8_t *at = at_feature + (table.kind == ROWS_TOPOLOGY ? 0 : table.first - graph_topology_rows(graph));
        if (!graph_table_there(graph, k)) continue;
        if (table.kind == ROWS_TOPOLOGY) count_topology(graph, t, &table, g, at_topology, threads, topology);
        else if (table.kind == ROWS_FEATURE) count_features(graph, t, &table, g, at, threads, feature);
        else count_edges(graph, t, &table, g, at, threads, feature);
    }
    trace_drop_pages(t); /* one GPU's counts at a time */
    return ST_OK;
}

static uint64_t sum_of(const uint64_t *of, int gpus)
{
    uint64_t sum = 0;
    for (int i = 0; i <= gpus; i++) sum += of[i];
    return sum;
}

/* Reads by source, of which the host serves `factor` times as many as were counted. */
static void scale(const uint64_t *counted, int gpus, double factor, uint64_t *out)
{
    double all = (double)sum_of(counted, gpus), host = fmin(all, (double)counted[gpus] * factor),
           cached = all - (double)counted[gpus], rest = cached > 0 ? (all - host) / cached : 0;
    if (!(cached > 0)) host = all; /* nobody else serves anything */
    for (int i = 0; i < gpus; i++) out[i] = (uint64_t)((double)counted[i] * rest);
    out[gpus] = (uint64_t)host;
}

/* Counted reads of all GPUs, and what the time model takes of them. */
struct counting {
    const struct graph *graph;
    const struct trace *t;
    const struct plan *p;
    struct by_source *topology, *feature; /* [gpus] */
};

/* Sums over the GPUs of a clique, and over all. */
struct counted {
    double lines, rows, missed, draws, visits, visits_missed;
};

/* clique: -1: of all. */
static struct counted counted_of(const struct counting *c, int clique)
{
    const struct assignment *a = &c->t->assignment;
    struct counted sum = {0};
    for (int g = 0; g < a->gpus; g++) {
        if (clique >= 0 && a->clique_of[g] != clique) continue;
        sum.visits += (double)sum_of(c->topology[g].reads, a->gpus);
        sum.visits_missed += (double)c->topology[g].reads[a->gpus];
        sum.lines += (double)c->feature[g].lines;
        sum.rows += (double)sum_of(c->feature[g].reads, a->gpus);
        sum.missed += (double)c->topology[g].draws[a->gpus];
        sum.draws += (double)sum_of(c->topology[g].draws, a->gpus);
    }
    return sum;
}

/* A GPU's part of `all`: by what it missed of what its clique did, or of all that they read where nothing was. */
static uint64_t part_of(double all, double missed, double of, double reads, double of_reads)
{
    return (uint64_t)(all * (of > 0 ? missed / of : of_reads > 0 ? reads / of_reads : 0));
}

/* Sets the expected reads of a clique's GPUs. of_lists: visits that are missed, in those that were counted. */
static void expect_clique(const struct counting *c, int clique, double of_lists, struct replay *r)
{
    const struct assignment *a = &c->t->assignment;
    const struct plan_clique *k = &c->p->clique[clique];
    const struct counted sum = counted_of(c, clique);
    double rows_left = (double)k->feature * (double)r->epochs, lists_left = (double)k->topology * (double)r->epochs;
    double of_rows = sum.lines > 0 ? rows_left / sum.lines : 1;
    bool samples = c->p->placement.access == ACCESS_GPU; /* otherwise blocks are copied from the host */
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique) continue;
        const struct by_source *rows = &c->feature[g], *lists = &c->topology[g];
        struct replay_gpu *to = &r->gpu[g];
        double draws = (double)sum_of(lists->draws, a->gpus);
        scale(rows->reads, a->gpus, of_rows, to->rows);
        if (!graph_plain(c->graph)) scale(rows->bytes, a->gpus, of_rows, to->feature_bytes);
        to->feature = part_of(rows_left, (double)rows->lines, sum.lines, (double)sum_of(rows->reads, a->gpus),
                              sum.rows);
        if (samples) scale(lists->reads, a->gpus, of_lists, to->visits);
        else to->visits[a->gpus] = sum_of(lists->reads, a->gpus);
        if (samples) scale(lists->draws, a->gpus, of_lists, to->draws);
        else to->draws[a->gpus] = (uint64_t)draws;
        for (int i = 0; i <= a->gpus; i++) to->entries[i] = 4 * to->draws[i];
        to->topology = part_of(lists_left, samples ? (double)lists->draws[a->gpus] : draws,
                               samples ? sum.missed : sum.draws, draws, sum.draws);
    }
}

static void release(struct counting *c)
{
    mem_free(c->topology);
    mem_free(c->feature);
}

enum st expected_reads(const struct graph *graph, const struct trace *t, const struct plan *p, int threads,
                       struct replay *r, struct err *err)
{
    r->epochs = t->epochs * FINE;
    r->gpus = t->assignment.gpus;
    OWNED_BY(release) struct counting c = {.graph = graph, .t = t, .p = p};
    MAKE(c.topology, t->assignment.gpus, "recorded reads");
    MAKE(c.feature, t->assignment.gpus, "recorded reads");
    for (int g = 0; g < t->assignment.gpus; g++)
        PASS(count_gpu(graph, t, &p->placement, g, threads, &c.topology[g], &c.feature[g], err));
    const struct counted all = counted_of(&c, -1);
    double missed = isnan(p->predicted_topology_hit) ? 0 : (1 - p->predicted_topology_hit) * all.visits;
    double of_lists = all.visits_missed > 0 ? missed / all.visits_missed : 1;
    for (int k = 0; k < t->assignment.cliques; k++) expect_clique(&c, k, of_lists, r);
    return ST_OK;
}

/* Small requests are slower than large ones, on a GPU's link or on the uplink that it shares. */
static double list_price_of(const struct epoch_load *l, const struct server *s, const struct epoch_time *t)
{
    int slowest = 0;
    double longest = -1;
    for (int g = 0; g < l->gpus; g++) {
        double here = fmax(t->part[PART_PCIE][g], t->uplink[g]);
        slowest = here > longest ? g : slowest;
        longest = fmax(longest, here);
    }
    const struct epoch_gpu *gpu = &l->gpu[slowest];
    bool shared = t->uplink[slowest] > t->part[PART_PCIE][slowest];
    double (*rate)(const struct server *, double) = shared ? server_uplink_rate : server_pcie_rate;
    double rows = rate(s, gpu->feature_payload), lists = rate(s, gpu->topology_payload);
    return rows > 0 && lists > 0 ? rows / lists : 1;
}

static void times(uint64_t *counts, int count, double by)
{
    for (int i = 0; i < count; i++) counts[i] = (uint64_t)((double)counts[i] * by);
}

/* Reads of some rows become those of all (thin.h). */
static void enlarge(struct replay_gpu *gpu, int gpus, double rows, double lists)
{
    times(gpu->rows, gpus + 1, rows);
    times(gpu->feature_bytes, gpus + 1, rows);
    times(&gpu->feature, 1, rows);
    times(gpu->visits, gpus + 1, lists);
    times(gpu->draws, gpus + 1, lists);
    times(gpu->entries, gpus + 1, lists);
    times(&gpu->topology, 1, lists);
}

enum st expected_epoch(const struct study *s, const struct epoch_load *recorded, const struct trace *t,
                       const struct plan *p, int threads, struct epoch_time *out, double *list_price, struct err *err)
{
    const struct graph *graph = s->o.graph;
    struct epoch_setup how = epoch_setup_of(&s->o.timing, p, graph);
    OWNED_NEW(struct replay_gpu, gpu, t->assignment.gpus, "expected reads");
    OWNED_NEW(struct epoch_load, load, 1, "the time model");
    OWNED_NEW(struct routes, routes, 1, "the time model");
    struct replay r = {.gpu = gpu};
    PASS(expected_reads(graph, t, p, threads, &r, err));
    for (int g = 0; s->thin && g < r.gpus; g++) enlarge(&gpu[g], r.gpus, s->thin->rows[g], s->thin->lists[g]);
    *load = *recorded;
    routes_find(&p->placement, p->links, p->assignment.id, routes);
    epoch_load_reads(&p->placement, routes, p->pcie_switch, &r, graph, &p->workload, p->line_bytes, load);
    if (how.enlarge > 0) epoch_load_enlarge(load, how.enlarge);
    epoch_time(load, s->o.server, &how, out);
    *list_price = list_price_of(load, s->o.server, out);
    return ST_OK;
}
