/* validation_run.h - a case fitted where it may be, predicted, and judged. */
#ifndef PLANNER_VALIDATION_VALIDATION_RUN_H
#define PLANNER_VALIDATION_VALIDATION_RUN_H

#include "planner/validation/validation_case.h"

/* Fits the parameters that the case allows to the points that it names (squares, or the largest, of ln(predicted /
 * measured), so that large and small values count alike) and sets `predicted` and `error` of every point. */
void validation_run(struct validation_case *c);

enum validation_verdict { CASE_UNKNOWN, CASE_MISSED, CASE_MET };
const char *validation_verdict_name(enum validation_verdict v); /* "not known", "missed", "met" */

/* What became of a case. Errors are signed; NaN where there is no such point. */
struct validation_summary {
    int predicted, fitted, unknown, within; /* points; within: the tolerance, of those with a prediction */
    double worst, median;                   /* of all points with a prediction; median: of the magnitudes */
    double worst_residual;                  /* of fitted points */
    enum validation_verdict verdict;        /* met: every point is within the tolerance, fitted ones as well */
};
struct validation_summary validation_summarise(const struct validation_case *c);

/* The order of `count` cases: not known first, then by the magnitude of the worst error, the largest first, ties by
 * place. order: [count]. */
void validation_worst_first(const struct validation_case *cases, int count, int *order);

#endif
