#include "planner/typed/typed_making.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/hotness/hotness.h"
#include "simulator/plan/plan_check.h"
#include "simulator/plan/plan_server.h"

/* ---- cells ---- */

/* Whether a metric gives expected gathers, or ranks rows without a recording of one type. */
static bool ranks(const char *name)
{
    const struct hotness *h = hotness_find(name);
    return rate_source_of(name) != RATE_SOURCES || (h && !h->needs_trace);
}

enum st typed_cell_check(const struct typed_cell *c, const struct typed_request *q, struct err *err)
{
    if (!c->policy->saw_evaluation) return ST_OK;
    if (c->bound)
        return err_set(err, ST_USAGE,
                       "--bound: policy %s plans from the evaluated epochs; the bound is one of expected transactions",
                       c->policy->name);
    if (!q->simulate_epochs)
        return err_set(err, ST_USAGE, "--simulate-epochs 0: policy %s plans from the simulated epochs",
                       c->policy->name);
    return ST_OK;
}

enum st typed_cell_hotness(struct typed_cell *c, const char *asked, struct err *err)
{
    const struct typed_policy *p = c->policy;
    c->hotness = asked ? asked : p->hotness;
    c->source = p->choice == TYPED_FIXED ? RATE_CALIBRATED : rate_source_of(c->hotness);
    if (c->source == RATE_PRESAMPLE && p->choice == TYPED_RANKS) c->source = RATE_CALIBRATED; /* of the predictions */
    if (c->source == RATE_SOURCES && p->choice == TYPED_RANKS) c->source = RATE_CALIBRATED;
    if (asked && p->choice == TYPED_FIXED)
        return err_set(err, ST_USAGE, "--hotness: policy %s has a rule of its own on graphs with several types",
                       p->name);
    if (asked && p->choice == TYPED_RANKS && !ranks(asked))
        return err_set(err, ST_USAGE,
                       "--hotness %.40s: of graphs with several types, policy %s takes presample, calibrated, vip, and "
                       "metrics that need no recording",
                       asked, p->name);
    if (c->source == RATE_SOURCES)
        return err_set(err, ST_USAGE,
                       "--hotness %.40s: of graphs with several types, policy %s takes calibrated, presample or vip",
                       c->hotness, p->name);
    return ST_OK;
}

enum st typed_cell_budget(struct typed_cell *c, const struct typed_work *w, const char *reserve, struct err *err)
{
    struct reservation r = {.total = 0};
    /* Only its bytes matter here. */
    struct graph whole = {.n = 1, .row_bytes = graph_totals(&w->graph).total - 8};
    enum st st = ST_OK;
    if (c->budget.kind == BUDGET_VERTICES)
        FAIL(ST_USAGE,
             "--budget %s: the rows of several types differ in size; give a share of all bytes such as 5%%, or a size",
             c->budget.text);
    if (c->budget.kind == BUDGET_MEMORY && (!reserve || text_starts(reserve, "pagraph")))
        FAIL(ST_USAGE, "--budget: is needed, or --reserve SIZE; the memory of training is not estimated for graphs "
                       "with several types yet");
    if (reserve) TRY(reservation_given(reserve, &r, err));
    TRY(budget_bytes(&c->budget, &w->server, &whole, &r, c->bytes, err));
done:
    return st;
}

void typed_cell_release(struct typed_cell *c) { plan_release(&c->plan); }

/* ---- the recording ---- */

/* The trace must be of this server's GPUs and cliques. */
static enum st check_trace(const struct typed_making *m, struct err *err)
{
    const struct assignment *a = &m->w->trace.assignment;
    const struct server *s = &m->w->server;
    bool same = a->gpus == s->gpus && a->cliques == s->cliques && m->w->trace.line_bytes == s->line_bytes;
    for (int g = 0; same && g < a->gpus; g++) same = a->id[g] == s->gpu[g].id && a->clique_of[g] == s->clique_of[g];
    if (!same)
        return err_set(err, ST_INPUT,
                       "%s: was recorded for other GPUs, cliques or transactions than those of server %s; record a "
                       "trace for this server",
                       m->q->trace, s->name);
    return ST_OK;
}

struct typed_deal typed_deal_of(const struct typed_policy *p, const struct typed_work *w)
{
    return (struct typed_deal){p->global, p->samplers ? p->samplers(&w->server) : 0};
}

