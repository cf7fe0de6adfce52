/* refresh_print.h - what a refreshed plan moves and gains: the document refresh/1, and the same for people.
 *
 * Of several nodes gpus[], uplinks[] and nvlinks[] have a member `node`, counts are sums, seconds those of the slowest
 * node, and there are also: nodes; rows_kept, rows_from_nodes, bytes_from_nodes of GPUs; dram{kept, to_load, ..}: rows
 * that come into the DRAM of nodes, as in the plan as it is, whose DRAM is planned for the new reads, too; network[]
 * {node, bytes_to_load, seconds_to_load, bytes_before, bytes_after}: what a node receives for GPUs and DRAM, and the
 * lines per epoch that it reads from others; parts[]: totals, before and after of every node.
 *
 * Where plans state memories below the GPUs, `reads` has network_seconds and ssd_seconds, too, and there are
 * seconds_below: what comes from SSDs and over the network, part of seconds_to_load; and seconds_to_stay: what is
 * loaded where GPUs keep their rows (model/memories.md).
 */
#ifndef PLANNER_COMMANDS_REFRESH_PRINT_H
#define PLANNER_COMMANDS_REFRESH_PRINT_H

#include "planner/running/refresh_job.h"

/* The result of the command; owned by the caller. */
doc *refresh_document(const struct refresh_job *j);
/* Prints such a document. */
void refresh_print(const doc *d, FILE *to);

#endif
