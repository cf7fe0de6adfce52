/* execute_gather.cuh - copying the feature rows of a mini-batch into one array, where training reads them.
 *
 * A row is copied in the widest words that divide it, by as many neighbouring threads as it has words, at most a warp.
 * A row of more words takes several turns, each of which begins where a line does. So a row is read in whole cache
 * lines, none of them twice, whether it lies in this GPU's memory, a peer's or the host's. One kernel serves all tiers,
 * because all memory is addressable.
 */
#ifndef SIMULATOR_EXECUTE_GATHER_CUH
#define SIMULATOR_EXECUTE_GATHER_CUH

#include "kernels/cuda/cuda.cuh"
extern "C" {
#include "simulator/execute/execute.h"
}

/* Device arrays that say where the rows of a table lie. */
struct execute_places {
    const uint8_t *at;          /* [feature rows] source of a row: 0 for the host, else 1 + position of a GPU */
    const uint32_t *slot;       /* [feature rows] number of the row at its source */
    const uint8_t *const *base; /* [GPUS_MAX + 1] the table's rows at each source */
};

/* A lane's part of one row. */
template <class W>
static __device__ inline void copy_row(const W *from, W *to, uint32_t words, uint32_t lanes, uint32_t lane)
{
    const uint32_t late = words > lanes ? (uint32_t)((size_t)from / sizeof(W) % lanes) : 0; /* left out at first */
    for (uint32_t w = lane; w < words + late; w += lanes)
        if (w >= late) to[w - late] = from[w - late];
}

/* Row order[k] of out = the row of ids[order[k]], k < count. A row has `words` words W; `lanes` threads copy it. */
template <class W>
static __global__ void copy_rows(const uint32_t *order, uint64_t count, const uint32_t *ids, struct execute_places p,
                                 uint32_t words, uint32_t lanes, W *out)
{
    uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, rows = (uint64_t)gridDim.x * blockDim.x / lanes;
    uint32_t lane = (uint32_t)(thread % lanes);
    if (thread / lanes >= rows) return; /* threads beyond the last whole row, when the grid is no multiple of lanes */
    for (uint64_t k = thread / lanes; k < count; k += rows) {
        uint32_t to = order[k], v = ids[to];
        copy_row((const W *)p.base[p.at[v]] + (uint64_t)p.slot[v] * words, out + (uint64_t)to * words, words, lanes,
                 lane);
    }
}

/* Row k of out = host row (ids[k] - first) % window of a table, k < count. */
template <class W>
static __global__ void copy_host(const uint32_t *ids, uint64_t count, const W *host, uint32_t first, uint64_t window,
                                 uint32_t words, uint32_t lanes, W *out)
{
    uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, rows = (uint64_t)gridDim.x * blockDim.x / lanes;
    uint32_t lane = (uint32_t)(thread % lanes);
    if (thread / lanes >= rows) return;
    for (uint64_t k = thread / lanes; k < count; k += rows)
        copy_row(host + (ids[k] - first) % window * words, out + k * words, words, lanes, lane);
}

/* Threads that copy a row of so many words: a power of two, at most a warp. */
static inline uint32_t lanes_of(uint32_t words)
{
    uint32_t lanes = 1;
    while (lanes < (uint32_t)CUDA_WARP && lanes < words) lanes *= 2;
    return lanes;
}

template <class W>
static void gather_words(const uint32_t *order, uint64_t count, const uint32_t *ids, const struct execute_places &p,
                         uint64_t row_bytes, uint8_t *out, cudaStream_t stream)
{
    uint32_t words = (uint32_t)(row_bytes / sizeof(W)), lanes = lanes_of(words);
    CUDA_LAUNCH(copy_rows<W>, count * lanes, stream, order, count, ids, p, words, lanes, (W *)out);
}

template <class W>
static void fetch_words(const uint32_t *ids, uint64_t count, const uint8_t *host, const struct execute_rows &r,
                        uint8_t *out, cudaStream_t stream)
{
    uint32_t words = (uint32_t)(r.row_bytes / sizeof(W)), lanes = lanes_of(words);
    CUDA_LAUNCH(copy_host<W>, count * lanes, stream, ids, count, (const W *)host, (uint32_t)r.first, r.window, words,
                lanes, (W *)out);
}

/* Start copying rows with copy_rows or copy_host; count >= 1. Every source and `out` are aligned for 16 bytes. */
static inline enum st gather(const uint32_t *order, uint64_t count, const uint32_t *ids, const struct execute_places &p,
                             uint64_t row_bytes, uint8_t *out, cudaStream_t stream, struct err *err)
{
    if (row_bytes % 16 == 0) gather_words<uint4>(order, count, ids, p, row_bytes, out, stream);
    else if (row_bytes % 8 == 0) gather_words<u64>(order, count, ids, p, row_bytes, out, stream);
    else if (row_bytes % 4 == 0) gather_words<uint32_t>(order, count, ids, p, row_bytes, out, stream);
    else gather_words<uint8_t>(order, count, ids, p, row_bytes, out, stream);
    return cuda_check(cudaGetLastError(), "gathering rows", err);
}

static inline enum st fetch(const uint32_t *ids, uint64_t count, const uint8_t *host, const struct execute_rows &r,
                            uint8_t *out, cudaStream_t stream, struct err *err)
{
    if (r.row_bytes % 16 == 0) fetch_words<uint4>(ids, count, host, r, out, stream);
    else if (r.row_bytes % 8 == 0) fetch_words<u64>(ids, count, host, r, out, stream);
    else if (r.row_bytes % 4 == 0) fetch_words<uint32_t>(ids, count, host, r, out, stream);
    else fetch_words<uint8_t>(ids, count, host, r, out, stream);
    return cuda_check(cudaGetLastError(), "reading rows of the host", err);
}

#endif
