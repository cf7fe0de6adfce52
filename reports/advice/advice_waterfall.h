/* advice_waterfall.h - from today's transactions down to those of the advice, step by step. */
#ifndef REPORTS_ADVICE_ADVICE_WATERFALL_H
#define REPORTS_ADVICE_ADVICE_WATERFALL_H

#include "base/doc.h"
#include "reports/figures/figures.h"

enum { ADVICE_LEVERS_MAX = 64 };

/* A document of advice, checked. Everything is borrowed from root. */
struct advice_read {
    doc *root; /* owned */
    const doc *today, *advice, *levers;
    int steps;                          /* advised levers */
    const doc *step[ADVICE_LEVERS_MAX]; /* in the order in which they were put on top of each other */
    struct figure_subject subject;
};

/* Adds the figure. Errors are those of figure_begin_of and figure_end. */
enum st advice_waterfall(struct figures *figures, const struct advice_read *a, struct err *err) MUST_USE;

#endif
