#include "simulator/plan/plan.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

void simulated_free(struct simulated *s)
{
    if (!s) return;
    replay_release(&s->replay);
    mem_free(s->time);
    mem_free(s->memories);
    mem_free(s);
}

void plan_release(struct plan *p)
{
    assignment_release(&p->assignment);
    placement_release(&p->placement);
    for (int c = 0; c < GPUS_MAX; c++) mem_free(p->clique[c].sweep);
    mem_free(p->expected);
    if (p->places) plan_places_release(p->places);
    mem_free(p->places);
    doc_free(p->server);
    doc_free(p->notes);
    simulated_free(p->simulated);
    memset(p, 0, sizeof *p);
}

void plan_note(struct plan *p, const char *key, doc *value)
{
    if (!p->notes) p->notes = doc_object();
    doc_put(p->notes, key, value);
}

void plan_set_cpu_share(struct plan *p, double share, const struct graph *graph)
{
    double by = p->cpu_share < 1 ? (1 - share) / (1 - p->cpu_share) : 0;
    if (share == p->cpu_share) return;
    for (int c = 0; c < p->assignment.cliques; c++) {
        struct plan_clique *k = &p->clique[c];
        k->topology = units_part(k->topology, by);
        k->feature = units_part(k->feature, by);
        k->regret = units_part(k->regret, by);
        for (int i = 0; i < k->sweep_count; i++) {
            k->sweep[i].topology = units_part(k->sweep[i].topology, by);
            k->sweep[i].feature = units_part(k->sweep[i].feature, by);
        }
    }
    for (int i = 0; i < p->assignment.cliques * p->tables && p->expected; i++) {
        struct plan_expected *e = &p->expected[i];
        e->reads *= by;
        e->missed *= by;
        e->transactions *= by;
        e->error *= by;
        e->overflowed *= by;
    }
    if (p->expected && by > 0) plan_sum_expected(p, graph);
    p->predicted_low *= by;
    p->predicted_high *= by;
    p->cpu_share = share;
}

uint64_t plan_expected_transactions(const struct plan *p, int table)
{
    uint64_t sum = 0;
    for (int c = 0; c < p->assignment.cliques; c++)
        for (int t = 0; t < p->tables; t++)
            if (table < 0 || t == table) sum += (uint64_t)(p->expected[c * p->tables + t].transactions + 0.5);
    return sum;
}

void plan_sum_expected(struct plan *p, const struct graph *graph)
{
    double reads[2] = {0, 0}, missed[2] = {0, 0}; /* of topology, of features */
    for (int c = 0; c < p->assignment.cliques; c++) {
        p->clique[c].topology = p->clique[c].feature = 0;
        for (int t = 0; t < p->tables; t++) {
            const struct plan_expected *e = &p->expected[c * p->tables + t];
            bool feature = graph_table(graph, t).kind != ROWS_TOPOLOGY;
            *(feature ? &p->clique[c].feature : &p->clique[c].topology) += (uint64_t)(e->transactions + 0.5);
            reads[feature] += e->reads;
            missed[feature] += e->missed;
        }
    }
    /* Estimates of reads and of misses have errors of their own. */
    p->predicted_topology_hit = reads[0] > 0 ? fmax(0, 1 - missed[0] / reads[0]) : NAN;
    p->predicted_feature_hit = reads[1] > 0 ? fmax(0, 1 - missed[1] / reads[1]) : NAN;
}

struct plan_totals plan_predicted(const struct plan *p)
{
    struct plan_totals t = {0};
    for (int c = 0; c < p->assignment.cliques; c++) {
        t.topology += p->clique[c].topology;
        t.feature += p->clique[c].feature;
    }
    t.total = t.topology + t.feature;
    return t;
}

void plan_order_peers(struct plan *p)
{
    struct placement *placement = &p->placement;
    for (int g = 0; g < placement->gpus; g++)
        for (int i = 1; i < placement->peers[g]; i++) /* insertion sort: there are few peers */
            for (int j = i; j > 0; j--) {
                int a = placement->peer[g][j - 1], b = placement->peer[g][j], wa = p->links[g][a], wb = p->links[g][b];
                if (wa > wb || (wa == wb && p->assignment.id[a] < p->assignment.id[b])) break;
                placement->peer[g][j - 1] = b;
                placement->peer[g][j] = a;
            }
}

