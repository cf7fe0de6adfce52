#include "planner/study/study.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "planner/study/predict.h"
#include "planner/partition/self_reliant.h"
#include "planner/study/study_bound.h"
#include "simulator/plan/routes.h"
#include "simulator/movement/simulated.h"

void study_begin(struct study *s, const struct study_options *o)
{
    memset(s, 0, sizeof *s);
    s->o = *o;
}

static void slot_release(struct study_slot *slot)
{
    trace_release(&slot->own);
    mem_free(slot->part);
    for (int c = 0; c < GPUS_MAX; c++) {
        mem_free(slot->benefit_topology[c]);
        mem_free(slot->benefit_feature[c]);
        for (int k = 0; k < RATES_KINDS; k++) estimates_release(&slot->estimates[k][c]);
    }
    visit_costs_release(&slot->costs);
}

void study_end(struct study *s)
{
    for (int i = 0; i < STUDY_SLOTS; i++) slot_release(&s->slot[i]);
    memset(s, 0, sizeof *s);
}

const char *study_cell_hotness(const struct study_cell *c) { return c->hotness ? c->hotness : c->policy->hotness; }

void study_cell_release(struct study_cell *c)
{
    plan_release(&c->plan);
    doc_free(c->dynamic);
    c->dynamic = NULL;
}

uint64_t study_held_out_seed(uint64_t seed)
{
    enum { STREAM_HELD_OUT = 0x68656c64, SMALL = 1000000 };
    uint64_t other = rng_hash(seed, STREAM_HELD_OUT, 0) % SMALL + 1; /* short, for people who type it */
    return other == seed ? other + 1 : other;
}

static void begin_stage(struct study *s, const char *name)
{
    if (s->o.stages) stage_begin(s->o.stages, name);
}

static void end_stage(struct study *s)
{
    if (s->o.stages) stage_end(s->o.stages);
}

/* ---- recording ---- */

static enum st make_assignment(struct study *s, struct study_slot *slot, struct assignment *out, struct err *err)
{
    enum st st = ST_OK;
    struct partition_options p = {.method = s->o.partition,
                                  .seed = s->o.workload.seed,
                                  .memory = s->o.memory,
                                  .workload = &slot->workload,
                                  .threads = s->o.threads};
    struct partition_report *report = &s->partition;
    bool there;
    if (slot->kind == ASSIGNMENT_PER_GPU) NEW(slot->part, s->o.graph->n, "parts of the graph");
    begin_stage(s, "partition");
    st = study_checkpoint_load_assignment(&slot->saved, s->o.server, out, slot->part, s->o.graph->n, report, &there,
                                          err);
    if (there || st != ST_OK) {
        end_stage(s);
        return st;
    }
    if (slot->kind == ASSIGNMENT_GLOBAL)
        st = assign_global(s->o.graph, s->o.server, slot->samplers, s->o.workload.seed, out, err);
    else if (slot->kind == ASSIGNMENT_BFS) st = assign_bfs(s->o.graph, s->o.server, out, err);
    else if (slot->kind == ASSIGNMENT_PER_GPU)
        st = assign_per_gpu(s->o.graph, s->o.server, &p, slot->part, out, report, err);
    else if (slot->kind == ASSIGNMENT_SELF_RELIANT)
        st = assign_self_reliant(s->o.graph, s->o.server, s->o.workload.hops, out, err);
    else st = assign_hierarchical(s->o.graph, s->o.server, &p, out, report, err);
    if (st == ST_OK) st = study_checkpoint_save_assignment(&slot->saved, out, slot->part, s->o.graph->n, report, err);
    end_stage(s);
done:
    return st;
}

static enum st record(struct study *s, struct study_slot *slot, struct err *err)
{
    struct assignment a = {0};
    struct trace_options o = {.epochs = s->o.presample_epochs,
                              .line_bytes = s->o.server->line_bytes,
                              .threads = s->o.threads,
                              .progress = s->o.progress,
                              .folds = true,
                              .server_name = s->o.server->name,
                              .server_fingerprint = s->o.server->fingerprint,
                              .checkpoint = slot->saved.checkpoint,
                              .part = slot->saved.part,
                              .kernels = s->o.kernels};
    enum st st;
    TRY(make_assignment(s, slot, &a, err));
    begin_stage(s, "pre-sampling");
    st = trace_record(s->o.graph, &a, &slot->workload, &o, &slot->own, err);
    end_stage(s);
    slot->trace = &slot->own;
done:
    assignment_release(&a);
    return st;
}

