#include "planner/results/execute_sweep.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "simulator/execute/execute_doc.h"
#include "simulator/movement/simulated.h"

enum st execute_sweep_parse(const char *text, int percent[EXECUTE_ALPHAS], int *count, struct err *err)
{
    char words[400], *part[EXECUTE_ALPHAS];
    int64_t v;
    snprintf(words, sizeof words, "%s", text);
    int parts = strlen(text) < sizeof words ? text_split(words, ',', part, EXECUTE_ALPHAS) : -1;
    if (parts < 1)
        return err_set(err, ST_USAGE, "--sweep: more than %d values; list each percentage once", EXECUTE_ALPHAS);
    if (parts == 1) {
        PASS(units_integer(part[0], "--sweep", 2, EXECUTE_ALPHAS, &v, err));
        for (int i = 0; i < v; i++) percent[i] = (int)((2 * SWEEP_STEPS * i + v - 1) / (2 * (v - 1)));
        *count = (int)v;
        return ST_OK;
    }
    for (int i = 0; i < parts; i++) {
        PASS(units_integer(part[i], "--sweep", 0, SWEEP_STEPS, &v, err));
        if (i && v <= percent[i - 1])
            return err_set(err, ST_USAGE, "--sweep: %lld follows %d; expected ascending percents of the budget",
                           (long long)v, percent[i - 1]);
        percent[i] = (int)v;
    }
    *count = parts;
    return ST_OK;
}

/* Which option of the policy is alpha. */
static enum st find_alpha(const struct plan *p, const struct policy **policy, int *at, struct err *err)
{
    PASS(policy_find(p->policy, policy, err));
    for (*at = 0; (*policy)->options[*at].name; ++*at)
        if (!strcmp((*policy)->options[*at].name, "alpha")) return ST_OK;
    return err_set(err, ST_USAGE, "--sweep: policy %s has no alpha to sweep; make a plan with --policy legion",
                   p->policy);
}

enum st execute_sweep_check(const struct plan *p, struct err *err)
{
    const struct policy *policy;
    int at;
    for (int g = 1; g < p->assignment.gpus; g++)
        if (p->budget[g] != p->budget[0])
            return err_set(err, ST_USAGE,
                           "--sweep: the plan's GPUs have unequal budgets; make a plan with --budget SIZE");
    return find_alpha(p, &policy, &at, err);
}

static enum st make_cells(const struct plan *p, const int *percent, int count, struct study_cell *cells,
                          struct err *err)
{
    const struct policy *policy;
    int at = 0;
    PASS(find_alpha(p, &policy, &at, err));
    for (int i = 0; i < count; i++) {
        struct study_cell *c = &cells[i];
        c->policy = policy;
        c->number = i;
        c->options_given = true;
        policy_defaults(policy, c->option);
        c->option[at] = percent[i] / (double)SWEEP_STEPS;
        if (*p->hotness && strcmp(p->hotness, policy->hotness)) c->hotness = p->hotness;
        c->budget = (struct budget){.kind = BUDGET_BYTES, .bytes = p->budget[0], .text = "the plan's"};
    }
    return ST_OK;
}

static doc *seconds_document(const doc *executed)
{
    doc *d = doc_object();
    for (int s = 0; s < EXECUTE_STAGES; s++)
        doc_put(d, execute_stage_name((enum execute_stage)s),
                doc_real(execute_document_seconds(executed, (enum execute_stage)s)));
    doc_put(d, "total", doc_real(execute_document_seconds(executed, EXECUTE_STAGES)));
    return d;
}

