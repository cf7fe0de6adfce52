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

static doc *reader_document(const struct plan *p, const struct replay *r, int g, struct sums *sums)
{
    const struct replay_gpu x = replay_part(&r->gpu[g], 1 - p->cpu_share);
    doc *d = doc_object(), *transactions = doc_object();
    uint64_t topology = units_round_half_up(x.topology, r->epochs), feature = units_round_half_up(x.feature, r->epochs);
    for (int s = 0; s <= r->gpus; s++) {
        sums->rows += x.rows[s];
        sums->visits += x.visits[s];
    }
    sums->host_rows += x.rows[r->gpus];
    sums->host_visits += x.visits[r->gpus];
    sums->topology += topology;
    sums->feature += feature;
    doc_put(d, "id", doc_integer(p->assignment.id[g]));
    doc_put(d, "feature_rows", places(x.rows, g, r->gpus));
    doc_put(d, "topology_visits", places(x.visits, g, r->gpus));
    doc_put(transactions, "topology", doc_integer((int64_t)topology));
    doc_put(transactions, "feature", doc_integer((int64_t)feature));
    doc_put(transactions, "total", doc_integer((int64_t)(topology + feature)));
    doc_put(d, "transactions", transactions);
    return d;
}

/* Useful bytes, reader by source: feature rows, 16 per visit and 4 per draw; of copied blocks 8 per draw, from the
 * host. */
static doc *traffic_document(const struct plan *p, const struct replay *r, const struct graph *graph)
{
    doc *all = doc_array();
    for (int g = 0; g < r->gpus; g++) {
        const struct replay_gpu x = replay_part(&r->gpu[g], 1 - p->cpu_share);
        doc *row = doc_array();
        uint64_t draws = 0;
        for (int s = 0; s <= r->gpus; s++) draws += x.draws[s];
        for (int s = 0; s <= r->gpus; s++) {
            uint64_t topology = 16 * x.visits[s] + 4 * x.draws[s];
            if (p->placement.access != ACCESS_GPU) topology = s == r->gpus ? 8 * draws : 0;
            uint64_t row_bytes = s == r->gpus ? graph->row_bytes : graph_cached_bytes(graph);
            doc_append(row, doc_integer((int64_t)(row_bytes * x.rows[s] + topology)));
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

doc *simulated_document(const struct plan *p, const struct replay *r, const struct graph *graph)
{
    doc *d = doc_object(), *gpus = doc_array(), *interval = r->interval_known ? doc_array() : doc_null();
    struct sums s = {0};
    double part = 1 - p->cpu_share;
    for (int g = 0; g < r->gpus; g++) doc_append(gpus, reader_document(p, r, g, &s));
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
    doc_put(d, "prediction_error",
            *p->cache ? doc_null()
                      : doc_real(total       ? (double)predicted / (double)total - 1
                                 : predicted ? NAN
                                             : 0));
    doc_put(d, "gpus", gpus);
    doc_put(d, "traffic_bytes", traffic_document(p, r, graph));
    doc_put(d, "max_per_switch", busiest(r, part, p->pcie_switch));
    doc_put(d, "max_per_socket", busiest(r, part, p->socket));
    doc_put(d, "movement", movement_document(p, r, graph));
    return d;
}