int study_slots(const struct server *s, const struct study_cell *cells, int count)
{
    int slots = 0, seen[STUDY_SLOTS];
    bool choice = false; /* a policy may choose another split than its usual one, which takes one more */
    for (int i = 0; i < count && slots < STUDY_SLOTS; i++) {
        int k = 0, key = (int)cells[i].policy->assignment * GPUS_MAX +
                         policy_samplers(cells[i].policy, s, cells[i].options_given ? cells[i].option : NULL);
        while (k < slots && seen[k] != key) k++;
        if (k == slots) seen[slots++] = key;
        choice |= cells[i].policy->choose_samplers && (!cells[i].options_given || isnan(cells[i].option[0]));
    }
    return slots + choice;
}

enum st study_slot(struct study *s, enum assignment_kind kind, int samplers, struct study_slot **out, struct err *err)
{
    enum st st = ST_OK;
    int i = 0;
    for (; i < STUDY_SLOTS && s->slot[i].used; i++)
        if (s->slot[i].kind == kind && s->slot[i].samplers == samplers) {
            *out = &s->slot[i];
            return ST_OK;
        }
    if (i == STUDY_SLOTS)
        FAIL(ST_LIMIT, "more than %d ways of dealing training vertices; name fewer policies", STUDY_SLOTS);
    struct study_slot *slot = &s->slot[i];
    slot->kind = kind;
    slot->samplers = samplers;
    slot->saved.checkpoint = s->o.checkpoint;
    snprintf(slot->saved.part, sizeof slot->saved.part, "%.15s%s-%d-", s->o.part, assignment_name(kind), samplers);
    slot->workload = s->o.workload;
    slot->workload.order_bfs |= kind == ASSIGNMENT_BFS && !workload_edges(&s->o.workload);
    /* a trace keeps who trains what, not the parts of the graph that policies of one part per GPU hold */
    if (s->o.given && s->o.given->assignment.kind == kind && !samplers && kind != ASSIGNMENT_PER_GPU &&
        s->o.given->workload.order_bfs == slot->workload.order_bfs)
        slot->trace = s->o.given;
    else TRY(record(s, slot, err));
    slot->epochs = s->o.simulate_epochs >= 0
                       ? (uint64_t)s->o.simulate_epochs
                       : replay_default_epochs(s->o.graph, &slot->trace->assignment, &s->o.workload);
    slot->used = true;
    *out = slot;
done:
    return st;
}

static struct replay_request request(const struct study *s, const struct study_slot *slot)
{
    return (struct replay_request){.graph = s->o.graph,
                                   .assignment = &slot->trace->assignment,
                                   .workload = &slot->workload,
                                   .line_bytes = s->o.server->line_bytes,
                                   .epochs = slot->epochs,
                                   .seed = s->o.simulate_seed,
                                   .threads = s->o.threads,
                                   .progress = s->o.progress,
                                   .kernels = s->o.kernels};
}

/* What every row would save in the evaluated epochs, for policies that may know. */
static enum st know_benefit(struct study *s, struct study_slot *slot, struct err *err)
{
    enum st st = ST_OK;
    if (slot->benefit_known) return ST_OK;
    if (!slot->epochs) slot->epochs = replay_default_epochs(s->o.graph, &slot->trace->assignment, &s->o.workload);
    for (int c = 0; c < slot->trace->assignment.cliques; c++) {
        NEW(slot->benefit_topology[c], s->o.graph->n, "what rows save");
        NEW(slot->benefit_feature[c], s->o.graph->n, "what rows save");
    }
    struct replay_request r = request(s, slot);
    begin_stage(s, "oracle's look ahead");
    st = replay_benefit(&r, slot->benefit_topology, slot->benefit_feature, err);
    end_stage(s);
    slot->benefit_known = st == ST_OK;
done:
    return st;
}

