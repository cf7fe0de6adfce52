#include "planner/study/predict.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/units.h"
#include "planner/hotness/reader_shares.h"
#include "planner/study/epochs_needed.h"
#include "planner/study/misses.h"

/* Sums over the readers of a clique, over all epochs of the trace. */
struct reads {
    uint64_t draws, draws_missed, visits, visits_missed, rows, rows_missed,
        lines;                            /* lines: transactions of missed feature rows */
    uint64_t left_topology, left_feature; /* transactions that are not saved: of the evaluated epochs (oracle), or
                                             estimated per epoch in units of 2^-20 */
};

static void read_trace(const struct policy *policy, const struct policy_input *in, const struct plan *plan, int g,
                       const uint8_t *at_topology, const uint8_t *at_feature, struct reads *r)
{
    const struct trace *t = in->trace;
    uint64_t n = in->graph->n, row = in->graph->row_bytes, line_bytes = plan->line_bytes,
             aligned = (row + line_bytes - 1) / line_bytes;
    uint64_t draws = 0, draws_missed = 0, visits = 0, visits_missed = 0, rows = 0, rows_missed = 0, lines = 0;
    int hops = t->workload.hops;
#pragma omp parallel for num_threads(in->threads) reduction(+ : draws, draws_missed, visits, visits_missed) \
    reduction(+ : rows, rows_missed, lines)
    for (uint64_t v = 0; v < n; v++) {
        uint64_t f = count_at(t->feature[g], v), d = count_at(t->topology[g], v), seen = 0;
        for (int h = 0; h < hops; h++) seen += count_at(t->visits[h][g], v);
        draws += d;
        visits += seen;
        rows += f;
        draws_missed += at_topology[v] ? 0 : d;
        visits_missed += at_topology[v] ? 0 : seen;
        if (at_feature[v] || !f) continue;
        rows_missed += f;
        lines += f * (policy->aligned_rows ? aligned : cachelines_of_feature(v, row, line_bytes));
    }
    r->draws += draws;
    r->draws_missed += draws_missed;
    r->visits += visits;
    r->visits_missed += visits_missed;
    r->rows += rows;
    r->rows_missed += rows_missed;
    r->lines += lines;
}

/* Transactions of the evaluated epochs that the clique's rows do not save. */
static void read_benefit(const struct policy_input *in, int clique, const uint8_t *at_topology,
                         const uint8_t *at_feature, struct reads *r)
{
    for (uint64_t v = 0; v < in->graph->n; v++) {
        r->left_topology += at_topology[v] ? 0 : in->benefit_topology[clique][v];
        r->left_feature += at_feature[v] ? 0 : in->benefit_feature[clique][v];
    }
}

/* Estimates in units of 2^-20: integers, so that the order of additions does not matter. */
static inline uint64_t fixed(double x) { return x > 0 ? (uint64_t)(x * 0x1p20) : 0; }

/* What the clique's reads cost that are not in reach, by the calibrated estimates. */
static void read_estimates(const struct policy_input *in, int clique, const struct misses *m, struct reads *r)
{
    const struct estimates *e = &in->estimates[clique];
    uint64_t topology = 0, feature = 0, visits = 0, visits_missed = 0, rows = 0, rows_missed = 0;
#pragma omp parallel for num_threads(in->threads) reduction(+ : topology, feature, visits, visits_missed) \
    reduction(+ : rows, rows_missed)
    for (uint64_t v = 0; v < in->graph->n; v++) {
        uint64_t seen = fixed(e->visits[v]), read = fixed(e->rows[v]), t = m->topology[v], f = m->feature[v];
        visits += seen;
        rows += read;
        topology += t * fixed(e->topology[v]);
        visits_missed += t * seen;
        feature += f * fixed(e->feature[v]);
        rows_missed += f * read;
    }
    r->left_topology = topology / m->all;
    r->left_feature = feature / m->all;
    r->visits = visits;
    r->visits_missed = visits_missed / m->all;
    r->rows = rows;
    r->rows_missed = rows_missed / m->all;
}

