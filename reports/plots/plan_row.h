/* plan_row.h - a plan of a graph with several types (plan/2) as a row of results/1, so that pages draw it like a
 * row of 'hotset compare'. Private to reports/plots.
 */
#ifndef REPORTS_PLOTS_PLAN_ROW_H
#define REPORTS_PLOTS_PLAN_ROW_H

#include "base/doc.h"

/* A new row; what the plan does not state is absent. tables[] join what the graph has, what all GPUs hold, what was
 * predicted and what was simulated. The caller frees it with doc_free. */
doc *plan_row(const doc *plan);

#endif
