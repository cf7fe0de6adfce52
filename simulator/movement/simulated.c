#include "simulator/movement/simulated.h"

#include <math.h>

#include "base/mem.h"
#include "base/units.h"
#include "simulator/movement/memories_read.h"
#include "simulator/movement/movement.h"

double simulated_hit(const uint64_t reads[READ_SOURCES])
{
    const uint64_t all = reads[READ_OWN] + reads[READ_PEER] + reads[READ_HOST];
    return all ? 1 - (double)reads[READ_HOST] / (double)all : NAN;
}

static doc *places(const uint64_t reads[READ_SOURCES])
{
    static const char *const names[READ_SOURCES] = {"local", "peer", "host"};
    doc *d = doc_object();
    for (int i = 0; i < READ_SOURCES; i++) doc_put(d, names[i], doc_integer((int64_t)reads[i]));
    return d;
}

void simulated_add(struct simulated_sums *to, const struct simulated_sums *one)
{
    for (int k = 0; k < READ_SOURCES; k++) {
        to->rows[k] += one->rows[k];
        to->visits[k] += one->visits[k];
    }
    to->transactions.topology += one->transactions.topology;
    to->transactions.feature += one->transactions.feature;
    to->transactions.total += one->transactions.total;
    to->pcie_wire += one->pcie_wire;
    to->nvlink += one->nvlink;
    if (one->most_of_a_link > to->most_of_a_link) to->most_of_a_link = one->most_of_a_link;
}

struct simulated_sums simulated_reader(const struct simulated *s, const struct graph *graph, int g)
{
    const struct replay *r = &s->replay;
    const struct replay_gpu gpu = replay_part(&r->gpu[g], s->part);
    struct simulated_sums sum = {.rows = {0}};
    struct plan_totals *transactions = &sum.transactions;
    for (int k = 0; k <= r->gpus; k++) {
        const enum read_source from = k == g ? READ_OWN : k == r->gpus ? READ_HOST : READ_PEER;
        sum.rows[from] += gpu.rows[k];
        sum.visits[from] += gpu.visits[k];
    }
    if (graph_plain(graph)) {
        transactions->topology = units_round_half_up(gpu.topology, r->epochs);
        transactions->feature = units_round_half_up(gpu.feature, r->epochs);
    }
    for (int t = 0; t < r->tables; t++) {
        const struct table_reads reads = replay_table_part(&r->table[g * r->tables + t], s->part);
        *(graph->table[t].kind == ROWS_TOPOLOGY
              ? &transactions->topology
              : &transactions->feature) += units_round_half_up(reads.transactions, r->epochs);
    }
    transactions->total = transactions->topology + transactions->feature;
    return sum;
}

doc *simulated_gpu(const struct plan *p, const struct simulated *s, const struct graph *graph, int g)
{
    const struct replay *r = &s->replay;
    const struct simulated_sums sum = simulated_reader(s, graph, g);
    doc *d = doc_object(), *transactions = doc_object(), *tables = doc_array();
    DOC_PUT(d, IS("id", p->assignment.id[g]), IS("feature_rows", places(sum.rows)),
            IS("topology_visits", places(sum.visits)));
    doc_put(transactions, "topology", doc_integer((int64_t)sum.transactions.topology));
    doc_put(transactions, "feature", doc_integer((int64_t)sum.transactions.feature));
    doc_put(transactions, "total", doc_integer((int64_t)sum.transactions.total));
    doc_put(d, "transactions", transactions);
    for (int t = 0; t < r->tables; t++) {
        const struct table_reads reads = replay_table_part(&r->table[g * r->tables + t], s->part);
        if (!graph_table_there(graph, t)) continue;
        doc *one = plan_table_document(graph, t);
        doc_put(one, "reads", places(reads.reads));
        doc_append(tables, one);
    }
    if (graph_plain(graph)) doc_free(tables);
    else doc_put(d, "tables", tables);
    return d;
}

