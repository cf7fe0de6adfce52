#include "planner/engine/predict.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/student.h"
#include "base/units.h"
#include "planner/hotness/reader_shares.h"
#include "planner/engine/epochs_needed.h"
#include "planner/engine/misses.h"
#include "planner/policies/cross_clique.h"
#include "traces/recording/trace_rows.h"

/* Sums over the readers of a clique, over all epochs of the trace. */
struct reads {
    uint64_t draws, draws_missed, visits, visits_missed, rows, rows_missed,
        lines;                            /* lines: transactions of missed feature rows */
    uint64_t left_topology, left_feature; /* transactions that are not saved: of the evaluated epochs (oracle), or
                                             estimated per epoch in units of 2^-20 */
    uint64_t uncached;                    /* estimated so, with nothing cached */
};

/* The clique's part of plan->expected, of several types; NULL of a plain graph. */
static struct plan_expected *expected_of(const struct plan *plan, const struct graph *g, int clique)
{
    return plan->expected ? plan->expected + clique * graph_tables(g) : NULL;
}

/* Values in units of 2^-20: integers, so that the order of additions does not matter. */
static inline uint64_t fixed(double x) { return x > 0 ? (uint64_t)(x * 0x1p20) : 0; }

/* Reads of a row that GPUs serve rounded. */
static void add_error(const struct policy_input *in, double reads, uint64_t item, struct plan_expected *to)
{
    double error = (double)in->measured[item];
    if (isinf(error)) to->overflowed += reads;
    else to->error += reads * error;
}

/* ---- what GPUs were recorded to read ---- */

/* A table's share of that: expected gathers of edge features are in units of 2^-20. */
struct tally {
    uint64_t draws, draws_missed, reads, missed, lines;
    uint64_t all; /* estimates: lines with nothing cached */
};

static void tally_topology(const struct policy_input *in, const struct row_table *table, int g, const uint8_t *at,
                           struct tally *out)
{
    const struct trace *t = in->trace;
    struct count_row seen[HOPS_MAX];
    const int hops = t->workload.hops;
    uint64_t draws = 0, draws_missed = 0, reads = 0, missed = 0;
    for (int h = 0; h < hops; h++) seen[h] = trace_visits(t, in->graph, *table, h, g);
#pragma omp parallel for num_threads(in->threads) reduction(+ : draws, draws_missed, reads, missed)
    for (uint64_t v = 0; v < table->count; v++) {
        uint64_t d = trace_row_draws(t, in->graph, *table, v, g), some = 0;
        for (int h = 0; h < hops; h++) some += count_at(seen[h], v);
        draws += d;
        reads += some;
        draws_missed += at[table->first + v] ? 0 : d;
        missed += at[table->first + v] ? 0 : some;
    }
    *out = (struct tally){.draws = draws, .draws_missed = draws_missed, .reads = reads, .missed = missed};
}

/* aligned: transactions of every row, 0: those of its place. */
static void tally_features(const struct policy_input *in, const struct row_table *table, int g, const uint8_t *at,
                           uint64_t line_bytes, uint64_t aligned, struct tally *out)
{
    const struct count_row rows = trace_gathers(in->trace, in->graph, *table, g);
    const uint64_t row = table->row_bytes;
    uint64_t reads = 0, missed = 0, lines = 0;
#pragma omp parallel for num_threads(in->threads) reduction(+ : reads, missed, lines)
    for (uint64_t v = 0; v < table->count; v++) {
        uint64_t f = count_at(rows, v);
        reads += f;
        if (at[v] || !f) continue;
        missed += f;
        lines += f * (aligned ? aligned : cachelines_of_feature(v, row, line_bytes));
    }
    *out = (struct tally){.reads = reads, .missed = missed, .lines = lines};
}

/* Rows of edges, as often as visits of their row are expected to draw them. */
static void tally_edges(const struct policy_input *in, const struct row_table *table, int g, const uint8_t *at,
                        uint64_t line_bytes, uint64_t aligned, struct tally *out)
{
    const struct graph_relation *r = &in->graph->relation[table->of];
    const struct row_table rows = graph_table(in->graph, table->of);
    uint64_t reads = 0, missed = 0, lines = 0;
#pragma omp parallel for num_threads(in->threads) reduction(+ : reads, missed, lines)
    for (uint64_t v = 0; v < r->rows; v++) {
        uint64_t degree = relation_degree(r, v),
                 each = degree ? fixed((double)trace_row_draws(in->trace, in->graph, rows, v, g) / (double)degree) : 0;
        for (uint64_t e = (uint64_t)r->indptr[v]; each && e < (uint64_t)r->indptr[v + 1]; e++) {
            reads += each;
            if (at[e]) continue;
            missed += each;
            lines += each * (aligned ? aligned : cachelines_of_feature(e, table->row_bytes, line_bytes));
        }
    }
    *out = (struct tally){.reads = reads, .missed = missed, .lines = lines};
}

