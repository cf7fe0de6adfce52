#include "simulator/movement/simulated.h"

#include <math.h>

#include "base/units.h"
#include "simulator/movement/movement.h"

struct sums {
    uint64_t rows, host_rows, visits, host_visits, topology, feature;
};

static doc *places(const uint64_t *by_source, int reader, int gpus)
{
    doc *d = doc_object();
    uint64_t peer = 0;
    for (int s = 0; s < gpus; s++) peer += s == reader ? 0 : by_source[s];
    doc_put(d, "local", doc_integer((int64_t)by_source[reader]));
    doc_put(d, "peer", doc_integer((int64_t)peer));
    doc_put(d, "host", doc_integer((int64_t)by_source[gpus]));
    return d;
}

static void put_places(doc *d, const struct table_reads *reads)
{
    doc *all = doc_object();
    doc_put(all, "local", doc_integer((int64_t)reads->reads[READ_OWN]));
    doc_put(all, "peer", doc_integer((int64_t)reads->reads[READ_PEER]));
    doc_put(all, "host", doc_integer((int64_t)reads->reads[READ_HOST]));
    doc_put(d, "reads", all);
}

/* A GPU's reads of every table. transactions: [2] of topology and of features, set, rounded table by table. */
static doc *reader_tables(const struct replay *r, const struct graph *graph, int g, double part,
                          uint64_t transactions[2])
{
    doc *tables = doc_array();
    transactions[0] = transactions[1] = 0;
    for (int t = 0; t < r->tables; t++) {
        const struct table_reads reads = replay_table_part(&r->table[g * r->tables + t], part);
        transactions[graph->table[t].kind != ROWS_TOPOLOGY] += units_round_half_up(reads.transactions, r->epochs);
        if (!graph_table_there(graph, t)) continue;
        doc *one = plan_table_document(graph, t);
        put_places(one, &reads);
        doc_append(tables, one);
    }
    return tables;
}

static doc *reader_document(const struct plan *p, const struct replay *r, const struct graph *graph, int g,
                            struct sums *sums)
{
    const double part = 1 - p->cpu_share;
    const struct replay_gpu gpu = replay_part(&r->gpu[g], part);
    doc *d = doc_object(), *transactions = doc_object();
    uint64_t by_kind[2] = {units_round_half_up(gpu.topology, r->epochs), units_round_half_up(gpu.feature, r->epochs)};
    doc *tables = graph_plain(graph) ? NULL : reader_tables(r, graph, g, part, by_kind);
    for (int s = 0; s <= r->gpus; s++) {
        sums->rows += gpu.rows[s];
        sums->visits += gpu.visits[s];
    }
    sums->host_rows += gpu.rows[r->gpus];
    sums->host_visits += gpu.visits[r->gpus];
    sums->topology += by_kind[0];
    sums->feature += by_kind[1];
    doc_put(d, "id", doc_integer(p->assignment.id[g]));
    doc_put(d, "feature_rows", places(gpu.rows, g, r->gpus));
    doc_put(d, "topology_visits", places(gpu.visits, g, r->gpus));
    doc_put(transactions, "topology", doc_integer((int64_t)by_kind[0]));
    doc_put(transactions, "feature", doc_integer((int64_t)by_kind[1]));
    doc_put(transactions, "total", doc_integer((int64_t)(by_kind[0] + by_kind[1])));
    doc_put(d, "transactions", transactions);
    if (tables) doc_put(d, "tables", tables);
    return d;
}

/* Useful bytes, reader by source: feature rows, 16 per visit and 4 per draw; of copied blocks 8 per draw, from the
 * host. */
static doc *traffic_document(const struct plan *p, const struct replay *r, const struct graph *graph)
{
    doc *all = doc_array();
    for (int g = 0; g < r->gpus; g++) {
        const struct replay_gpu gpu = replay_part(&r->gpu[g], 1 - p->cpu_share);
        doc *row = doc_array();
        uint64_t draws = 0;
        for (int s = 0; s <= r->gpus; s++) draws += gpu.draws[s];
        for (int s = 0; s <= r->gpus; s++) {
            uint64_t topology = 16 * gpu.visits[s] + 4 * gpu.draws[s];
            if (p->placement.access != ACCESS_GPU) topology = s == r->gpus ? 8 * draws : 0;
            doc_append(row, doc_integer((int64_t)(replay_feature_bytes(&gpu, graph, r->gpus, s) + topology)));
        }
        doc_append(all, row);
    }
    return all;
}

/* Transactions of the busiest switch or socket; null when the place of a GPU is not known. */
static doc *busiest(const struct replay *r, double part, const int *place)
{
    uint64_t best = 0;
    for (int a = 0; a < r->gpus; a++) {
        uint64_t sum = 0;
        if (place[a] < 0) return doc_null();
        for (int b = 0; b < r->gpus; b++)
            if (place[b] == place[a])
                sum += units_round_half_up(units_part(r->gpu[b].topology, part), r->epochs) +
                       units_round_half_up(units_part(r->gpu[b].feature, part), r->epochs);
        if (sum > best) best = sum;
    }
    return doc_integer((int64_t)best);
}

