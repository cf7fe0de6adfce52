/* cross_clique.h - placing rows on servers whose NVLinks reach beyond the cliques (model/optimum.md; each GPU of a
 * DGX-1 reaches one GPU of the other clique).
 *
 * A copy on GPU g serves g, its clique, and the GPUs of other cliques that have a link to g. A GPU's reads are its
 * share of its clique's (hotness/reader_shares.h). Copies are taken
 * greedily by what they save per byte. Every copy of a row makes its next one worth less, so the copies of a row can be
 * ranked beforehand: the first in the clique where it saves most, the second for what is left.
 */
#ifndef PLANNER_POLICIES_CROSS_CLIQUE_H
#define PLANNER_POLICIES_CROSS_CLIQUE_H

#include "planner/policies/policy.h"

/* True when GPUs of different cliques read each other: then GPUs of one clique reach different rows, and who of them
 * reads what matters, whatever the deal. */
bool cross_clique_links(const struct server *s);
/* The same of the peers of a plan. */
bool cross_clique_reads(const struct plan *plan);

/* True when GPUs of different cliques read each other and the items can be numbered (at most 4 cliques and 32 GPUs).
 * items: of the graph. */
bool cross_clique_usable(const struct server *s, const struct plan *plan, uint64_t items);

/* Bytes of the counts that filling keeps side by side (side_counts.h); 0: they would take more than ranking did. */
uint64_t cross_clique_side_bytes(uint64_t n, int gpus, int cliques);
/* Bytes of what ranking found, which filling takes over: of all copies of so many rows what they are worth and their
 * keys, of more rows keys alone; 0: too many, it is worked out again. */
uint64_t cross_clique_kept_bytes(uint64_t items, int gpus, int cliques);

/* Fills an empty placement within plan->budget and sets its peers to all GPUs in reach. *saved: transactions per
 * epoch that the placement is expected to save. ST_LIMIT without memory. */
enum st cross_clique_fill(const struct policy_input *in, struct plan *plan, double *saved, struct err *err) MUST_USE;

#endif