void plan_set_cache(struct plan *p, const char *cache, const struct graph *graph)
{
    if (cache != p->cache) snprintf(p->cache, sizeof p->cache, "%s", cache);
    for (int g = 0; g < p->assignment.gpus; g++) {
        uint64_t topology = placement_topology_bytes(&p->placement, g, graph),
                 rows = p->budget[g] > topology ? (p->budget[g] - topology) / graph_cached_bytes(graph) : 0;
        p->cache_rows[g] = rows < graph->n ? rows : graph->n;
    }
}

uint64_t plan_index_bytes(const struct plan *p, int g, uint64_t n)
{
    const struct placement *placement = &p->placement;
    uint64_t rows = placement->topology[g].count + placement->feature[g].count + p->cache_rows[g];
    for (int i = 0; i < placement->peers[g]; i++)
        rows += placement->topology[placement->peer[g][i]].count + placement->feature[placement->peer[g][i]].count;
    return rows * 16 < n * 8 ? rows * 16 : n * 8;
}

/* ---- parts of the document ---- */

void plan_put_transactions(doc *d, uint64_t topology, uint64_t feature)
{
    DOC_PUT(d, IS("topology_transactions", topology), IS("feature_transactions", feature),
            IS("total_transactions", topology + feature));
}

static void put_no_transactions(doc *d)
{
    DOC_PUT(d, IS("topology_transactions", doc_null()), IS("feature_transactions", doc_null()),
            IS("total_transactions", doc_null()));
}

/* Nothing is predicted for dynamic caches: the members are null. */
static doc *no_prediction(void)
{
    doc *d = DOC(IS("feature_hit_rate", doc_null()), IS("topology_hit_rate", doc_null()));
    put_no_transactions(d);
    return d;
}

/* Hit rates and transactions by kind of rows. */
static doc *predicted_totals(const struct plan *p)
{
    if (*p->cache) return no_prediction();
    doc *d = doc_object();
    struct plan_totals t = plan_predicted(p);
    DOC_PUT(d, IS("feature_hit_rate", p->predicted_feature_hit), IS("topology_hit_rate", p->predicted_topology_hit));
    plan_put_transactions(d, t.topology, t.feature);
    if (p->interval_known) {
        doc *interval = doc_array();
        doc_append(interval, doc_integer((int64_t)(p->predicted_low + 0.5)));
        doc_append(interval, doc_integer((int64_t)(p->predicted_high + 0.5)));
        DOC_PUT(d, IS("total_interval", interval),
                IS("total_interval_source", p->interval_assumed ? "assumed" : "estimated"));
    }
    if (!p->predicted_held_out) doc_put(d, "saw_the_evaluated_epochs", doc_bool(true));
    return d;
}

doc *plan_predicted_document(const struct plan *p, const struct graph *graph)
{
    doc *d = predicted_totals(p), *tables = doc_array();
    if (!graph_plain(graph)) doc_put(d, "held_out", doc_bool(p->predicted_held_out));
    for (int t = 0; t < p->tables; t++) {
        double reads = 0, missed = 0;
        for (int c = 0; c < p->assignment.cliques; c++) {
            reads += p->expected[c * p->tables + t].reads;
            missed += p->expected[c * p->tables + t].missed;
        }
        if (!(reads > 0)) continue;
        doc *one = plan_table_document(graph, t);
        DOC_PUT(one, IS("hit_rate", 1 - missed / reads), IS("transactions", plan_expected_transactions(p, t)));
        doc_append(tables, one);
    }
    if (graph_plain(graph)) doc_free(tables);
    else doc_put(d, "tables", tables);
    return d;
}

