#include "planner/engine/nodes_sum.h"

#include <math.h>
#include <string.h>

#include "simulator/movement/movement.h"
#include "simulator/plan/plan_places.h"

/* ---- numbers of documents ---- */

static const doc *simulated(const struct study_cell *c, int node, const char *member)
{
    const doc *d = study_cell_of(c, node)->plan.simulated;
    return member ? doc_get(d, member) : d;
}

/* Adds the member `key` of d to that of sum; counts stay counts. */
static void nodes_sum_add(doc *sum, const doc *d, const char *key)
{
    const doc *has = doc_get(sum, key), *more = doc_get(d, key);
    if (!has) doc_put(sum, key, doc_copy(more));
    else if (doc_is_integer(has) && doc_is_integer(more))
        doc_put(sum, key, doc_integer(doc_integer_value(has, 0) + doc_integer_value(more, 0)));
    else doc_put(sum, key, doc_real(doc_real_value(has, NAN) + doc_real_value(more, NAN)));
}

static void divide(doc *d, const char *key, int by) { doc_put(d, key, doc_real(doc_number(d, key) / by)); }

/* The node whose epoch takes longest by the seconds of `member` of its document, NULL: of the document; -1: not known.
 */
static int slowest(const doc *const *of, int nodes, const char *member)
{
    int best = -1;
    double most = -1;
    for (int n = 0; n < nodes; n++) {
        double s = doc_number(member ? doc_get(of[n], member) : of[n], "seconds");
        if (isnan(s)) return -1;
        if (s > most) {
            most = s;
            best = n;
        }
    }
    return best;
}

/* ---- memories ---- */

/* The entry of places[] of that kind, made if it is not there. */
static doc *place_of(doc *places, const doc *one)
{
    const char *kind = doc_text_value(doc_get(one, "kind"), ""), *name = kind;
    for (uint64_t i = 0; i < doc_size(places); i++)
        if (!strcmp(doc_text_value(doc_get(doc_at(places, i), "kind"), ""), kind)) return doc_at(places, i);
    for (int k = 0; k < PLACE_KINDS; k++)
        if (!strcmp(place_kind_table[k].name, kind)) name = place_kind_table[k].many;
    doc *d = doc_object();
    doc_put(d, "name", doc_text(name));
    doc_put(d, "kind", doc_text(kind));
    doc_append(places, d);
    return d;
}

static doc *sum_places(const doc *const *memories, int nodes)
{
    doc *places = doc_array();
    for (int n = 0; n < nodes; n++) {
        const doc *of = doc_get(memories[n], "places");
        for (uint64_t i = 0; i < doc_size(of); i++) {
            const doc *one = doc_at(of, i);
            doc *sum = place_of(places, one);
            for (const char *key = doc_next_key(one, NULL); key; key = doc_next_key(one, key))
                if (!doc_is_text(doc_get(one, key))) nodes_sum_add(sum, one, key);
        }
    }
    for (uint64_t i = 0; i < doc_size(places); i++) divide(doc_at(places, i), "seconds", nodes);
    return places;
}

static doc *sum_ssd(const doc *const *memories, int nodes)
{
    doc *d = doc_object();
    double longest = 0;
    for (int n = 0; n < nodes; n++) {
        const doc *of = doc_get(memories[n], "ssd");
        if (!doc_is_object(of)) {
            doc_free(d);
            return doc_null();
        }
        nodes_sum_add(d, of, "blocks");
        nodes_sum_add(d, of, "bytes");
        longest = fmax(longest, doc_number(of, "seconds"));
        doc_put(d, "limit", doc_copy(doc_get(of, "limit")));
    }
    doc_put(d, "seconds", doc_real(longest));
    return d;
}

doc *nodes_sum_memories(const doc *const *of, int nodes)
{
    doc *d = doc_object();
    const int last = slowest(of, nodes, "epoch");
    doc_put(d, "places", sum_places(of, nodes));
    for (int n = 0; n < nodes; n++) nodes_sum_add(d, of[n], "seconds");
    divide(d, "seconds", nodes);
    doc_put(d, "ssd", sum_ssd(of, nodes));
    doc_put(d, "epoch", last < 0 ? doc_null() : doc_copy(doc_get(of[last], "epoch")));
    return d;
}

/* ---- reads of GPUs ---- */

static doc *all_gpus(const struct study_cell *c)
{
    doc *all = doc_array();
    for (int n = 0; n <= c->others; n++) {
        const doc *gpus = simulated(c, n, "gpus");
        for (uint64_t i = 0; i < doc_size(gpus); i++) {
            doc *one = doc_copy(doc_at(gpus, i));
            doc_put(one, "node", doc_integer(n));
            doc_append(all, one);
        }
    }
    return all;
}

