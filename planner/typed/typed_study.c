#include "planner/typed/typed_study.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/hotness/hotness.h"
#include "planner/typed/typed_work.h"

/* The plan of one policy. */
struct making {
    struct call *call;
    const struct typed_request *q;
    struct typed_work *w;
    const struct typed_policy *policy;
    enum rate_source source;
    const char *hotness;
    uint64_t budget[GPUS_MAX], simulate_seed, simulate_epochs;
    struct typed_estimates *estimates; /* [cliques] */
    uint64_t **benefit;                /* [cliques]; NULL: not wanted */
};

/* Whether a metric ranks rows without a recording of one type, or is that of recorded gathers. */
static bool ranks(const char *name)
{
    const struct hotness *h = hotness_find(name);
    return !strcmp(name, "presample") || (h && !h->needs_trace);
}

static enum st read_hotness(struct making *m, struct err *err)
{
    const struct typed_policy *p = m->policy;
    const char *asked = m->q->hotness;
    m->hotness = asked ? asked : p->hotness;
    m->source = p->choice == TYPED_RATES ? rate_source_of(m->hotness) : RATE_CALIBRATED; /* of the predictions */
    if (asked && p->choice == TYPED_FIXED)
        return err_set(err, ST_USAGE, "--hotness: policy %s has a rule of its own on graphs with several types",
                       p->name);
    if (asked && p->choice == TYPED_RANKS && !ranks(asked))
        return err_set(err, ST_USAGE,
                       "--hotness %.40s: of graphs with several types, policy %s takes presample and metrics that need "
                       "no "
                       "recording",
                       asked, p->name);
    if (m->source == RATE_SOURCES)
        return err_set(err, ST_USAGE,
                       "--hotness %.40s: of graphs with several types, policy %s takes calibrated, presample or vip",
                       m->hotness, p->name);
    return ST_OK;
}

static enum st read_budget(struct making *m, struct err *err)
{
    const struct typed_request *q = m->q;
    struct budget b = {.kind = BUDGET_MEMORY, .text = "memory"};
    struct reservation r = {.total = 0};
    /* Only its bytes matter here. */
    struct graph whole = {.n = 1, .row_bytes = typed_graph_totals(&m->w->graph).total - 8};
    enum st st = ST_OK;
    if (q->budget && q->clique_budget)
        FAIL(ST_USAGE, "--budget (per GPU) and --clique-budget (per clique) exclude each other");
    if (q->budget) TRY(budget_parse(q->budget, false, "--budget", &b, err));
    if (q->clique_budget) TRY(budget_parse(q->clique_budget, true, "--clique-budget", &b, err));
    if (b.kind == BUDGET_VERTICES)
        FAIL(ST_USAGE,
             "--budget %s: the rows of several types differ in size; give a share of all bytes such as 5%%, or "
             "a size",
             b.text);
    if (b.kind == BUDGET_MEMORY && (!q->reserve || text_starts(q->reserve, "pagraph")))
        FAIL(ST_USAGE, "--budget: is needed, or --reserve SIZE; the memory of training is not estimated for graphs "
                       "with several "
                       "types yet");
    if (q->reserve) TRY(reservation_given(q->reserve, &r, err));
    TRY(budget_bytes(&b, &m->w->server, &whole, &r, m->budget, err));
done:
    return st;
}

/* The trace must be of this server's GPUs and cliques. */
static enum st check_trace(const struct making *m, struct err *err)
{
    const struct assignment *a = &m->w->trace.assignment;
    const struct server *s = &m->w->server;
    bool same = a->gpus == s->gpus && a->cliques == s->cliques && m->w->trace.line_bytes == s->line_bytes;
    for (int g = 0; same && g < a->gpus; g++) same = a->id[g] == s->gpu[g].id && a->clique_of[g] == s->clique_of[g];
    if (!same)
        return err_set(err, ST_INPUT,
                       "%s: was recorded for other GPUs, cliques or transactions than those of server %s; record a "
                       "trace "
                       "for this server",
                       m->q->trace, s->name);
    return ST_OK;
}

static enum st take_trace(struct making *m, struct err *err)
{
    static const char *const brought[] = {"fanout",           "batch", "frontier", "seed",
                                          "presample-epochs", "deal",  "partition"};
    enum st st;
    if (!m->q->trace) return typed_work_record(m->call, m->q, m->policy->global, m->w, err);
    for (size_t i = 0; i < sizeof brought / sizeof *brought; i++)
        if (call_given(m->call, brought[i]))
            call_say(m->call, "--%s is ignored: the trace %s states its own", brought[i], m->q->trace);
    TRY(typed_trace_load(m->q->trace, &m->w->graph, &m->w->trace, err));
    TRY(check_trace(m, err));
done:
    return st;
}