static enum st take_trace(struct typed_making *m, const struct typed_deal *deal, struct err *err)
{
    static const char *const brought[] = {"fanout", "fanout-over",      "batch", "frontier",
                                          "seed",   "presample-epochs", "deal",  "partition"};
    enum st st;
    m->kept.simulate_epochs = m->q->simulate_epochs >= 0 ? (uint64_t)m->q->simulate_epochs : 1;
    if (!m->q->trace) {
        TRY(typed_work_memory(m->call, m->q, deal, m->w, &m->kept, err));
        return typed_work_record(m->call, m->q, deal, m->w, err);
    }
    for (size_t i = 0; i < sizeof brought / sizeof *brought; i++)
        if (call_given(m->call, brought[i]))
            call_say(m->call, "--%s is ignored: the trace %s states its own", brought[i], m->q->trace);
    TRY(trace_load(m->q->trace, &m->w->graph, &m->w->trace, err));
    TRY(check_trace(m, err));
    TRY(typed_work_memory(m->call, m->q, deal, m->w, &m->kept, err));
    for (int g = 0; g < deal->samplers; g++)
        if (m->w->trace.assignment.train_count[g])
            FAIL(ST_USAGE,
                 "--trace %s: trains vertices on GPU %d, which only samples under this policy; leave --trace out",
                 m->q->trace, m->w->trace.assignment.id[g]);
done:
    return st;
}

enum st typed_making_record(struct typed_making *m, const struct typed_deal *deal, struct err *err)
{
    const struct trace *t = &m->w->trace;
    enum st st;
    TRY(take_trace(m, deal, err));
    m->simulate_seed = m->q->simulate_seed >= 0 ? (uint64_t)m->q->simulate_seed : study_held_out_seed(t->workload.seed);
    m->simulate_epochs = m->q->simulate_epochs >= 0 ? (uint64_t)m->q->simulate_epochs
                                                    : replay_default_epochs(&m->w->graph, &t->assignment, &t->workload);
    if (m->simulate_seed == t->workload.seed)
        FAIL(ST_USAGE, "--simulate-seed: is the planning seed, so the epochs would not be held out; choose another");
done:
    return st;
}

void typed_making_end(struct typed_making *m)
{
    int cliques = m->w->trace.assignment.cliques;
    for (int s = 0; s < RATE_SOURCES; s++) {
        for (int c = 0; m->estimates[s] && c < cliques; c++) typed_estimates_release(&m->estimates[s][c]);
        mem_free(m->estimates[s]);
        m->estimates[s] = NULL;
    }
    for (int c = 0; m->benefit && c < cliques; c++) mem_free(m->benefit[c]);
    mem_free(m->benefit);
    m->benefit = NULL;
    m->bound.known = false;
    mem_free(m->error);
    m->error = NULL;
    trace_release(&m->w->trace);
}

static struct replay_request request_of(const struct typed_making *m)
{
    return (struct replay_request){.graph = &m->w->graph,
                                   .assignment = &m->w->trace.assignment,
                                   .workload = &m->w->trace.workload,
                                   .line_bytes = m->w->server.line_bytes,
                                   .epochs = m->simulate_epochs,
                                   .seed = m->simulate_seed,
                                   .threads = m->call->threads,
                                   .progress = call_progress(m->call)};
}

static enum st estimate(struct typed_making *m, enum rate_source source, struct err *err)
{
    enum st st = ST_OK;
    int cliques = m->w->trace.assignment.cliques;
    if (m->estimates[source]) return ST_OK;
    NEW(m->estimates[source], cliques, "estimates");
    stage_begin(&m->call->stages, "estimates");
    for (int c = 0; c < cliques; c++)
        TRY(typed_estimates_make(&m->w->graph, &m->w->trace, c, source, m->call->threads, &m->estimates[source][c],
                                 err));
    stage_end(&m->call->stages);
done:
    return st;
}

static enum st see_epochs(struct typed_making *m, struct err *err)
{
    enum st st = ST_OK;
    int cliques = m->w->trace.assignment.cliques;
    struct replay_request r = request_of(m);
    uint64_t *feature[GPUS_MAX];
    if (m->benefit) return ST_OK;
    NEW(m->benefit, cliques, "benefits");
    for (int c = 0; c < cliques; c++) NEW(m->benefit[c], graph_items(&m->w->graph), "benefits");
    for (int c = 0; c < cliques; c++) feature[c] = m->benefit[c] + graph_topology_rows(&m->w->graph);
    TRY(replay_benefit(&r, m->benefit, feature, err));
done:
    return st;
}

/* ---- plans ---- */

static enum st start_plan(const struct typed_making *m, struct typed_cell *c, struct err *err)
{
    const struct server *s = &m->w->server;
    struct plan *p = &c->plan;
    snprintf(p->policy, sizeof p->policy, "%s", c->policy->name);
    snprintf(p->hotness, sizeof p->hotness, "%s", c->hotness);
    plan_set_server(p, s);
    p->presample_epochs = m->w->trace.epochs;
    p->workload = m->w->trace.workload;
    memcpy(p->budget, c->bytes, sizeof p->budget);
    enum st st = assignment_copy(&m->w->trace.assignment, &p->assignment, err);
    plan_order_peers(p);
    return st;
}

