/* validation_document.h - results as a document (validation/1), which reports/validation draws.
 *
 *   cases[]  worst first: name, title, source, hardware, known[], assumed[], reason[], model, quantity, unit,
 * tolerance, parameters[]{name, value, fitted}, verdict ("met", "missed", "not known"), points, points_fitted, within,
 *            worst, median, worst_residual (errors as predicted / measured - 1; null: none),
 *            measured[]{name, use, server, measured, predicted, error, note}, worst first
 *   counts   {met, missed, not_known}
 */
#ifndef PLANNER_VALIDATION_VALIDATION_DOCUMENT_H
#define PLANNER_VALIDATION_VALIDATION_DOCUMENT_H

#include "planner/validation/validation_run.h"

/* The document of count <= CASES_MAX cases that were run, owned by the caller; NULL when memory is out. */
doc *validation_document(const struct validation_case *cases, int count);

#endif
