#include "planner/engine/study_baselines.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/engine/study_place.h"

extern const struct policy policy_mean_row, policy_single_type;

/* What a baseline is planned like: the cell, by another policy. */
static void start(const struct study_cell *cell, int i, struct study_cell *out)
{
    const struct policy *blind[STUDY_BASELINES] = {&policy_mean_row, &policy_single_type};
    *out = (struct study_cell){.policy = blind[i],
                               .hotness = cell->hotness,
                               .options_given = true,
                               .budget = cell->budget,
                               .recording = cell->recording};
    policy_defaults(out->policy, out->option);
    memcpy(out->budget_bytes, cell->budget_bytes, sizeof out->budget_bytes);
}

static uint64_t total_of(const struct plan *p) { return p->simulated ? p->simulated->sums.transactions.total : 0; }

static doc *document(const struct plan *p, const char *name, uint64_t best)
{
    uint64_t total = total_of(p);
    doc *d = doc_object();
    doc_put(d, "policy", doc_text(name));
    doc_put(d, "total_transactions", doc_integer((int64_t)total));
    doc_put(d, "ratio", doc_real(best ? (double)total / (double)best : total ? NAN : 1));
    return d;
}

enum st study_simulate_baselines(struct study *s, struct study_cell *cell, struct err *err)
{
    bool any = !strcmp(cell->policy->name, "hotset") && s->o.simulate_epochs;
    struct study_cell *cells = NULL; /* the cell itself first */
    enum st st = ST_OK;
    if (!any) return study_simulate(s, cell, 1, err);
    NEW(cells, 1 + STUDY_BASELINES, "baselines");
    for (int i = 1; i <= STUDY_BASELINES; i++) {
        start(cell, i - 1, &cells[i]);
        TRY(study_place(s, &cells[i], s->o.threads, &cells[i].plan, err));
    }
    cells[0] = *cell;
    st = study_simulate(s, cells, 1 + STUDY_BASELINES, err);
    *cell = cells[0];
    memset(&cells[0], 0, sizeof cells[0]);
    TRY(st);
    cell->plan.baselines = doc_array();
    for (int i = 1; i <= STUDY_BASELINES; i++)
        if (cells[i].verdict.status == POLICY_OK)
            doc_append(cell->plan.baselines, document(&cells[i].plan, cells[i].policy->name, total_of(&cell->plan)));
done:
    for (int i = 1; cells && i <= STUDY_BASELINES; i++) study_cell_release(&cells[i]);
    mem_free(cells);
    return st;
}
