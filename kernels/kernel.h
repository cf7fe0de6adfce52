/* kernel.h - the contract of the data-parallel operations.
 *
 * A backend is a table of operations on host arrays (measured: kernels/BENCH.md): `ref` (serial and plain, the
 * reference for the others), `cpu` (OpenMP) or `cuda`. Sequences of operations have tables of their own, which keep
 * intermediate results on the device: search.h, tally.h, push.h, sampling.h.
 *
 * Every operation is integer arithmetic whose result does not depend on the order of additions, and ties go to the
 * lower id, so results are equal bit for bit on every backend and number of threads. An operation that every backend
 * has is never NULL; a table that is NULL means that the caller takes the way that the member's comment names.
 *
 * Arrays belong to the caller; inputs and outputs do not overlap unless stated; n may be 0. Vertex ids are 0..n-1, n <
 * 2^32. Every function returns ST_LIMIT when scratch memory is refused, ST_MISSING when the device fails and ST_BUG for
 * arguments out of range; outputs are then undefined. Any thread may call; threads: of the host, >= 1.
 */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include "base/everywhere.h"
#include "base/status.h"
#include "kernels/sampling.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KERNEL_GPUS_MAX = 128 };

/* Bytes of the topology row of v: 4 per neighbour and 8 for its offset. indptr: [n + 1]. */
EVERYWHERE uint64_t kernel_topology_bytes(const int64_t *indptr, uint64_t v)
{
    return 4 * (uint64_t)(indptr[v + 1] - indptr[v]) + 8;
}

/* CSLP assignment (Legion, algorithm 1, with the spill rule). Rows are placed in the order of `order`: each goes to the
 * GPU with the highest local hotness among those that have room for it; ties go to the most room left, then to the
 * lower index. Placing stops at the first row that fits nowhere. */
struct cslp_problem {
    int gpus;                   /* 1..KERNEL_GPUS_MAX */
    const uint32_t *const *hot; /* [gpus][n] local hotness */
    const uint32_t *order;      /* [count] vertices, hottest first */
    uint64_t count;
    const int64_t *indptr; /* [n + 1] topology rows of kernel_topology_bytes; NULL: every row has row_bytes */
    uint64_t row_bytes;    /* bytes of a feature row when indptr is NULL; below 2^48 */
    uint64_t n;            /* vertices: length of each hot[g] */
};

/* Legion's cost model for every alpha (model/legion.md). For i = 0..steps, alpha = i / steps:
 *
 *   - m_T = floor(i * budget / steps), m_F = budget - m_T
 *   - rows_topology = the largest k with size_topology[k - 1] <= m_T; rows_feature = min(n, floor(m_F / row_bytes))
 *   - topology = round(n_tsum * (A - H) / (A * epochs)), H = hot_topology[k - 1] (0 when k = 0), A = hot_topology[n -
 *     1]; round(n_tsum / epochs) when A = 0
 *   - feature = round(lines * (A' - H') / epochs), A' and H' likewise from hot_feature
 *
 * Rounding is exact, halves up, by units_round_half_up in 128 bits. */
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
    uint64_t rows_topology, rows_feature; /* cached rows */
    uint64_t topology, feature;           /* transactions per epoch */
};

/* One PageRank step in sampling direction, in fixed point: 1.0 is 2^62, and the caller keeps all sums below 4.0.
 *
 *   y[u] = base + floor(damping_permille * S(u) / 1000), S(u) = sum of floor(x[v] / deg(v)) over rows v that list u
 *
 * *change = the sum of |y - x|. */
struct pagerank_problem {
    uint64_t n;
    const int64_t *indptr;   /* [n + 1] */
    const uint32_t *indices; /* [indptr[n]] */
    uint64_t base;           /* (1 - d) / N in fixed point */
    uint32_t damping_permille;
    /* Told by any thread that a copy of the edges for many steps has read indices from..to-1 once more, so that pages
     * of a mapped file can go while the copy grows. NULL: nobody is told. */
    void (*was_read)(const void *of, uint64_t from, uint64_t to);
    const void *of;
};

struct search_device;
struct tally;
struct push_device;

struct kernels {
    const char *name, *summary;
    /* NULL when the backend can run on this machine; otherwise why not (static storage). */
    const char *(*missing)(void);

    /* out[v] = sum over r of rows[r][v]; rows: [count][n]. */
    enum st (*column_sum)(int threads, const uint32_t *const *rows, int count, uint64_t n, uint64_t *out,
                          struct err *err);
    /* order[n] = ids by descending key, ties to the lower id. */
    enum st (*sort_hottest)(int threads, const uint64_t *key, uint64_t n, uint32_t *order, struct err *err);
    /* out[i] = in[order[0]] + .. + in[order[i]], i < count; order NULL: in[0] + .. + in[i]. */
    enum st (*scan)(int threads, const uint64_t *in, const uint32_t *order, uint64_t count, uint64_t *out,
                    struct err *err);
    /* room: [gpus] bytes left, reduced by the rows placed; owner: [count] GPU of each position; *held = positions
     * placed, a prefix of the order. */
    enum st (*cslp)(int threads, const struct cslp_problem *p, uint64_t *room, uint8_t *owner, uint64_t *held,
                    struct err *err);
    /* p: [count], equal in steps only; points: [count][steps + 1]. */
    enum st (*sweep)(int threads, const struct sweep_problem *p, int count, struct sweep_point *points,
                     struct err *err);
    /* x, y: [n]; share: [n], scratch. */
    enum st (*pagerank_step)(int threads, const struct pagerank_problem *p, const uint64_t *x, uint64_t *share,
                             uint64_t *y, uint64_t *change, struct err *err);
    /* out[v] = how often v occurs in ids[m]; every id < n. */
    enum st (*count)(int threads, const uint32_t *ids, uint64_t m, uint64_t n, uint32_t *out, struct err *err);
    /* Drawing and counting mini-batches on the device (sampling.h); NULL: traces/sampling draws them on the CPU. */
    const struct sampling *sampling;
    /* The candidate search in device memory (search.h); NULL: search_run composes it of the operations above. */
    const struct search_device *search;
    /* The counting of replays (tally.h); every backend has it. */
    const struct tally *tally;
    /* PageRank steps over a graph in device memory (push.h); NULL: push_step calls pagerank_step. */
    const struct push_device *push;
};

extern const struct kernels kernels_ref, kernels_cpu;
#ifdef HOTSET_CUDA
extern const struct kernels kernels_cuda;
#endif

/* The backends that were built in, NULL-ended, the fastest first. */
const struct kernels *const *kernels_all(void);
/* Finds a backend by the word of --device: "cpu", "cuda", "ref"; "auto" is cuda when a device answers, otherwise cpu.
 * ST_MISSING when it is not built in or finds no device, ST_USAGE for another word. */
enum st kernels_pick(const char *device, const struct kernels **out, struct err *err) MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
