/* executed.h - what hotset execute measured (executed/1), read and checked.
 *
 * Every number may be absent or null (NaN here). Texts are borrowed from the document, which lives as long as struct
 * executed.
 */
#ifndef REPORTS_EXECUTED_EXECUTED_H
#define REPORTS_EXECUTED_EXECUTED_H

#include "base/doc.h"
#include "reports/figures/figures.h"

enum { EXECUTED_KINDS = 4, EXECUTED_GPUS_MAX = 256, EXECUTED_POINTS_MAX = 1001 };
/* How a number of transactions is known: "predicted", "simulated", "counted", "measured". */
extern const char *const executed_kinds[EXECUTED_KINDS];

struct executed {
    doc *root;
    const doc *totals, *gpus;
    const doc *points;             /* of the sweep over alpha, ascending, or NULL */
    const char *policy, *device;   /* "?" when not stated */
    struct figure_subject subject; /* the graph on the plan's server; the slug has the policy */
};

/* Adds its figures: transactions and time against alpha where there is a sweep of two points, transactions by how they
 * are known, and the median time of a mini-batch by stage. ST_LIMIT: memory or disk is out. */
enum st executed_plots(struct figures *figures, const struct executed *x, struct err *err) MUST_USE;

#endif
