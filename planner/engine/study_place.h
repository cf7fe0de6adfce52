/* study_place.h - one cell from its recording to a predicted placement. */
#ifndef PLANNER_ENGINE_STUDY_PLACE_H
#define PLANNER_ENGINE_STUDY_PLACE_H

#include "planner/engine/study_recording.h"

/* The input of the cell's policy, without what only placing needs. cell->recording is set; everything is borrowed. */
struct policy_input study_input(const struct study *s, const struct study_cell *cell, int threads);

/* Places rows by the cell's policy and predicts what they leave. *p: zeroed, the caller's to release, complete only
 * when cell->verdict is OK. Errors of the policy and of predict_plan. */
enum st study_place(const struct study *s, struct study_cell *cell, int threads, struct plan *p, struct err *err)
    MUST_USE;
/* Predicts a planned cell again, whose lists were replaced: sweep and bound of the old ones go. Errors of predict_plan.
 */
enum st study_predict(const struct study *s, struct study_cell *cell, int threads, struct err *err) MUST_USE;

#endif
