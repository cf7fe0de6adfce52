/* explain_document.h - an explanation as the document explain/1. */
#ifndef PLANNER_RESULTS_EXPLAIN_DOCUMENT_H
#define PLANNER_RESULTS_EXPLAIN_DOCUMENT_H

#include "base/doc.h"
#include "planner/results/explain.h"

/* {schema, trace_epochs, policy, hotness, order, reads_beyond_cliques, pools[]}; a pool has tables[], or rows[], and of
 * a vertex the document also has [type,] vertex, degree, trained_by, readers[] and, where the plan states memories
 * below its GPUs, memories{}; rows are named as plans name lists, members of readers and memories by
 * explain_table_name. The caller frees it. */
doc *explain_document(const struct explanation *e, const struct explain_input *in);

#endif
