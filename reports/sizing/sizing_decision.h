/* sizing_decision.h - the answer on the page: its line, reasons, runner-up and command; what can be bought. Documents
 * without options (older ones) get none of it. */
#ifndef REPORTS_SIZING_SIZING_DECISION_H
#define REPORTS_SIZING_SIZING_DECISION_H

#include <stdio.h>
#include "reports/sizing/sizing.h"

/* The bold line, the reasons, the runner-up and the command; the sentence where there is no decision. */
void sizing_decision_write(FILE *to, const struct sizing *s);
/* What one should know before signing, a line each; nothing where there is none. */
void sizing_notes_write(FILE *to, const struct sizing *s);
/* A row per server and number of servers. */
void sizing_options_table(FILE *to, const struct sizing *s);

#endif
