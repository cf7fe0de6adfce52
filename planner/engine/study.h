/* study.h - plans the cells of a study and simulates them on held-out epochs.
 *
 * study_begin (study_recording.h), then study_plan_all, study_simulate, study_end. Recordings are made one after the
 * other with all threads; cells are planned several at a time; all cells of one recording are simulated in shared
 * passes.
 */
#ifndef PLANNER_ENGINE_STUDY_H
#define PLANNER_ENGINE_STUDY_H

#include "planner/engine/study_recording.h"

/* Works out budgets, records what the cells need, and plans each cell: fills plan and verdict. A policy that cannot
 * make the plan says so in the verdict; errors are those of the first cell that failed. */
enum st study_plan_all(struct study *s, struct study_cell *cells, int count, struct err *err) MUST_USE;
/* Simulates every planned cell, those of one recording in shared passes; sets plan.simulated, and `dynamic` where the
 * policy has a dynamic cache. Does nothing when the study wants no epochs. */
enum st study_simulate(struct study *s, struct study_cell *cells, int count, struct err *err) MUST_USE;
/* The default seed of held-out epochs that goes with a planning seed; never equal to it. */
uint64_t study_held_out_seed(uint64_t seed);

#endif
