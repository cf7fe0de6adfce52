/* csv.h - comma-separated values as RFC 4180 wants them: CR LF ends, quotes where needed. Errors are those of the
 * stream. */
#ifndef REPORTS_FORMATS_CSV_H
#define REPORTS_FORMATS_CSV_H

#include <stdio.h>
#include "base/status.h"
#include "reports/plots/result_rows.h"

/* Cells of one record follow each other; csv_end ends the record. `first` starts one. */
struct csv {
    FILE *to;
    int cells; /* in the record so far */
};
void csv_text(struct csv *c, const char *text); /* NULL: an empty cell */
/* The same for data that gnuplot reads, line by line: controls become blanks and quotation marks apostrophes; long
 * names are cut. */
void csv_name(struct csv *c, const char *text);
void csv_number(struct csv *c, double v);                 /* NaN: an empty cell; integers in full, else 9 digits */
void csv_header(struct csv *c, const char *const *names); /* NULL-ended; ends the record */
void csv_end(struct csv *c);

/* Every row of every document: results.csv. */
void csv_results(FILE *to, const struct rows *rows);

#endif
