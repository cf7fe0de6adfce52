#include "planner/typed/typed_study.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/typed/typed_cached.h"
#include "planner/typed/typed_making.h"
#include "simulator/movement/simulated.h"

struct typed_request typed_request_of(const struct study_args *study, const struct workload_args *workload)
{
    return (struct typed_request){.reserve = study->reserve,
                                  .deal = study->deal,
                                  .partition = study->partition,
                                  .workload = workload,
                                  .bound = study->bound,
                                  .error_price = -1,
                                  .epochs = study->presample_epochs,
                                  .simulate_epochs = study->simulate_epochs,
                                  .simulate_seed = study->simulate_seed};
}

static enum st read_budget(const struct typed_request *q, struct budget *out, struct err *err)
{
    *out = (struct budget){.kind = BUDGET_MEMORY, .text = "memory"};
    if (q->budget && q->clique_budget)
        return err_set(err, ST_USAGE, "--budget (per GPU) and --clique-budget (per clique) exclude each other");
    if (q->budget) return budget_parse(q->budget, false, "--budget", out, err);
    if (q->clique_budget) return budget_parse(q->clique_budget, true, "--clique-budget", out, err);
    return ST_OK;
}

/* What another plan costs on the same draws. */
static doc *baseline_document(const struct plan *p, const struct replay *r, uint64_t best)
{
    doc *d = doc_object();
    uint64_t total = replay_table_transactions(r, -1);
    doc_put(d, "policy", doc_text(p->policy));
    doc_put(d, "total_transactions", doc_integer((int64_t)total));
    doc_put(d, "ratio", doc_real(best ? (double)total / (double)best : total ? -1 : 1));
    const doc *price = doc_get(p->stated, "error_price");
    if (price) doc_put(d, "expected_error", doc_copy(doc_get(price, "expected_error")));
    return d;
}

/* The plans that hotset's is compared with: those that know no types; with a price of errors, hotset's own where errors
 * cost nothing, and where none is allowed. */
static enum st start_baseline(const struct typed_making *m, const struct typed_cell *cell, int i, struct typed_cell *c,
                              struct err *err)
{
    enum st st;
    memcpy(c->bytes, cell->bytes, sizeof c->bytes);
    TRY(typed_policy_find(m->error ? "hotset" : typed_baselines[i], &c->policy, err));
    TRY(typed_cell_hotness(c, NULL, err));
    c->source = cell->source;
    c->price = i ? INFINITY : 0;
done:
    return st;
}

/* Beside policy hotset, plans the baselines of cell[0] into cell[1..]. *count: the cells then. */
static enum st plan_baselines(struct typed_making *m, struct typed_cell *cell, int *count, struct err *err)
{
    static const char *const priced[TYPED_BASELINES] = {"rounded", "as-on-host"};
    enum st st = ST_OK;
    for (*count = 1; *count <= TYPED_BASELINES && !strcmp(cell->policy->name, "hotset"); ++*count) {
        struct typed_cell *c = &cell[*count];
        TRY(start_baseline(m, cell, *count - 1, c, err));
        TRY(typed_making_plan(m, c, err));
        if (m->error) snprintf(c->plan.policy, sizeof c->plan.policy, "%s", priced[*count - 1]);
    }
done:
    return st;
}

static enum st simulate(struct typed_making *m, struct typed_cell *cell, struct err *err)
{
    struct replay out[1 + TYPED_BASELINES] = {{.gpu = NULL}};
    const struct plan *list[1 + TYPED_BASELINES] = {&cell[0].plan, &cell[1].plan, &cell[2].plan};
    struct plan *p = &cell->plan;
    int count;
    enum st st = ST_OK;
    if (!m->simulate_epochs) return ST_OK;
    TRY(plan_baselines(m, cell, &count, err));
    TRY(typed_making_replay(m, list, count, out, err));
    p->simulated = simulated_document(p, &out[0], &m->w->graph);
    if (count > 1) p->baselines = doc_array();
    for (int i = 1; i < count; i++)
        doc_append(p->baselines, baseline_document(list[i], &out[i], replay_table_transactions(&out[0], -1)));
done:
    for (int i = 0; i <= TYPED_BASELINES; i++) replay_release(&out[i]);
    return st;
}

