/* sizing_tables.h - the tables and lists of an answer of hotset size, as HTML. Each writes nothing when the document
 * has nothing for it. Errors of writing are those of the stream. */
#ifndef REPORTS_SIZING_SIZING_TABLES_H
#define REPORTS_SIZING_SIZING_TABLES_H

#include <stdio.h>
#include "reports/sizing/sizing.h"

/* All curves: what was tried, what it costs and what it needs. */
void sizing_curves_table(FILE *to, const struct sizing *s);
/* The points of the shown curve. */
void sizing_points_table(FILE *to, const struct sizing *s);
/* How far stand-ins of the graph spread. */
void sizing_uncertainty_table(FILE *to, const struct sizing *s);
/* The memory that training takes, term by term. */
void sizing_reservation_table(FILE *to, const struct sizing *s);
/* What the description of each server lacks for epoch times. */
void sizing_unknown_list(FILE *to, const struct sizing *s);
/* The rules by which the answer was found. */
void sizing_rules_list(FILE *to, const struct sizing *s);

#endif
