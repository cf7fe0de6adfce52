/* study_prepare.h - what policies need before they place rows: recordings, estimates, orders. */
#ifndef PLANNER_ENGINE_STUDY_PREPARE_H
#define PLANNER_ENGINE_STUDY_PREPARE_H

#include "planner/engine/study_recording.h"

/* Prepares cells one by one, for each uses all threads; those that wait for a cut come last. Errors of study_record,
 * study_estimate and study_order. */
enum st study_prepare(struct study *s, struct study_cell *cells, int count, struct err *err) MUST_USE;

#endif
