/* results.h - results for people (tables) and programs (rows of results/1). */
#ifndef PLANNER_STUDY_RESULTS_H
#define PLANNER_STUDY_RESULTS_H

#include "base/cmd.h"
#include "planner/study/study.h"

/* One row of results/1. seconds is written only when stamp is true. */
doc *results_row(const struct study *s, const struct study_cell *c, bool stamp);
/* {schema, workload, presample_epochs, rows: []}; rows are appended by the caller to *rows. */
doc *results_document(const struct workload *w, uint64_t presample_epochs, doc **rows);

/* One line per row: policy, server, budget, hit rates, transactions, prediction error. rows: of results/1. */
void results_print(const doc *rows, FILE *to);
/* A plan: cliques, GPUs (local / peer / host), traffic, prediction beside simulation. */
void results_plan_print(const struct plan *p, const struct graph *g, FILE *to);

#endif
