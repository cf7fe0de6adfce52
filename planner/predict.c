#include "planner/predict.h"

#include <math.h>
#include <string.h>

#include "base/lines.h"
#include "base/mem.h"
#include "base/units.h"

/* Sums over the readers of a clique, over all epochs of the trace. */
struct reads {
    uint64_t draws, draws_missed, visits, visits_missed, rows, rows_missed, lines; /* lines: transactions of missed feature rows */
    uint64_t left_topology, left_feature; /* transactions of the evaluated epochs that are not saved (oracle) */
};

static void read_trace(const struct policy *policy, const struct policy_input *in, const struct plan *plan, int g, const uint8_t *at_topology,
                       const uint8_t *at_feature, struct reads *r)
{
    const struct trace *t = in->trace;
    uint64_t n = in->graph->n, row = in->graph->row_bytes, cls = plan->cls, aligned = (row + cls - 1) / cls;
    uint64_t draws = 0, draws_missed = 0, visits = 0, visits_missed = 0, rows = 0, rows_missed = 0, lines = 0;
    int hops = t->workload.hops;
#pragma omp parallel for num_threads(in->threads) reduction(+ : draws, draws_missed, visits, visits_missed, rows, rows_missed, lines)
    for (uint64_t v = 0; v < n; v++) {
        uint64_t f = t->feature[g][v], d = t->topology[g][v], seen = 0;
        for (int h = 0; h < hops; h++) seen += t->visits[h][g][v];
        draws += d;
        visits += seen;
        rows += f;
        draws_missed += at_topology[v] ? 0 : d;
        visits_missed += at_topology[v] ? 0 : seen;
        if (at_feature[v] || !f) continue;
        rows_missed += f;
        lines += f * (policy->aligned_rows ? aligned : lines_of_feature(v, row, cls));
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
static void read_benefit(const struct policy_input *in, int clique, const uint8_t *at_topology, const uint8_t *at_feature, struct reads *r)
{
    for (uint64_t v = 0; v < in->graph->n; v++) {
        r->left_topology += at_topology[v] ? 0 : in->benefit_topology[clique][v];
        r->left_feature += at_feature[v] ? 0 : in->benefit_feature[clique][v];
    }
}

static void set_clique(const struct policy *policy, const struct policy_input *in, const struct reads *r, uint64_t benefit_epochs, int c, struct plan *plan)
{
    struct plan_clique *k = &plan->clique[c];
    uint64_t epochs = in->trace->epochs, sum = in->trace->n_tsum[c];
    k->feature = units_round_half_up(r->lines, epochs);
    if (plan->placement.access != ACCESS_GPU) k->topology = units_round_half_up(8 * (unsigned __int128)r->draws, (unsigned __int128)plan->cls * epochs);
    else if (!r->draws) k->topology = units_round_half_up(sum, epochs);
    else k->topology = units_round_half_up((unsigned __int128)sum * r->draws_missed, (unsigned __int128)r->draws * epochs);
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

/* The look-up from vertex to (memory, slot): a direct table for both kinds (8 bytes per vertex), or a hash table of the rows in reach (16 bytes per
 * row, half full), whichever is smaller. */
static uint64_t index_bytes(const struct placement *p, int g, uint64_t n)
{
    uint64_t rows = p->topology[g].count + p->feature[g].count;
    for (int i = 0; i < p->peers[g]; i++) rows += p->topology[p->peer[g][i]].count + p->feature[p->peer[g][i]].count;
    return rows * 16 < n * 8 ? rows * 16 : n * 8;
}

static double hit(uint64_t all, uint64_t missed) { return all ? 1 - (double)missed / (double)all : NAN; }

enum st predict_plan(const struct policy *policy, const struct policy_input *in, uint64_t benefit_epochs, struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, sum[4] = {0};
    uint8_t *at_topology = NULL, *at_feature = NULL;
    NEW(at_topology, n, "the look-up of a prediction");
    NEW(at_feature, n, "the look-up of a prediction");
    for (int c = 0; c < plan->assignment.cliques; c++) {
        struct reads r = {0};
        bool first = true;
        for (int g = 0; g < plan->assignment.gpus; g++) {
            if (plan->assignment.clique_of[g] != c) continue;
            placement_locate(&plan->placement, g, plan->placement.topology, n, at_topology);
            placement_locate(&plan->placement, g, plan->placement.feature, n, at_feature);
            read_trace(policy, in, plan, g, at_topology, at_feature, &r);
            if (policy->saw_evaluation && first) read_benefit(in, c, at_topology, at_feature, &r); /* in a clique all reach the same rows */
            first = false;
            plan->index_bytes[g] = index_bytes(&plan->placement, g, n);
        }
        set_clique(policy, in, &r, benefit_epochs, c, plan);
        set_alpha(plan, in->graph, c, &plan->clique[c]);
        sum[0] += r.rows;
        sum[1] += r.rows_missed;
        sum[2] += r.visits;
        sum[3] += r.visits_missed;
    }
    plan->predicted_feature_hit = hit(sum[0], sum[1]);
    plan->predicted_topology_hit = hit(sum[2], sum[3]);
    if (plan->placement.access != ACCESS_GPU && sum[2]) plan->predicted_topology_hit = plan->placement.access == ACCESS_SAMPLERS;
    plan->predicted_held_out = !policy->saw_evaluation;
done:
    mem_free(at_topology);
    mem_free(at_feature);
    return st;
}