/* What GPU g reads of rounded rows. at: of the table's rows. */
static void expect_errors(const struct policy_input *in, const struct row_table *table, int g, const uint8_t *at,
                          struct plan_expected *to)
{
    if (!in->measured || table->cached == PRECISION_HOST) return;
    for (uint64_t v = 0; v < table->count; v++)
        if (at[v])
            add_error(in, (double)trace_row_reads(in->trace, in->graph, *table, v, g) / (double)in->trace->epochs,
                      table->first + v, to);
}

/* copied: blocks of all draws are copied to the GPU. */
static void expect_tally(const struct tally *y, double unit, bool copied, struct plan_expected *to)
{
    to->reads += (double)y->reads / unit;
    to->missed += (double)y->missed / unit;
    to->transactions += (double)y->lines / unit +
                        (double)(copied ? y->draws : y->draws_missed); /* draws are scaled in expect_topology */
}

static void read_trace(const struct policy *policy, const struct policy_input *in, const struct plan *plan, int g,
                       const uint8_t *at_topology, const uint8_t *at_feature, struct reads *r,
                       struct plan_expected *expected)
{
    const struct graph *graph = in->graph;
    uint64_t line_bytes = plan->line_bytes, edge_rows = 0, edge_missed = 0, edge_lines = 0;
    for (int k = 0; k < graph_tables(graph); k++) {
        const struct row_table table = graph_table(graph, k);
        const uint8_t *at = at_feature + (table.first - graph_topology_rows(graph));
        uint64_t aligned = policy->aligned_rows ? (table.row_bytes + line_bytes - 1) / line_bytes : 0;
        struct tally y = {0};
        if (!graph_table_there(graph, k)) continue;
        if (table.kind == ROWS_TOPOLOGY) {
            tally_topology(in, &table, g, at_topology, &y);
            r->draws += y.draws;
            r->draws_missed += y.draws_missed;
            r->visits += y.reads;
            r->visits_missed += y.missed;
        } else if (table.kind == ROWS_FEATURE) {
            tally_features(in, &table, g, at, line_bytes, aligned, &y);
            r->rows += y.reads;
            r->rows_missed += y.missed;
            r->lines += y.lines;
        } else {
            tally_edges(in, &table, g, at, line_bytes, aligned, &y);
            edge_rows += y.reads;
            edge_missed += y.missed;
            edge_lines += y.lines;
        }
        if (!expected) continue;
        expect_tally(&y, (double)in->trace->epochs * (table.kind == ROWS_EDGE ? 0x1p20 : 1),
                     plan->placement.access != ACCESS_GPU, &expected[k]);
        if (table.kind != ROWS_TOPOLOGY) expect_errors(in, &table, g, at, &expected[k]);
    }
    r->rows += units_round_half_up(edge_rows, 1 << 20);
    r->rows_missed += units_round_half_up(edge_missed, 1 << 20);
    r->lines += units_round_half_up(edge_lines, 1 << 20);
}

/* ---- the evaluated epochs, and estimates ---- */

/* Transactions of the evaluated epochs that the clique's rows do not save. */
static void read_benefit(const struct policy_input *in, int clique, uint64_t epochs, const uint8_t *at_topology,
                         const uint8_t *at_feature, struct reads *r, struct plan_expected *expected)
{
    const struct graph *g = in->graph;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        bool topology = table.kind == ROWS_TOPOLOGY;
        uint64_t from = topology ? table.first : table.first - graph_topology_rows(g), left = 0;
        const uint64_t *benefit = topology ? in->benefit_topology[clique] : in->benefit_feature[clique];
        const uint8_t *at = topology ? at_topology : at_feature;
        for (uint64_t v = from; v < from + table.count; v++) left += at[v] ? 0 : benefit[v];
        *(topology ? &r->left_topology : &r->left_feature) += left;
        if (expected) expected[k].transactions = (double)left / (double)epochs;
    }
}

