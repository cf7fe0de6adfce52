/* study_scout.h - plans that are made only to be compared: which deal, or which order, is better (study_deal.h,
 * study_order.h). Policy hotset places rows from a recording of one epoch, of large graphs some of the rows (thin.h).
 */
#ifndef PLANNER_ENGINE_STUDY_SCOUT_H
#define PLANNER_ENGINE_STUDY_SCOUT_H

#include "planner/engine/study_best.h"
#include "planner/engine/thin.h"

/* What scouts of one recording share. */
struct scouts {
    struct study_recording *r; /* borrowed */
    struct thin_scouts few;    /* zeroed where all rows are placed */
};

/* Records, estimates and, where rows are few, sorts for scouts of that key, which has one epoch. *out: zeroed by the
 * caller, who calls scouts_end also after an error. Errors of study_record and study_estimate. */
enum st scouts_begin(struct study *s, const struct recording_key *key, struct scouts *out, struct err *err) MUST_USE;
/* Plans at the cell's budget. *left: what to compare with other candidates; transactions UINT64_MAX where the policy
 * cannot place. row: gets predicted_transactions; predicted_epoch_seconds where the epoch is the objective; of_rows,
 * the share of the graph's rows that were placed, where that is less than 1. Any number of threads may call it. */
enum st scouts_place(const struct study *s, struct scouts *of, const struct study_cell *cell, int threads, doc *row,
                     struct study_score *left, struct err *err) MUST_USE;
void scouts_end(struct study *s, struct scouts *of);

#endif
