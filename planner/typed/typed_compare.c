/* typed_compare.c - 'hotset compare' on graphs with several types (declared in typed_study.h). */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/study/results_print.h"
#include "planner/study/cached_types.h"
#include "planner/typed/typed_results.h"

enum { POLICIES_MOST = 32, SERVERS_MOST = 32 };

/* The grid: cells of one server, budget by budget. */
struct grid {
    const struct typed_policy *policy[POLICIES_MOST];
    struct budget budget[BUDGET_LIST_MAX];
    int policies, budgets;
    struct typed_cell *cell; /* [budgets][policies] */
    doc **row;               /* [budgets][policies] */
    float *error;            /* [items] of rounded rows, owned; NULL: not measured */
};

static enum st add_policy(const struct call *call, struct grid *x, const char *name, bool asked, struct err *err)
{
    const struct typed_policy *p;
    enum st st;
    TRY(typed_policy_find(name, &p, err));
    for (int i = 0; i < x->policies; i++) {
        if (x->policy[i] != p) continue;
        if (asked) call_say_twice(call, "policy", name);
        return ST_OK;
    }
    if (x->policies == POLICIES_MOST) FAIL(ST_USAGE, "--policy: more than %d policies", POLICIES_MOST);
    x->policy[x->policies++] = p;
done:
    return st;
}

/* The policies that were asked for, and the baselines that the gain is against. */
static enum st read_policies(const struct call *call, const char *names, struct grid *x, struct err *err)
{
    char copy[1024], *part[POLICIES_MOST];
    enum st st = ST_OK;
    if (!names || !strcmp(names, "all")) {
        for (const struct typed_policy *p = typed_policies; p->name; p++) TRY(add_policy(call, x, p->name, true, err));
        return ST_OK;
    }
    if (strlen(names) >= sizeof copy) FAIL(ST_USAGE, "--policy: the list is too long");
    strcpy(copy, names);
    int n = text_split(copy, ',', part, POLICIES_MOST);
    if (n < 0) FAIL(ST_USAGE, "--policy: more than %d policies", POLICIES_MOST);
    for (int i = 0; i < n; i++) TRY(add_policy(call, x, part[i], true, err));
    for (int i = 0; i < TYPED_BASELINES; i++) TRY(add_policy(call, x, typed_baselines[i], false, err));
done:
    return st;
}

static enum st read_budgets(const struct call *call, const struct typed_request *q, struct grid *x, struct err *err)
{
    enum st st;
    int kept = 0;
    if (q->budget && q->clique_budget)
        FAIL(ST_USAGE, "--budget (per GPU) and --clique-budget (per clique) exclude each other");
    if (q->clique_budget) TRY(budget_list(q->clique_budget, true, "--clique-budget", x->budget, &x->budgets, err));
    else TRY(budget_list(q->budget ? q->budget : "1%,2%,5%", false, "--budget", x->budget, &x->budgets, err));
    for (int i = 0, k; i < x->budgets; i++) {
        for (k = 0; k < kept && !budget_same(&x->budget[k], &x->budget[i]);) k++;
        if (k < kept) call_say_twice(call, q->clique_budget ? "clique-budget" : "budget", x->budget[i].text);
        else x->budget[kept++] = x->budget[i];
    }
    x->budgets = kept;
done:
    return st;
}

/* Metrics and budgets of all cells, before anything is recorded. A metric that a policy has no use for is an error only
 * where the user named the policy. */
static enum st set_cells(const struct typed_request *q, const struct typed_work *w, struct grid *x, struct err *err)
{
    enum st st = ST_OK;
    bool all = !q->policy || !strcmp(q->policy, "all");
    for (int i = 0; i < x->budgets * x->policies; i++) {
        struct typed_cell *c = &x->cell[i];
        struct err why = {0};
        c->policy = x->policy[i % x->policies];
        c->budget = x->budget[i / x->policies];
        c->bound = q->bound && !c->policy->saw_evaluation;
        TRY(typed_cell_check(c, q, err));
        st = typed_cell_hotness(c, q->hotness, &why);
        if (st != ST_OK && (all || c->policy->choice == TYPED_FIXED)) st = typed_cell_hotness(c, NULL, &why);
        if (st != ST_OK) FAIL(st, "%s", why.text);
        TRY(typed_cell_budget(c, w, q->reserve, err));
    }
done:
    return st;
}

/* The deal of a policy; with --deal all policies that train on every GPU have the same. */
static struct typed_deal deal_of(const struct typed_request *q, const struct typed_work *w,
                                 const struct typed_policy *p)
{
    struct typed_deal d = typed_deal_of(p, w);
    if (!d.samplers && q->deal && strcmp(q->deal, "auto")) d.global = false;
    return d;
}

/* All cells of one deal: one recording, and the same held-out epochs. dealt: [cells], marks them. */
static enum st run_deal(struct call *call, const struct typed_request *q, struct typed_work *w, struct grid *x,
                        const struct typed_deal *deal, bool *dealt, struct err *err)
{
    struct typed_making m = {.call = call, .q = q, .w = w, .measured = x->error};
    int cells = x->budgets * x->policies, chosen = 0, replayed = 0;
    const struct plan **plan = NULL;
    struct replay *out = NULL;
    int *at = NULL;
    enum st st = ST_OK;
    NEW(at, cells, "cells");
    NEW(plan, cells, "cells");
    NEW(out, cells, "cells");
    for (int i = 0; i < cells; i++) {
        struct typed_deal mine = deal_of(q, w, x->cell[i].policy);
        if (mine.global == deal->global && mine.samplers == deal->samplers) at[chosen++] = i;
    }
    m.kept.plans = cells;
    for (int i = 0; i < chosen; i++) m.kept.sees |= x->cell[at[i]].policy->saw_evaluation;
    TRY(typed_making_record(&m, deal, err));
    for (int i = 0; i < chosen; i++) {
        TRY(typed_making_plan(&m, &x->cell[at[i]], err));
        if (x->cell[at[i]].verdict.status == POLICY_OK) plan[replayed++] = &x->cell[at[i]].plan;
    }
    if (m.simulate_epochs) TRY(typed_making_replay(&m, plan, replayed, out, err));
    for (int i = 0, k = 0; i < chosen; i++) {
        bool good = x->cell[at[i]].verdict.status == POLICY_OK;
        x->row[at[i]] = typed_results_row(&m, &x->cell[at[i]], good && out[k].gpu ? &out[k] : NULL);
        k += good;
        dealt[at[i]] = true;
    }
done:
    for (int i = 0; out && i < cells; i++) replay_release(&out[i]);
    typed_making_end(&m);
    mem_free(at);
    mem_free(plan);
    mem_free(out);
    return st;
}

