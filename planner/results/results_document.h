/* results_document.h - the document results/1: what compare and simulate write, a row per plan. Its keys are a table of
 * the page that reads it (reports/plots/result_fields.c); 'hotset list schemas results/1' prints it. */
#ifndef PLANNER_RESULTS_RESULTS_DOCUMENT_H
#define PLANNER_RESULTS_RESULTS_DOCUMENT_H

#include "planner/engine/study_recording.h"

/* Said of plans whose expected counts are vip's alone (model/hotness.md). */
extern const char results_prior_note[];

/* One row: the cell's policy, budget, prediction, simulation and status. plan_seconds is written only when stamp is
 * true. The caller frees it. */
doc *results_row(const struct study *s, const struct study_cell *c, bool stamp);
/* {schema, workload, presample_epochs, rows: []}; of several types also `graph`. The caller frees it; *rows is its
 * member, to append rows to. */
doc *results_document(const struct graph *g, const struct workload *w, uint64_t presample_epochs, doc **rows);

#endif
