/* kernel.h - THE contract of the data-parallel operations.
 *
 * A backend is a table of operations on host arrays: `ref` (serial, plain: the judge), `cpu` (OpenMP), `cuda`. What
 * runs many of them in a row has an operation of its own that keeps what is in between on a device: search.h,
 * tally.h, push.h, sampling.h. Every operation is integer arithmetic whose result does not depend on the order of
 * additions, ties go to the lower id, and results are equal bit for bit on every backend and number of threads. A
 * NULL entry means that the backend does not have the operation: kernels_check says so by name, nothing is silently
 * replaced. Arrays are the caller's; in- and outputs never overlap unless said; n may be 0. All functions return
 * ST_LIMIT when scratch memory is refused and ST_MISSING when the device fails; outputs are then undefined. Ids are
 * vertices, 0..n-1, n < 2^32.
 */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "kernels/sampling.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KERNEL_GPUS_MAX = 128 };

/* CSLP assignment (Legion algorithm 1 with the spill rule). Position i = 0, 1, .. of `order` goes, among the GPUs
 * with room for the row, to the one with the highest local hotness; ties: most room left, then the lower index. It
 * stops at the first row that fits nowhere. */
struct cslp_problem {
    int gpus;                   /* 1..KERNEL_GPUS_MAX */
    const uint32_t *const *hot; /* [gpus][n] local hotness */
    const uint32_t *order;      /* [count] vertices, hottest first */
    uint64_t count;
    const int64_t
        *indptr; /* topology rows: row v has 4 * (indptr[v+1] - indptr[v]) + 8 bytes; NULL: every row has row_bytes */
    uint64_t row_bytes; /* bytes of a feature row when indptr is NULL; below 2^48 */
    uint64_t n;         /* vertices (length of each hot[g]) */
};

/* Legion's cost model for every alpha (MODEL.md, section 7.1). For i = 0..steps: m_T = floor(i * budget / steps), m_F =
 * budget - m_T; rows_topology = largest k with size_topology[k-1] <= m_T; rows_feature = min(n, floor(m_F /
 * row_bytes)); topology = round(n_tsum * (A - H) / (A * epochs)), H = hot_topology[rows_topology - 1] (0 when k = 0),
 * A = hot_topology[n - 1]; A = 0: round(n_tsum / epochs); feature = round(lines * (A' - H') / epochs) likewise.
 * Rounding is exact, halves up (128-bit). */
struct sweep_problem {
    uint64_t n;
    const uint64_t *size_topology; /* [n] inclusive scan of topology row bytes in hotness order */
    const uint64_t *hot_topology;  /* [n] inclusive scan of topology hotness in hotness order */
    const uint64_t *hot_feature;   /* [n] inclusive scan of feature hotness in its own hotness order */
    uint64_t budget;               /* bytes */
    uint64_t row_bytes;            /* >= 1 */
    uint64_t n_tsum;               /* transactions of sampling with nothing cached, sum over the epochs */
    uint64_t lines;                /* transactions of one feature row */
    uint64_t epochs;               /* >= 1 */
    int steps;                     /* >= 1; 100 for a 1 % grid */
};
struct sweep_point {
    uint64_t rows_topology, rows_feature, topology, feature;
};

/* One PageRank step in sampling direction, in fixed point (1.0 = 2^62, sums below 4.0 by the caller's promise): y[u]
 * = base + floor(damping_permille * (sum over v with u in row(v) of floor(x[v] / deg(v))) / 1000); *change = sum of
 * |y - x|. */
struct pagerank_problem {
    uint64_t n;
    const int64_t *indptr;   /* [n+1] */
    const uint32_t *indices; /* [indptr[n]] */
    uint64_t base;           /* (1 - d) / N in fixed point */
    uint32_t damping_permille;
};

struct search_device;
struct tally;
struct push_device;

struct kernels {
    const char *name, *summary;
    /* NULL when the backend can run here; else a sentence why not (static storage). */
    const char *(*missing)(void);

    /* out[v] = sum over r of rows[r][v]; rows: [count][n]. */
    enum st (*column_sum)(int threads, const uint32_t *const *rows, int count, uint64_t n, uint64_t *out,
                          struct err *err);
    /* order = ids by descending key, ties to the lower id. */
    enum st (*sort_hottest)(int threads, const uint64_t *key, uint64_t n, uint32_t *order, struct err *err);
    /* out[i] = in[order[0]] + .. + in[order[i]], i < count; order NULL: in[0] + .. + in[i]. */
    enum st (*scan)(int threads, const uint64_t *in, const uint32_t *order, uint64_t count, uint64_t *out,
                    struct err *err);
    /* room: [gpus] bytes, reduced by what was placed; owner: [count] GPU of each position; *held = positions placed
     * (a prefix). */
    enum st (*cslp)(int threads, const struct cslp_problem *p, uint64_t *room, uint8_t *owner, uint64_t *held,
                    struct err *err);
    /* points: [count][steps + 1], problems may differ in everything but steps. */
    enum st (*sweep)(int threads, const struct sweep_problem *p, int count, struct sweep_point *points,
                     struct err *err);
    /* x, y: [n]; share: [n] scratch. */
    enum st (*pagerank_step)(int threads, const struct pagerank_problem *p, const uint64_t *x, uint64_t *share,
                             uint64_t *y, uint64_t *change, struct err *err);
    /* out[v] = how often v occurs in ids; every id < n. */
    enum st (*count)(int threads, const uint32_t *ids, uint64_t m, uint64_t n, uint32_t *out, struct err *err);
    /* Mini-batches drawn and kept on the device; NULL: the backend has none, and the CPU draws. */
    const struct sampling *sampling;
    /* The candidate search with everything in device memory (search.h); NULL: the backend has none, and it is
     * composed of the operations above. */
    const struct search_device *search;
    /* The replay of plans (tally.h). */
    const struct tally *tally;
    /* Steps over one graph that stays on the device (push.h); NULL: the backend has none, and its single steps are
     * taken. */
    const struct push_device *push;
};

extern const struct kernels kernels_ref, kernels_cpu;
#ifdef HOTSET_CUDA
extern const struct kernels kernels_cuda;
#endif

/* NULL-ended: every backend that was built in. */
const struct kernels *const *kernels_all(void);
/* "cpu", "cuda", "ref"; "auto": cuda where a device answers, else cpu. ST_MISSING with a sentence when it is not
 * built in or finds no device, ST_USAGE for another word. */
enum st kernels_pick(const char *device, const struct kernels **out, struct err *err) MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
