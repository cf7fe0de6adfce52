/* type_tables.h - rows of graphs with several node types: what each policy holds and reads of every type and relation.
 */
#ifndef REPORTS_COMPARISON_TYPE_TABLES_H
#define REPORTS_COMPARISON_TYPE_TABLES_H

#include <stdio.h>
#include "reports/plots/grid.h"

/* A table at the middle budget as HTML, one line per type or relation; nothing for graphs with one type. Errors of
 * writing are those of the stream. */
void type_tables_write(FILE *to, const struct grid *grid);
/* The same of a grid that is one plan: a column per number. */
void type_tables_plan_write(FILE *to, const struct grid *grid);
/* types.csv: a record per row of a document and type or relation. */
void type_tables_csv_write(FILE *to, const struct result_rows *rows);
/* Whether some row states types or relations. */
bool type_tables_any(const struct result_rows *rows);

#endif