static struct typed_replay_request request_of(const struct making *m)
{
    return (struct typed_replay_request){.rows = &m->w->rows,
                                         .assignment = &m->w->trace.assignment,
                                         .workload = &m->w->trace.workload,
                                         .line_bytes = m->w->server.line_bytes,
                                         .epochs = m->simulate_epochs,
                                         .seed = m->simulate_seed,
                                         .threads = m->call->threads,
                                         .progress = call_progress(m->call)};
}

static enum st set_simulation(struct making *m, struct err *err)
{
    const struct typed_trace *t = &m->w->trace;
    m->simulate_seed = m->q->simulate_seed >= 0 ? (uint64_t)m->q->simulate_seed : study_held_out_seed(t->workload.seed);
    if (m->simulate_seed == t->workload.seed)
        return err_set(err, ST_USAGE,
                       "--simulate-seed: is the planning seed, so the epochs would not be held out; choose another");
    m->simulate_epochs = m->q->simulate_epochs >= 0 ? (uint64_t)m->q->simulate_epochs
                                                    : typed_replay_default_epochs(&t->assignment, &t->workload);
    if (m->policy->saw_evaluation && !m->simulate_epochs)
        return err_set(err, ST_USAGE, "--simulate-epochs 0: policy %s plans from the simulated epochs",
                       m->policy->name);
    return ST_OK;
}

static enum st estimate(struct making *m, struct err *err)
{
    enum st st = ST_OK;
    int cliques = m->w->trace.assignment.cliques;
    struct typed_replay_request r = request_of(m);
    NEW(m->estimates, cliques, "estimates");
    stage_begin(&m->call->stages, "estimates");
    for (int c = 0; c < cliques; c++)
        TRY(typed_estimates_make(&m->w->rows, &m->w->trace, c, m->source, m->call->threads, &m->estimates[c], err));
    stage_end(&m->call->stages);
    if (!m->policy->saw_evaluation) goto done;
    NEW(m->benefit, cliques, "benefits");
    for (int c = 0; c < cliques; c++) NEW(m->benefit[c], m->w->rows.items, "benefits");
    TRY(typed_replay_benefit(&r, m->benefit, err));
done:
    return st;
}

static enum st start_plan(const struct making *m, const struct typed_policy *policy, struct typed_plan *p,
                          struct err *err)
{
    const struct server *s = &m->w->server;
    snprintf(p->policy, sizeof p->policy, "%s", policy->name);
    snprintf(p->hotness, sizeof p->hotness, "%s", m->hotness);
    snprintf(p->server_name, sizeof p->server_name, "%s", s->name);
    snprintf(p->server_fingerprint, sizeof p->server_fingerprint, "%s", s->fingerprint);
    p->line_bytes = s->line_bytes;
    p->presample_epochs = m->w->trace.epochs;
    p->workload = m->w->trace.workload;
    p->placement.gpus = s->gpus;
    memcpy(p->budget, m->budget, sizeof p->budget);
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++) {
            p->links[a][b] = s->links[a][b];
            if (a != b && s->clique_of[a] == s->clique_of[b]) p->placement.peer[a][p->placement.peers[a]++] = b;
        }
    typed_plan_order_peers(p);
    return assignment_copy(&m->w->trace.assignment, &p->assignment, err);
}

/* bound{total_transactions, gap}: of the expected transactions, so nothing for a policy that saw the epochs. */
static enum st put_bound(const struct making *m, const struct typed_input *in, struct typed_plan *p, struct err *err)
{
    double least;
    enum st st;
    uint64_t predicted = typed_plan_predicted(p, in->rows->tables, -1);
    if (m->policy->saw_evaluation)
        FAIL(ST_USAGE, "--bound: policy %s plans from the evaluated epochs; the bound is one of expected transactions",
             m->policy->name);
    TRY(typed_bound(in, p, &least, err));
    p->bound = doc_object();
    doc_put(p->bound, "total_transactions", doc_integer((int64_t)least));
    doc_put(p->bound, "gap", doc_real(least >= 1 ? (double)predicted / least - 1 : predicted ? NAN : 0));
done:
    return st;
}

/* Places by the policy, checks its placement and predicts it. */
static enum st make_plan(const struct making *m, const struct typed_policy *policy, struct typed_plan *p,
                         struct err *err)
{
    const struct typed_input in = {.rows = &m->w->rows,
                                   .trace = &m->w->trace,
                                   .kernels = m->w->kernels,
                                   .estimates = m->estimates,
                                   .benefit = m->benefit,
                                   .seed = m->w->trace.workload.seed,
                                   .line_bytes = m->w->server.line_bytes,
                                   .threads = m->call->threads,
                                   .hotness = policy == m->policy ? m->hotness : policy->hotness};
    struct err found = {0};
    enum st st;
    TRY(start_plan(m, policy, p, err));
    TRY(policy->place(&in, p, err));
    st = typed_placement_check(&p->placement, &m->w->rows, p->budget, &found);
    if (st == ST_INPUT)
        FAIL(ST_BUG,
             "internal error: policy %s made an invalid placement: %.800s; no plan was written; please report it with "
             "the command you ran",
             policy->name, found.text);
    if (st != ST_OK) FAIL(st, "%s", found.text);
    TRY(typed_predict(&in, m->simulate_epochs, p, err));
    if (m->q->bound && policy == m->policy) TRY(put_bound(m, &in, p, err));
done:
    return st;
}