/* What the clique's reads of one table cost that are not in reach. */
static void read_table(const struct policy_input *in, const struct row_table *table, const struct estimates *e,
                       const struct misses *m, struct tally *out, struct plan_expected *to)
{
    bool topology = table->kind == ROWS_TOPOLOGY;
    uint64_t from = topology ? table->first : table->first - graph_topology_rows(in->graph), reads = 0, missed = 0,
             left = 0, all = 0;
    const float *rows = (topology ? e->visits : e->rows) + from, *saved = (topology ? e->topology : e->feature) + from;
    const uint16_t *missing = (topology ? m->topology : m->feature) + from;
#pragma omp parallel for num_threads(in->threads) reduction(+ : reads, missed, left, all)
    for (uint64_t v = 0; v < table->count; v++) {
        uint64_t seen = fixed(rows[v]), share = missing[v];
        reads += seen;
        missed += share * seen;
        left += share * fixed(saved[v]);
        all += fixed(saved[v]);
    }
    *out = (struct tally){.reads = reads, .missed = missed, .lines = left, .all = all};
    if (!to) return;
    *to = (struct plan_expected){.reads = (double)reads * 0x1p-20,
                                 .missed = (double)missed * 0x1p-20 / (double)m->all,
                                 .transactions = (double)left * 0x1p-20 / (double)m->all};
    for (uint64_t v = 0; in->measured && table->cached != PRECISION_HOST && v < table->count; v++)
        add_error(in, (double)rows[v] * (1 - (double)missing[v] / (double)m->all), table->first + v, to);
}

/* The same of all tables, by the calibrated estimates. */
static void read_estimates(const struct policy_input *in, int clique, const struct misses *m, struct reads *r,
                           struct plan_expected *expected)
{
    const struct graph *g = in->graph;
    struct tally sum[2] = {{0}}, y; /* features, topology */
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        if (!graph_table_there(g, k)) continue;
        read_table(in, &table, &in->estimates[clique], m, &y, expected ? &expected[k] : NULL);
        struct tally *to = &sum[table.kind == ROWS_TOPOLOGY];
        to->reads += y.reads;
        to->missed += y.missed;
        to->lines += y.lines;
        to->all += y.all;
    }
    r->uncached = sum[0].all + sum[1].all;
    r->left_topology = sum[1].lines / m->all;
    r->left_feature = sum[0].lines / m->all;
    r->visits = sum[1].reads;
    r->visits_missed = sum[1].missed / m->all;
    r->rows = sum[0].reads;
    r->rows_missed = sum[0].missed / m->all;
}

/* How far predictions were seen to be off beyond the noise, a share of them: more, the less is left, for rows are
 * chosen by the same counts that predict; most where GPUs of a clique reach different rows (planner/BENCH.md). */
static double seen_off(const struct plan *plan, double total, double uncached)
{
    static const double ALWAYS = 0.01, BLIND = 0.03, ALONE = 0.01, ACROSS = 0.035; /* the latter per e-fold less */
    double more = total > 0 && uncached > total ? log(uncached / total) : 0;
    return student_together(plan->interval_assumed ? BLIND : ALWAYS,
                            more * (cross_clique_reads(plan) ? ACROSS : ALONE));
}

/* missed: transactions that the plan would have left in each fold, in units of 2^-10: their spread is the noise of an
 * epoch. Interval of what training will see on average: the noise of the recorded epochs, and what predictions were
 * seen to be off by. One recorded epoch shows no noise: then the interval is an assumption. */
static void set_interval(const struct trace *t, const uint64_t *missed, double uncached, struct plan *plan)
{
    double sum = 0, squares = 0, total = (double)plan_predicted(plan).total;
    if (t->folds < 2) return;
    plan->interval_known = true;
    plan->interval_assumed = t->epochs == 1;
    const double off = total * seen_off(plan, total, uncached);
    if (plan->interval_assumed) { /* parts of one epoch do not show how epochs differ */
        plan->predicted_low = total > off ? total - off : 0;
        plan->predicted_high = total + off;
        return;
    }
    for (int f = 0; f < t->folds; f++) {
        double x = (double)missed[f] / 1024 * t->folds_per_epoch;
        sum += x;
        squares += x * x;
    }
    double mean = sum / t->folds, variance = (squares - t->folds * mean * mean) / (t->folds - 1);
    double noise = epochs_needed_student(t->folds - 1) * sqrt(variance > 0 ? variance / t->folds : 0),
           half = student_together(noise, off);
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
    const bool copied = plan->placement.access != ACCESS_GPU; /* blocks of 8 bytes per draw */
    if (copied)
        k->topology = units_round_half_up(8 * (unsigned __int128)r->draws,
                                          (unsigned __int128)plan->line_bytes * epochs);
    else if (!r->draws) k->topology = units_round_half_up(sum, epochs);
    else
        k->topology = units_round_half_up((unsigned __int128)sum * r->draws_missed,
                                          (unsigned __int128)r->draws * epochs);
    if (policy->needs_estimates) {
        if (!copied) k->topology = units_round_half_up(r->left_topology, 1 << 20);
        k->feature = units_round_half_up(r->left_feature, 1 << 20);
        set_regret(k);
    }
    if (!policy->saw_evaluation) return;
    k->topology = units_round_half_up(r->left_topology, benefit_epochs);
    k->feature = units_round_half_up(r->left_feature, benefit_epochs);
}

