#include "simulator/replay/replay_tables.h"

#include "base/cacheline.h"

enum { SOURCES = GPUS_MAX + 1 };

/* Who serves topology where GPUs do not sample: 0 the host, else 1 + the position of the first sampler. */
static int sampled_by(const struct placement *p)
{
    for (int g = 0; p->access == ACCESS_SAMPLERS && g < p->gpus; g++)
        if (p->topology[g].count) return 1 + g;
    return 0;
}

/* What a row's source is in sums: GPUs, then the host. */
static int source_of(int served, int gpus) { return served ? served - 1 : gpus; }

static enum read_source read_from(const struct tables_tally *tally, int source)
{
    return source == tally->placement->gpus ? READ_HOST : source == tally->reader ? READ_OWN : READ_PEER;
}

/* The visits of the rows of a relation, in the hops that visit it. */
struct visited {
    int hops, hop[HOPS_MAX];
    uint32_t fanout[HOPS_MAX];
    const uint32_t *visits[HOPS_MAX]; /* [rows] */
};

static struct visited visits_of(const struct graph *g, const struct workload *w, const struct sample_counts *c,
                                int relation)
{
    struct visited v = {.hops = 0};
    uint64_t first = g->type[g->relation[relation].target].first;
    for (int h = 0; h < w->hops; h++) {
        uint32_t fanout = workload_fanout(w, relation, h);
        if (!fanout) continue;
        v.hop[v.hops] = h;
        v.fanout[v.hops] = fanout;
        v.visits[v.hops++] = c->visits[h] + first;
    }
    return v;
}

static void add_topology(const struct tables_tally *tally, const struct sample_counts *c, int table,
                         struct tally_hops *hops)
{
    const struct row_table *t = &tally->graph->table[table];
    const struct graph_relation *r = &tally->graph->relation[t->of];
    const struct visited v = visits_of(tally->graph, tally->workload, c, t->of);
    const uint32_t *lines = c->lines + t->first, *drawn = c->draws ? c->draws + t->first : NULL;
    const uint8_t *where = tally->topology + t->first;
    int gpus = tally->placement->gpus, sampler = source_of(sampled_by(tally->placement), gpus);
    bool copied = tally->placement->access != ACCESS_GPU;
    const uint64_t whole_rows = workload_by_weight(tally->workload, r->weights) ? 8
                                : tally->workload->sampler == SAMPLER_LABOR     ? 4
                                                                                : 0;
    uint64_t visits[SOURCES] = {0}, draws[SOURCES] = {0}, degrees[SOURCES] = {0}, entries[SOURCES] = {0},
             hop_visits[HOPS_MAX] = {0}, hop_draws[HOPS_MAX] = {0}, all = 0, host = 0, all_draws = 0;
#pragma omp parallel for num_threads(tally->threads) if (t->count >= ROWS_PARALLEL) \
    reduction(+ : all, host, all_draws) reduction(+ : visits, draws, degrees, entries, hop_visits, hop_draws)
    for (uint64_t row = 0; row < t->count; row++) {
        uint64_t n = 0, d = 0, whole = 0, degree = relation_degree(r, row);
        for (int k = 0; k < v.hops; k++) {
            uint64_t here = v.visits[k][row], drew = here * (degree < v.fanout[k] ? degree : v.fanout[k]);
            hop_visits[v.hop[k]] += here;
            hop_draws[v.hop[k]] += drew;
            n += here;
            d += drew;
            whole += here * degree * (degree > v.fanout[k] ? whole_rows : 4);
        }
        if (!n) continue;
        if (drawn) d = drawn[row];
        int holder = source_of(where[row], gpus), source = copied ? sampler : holder;
        visits[source] += n;
        draws[source] += d;
        degrees[holder] += n * degree * (4 + r->weight_bytes) / 4; /* in units of 4 bytes */
        entries[holder] += whole_rows ? whole : 4 * d;
        all_draws += d;
        all += lines[row];
        if (source == gpus) host += lines[row];
    }
    struct table_reads *to = &tally->read[table];
    for (int s = 0; s <= gpus; s++) {
        tally->sum->visits[s] += visits[s];
        tally->sum->draws[s] += draws[s];
        tally->sum->degrees[s] += degrees[s];
        tally->sum->entries[s] += entries[s];
        to->reads[read_from(tally, s)] += visits[s];
    }
    tally->sum->lines += all;
    to->draws += all_draws;
    to->uncached += all;
    to->transactions = copied ? (8 * to->draws + tally->line_bytes - 1) / tally->line_bytes : to->transactions + host;
    for (int h = 0; hops && h < tally->workload->hops; h++) {
        hops->visits[h] += hop_visits[h];
        hops->draws[h] += hop_draws[h];
    }
    if (hops) hops->all_draws += all_draws;
}

