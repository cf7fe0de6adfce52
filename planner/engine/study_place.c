#include "planner/engine/study_place.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#include "hwprofiles/model/server_reach.h"
#include "planner/engine/predict.h"
#include "planner/engine/study_best.h"
#include "planner/engine/study_deal.h"
#include "planner/engine/study_order.h"
#include "simulator/plan/plan_check.h"
#include "simulator/plan/plan_server.h"

struct policy_input study_input(const struct study *s, const struct study_cell *cell, int threads)
{
    struct policy_input in = {.graph = s->o.graph,
                              .server = s->o.server,
                              .trace = cell->recording->trace,
                              .kernels = s->o.kernels,
                              .threads = threads,
                              .no_folds = cell->scout || s->o.no_interval,
                              .quick = s->o.quick,
                              .seed = s->o.workload.seed,
                              .optimum = s->o.optimum,
                              .lists = cell->lists ? cell->lists : s->o.lists,
                              .before = s->o.before,
                              .no_topology = s->o.no_topology,
                              .no_edges = s->o.no_edges,
                              .clique_only = s->o.clique_only,
                              .measured = s->o.measured,
                              .hotness = study_cell_hotness(cell),
                              .setup = &s->o.timing.setup};
    memcpy(in.option, cell->option, sizeof in.option);
    in.optimum.quick = study_hurries(&s->o);
    for (int g = 0; g < s->o.server->gpus; g++) {
        uint64_t memory = s->o.server->gpu[g].memory_bytes;
        in.room[g] = memory > s->o.reservation.total ? memory - s->o.reservation.total : 0;
    }
    return in;
}

static enum st start_plan(const struct study *s, const struct study_cell *cell, struct plan *p, struct err *err)
{
    const struct policy *policy = cell->policy;
    snprintf(p->policy, sizeof p->policy, "%s", policy->name);
    snprintf(p->hotness, sizeof p->hotness, "%s", study_cell_hotness(cell));
    plan_set_server(p, s->o.server);
    doc *options = policy_options_document(policy, cell->option);
    if (options) plan_note(p, "policy_options", options);
    p->workload = cell->recording->trace->workload;
    p->presample_epochs = cell->recording->trace->epochs;
    memcpy(p->budget, cell->budget_bytes, sizeof p->budget);
    return assignment_copy(&cell->recording->trace->assignment, &p->assignment, err);
}

/* Adds what only placing needs. */
static void add_recording(const struct study_cell *cell, struct policy_input *in)
{
    const struct study_recording *r = cell->recording;
    if (study_cell_source(cell) < RATE_SOURCES) in->estimates = r->estimates[study_cell_source(cell)];
    if (study_cell_source(cell) == RATE_CALIBRATED) in->orders = r->orders;
    in->part = r->part;
    in->costs = &r->costs;
    in->sides = r->sides;
    in->samplers = cell->samplers;
    in->split = cell->split;
    in->benefit_topology = r->benefit_topology;
    in->benefit_feature = r->benefit_feature;
}

/* A policy may change neither what the server has nor what it was given; only GPUs that do not train get the memory
 * beside the reservation. */
static enum st check_given(const struct study *s, const struct study_cell *cell, const struct policy_input *in,
                           const struct plan *p, struct err *err)
{
    if (p->placement.gpus != s->o.server->gpus)
        return err_set(err, ST_INPUT, "the server has %d GPUs, the placement %d", s->o.server->gpus, p->placement.gpus);
    for (int a = 0; a < s->o.server->gpus; a++) {
        bool sampler = !p->assignment.train_count[a] && p->budget[a] == in->room[a];
        if (p->budget[a] != cell->budget_bytes[a] && !sampler)
            return err_set(err, ST_INPUT, "the budget of GPU %d is %llu bytes, and the policy changed it to %llu",
                           p->assignment.id[a], (unsigned long long)cell->budget_bytes[a],
                           (unsigned long long)p->budget[a]);
        for (int b = 0; b < s->o.server->gpus; b++)
            if (p->links[a][b] != s->o.server->links[a][b])
                return err_set(err, ST_INPUT, "%d NVLinks join GPU %d and GPU %d, and the policy changed that to %d",
                               s->o.server->links[a][b], p->assignment.id[a], p->assignment.id[b], p->links[a][b]);
    }
    return ST_OK;
}

/* Whether the policy kept the rules. One that did not is a fault of hotset, or of whoever added the policy: nothing is
 * made of its placement. */
static enum st check_policy(const struct study *s, const struct study_cell *cell, const struct policy_input *in,
                            const struct plan *p, struct err *err)
{
    enum st st = check_given(s, cell, in, p, err);
    if (st == ST_OK) st = plan_check(p, s->o.graph, in->threads, err);
    if (st != ST_INPUT) return st;
    struct err found = *err;
    return err_set(err, ST_BUG,
                   "internal error: policy %s made an invalid placement: %.800s; no plan was written; please report it "
                   "with the command you ran",
                   cell->policy->name, found.text);
}

