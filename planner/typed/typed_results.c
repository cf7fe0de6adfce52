#include "planner/typed/typed_results.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "planner/partition/deal.h"
#include "simulator/movement/simulated.h"

/* Sums of the tables that count as topology, or as features of vertices and edges. */
struct half {
    uint64_t served[READ_SOURCES], transactions;
};

static struct half half_of(const struct graph *rows, const struct replay *r, bool topology, int gpu)
{
    struct half h = {{0, 0, 0}, 0};
    for (int g = 0; g < r->gpus; g++)
        for (int t = 0; t < r->tables && (gpu < 0 || g == gpu); t++) {
            const struct table_reads *x = &r->table[g * r->tables + t];
            if ((rows->table[t].kind == ROWS_TOPOLOGY) != topology) continue;
            for (int s = 0; s < READ_SOURCES; s++) h.served[s] += x->reads[s];
            h.transactions += units_round_half_up(x->transactions, r->epochs);
        }
    return h;
}

static doc *rate_of(const struct half *h)
{
    double all = (double)h->served[READ_OWN] + (double)h->served[READ_PEER] + (double)h->served[READ_HOST];
    return doc_real(all > 0 ? 1 - (double)h->served[READ_HOST] / all : NAN);
}

static doc *places_of(const struct half *h)
{
    doc *d = doc_object();
    doc_put(d, "local", doc_integer((int64_t)h->served[READ_OWN]));
    doc_put(d, "peer", doc_integer((int64_t)h->served[READ_PEER]));
    doc_put(d, "host", doc_integer((int64_t)h->served[READ_HOST]));
    return d;
}

/* Per GPU, as in results of graphs with one type. */
static doc *gpus_document(const struct typed_making *m, const struct plan *p, const struct replay *r)
{
    doc *all = doc_array();
    for (int g = 0; g < r->gpus; g++) {
        doc *one = doc_object(), *sums = doc_object();
        struct half topology = half_of(&m->w->graph, r, true, g), feature = half_of(&m->w->graph, r, false, g);
        doc_put(one, "id", doc_integer(p->assignment.id[g]));
        doc_put(one, "feature_rows", places_of(&feature));
        doc_put(one, "topology_visits", places_of(&topology));
        doc_put(sums, "topology", doc_integer((int64_t)topology.transactions));
        doc_put(sums, "feature", doc_integer((int64_t)feature.transactions));
        doc_put(sums, "total", doc_integer((int64_t)(topology.transactions + feature.transactions)));
        doc_put(one, "transactions", sums);
        doc_append(all, one);
    }
    return all;
}

static doc *traffic_document(const struct graph *rows, const struct replay *r)
{
    doc *all = doc_array();
    for (int g = 0; g < r->gpus; g++) {
        doc *row = doc_array();
        for (int s = 0; s <= r->gpus; s++)
            doc_append(row, doc_integer((int64_t)replay_bytes(&r->gpu[g], rows, r->gpus, s)));
        doc_append(all, row);
    }
    return all;
}

static doc *with_halves(const struct typed_making *m, const struct plan *p, const struct replay *r)
{
    struct half topology = half_of(&m->w->graph, r, true, -1), feature = half_of(&m->w->graph, r, false, -1);
    doc *d = simulated_document(p, r, &m->w->graph);
    doc_put(d, "feature_hit_rate", rate_of(&feature));
    doc_put(d, "topology_hit_rate", rate_of(&topology));
    doc_put(d, "topology_transactions", doc_integer((int64_t)topology.transactions));
    doc_put(d, "feature_transactions", doc_integer((int64_t)feature.transactions));
    doc_put(d, "gpus", gpus_document(m, p, r));
    doc_put(d, "traffic_bytes", traffic_document(&m->w->graph, r));
    return d;
}

static doc *predicted_document(const struct typed_making *m, const struct plan *p)
{
    static const char *const names[2][2] = {{"feature_hit_rate", "feature_transactions"},
                                            {"topology_hit_rate", "topology_transactions"}};
    const struct graph *rows = &m->w->graph;
    doc *d = plan_predicted_document(p, rows);
    for (int k = 0; k < 2; k++) {
        double reads = 0, missed = 0;
        uint64_t transactions = 0;
        for (int t = 0; t < rows->tables; t++) {
            if ((rows->table[t].kind == ROWS_TOPOLOGY) != (k == 1)) continue;
            for (int c = 0; c < p->assignment.cliques; c++) {
                reads += p->expected[c * rows->tables + t].reads;
                missed += p->expected[c * rows->tables + t].missed;
            }
            transactions += plan_expected_transactions(p, t);
        }
        doc_put(d, names[k][0], doc_real(reads > 0 ? 1 - missed / reads : NAN));
        doc_put(d, names[k][1], doc_integer((int64_t)transactions));
    }
    if (!p->predicted_held_out) doc_put(d, "saw_the_evaluated_epochs", doc_bool(true));
    return d;
}