/* How often each feature row of a table was read. */
static const uint32_t *gathers_of(const struct graph *g, const struct sample_counts *c, const struct row_table *t)
{
    return t->kind == ROWS_FEATURE ? c->feature + graph_vertices(g, t->of).first
                                   : c->edge + g->relation[t->of].first_edge;
}

static void add_features(const struct tables_tally *tally, const struct sample_counts *c, int table)
{
    const struct row_table *t = &tally->graph->table[table];
    const uint32_t *reads = gathers_of(tally->graph, c, t);
    const uint8_t *where = tally->feature + (t->first - tally->graph->topology_rows);
    int gpus = tally->placement->gpus;
    uint64_t rows[SOURCES] = {0}, all = 0, host = 0;
#pragma omp parallel for num_threads(tally->threads) if (t->count >= ROWS_PARALLEL) reduction(+ : all, host, rows)
    for (uint64_t row = 0; row < t->count; row++) {
        uint64_t n = reads[row];
        if (!n) continue;
        uint64_t lines = n * cachelines_of_feature(row, t->row_bytes, tally->line_bytes);
        int source = source_of(where[row], gpus);
        rows[source] += n;
        all += lines;
        if (source == gpus) host += lines;
    }
    struct table_reads *to = &tally->read[table];
    for (int s = 0; s <= gpus; s++) {
        tally->sum->rows[s] += rows[s];
        tally->sum->feature_bytes[s] += rows[s] * (s == gpus ? t->row_bytes : t->cached_bytes);
        to->reads[read_from(tally, s)] += rows[s];
    }
    to->uncached += all;
    to->transactions += host;
}

/* Vertices that the mini-batches have. */
static uint64_t count_vertices(const struct graph *g, const struct sample_counts *c, int threads)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) if (g->n >= ROWS_PARALLEL) reduction(+ : sum)
    for (uint64_t v = 0; v < g->n; v++) sum += c->feature[v];
    return sum;
}

void tables_add(const struct tables_tally *tally, const struct sample_counts *c, struct tally_hops *hops)
{
    tally->sum->vertices += count_vertices(tally->graph, c, tally->threads);
    tally->sum->topology = tally->sum->feature = 0;
    for (int t = 0; t < tally->graph->tables; t++) {
        bool topology = tally->graph->table[t].kind == ROWS_TOPOLOGY;
        if (!graph_table_there(tally->graph, t)) continue;
        if (topology) add_topology(tally, c, t, hops);
        else add_features(tally, c, t);
        *(topology ? &tally->sum->topology : &tally->sum->feature) += tally->read[t].transactions;
    }
}

void tables_lines(const struct graph *g, const struct sample_counts *c, uint64_t line_bytes, int threads,
                  uint64_t *topology, uint64_t *feature)
{
#pragma omp parallel for num_threads(threads)
    for (uint64_t row = 0; row < graph_topology_rows(g); row++) topology[row] += c->lines[row];
    for (int k = graph_relation_count(g); k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (!graph_table_there(g, k)) continue;
        const uint32_t *reads = gathers_of(g, c, &t);
        uint64_t *to = feature + row_table_begin(g, &t);
#pragma omp parallel for num_threads(threads) if (t.count >= ROWS_PARALLEL)
        for (uint64_t row = 0; row < t.count; row++)
            to[row] += reads[row] * cachelines_of_feature(row, t.row_bytes, line_bytes);
    }
}
