#include "planner/engine/study.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"
#include "base/rng.h"
#include "planner/engine/study_cuts.h"
#include "planner/engine/study_deal.h"
#include "planner/engine/study_order.h"
#include "planner/engine/study_place.h"
#include "planner/engine/study_prepare.h"
#include "planner/engine/study_together.h"
#include "planner/engine/thin.h"
#include "simulator/plan/plan_give.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/optimum/bound.h"
#include "planner/optimum/transfer_bound.h"
#include "planner/policies/timed.h"
#include "planner/engine/study_recording.h"

/* ---- a lower bound for every plan of a study (optimum/bound.h) ----
 *
 * The member `bound` of plan.json (plan_bound_document):
 *   - total_transactions: lower bound on the expected host reads per epoch on this server, with this assignment and
 *     these budgets
 *   - expected_transactions: what the plan reads under the same estimates (its prediction, if it is planned from them)
 *   - gap: expected / bound - 1; null where the bound is 0 and the plan is not
 *   - slowest_switch: {transactions, expected_transactions, gap} of the busiest PCIe switch, with --objective slowest
 *   - transfer_stage: {seconds, expected_seconds, gap} per epoch of the transfer stage, where the epoch waits for it
 *   - reason: why there is no number, or what weakens it; null otherwise
 */

/* What the last cell's program proved, for the cells after it. */
struct proven {
    const struct study_recording *recording;
    uint64_t budget[GPUS_MAX];
    double total, slowest;
    bool whole, optimal;
};

static enum st prove_one(const struct study *s, const struct items *items, enum objective objective, struct proven *p,
                         double *value, struct err *err)
{
    enum st st = ST_OK;
    struct optimum_options o = s->o.optimum;
    struct optimum optimum = {0};
    struct reach *r = NULL;
    o.objective = objective;
    NEW(r, 1, "NVLink reachability");
    TRY(reach_make(s->o.server, p->budget, objective == OBJECTIVE_SLOWEST, items->estimates[0].readers, PATTERNS_MAX, r,
                   err));
    TRY(optimum_solve(r, items, &o, &optimum, err));
    *value = optimum.bound;
    p->whole &= optimum.whole;
    p->optimal &= optimum.optimal;
done:
    optimum_release(&optimum, r ? r->components : 0);
    if (r) reach_release(r);
    mem_free(r);
    return st;
}

static enum st prove(const struct study *s, const struct study_cell *c, const struct items *items, struct proven *p,
                     struct err *err)
{
    if (p->recording == c->recording && !memcmp(p->budget, c->plan.budget, sizeof p->budget)) return ST_OK;
    p->whole = p->optimal = true;
    p->recording = NULL;
    memcpy(p->budget, c->plan.budget, sizeof p->budget);
    PASS(prove_one(s, items, OBJECTIVE_TOTAL, p, &p->total, err));
    if (s->o.optimum.objective == OBJECTIVE_SLOWEST) PASS(prove_one(s, items, OBJECTIVE_SLOWEST, p, &p->slowest, err));
    p->recording = c->recording;
    return ST_OK;
}

static struct plan_gap gap_of(double bound, double expected, int rounded)
{
    double stated = floor(bound - rounded); /* predictions are sums of rounded integers: half a transaction each */
    return (struct plan_gap){.bound = stated > 0 ? (uint64_t)stated : 0,
                             .expected = (uint64_t)(expected + 0.5),
                             .gap = bound > 0        ? fmax(0, expected / bound - 1)
                                    : expected < 0.5 ? 0
                                                     : NAN};
}

static const char *weakness(const struct proven *p)
{
    if (!p->optimal) return "the time limit stopped the solver; the bound is the best one found so far";
    return p->whole ? NULL
                    : "the NVLinks allow too many patterns of copies, or GPUs of a clique read different rows; the "
                      "bound is weaker";
}