/* {sum, mean, overflowed_reads} of a table, or of all (table -1), per epoch; null for tables that are not rounded. */
static doc *error_document(const struct typed_making *m, const struct plan *p, int table)
{
    const struct graph *rows = &m->w->graph;
    double sum = 0, reads = 0, overflowed = 0;
    bool rounded = false;
    for (int t = 0; t < rows->tables; t++) {
        if (rows->table[t].cached == PRECISION_HOST || (table >= 0 && t != table)) continue;
        rounded = true;
        for (int c = 0; c < p->assignment.cliques; c++) {
            const struct plan_expected *e = &p->expected[c * rows->tables + t];
            sum += e->error;
            reads += e->reads - e->missed - e->overflowed;
            overflowed += e->overflowed;
        }
    }
    if (!rounded) return doc_null();
    doc *d = doc_object();
    doc_put(d, "sum", doc_real(sum));
    doc_put(d, "mean", doc_real(reads > 0 ? sum / reads : NAN));
    doc_put(d, "overflowed_reads", doc_real(overflowed));
    return d;
}

/* Every table that has rows: what all GPUs hold of it, and what was read. */
static doc *tables_document(const struct typed_making *m, const struct plan *p, const doc *simulated)
{
    const struct graph *rows = &m->w->graph;
    const doc *read = doc_get(simulated, "tables");
    uint64_t bytes[GRAPH_TABLES_MAX] = {0}, count[GRAPH_TABLES_MAX] = {0}, b[GRAPH_TABLES_MAX], n[GRAPH_TABLES_MAX],
             at = 0;
    doc *all = doc_array();
    for (int g = 0; g < p->assignment.gpus; g++) {
        (void)placement_held(&p->placement, g, rows, b, n);
        for (int t = 0; t < rows->tables; t++) {
            bytes[t] += b[t];
            count[t] += n[t];
        }
    }
    for (int t = 0; t < rows->tables; t++) {
        char label[GRAPH_LABEL_BYTES];
        if (!graph_table_there(rows, t)) continue;
        const doc *one = doc_at(read, at++); /* the same tables in the same order */
        doc *d = plan_table_document(rows, t);
        doc_put(d, "label", doc_text(graph_table_label(rows, t, label)));
        doc_put(d, "rows", doc_integer((int64_t)rows->table[t].count));
        doc_put(d, "held_rows", doc_integer((int64_t)count[t]));
        doc_put(d, "held_bytes", doc_integer((int64_t)bytes[t]));
        doc_put(d, "predicted_transactions", doc_integer((int64_t)plan_expected_transactions(p, t)));
        doc_put(d, "hit_rate", one ? doc_copy(doc_get(one, "hit_rate")) : doc_null());
        doc_put(d, "transactions", one ? doc_copy(doc_get(one, "transactions")) : doc_null());
        doc_put(d, "uncached_transactions", one ? doc_copy(doc_get(one, "uncached_transactions")) : doc_null());
        if (one) doc_put(d, "reads", doc_copy(doc_get(one, "reads")));
        if (m->measured) doc_put(d, "expected_error", error_document(m, p, t));
        doc_append(all, d);
    }
    return all;
}

static uint64_t uncached_of(const struct replay *r)
{
    uint64_t sum = 0;
    for (int i = 0; i < r->gpus * r->tables; i++) sum += units_round_half_up(r->table[i].uncached, r->epochs);
    return sum;
}

/* The smallest budget of a GPU, and the sum of the first clique's. */
static void put_budget(doc *d, const struct typed_making *m, const struct typed_cell *c)
{
    const struct server *s = &m->w->server;
    uint64_t least = UINT64_MAX, clique = 0, all = graph_totals(&m->w->graph).total;
    for (int g = 0; g < s->gpus; g++) {
        least = c->bytes[g] < least ? c->bytes[g] : least;
        clique += s->clique_of[g] ? 0 : c->bytes[g];
    }
    doc_put(d, "budget", doc_text(c->budget.text));
    doc_put(d, "budget_per", doc_text(c->budget.clique ? "clique" : "gpu"));
    doc_put(d, "budget_bytes", doc_integer((int64_t)least));
    doc_put(d, "budget_share", doc_real((double)clique / (double)all));
}

