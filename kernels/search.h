/* search.h - the candidate search as one operation: from what each GPU counted to the orders, the chosen prefixes and
 * who holds which row.
 *
 * For each clique and kind of rows: hotness = sum over its GPUs (column_sum), order = hottest first (sort_hottest),
 * prefix sums of hotness and of row bytes in that order (scan), the cost model at every alpha of every variant
 * (sweep); then, on demand, CSLP over a prefix of an order. All of it is defined by the operations of kernel.h. A
 * backend may have a table of its own (struct kernels, member `search`), which keeps everything between these steps
 * in device memory; where it has none, or its memory does not suffice, the steps are composed here from the
 * operations. Results are the same bit for bit.
 *
 * Host memory of the composed search: 48 bytes per vertex while it sorts, orders (8 bytes per vertex, the caller's)
 * included; of the device's search: the orders and 64 MiB of pinned buffers. Device memory: search_device_bytes.
 * A search belongs to one thread at a time. Arrays of the problems must live until search_free.
 */
#ifndef KERNELS_SEARCH_H
#define KERNELS_SEARCH_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum search_kind { SEARCH_TOPOLOGY, SEARCH_FEATURE, SEARCH_KINDS };

/* One set of budgets and counters that the orders are swept for: a budget, or another server. See struct
 * sweep_problem. */
struct search_variant {
    uint64_t budget, n_tsum, lines, epochs;
};

/* One clique. */
struct search_problem {
    uint64_t n;
    int gpus;                                 /* 1..KERNEL_GPUS_MAX */
    const uint32_t *const *hot[SEARCH_KINDS]; /* [gpus][n] what each GPU counted */
    const int64_t *indptr;                    /* [n + 1] */
    uint64_t row_bytes;                       /* of a feature row, >= 1 */
    const struct search_variant *variant;     /* [variants] */
    int variants, steps;                      /* variants 0: orders only */
    bool on_device;                   /* hot holds device arrays (of the table's keep, or a sampler's); needs a table */
    bool one_stream;                  /* both kinds one after the other, so that stages can be timed apart */
    void (*was_read)(const void *of); /* called when the arrays of `hot` have been read once, so that mapped files may
                                         go; NULL: no */
    const void *of;
};

/* What it found; the caller's arrays. */
struct search_result {
    uint32_t *order[SEARCH_KINDS]; /* [n] hottest first, ties to the lower id; NULL: not wanted on the host */
    struct sweep_point *points;    /* [variants][steps + 1] */
};

/* What it took. Seconds are the device's, of all problems together; stages run one after the other with one_stream,
 * and overlap without. */
enum search_stage { SEARCH_COPY, SEARCH_SUM, SEARCH_SORT, SEARCH_SCAN, SEARCH_SWEEP, SEARCH_ASSIGN, SEARCH_STAGES };
struct search_facts {
    bool resident; /* everything stayed in device memory; false: composed */
    uint64_t device_bytes;
    double seconds[SEARCH_STAGES], bytes[SEARCH_STAGES]; /* bytes: the least that the stage moves in device memory */
    double all_seconds; /* from the counts in device memory to the points on the host */
};

/* The operations of a backend that keeps the stages on its device. */
struct search_device {
    /* ST_OK with *session NULL: the device's memory does not suffice, and nothing was done. */
    enum st (*run)(int threads, const struct search_problem *p, int count, struct search_result *out, void **session,
                   struct err *err);
    enum st (*assign)(void *session, int problem, enum search_kind kind, uint64_t count, uint64_t *room, uint8_t *owner,
                      uint64_t *held, struct err *err);
    void (*facts)(const void *session, struct search_facts *out);
    void (*free)(void *session); /* NULL is allowed */
    /* A copy of a host array in device memory, for on_device; give takes it back. copy_rate: bytes per second, read
     * and written, of a copy within it. */
    enum st (*keep)(const void *host, uint64_t bytes, void **device, struct err *err);
    void (*give)(void *device);
    enum st (*copy_rate)(uint64_t bytes, double *rate, struct err *err);
};

struct search;

/* Searches problems[0..count) with backend k and fills out[0..count). *s: to be freed; keeps the problems (copied,
 * their arrays borrowed) for search_assign. ST_LIMIT: memory; ST_MISSING: the device failed; ST_BUG: a problem that
 * is none. */
enum st search_run(const struct kernels *k, int threads, const struct search_problem *problems, int count,
                   struct search_result *out, struct search **s, struct err *err) MUST_USE;

/* CSLP (struct cslp_problem) of the first `count` positions of one order. order: the host's copy, where the result
 * had one asked for; else NULL, which only a search on a device can do without. room: [gpus] bytes, reduced; owner:
 * [count]; *held: positions placed. */
enum st search_assign(struct search *s, int problem, enum search_kind kind, const uint32_t *order, uint64_t count,
                      uint64_t *room, uint8_t *owner, uint64_t *held, struct err *err) MUST_USE;

struct search_facts search_facts(const struct search *s);
void search_free(struct search *s); /* NULL is allowed */

/* Device memory that a resident search of one such problem takes, without the copies of `hot` that it keeps where
 * they fit as well. */
uint64_t search_device_bytes(const struct search_problem *p);

#ifdef __cplusplus
}
#endif

#endif
