#include "planner/engine/study_best.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/engine/expected_epoch.h"
#include "planner/engine/thin.h"
#include "planner/policies/cross_clique.h"
#include "planner/policies/timed_rows.h"

static const double ALIKE = 1e-3; /* of seconds: fewer transactions decide */
/* What the CPU's sampling must leave of the GPUs' seconds, or of their transactions, to be chosen. */
static const double CLEARLY_SHORTER = 0.95, CLEARLY_FEWER = 0.995;
static const double WORTH_MORE_READS = 0.996; /* what other rows must leave of the seconds where they read more */

bool study_epochs_count(const struct study_options *o)
{
    return o->optimum.objective == OBJECTIVE_EPOCH && o->timing.setup.gnn.hidden;
}

/* Whether the study leaves it to the policy who samples. */
static bool plans_sampling(const struct study_options *o, const struct policy *policy)
{
    return policy->plans_sampling && !o->no_topology && !o->before;
}

struct study_way study_first_way(const struct study *s, const struct study_cell *cell)
{
    if (s->o.before) {
        double price = doc_number(doc_get(s->o.before->notes, "objective"), "list_price");
        return (struct study_way){.access = ACCESS_GPU, .list_price = isnan(price) ? 0 : price};
    }
    bool by_cpu = plans_sampling(&s->o, cell->policy) && s->o.sampling == SAMPLES_CPU;
    return (struct study_way){.access = by_cpu ? ACCESS_CPU : ACCESS_GPU};
}

bool study_wants_load(const struct study_options *o, const struct policy *policy)
{
    bool minimises = policy->objectives >> OBJECTIVE_EPOCH & 1;
    return (minimises && study_epochs_count(o)) || (plans_sampling(o, policy) && o->sampling == SAMPLES_AUTO);
}

bool study_score_less(struct study_score a, struct study_score b)
{
    if (!isnan(a.seconds) && !isnan(b.seconds)) {
        if (a.seconds < b.seconds * (1 - ALIKE)) return true;
        if (a.seconds > b.seconds * (1 + ALIKE)) return false;
    }
    return a.transactions < b.transactions || (a.transactions == b.transactions && a.busiest_rows < b.busiest_rows);
}

/* Transactions of all rows, of which the study's may be some. */
static uint64_t all_transactions(const struct study *s, uint64_t of)
{
    return s->thin ? (uint64_t)((double)of * s->thin->all) : of;
}

struct study_score study_score_of(const struct study *s, const struct plan *p)
{
    return (struct study_score){.seconds = doc_number(doc_get(p->notes, "objective"), "epoch_seconds"),
                                .even = doc_number(doc_get(p->notes, "objective"), "epoch_seconds_if_even"),
                                .transactions = all_transactions(s, plan_predicted(p).total)};
}

/* ---- attempts ---- */

struct attempts {
    const struct study *s;
    struct study_cell *cell;
    int threads;
    struct plan *best;
    struct study_way way; /* of the best */
    struct study_score score;
    struct epoch_time *time; /* of the best, owned; of the last attempt: tried */
    struct epoch_time *tried_time;
    double list_price; /* of the first plan */
    doc *tried;        /* owned */
};

static const char *gathers_word(const struct study_way *way)
{
    return way->access == ACCESS_GPU ? "gpu" : way->cpu_gathers ? "cpu, which gathers rows" : "cpu";
}

/* Scores a predicted plan, and lists it. */
static enum st score(struct attempts *a, const struct study_way *way, const struct plan *p, struct study_score *out,
                     struct err *err)
{
    const struct study_recording *r = a->cell->recording;
    double seconds = NAN, price = 1;
    if (a->s->o.timing.setup.gnn.hidden) {
        PASS(expected_epoch(a->s, r->load, r->trace, p, a->threads, a->tried_time, &price, err));
        seconds = a->tried_time->seconds;
    }
    *out = (struct study_score){.seconds = study_epochs_count(&a->s->o) ? seconds : NAN,
                                .transactions = all_transactions(a->s, plan_predicted(p).total)};
    doc *row = DOC(IS("sampling", gathers_word(way)), IS("predicted_transactions", out->transactions),
                   IS("predicted_epoch_seconds", seconds));
    if (!doc_size(a->tried)) a->list_price = price;
    if (way->rounds) doc_put(row, "rows_by", doc_text("transfer stage"));
    else if (way->list_price > 0) doc_put(row, "rows_by", doc_text("seconds of reads"));
    doc_append(a->tried, row);
    return ST_OK;
}

static void keep(struct attempts *a, const struct study_way *way, struct study_score score)
{
    a->way = *way;
    a->score = score;
    *a->time = *a->tried_time;
}

/* Keeps a plan; *p is the one before. */
static enum st take(struct attempts *a, const struct study_way *way, struct study_score score, struct plan *p,
                    struct err *err)
{
    OWNED_NEW(struct plan, old, 1, "a plan");
    *old = *a->best;
    *a->best = *p;
    *p = *old;
    keep(a, way, score);
    return ST_OK;
}

