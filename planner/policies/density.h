/* density.h - rows of both kinds in the order of what they save per byte: the optimum of one pool up to its last row
 * (model/density.md).
 *
 * Items are those of the graph (traces/graph/rows.h): copy k of item i, where a row can have several, is number
 * k * items + i. Numbers are below 2^32.
 */
#ifndef PLANNER_POLICIES_DENSITY_H
#define PLANNER_POLICIES_DENSITY_H

#include "planner/policies/policy.h"

/* False, with the verdict, when the rows of a graph are too many to be numbered together (2^31 vertices at most). */
bool density_possible(const struct graph *g, struct policy_verdict *verdict);

/* Transactions saved per byte in fixed point (2^-40, at most 2^62): order-preserving, equal on every machine. */
uint64_t density_key(double saved, uint64_t bytes);

/* key: [items], set to what each row saves per byte; 0 of rows that do not exist (a type without features). topology,
 * feature: transactions saved, by row of the kind. unseen: bits that all other keys get. */
void density_keys(const struct policy_input *in, const float *topology, const float *feature, uint64_t unseen,
                  uint64_t *key);

/* Sorts the items with key[items] > 0 by descending key, ties to the lower number; of each kind only the hottest that
 * together take `enough` bytes. *order: [*count], owned by the caller. ST_LIMIT without memory. */
enum st density_order(const struct policy_input *in, const uint64_t *key, uint64_t items, uint64_t enough,
                      uint32_t **order, uint64_t *count, struct err *err) MUST_USE;

/* As density_order, which sorts DENSITY_SLICE rows at a time (or those of one bucket of like keys, if they are more):
 * the order is the same for any slice, the work space is that of one. */
enum { DENSITY_SLICE = 1 << 25 };
enum st density_order_by(const struct policy_input *in, const uint64_t *key, uint64_t items, uint64_t enough,
                         uint64_t slice, uint32_t **order, uint64_t *count, struct err *err) MUST_USE;

/* All items with a key, sorted once for placements at many budgets: what density_order finds for each is read off. */
struct density_all {
    uint32_t *order; /* [count], owned; NULL: nothing is sorted */
    uint64_t count;
    struct density_histogram *histogram; /* of the keys, owned */
};
/* Zeroed is allowed. */
void density_all_release(struct density_all *all);
/* The keys of the clique by which policy hotset places rows where nothing else is asked for (density_place). ST_LIMIT
 * without memory. */
enum st density_all_make(const struct policy_input *in, int clique, struct density_all *out, struct err *err) MUST_USE;
/* As density_order of those keys. */
enum st density_all_order(const struct policy_input *in, const struct density_all *all, uint64_t enough,
                          uint32_t **order, uint64_t *count, struct err *err) MUST_USE;
/* Bytes that it takes of so many items. */
uint64_t density_all_bytes(uint64_t items);

/* Bytes of each kind that are enough to fill a budget, with a margin for rows that do not fit. */
#define DENSITY_ENOUGH(budget) ((budget) + (budget) / 4 + (1 << 20))

enum {
    DENSITY_UNSEEN = 1, /* an estimate of 0 is no proof that a row is never read: such rows take what is left over */
    DENSITY_FEW = 8,    /* fewer than n / 8 rows are looked up one by one (side_counts.h) */
    DENSITY_SKIPPED_MOST = 1 << 16 /* filling ends after so many rows that do not fit, one behind the other */
};

/* Less room than this ends filling: the topology row of a vertex without neighbours; feature rows of some types may be
 * shorter. */
static inline uint64_t density_smallest_row(const struct graph *g) { return graph_plain(g) ? 8 : 1; }
/* Bytes of the item's row. */
uint64_t density_bytes(const struct policy_input *in, uint64_t item);
/* The GPU of gpu[0..k) with room for the item (a first copy) whose recorded hotness of it is highest; ties: most room,
 * then the earlier entry. -1: it fits on none. room: [GPUS_MAX] bytes by position. */
int density_hottest(const struct policy_input *in, const int *gpu, int k, uint64_t item, const uint64_t *room);

/* Places items (first copies) in that order into the clique: each goes to the GPU with room whose recorded hotness is
 * highest (ties: most room, then the lower position); an item that fits on no GPU is skipped. room: [GPUS_MAX] bytes,
 * reduced. ST_LIMIT without memory. */
enum st density_fill(const struct policy_input *in, const uint32_t *order, uint64_t count, int clique,
                     struct plan *plan, uint64_t *room, struct err *err) MUST_USE;
/* Fills every clique in the order of keys, or sets the verdict of density_possible; set: [items] of a clique. ST_LIMIT
 * without memory. */
typedef void density_set(const struct policy_input *in, int clique, uint64_t *key);
enum st density_place_by(const struct policy_input *in, density_set *set, struct plan *plan,
                         struct policy_verdict *verdict, struct err *err) MUST_USE;
/* Sets alpha of every clique: the share of its budget that topology rows take. */
void density_set_alpha(const struct policy_input *in, struct plan *plan);
/* The whole of policy hotset, with or without NVLinks between cliques: its ablations are this with other rates. */
enum st density_place(const struct policy_input *in, bool cross_clique, struct plan *plan,
                      struct policy_verdict *verdict, struct err *err) MUST_USE;

#endif