/* Estimates of every clique from one source of rates, made once for all budgets. */
static enum st know_estimates(struct study *s, struct study_slot *slot, enum rates rates, struct err *err)
{
    enum st st = ST_OK;
    if (slot->estimates_known[rates]) return ST_OK;
    begin_stage(s, "estimates");
    if (!slot->costs.cost[0])
        st = visit_costs_make(s->o.graph, slot->trace, s->o.server->line_bytes, s->o.threads, &slot->costs, err);
    for (int c = 0; c < slot->trace->assignment.cliques && st == ST_OK; c++) {
        struct estimates_input in = {.graph = s->o.graph,
                                     .trace = slot->trace,
                                     .kernels = s->o.kernels,
                                     .costs = &slot->costs,
                                     .clique = c,
                                     .threads = s->o.threads,
                                     .line_bytes = s->o.server->line_bytes,
                                     .rates = rates,
                                     .checkpoint = slot->saved.checkpoint};
        snprintf(in.name, sizeof in.name, "%srates%d-%d", slot->saved.part, (int)rates, c);
        st = estimates_make(&in, &slot->estimates[rates][c], err);
    }
    end_stage(s);
    slot->estimates_known[rates] = st == ST_OK;
    return st;
}

/* The source of a cell's rates; RATES_KINDS when its policy needs none. */
static enum rates cell_rates(const struct study_cell *c)
{
    return c->policy->needs_estimates ? rates_of(study_cell_hotness(c)) : RATES_KINDS;
}

/* Lets go of the pages of what the next step does not read, or reads in another order. */
static void rest(const struct study *s)
{
    for (int i = 0; i < STUDY_SLOTS && s->slot[i].used; i++) {
        trace_drop_pages(s->slot[i].trace);
        for (int k = 0; k < RATES_KINDS; k++)
            for (int c = 0; c < s->slot[i].trace->assignment.cliques; c++)
                estimates_drop_pages(&s->slot[i].estimates[k][c]);
    }
    graph_drop_pages(s->o.graph);
}

/* ---- planning ---- */

static void set_server(const struct server *s, struct plan *p)
{
    snprintf(p->server_name, sizeof p->server_name, "%s", s->name);
    snprintf(p->server_fingerprint, sizeof p->server_fingerprint, "%s", s->fingerprint);
    p->line_bytes = s->line_bytes;
    p->placement.gpus = s->gpus;
    for (int a = 0; a < s->gpus; a++) {
        p->pcie_switch[a] = s->gpu[a].pcie_switch;
        p->socket[a] = s->gpu[a].socket;
        for (int b = 0; b < s->gpus; b++) {
            p->links[a][b] = s->links[a][b];
            if (a != b && s->clique_of[a] == s->clique_of[b])
                p->placement.peer[a][p->placement.peers[a]++] = b; /* the rule: the clique */
        }
    }
}

static enum st start_plan(const struct study *s, const struct study_cell *cell, struct plan *p, struct err *err)
{
    enum st st;
    const struct policy *policy = cell->policy;
    snprintf(p->policy, sizeof p->policy, "%s", policy->name);
    snprintf(p->hotness, sizeof p->hotness, "%s", study_cell_hotness(cell));
    set_server(s->o.server, p);
    doc *options = policy_options_document(policy, cell->option);
    if (options) plan_state(p, "policy_options", options);
    p->workload = cell->slot->trace->workload;
    p->presample_epochs = cell->slot->trace->epochs;
    TRY(assignment_copy(&cell->slot->trace->assignment, &p->assignment, err));
    TRY(budget_bytes(&cell->budget, s->o.server, s->o.graph, &s->o.reservation, p->budget, err));
done:
    return st;
}

static void set_room(const struct study *s, struct policy_input *in)
{
    for (int g = 0; g < s->o.server->gpus; g++) {
        uint64_t memory = s->o.server->gpu[g].memory_bytes;
        in->room[g] = memory > s->o.reservation.total ? memory - s->o.reservation.total : 0;
    }
}

/* How many GPUs sample, where the policy can tell from a recording with its usual number; then the slot is that of
 * the choice. */