/* What planning without types would cost on the same draws: beside policy hotset only. */
enum { BASELINES = 2 };

static doc *baseline_document(const struct typed_plan *p, const struct typed_replay *r, uint64_t best)
{
    doc *d = doc_object();
    uint64_t total = typed_replay_transactions(r, -1);
    doc_put(d, "policy", doc_text(p->policy));
    doc_put(d, "total_transactions", doc_integer((int64_t)total));
    doc_put(d, "ratio", doc_real(best ? (double)total / (double)best : total ? -1 : 1));
    return d;
}

static enum st simulate(const struct making *m, struct typed_plan *p, struct err *err)
{
    static const char *const names[BASELINES] = {"mean-row", "single-type"};
    struct typed_replay_request r = request_of(m);
    struct typed_replay out[1 + BASELINES] = {{.reads = NULL}};
    struct typed_plan *other = NULL;
    const struct typed_placement *list[1 + BASELINES] = {&p->placement};
    int count = 1;
    enum st st = ST_OK;
    if (!m->simulate_epochs) return ST_OK;
    NEW(other, BASELINES, "baselines");
    for (; count <= BASELINES && !strcmp(m->policy->name, "hotset"); count++) {
        const struct typed_policy *policy;
        TRY(typed_policy_find(names[count - 1], &policy, err));
        TRY(make_plan(m, policy, &other[count - 1], err));
        list[count] = &other[count - 1].placement;
    }
    stage_begin(&m->call->stages, "simulation");
    TRY(typed_replay_run(&r, list, count, out, err));
    stage_end(&m->call->stages);
    p->simulated = typed_simulated_document(p, &m->w->rows, &out[0]);
    if (count > 1) p->baselines = doc_array();
    for (int i = 1; i < count; i++)
        doc_append(p->baselines, baseline_document(&other[i - 1], &out[i], typed_replay_transactions(&out[0], -1)));
done:
    for (int i = 0; i <= BASELINES; i++) typed_replay_release(&out[i]);
    for (int i = 0; other && i < BASELINES; i++) typed_plan_release(&other[i]);
    mem_free(other);
    return st;
}

static enum st finish(const struct making *m, const struct typed_plan *p, struct err *err)
{
    struct call *call = m->call;
    char where[PATH_BYTES];
    doc *stamp = NULL, *result = NULL;
    enum st st;
    if (call->common.stamp) stamp = stages_document(&call->stages, call->common.device, call->threads);
    TRY(typed_plan_save(p, &m->w->rows, m->q->output, stamp, err));
    if (!call->common.json) typed_plan_print(p, &m->w->rows, call->out);
    TRY(path_join(where, m->q->output, "plan.json", err));
    TRY(doc_load(where, "plan/2", &result, err));
    TRY(call_finish(call, result, err));
    call_say(call, "plan written to %s", m->q->output);
done:
    doc_free(stamp);
    return st;
}

enum st typed_plan_run(struct call *call, const struct typed_request *q, struct err *err)
{
    static const char *const known[] = {"graph",   "server",    "output",           "policy",
                                        "hotness", "budget",    "clique-budget",    "trace",
                                        "fanout",  "batch",     "frontier",         "sampler",
                                        "seeds",   "order",     "presample-epochs", "simulate-epochs",
                                        "deal",    "partition", "reserve",          "simulate-seed",
                                        "bound",   NULL};
    struct typed_work *w = NULL;
    struct typed_plan *p = NULL;
    struct making m = {.call = call, .q = q};
    enum st st = ST_OK;
    NEW(w, 1, "a study");
    NEW(p, 1, "a plan");
    m.w = w;
    TRY(typed_only_options(call, known, err));
    TRY(typed_policy_find(q->policy, &m.policy, err));
    TRY(read_hotness(&m, err));
    TRY(output_check(q->output, "plan.json", err));
    TRY(typed_work_open(call, q, w, err));
    TRY(read_budget(&m, err));
    TRY(take_trace(&m, err));
    TRY(set_simulation(&m, err));
    TRY(estimate(&m, err));
    stage_begin(&call->stages, "planning");
    TRY(make_plan(&m, m.policy, p, err));
    stage_end(&call->stages);
    TRY(simulate(&m, p, err));
    TRY(finish(&m, p, err));
done:
    for (int c = 0; m.estimates && c < w->trace.assignment.cliques; c++) typed_estimates_release(&m.estimates[c]);
    for (int c = 0; m.benefit && c < w->trace.assignment.cliques; c++) mem_free(m.benefit[c]);
    mem_free(m.estimates);
    mem_free(m.benefit);
    if (p) typed_plan_release(p);
    mem_free(p);
    if (w) typed_work_close(w);
    mem_free(w);
    return st;
}