/* Whether the policy's system reads as far as the user says. */
static bool in_reach(const struct server *s, struct study_cell *cell)
{
    int reaches = cell->policy->reaches ? cell->policy->reaches : REACHES_LINKS;
    if (s->reach == REACH_DEFAULT || reaches >> s->reach & 1) return true;
    cell->verdict.status = POLICY_UNSUPPORTED;
    snprintf(cell->verdict.reason, sizeof cell->verdict.reason, "the system of %s cannot read at --peer-access %s",
             cell->policy->name, reach_name(s->reach));
    return false;
}

/* Whether the parts of --parts are of the kind that the policy's system takes: those that deal for themselves have one
 * part per GPU. */
static bool takes_parts(const struct study *s, struct study_cell *cell)
{
    const struct server *server = s->o.server;
    if (!s->parts || s->parts_per_gpu || cell->policy->any_deal || cell->policy->assignment != ASSIGNMENT_PER_GPU ||
        server_groups(server) == server->gpus)
        return true;
    cell->verdict.status = POLICY_UNSUPPORTED;
    snprintf(cell->verdict.reason, sizeof cell->verdict.reason,
             "the system of %s takes a part of the graph per GPU, but --parts has one per clique", cell->policy->name);
    return false;
}

static enum st copy_list(const struct row_list *from, struct row_list *to, struct err *err)
{
    *to = (struct row_list){0};
    MAKE(to->id, from->count, "a placement");
    if (from->count) memcpy(to->id, from->id, from->count * sizeof *to->id);
    to->count = to->capacity = from->count;
    return ST_OK;
}

/* What a policy with one order of rows sets, from a plan where it did. */
static enum st take_placement(const struct plan *from, struct plan *p, struct err *err)
{
    p->placement = from->placement;
    memset(p->placement.topology, 0, sizeof p->placement.topology);
    memset(p->placement.feature, 0, sizeof p->placement.feature);
    for (int g = 0; g < from->placement.gpus; g++) {
        PASS(copy_list(&from->placement.topology[g], &p->placement.topology[g], err));
        PASS(copy_list(&from->placement.feature[g], &p->placement.feature[g], err));
    }
    for (int c = 0; c < from->assignment.cliques; c++) {
        const struct plan_clique *k = &from->clique[c];
        p->clique[c].alpha = k->alpha;
        MAKE(p->clique[c].sweep, k->sweep_count, "the sweep");
        if (k->sweep_count) memcpy(p->clique[c].sweep, k->sweep, (size_t)k->sweep_count * sizeof *k->sweep);
        p->clique[c].sweep_count = k->sweep_count;
    }
    return ST_OK;
}

enum st study_place_way(const struct study *s, struct study_cell *cell, const struct study_way *way, int threads,
                        struct plan *p, struct timed *timed, struct err *err)
{
    struct policy_input in = study_input(s, cell, threads);
    const struct study_recording *r = cell->recording;
    add_recording(cell, &in);
    in.access = way->access;
    in.cpu_gathers = way->cpu_gathers;
    in.list_price = way->list_price;
    PASS(start_plan(s, cell, p, err));
    if (!in_reach(s->o.server, cell) || !takes_parts(s, cell)) return ST_OK;
    if (s->o.server->reach != REACH_DEFAULT) plan_note(p, "reach", doc_text(reach_name(s->o.server->reach)));
    if (way->same && cell->policy->one_order) PASS(take_placement(way->same, p, err));
    else PASS(cell->policy->place(&in, p, &cell->verdict, err));
    if (cell->verdict.status == POLICY_OK && way->rounds) PASS(timed_place(&in, way->rounds, p, timed, err));
    trace_drop_pages(r->trace);
    if (cell->verdict.status != POLICY_OK) return ST_OK;
    PASS(check_policy(s, cell, &in, p, err));
    plan_order_peers(p);
    if (!cell->scout && !cell->sampled) { /* nobody reads what these plans state */
        study_deal_state(s, cell, p);
        PASS(study_order_state(s, cell, p, err));
    }
    if (cell->policy->cache) plan_set_cache(p, cell->policy->cache, s->o.graph);
    PASS(predict_plan(cell->policy, &in, r->epochs ? r->epochs : 1, p, err));
    epoch_args_share(&s->o.timing, s->o.graph, p);
    return ST_OK;
}

enum st study_place(const struct study *s, struct study_cell *cell, int threads, struct plan *p, struct err *err)
{
    const struct study_way way = study_first_way(s, cell);
    PASS(study_place_way(s, cell, &way, threads, p, NULL, err));
    return cell->verdict.status == POLICY_OK ? study_best(s, cell, threads, p, err) : ST_OK;
}

enum st study_predict(const struct study *s, struct study_cell *cell, int threads, struct err *err)
{
    struct policy_input in = study_input(s, cell, threads);
    struct plan *p = &cell->plan;
    const uint64_t epochs = cell->recording->epochs ? cell->recording->epochs : 1;
    add_recording(cell, &in);
    for (int c = 0; c < p->assignment.cliques; c++) {
        mem_free(p->clique[c].sweep);
        p->clique[c] = (struct plan_clique){0};
    }
    p->bound = (struct plan_bound){0};
    return predict_plan(cell->policy, &in, epochs, p, err);
}
