#include "planner/engine/study_scout.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/engine/study_place.h"
#include "planner/engine/study_together.h"

extern const struct policy policy_hotset;

enum st scouts_begin(struct study *s, const struct recording_key *key, struct scouts *out, struct err *err)
{
    PASS(study_record(s, key, &out->r, err));
    PASS(study_estimate(s, out->r, RATE_CALIBRATED, err));
    if (study_wants_load(&s->o, &policy_hotset)) PASS(study_load(s, out->r, err));
    const uint64_t each = thin_each(s);
    study_stage_begin(s, "planning");
    enum st st = each > 1 ? thin_scouts_make(s, out->r, each, &out->few, err) : study_orders(s, out->r, err);
    study_stage_end(s);
    return st;
}

void scouts_end(struct study *s, struct scouts *of)
{
    thin_scouts_release(&of->few);
    if (of->r && s->o.presample_epochs > 1) visit_costs_release(&of->r->costs); /* made again */
}

enum st scouts_place(const struct study *s, struct scouts *of, const struct study_cell *cell, int threads, doc *row,
                     struct study_score *left, struct err *err)
{
    enum st st;
    struct thin *thin = of->few.counts ? &of->few.thin : NULL;
    const struct study *placed = thin ? &thin->study : s;
    ON_HEAP(struct plan, p);
    ON_HEAP(struct study_cell, scout);
    *scout = (struct study_cell){.policy = &policy_hotset,
                                 .scout = true,
                                 .budget = cell->budget,
                                 .recording = thin ? &of->few.recording : of->r};
    if (thin) thin_budget(thin, cell->budget_bytes, scout->budget_bytes);
    else memcpy(scout->budget_bytes, cell->budget_bytes, sizeof scout->budget_bytes);
    policy_defaults(scout->policy, scout->option);
    TRY(study_place(placed, scout, threads, p, err));
    *left = scout->verdict.status == POLICY_OK
                ? study_score_of(placed, p)
                : (struct study_score){.seconds = NAN, .even = NAN, .transactions = UINT64_MAX};
    doc_put(row, "predicted_transactions",
            left->transactions == UINT64_MAX ? doc_null() : doc_integer((int64_t)left->transactions));
    if (!isnan(left->seconds)) doc_put(row, "predicted_epoch_seconds", doc_real(left->seconds));
    if (thin) doc_put(row, "of_rows", doc_real((double)thin->graph.n / (double)s->o.graph->n));
    study_expects(s, cell, left->seconds);
done:
    plan_release(p);
    return st;
}
