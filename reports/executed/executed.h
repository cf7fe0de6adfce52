/* executed.h - the figures of what hotset execute measured (executed/1).
 */
#ifndef REPORTS_EXECUTED_EXECUTED_H
#define REPORTS_EXECUTED_EXECUTED_H

#include "base/doc.h"
#include "reports/figures/figures.h"

/* Adds its figures: transactions and time against alpha where there is a sweep of two points, transactions by how they
 * are known, and the median time of a mini-batch by stage. ST_LIMIT: memory or disk is out. */
enum st executed_plots(struct figures *figures, const doc *root, const struct figure_subject *subject, struct err *err)
    MUST_USE;

#endif
