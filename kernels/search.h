/* search.h - the candidate search: from the hotness that each GPU counted to an order of rows, the cost of every split
 * of the budget, and an assignment of rows to GPUs.
 *
 * For each clique and kind of rows: hotness is the sum over its GPUs (column_sum), the order is hottest first
 * (sort_hottest), then come prefix sums of hotness and of row bytes in that order (scan), and the cost model at every
 * alpha of every variant (sweep). On demand, search_assign runs CSLP over a prefix of an order. Each step is an
 * operation of kernel.h. A backend may have a table of its own (struct kernels, member `search`) that keeps
 * intermediate results in device memory. Without one, or when device memory does not suffice, the operations are called
 * one by one. Results are equal bit for bit.
 *
 * Host memory: 48 bytes per vertex while the operations sort, with the caller's orders (8 bytes per vertex); on the
 * device only the orders and 64 MiB of pinned buffers. Device memory: search_device_bytes. A search belongs to one
 * thread at a time. Arrays of the problems are borrowed until search_free.
 */
#ifndef KERNELS_SEARCH_H
#define KERNELS_SEARCH_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum search_kind { SEARCH_TOPOLOGY, SEARCH_FEATURE, SEARCH_KINDS };

/* One sweep over the orders, for one budget and one server: members as in struct sweep_problem. */
struct search_variant {
    uint64_t budget, n_tsum, lines, epochs;
};

/* One clique. */
struct search_problem {
    uint64_t n;
    int gpus;                                 /* 1..KERNEL_GPUS_MAX */
    const uint32_t *const *hot[SEARCH_KINDS]; /* [gpus][n] hotness that each GPU counted */
    const int64_t *indptr;                    /* [n + 1] */
    uint64_t row_bytes;                       /* of a feature row, >= 1 */
    const struct search_variant *variant;     /* [variants] */
    int variants, steps;                      /* variants 0: orders only */
    bool on_device;  /* hot holds device arrays, of to_device or lent by a sampler; only for backends with a table */
    bool one_stream; /* the kinds run one after the other, so that stages can be timed apart */
    /* Called with `of` when the arrays of `hot` were read once, so that pages of mapped files can be dropped; or NULL.
     */
    void (*was_read)(const void *of);
    const void *of;
};

/* The results, in arrays of the caller. */
struct search_result {
    uint32_t *order[SEARCH_KINDS]; /* [n] hottest first, ties to the lower id; NULL: not wanted on the host */
    struct sweep_point *points;    /* [variants][steps + 1] */
};

/* Time and memory of a search. Seconds are measured on the device, summed over the problems; stages overlap unless
 * one_stream is set. */
enum search_stage { SEARCH_COPY, SEARCH_SUM, SEARCH_SORT, SEARCH_SCAN, SEARCH_SWEEP, SEARCH_ASSIGN, SEARCH_STAGES };
struct search_facts {
    bool resident;                 /* the search ran in device memory; false: by single operations, and no times */
    uint64_t device_bytes;         /* allocated */
    double seconds[SEARCH_STAGES]; /* of each stage */
    double bytes[SEARCH_STAGES];   /* the least that the stage moves in device memory */
    double all_seconds;            /* from counts in device memory to points in host memory */
};

/* The table of a backend that searches in device memory. */
struct search_device {
    /* As search_run. ST_OK with *session NULL: device memory does not suffice, and nothing was done. */
    enum st (*run)(int threads, const struct search_problem *p, int count, struct search_result *out, void **session,
                   struct err *err);
    /* As search_assign. */
    enum st (*assign)(void *session, int problem, enum search_kind kind, uint64_t count, uint64_t *room, uint8_t *owner,
                      uint64_t *held, struct err *err);
    void (*facts)(const void *session, struct search_facts *out);
    void (*free)(void *session); /* NULL is allowed */
    /* Copies a host array to a new device array, for on_device; device_free frees it (NULL is allowed). */
    enum st (*to_device)(const void *host, uint64_t bytes, void **device, struct err *err);
    void (*device_free)(void *device);
    /* Measures a copy of `bytes` within device memory: bytes read and written per second. */
    enum st (*copy_rate)(uint64_t bytes, double *rate, struct err *err);
};

struct search;

/* Searches problems[0..count) with backend k and fills out[0..count). *s: to be freed; it copies the problems and
 * borrows their arrays. ST_LIMIT when memory is refused, ST_MISSING when the device fails, ST_BUG for a problem with
 * members out of range. */
enum st search_run(const struct kernels *k, int threads, const struct search_problem *problems, int count,
                   struct search_result *out, struct search **s, struct err *err) MUST_USE;

/* CSLP (struct cslp_problem) over the first `count` rows of one order. order: the result's copy of it; NULL only when
 * the search is resident. room: [gpus] bytes left, reduced; owner: [count] GPU of each position; *held: positions
 * placed. */
enum st search_assign(struct search *s, int problem, enum search_kind kind, const uint32_t *order, uint64_t count,
                      uint64_t *room, uint8_t *owner, uint64_t *held, struct err *err) MUST_USE;

struct search_facts search_facts(const struct search *s); /* of the search and its assignments so far */
void search_free(struct search *s);                       /* NULL is allowed */

/* Device bytes that a resident search of this problem needs. Copies of `hot` are not counted: they are kept when they
 * fit as well. */
uint64_t search_device_bytes(const struct search_problem *p);

#ifdef __cplusplus
}
#endif

#endif