/* Of topology, read_trace has counted draws where transactions belong: the clique's are those of its recording, in
 * proportion to the draws that are missed, or to visits where nothing was drawn; blocks of 8 bytes per draw where
 * others sample. */
static void expect_topology(const struct policy_input *in, const struct plan *plan, const struct reads *r, int c,
                            struct plan_expected *expected)
{
    enum topology_access access = plan->placement.access;
    double epochs = (double)in->trace->epochs, all = (double)in->trace->n_tsum[c] / epochs;
    for (int k = 0; k < in->graph->relations; k++) {
        struct plan_expected *plan_expected = &expected[k];
        if (access != ACCESS_GPU) {
            plan_expected->missed = access == ACCESS_SAMPLERS ? 0 : plan_expected->reads;
            plan_expected->transactions *= 8 / ((double)plan->line_bytes * epochs);
        } else if (r->draws) {
            plan_expected->transactions *= all / (double)r->draws;
        } else {
            plan_expected->transactions = r->visits ? all * plan_expected->reads * epochs / (double)r->visits : 0;
        }
    }
}

/* Topology bytes over bytes held, for policies without a sweep of their own. */
static void set_alpha(const struct plan *plan, const struct graph *g, int c, struct plan_clique *k)
{
    uint64_t topology = 0, feature = 0;
    if (k->sweep_count) return;
    for (int i = 0; i < plan->assignment.gpus; i++) {
        if (plan->assignment.clique_of[i] != c) continue;
        topology += placement_topology_bytes(&plan->placement, i, g);
        feature += placement_feature_bytes(&plan->placement, i, g);
    }
    k->alpha = topology + feature ? (double)topology / (double)(topology + feature) : 0;
}

/* Reads and misses are rounded apart from each other, so a plan that caches nothing may miss a read too many. */
static double hit(uint64_t all, uint64_t missed)
{
    return !all ? NAN : missed < all ? 1 - (double)missed / (double)all : 0;
}

/* Work space of a prediction. */
struct workspace {
    uint8_t *at_topology, *at_feature; /* by row of the kind */
    struct misses misses;
    uint64_t benefit_epochs;
};

/* Where the clique's readers find rows: for policies that are judged by counts. In a clique all reach the same rows. */
static void look_up(const struct policy *policy, const struct policy_input *in, int c, struct workspace *d,
                    struct reads *r, const struct plan *plan)
{
    const struct placement *p = &plan->placement;
    const struct graph *graph = in->graph;
    struct plan_expected *expected = expected_of(plan, graph, c);
    int first = -1;
    for (int g = 0; g < plan->assignment.gpus; g++) {
        if (plan->assignment.clique_of[g] != c || (policy->needs_estimates && !(policy->saw_evaluation && first < 0)))
            continue;
        if (first < 0) first = g;
        placement_locate(p, g, p->topology, graph_topology_rows(graph), d->at_topology);
        placement_locate(p, g, p->feature, graph_feature_rows(graph), d->at_feature);
        if (!policy->needs_estimates) {
            read_trace(policy, in, plan, g, d->at_topology, d->at_feature, r, expected);
            trace_drop_pages(in->trace); /* one GPU's counts at a time */
        }
    }
    if (expected && !policy->needs_estimates) expect_topology(in, plan, r, c, expected);
    if (!policy->saw_evaluation || first < 0) return;
    placement_locate(p, first, p->topology, graph_topology_rows(graph), d->at_topology);
    placement_locate(p, first, p->feature, graph_feature_rows(graph), d->at_feature);
    read_benefit(in, c, d->benefit_epochs, d->at_topology, d->at_feature, r, expected);
}

