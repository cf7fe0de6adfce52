/* tier_document.h - tiers/1: which memory holds which rows, what it serves, and what planning all at once is worth.
 *
 * {schema, server, cluster, graph{..}, nodes, row_bytes, line_bytes, workload{..}, partition{method, cut_share}, ssd,
 * places[], readers[], ways[], bound_seconds, above_bound, epochs, seed}
 *   - places[]: {name, kind ("gpus", "dram", "ssd"), node, gpus[], socket, capacity_bytes}; null: of all nodes, of all
 *     sockets, no limit; kinds that have no gpus or socket leave them out
 *   - readers[]: {node, gpus[], socket, feature_row_seconds[], topology_line_seconds[]}: seconds of one read from each
 *     place; null: it cannot read there
 *   - ways[]: {way, predicted_seconds, simulated_seconds, prediction_error, places[]{used_bytes, feature_rows,
 *     topology_rows, feature_reads, topology_lines, seconds}} by way (memories.h) and place; of SSDs, which have all
 *     rows, used_bytes and rows are those that no DRAM holds
 *   - seconds of ways and of the bound: of all reads of an epoch, per GPU (mean), as if none overlapped. Reads, lines
 *     and seconds of places: simulated, per held-out epoch; of all GPUs together, seconds per GPU
 *   - above_bound: predicted seconds of the first way / the bound - 1: no solution is expected to be below the bound
 */
#ifndef PLANNER_RESULTS_TIER_DOCUMENT_H
#define PLANNER_RESULTS_TIER_DOCUMENT_H

#include <stdio.h>
#include "planner/engine/tier_count.h"

/* The document. Owned by the caller. */
doc *tier_document(const struct study_nodes *x, const struct study_cell *cell, const struct memories *m,
                   const struct tier_counts *c);
/* Writes the directory: tiers.json, and a plan directory node<i>/ per node, which states the rows of each DRAM.
 * ST_LIMIT, or as plan_save. */
enum st tier_save(const struct study_nodes *x, const struct study_cell *cell, const char *path, const doc *d,
                  struct err *err) MUST_USE;
/* For people: a table of the memories, a table of the ways. */
void tier_print(const doc *d, FILE *to);

#endif