/* Useful bytes, reader by source: feature rows, 16 per visit and 4 per draw; of copied blocks 8 per draw, from the
 * host. */
static doc *traffic_document(const struct plan *p, const struct simulated *s, const struct graph *graph)
{
    const struct replay *r = &s->replay;
    doc *all = doc_array();
    for (int g = 0; g < r->gpus; g++) {
        const struct replay_gpu gpu = replay_part(&r->gpu[g], s->part);
        doc *row = doc_array();
        uint64_t draws = 0;
        for (int k = 0; k <= r->gpus; k++) draws += gpu.draws[k];
        for (int k = 0; k <= r->gpus; k++) {
            uint64_t topology = 16 * gpu.visits[k] + 4 * gpu.draws[k];
            if (p->placement.access != ACCESS_GPU) topology = k == r->gpus ? 8 * draws : 0;
            doc_append(row, doc_integer((int64_t)(replay_feature_bytes(&gpu, graph, r->gpus, k) + topology)));
        }
        doc_append(all, row);
    }
    return all;
}

/* Transactions of the busiest switch or socket; null when the place of a GPU is not known. */
static doc *busiest(const struct simulated *s, const int *place)
{
    const struct replay *r = &s->replay;
    uint64_t best = 0;
    for (int a = 0; a < r->gpus; a++) {
        uint64_t sum = 0;
        if (place[a] < 0) return doc_null();
        for (int b = 0; b < r->gpus; b++)
            if (place[b] == place[a])
                sum += units_round_half_up(units_part(r->gpu[b].topology, s->part), r->epochs) +
                       units_round_half_up(units_part(r->gpu[b].feature, s->part), r->epochs);
        if (sum > best) best = sum;
    }
    return doc_integer((int64_t)best);
}

/* ---- several types: the same per table of rows */

struct table_reads simulated_reads(const struct simulated *const *of, int nodes, const struct graph *graph, int table,
                                   enum row_kind kind)
{
    struct table_reads sum = {.reads = {0}};
    for (int n = 0; n < nodes; n++) {
        const struct replay *r = &of[n]->replay;
        uint64_t uncached = 0;
        for (int t = 0; t < r->tables; t++) {
            if (table >= 0 ? t != table : graph->table[t].kind != kind) continue;
            sum.transactions += replay_table_transactions(r, t, of[n]->part);
            for (int g = 0; g < r->gpus; g++) {
                const struct table_reads reads = replay_table_part(&r->table[g * r->tables + t], of[n]->part);
                for (int k = 0; k < READ_SOURCES; k++) sum.reads[k] += reads.reads[k];
                uncached += reads.uncached;
            }
        }
        sum.uncached += units_round_half_up(uncached, r->epochs);
    }
    return sum;
}

static void put_reads(doc *d, struct table_reads sum)
{
    DOC_PUT(d, IS("reads", places(sum.reads)), IS("hit_rate", simulated_hit(sum.reads)),
            IS("transactions", sum.transactions), IS("uncached_transactions", sum.uncached));
}

void simulated_put_tables(const struct simulated *const *of, int nodes, const struct graph *graph, doc *d)
{
    doc *kinds = doc_object(), *tables = doc_array();
    for (int k = 0; k < ROWS_KINDS; k++) {
        doc *one = doc_object();
        put_reads(one, simulated_reads(of, nodes, graph, -1, (enum row_kind)k));
        doc_put(kinds, row_kind_name((enum row_kind)k), one);
    }
    for (int t = 0; t < graph->tables; t++) {
        if (!graph_table_there(graph, t)) continue;
        doc *one = plan_table_document(graph, t);
        put_reads(one, simulated_reads(of, nodes, graph, t, ROWS_KINDS));
        doc_append(tables, one);
    }
    DOC_PUT(d, IS("kinds", kinds), IS("tables", tables));
}

