#include "planner/results/results_document.h"

#include <string.h>

#include "hwprofiles/model/server_reach.h"
#include "planner/engine/nodes_sum.h"
#include "planner/results/results_tables.h"
#include "simulator/movement/movement.h"

const char results_prior_note[] = "expected counts come from vip, a ranking and a prior, not a prediction: up to twice "
                                  "too high within communities";

/* The smallest budget of a GPU that has one: sampler GPUs may have more than was asked for. */
static uint64_t budget_of_a_gpu(const struct plan *p, const struct server *s)
{
    uint64_t least = 0;
    for (int g = s->gpus - 1; g >= 0; g--)
        least = p->budget[g] && (!least || p->budget[g] < least) ? p->budget[g] : least;
    return least;
}

/* The member `memories` of a plan, but for its places and readers, which belong to lists that a comparison has not. */
static doc *brief_memories(const struct plan *p, const struct graph *g)
{
    static const char *const left_out[] = {"node", "line_blocks", "places", "readers"};
    doc *all = plan_places_document(p->places, p->assignment.gpus, p->assignment.id, g), *d = doc_object();
    for (const char *key = doc_next_key(all, NULL); key; key = doc_next_key(all, key)) {
        bool keep = true;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) keep &= strcmp(key, left_out[i]) != 0;
        if (keep) doc_put(d, key, doc_copy(doc_get(all, key)));
    }
    doc_free(all);
    return d;
}

/* Of all nodes together; 0: not known. */
static uint64_t uncached_of(const struct study_cell *c)
{
    uint64_t sum = 0;
    for (int n = 0; n <= c->others; n++) {
        const struct study_recording *r = study_cell_of(c, n)->recording;
        if (!r || !r->uncached) return 0;
        sum += r->uncached;
    }
    return sum;
}

/* Of the first clique; sampler GPUs, which have all their memory, count as the others. */
static uint64_t first_clique_budget(const struct plan *p, const struct server *s)
{
    uint64_t sum = 0, samplers = doc_size(doc_get(p->notes, "sampler_gpus")), least = budget_of_a_gpu(p, s);
    for (int g = 0; g < s->gpus; g++)
        if (s->clique_of[g] == 0) sum += (uint64_t)g < samplers ? least : p->budget[g];
    return sum;
}

/* What GPUs hold of rows, all together, against their budgets. GPUs that only sample hold what their whole memory has
 * room for: their plans are not at equal memory. */
static void put_held(const struct study *s, const struct study_cell *c, doc *row)
{
    uint64_t most = 0, held = 0, budgets = 0, bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX];
    const doc *samplers = doc_get(c->plan.notes, "sampler_gpus");
    for (int n = 0; n <= c->others; n++) {
        const struct plan *p = &study_cell_of(c, n)->plan;
        for (int g = 0; g < p->placement.gpus; g++) {
            bool only = (uint64_t)g < doc_size(samplers); /* the first ones sample */
            uint64_t one = placement_held(&p->placement, g, s->o.graph, bytes, count);
            held += one;
            budgets += only ? budget_of_a_gpu(p, s->o.server) : p->budget[g];
            most = only && one > most ? one : most;
        }
    }
    DOC_PUT(row, IS("held_bytes", held), IS("held_budget_bytes", budgets));
    if (samplers) doc_put(row, "sampler_held_bytes", doc_integer((int64_t)most));
}

/* How far the plan's GPUs read, by its peers (hwprofiles/model/server_reach.h). */
static const char *reach_of_plan(const struct plan *p)
{
    const struct placement *placement = &p->placement;
    enum server_reach far = REACH_OWN;
    struct routes routes;
    routes_find(placement, p->links, p->assignment.id, &routes);
    for (int g = 0; g < placement->gpus; g++)
        for (int i = 0; i < placement->peers[g]; i++) {
            int hops = routes.hops[g][placement->peer[g][i]];
            enum server_reach one = hops == 0 ? REACH_P2P : hops == 1 ? REACH_DIRECT : REACH_FORWARD;
            far = one > far ? one : far;
        }
    return reach_name(far);
}

