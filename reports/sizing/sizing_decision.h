/* sizing_decision.h - the answer on the page: its line, reasons, runner-up and command; what can be bought; a figure of
 * the intervals. Documents without options (older ones) get none of it. */
#ifndef REPORTS_SIZING_SIZING_DECISION_H
#define REPORTS_SIZING_SIZING_DECISION_H

#include "reports/figures/figures.h"
#include "reports/sizing/sizing.h"

/* The bold line, the reasons, the runner-up and the command; the sentence where there is no decision. */
void sizing_decision_write(FILE *to, const struct sizing *s);
/* What one should know before signing, a line each; nothing where there is none. */
void sizing_notes_write(FILE *to, const struct sizing *s);
/* A row per server and number of servers. */
void sizing_options_table(FILE *to, const struct sizing *s);
/* Epoch times of the options with their intervals, before and after one's own cases; nothing without any. subject:
 * names the figure. ST_LIMIT when memory or disk is out. */
enum st sizing_plot_intervals(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                              struct err *err) MUST_USE;

#endif