/* The bound of the transfer stage: at the weights of a search for the shortest one. */
static enum st prove_stage(const struct study *s, struct study_cell *c, const struct transfer *t, double *bound,
                           struct err *err)
{
    enum { ROUNDS = 24 };
    struct policy_input in = study_input(s, c, s->o.threads);
    OWNED_BY(transfer_reads_release) struct transfer_reads reads = {0};
    double one;
    OWNED_NEW(double, weight, 2 * t->resources + 1, "weights of links");
    in.estimates = c->recording->estimates[RATE_CALIBRATED];
    PASS(timed_weights(&in, t, ROUNDS, &c->plan, weight, err));
    PASS(transfer_reads_make(t, &reads, err));
    *bound = 0;
    for (int k = 0; k < 2; k++) {
        PASS(transfer_bound(t, &reads, c->plan.budget, weight + k * t->resources, &one, err));
        *bound = fmax(*bound, one);
    }
    return ST_OK;
}

/* The transfer stage: its bound, what the plan's estimates say, and the gap. */
static enum st bound_stage(const struct study *s, struct study_cell *c, const struct items *items, struct err *err)
{
    enum st st = ST_OK;
    struct transfer t = {0}, own = {0}; /* the server's reach, and the plan's, which may go farther */
    struct plan_bound *b = &c->plan.bound;
    ON_HEAP(struct placement, all);
    *all = (struct placement){.gpus = s->o.server->gpus};
    int busiest;
    for (int g = 0; g < all->gpus; g++)
        for (int i = 0; i < all->gpus; i++)
            if (server_reads(s->o.server, g, i)) all->peer[g][all->peers[g]++] = i;
    TRY(transfer_make(s->o.server, all, items, &t, err));
    TRY(transfer_make(s->o.server, &c->plan.placement, items, &own, err));
    TRY(transfer_cost(&own, &c->plan.placement, NULL, &b->stage_expected, &busiest, err));
    TRY(prove_stage(s, c, &t, &b->stage, err));
    b->stage_gap = b->stage > 0 ? fmax(0, b->stage_expected / b->stage - 1) : NAN;
    b->stage_known = true;
done:
    transfer_release(&t);
    transfer_release(&own);
    return st;
}

/* Whether the plan's GPUs read others that the server's reach does not allow: a policy that forwards. */
static bool reads_farther(const struct server *s, const struct placement *p)
{
    bool any = false;
    for (int g = 0; g < s->gpus; g++)
        for (int i = 0; i < p->peers[g]; i++) any |= !server_reads(s, g, p->peer[g][i]);
    return any;
}

/* Whether the shortest epoch was asked for, and waits for the transfer stage. */
static bool waits_for_transfer(const struct plan *p)
{
    return !strcmp(doc_text_value(doc_get(doc_get(p->notes, "objective"), "bottleneck"), ""), "transfer");
}

static enum st bound_cell(const struct study *s, struct study_cell *c, struct proven *p, struct err *err)
{
    enum st st = ST_OK;
    struct items items = {.graph = s->o.graph,
                          .estimates = c->recording->estimates[RATE_CALIBRATED],
                          .threads = s->o.threads,
                          .trace = c->recording->trace};
    struct placement_cost cost;
    struct plan_bound *b = &c->plan.bound;
    const double part = 1 - c->plan.cpu_share; /* of the reads that GPUs make; the CPU's own pass no PCIe */
    const int cliques = s->o.server->cliques;
    struct reach *r = NULL;
    *b = (struct plan_bound){.asked = true};
    if (c->plan.placement.access != ACCESS_GPU)
        b->reason = "the bound assumes GPUs that sample for themselves; this policy samples elsewhere";
    else if (*c->plan.cache)
        b->reason = "the bound assumes static caches; this policy's change from mini-batch to mini-batch";
    else if (reads_farther(s->o.server, &c->plan.placement))
        b->reason = "the bound assumes reads over one NVLink, this policy's pass several; take --peer-access forward";
    if (b->reason) return ST_OK;
    NEW(r, 1, "NVLink reachability");
    TRY(reach_make(s->o.server, c->plan.budget, true, items.estimates[0].readers, 1, r, err));
    TRY(items_divide(r, &items, err));
    TRY(prove(s, c, &items, p, err));
    TRY(bound_cost(r, &items, &c->plan.placement, &cost, err));
    b->known = true;
    b->slowest_known = s->o.optimum.objective == OBJECTIVE_SLOWEST;
    b->total = gap_of(part * p->total, part * cost.total, cliques);
    b->slowest = gap_of(part * p->slowest, part * cost.slowest, cliques);
    b->reason = weakness(p);
    if (waits_for_transfer(&c->plan)) TRY(bound_stage(s, c, &items, err));
done:
    if (r) reach_release(r);
    mem_free(r);
    mem_free(items.share);
    return st;
}

