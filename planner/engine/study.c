#include "planner/engine/study.h"

#include <string.h>

#include "base/machine.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/rng.h"
#include "base/units.h"
#include "planner/engine/study_bound.h"
#include "planner/engine/study_deal.h"
#include "planner/engine/study_dynamic.h"
#include "planner/engine/study_order.h"
#include "planner/engine/study_place.h"
#include "planner/engine/study_together.h"
#include "simulator/movement/simulated.h"
#include "simulator/plan/plan_give.h"
#include "traces/graph/rows.h"

uint64_t study_held_out_seed(uint64_t seed)
{
    enum { STREAM_HELD_OUT = 0x68656c64, SMALL = 1000000 };
    uint64_t other = rng_hash(seed, STREAM_HELD_OUT, 0) % SMALL + 1; /* short, for people who type it */
    return other == seed ? other + 1 : other;
}

/* ---- planning ---- */

/* Lets the policy choose how many GPUs sample, from a recording with its default number; then cell->recording is the
 * one of the choice. */
static enum st choose_samplers(struct study *s, struct study_cell *cell, struct err *err)
{
    if (!cell->policy->choose_samplers || !s->o.timing.setup.gnn.hidden) return ST_OK;
    struct policy_input in = study_input(s, cell, s->o.threads);
    PASS(cell->policy->choose_samplers(&in, cell->budget_bytes, cell->split, &cell->samplers, err));
    if (s->recordings == STUDY_RECORDINGS) cell->samplers = 0; /* no room for another recording */
    if (cell->samplers && cell->samplers != cell->recording->key.samplers) {
        struct recording_key key = cell->recording->key;
        key.samplers = cell->samplers;
        PASS(study_record(s, &key, &cell->recording, err));
    }
    return ST_OK;
}

/* Everything that the cell's policy needs before it places rows. */
static enum st prepare_cell(struct study *s, struct study_cell *cell, struct err *err)
{
    struct recording_key key;
    study_deal(s, cell, &key);
    PASS(study_order(s, cell, &key, err));
    PASS(study_record(s, &key, &cell->recording, err));
    PASS(choose_samplers(s, cell, err));
    if (study_cell_source(cell) < RATE_SOURCES) PASS(study_estimate(s, cell->recording, study_cell_source(cell), err));
    if (s->o.bound) PASS(study_estimate(s, cell->recording, RATE_CALIBRATED, err));
    PASS(study_order_prepare(s, cell->recording, err));
    if (cell->policy->saw_evaluation) PASS(study_benefit(s, cell->recording, err));
    return ST_OK;
}

static struct study_checkpoint saved_cell(const struct study *s, const struct study_cell *cell)
{
    struct study_checkpoint saved = {.checkpoint = s->o.checkpoint};
    snprintf(saved.part, sizeof saved.part, "%.15scell%d-", s->o.part, cell->number);
    return saved;
}

/* Fills cell->plan and cell->verdict; a plan that an earlier run finished is taken up. */
static enum st plan_cell(const struct study *s, struct study_cell *cell, int threads, struct err *err)
{
    enum st st;
    ON_HEAP(struct plan, p);
    const struct study_checkpoint saved = saved_cell(s, cell);
    bool there;
    double started = clock_seconds();
    TRY(study_checkpoint_load_plan(&saved, s->o.graph, &cell->recording->trace->assignment, &cell->plan, &there, err));
    if (there) return ST_OK;
    TRY(study_place(s, cell, threads, p, err));
    if (cell->verdict.status != POLICY_OK) {
        memcpy(cell->plan.budget, p->budget, sizeof p->budget);
        goto done;
    }
    TRY(study_checkpoint_save_plan(&saved, p, err));
    cell->seconds = clock_seconds() - started;
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
    const int *rank; /* of each */
};

static enum st plan_own_cell(const struct study *s, void *of, int i, int threads, struct err *err)
{
    struct planning *p = of;
    return p->rank[i] == ranks_number() ? plan_cell(s, &p->cells[i], threads, err) : ST_OK;
}

