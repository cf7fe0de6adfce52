/* table.h - tables for people.
 *
 * Cells are added row by row. Numbers that are added as numbers get one unit and one number of decimals per column (a
 * column whose values lie too far apart for that: one number of decimals). Every table fits the terminal that it is
 * printed on: words in the last column are wrapped, and columns that have no room are left out and named below the
 * table. When memory runs out, table_print prints a sentence instead; every function accepts NULL. One table belongs to
 * one thread.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdint.h>
#include <stdio.h>
#include "base/status.h"

struct table;
/* headers: NULL-ended, borrowed until table_free. A column whose header begins with '>' is aligned to the right. */
struct table *table_new(const char *const *headers);
/* Adds the next cell; rows follow each other. */
void table_add(struct table *t, const char *format, ...) PRINTF_LIKE(2, 3);
/* Adds a number as the next cell; "-" for NaN. */
void table_add_bytes(struct table *t, double bytes);     /* "1.50 GiB" */
void table_add_seconds(struct table *t, double seconds); /* "1.25 ms" */
void table_add_rate(struct table *t, double per_second); /* "12.3 M/s" */
void table_add_real(struct table *t, double value);      /* three digits of the least value, without trailing zeros */
/* Which columns are kept first when a terminal is narrow, "all trans.,epoch"; the first column always is, and others
 * follow from the left. names: borrowed. */
void table_keep(struct table *t, const char *names);
/* Makes lines at most `width` characters everywhere, as a terminal of that width does; the caller says what prints the
 * columns that are left out. */
void table_limit(struct table *t, int width);
/* Leaves out the rule under the header. */
void table_bare(struct table *t);
/* Prints two blanks between columns and a rule under the header. Where `to` is no terminal, every column is printed,
 * and only a last column of words is wrapped, at 120 characters. */
void table_print(struct table *t, FILE *to);
void table_free(struct table *t);
void table_show(struct table *t, FILE *to); /* prints and frees it */

#endif