/* Sets plan.bound of every planned cell; cells of one recording and equal budgets share one program. Calibrated
 * estimates must be there in every recording (study_estimate). ST_MISSING without GLPK, ST_LIMIT when it gave up. */
static enum st study_bound(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    enum st st = ST_OK;
    OWNED struct proven *p = NULL;
    NEW(p, 1, "a bound");
    if (s->o.stages) stage_begin(s->o.stages, "bound");
    for (int i = 0; i < count && st == ST_OK; i++)
        if (cells[i].verdict.status == POLICY_OK) st = bound_cell(s, &cells[i], p, err);
    if (s->o.stages) stage_end(s->o.stages);
done:
    return st;
}

uint64_t study_held_out_seed(uint64_t seed)
{
    enum { STREAM_HELD_OUT = 0x68656c64, SMALL = 1000000 };
    uint64_t other = rng_hash(seed, STREAM_HELD_OUT, 0) % SMALL + 1; /* short, for people who type it */
    return other == seed ? other + 1 : other;
}

/* ---- planning ---- */

static struct study_checkpoint saved_cell(const struct study *s, const struct study_cell *cell)
{
    struct study_checkpoint saved = {.checkpoint = s->o.checkpoint};
    snprintf(saved.part, sizeof saved.part, "%.15scell%d-", s->o.part, cell->number);
    return saved;
}

/* The same of some of its rows (thin.h). */
static enum st place_some(struct study_cell *cell, int threads, struct plan *p, struct study_score *score,
                          struct err *err)
{
    const struct thin *thin = cell->recording->thin;
    ON_HEAP(struct study_cell, some);
    *some = *cell;
    thin_budget(thin, cell->budget_bytes, some->budget_bytes);
    enum st st = study_place(&thin->study, some, threads, p, err);
    cell->verdict = some->verdict;
    if (st != ST_OK || cell->verdict.status != POLICY_OK) return st;
    *score = study_score_of(&thin->study, p);
    thin_enlarge(thin, p);
    return ST_OK;
}

static enum st place_all(const struct study *s, struct study_cell *cell, int threads, struct plan *p,
                         struct study_score *score, struct err *err)
{
    if (cell->sampled) return place_some(cell, threads, p, score, err);
    PASS(study_place(s, cell, threads, p, err));
    *score = study_score_of(s, p);
    return ST_OK;
}

/* Fills cell->plan and cell->verdict; a plan that an earlier run finished is taken up. */
static enum st plan_cell(const struct study *s, struct study_cell *cell, int threads, struct err *err)
{
    enum st st;
    ON_HEAP(struct plan, p);
    const struct study_checkpoint saved = saved_cell(s, cell);
    bool there;
    struct study_score score;
    double started = clock_seconds();
    TRY(study_checkpoint_load_plan(&saved, s->o.graph, &cell->recording->trace->assignment, &cell->plan, &there, err));
    if (there) return ST_OK;
    TRY(place_all(s, cell, threads, p, &score, err));
    if (cell->verdict.status != POLICY_OK) {
        memcpy(cell->plan.budget, p->budget, sizeof p->budget);
        goto done;
    }
    TRY(study_checkpoint_save_plan(&saved, p, err));
    cell->seconds = clock_seconds() - started;
    study_expects(s, cell, score.seconds);
    cell->plan = *p;
    memset(p, 0, sizeof *p);
done:
    plan_release(p);
    return st;
}

/* The rank that plans each cell. Plans that an earlier run finished lie with the first one, which deals out the others.
 * rank: [count]. */
static enum st deal_cells(const struct study *s, const struct study_cell *cells, int count, int *rank, struct err *err)
{
    for (int i = 0, dealt = 0; i < count; i++) {
        const struct study_checkpoint saved = saved_cell(s, &cells[i]);
        if (study_checkpoint_has_plan(&saved)) continue;
        rank[i] = (dealt + dealt / ranks_count()) %
                  ranks_count(); /* not the same policies for one rank at each budget */
        dealt++;
    }
    return ranks_give(0, rank, (uint64_t)count * sizeof *rank, err);
}

