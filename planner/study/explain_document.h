/* explain_document.h - an explanation as the document explain/1. */
#ifndef PLANNER_STUDY_EXPLAIN_DOCUMENT_H
#define PLANNER_STUDY_EXPLAIN_DOCUMENT_H

#include "planner/study/explain.h"

/* Puts the members of explain/1 that the explanation knows into `d`: policy, hotness, order, reads_beyond_cliques,
 * vertex, degree, trained_by, pools[]{clique, gpus, rows[]}, readers[]. p: the plan that was explained. */
void explain_put(const struct explanation *e, const struct plan *p, doc *d);

#endif