/* missed: transactions that the plan would have left in each fold, in units of 2^-10: their spread is the noise of an
 * epoch. Interval of what training will see on average: the noise of the recorded epochs, and what calibration itself
 * was seen to be off by (1 %). One recorded epoch shows no noise: then the interval is an assumption, 3 %. */
static void set_interval(const struct trace *t, const uint64_t *missed, struct plan *plan)
{
    enum { OFF_PERMILLE = 10, OFF_PERMILLE_BLIND = 30 };
    double sum = 0, squares = 0, total = (double)plan_predicted(plan).total;
    if (t->folds < 2) return;
    plan->interval_known = true;
    plan->interval_assumed = t->epochs == 1;
    if (plan->interval_assumed) { /* parts of one epoch do not show how epochs differ */
        plan->predicted_low = total * (1000 - OFF_PERMILLE_BLIND) / 1000;
        plan->predicted_high = total * (1000 + OFF_PERMILLE_BLIND) / 1000;
        return;
    }
    for (int f = 0; f < t->folds; f++) {
        double x = (double)missed[f] / 1024 * t->folds_per_epoch;
        sum += x;
        squares += x * x;
    }
    double mean = sum / t->folds, variance = (squares - t->folds * mean * mean) / (t->folds - 1);
    double noise = epochs_needed_student(t->folds - 1) * sqrt(variance > 0 ? variance / t->folds : 0),
           off = total * OFF_PERMILLE / 1000, half = sqrt(noise * noise + off * off);
    plan->predicted_low = total > half ? total - half : 0;
    plan->predicted_high = total + half;
}

/* What the best point of the 1 % grid would cost above the plan. */
static void set_regret(struct plan_clique *k)
{
    uint64_t best = UINT64_MAX, have = k->topology + k->feature;
    for (int i = 0; i < k->sweep_count; i++)
        if (k->sweep[i].topology + k->sweep[i].feature < best) best = k->sweep[i].topology + k->sweep[i].feature;
    k->regret_known = k->sweep_count > 0;
    k->regret = k->regret_known && best > have ? best - have : 0;
}

static void set_clique(const struct policy *policy, const struct policy_input *in, const struct reads *r,
                       uint64_t benefit_epochs, int c, struct plan *plan)
{
    struct plan_clique *k = &plan->clique[c];
    uint64_t epochs = in->trace->epochs, sum = in->trace->n_tsum[c];
    k->feature = units_round_half_up(r->lines, epochs);
    if (plan->placement.access != ACCESS_GPU)
        k->topology = units_round_half_up(8 * (unsigned __int128)r->draws,
                                          (unsigned __int128)plan->line_bytes * epochs);
    else if (!r->draws) k->topology = units_round_half_up(sum, epochs);
    else
        k->topology = units_round_half_up((unsigned __int128)sum * r->draws_missed,
                                          (unsigned __int128)r->draws * epochs);
    if (policy->needs_estimates) {
        k->topology = units_round_half_up(r->left_topology, 1 << 20);
        k->feature = units_round_half_up(r->left_feature, 1 << 20);
        set_regret(k);
    }
    if (!policy->saw_evaluation) return;
    k->topology = units_round_half_up(r->left_topology, benefit_epochs);
    k->feature = units_round_half_up(r->left_feature, benefit_epochs);
}

/* Topology bytes over bytes held, for policies without a sweep of their own. */
static void set_alpha(const struct plan *plan, const struct graph *g, int c, struct plan_clique *k)
{
    uint64_t topology = 0, feature = 0;
    if (k->sweep_count) return;
    for (int i = 0; i < plan->assignment.gpus; i++) {
        if (plan->assignment.clique_of[i] != c) continue;
        topology += plan_topology_bytes(plan, i, g);
        feature += plan_feature_bytes(plan, i, g);
    }
    k->alpha = topology + feature ? (double)topology / (double)(topology + feature) : 0;
}

static double hit(uint64_t all, uint64_t missed) { return all ? 1 - (double)missed / (double)all : NAN; }

/* Work space of a prediction: [n] each. */
struct workspace {
    uint8_t *at_topology, *at_feature;
    struct misses misses;
};