/* Cells side by side; ranks share them. */
static enum st plan_cells(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    OWNED_NEW(int, rank, count, "the ranks of cells");
    PASS(deal_cells(s, cells, count, rank, err));
    PASS(study_together(s, count, plan_own_cell, &(struct planning){cells, rank}, err));
    for (int i = 0; i < count && ranks_count() > 1; i++) PASS(give_cell(s, &cells[i], rank[i], err));
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
    if (ranks_count() > 1) TRY(study_assign_ahead(s, cells, count, err));
    else TRY(study_cut_ahead(s, cells, count, err));
    if (s->o.told) s->o.told->total += count;
    TRY(study_deal_ahead(s, cells, count, err));
    for (int i = 0; i < count; i++) TRY(prepare_cell(s, &cells[i], err)); /* one by one: each uses all threads */
    study_drop_pages(s);
    study_stage_begin(s, "planning");
    st = plan_cells(s, cells, count, err);
    study_stage_end(s);
    if (st == ST_OK && s->o.bound) st = study_bound(s, cells, count, err);
done:
    return st;
}

/* ---- judging ---- */

/* Placements that one pass can take: a byte per row each, within an eighth of the limit. */
static int pass_size(const struct study *s, int wanted)
{
    uint64_t limit = mem_limit() ? mem_limit() : machine_memory(), each = graph_items(s->o.graph) + 1,
             most = limit / 8 / each;
    return most < 2 ? 2 : most > (uint64_t)wanted ? wanted : (int)most;
}

/* One pass: the cells in `list`, and an empty placement for the cost with nothing cached. */
static enum st simulate_pass(struct study *s, struct study_recording *r, struct study_cell **list, int count,
                             struct err *err)
{
    enum st st = ST_OK;
    struct replay *out = NULL;
    const struct placement **p = NULL;
    OWNED struct placement *empty = NULL;
    struct replay_request q = study_request(s, r);
    NEW(out, count + 1, "results");
    NEW(p, count + 1, "results");
    NEW(empty, 1, "results");
    empty->gpus = s->o.server->gpus;
    for (int i = 0; i < count; i++) p[i] = &list[i]->plan.placement;
    p[count] = empty;
    TRY(replay_run(&q, p, count + 1, out, err));
    for (int i = 0; i < count; i++) {
        struct plan *plan = &list[i]->plan;
        TRY(simulated_make(&s->o.timing, s->o.server, plan, &out[i], &out[count], s->o.graph, &plan->simulated, err));
    }
    r->uncached = 0; /* rounded as a plan states it, so that an empty plan reads all of it */
    for (int g = 0; g < empty->gpus; g++)
        r->uncached += units_round_half_up(out[count].gpu[g].topology, r->epochs) +
                       units_round_half_up(out[count].gpu[g].feature, r->epochs);
done:
    for (int i = 0; out && i <= count; i++) replay_release(&out[i]);
    mem_free(out);
    mem_free(p);
    return st;
}

enum st study_simulate(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    enum st st = ST_OK;
    struct study_cell **list = NULL;
    if (s->o.simulate_epochs == 0) return ST_OK;
    NEW(list, count, "a list of cells");
    study_stage_begin(s, "simulation");
    study_drop_pages(s);
    graph_prefetch_pages(s->o.graph);
    for (int i = 0; i < s->recordings; i++) {
        int n = 0;
        for (int k = 0; k < count; k++)
            if (cells[k].recording == s->recording[i] && cells[k].verdict.status == POLICY_OK) list[n++] = &cells[k];
        int step = pass_size(s, n);
        for (int at = 0; at < n; at += step)
            TRY(simulate_pass(s, s->recording[i], list + at, n - at < step ? n - at : step, err));
        struct replay_request q = study_request(s, s->recording[i]);
        TRY(study_dynamic(s, &q, list, n, err));
    }
done:
    study_stage_end(s);
    mem_free(list);
    return st;
}
