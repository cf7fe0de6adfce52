/* density.h - rows of both kinds in the order of what they save per byte: the optimum of one pool up to its last row
 * (MODEL.md, section 7.2). */
#ifndef PLANNER_POLICIES_DENSITY_H
#define PLANNER_POLICIES_DENSITY_H

#include "planner/policies/policy.h"

/* False, with the verdict, when both kinds of rows of n vertices cannot be numbered together (2^31 vertices). */
bool density_possible(uint64_t n, struct policy_verdict *verdict);

/* Items are numbered k * 2n + i: i < n is the topology row of vertex i, i = n + v the feature row of v; k is the copy
 * where rows have several. Sorts the items of key > 0 by descending key, ties to the lower number, into *order (owned
 * by the caller; *count items) - but only as many as can matter: of each kind those of highest keys that take
 * `enough` bytes together. items < 2^32. */
enum st density_order(const struct policy_input *in, const uint64_t *key, uint64_t items, uint64_t enough,
                      uint32_t **order, uint64_t *count, struct err *err) MUST_USE;

/* Bytes of each kind that are enough to fill a budget, rows that do not fit allowed for. */
#define DENSITY_ENOUGH(budget) ((budget) + (budget) / 4 + (1 << 20))

/* Places items (first copies) in `order` into the clique until memory is used up: each goes to the GPU with room
 * whose recorded hotness is highest (ties: most room, then the lower position); an item that fits nowhere is passed
 * over. room: [GPUS_MAX], reduced. */
enum st density_fill(const struct policy_input *in, const uint32_t *order, uint64_t count, int clique,
                     struct plan *plan, uint64_t *room, struct err *err) MUST_USE;

enum {
    DENSITY_SMALLEST_ROW = 8,     /* bytes of the topology row of a vertex without neighbours */
    DENSITY_PASSED_MOST = 1 << 16 /* filling ends when so many rows in a row did not fit: what is left over is less than
                                     a row of each GPU */
};
/* Starts loading what placing an item needs. */
void density_prefetch(const struct policy_input *in, uint32_t item, const int *gpu, int k);

/* saved per byte in fixed point (2^-40); order-preserving, the same everywhere. */
uint64_t density_key(double saved, uint64_t bytes);

/* The whole of policy hotset (policies/hotset.c), with or without links between cliques; for its ablations. */
enum st density_place(const struct policy_input *in, bool cross_clique, struct plan *plan,
                      struct policy_verdict *verdict, struct err *err) MUST_USE;

#endif