/* Where the clique's readers find rows: for policies that are judged by counts. In a clique all reach the same rows. */
static void look_up(const struct policy *policy, const struct policy_input *in, int c, struct workspace *d,
                    struct reads *r, const struct plan *plan)
{
    const struct placement *p = &plan->placement;
    bool first = true;
    for (int g = 0; g < plan->assignment.gpus; g++) {
        if (plan->assignment.clique_of[g] != c || (policy->needs_estimates && !(policy->saw_evaluation && first)))
            continue;
        placement_locate(p, g, p->topology, in->graph->n, d->at_topology);
        placement_locate(p, g, p->feature, in->graph->n, d->at_feature);
        if (!policy->needs_estimates) {
            read_trace(policy, in, plan, g, d->at_topology, d->at_feature, r);
            trace_drop_pages(in->trace); /* one GPU's counts at a time */
        }
        if (policy->saw_evaluation && first) read_benefit(in, c, d->at_topology, d->at_feature, r);
        first = false;
    }
}

static enum st predict_clique(const struct policy *policy, const struct policy_input *in, int c,
                              uint64_t benefit_epochs, struct workspace *d, uint64_t *missed, uint64_t sum[4],
                              struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    struct reads r = {0};
    for (int g = 0; g < plan->assignment.gpus; g++)
        if (plan->assignment.clique_of[g] == c) plan->index_bytes[g] = plan_index_bytes(plan, g, in->graph->n);
    look_up(policy, in, c, d, &r, plan);
    if (policy->needs_estimates) {
        TRY(misses_find(plan, in->trace, c, in->estimates[c].readers, false, in->threads, d->at_topology, &d->misses,
                        err));
        read_estimates(in, c, &d->misses, &r);
        misses_by_fold(in->graph, in->trace, in->costs, c, &d->misses, in->threads, missed);
        trace_drop_pages(in->trace);
        estimates_drop_pages(&in->estimates[c]);
    }
    set_clique(policy, in, &r, benefit_epochs, c, plan);
    set_alpha(plan, in->graph, c, &plan->clique[c]);
    sum[0] += r.rows;
    sum[1] += r.rows_missed;
    sum[2] += r.visits;
    sum[3] += r.visits_missed;
done:
    return st;
}

/* What a dynamic cache will hold is not known beforehand: nothing is predicted. */
static void unpredict(struct plan *plan)
{
    plan->predicted_feature_hit = plan->predicted_topology_hit = NAN;
    plan->interval_known = false;
    for (int c = 0; c < plan->assignment.cliques; c++) plan->clique[c].topology = plan->clique[c].feature = 0;
}

enum st predict_plan(const struct policy *policy, const struct policy_input *in, uint64_t benefit_epochs,
                     struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, sum[4] = {0}, missed[FOLDS_MAX] = {0};
    struct workspace d = {0};
    NEW(d.at_topology, n, "the look-up of a prediction");
    NEW(d.at_feature, n, "the look-up of a prediction");
    NEW(d.misses.topology, n, "the look-up of a prediction");
    NEW(d.misses.feature, n, "the look-up of a prediction");
    for (int c = 0; c < plan->assignment.cliques; c++)
        TRY(predict_clique(policy, in, c, benefit_epochs, &d, missed, sum, plan, err));
    plan->predicted_feature_hit = hit(sum[0], sum[1]);
    plan->predicted_topology_hit = hit(sum[2], sum[3]);
    if (plan->placement.access != ACCESS_GPU && sum[2])
        plan->predicted_topology_hit = plan->placement.access == ACCESS_SAMPLERS;
    if (policy->needs_estimates) set_interval(in->trace, missed, plan);
    plan->folds_known = policy->needs_estimates && in->trace->folds >= 2;
    memcpy(plan->fold_left, missed, sizeof plan->fold_left);
    plan->predicted_held_out = !policy->saw_evaluation;
    if (*plan->cache) unpredict(plan);
done:
    mem_free(d.at_topology);
    mem_free(d.at_feature);
    mem_free(d.misses.topology);
    mem_free(d.misses.feature);
    return st;
}