/* Draws of a clique whose GPUs get sampled blocks, in place of what the estimates say of lists that they would read. */
static void read_blocks(const struct policy_input *in, const struct plan *plan, int c, struct workspace *d,
                        struct reads *r, struct plan_expected *expected)
{
    const struct graph *graph = in->graph;
    const double epochs = (double)in->trace->epochs;
    memset(d->at_topology, 0, graph_topology_rows(graph));
    memset(d->misses.topology, 0, graph_topology_rows(graph) * sizeof *d->misses.topology);
    for (int k = 0; k < graph_tables(graph); k++) {
        const struct row_table table = graph_table(graph, k);
        uint64_t draws = 0;
        if (table.kind != ROWS_TOPOLOGY || !graph_table_there(graph, k)) continue;
        for (int g = 0; g < plan->assignment.gpus; g++) {
            struct tally y = {0};
            if (plan->assignment.clique_of[g] == c) tally_topology(in, &table, g, d->at_topology, &y);
            draws += y.draws;
        }
        r->draws += draws;
        if (!expected) continue;
        expected[k].transactions = 8 * (double)draws / ((double)plan->line_bytes * epochs);
        expected[k].missed = expected[k].reads;
    }
    trace_drop_pages(in->trace);
}

/* The same blocks in each fold, in units of 2^-10 transactions. */
static void blocks_by_fold(const struct policy_input *in, const struct plan *plan, const struct reads *r,
                           uint64_t *missed)
{
    const struct trace *t = in->trace;
    double each = (double)plan->line_bytes * t->folds_per_epoch * (double)t->epochs;
    for (int f = 0; f < t->folds; f++) missed[f] += (uint64_t)(8 * 1024 * (double)r->draws / each);
}

static enum st predict_clique(const struct policy *policy, const struct policy_input *in, int c, struct workspace *d,
                              uint64_t *missed, uint64_t sum[5], struct plan *plan, struct err *err)
{
    struct reads r = {0};
    for (int g = 0; g < plan->assignment.gpus; g++)
        if (plan->assignment.clique_of[g] == c)
            plan->index_bytes[g] = plan_index_bytes(plan, g, graph_items(in->graph) / 2);
    look_up(policy, in, c, d, &r, plan);
    if (policy->needs_estimates) {
        PASS(misses_find(in->graph, plan, in->trace, c, in->estimates[c].readers, false, in->threads, d->at_topology,
                         &d->misses, err));
        read_estimates(in, c, &d->misses, &r, expected_of(plan, in->graph, c));
        if (plan->placement.access != ACCESS_GPU) {
            read_blocks(in, plan, c, d, &r, expected_of(plan, in->graph, c));
            blocks_by_fold(in, plan, &r, missed);
        }
        if (!in->no_folds) misses_by_fold(in->graph, in->trace, in->costs, c, &d->misses, in->threads, missed);
        trace_drop_pages(in->trace);
        estimates_drop_pages(&in->estimates[c]);
    }
    set_clique(policy, in, &r, d->benefit_epochs, c, plan);
    set_alpha(plan, in->graph, c, &plan->clique[c]);
    sum[0] += r.rows;
    sum[1] += r.rows_missed;
    sum[2] += r.visits;
    sum[3] += r.visits_missed;
    sum[4] += r.uncached;
    return ST_OK;
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
    const struct graph *g = in->graph;
    uint64_t sum[5] = {0}, missed[FOLDS_MAX] = {0};
    struct workspace d = {.benefit_epochs = benefit_epochs};
    NEW(d.at_topology, graph_most_rows(g), "the look-up of a prediction"); /* misses_find takes it for both kinds */
    NEW(d.at_feature, graph_feature_rows(g), "the look-up of a prediction");
    TRY(misses_new(g, &d.misses, err));
    if (!graph_plain(g) && !plan->expected) {
        NEW(plan->expected, plan->assignment.cliques * graph_tables(g), "predictions");
        plan->tables = graph_tables(g);
    }
    for (int c = 0; c < plan->assignment.cliques; c++) TRY(predict_clique(policy, in, c, &d, missed, sum, plan, err));
    if (plan->expected) plan_sum_expected(plan, g); /* rounded per table, as the plan's document states them */
    plan->predicted_feature_hit = hit(sum[0], sum[1]);
    plan->predicted_topology_hit = hit(sum[2], sum[3]);
    if (plan->placement.access != ACCESS_GPU && sum[2])
        plan->predicted_topology_hit = plan->placement.access == ACCESS_SAMPLERS;
    const bool folds = policy->needs_estimates && !in->no_folds;
    if (folds) set_interval(in->trace, missed, (double)sum[4] * 0x1p-20, plan);
    plan->folds_known = folds && in->trace->folds >= 2;
    memcpy(plan->fold_left, missed, sizeof plan->fold_left);
    plan->predicted_held_out = !policy->saw_evaluation;
    if (*plan->cache) unpredict(plan);
done:
    mem_free(d.at_topology);
    mem_free(d.at_feature);
    misses_release(&d.misses);
    return st;
}