/* What the sweep of a plain graph says of a clique. */
static void put_sweep(const struct plan *p, const struct plan_clique *k, doc *d)
{
    doc *predicted = doc_object(), *sweep = doc_array();
    if (*p->cache) put_no_transactions(predicted);
    else plan_put_transactions(predicted, k->topology, k->feature);
    doc_put(d, "predicted", predicted);
    for (int i = 0; i < k->sweep_count; i++) {
        doc *point = doc_object();
        doc_put(point, "alpha", doc_real(k->sweep[i].alpha));
        plan_put_transactions(point, k->sweep[i].topology, k->sweep[i].feature);
        doc_append(sweep, point);
    }
    doc_put(d, "sweep", sweep);
    if (k->regret_known) doc_put(d, "grid_regret_transactions", doc_integer((int64_t)k->regret));
}

static doc *clique_document(const struct plan *p, int c, const struct graph *graph)
{
    const struct plan_clique *k = &p->clique[c];
    const bool plain = graph_plain(graph);
    doc *d = doc_object(), *gpus = doc_array();
    uint64_t budget = 0, bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX], of[ROWS_KINDS] = {0};
    for (int g = 0; g < p->assignment.gpus; g++) {
        if (p->assignment.clique_of[g] != c) continue;
        doc_append(gpus, doc_integer(p->assignment.id[g]));
        budget += p->budget[g];
        (void)placement_held(&p->placement, g, graph, bytes, count);
        for (int t = 0; t < graph_tables(graph); t++) of[graph_table(graph, t).kind] += bytes[t];
    }
    DOC_PUT(d, IS("gpus", gpus), IS("budget_bytes", budget));
    if (plain) doc_put(d, "alpha", doc_real(k->alpha));
    DOC_PUT(d, IS("topology_bytes", of[ROWS_TOPOLOGY]), IS("feature_bytes", of[ROWS_FEATURE]));
    if (!plain) doc_put(d, "edge_feature_bytes", doc_integer((int64_t)of[ROWS_EDGE]));
    if (!plain) doc_put(d, "predicted_transactions", doc_integer((int64_t)(k->topology + k->feature)));
    else put_sweep(p, k, d);
    return d;
}

doc *plan_cliques_document(const struct plan *p, const struct graph *graph)
{
    doc *all = doc_array();
    for (int c = 0; c < p->assignment.cliques; c++) doc_append(all, clique_document(p, c, graph));
    return all;
}

static void put_gap(doc *d, const char *key, const struct plan_gap *g, bool known)
{
    DOC_PUT(d, IS(key, known ? doc_integer((int64_t)g->bound) : doc_null()),
            IS("expected_transactions", known ? doc_integer((int64_t)g->expected) : doc_null()),
            IS("gap", known ? g->gap : NAN));
}

doc *plan_bound_document(const struct plan_bound *b)
{
    if (!b->asked) return doc_null();
    doc *d = doc_object(), *slowest = b->slowest_known ? doc_object() : doc_null();
    put_gap(d, "total_transactions", &b->total, b->known);
    if (b->slowest_known) put_gap(slowest, "transactions", &b->slowest, true);
    DOC_PUT(d, IS("slowest_switch", slowest), IS("reason", b->reason));
    if (b->stage_known)
        doc_put(d, "transfer_stage",
                DOC(IS("seconds", b->stage), IS("expected_seconds", b->stage_expected), IS("gap", b->stage_gap)));
    return d;
}

double plan_baseline_ratio(const struct plan *p, const struct plan_baseline *b)
{
    uint64_t mine = p->simulated ? p->simulated->sums.transactions.total : 0;
    return mine ? (double)b->transactions / (double)mine : b->transactions ? NAN : 1;
}

doc *plan_baselines_document(const struct plan *p)
{
    doc *list = p->baselines_known ? doc_array() : doc_null();
    for (int i = 0; i < p->baselines; i++) {
        const struct plan_baseline *b = &p->baseline[i];
        doc_append(list, DOC(IS("policy", b->policy), IS("total_transactions", b->transactions),
                             IS("ratio", plan_baseline_ratio(p, b))));
    }
    return list;
}
