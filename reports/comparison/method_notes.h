/* method_notes.h - the end of a comparison page: workloads and seeds, terms, and where the files are. */
#ifndef REPORTS_COMPARISON_METHOD_NOTES_H
#define REPORTS_COMPARISON_METHOD_NOTES_H

#include <stdio.h>
#include "reports/plots/result_rows.h"

/* Writes the section as HTML. rows: of all documents. Errors of writing are those of the stream. */
void method_notes_write(FILE *to, const struct result_rows *rows);

#endif
