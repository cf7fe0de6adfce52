#include "planner/commands/plan_for.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/terminal.h"
#include "base/units.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/exports/export.h"

/* Whether some GPU of the server reads another that it has neither an NVLink nor a PCIe switch to. */
static bool forwards(const struct server *s)
{
    bool any = false;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++)
            any |= server_reads(s, a, b) && !s->links[a][b] && !(s->reach == REACH_P2P && server_same_switch(s, a, b));
    return any;
}

enum st plan_for_begin(const struct call *call, const struct export_target *t, const char *policy,
                       struct study_options *o, struct study_cell *cell, struct policy *own, struct err *err)
{
    const struct policy *found;
    char what[80];
    if (!t->made.keeps)
        return err_set(err, ST_USAGE,
                       "--for %s: no plans are made for it, because %s; 'hotset export --to %s' writes any plan",
                       t->name, t->made.why, t->name);
    snprintf(what, sizeof what, "--for %s", t->name);
    PASS(export_check_graph(t, what, ST_USAGE, o->graph, err));
    PASS(export_check_fanouts(t, what, ST_USAGE, &o->workload, err));
    if (strcmp(policy, "hotset"))
        return err_set(err, ST_USAGE,
                       "--for %s: plans by policy hotset within the runtime's limits; leave --policy %.40s out",
                       t->name, policy);
    if (call_given(call, "objective") && o->optimum.objective != OBJECTIVE_TOTAL)
        return err_set(err, ST_USAGE, "--for %s: takes --objective transactions only", t->name);
    if (call_given(call, "sampling") && o->sampling != SAMPLES_AUTO && (o->sampling == SAMPLES_CPU) != t->made.by_cpu)
        return err_set(err, ST_USAGE, "--for %s: plans are made for %s that sample%s; leave --sampling out", t->name,
                       t->made.by_cpu ? "a CPU" : "GPUs", t->made.by_cpu ? "s" : "");
    o->optimum.objective = OBJECTIVE_TOTAL;
    o->sampling = t->made.by_cpu ? SAMPLES_CPU : SAMPLES_GPU;
    if (t->cliques && forwards(o->server))
        return err_set(err, ST_USAGE,
                       "--for %s: its GPUs read each other directly and pass no rows on, which --peer-access %s asks "
                       "for on "
                       "%s; leave --peer-access out",
                       t->name, reach_name(o->server->reach), o->server->name);
    o->no_topology = t->made.no_topology;
    o->no_edges = !t->edges;
    o->clique_only = t->made.clique;
    if (!t->made.policy) return ST_OK;
    PASS(policy_find(t->made.policy, &found, err));
    *own = *found;
    own->plans_deal = true;
    cell->policy = own;
    return ST_OK;
}

bool plan_for_hops(const struct export_target *t, const struct call *call, struct workload *w)
{
    if (!t->made.all_hops || w->frontier == FRONTIER_ALL || call_given(call, "frontier") || call_given(call, "trace"))
        return false;
    if (w->sampler == SAMPLER_WALK || workload_layer_wise(w)) return false;
    w->frontier = FRONTIER_ALL;
    return true;
}

void plan_for_warn(const struct export_target *t, const struct call *call, const struct workload *w)
{
    bool hops = t->made.all_hops;
    if (hops && w->frontier != FRONTIER_ALL)
        call_say(call,
                 "warning: %s draws neighbours of all vertices of a mini-batch in every hop; plan with --frontier all",
                 t->name);
    if (w->sampler != SAMPLER_UNIFORM && !(t->labor && w->sampler == SAMPLER_LABOR && !w->labor_iterations))
        call_say(call, "warning: %s as hotset sets it up does not draw by sampler %s", t->name,
                 sampler_name(w->sampler));
    if (w->frontier == FRONTIER_LAYERS && !hops)
        call_say(call, "warning: %s does not expand and read every layer by itself; plan with --frontier new", t->name);
    if (w->order != ORDER_SHUFFLE && !t->order)
        call_say(call, "warning: %s shuffles training vertices in every epoch", t->name);
    if (w->together && !t->together)
        call_say(call, "warning: %s draws by the fan-outs of every relation; plan with --fanout-over relation",
                 t->name);
}

/* ---- what it costs ---- */