enum st simulated_sum(const struct plan *p, const struct graph *graph, struct simulated *s, struct err *err)
{
    const struct replay *r = &s->replay;
    const uint64_t predicted = plan_predicted(p).total, *total = &s->sums.transactions.total;
    s->part = 1 - p->cpu_share;
    for (int g = 0; g < r->gpus; g++) {
        const struct simulated_sums one = simulated_reader(s, graph, g);
        simulated_add(&s->sums, &one);
    }
    s->low = r->interval_known ? (uint64_t)(s->part * r->low + 0.5) : 0;
    s->high = r->interval_known ? (uint64_t)(s->part * r->high + 0.5) : 0;
    s->error = *total ? (double)predicted / (double)*total - 1 : predicted ? NAN : 0;
    if (*p->cache) s->error = NAN;
    return movement_sum(p, r, graph, &s->sums, err);
}

/* The model on nothing cached, too, so that people see what a cache is worth in time; not where other processors than
 * the GPUs sample or copy, which an empty placement does not replay. */
static enum st time_bare(const struct epoch_options *o, const struct server *server, const struct plan *p,
                         const struct replay *bare, const struct graph *graph, struct epoch_timed *time,
                         struct err *err)
{
    OWNED struct epoch_timed *without = NULL;
    if (p->placement.access != ACCESS_GPU || p->placement.copies_features) return ST_OK;
    OWNED_NEW(struct plan, empty, 1, "a plan without a cache"); /* borrows from p */
    *empty = *p;
    empty->placement = (struct placement){.gpus = p->placement.gpus};
    PASS(epoch_timed_make(o, server, empty, bare, graph, &without, err));
    time->without_cache = without->seconds;
    return ST_OK;
}

enum st simulated_make(const struct epoch_options *o, const struct server *server, const struct plan *p,
                       struct replay *r, const struct replay *bare, const struct graph *graph, struct simulated **out,
                       struct err *err)
{
    struct simulated *s;
    MAKE(s, 1, "what was simulated");
    s->replay = *r;
    *r = (struct replay){0};
    simulated_free(*out);
    *out = s;
    PASS(simulated_sum(p, graph, s, err));
    PASS(epoch_timed_make(o, server, p, &s->replay, graph, &s->time, err));
    return bare && s->time ? time_bare(o, server, p, bare, graph, s->time, err) : ST_OK;
}

doc *simulated_document(const struct plan *p, const struct simulated *s, const struct graph *graph, bool movement)
{
    if (!s) return doc_null();
    const struct replay *r = &s->replay;
    doc *d = doc_object(), *gpus = doc_array(), *interval = r->interval_known ? doc_array() : doc_null();
    DOC_PUT(d, IS("epochs", r->epochs), IS("seed", r->seed), IS("feature_hit_rate", simulated_hit(s->sums.rows)),
            IS("topology_hit_rate", simulated_hit(s->sums.visits)));
    plan_put_transactions(d, s->sums.transactions.topology, s->sums.transactions.feature);
    if (r->interval_known) {
        doc_append(interval, doc_integer((int64_t)s->low));
        doc_append(interval, doc_integer((int64_t)s->high));
    }
    DOC_PUT(d, IS("total_interval", interval), IS("prediction_error", s->error));
    if (!graph_plain(graph)) simulated_put_tables(&s, 1, graph, d);
    for (int g = 0; g < r->gpus; g++) doc_append(gpus, simulated_gpu(p, s, graph, g));
    DOC_PUT(d, IS("gpus", gpus), IS("traffic_bytes", traffic_document(p, s, graph)),
            IS("max_per_switch", busiest(s, p->pcie_switch)), IS("max_per_socket", busiest(s, p->socket)));
    if (movement) doc_put(d, "movement", movement_document(p, r, graph));
    if (s->time) doc_put(d, "epoch_time", epoch_time_document(s->time, p->assignment.id, p->assignment.gpus));
    if (s->memories) doc_put(d, "memories", memories_read_document(s->memories));
    return d;
}
