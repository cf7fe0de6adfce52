/* diff_document.h - two plans side by side as the document diff/1. */
#ifndef PLANNER_COMMANDS_DIFF_DOCUMENT_H
#define PLANNER_COMMANDS_DIFF_DOCUMENT_H

#include "base/doc.h"
#include "simulator/plan/plan_diff.h"

/* A plan as both of its readers have it. */
struct diff_side {
    const char *path;  /* borrowed */
    hotset_plan *plan; /* owned */
    doc *d;            /* plan.json, owned */
};

/* What predicted{} and simulated{} both state, in the order of the tables. */
struct diff_figure {
    const char *key, *title;
    bool rate; /* a share; else a count */
};
extern const struct diff_figure diff_figures[]; /* ends with a NULL key */

/* side[0]: before, side[1]: after. The caller frees the document. */
doc *diff_document(const struct diff *d, const struct diff_side *side);

/* "0-3": the GPUs of a clique of plan.json or diff/1. Returns text. */
const char *diff_clique_text(const doc *clique, char *text, size_t size);

#endif