/* The bound depends on estimates and budgets alone: cells of one budget share it. */
static enum st find_bound(struct typed_making *m, const struct typed_input *in, const struct typed_cell *c,
                          double *least, struct err *err)
{
    enum st st = ST_OK;
    if (!m->bound.known || m->bound.source != c->source ||
        memcmp(m->bound.budget, c->plan.budget, sizeof m->bound.budget)) {
        TRY(typed_bound(in, &c->plan, &m->bound.least, err));
        m->bound.known = true;
        m->bound.source = c->source;
        memcpy(m->bound.budget, c->plan.budget, sizeof m->bound.budget);
    }
    *least = m->bound.least;
done:
    return st;
}

/* bound{total_transactions, gap}: of the expected transactions, so nothing for a policy that saw the epochs. */
static enum st put_bound(struct typed_making *m, const struct typed_input *in, struct typed_cell *c, struct err *err)
{
    double least;
    enum st st;
    uint64_t predicted = plan_expected_transactions(&c->plan, -1);
    TRY(find_bound(m, in, c, &least, err));
    c->plan.bound = doc_object();
    doc_put(c->plan.bound, "total_transactions", doc_integer((int64_t)least));
    doc_put(c->plan.bound, "gap", doc_real(least >= 1 ? (double)predicted / least - 1 : predicted ? NAN : 0));
done:
    return st;
}

/* Memory of GPUs that do not train: all of it, but for what --reserve keeps free. */
static void free_memory(const struct typed_making *m, uint64_t *bytes)
{
    struct reservation r = {.total = 0};
    struct err ignored = {0};
    if (m->q->reserve && reservation_given(m->q->reserve, &r, &ignored) != ST_OK) r.total = 0; /* told elsewhere */
    for (int g = 0; g < m->w->server.gpus; g++) {
        uint64_t all = m->w->server.gpu[g].memory_bytes;
        bytes[g] = all > r.total ? all - r.total : 0;
    }
}

enum st typed_making_plan(struct typed_making *m, struct typed_cell *c, struct err *err)
{
    struct err found = {0};
    enum st st;
    bool seen = c->policy->saw_evaluation;
    TRY(estimate(m, c->source, err));
    if (seen) TRY(see_epochs(m, err));
    uint64_t bytes[GPUS_MAX];
    free_memory(m, bytes);
    const struct typed_input in = {.rows = &m->w->graph,
                                   .server = &m->w->server,
                                   .free_bytes = bytes,
                                   .trace = &m->w->trace,
                                   .kernels = m->w->kernels,
                                   .estimates = m->estimates[c->source],
                                   .benefit = seen ? m->benefit : NULL,
                                   .seed = m->w->trace.workload.seed,
                                   .line_bytes = m->w->server.line_bytes,
                                   .threads = m->call->threads,
                                   .hotness = c->hotness,
                                   .error = m->error,
                                   .measured = m->measured,
                                   .price = c->price};
    stage_begin(&m->call->stages, "planning");
    TRY(start_plan(m, c, err));
    TRY(c->policy->place(&in, &c->plan, &c->verdict, err));
    if (c->verdict.status != POLICY_OK) {
        plan_release(&c->plan);
        goto placed;
    }
    st = plan_check_placement(&c->plan.placement, &m->w->graph, c->plan.assignment.id, c->plan.budget, m->call->threads,
                              &found);
    if (st == ST_INPUT)
        FAIL(ST_BUG,
             "internal error: policy %s made an invalid placement: %.800s; no plan was written; please report it with "
             "the command you ran",
             c->policy->name, found.text);
    if (st != ST_OK) FAIL(st, "%s", found.text);
    TRY(typed_predict(&in, m->simulate_epochs, &c->plan, err));
    if (c->bound && c->plan.placement.access == ACCESS_GPU) TRY(put_bound(m, &in, c, err));
placed:
    stage_end(&m->call->stages);
done:
    return st;
}

enum st typed_making_replay(const struct typed_making *m, const struct plan *const *plans, int count,
                            struct replay *out, struct err *err)
{
    enum { AT_ONCE = 16 };
    const struct placement *list[AT_ONCE];
    struct replay_request r = request_of(m);
    uint64_t room = mem_limit() / 8 / (graph_items(&m->w->graph) + 1); /* a byte per item and placement */
    stage_begin(&m->call->stages, "simulation");
    int each = room < 1 ? 1 : room < AT_ONCE ? (int)room : AT_ONCE;
    enum st st = ST_OK;
    for (int from = 0; from < count; from += each) {
        int now = count - from < each ? count - from : each;
        for (int i = 0; i < now; i++) list[i] = &plans[from + i]->placement;
        TRY(replay_run(&r, list, now, out + from, err));
    }
    stage_end(&m->call->stages);
done:
    return st;
}
