#include "planner/engine/nodes_sum.h"

#include <math.h>

#include "simulator/movement/movement.h"
#include "simulator/movement/simulated.h"

static const struct simulated *simulated(const struct study_cell *c, int node)
{
    return study_cell_of(c, node)->plan.simulated;
}

/* That of the node whose epoch takes longest; NULL: not known. */
static const struct epoch_timed *slowest(const struct study_cell *c)
{
    const struct epoch_timed *most = NULL;
    for (int n = 0; n <= c->others; n++) {
        const struct epoch_timed *t = simulated(c, n)->time;
        if (!t || isnan(t->seconds)) return NULL;
        if (!most || t->seconds > most->seconds) most = t;
    }
    return most;
}

void nodes_sum(const struct study_cell *c, struct nodes_sum *out)
{
    const struct memories_read *below[PLAN_PLACES_MAX]; /* of a node each; more have no plan */
    *out = (struct nodes_sum){.time = slowest(c)};
    for (int n = 0; n <= c->others; n++) {
        below[n] = simulated(c, n)->memories;
        simulated_add(&out->sums, &simulated(c, n)->sums);
    }
    if (below[0]) memories_read_sum(below, 1 + c->others, &out->memories);
}

/* The share of reads that no host serves. */
static double hit_rate(const uint64_t reads[READ_SOURCES])
{
    const double cached = (double)(reads[READ_OWN] + reads[READ_PEER]);
    return cached / (cached + (double)reads[READ_HOST]);
}

static struct plan_totals predicted_totals(const struct study_cell *c)
{
    struct plan_totals sum = {0, 0, 0};
    for (int n = 0; n <= c->others; n++) {
        struct plan_totals one = plan_predicted(&study_cell_of(c, n)->plan);
        sum.topology += one.topology;
        sum.feature += one.feature;
        sum.total += one.total;
    }
    return sum;
}

doc *nodes_sum_simulated(const struct study_cell *c, const struct graph *g, bool movement)
{
    const struct plan *first = &c->plan;
    if (!c->others || !first->simulated) return simulated_document(first, first->simulated, g, movement);
    const struct simulated *of[PLAN_PLACES_MAX];
    struct nodes_sum sum;
    doc *d = doc_object(), *gpus = doc_array();
    nodes_sum(c, &sum);
    for (int n = 0; n <= c->others; n++) {
        of[n] = simulated(c, n);
        for (int i = 0; i < of[n]->replay.gpus; i++) {
            doc *one = simulated_gpu(&study_cell_of(c, n)->plan, of[n], g, i);
            doc_put(one, "node", doc_integer(n));
            doc_append(gpus, one);
        }
    }
    DOC_PUT(d, IS("nodes", 1 + c->others), IS("epochs", first->simulated->replay.epochs),
            IS("seed", first->simulated->replay.seed), IS("feature_hit_rate", hit_rate(sum.sums.rows)),
            IS("topology_hit_rate", hit_rate(sum.sums.visits)));
    plan_put_transactions(d, sum.sums.transactions.topology, sum.sums.transactions.feature);
    doc_put(d, "prediction_error",
            doc_real((double)predicted_totals(c).total / (double)sum.sums.transactions.total - 1));
    if (!graph_plain(g)) simulated_put_tables(of, 1 + c->others, g, d);
    DOC_PUT(d, IS("gpus", gpus),
            IS("epoch_time",
               sum.time ? epoch_time_document(sum.time, first->assignment.id, first->assignment.gpus) : doc_null()));
    if (movement) doc_put(d, "movement", movement_totals(&sum.sums));
    doc_put(d, "memories", memories_read_document(&sum.memories));
    return d;
}

doc *nodes_sum_predicted(const struct study_cell *c)
{
    doc *d = doc_object();
    struct plan_totals sum = predicted_totals(c);
    DOC_PUT(d, IS("feature_hit_rate", doc_null()), IS("topology_hit_rate", doc_null()));
    plan_put_transactions(d, sum.topology, sum.feature);
    return d;
}

doc *nodes_sum_cliques(const struct study_cell *c, const struct graph *g)
{
    if (!c->others) return plan_cliques_document(&c->plan, g);
    doc *all = doc_array();
    for (int n = 0; n <= c->others; n++) {
        doc *of = plan_cliques_document(&study_cell_of(c, n)->plan, g);
        for (uint64_t i = 0; i < doc_size(of); i++) {
            doc *one = doc_copy(doc_at(of, i));
            doc_put(one, "node", doc_integer(n));
            doc_append(all, one);
        }
        doc_free(of);
    }
    return all;
}
