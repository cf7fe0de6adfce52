/* study_place.h - one cell from its recording to a predicted placement. */
#ifndef PLANNER_ENGINE_STUDY_PLACE_H
#define PLANNER_ENGINE_STUDY_PLACE_H

#include "planner/engine/study_recording.h"
#include "planner/policies/timed.h"

/* The input of the cell's policy, without what only placing needs. cell->recording is set; everything is borrowed. */
struct policy_input study_input(const struct study *s, const struct study_cell *cell, int threads);

/* How a cell's rows are placed. */
struct study_way {
    enum topology_access access; /* who samples */
    bool cpu_gathers;            /* the CPU gathers the rows that GPUs miss */
    double list_price;           /* what a transaction of topology counts in those of features; 0: 1 */
    int rounds;                  /* of the search for a short transfer stage (policies/timed.h); 0: none */
    const struct plan *same;     /* a plan of the cell, placed in this way but for rounds; NULL: not known. Borrowed */
};

/* Places rows by the cell's policy in that way and predicts what they leave. *p: zeroed, the caller's to release,
 * complete only when cell->verdict is OK. timed: what the search found; NULL without rounds. Errors of the policy and
 * of predict_plan. */
enum st study_place_way(const struct study *s, struct study_cell *cell, const struct study_way *way, int threads,
                        struct plan *p, struct timed *timed, struct err *err) MUST_USE;
/* The same in the way that --sampling and the objective ask for (study_best.h). */
enum st study_place(const struct study *s, struct study_cell *cell, int threads, struct plan *p, struct err *err)
    MUST_USE;
/* Predicts a planned cell again, whose lists were replaced: sweep and bound of the old ones go. Errors of predict_plan.
 */
enum st study_predict(const struct study *s, struct study_cell *cell, int threads, struct err *err) MUST_USE;

#endif
