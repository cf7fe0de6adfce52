/* refresh_links.h - what a refresh means to links: the bytes that loading takes over each PCIe uplink, and those that
 * an epoch takes over each uplink and NVLink before and after it (simulated; wire bytes over PCIe). Rows that GPUs of a
 * clique exchange cross NVLinks (refresh_moves.h). */
#ifndef PLANNER_COMMANDS_REFRESH_LINKS_H
#define PLANNER_COMMANDS_REFRESH_LINKS_H

#include "planner/commands/refresh_print.h"

/* Puts `uplinks` and `nvlinks` into the document, of several nodes `network`, too. Bytes of epochs are null where
 * nothing was simulated. */
void refresh_links_put(const struct refresh_job *j, doc *d);
/* Their table, of such a document. */
void refresh_links_print(const doc *d, FILE *to);

#endif
