/* refresh.h - the next plan of a job whose reads have changed: it moves few rows.
 *
 * A row that a GPU already holds costs nothing to keep; another one must be loaded over PCIe. Over the next N epochs a
 * clique that holds the set S saves, with e the expected transactions per epoch that a row saves (hotness/estimates.h)
 * and P what its GPUs hold now,
 *
 *     N * sum over S of e(x)  -  sum over S without P of bytes(x) / line_bytes
 *
 * so a held row is worth N e, another one N e less its load. Rows are taken in the order of that per byte, the optimum
 * of one pool up to its last row (model/density.md), and what is worth nothing is not loaded. A held row stays on
 * its GPU and, where features have a place for it, in its slot: the rows that are loaded take the slots of those that
 * go. A new row goes to the GPU with room whose recorded hotness is highest. N = 0 keeps the plan as it is.
 */
#ifndef PLANNER_RUNNING_REFRESH_H
#define PLANNER_RUNNING_REFRESH_H

#include "planner/policies/policy.h"
#include "planner/running/refresh_moves.h"
#include "planner/running/refresh_reads.h"
#include "planner/engine/study_cell.h"

/* Needs policy_input.before; its option 0 is N, option 1 the most bytes that the GPUs of a clique load together (0:
 * any), option 2 whether they exchange rows. Deal and cliques are those of the trace, peers and budgets of the plan
 * before. */
extern const struct policy refresh_policy;
enum { REFRESH_EPOCHS_MOST = 1000000 };
#define REFRESH_MOVE_ANY 1e18

/* The cells of a refresh: the plan as it is, refreshed, and refreshed with exchanges. Returns how many are worth
 * planning: 3 where some clique has several GPUs, and none reads beyond its clique (then rows do not change places),
 * else
 * 2. before: the plan to refresh. */
int refresh_cells(const struct server *s, const struct plan *before, const struct graph *graph, double epochs,
                  double move, const struct budget *budget, struct study_cell cell[REFRESH_CELLS]);
/* Makes cell 1, and its reads, those with exchanges where they shorten the transfer stage; cell 2 is then the other,
 * and *swapped true (may be NULL). ST_LIMIT without memory for a cell. */
enum st refresh_prefer(struct study_cell cell[REFRESH_CELLS], struct refresh_reads reads[REFRESH_CELLS], int cells,
                       bool *swapped, struct err *err) MUST_USE;

/* Whether cell 1 is expected to be better than cell 0: less time of the reads below the GPUs, of all nodes, where the
 * plans have such memories; else, or where that is equal, as refresh_gains. gain: predicted transactions saved. */
bool refresh_cell_gains(const struct study_cell *cell, const struct refresh_reads *reads, double gain);

/* What a plan can be refreshed from: static, its GPUs sample for themselves and hold no type in two precisions, and its
 * GPUs are those of the server. ST_NO or ST_INPUT says what is wrong. where: the plan's name. */
enum st refresh_check(const struct plan *before, const struct server *s, const char *where, struct err *err) MUST_USE;

/* Lets GPUs of the trace exchange what they train, so that they train near the rows that they hold (redeal.h), unless
 * they train what they train in the plan. *others: training vertices of the trace that another GPU trains in the plan,
 * or none; *exchanged: whether they did. Errors of redeal_match. */
enum st refresh_match(const struct plan *before, const struct graph *graph, int threads, struct trace *trace,
                      uint64_t *others, bool *exchanged, struct err *err) MUST_USE;

#endif
