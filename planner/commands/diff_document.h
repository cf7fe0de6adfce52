/* diff_document.h - two plans side by side as the document diff/1. */
#ifndef PLANNER_COMMANDS_DIFF_DOCUMENT_H
#define PLANNER_COMMANDS_DIFF_DOCUMENT_H

#include "base/doc.h"
#include "simulator/plan/plan_diff.h"

/* What predicted{} and simulated{} both state, in the order of the tables. */
struct diff_figure {
    const char *key, *title;
    bool rate; /* a share; else a count */
};
extern const struct diff_figure diff_figures[]; /* ends with a NULL key */

/* path, side: folders and plan.json of both plans, before and after. graph: of diff_tables; NULL: plans of a plain one.
 * The caller frees the document. */
doc *diff_document(const struct diff *d, char *const *path, const doc *const *side, const struct graph *graph);

/* "0-3": the GPUs of a clique of plan.json or diff/1. Returns text. */
const char *diff_clique_text(const doc *clique, char *text, size_t size);

#endif
