/* results_csv.h - every row of every document as one CSV file: results.csv. */
#ifndef REPORTS_COMPARISON_RESULTS_CSV_H
#define REPORTS_COMPARISON_RESULTS_CSV_H

#include <stdio.h>
#include "reports/plots/result_rows.h"

/* Writes a header and one record per row; units stand in the header. Errors of writing are those of the stream. */
void results_csv_write(FILE *to, const struct result_rows *rows);

#endif