/* Whether to keep another way's plan. The CPU samples only where that is clearly better: its rates are less certain
 * than those of GPUs, and plans whose GPUs sample can be refreshed. */
static bool better(const struct attempts *a, const struct study_way *way, struct study_score next)
{
    if (!study_epochs_count(&a->s->o)) return (double)next.transactions < CLEARLY_FEWER * (double)a->score.transactions;
    if (way->access == ACCESS_CPU && a->way.access != ACCESS_CPU) next.seconds /= CLEARLY_SHORTER;
    else if (next.transactions > a->score.transactions) next.seconds /= WORTH_MORE_READS;
    return study_score_less(next, a->score);
}

/* Plans the way, and keeps the plan if it is better. */
static enum st attempt(struct attempts *a, const struct study_way *way, struct err *err)
{
    enum st st;
    ON_HEAP(struct plan, p);
    struct timed timed = {0};
    struct study_score scored;
    TRY(study_place_way(a->s, a->cell, way, a->threads, p, &timed, err));
    if (a->cell->verdict.status != POLICY_OK || timed.kept) goto done;
    TRY(score(a, way, p, &scored, err));
    if (better(a, way, scored)) TRY(take(a, way, scored, p, err));
done:
    a->cell->verdict = (struct policy_verdict){0};
    plan_release(p);
    return st;
}

/* ---- which ways can win ---- */

/* *may: whether the CPU's sampling could be better than the best so far: its epoch without a single feature row from
 * the host, or the transactions of its blocks and of the features that all memory leaves. */
static enum st cpu_may_win(const struct attempts *a, bool *may, struct err *err)
{
    const struct study *s = a->s;
    const struct epoch_load *recorded = a->cell->recording->load;
    double draws = 0, rows = 0;
    for (int g = 0; g < recorded->gpus; g++) draws += recorded->gpu[g].draws;
    for (int c = 0; c < a->best->assignment.cliques; c++) /* all memory for features: the first point of the sweep */
        rows += a->best->clique[c].sweep_count ? (double)all_transactions(s, a->best->clique[c].sweep[0].feature) : 0;
    if (cross_clique_links(s->o.server)) rows *= 0.8; /* neighbours in other cliques serve some of them */
    double transactions = 8 * draws / (double)s->o.server->line_bytes + rows;
    *may = transactions < CLEARLY_FEWER * (double)a->score.transactions;
    if (!study_epochs_count(&s->o)) return ST_OK;
    struct epoch_setup how = epoch_setup_of(&s->o.timing, a->best, s->o.graph);
    OWNED_NEW(struct epoch_load, least, 1, "the time model");
    *least = *recorded;
    for (int g = 0; g < least->gpus; g++) least->gpu[g].feature_bytes = 0;
    if (how.enlarge > 0) epoch_load_enlarge(least, how.enlarge);
    epoch_time(least, s->o.server, &how, a->tried_time);
    *may = a->tried_time->seconds < a->score.seconds * CLEARLY_SHORTER;
    return ST_OK;
}

/* Whether rows may be chosen better by the seconds of their reads than by transactions. Programs know no prices. */
static bool prices_differ(const struct attempts *a)
{
    enum { APART = 20 };
    const struct plan_totals left = plan_predicted(a->best);
    double by = a->list_price, longest = 0;
    for (int i = 0; i < EPOCH_STAGES; i++) longest = fmax(longest, a->time->stage[i]);
    bool counts = a->time->stage[STAGE_TRANSFER] > longest / APART;
    return a->way.access == ACCESS_GPU && !a->cell->policy->solves && counts &&
           ((by > 1.05 && left.topology) || (by < 0.95 && left.feature));
}

/* ---- the choice ---- */

static double epoch_of(const struct attempts *a, const double *stage, int count)
{
    const struct epoch_setup *how = &a->s->o.timing.setup;
    double each = 0;
    for (int i = 0; i < count; i++) each += stage[i];
    return a->time->iterations * (how->pipelined ? epoch_pipelined(stage, count, how->unoverlapped) : each);
}

/* Whether the epoch waits for what passes between GPUs, or for their memory: it would be clearly shorter if the
 * transfer stage only waited for the host. A search takes long, so nobody makes one to tell deals apart. */
static bool links_bind(const struct attempts *a)
{
    static const double CLEARLY = 0.995;
    const struct epoch_time *t = a->time;
    uint64_t bytes = timed_rows_bytes(a->s->o.graph, a->s->o.server->gpus, a->cell->budget_bytes);
    if (a->s->thin) bytes = (uint64_t)((double)bytes * a->s->thin->each); /* what a plan of all rows would take */
    double stage[EPOCH_STAGES], host = 0;
    if (a->cell->scout || bytes > STUDY_TIMED_MOST || a->way.access != ACCESS_GPU) return false;
    for (int g = 0; g < a->best->placement.gpus; g++)
        host = fmax(host,
                    a->s->o.server->reach == REACH_P2P ? t->uplink[g] : fmax(t->uplink[g], t->part[PART_PCIE][g]));
    memcpy(stage, t->stage, sizeof stage);
    stage[STAGE_TRANSFER] = fmin(stage[STAGE_TRANSFER], host);
    return epoch_of(a, stage, EPOCH_STAGES) < CLEARLY * t->seconds;
}