static enum st choose_samplers(struct study *s, struct study_cell *cell, struct err *err)
{
    enum st st = ST_OK;
    uint64_t budget[SERVER_GPUS_MAX];
    struct policy_input in = {.graph = s->o.graph,
                              .server = s->o.server,
                              .trace = cell->slot->trace,
                              .kernels = s->o.kernels,
                              .threads = s->o.threads,
                              .seed = s->o.workload.seed,
                              .hotness = study_cell_hotness(cell),
                              .setup = &s->o.timing.setup};
    if (!cell->policy->choose_samplers || !s->o.timing.setup.gnn.hidden) return ST_OK;
    memcpy(in.option, cell->option, sizeof in.option);
    set_room(s, &in);
    TRY(budget_bytes(&cell->budget, s->o.server, s->o.graph, &s->o.reservation, budget, err));
    TRY(cell->policy->choose_samplers(&in, budget, cell->split, &cell->samplers, err));
    if (s->slot[STUDY_SLOTS - 1].used) cell->samplers = 0; /* no room for another recording: the usual split */
    if (cell->samplers && cell->samplers != cell->slot->samplers)
        TRY(study_slot(s, cell->policy->assignment, cell->samplers, &cell->slot, err));
done:
    return st;
}

enum st study_plan(struct study *s, struct study_cell *cell, int threads, struct err *err)
{
    enum st st;
    struct plan p = {0};
    struct routes ways;
    int from, to;
    struct study_slot *slot = cell->slot;
    struct policy_input in = {.graph = s->o.graph,
                              .server = s->o.server,
                              .trace = slot->trace,
                              .kernels = s->o.kernels,
                              .threads = threads,
                              .seed = s->o.workload.seed,
                              .optimum = s->o.optimum,
                              .part = slot->part,
                              .hotness = study_cell_hotness(cell),
                              .estimates = cell_rates(cell) < RATES_KINDS ? slot->estimates[cell_rates(cell)] : NULL,
                              .setup = &s->o.timing.setup,
                              .samplers = cell->samplers,
                              .split = cell->split,
                              .costs = &slot->costs,
                              .benefit_topology = slot->benefit_topology,
                              .benefit_feature = slot->benefit_feature};
    struct study_checkpoint saved = {.checkpoint = s->o.checkpoint};
    bool there;
    double started = clock_seconds();
    memcpy(in.option, cell->option, sizeof in.option);
    snprintf(saved.part, sizeof saved.part, "%.15scell%d-", s->o.part, cell->number);
    TRY(study_checkpoint_load_plan(&saved, &slot->trace->assignment, &cell->plan, &there, err));
    if (there) return ST_OK;
    TRY(start_plan(s, cell, &p, err));
    set_room(s, &in);
    TRY(cell->policy->place(&in, &p, &cell->verdict, err));
    trace_drop_pages(slot->trace);
    if (cell->verdict.status != POLICY_OK) goto done;
    plan_order_peers(&p);
    routes_find(&p, &ways);
    BUG_IF(!routes_reach_peers(&p, &ways, &from, &to)); /* a policy that reads from where no link leads */
    if (cell->policy->cache) plan_set_cache(&p, cell->policy->cache, s->o.graph);
    TRY(predict_plan(cell->policy, &in, slot->epochs ? slot->epochs : 1, &p, err));
    TRY(study_checkpoint_save_plan(&saved, &p, err));
    cell->seconds = clock_seconds() - started;
    cell->plan = p;
    memset(&p, 0, sizeof p);
done:
    if (st == ST_OK && cell->verdict.status != POLICY_OK) memcpy(cell->plan.budget, p.budget, sizeof p.budget);
    plan_release(&p);
    return st;
}