/* ---- several types: the same per table of rows */

static struct table_reads sum_readers(const struct replay *r, int table, double part)
{
    struct table_reads sum = {.reads = {0}};
    for (int g = 0; g < r->gpus; g++) {
        const struct table_reads reads = replay_table_part(&r->table[g * r->tables + table], part);
        for (int s = 0; s < READ_SOURCES; s++) sum.reads[s] += reads.reads[s];
        sum.uncached += reads.uncached;
    }
    return sum;
}

static void put_reads(doc *d, const struct table_reads *reads, uint64_t transactions, uint64_t epochs)
{
    double all = (double)reads->reads[READ_OWN] + (double)reads->reads[READ_PEER] + (double)reads->reads[READ_HOST];
    put_places(d, reads);
    doc_put(d, "hit_rate", doc_real(all > 0 ? 1 - (double)reads->reads[READ_HOST] / all : NAN));
    doc_put(d, "transactions", doc_integer((int64_t)transactions));
    doc_put(d, "uncached_transactions", doc_integer((int64_t)units_round_half_up(reads->uncached, epochs)));
}

static doc *kinds_document(const struct replay *r, const struct graph *graph, double part)
{
    doc *d = doc_object();
    for (int k = 0; k < ROWS_KINDS; k++) {
        struct table_reads sum = {.reads = {0}};
        uint64_t transactions = 0;
        doc *one = doc_object();
        for (int t = 0; t < r->tables; t++) {
            struct table_reads reads = sum_readers(r, t, part);
            if (graph->table[t].kind != (enum row_kind)k) continue;
            for (int s = 0; s < READ_SOURCES; s++) sum.reads[s] += reads.reads[s];
            sum.uncached += reads.uncached;
            transactions += replay_table_transactions(r, t, part);
        }
        put_reads(one, &sum, transactions, r->epochs);
        doc_put(d, row_kind_name((enum row_kind)k), one);
    }
    return d;
}

static doc *tables_document(const struct plan *p, const struct replay *r, const struct graph *graph)
{
    doc *all = doc_array();
    double part = 1 - p->cpu_share;
    for (int t = 0; t < r->tables; t++) {
        struct table_reads reads = sum_readers(r, t, part);
        if (!graph_table_there(graph, t)) continue;
        doc *one = plan_table_document(graph, t);
        put_reads(one, &reads, replay_table_transactions(r, t, part), r->epochs);
        doc_append(all, one);
    }
    return all;
}

static double error_of(uint64_t predicted, uint64_t total)
{
    return total ? (double)predicted / (double)total - 1 : predicted ? NAN : 0;
}

doc *simulated_document(const struct plan *p, const struct replay *r, const struct graph *graph)
{
    doc *d = doc_object(), *gpus = doc_array(), *interval = r->interval_known ? doc_array() : doc_null();
    struct sums s = {0};
    double part = 1 - p->cpu_share;
    for (int g = 0; g < r->gpus; g++) doc_append(gpus, reader_document(p, r, graph, g, &s));
    uint64_t predicted = plan_predicted(p).total, total = s.topology + s.feature;
    doc_put(d, "epochs", doc_integer((int64_t)r->epochs));
    doc_put(d, "seed", doc_integer((int64_t)r->seed));
    doc_put(d, "feature_hit_rate", doc_real(s.rows ? 1 - (double)s.host_rows / (double)s.rows : NAN));
    doc_put(d, "topology_hit_rate", doc_real(s.visits ? 1 - (double)s.host_visits / (double)s.visits : NAN));
    plan_put_transactions(d, s.topology, s.feature);
    if (r->interval_known) {
        doc_append(interval, doc_integer((int64_t)(part * r->low + 0.5)));
        doc_append(interval, doc_integer((int64_t)(part * r->high + 0.5)));
    }
    doc_put(d, "total_interval", interval);
    doc_put(d, "prediction_error", *p->cache ? doc_null() : doc_real(error_of(predicted, total)));
    if (!graph_plain(graph)) {
        doc_put(d, "kinds", kinds_document(r, graph, part));
        doc_put(d, "tables", tables_document(p, r, graph));
    }
    doc_put(d, "gpus", gpus);
    doc_put(d, "traffic_bytes", traffic_document(p, r, graph));
    doc_put(d, "max_per_switch", busiest(r, part, p->pcie_switch));
    doc_put(d, "max_per_socket", busiest(r, part, p->socket));
    doc_put(d, "movement", movement_document(p, r, graph));
    return d;
}