/* timed: whether the time is that of a GPU which sampled and read the host itself. */
static enum st execute_point(const struct execute_request *pattern, const struct plan *p, int percent, doc **out,
                             bool *timed, uint64_t *bad, struct err *err)
{
    static const char *const totals[] = {"predicted", "simulated", "counted", "measured", NULL},
                             *const more[] = {"equals_simulated", "wrong_rows", NULL};
    struct execute_request q = *pattern;
    OWNED_BY(execution_release) struct execution run = {0};
    OWNED_DOC doc *d = doc_object(), *executed = NULL, *simulated = NULL;
    q.setup.plan = p;
    PASS(execute_run(&q, &run, err));
    simulated = simulated_document(p, p->simulated, q.setup.graph, false);
    executed = execute_document(&q, &run, simulated);
    doc_put(d, "alpha", doc_real(percent / (double)SWEEP_STEPS));
    for (int i = 0; totals[i]; i++) doc_put(d, totals[i], doc_copy(doc_get(doc_get(executed, "totals"), totals[i])));
    doc_put(d, "seconds", seconds_document(executed));
    for (int i = 0; more[i]; i++) doc_put(d, more[i], doc_copy(doc_get(executed, more[i])));
    *bad += (uint64_t)doc_integer_value(doc_get(executed, "wrong_rows"), 0);
    *timed = run.machine.pcie && !strcmp(run.machine.sampling, "device");
    *out = TAKE(d);
    return ST_OK;
}

/* The number of the point with the least value, ties to the first; -1 when some point has none. */
static int least(const doc *points, const char *group, const char *key)
{
    int best = -1;
    double low = INFINITY;
    for (uint64_t i = 0; i < doc_size(points); i++) {
        double v = doc_number(doc_get(doc_at(points, i), group), key);
        if (isnan(v)) return -1;
        if (v < low) {
            low = v;
            best = (int)i;
        }
    }
    return best;
}

enum { BEST_PREDICTED, BEST_SIMULATED, BEST_COUNTED, BEST_MEASURED, BEST_SECONDS, BESTS };

/* Legion judges predicted transactions by time; here the transactions themselves where they were measured, else the
 * time where it is a GPU's, else what was counted. */
static doc *best_document(const doc *points, bool timed)
{
    static const char *const groups[BESTS] = {"predicted", "simulated", "counted", "measured", "seconds"};
    doc *d = doc_object();
    int at[BESTS];
    for (int k = 0; k < BESTS; k++) {
        at[k] = least(points, groups[k], k == BEST_SECONDS ? "total" : "total_transactions");
        doc_put(d, groups[k], at[k] < 0 ? doc_null() : doc_copy(doc_get(doc_at(points, (uint64_t)at[k]), "alpha")));
    }
    int judge = at[BEST_MEASURED] >= 0 ? BEST_MEASURED
                : timed                ? BEST_SECONDS
                                       : BEST_COUNTED,
        apart = at[BEST_PREDICTED] - at[judge];
    DOC_PUT(d, IS("judged_by", groups[judge]),
            IS("within_one_step",
               at[BEST_PREDICTED] < 0 || at[judge] < 0 ? doc_null() : doc_bool(apart >= -1 && apart <= 1)));
    return d;
}

/* The widest gap between neighbouring alphas. */
static double step_of(const int *percent, int count)
{
    int widest = 0;
    for (int i = 1; i < count; i++)
        widest = percent[i] - percent[i - 1] > widest ? percent[i] - percent[i - 1] : widest;
    return widest / (double)SWEEP_STEPS;
}

enum st execute_sweep(const struct execute_request *q, const struct study_options *o, const int *percent, int count,
                      doc **out, uint64_t *bad, struct err *err)
{
    enum st st;
    ON_HEAP(struct study, s);
    struct study_cell *cells = NULL;
    doc *points = doc_array(), *point = NULL;
    bool timed = false;
    study_begin(s, o);
    NEW(cells, count, "the plans of a sweep");
    TRY(make_cells(q->setup.plan, percent, count, cells, err));
    TRY(study_plan_all(s, cells, count, err));
    for (int i = 0; i < count; i++) TRY(study_cell_verdict(&cells[i], err));
    TRY(study_simulate(s, cells, count, err));
    for (int i = 0; i < count; i++) {
        TRY(execute_point(q, &cells[i].plan, percent[i], &point, &timed, bad, err));
        doc_append(points, point);
    }
    *out = doc_object();
    doc *best = best_document(points, timed);
    DOC_PUT(*out, IS("points", points), IS("step", step_of(percent, count)), IS("best", best));
    points = NULL;
done:
    for (int i = 0; cells && i < count; i++) study_cell_release(&cells[i]);
    mem_free(cells);
    study_end(s);
    doc_free(points);
    return st;
}
