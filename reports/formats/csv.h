/* csv.h - comma-separated values as RFC 4180 defines them: lines end in CR LF, cells are quoted where they must be.
 *
 * Cells of one record follow each other; csv_end ends the record. Errors of writing are those of the stream.
 */
#ifndef REPORTS_FORMATS_CSV_H
#define REPORTS_FORMATS_CSV_H

#include <stdio.h>

/* {to, 0} begins a file. */
struct csv {
    FILE *to;  /* borrowed */
    int cells; /* in the record so far */
};

/* Writes a text cell, quoted where it must be. One that begins as a formula does (= + - @, a tab, a CR) gets an
 * apostrophe before it: spreadsheets show such a cell as the text that it is. NULL: an empty cell. */
void csv_text(struct csv *c, const char *text);
/* The same for data that gnuplot reads line by line: control characters become blanks, quotation marks apostrophes, and
 * what is longer than 190 characters is cut. */
void csv_name(struct csv *c, const char *text);
/* Writes a number: integers below 9e15 in full, others with 9 digits. NaN: an empty cell. */
void csv_number(struct csv *c, double v);
/* Writes a whole record of names. names: NULL-ended. */
void csv_header(struct csv *c, const char *const *names);
/* Ends the record. */
void csv_end(struct csv *c);

#endif