/* Gives a cell that rank `from` planned to all of them; the first one keeps it. */
static enum st give_cell(const struct study *s, struct study_cell *cell, int from, struct err *err)
{
    const struct study_checkpoint saved = saved_cell(s, cell);
    PASS(ranks_give(from, &cell->verdict, sizeof cell->verdict, err));
    PASS(ranks_give(from, &cell->seconds, sizeof cell->seconds, err));
    if (cell->verdict.status != POLICY_OK) return ranks_give(from, cell->plan.budget, sizeof cell->plan.budget, err);
    PASS(plan_give(&cell->plan, from, &cell->recording->trace->assignment, err));
    if (from && ranks_first()) PASS(study_checkpoint_save_plan(&saved, &cell->plan, err));
    return ST_OK;
}

/* What study_together plans. */
struct planning {
    struct study_cell *cells;
    const int *rank, *order; /* rank: of each */
};

/* Those that solve programs take longest, so they go first. */
static void order_cells(const struct study_cell *cells, int count, int *order)
{
    for (int late = 0, at = 0; late < 2; late++)
        for (int i = 0; i < count; i++)
            if (cells[i].policy->solves != late) order[at++] = i;
}

static enum st plan_own_cell(const struct study *s, void *of, int i, int threads, struct err *err)
{
    struct planning *p = of;
    return p->rank[p->order[i]] == ranks_number() ? plan_cell(s, &p->cells[p->order[i]], threads, err) : ST_OK;
}

/* Cells side by side; ranks share them. */
static enum st plan_cells(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    OWNED_NEW(int, rank, count, "the ranks of cells");
    OWNED_NEW(int, order, count, "the order of cells");
    PASS(deal_cells(s, cells, count, rank, err));
    order_cells(cells, count, order);
    const bool one_solves = count > 1 && cells[order[0]].policy->solves && !cells[order[1]].policy->solves;
    PASS(study_together(s, count, one_solves, plan_own_cell, &(struct planning){cells, rank, order}, err));
    for (int i = 0; i < count && ranks_count() > 1; i++) PASS(give_cell(s, &cells[i], rank[i], err));
    return ST_OK;
}

static void begin_course(struct study *s, const struct study_cell *cells, int count)
{
    int deals = s->parts ? 0 : study_deals_planned(&s->o, cells, count),
        recordings = study_recordings(&s->o, cells, count) - deals;
    study_course_begin(s, cells, count, deals, recordings < 1 ? 1 : recordings);
    study_course_step(s, STEP_CUT);
}

/* What cells share while they are planned: rows in order, or a sample of them. */
static enum st share_rows(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    for (int i = 0; i < count; i++) {
        struct study_recording *r = cells[i].recording;
        cells[i].sampled = r->thin != NULL;
        if (i && cells[i - 1].recording == r) continue;
        if (r->thin) thin_attach(s, r->trace, r->thin);
        else PASS(study_orders(s, r, err));
    }
    return ST_OK;
}

enum st study_plan_all(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    enum st st = ST_OK;
    s->keeps_sides |= study_keeps_sides(&s->o, count);
    for (int i = 0; i < count; i++) {
        TRY(policy_check_graph(cells[i].policy, s->o.graph, err));
        if (!cells[i].options_given) policy_defaults(cells[i].policy, cells[i].option);
        TRY(budget_bytes(&cells[i].budget, s->o.server, s->o.graph, &s->o.reservation, cells[i].budget_bytes, err));
        if (s->o.before) memcpy(cells[i].budget_bytes, s->o.before->budget, sizeof cells[i].budget_bytes);
    }
    begin_course(s, cells, count);
    if (ranks_count() > 1) TRY(study_assign_ahead(s, cells, count, err));
    else TRY(study_cut_ahead(s, cells, count, err));
    if (s->o.told) s->o.told->total += count;
    TRY(study_deal_ahead(s, cells, count, err));
    study_course_step(s, STEP_RECORD);
    TRY(study_prepare(s, cells, count, err));
    study_drop_pages(s);
    study_course_step(s, STEP_PLAN);
    study_stage_begin(s, "planning");
    st = share_rows(s, cells, count, err);
    if (st == ST_OK) st = plan_cells(s, cells, count, err);
    study_stage_end(s);
    if (st == ST_OK && s->o.bound) st = study_bound(s, cells, count, err);
done:
    study_cut_end(s);
    return st;
}