static uint64_t transactions(const struct replay *r)
{
    uint64_t sum = 0;
    if (r->tables) return replay_table_transactions(r, -1, 1);
    for (int g = 0; g < r->gpus; g++)
        sum += units_round_half_up(r->gpu[g].topology, r->epochs) + units_round_half_up(r->gpu[g].feature, r->epochs);
    return sum;
}

/* Simulates a plan as it is (*itself) and as the runtime executes it (*run). */
static enum st judge(const struct export_target *t, const struct study *s, const struct study_cell *cell,
                     uint64_t *itself, uint64_t *run, struct err *err)
{
    OWNED_BY(export_runs_release) struct export_runs runs = {0};
    struct replay_request r = study_request(s, cell->recording);
    static const struct graph_sets none; /* what a plan costs does not depend on labels */
    struct export_input in = {.graph = s->o.graph,
                              .sets = &none,
                              .plan = &cell->plan,
                              .server = s->o.server,
                              .kernels = s->o.kernels,
                              .trace = cell->recording->trace,
                              .threads = s->o.threads};
    PASS(t->check(&in, err));
    PASS(export_runs_make(t, &in, &runs, err));
    for (int i = 1; i < runs.count; i++) runs.run[i].simulate = runs.run[i].as_run;
    PASS(export_runs_simulate(&runs, &r, err));
    *itself = transactions(&runs.run[0].result);
    *run = transactions(&runs.run[runs.count - 1].result);
    return ST_OK;
}

static doc *document(const struct export_target *t, uint64_t free_plan, uint64_t exported, uint64_t made)
{
    doc *d = doc_object();
    double base = free_plan ? (double)free_plan : NAN;
    DOC_PUT(d, IS("runtime", t->name), IS("keeps_to", t->made.keeps), IS("free_transactions", free_plan),
            IS("free_as_run", exported), IS("as_run", made), IS("free_loss", (double)exported / base - 1),
            IS("loss", (double)made / base - 1));
    return d;
}

enum st plan_for_compare(const struct export_target *t, struct call *call, const struct study *s,
                         struct study_cell *cell, struct err *err)
{
    enum st st = ST_OK;
    struct study_options o = s->o;
    struct study *other = NULL;
    ON_HEAP(struct study_cell, unbound);
    *unbound = (struct study_cell){.budget = cell->budget, .hotness = cell->hotness, .number = 1};
    uint64_t free_plan, exported, made, itself;
    if (s->o.simulate_epochs == 0) return ST_OK;
    NEW(other, 1, "a plan without limits");
    o.no_topology = o.no_edges = o.clique_only = false;
    o.sampling = SAMPLES_GPU;
    snprintf(o.part, sizeof o.part, "free-");
    study_begin(other, &o);
    TRY(policy_find("hotset", &unbound->policy, err));
    call_say(call, "planning without the limits of %s, for comparison", t->name);
    TRY(study_plan_all(other, unbound, 1, err));
    TRY(study_cell_verdict(unbound, err));
    TRY(judge(t, other, unbound, &free_plan, &exported, err));
    TRY(judge(t, s, cell, &itself, &made, err));
    plan_note(&cell->plan, "for", document(t, free_plan, exported, made));
done:
    study_cell_release(unbound);
    if (other) study_end(other);
    mem_free(other);
    return st;
}

void plan_for_print(const doc *d, FILE *to)
{
    static const char *const headers[] = {"plan", ">transactions/epoch", ">of the free plan", NULL};
    const char *name = doc_text_value(doc_get(d, "runtime"), "?");
    const struct {
        const char *what, *count, *loss;
    } rows[] = {{"made freely, executed as it is", "free_transactions", NULL},
                {"made freely, as %s executes it", "free_as_run", "free_loss"},
                {"made for %s, as %s executes it", "as_run", "loss"}};
    if (!d) return;
    struct table *t = table_new(headers);
    for (int i = 0; i < 3; i++) {
        char what[80], count[UNIT_TEXT];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(what, sizeof what, rows[i].what, name, name);
#pragma GCC diagnostic pop
        table_add(t, "%s", what);
        table_add(t, "%s", units_count(count, (uint64_t)doc_integer_value(doc_get(d, rows[i].count), 0)));
        table_add(t, "%+.2f %%", rows[i].loss ? 100 * doc_number(d, rows[i].loss) : 0.0);
    }
    fputc('\n', to);
    table_show(t, to);
    terminal_print(to, "the plan keeps to: %s\n", doc_text_value(doc_get(d, "keeps_to"), ""));
}
