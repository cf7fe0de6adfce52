/* cross_clique.h - placing rows on servers whose NVLinks reach beyond the cliques (MODEL.md, section 7.4; a DGX-1's
 * GPUs each reach one of the other four).
 *
 * A copy on GPU g serves g, its clique, and those GPUs of other cliques that have a link to g. A GPU's reads are its
 * clique's divided by its number of GPUs (a clique's GPUs train random parts of one set). Rows are taken greedily by
 * what a further copy saves per byte; because every copy makes the next one worth less, each row's copies can be
 * ranked beforehand: the first in the clique where it serves most, the second for what is left.
 */
#ifndef PLANNER_POLICIES_CROSS_CLIQUE_H
#define PLANNER_POLICIES_CROSS_CLIQUE_H

#include "planner/policies/policy.h"

/* True when some NVLink joins GPUs of different cliques and the method can number the rows (at most 4 cliques and 32
 * GPUs). */
bool cross_clique_usable(const struct plan *plan, uint64_t n);

/* Fills an empty placement and sets its peers to all NVLink neighbours. *saved: expected transactions per epoch that
 * the placement saves. */
enum st cross_clique_fill(const struct policy_input *in, struct plan *plan, double *saved, struct err *err) MUST_USE;

#endif
