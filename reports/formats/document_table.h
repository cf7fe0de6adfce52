/* document_table.h - columns.h on a page: numbers are style.h's; the first column names the row. */
#ifndef REPORTS_FORMATS_DOCUMENT_TABLE_H
#define REPORTS_FORMATS_DOCUMENT_TABLE_H

#include <stdio.h>

#include "base/columns.h"
#include "reports/formats/style.h"

/* Which rows an object is of: "topology author-writes->paper", "feature paper", or its kind alone. */
const char *document_rows_name(char out[STYLE_NAME], const doc *of);

/* Writes a table with a row per object of `list`; inner: the key of an array in each, whose objects are the rows
 * instead, or NULL. columns: ended by a member without a name. Nothing is written where there is no row. */
void document_table(FILE *to, const char *caption, const doc *list, const char *inner, const struct column *columns);
/* The same of a table that has more to say. */
void document_columns(FILE *to, const char *caption, const struct column_table *t);

/* Writes what the answer rests on, its `premises`, those that move it most first; nothing where it states none. */
void document_premises(FILE *to, const doc *root);

#endif
