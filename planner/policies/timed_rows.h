/* timed_rows.h - the rows that a short transfer stage may hold, and filling memory with copies of them at given weights
 * (timed.h).
 *
 * Candidates are the rows that save most transactions per byte, half as many again as fit. At weights of the transfer
 * stage's resources a copy saves its readers weighted seconds; copies are taken by what they save per byte, each to the
 * GPU where it saves most, or to the one with most room among GPUs that are alike.
 */
#ifndef PLANNER_POLICIES_TIMED_ROWS_H
#define PLANNER_POLICIES_TIMED_ROWS_H

#include "planner/optimum/transfer.h"
#include "planner/policies/policy.h"

/* GPUs that NVLinks (or PCIe, with --peer-access p2p) join, and the rows that may be worth holding there. */
struct timed_island {
    int gpus, gpu[GPUS_MAX];
    uint64_t count;
    uint64_t alone, each; /* rows that stand for themselves, the first ones; for how many the others stand */
    uint32_t *item;       /* [count] by transactions saved per byte; owned */
    float *host;  /* [count][gpus] bytes per epoch that a reader takes from the host when nobody holds the row; owned */
    float *ratio; /* [count] bytes read from GPU memory for a byte read from the host; owned */
    pool_set *held; /* [count] bit i: gpu[i] holds it; owned */
};

struct timed_rows {
    const struct policy_input *in; /* borrowed, as are plan and t */
    struct plan *plan;             /* budgets and peers in serving order */
    const struct transfer *t;
    struct timed_island *island;
    int islands;
    uint64_t *rest; /* loads of rows that are no candidates */
};

/* Chooses the candidates; nobody holds them yet. Takes about 4 (gpus + 4) bytes for each. Release *out with
 * timed_rows_release. ST_LIMIT without memory. */
enum st timed_rows_make(const struct policy_input *in, const struct transfer *t, struct plan *plan,
                        struct timed_rows *out, struct err *err) MUST_USE;
/* TIMED_ALONE rows in the same order, which save most per byte, and about TIMED_OTHERS of the others of each island,
 * each with the bytes and reads of those that it stands for: weights that are found among these are those of all rows.
 * *out: stays empty where an island has less than twice as many rows. ST_LIMIT without memory. */
enum { TIMED_ALONE = 1 << 12, TIMED_OTHERS = 1 << 13 };
enum st timed_rows_thin(const struct timed_rows *from, struct timed_rows *out, struct err *err) MUST_USE;
/* Bytes that the search takes: candidates three times as many as the budgets hold at the mean size of a row, but not
 * more than there are rows; for each the reads of every GPU, its holders, and three keys in an order. budget: [gpus].
 */
uint64_t timed_rows_bytes(const struct graph *g, int gpus, const uint64_t *budget);
/* Zeroed is allowed. */
void timed_rows_release(struct timed_rows *s);
/* Fills the budgets at these weights ([resources]): marks of holders, and the plan's lists when emit is set. */
enum st timed_rows_fill(struct timed_rows *s, const double *weight, bool emit, struct err *err) MUST_USE;
/* What the marked holders load; loads: [TRANSFER_LOADS]. */
enum st timed_rows_loads(const struct timed_rows *s, uint64_t *loads, struct err *err) MUST_USE;

#endif
