/* validation.h - the page of a validation/1 document (planner/validation/validation_document.h). */
#ifndef REPORTS_VALIDATION_VALIDATION_H
#define REPORTS_VALIDATION_VALIDATION_H

#include "base/status.h"

/* Writes the page of folder/validation.json into that folder. */
enum st validation_report_into(const char *folder, struct err *err) MUST_USE;

#endif
