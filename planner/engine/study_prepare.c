#include "planner/engine/study_prepare.h"

#include "planner/engine/study_cuts.h"
#include "planner/engine/study_deal.h"
#include "planner/engine/study_order.h"
#include "planner/engine/study_place.h"

/* Lets the policy choose how many GPUs sample, from a recording with its default number; then cell->recording is the
 * one of the choice. */
static enum st choose_samplers(struct study *s, struct study_cell *cell, struct err *err)
{
    if (!cell->policy->choose_samplers || !s->o.timing.setup.gnn.hidden) return ST_OK;
    struct policy_input in = study_input(s, cell, s->o.threads);
    PASS(cell->policy->choose_samplers(&in, cell->budget_bytes, cell->split, &cell->samplers, err));
    if (s->recordings == STUDY_RECORDINGS) cell->samplers = 0; /* no room for another recording */
    if (cell->samplers && cell->samplers != cell->recording->key.samplers) {
        struct recording_key key = cell->recording->key;
        key.samplers = cell->samplers;
        PASS(study_record(s, &key, &cell->recording, err));
    }
    return ST_OK;
}

/* Everything that the cell's policy needs before it places rows. */
static enum st prepare_cell(struct study *s, struct study_cell *cell, struct err *err)
{
    struct recording_key key;
    study_deal(s, cell, &key);
    PASS(study_order(s, cell, &key, err));
    PASS(study_record(s, &key, &cell->recording, err));
    PASS(choose_samplers(s, cell, err));
    if (study_cell_source(cell) < RATE_SOURCES) PASS(study_estimate(s, cell->recording, study_cell_source(cell), err));
    if (study_wants_load(&s->o, cell->policy)) PASS(study_load(s, cell->recording, err));
    if (s->o.bound) PASS(study_estimate(s, cell->recording, RATE_CALIBRATED, err));
    PASS(study_order_prepare(s, cell->recording, err));
    if (cell->policy->saw_evaluation) PASS(study_benefit(s, cell->recording, err));
    return ST_OK;
}

enum st study_prepare(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    for (int late = 0; late < 2; late++)
        for (int i = 0; i < count; i++)
            if (study_waits(s, &cells[i]) == late) PASS(prepare_cell(s, &cells[i], err));
    return ST_OK;
}
