/* results_tex.h - the rows of a comparison as a LaTeX table for a paper: results.tex. */
#ifndef REPORTS_COMPARISON_RESULTS_TEX_H
#define REPORTS_COMPARISON_RESULTS_TEX_H

#include <stdio.h>
#include "reports/plots/result_rows.h"

/* Writes a tabular per graph and server in the style of the package booktabs, its rows ruled off by budget. Rows that a
 * later one replaces are left out; those without numbers say why. Errors of writing are those of the stream. */
void results_tex_write(FILE *to, const struct result_rows *rows);
#endif
