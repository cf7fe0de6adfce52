/* refresh.h - the next plan of a job whose reads have changed: it moves few rows.
 *
 * A row that a GPU already holds costs nothing to keep; another one must be loaded over PCIe. Over the next N epochs a
 * clique that holds the set S saves, with e the expected transactions per epoch that a row saves (hotness/estimates.h)
 * and P what its GPUs hold now,
 *
 *     N * sum over S of e(x)  -  sum over S without P of bytes(x) / line_bytes
 *
 * so a held row is worth N e, another one N e less its load. Rows are taken in the order of that per byte, the optimum
 * of one pool up to its last row (MODEL.md, section 7.2), and what is worth nothing is not loaded. A held row stays on
 * its GPU and, where features have a place for it, in its slot: the rows that are loaded take the slots of those that
 * go. A new row goes to the GPU with room whose recorded hotness is highest. N = 0 keeps the plan as it is.
 */
#ifndef PLANNER_STUDY_REFRESH_H
#define PLANNER_STUDY_REFRESH_H

#include "hwprofiles/model/bandwidth.h"
#include "planner/policies/policy.h"
#include "planner/study/refresh_reads.h"

/* Needs policy_input.before; its option 0 is N, option 1 the most bytes that the GPUs of a clique load together (0:
 * any). Deal and cliques are those of the trace, peers and budgets of the plan before. */
extern const struct policy refresh_policy;
enum { REFRESH_EPOCHS_MOST = 1000000 };
#define REFRESH_MOVE_ANY 1e18

/* What a plan can be refreshed from: static, its GPUs sample for themselves and hold no type in two precisions, and its
 * GPUs are those of the server. ST_NO or ST_INPUT says what is wrong. where: the plan's name. */
enum st refresh_check(const struct plan *before, const struct server *s, const char *where, struct err *err) MUST_USE;

/* Lets GPUs of the trace exchange what they train, so that they train near the rows that they hold (redeal.h), unless
 * they train what they train in the plan. *others: training vertices of the trace that another GPU trains in the plan,
 * or none; *exchanged: whether they did. Errors of redeal_match. */
enum st refresh_match(const struct plan *before, const struct graph *graph, int threads, struct trace *trace,
                      uint64_t *others, bool *exchanged, struct err *err) MUST_USE;

/* What must be loaded to go from one plan to the next, and what leaves. Ids of the GPUs are those of `before`. */
struct refresh_amount {
    uint64_t kept, loaded, dropped, bytes; /* rows; bytes: of those that are loaded */
};
struct refresh_moves {
    struct refresh_amount feature[GPUS_MAX], topology[GPUS_MAX];
    uint64_t rows, bytes; /* loaded on all GPUs */
};
/* ST_LIMIT without memory for a bit per row. graph: with the weights of the workload. */
enum st refresh_count(const struct plan *before, const struct plan *after, const struct graph *graph,
                      struct refresh_moves *out, struct err *err) MUST_USE;

/* Seconds that reading so many lines of host memory takes, when all GPUs of the server read alike; NaN: unknown. */
double refresh_line_seconds(const struct server *s, double lines);
/* What moving takes and gives, in seconds; NaN where the server does not state its rates. */
struct refresh_pay {
    double bytes_per_second;        /* of each GPU's loads, with all GPUs at work; NaN: not known */
    double uplink_bytes_per_second; /* of all GPUs below one PCIe uplink together; NaN likewise */
    double seconds_to_move;         /* of the GPU with most bytes */
    double seconds_gained;          /* per epoch, by GPUs that train */
};
/* seconds: per epoch that the transfer stage is expected to become shorter (refresh_reads.h); NaN: not known, and what
 * counts is the time of the transactions that are saved, `gain` per epoch. */
struct refresh_pay refresh_pays(const struct server *s, const struct assignment *a, const struct refresh_moves *m,
                                double seconds, double gain);

#endif