/* The share of reads that no host serves. */
static double hit_rate(const doc *gpus, const char *key)
{
    double own = 0, peer = 0, host = 0;
    for (uint64_t i = 0; i < doc_size(gpus); i++) {
        const doc *of = doc_get(doc_at(gpus, i), key);
        own += doc_number(of, "local");
        peer += doc_number(of, "peer");
        host += doc_number(of, "host");
    }
    return (own + peer) / (own + peer + host);
}

/* Adds reads and transactions of an entry of `tables` or `kinds` to those of sum, of which it is a copy at first. */
static void add_entry(doc *sum, const doc *one)
{
    static const char *const places[] = {"local", "peer", "host"};
    doc *reads = doc_get(sum, "reads");
    double all = 0;
    for (int i = 0; i < 3; i++) {
        nodes_sum_add(reads, doc_get(one, "reads"), places[i]);
        all += doc_number(reads, places[i]);
    }
    nodes_sum_add(sum, one, "transactions");
    nodes_sum_add(sum, one, "uncached_transactions");
    doc_put(sum, "hit_rate", doc_real(all > 0 ? 1 - doc_number(reads, "host") / all : NAN));
}

/* Of several types: every table, and every kind of rows. */
static void put_tables(const struct study_cell *c, doc *d)
{
    doc *tables = doc_copy(simulated(c, 0, "tables")), *kinds = doc_copy(simulated(c, 0, "kinds"));
    for (int n = 1; n <= c->others; n++) {
        for (uint64_t i = 0; i < doc_size(tables); i++)
            add_entry(doc_at(tables, i), doc_at(simulated(c, n, "tables"), i));
        for (const char *key = doc_next_key(kinds, NULL); key; key = doc_next_key(kinds, key))
            add_entry(doc_get(kinds, key), doc_get(simulated(c, n, "kinds"), key));
    }
    doc_put(d, "kinds", kinds);
    doc_put(d, "tables", tables);
}

static doc *sum_movement(const struct study_cell *c)
{
    doc *d = doc_object();
    int64_t most = 0;
    for (int n = 0; n <= c->others; n++) {
        doc *of = movement_totals(simulated(c, n, "movement"));
        int64_t link = doc_integer_value(doc_get(of, "max_link_bytes"), 0);
        nodes_sum_add(d, of, "pcie_wire_bytes");
        nodes_sum_add(d, of, "nvlink_bytes");
        most = link > most ? link : most;
        doc_free(of);
    }
    doc_put(d, "max_link_bytes", doc_integer(most));
    return d;
}

static void put_transactions(const struct study_cell *c, doc *d)
{
    uint64_t sum[2] = {0, 0};
    for (int n = 0; n <= c->others; n++) {
        const doc *of = simulated(c, n, NULL);
        sum[0] += (uint64_t)doc_integer_value(doc_get(of, "topology_transactions"), 0);
        sum[1] += (uint64_t)doc_integer_value(doc_get(of, "feature_transactions"), 0);
    }
    plan_put_transactions(d, sum[0], sum[1]);
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

doc *nodes_sum_simulated(const struct study_cell *c)
{
    doc *d = doc_object(), *gpus = all_gpus(c);
    const int nodes = 1 + c->others;
    const doc *epoch[PLAN_PLACES_MAX], *memories[PLAN_PLACES_MAX]; /* of a node each; more have no plan */
    for (int n = 0; n < nodes; n++) {
        epoch[n] = simulated(c, n, "epoch_time");
        memories[n] = simulated(c, n, "memories");
    }
    const int last = slowest(epoch, nodes, NULL);
    doc_put(d, "nodes", doc_integer(nodes));
    doc_put(d, "epochs", doc_copy(simulated(c, 0, "epochs")));
    doc_put(d, "seed", doc_copy(simulated(c, 0, "seed")));
    doc_put(d, "feature_hit_rate", doc_real(hit_rate(gpus, "feature_rows")));
    doc_put(d, "topology_hit_rate", doc_real(hit_rate(gpus, "topology_visits")));
    put_transactions(c, d);
    doc_put(d, "prediction_error",
            doc_real((double)predicted_totals(c).total / doc_number(d, "total_transactions") - 1));
    if (simulated(c, 0, "tables")) put_tables(c, d);
    doc_put(d, "gpus", gpus);
    doc_put(d, "epoch_time", last < 0 ? doc_null() : doc_copy(epoch[last]));
    doc_put(d, "movement", sum_movement(c));
    doc_put(d, "memories", nodes_sum_memories(memories, nodes));
    return d;
}

doc *nodes_sum_predicted(const struct study_cell *c)
{
    doc *d = doc_object();
    struct plan_totals sum = predicted_totals(c);
    doc_put(d, "feature_hit_rate", doc_null());
    doc_put(d, "topology_hit_rate", doc_null());
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