/* The GPUs that only sample, and what each of them holds: its whole memory is free for that, not only the budget. */
static void put_samplers(doc *d, const struct typed_making *m, const struct typed_cell *c)
{
    const struct plan *p = &c->plan;
    uint64_t most = 0, bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX];
    doc *ids = doc_array();
    for (int g = 0; g < c->policy->samplers(&m->w->server); g++) {
        uint64_t held = placement_held(&p->placement, g, &m->w->graph, bytes, count);
        most = held > most ? held : most;
        doc_append(ids, doc_integer(p->assignment.id[g]));
    }
    doc_put(d, "sampler_gpus", ids);
    doc_put(d, "sampler_held_bytes", doc_integer((int64_t)most));
}

/* What a plan that was made states. */
static void put_plan(doc *d, const struct typed_making *m, const struct typed_cell *c, const struct replay *r)
{
    const struct plan *p = &c->plan;
    doc *deal = doc_object(), *simulated = r ? with_halves(m, p, r) : doc_null();
    bool peers = false;
    for (int g = 0; g < p->placement.gpus; g++) peers |= p->placement.peers[g] > 0;
    doc_put(d, "assignment", doc_text(assignment_name(p->assignment.kind)));
    doc_put(deal, "chosen", doc_text(deal_word(p->assignment.kind)));
    doc_put(d, "deal", deal);
    doc_put(d, "reach", doc_text(peers ? "direct" : "own"));
    doc_put(d, "predicted", predicted_document(m, p));
    doc_put(d, "tables", tables_document(m, p, simulated));
    doc_put(d, "simulated", simulated);
    doc *cached = plan_cached_document(&m->w->graph);
    if (cached) doc_put(d, "cache_types", cached);
    if (m->measured) doc_put(d, "expected_error", error_document(m, p, -1));
    doc_put(d, "bound", p->bound ? doc_copy(p->bound) : doc_null());
    doc_put(d, "uncached_transactions", r ? doc_integer((int64_t)uncached_of(r)) : doc_null());
    doc_put(d, "cliques", plan_cliques_document(p, &m->w->graph));
    if (p->placement.access != ACCESS_GPU)
        doc_put(d, "topology_access", doc_text(topology_access_name(p->placement.access)));
    if (c->policy->samplers) put_samplers(d, m, c);
}

doc *typed_results_row(const struct typed_making *m, const struct typed_cell *c, const struct replay *r)
{
    static const char *const status[] = {"ok", "oom", "unsupported"};
    doc *d = doc_object();
    doc_put(d, "policy", doc_text(c->policy->name));
    doc_put(d, "hotness", doc_text(c->hotness));
    doc_put(d, "server", doc_text(m->w->server.name));
    doc_put(d, "graph", doc_text(m->w->graph.name));
    put_budget(d, m, c);
    doc_put(d, "status", doc_text(status[c->verdict.status]));
    doc_put(d, "reason", doc_text(c->verdict.status == POLICY_OK ? NULL : c->verdict.reason));
    if (c->verdict.status == POLICY_OK) put_plan(d, m, c, r);
    return d;
}

static double total_of(const doc *row)
{
    const doc *shown = doc_get(row, "simulated");
    if (!doc_is_object(shown)) shown = doc_get(row, "predicted");
    return doc_real_value(doc_get(shown, "total_transactions"), NAN);
}

void typed_results_gain(doc *rows, uint64_t from, uint64_t until)
{
    double base[TYPED_BASELINES] = {NAN, NAN};
    for (uint64_t i = from; i < until; i++)
        for (int b = 0; b < TYPED_BASELINES; b++)
            if (!strcmp(doc_text_value(doc_get(doc_at(rows, i), "policy"), ""), typed_baselines[b]))
                base[b] = total_of(doc_at(rows, i));
    for (uint64_t i = from; i < until; i++) {
        doc *gain = doc_object();
        for (int b = 0; b < TYPED_BASELINES; b++)
            doc_put(gain, typed_baselines[b], doc_real(base[b] > 0 ? 1 - total_of(doc_at(rows, i)) / base[b] : NAN));
        doc_put(doc_at(rows, i), "gain", gain);
    }
}