/* One server: appends a row per cell, budget by budget. */
static enum st run_server(struct call *call, const struct typed_request *q, const char *server, struct typed_work *w,
                          struct grid *x, doc *rows, struct err *err)
{
    int cells = x->budgets * x->policies;
    bool *dealt = NULL;
    enum st st = ST_OK;
    NEW(dealt, cells, "cells");
    NEW(x->cell, cells, "cells");
    NEW(x->row, cells, "cells");
    TRY(typed_work_server(server, w, err));
    TRY(set_cells(q, w, x, err));
    for (int i = 0; i < cells; i++) {
        struct typed_deal deal = deal_of(q, w, x->cell[i].policy);
        if (!dealt[i]) TRY(run_deal(call, q, w, x, &deal, dealt, err));
    }
    for (int i = 0; i < cells; i++) {
        doc_append(rows, x->row[i]);
        x->row[i] = NULL;
        if ((i + 1) % x->policies == 0)
            typed_results_gain(rows, doc_size(rows) - (uint64_t)x->policies, doc_size(rows));
    }
done:
    for (int i = 0; i < cells; i++) {
        if (x->cell) typed_cell_release(&x->cell[i]);
        if (x->row) doc_free(x->row[i]);
    }
    mem_free(dealt);
    mem_free(x->cell);
    mem_free(x->row);
    x->cell = NULL;
    x->row = NULL;
    return st;
}

/* How GPUs hold rows, and what the errors are. */
static enum st set_cached(const struct call *call, const struct typed_request *q, struct typed_work *w, float **error,
                          struct err *err)
{
    enum st st = ST_OK;
    if (q->cache_type) TRY(cached_types_set(q->cache_type, &w->graph, err));
    if (q->features) TRY(cached_types_errors(q->features, "features", &w->graph, call->threads, error, err));
done:
    return st;
}

static doc *results_of(const struct typed_request *q, const struct typed_work *w, const struct workload *workload,
                       doc **rows)
{
    doc *d = doc_object(), *of = doc_object();
    *rows = doc_array();
    workload_put(&w->graph, workload, of);
    doc_put(d, "schema", doc_text("results/1"));
    doc_put(d, "workload", of);
    doc_put(d, "graph", graph_document(&w->graph));
    doc_put(d, "presample_epochs", doc_integer(q->epochs));
    doc_put(d, "rows", *rows);
    return d;
}

enum st typed_compare_run(struct call *call, const struct typed_request *q, struct err *err)
{
    static const char *const known[] = {"graph",           "server",        "output", "policy",      "hotness",
                                        "budget",          "clique-budget", "fanout", "fanout-over", "batch",
                                        "frontier",        "sampler",       "seeds",  "order",       "presample-epochs",
                                        "simulate-epochs", "simulate-seed", "deal",   "partition",   "bound",
                                        "cache-type",      "features",      NULL};
    struct typed_work *w = NULL;
    struct workload *workload = NULL;
    struct grid *x = NULL;
    char servers[2048], *name[SERVERS_MOST];
    doc *d = NULL, *rows;
    enum st st = ST_OK;
    NEW(w, 1, "a study");
    NEW(x, 1, "a comparison");
    NEW(workload, 1, "the workload");
    TRY(typed_only_options(call, known, err));
    if (q->output) TRY(output_check(q->output, NULL, err));
    TRY(read_policies(call, q->policy, x, err));
    TRY(read_budgets(call, q, x, err));
    if (strlen(q->server) >= sizeof servers) FAIL(ST_USAGE, "--server: the list is too long");
    strcpy(servers, q->server);
    int count = text_split(servers, ',', name, SERVERS_MOST);
    if (count < 0) FAIL(ST_USAGE, "--server: more than %d servers", SERVERS_MOST);
    if (q->features && !q->cache_type) FAIL(ST_USAGE, "--features: needs --cache-type, whose errors it measures");
    TRY(typed_work_open(call, q, w, err));
    TRY(set_cached(call, q, w, &x->error, err));
    for (int i = 0; i < count; i++) TRY(typed_work_server(name[i], w, err)); /* all of them, before the first is used */
    TRY(typed_work_workload(call, q, w, workload, err));
    d = results_of(q, w, workload, &rows);
    for (int i = 0; i < count; i++) TRY(run_server(call, q, name[i], w, x, rows, err));
    if (q->output) TRY(doc_save(d, q->output, err));
    if (!call->common.json) {
        results_print(rows, call->out);
        cached_types_print_tables(&w->graph, call->out);
        typed_results_print(rows, call->out);
    }
    doc *result = d;
    d = NULL;
    TRY(call_finish(call, result, err));
done:
    doc_free(d);
    if (x) mem_free(x->error);
    mem_free(x);
    mem_free(workload);
    if (w) typed_work_close(w);
    mem_free(w);
    return st;
}