/* Seconds of the epoch if no row came from anywhere: what no cache can save. */
static double without_reads(const struct attempts *a)
{
    const double stage[] = {a->time->stage[STAGE_SAMPLE], a->time->stage[STAGE_PROPAGATE]};
    return epoch_of(a, stage, 2);
}

/* Seconds of the epoch if GPUs had equally much to read and to compute: what no deal of the same reads can save. */
static double if_even(const struct attempts *a)
{
    double stage[EPOCH_STAGES];
    for (int i = 0; i < EPOCH_STAGES; i++) {
        const double *of = a->time->gpu[i];
        double sum = 0, most = 0, trainers = 0;
        for (int g = 0; g < a->best->placement.gpus; g++) {
            sum += of[g];
            most = fmax(most, of[g]);
            trainers += of[g] > 0;
        }
        stage[i] = a->time->stage[i] * (most > 0 ? sum / trainers / most : 1);
    }
    return epoch_of(a, stage, EPOCH_STAGES);
}

/* What the plan states of its objective. */
static void state(const struct attempts *a)
{
    const struct epoch_time *t = a->time;
    const bool other = doc_size(a->tried) > 1;
    if (other && !study_epochs_count(&a->s->o))
        plan_note(a->best, "sampling", DOC(IS("chosen", gathers_word(&a->way)), IS("tried", doc_copy(a->tried))));
    if (!study_epochs_count(&a->s->o)) return;
    doc *d = DOC(IS("name", isnan(t->seconds) ? "transactions" : "epoch"));
    if (isnan(t->seconds)) {
        doc *unknown = doc_array();
        for (int i = 0; i < t->unknowns; i++) doc_append(unknown, doc_text(t->unknown[i]));
        doc_put(d, "unknown", unknown);
    } else {
        DOC_PUT(d, IS("epoch_seconds", t->seconds), IS("epoch_seconds_without_reads", without_reads(a)),
                IS("epoch_seconds_if_even", if_even(a)), IS("bottleneck", stage_word(t->bottleneck)),
                IS("waits_for", t->limit[t->bottleneck]));
    }
    if (a->way.list_price > 0) doc_put(d, "list_price", doc_real(a->way.list_price));
    DOC_PUT(d, IS("sampling", gathers_word(&a->way)), IS("tried", doc_copy(a->tried)));
    plan_note(a->best, "objective", d);
}

static void release(struct attempts *a)
{
    doc_free(a->tried);
    mem_free(a->time);
    mem_free(a->tried_time);
}

enum st study_best(const struct study *s, struct study_cell *cell, int threads, struct plan *p, struct err *err)
{
    enum { ROUNDS = 16, ROUNDS_OF_SOLVERS = 60 }; /* of which ten bisect (policies/timed.c) */
    OWNED_BY(release) struct attempts a = {.s = s, .cell = cell, .threads = threads, .best = p, .tried = doc_array()};
    const bool samples = plans_sampling(&s->o, cell->policy) && s->o.sampling == SAMPLES_AUTO;
    struct study_way way = study_first_way(s, cell);
    struct study_score first;
    bool may = false;
    if (!study_wants_load(&s->o, cell->policy) || !cell->recording->load) return ST_OK;
    MAKE(a.time, 1, "the time model");
    MAKE(a.tried_time, 1, "the time model");
    PASS(score(&a, &way, p, &first, err));
    keep(&a, &way, first);
    if (samples && (!study_epochs_count(&s->o) || !isnan(first.seconds))) PASS(cpu_may_win(&a, &may, err));
    if (may) {
        way.access = ACCESS_CPU;
        PASS(attempt(&a, &way, err));
        way.cpu_gathers = true;
        if (!isnan(first.seconds)) PASS(attempt(&a, &way, err));
    }
    if (!isnan(a.score.seconds) && prices_differ(&a)) {
        way = (struct study_way){.access = ACCESS_GPU, .list_price = a.list_price};
        PASS(attempt(&a, &way, err));
    }
    if (!isnan(a.score.seconds) && links_bind(&a)) {
        const bool same = a.way.access == ACCESS_GPU && !(a.way.list_price > 0);
        way = (struct study_way){.access = ACCESS_GPU,
                                 .rounds = cell->policy->solves ? ROUNDS_OF_SOLVERS : ROUNDS,
                                 .same = same ? a.best : NULL};
        PASS(attempt(&a, &way, err));
    }
    state(&a);
    return ST_OK;
}
