/* validation.h - the page of a validation/1 document (planner/validation/validation_document.h), and what it is read
 * into.
 *
 * Cases and points keep the document's order, the worst first. Texts are borrowed from the document. A number that is
 * not there is NaN.
 */
#ifndef REPORTS_VALIDATION_VALIDATION_H
#define REPORTS_VALIDATION_VALIDATION_H

#include "base/doc.h"
#include "reports/figures/figures.h"

enum { VALIDATION_CASES = 128, VALIDATION_POINTS = 256 };

struct validation_case_read {
    const doc *of;
    const char *name, *title, *unit;
    double tolerance;
    const doc *points; /* array of at most VALIDATION_POINTS */
};
struct validation_read {
    doc *root; /* owned */
    int count;
    struct validation_case_read list[VALIDATION_CASES];
};

/* Adds "errors", the error of every point, a row for each case, the worst on top; and "predicted", predicted against
 * measured values, a panel for each of the first six units. ST_LIMIT: memory or disk is out. */
enum st validation_plots(struct figures *figures, const struct validation_read *v, struct err *err) MUST_USE;

/* Writes the page of folder/validation.json into that folder. */
enum st validation_report_into(const char *folder, struct err *err) MUST_USE;

#endif
