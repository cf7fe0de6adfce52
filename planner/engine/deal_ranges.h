/* deal_ranges.h - the deals of many budgets from those that were chosen at a few.
 *
 * A deal is tried at the ends of ranges of budgets. Where one deal is the best at both ends of a range, or leaves there
 * at most RANGE_SECONDS more of the epoch and RANGE_TRANSACTIONS more transactions than the best, it is taken for the
 * budgets between; otherwise the budget in the middle is tried, too.
 */
#ifndef PLANNER_ENGINE_DEAL_RANGES_H
#define PLANNER_ENGINE_DEAL_RANGES_H

#include "planner/engine/study_recording.h"

#define RANGE_SECONDS 2e-3
#define RANGE_TRANSACTIONS 4e-3

/* cell[*count]: the cells whose budgets have no choice yet. Makes the choices that follow from those that the study
 * has, takes their cells out of the list, and sets scout[*scouts] to the ones to be tried next; none: the list is empty
 * then. scout: as long as the list. ST_LIMIT without memory. */
enum st deal_ranges_next(struct study *s, const struct study_cell **cell, int *count, const struct study_cell **scout,
                         int *scouts, struct err *err) MUST_USE;
/* Makes room for `more` choices. ST_LIMIT without memory. */
enum st deal_choices_grow(struct study *s, int more, struct err *err) MUST_USE;

#endif