enum st study_plan_all(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    enum st st = ST_OK;
    struct err first = {0};
    int failed = count;
    for (int i = 0; i < count; i++) { /* recordings one after the other: each uses all threads */
        if (!cells[i].options_given) policy_usual(cells[i].policy, cells[i].option);
        TRY(study_slot(s, cells[i].policy->assignment, policy_samplers(cells[i].policy, s->o.server, cells[i].option),
                       &cells[i].slot, err));
        TRY(choose_samplers(s, &cells[i], err));
        if (cell_rates(&cells[i]) < RATES_KINDS) TRY(know_estimates(s, cells[i].slot, cell_rates(&cells[i]), err));
        if (s->o.bound) TRY(know_estimates(s, cells[i].slot, RATES_CALIBRATED, err));
        if (cells[i].policy->saw_evaluation) TRY(know_benefit(s, cells[i].slot, err));
    }
    int together = s->o.threads < count ? s->o.threads : count, each = count > 1 ? 1 : s->o.threads;
    rest(s);
    begin_stage(s, "planning");
#pragma omp parallel for schedule(dynamic, 1) num_threads(together)
    for (int i = 0; i < count; i++) {
        struct err mine = {0};
        if (study_plan(s, &cells[i], each, &mine) == ST_OK) continue;
#pragma omp critical(study_first_error)
        if (i < failed) { /* the sentence does not depend on which thread was quicker */
            first = mine;
            failed = i;
        }
    }
    end_stage(s);
    if (first.code) {
        *err = first;
        st = first.code;
    }
    if (st == ST_OK && s->o.bound) TRY(study_bound(s, cells, count, err));
done:
    return st;
}

/* ---- judging ---- */

/* Placements that one pass can take: 2 bytes per vertex each, within an eighth of the limit. */
static int pass_size(const struct study *s, int wanted)
{
    uint64_t limit = mem_limit() ? mem_limit() : mem_machine(), each = 2 * s->o.graph->n + 1, most = limit / 8 / each;
    return most < 2 ? 2 : most > (uint64_t)wanted ? wanted : (int)most;
}

/* One pass: the cells in `list`, and an empty placement that tells what nothing cached would cost. */
static enum st simulate_pass(struct study *s, struct study_slot *slot, struct study_cell **list, int count,
                             struct err *err)
{
    enum st st = ST_OK;
    struct replay *out = NULL;
    const struct placement **p = NULL;
    struct placement *empty = NULL;
    struct replay_request r = request(s, slot);
    NEW(out, count + 1, "results");
    NEW(p, count + 1, "results");
    NEW(empty, 1, "results");
    empty->gpus = s->o.server->gpus;
    for (int i = 0; i < count; i++) p[i] = &list[i]->plan.placement;
    p[count] = empty;
    TRY(replay_run(&r, p, count + 1, out, err));
    for (int i = 0; i < count; i++) {
        list[i]->plan.simulated = simulated_document(&list[i]->plan, &out[i], s->o.graph);
        TRY(timing_put(&s->o.timing, s->o.server, &list[i]->plan, &out[i], s->o.graph, list[i]->plan.simulated, err));
    }
    slot->uncached = 0; /* rounded as a plan states it, so that an empty plan reads all of it */
    for (int g = 0; g < empty->gpus; g++)
        slot->uncached += units_round_half_up(out[count].gpu[g].topology, slot->epochs) +
                          units_round_half_up(out[count].gpu[g].feature, slot->epochs);
done:
    for (int i = 0; out && i <= count; i++) replay_release(&out[i]);
    mem_free(out);
    mem_free(p);
    mem_free(empty);
    return st;
}

enum st study_simulate(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    enum st st = ST_OK;
    struct study_cell **list = NULL;
    if (s->o.simulate_epochs == 0) return ST_OK;
    NEW(list, count, "a list of cells");
    begin_stage(s, "simulation");
    rest(s);
    graph_prefetch_pages(s->o.graph);
    for (int i = 0; i < STUDY_SLOTS && s->slot[i].used; i++) {
        int n = 0;
        for (int k = 0; k < count; k++)
            if (cells[k].slot == &s->slot[i] && cells[k].verdict.status == POLICY_OK) list[n++] = &cells[k];
        int step = pass_size(s, n);
        for (int at = 0; at < n; at += step)
            TRY(simulate_pass(s, &s->slot[i], list + at, n - at < step ? n - at : step, err));
        struct replay_request r = request(s, &s->slot[i]);
        TRY(study_dynamic(s, &r, list, n, err));
    }
done:
    end_stage(s);
    mem_free(list);
    return st;
}
