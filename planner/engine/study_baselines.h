/* study_baselines.h - what a plan of a graph with several types gains: other plans on the same draws. */
#ifndef PLANNER_ENGINE_STUDY_BASELINES_H
#define PLANNER_ENGINE_STUDY_BASELINES_H

#include "planner/engine/study.h"

enum { STUDY_BASELINES = 2 };

/* Simulates the planned cell, of a graph that is not plain, as study_simulate does and, beside policy hotset, plans
 * that know no types (mean-row, single-type). Sets plan.simulated and plan.baselines [{policy, total_transactions,
 * ratio}]. Errors of study_place and study_simulate. */
enum st study_simulate_baselines(struct study *s, struct study_cell *cell, struct err *err) MUST_USE;

#endif