static enum st finish(const struct typed_making *m, const struct plan *p, struct err *err)
{
    struct call *call = m->call;
    char where[PATH_BYTES];
    doc *stamp = NULL, *result = NULL;
    enum st st;
    if (call->common.stamp) stamp = stages_document(&call->stages, call->common.device, call->threads);
    TRY(plan_save(p, &m->w->graph, m->q->output, stamp, err));
    if (!call->common.json) typed_plan_print(p, &m->w->graph, call->out);
    TRY(path_join(where, m->q->output, "plan.json", err));
    TRY(doc_load(where, "plan/2", &result, err));
    TRY(call_finish(call, result, err));
    call_say(call, "plan written to %s", m->q->output);
done:
    doc_free(stamp);
    return st;
}

/* --error-price has rows in two forms, which only policy hotset places. */
static enum st check_price(const struct typed_request *q, const struct typed_cell *cell, struct err *err)
{
    enum st st = ST_OK;
    if (q->error_price < 0) return ST_OK;
    if (!q->cache_type || !q->features)
        FAIL(ST_USAGE, "--error-price: needs --cache-type, which says how rows may be rounded, and --features, from "
                       "which their errors follow");
    if (strcmp(cell->policy->name, "hotset"))
        FAIL(ST_USAGE, "--error-price: policy %s does not choose between rounded and exact rows; take policy hotset",
             cell->policy->name);
    if (q->bound)
        FAIL(ST_USAGE, "--bound: is one of transactions without a price of errors; leave it or --error-price out");
done:
    return st;
}

/* How GPUs hold rows, and what the errors are. */
static enum st set_cached(struct typed_making *m, struct err *err)
{
    const struct typed_request *q = m->q;
    struct typed_work *w = m->w;
    enum st st = ST_OK;
    if (q->features && !q->cache_type) FAIL(ST_USAGE, "--features: needs --cache-type, whose errors it measures");
    if (q->cache_type) TRY(typed_cached_set(q->cache_type, &w->graph, err));
    if (q->features) TRY(typed_cached_measure(q->features, &w->graph, NULL, w->kernels, m->call->threads, NULL, err));
    if (q->error_price >= 0)
        TRY(typed_cached_errors(q->features, "error-price", &w->graph, m->call->threads, &m->error, err));
done:
    return st;
}

enum st typed_plan_run(struct call *call, const struct typed_request *q, struct err *err)
{
    static const char *const known[] = {"graph",           "server",      "output",        "policy",
                                        "hotness",         "budget",      "clique-budget", "trace",
                                        "fanout",          "fanout-over", "batch",         "frontier",
                                        "sampler",         "seeds",       "order",         "presample-epochs",
                                        "simulate-epochs", "deal",        "partition",     "reserve",
                                        "simulate-seed",   "bound",       "cache-type",    "features",
                                        "error-price",     NULL};
    struct typed_work *w = NULL;
    struct typed_cell *cell = NULL; /* and its baselines */
    struct typed_making m = {.call = call, .q = q};
    enum st st = ST_OK;
    NEW(w, 1, "a study");
    NEW(cell, 1 + TYPED_BASELINES, "a plan");
    m.w = w;
    TRY(typed_only_options(call, known, err));
    TRY(typed_policy_find(q->policy, &cell->policy, err));
    TRY(typed_cell_hotness(cell, q->hotness, err));
    cell->bound = q->bound;
    TRY(typed_cell_check(cell, q, err));
    TRY(check_price(q, cell, err));
    TRY(read_budget(q, &cell->budget, err));
    TRY(output_check(q->output, "plan.json", err));
    TRY(typed_work_open(call, q, w, err));
    TRY(set_cached(&m, err));
    cell->price = q->error_price;
    TRY(typed_work_server(q->server, w, err));
    TRY(typed_cell_budget(cell, w, q->reserve, err));
    struct typed_deal deal = typed_deal_of(cell->policy, w);
    m.kept.plans = !strcmp(cell->policy->name, "hotset") && q->simulate_epochs ? 1 + TYPED_BASELINES : 1;
    m.kept.sees = cell->policy->saw_evaluation;
    TRY(typed_making_record(&m, &deal, err));
    TRY(typed_making_plan(&m, cell, err));
    if (cell->verdict.status != POLICY_OK)
        FAIL(cell->verdict.absent ? ST_MISSING : ST_NO, "policy %s: %s", cell->policy->name, cell->verdict.reason);
    if (q->features)
        TRY(typed_cached_measure(q->features, &w->graph, &w->trace, w->kernels, call->threads, &cell->plan, err));
    TRY(simulate(&m, cell, err));
    TRY(finish(&m, &cell->plan, err));
done:
    if (w) typed_making_end(&m);
    for (int i = 0; cell && i <= TYPED_BASELINES; i++) typed_cell_release(&cell[i]);
    mem_free(cell);
    if (w) typed_work_close(w);
    mem_free(w);
    return st;
}
