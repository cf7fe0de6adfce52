/* deal.h - the deal: how training vertices are assigned to GPUs, in the words of --assignment.
 *
 * global: at random over all GPUs; clique: a part of the graph per clique, at random inside (Legion); gpu: a part per
 * GPU; nested: a part per clique, cut into one per GPU. auto: a policy's own deal, or for policies that plan it the one
 * with the fewest predicted transactions (model/cliques.md).
 */
#ifndef PLANNER_PARTITION_DEAL_H
#define PLANNER_PARTITION_DEAL_H

#include "hwprofiles/model/server.h"
#include "traces/recording/assignment.h"

#define DEAL_WORDS "auto|global|clique|gpu|nested"
enum { DEALS_MOST = 5 };

/* The kind of assignment that the word names; ASSIGNMENT_KINDS for "auto" and NULL. */
enum assignment_kind deal_kind(const char *word);
/* The word of a kind: "clique" for hierarchical, "gpu" for per-gpu; its name for kinds that no word names. Static. */
const char *deal_word(enum assignment_kind kind);
/* The deals that differ on this server, fewest parts first: with one clique a nested deal is one part per GPU, and
 * with one GPU per clique a clique's part is a GPU's. out: [DEALS_MOST]; returns how many. */
int deal_candidates(const struct server *s, enum assignment_kind *out);

#endif
