/* comparison.h - the page of a comparison (results/1 and plan/1) and its parts: who needs how many transactions, every
 * figure, and how the numbers were made. One section per graph and server. Tables and notes are written as HTML; errors
 * of writing are those of the stream.
 */
#ifndef REPORTS_COMPARISON_COMPARISON_H
#define REPORTS_COMPARISON_COMPARISON_H

#include <stdio.h>

#include "reports/plots/grid.h"
#include "reports/shell/page_kind.h"

/* The kind of every document that no other page shows. */
extern const struct page_kind page_kind_comparison_page;

enum { SUMMARY_BYTES = 2400 };

/* Keeps the rows of the policies that a list names ("hotset,legion"). left_out: how many others there were. ST_INPUT:
 * no row is of one of them. */
enum st chosen_rows(struct result_rows *rows, const char *policies, int *left_out, struct err *err) MUST_USE;
/* Gives policies the names of a list ("hotset=Ours,legion=Legion"). ST_USAGE: it is none; ST_INPUT: a policy is not
 * shown. */
enum st chosen_labels(struct grids *grids, const char *names, struct err *err) MUST_USE;

/* The answer of one grid at its middle budget as plain text, into out: the sentence that the terminal prints, with its
 * subject, and a line per other reach; without policy hotset the best policy against the next one and against nothing
 * cached. */
void summary_answer(const struct grid *grid, char out[SUMMARY_BYTES]);
/* What else there is to say of it, into out: the epochs it was counted on, transactions, hit rates, the other budgets
 * and the reference. "" where there is no number. */
void summary_more(const struct grid *grid, char out[SUMMARY_BYTES]);
/* What was compared, and how many runs gave no numbers, as plain text, into out. */
void summary_all(const struct result_rows *rows, const struct grids *grids, char out[SUMMARY_BYTES]);

/* Writes all tables of a grid as HTML. */
void comparison_tables_write(FILE *to, const struct grid *grid);
/* The same for an appendix of many policies: without the tables of types, which the first view has. */
void comparison_overview_write(FILE *to, const struct grid *grid);

/* A table at the middle budget as HTML, one line per type or relation; nothing for graphs with one type. */
void type_tables_write(FILE *to, const struct grid *grid);
/* The same of a grid that is one plan: a column per number. */
void type_tables_plan_write(FILE *to, const struct grid *grid);
/* types.csv: a record per row of a document and type or relation. */
void type_tables_csv_write(FILE *to, const struct result_rows *rows);
/* Whether some row states types or relations. */
bool type_tables_any(const struct result_rows *rows);

/* Writes a table of the grid's first policy at its first budget, one number per line. */
void plan_facts_write(FILE *to, const struct grid *grid);

/* Writes the section as HTML. rows: of all documents. */
void method_notes_write(FILE *to, const struct result_rows *rows);

/* Writes a header and one record per row; units stand in the header. */
void results_csv_write(FILE *to, const struct result_rows *rows);

/* Writes a tabular per graph and server in the style of the package booktabs, its rows ruled off by budget. Rows that a
 * later one replaces are left out; those without numbers say why. */
void results_tex_write(FILE *to, const struct result_rows *rows);

#endif
