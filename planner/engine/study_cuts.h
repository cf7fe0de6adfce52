/* study_cuts.h - parts of the graph that a study will ask for, found before it does. */
#ifndef PLANNER_ENGINE_STUDY_CUTS_H
#define PLANNER_ENGINE_STUDY_CUTS_H

#include "planner/engine/study_recording.h"

/* Cuts the graph in the ways that the cells' assignments will ask for, before they are made one by one; some cuts go on
 * in s->cutting (partition_ahead.h). Nothing depends on it but time. ST_LIMIT without memory. */
enum st study_cut_ahead(struct study *s, const struct study_cell *cells, int count, struct err *err) MUST_USE;
/* Ends them (partition_ahead_end); nothing where none is under way. */
void study_cut_end(struct study *s);
/* Whether the cell's recording waits for a cut that is under way. */
bool study_waits(const struct study *s, const struct study_cell *cell);
/* The same for several ranks: makes the assignments themselves (study_assign.h). Errors of partitioning. */
enum st study_assign_ahead(struct study *s, const struct study_cell *cells, int count, struct err *err) MUST_USE;

#endif