/* Of all nodes; null where nothing was simulated. */
static doc *movement_of(const struct study_cell *c)
{
    struct nodes_sum sum;
    if (!c->plan.simulated) return doc_null();
    nodes_sum(c, &sum);
    return movement_totals(&sum.sums);
}

doc *results_row(const struct study *s, const struct study_cell *c, bool stamp)
{
    static const char *const status[] = {"ok", "oom", "unsupported"};
    const struct server *server = s->o.server;
    bool good = c->verdict.status == POLICY_OK;
    char label[POLICY_LABEL];
    doc *d = doc_object();
    doc_put(d, "policy", doc_text(policy_label(c->policy, c->option, label)));
    if (c->policy->options[0].name) doc_put(d, "policy_options", policy_options_document(c->policy, c->option));
    DOC_PUT(d, IS("source", c->policy->source), IS("hotness", study_cell_hotness(c)), IS("server", server->name),
            IS("graph", s->o.graph->name), IS("budget", c->budget.text),
            IS("budget_per", c->budget.clique ? "clique" : "gpu"));
    doc_put(d, "budget_bytes", doc_integer((int64_t)budget_of_a_gpu(&c->plan, server)));
    doc_put(d, "budget_share",
            doc_real((double)first_clique_budget(&c->plan, server) / (double)graph_total_bytes(s->o.graph)));
    DOC_PUT(d, IS("status", status[c->verdict.status]), IS("reason", good ? doc_null() : doc_text(c->verdict.reason)),
            IS("assignment", assignment_name(good ? c->plan.assignment.kind : c->policy->assignment)),
            IS("deal", good ? doc_copy(doc_get(c->plan.notes, "deal")) : doc_null()));
    if (good && s->o.order_auto) doc_put(d, "order", doc_copy(doc_get(c->plan.notes, "order")));
    doc_put(d, "reach", good ? doc_text(reach_of_plan(&c->plan)) : doc_null());
    doc_put(d, "predicted",
            !good       ? doc_null()
            : c->others ? nodes_sum_predicted(c)
                        : plan_predicted_document(&c->plan, s->o.graph));
    if (good && c->policy->needs_estimates && !strcmp(study_cell_hotness(c), "vip"))
        doc_put(d, "prediction_note", doc_text(results_prior_note));
    bool plain = graph_plain(s->o.graph);
    doc_put(d, "simulated", nodes_sum_simulated(c, s->o.graph, false)); /* the movement has totals, not every link */
    doc_put(d, "movement", movement_of(c));
    DOC_PUT(d, IS("bound", plan_bound_document(&c->plan.bound)),
            IS("uncached_transactions", uncached_of(c) ? doc_integer((int64_t)uncached_of(c)) : doc_null()),
            IS("cliques", good ? nodes_sum_cliques(c, s->o.graph) : doc_array()));
    if (good && c->plan.places) doc_put(d, "memories", brief_memories(&c->plan, s->o.graph));
    if (doc_get(c->plan.notes, "sampler_gpus"))
        doc_put(d, "sampler_gpus", doc_copy(doc_get(c->plan.notes, "sampler_gpus")));
    if (good && !c->dynamic) put_held(s, c, d);
    if (good && plain && s->o.graph->cached != PRECISION_HOST)
        doc_put(d, "cache_type", doc_text(precision_name(s->o.graph->cached)));
    if (good && !plain) results_tables_put(s, c, d);
    if (c->dynamic) doc_put(d, "dynamic", doc_copy(c->dynamic));
    if (stamp) doc_put(d, "plan_seconds", doc_real(c->seconds));
    return d;
}

doc *results_document(const struct graph *g, const struct workload *w, uint64_t presample_epochs, doc **rows)
{
    doc *d = doc_object(), *workload = doc_object();
    *rows = doc_array();
    doc_put(d, "schema", doc_text("results/1"));
    workload_put(graph_plain(g) ? NULL : g, w, workload);
    doc_put(d, "workload", workload);
    if (!graph_plain(g)) doc_put(d, "graph", graph_document(g));
    DOC_PUT(d, IS("presample_epochs", presample_epochs), IS("rows", *rows));
    return d;
}
