/* cuda.cuh - the CUDA backend: device memory, error codes and launches, once for all operations.
 *
 * Operations take and give host arrays, so each copies in, computes and copies out; device memory belongs to
 * device_array and goes back on every path. Every CUDA call's code goes through cuda_check. Inputs that only stream
 * past are copied in pieces of CUDA_PIECE bytes, so that what must fit the device is what is read at random, not the
 * whole input. Indices are 64-bit throughout.
 */
#ifndef KERNELS_CUDA_CUDA_CUH
#define KERNELS_CUDA_CUDA_CUH

#include <cuda_runtime.h>
extern "C" {
#include "base/mem.h"
#include "base/status.h"
}
#include "kernels/kernel.h"

typedef unsigned long long u64; /* what CUDA's atomics are declared for */
static_assert(sizeof(u64) == sizeof(uint64_t), "unsigned long long has 64 bits");

enum { CUDA_BLOCK = 256 };
constexpr uint64_t CUDA_BLOCKS_MAX = 1 << 16;
#ifdef HOTSET_CUDA_EMULATED
constexpr uint64_t CUDA_PIECE = 1 << 18; /* so that small inputs take several */
#else
constexpr uint64_t CUDA_PIECE = 1 << 30;
#endif

/* Elements of `each` bytes that pass at a time: CUDA_PIECE bytes, or a quarter of what is free where that is less. */
static inline uint64_t cuda_piece(uint64_t each)
{
    size_t available = 0, all = 0;
    uint64_t bytes = cudaMemGetInfo(&available, &all) == cudaSuccess && available / 4 < CUDA_PIECE ? available / 4
                                                                                                   : CUDA_PIECE;
    return bytes / each ? bytes / each : 1;
}

/* Leaves the function with the code of a failed call; destructors clean up. */
#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        enum st code_ = (call);                                                                                        \
        if (code_ != ST_OK) return code_;                                                                              \
    } while (0)

/* A code as a sentence: what was being done, and what CUDA says. */
enum st cuda_check(cudaError_t code, const char *doing, struct err *err);

/* After giving something back: nothing is left to do about a failure there, and a launch that is checked later must
 * not be blamed for it. */
static inline void cuda_let_go(cudaError_t code)
{
    if (code != cudaSuccess) (void)cudaGetLastError();
}

/* Blocks for `n` elements, one per thread or more (kernels stride over the grid); n >= 1. */
static inline unsigned cuda_blocks(uint64_t n)
{
    uint64_t blocks = (n + CUDA_BLOCK - 1) / CUDA_BLOCK;
    return (unsigned)(blocks < CUDA_BLOCKS_MAX ? blocks : CUDA_BLOCKS_MAX);
}

/* Runs kernel(...) with a thread per element, or as many as the grid has, in a stream (0: the default one); n >= 1.
 * Tests run the same on the CPU (tests/emulated), one thread per warp. */
#ifdef HOTSET_CUDA_EMULATED
enum { CUDA_WARP = 1 };
#define CUDA_LAUNCH(kernel, n, stream, ...)                                                                            \
    ((void)(stream), emulated_launch(cuda_blocks(n), [&] { kernel(__VA_ARGS__); }))
#else
enum { CUDA_WARP = 32 };
#define CUDA_LAUNCH(kernel, n, stream, ...) kernel<<<cuda_blocks(n), CUDA_BLOCK, 0, stream>>>(__VA_ARGS__)
#endif

/* Reductions over a warp, all of whose threads take part; the result is the first lane's. */
static __device__ inline u64 cuda_warp_sum(u64 mine)
{
#ifndef HOTSET_CUDA_EMULATED
    for (int far = CUDA_WARP / 2; far; far /= 2) mine += __shfl_down_sync(~0u, mine, far);
#endif
    return mine;
}
static __device__ inline void cuda_warp_range(u64 *low, u64 *high)
{
#ifdef HOTSET_CUDA_EMULATED
    (void)low, (void)high;
#else
    for (int far = CUDA_WARP / 2; far; far /= 2) {
        u64 other_low = __shfl_down_sync(~0u, *low, far), other_high = __shfl_down_sync(~0u, *high, far);
        *low = other_low < *low ? other_low : *low;
        *high = other_high > *high ? other_high : *high;
    }
#endif
}

/* Threads for a reduction: enough to fill any GPU, few enough that what its blocks give is nothing. */
constexpr uint64_t CUDA_REDUCERS = 1 << 19;
static inline uint64_t cuda_reducers(uint64_t n) { return n < CUDA_REDUCERS ? n : CUDA_REDUCERS; }

/* range[0] = the smallest of all threads' low, range[1] the largest of their high: one addition per block. Every
 * thread of the block takes part, once. */
static __device__ inline void cuda_block_range(u64 low, u64 high, u64 *range)
{
    __shared__ u64 lows[CUDA_BLOCK / CUDA_WARP], highs[CUDA_BLOCK / CUDA_WARP];
    cuda_warp_range(&low, &high);
    if (threadIdx.x % CUDA_WARP == 0) {
        lows[threadIdx.x / CUDA_WARP] = low;
        highs[threadIdx.x / CUDA_WARP] = high;
    }
    __syncthreads();
    if (threadIdx.x) return;
    for (unsigned w = 1; w < blockDim.x / CUDA_WARP; w++) {
        low = lows[w] < low ? lows[w] : low;
        high = highs[w] > high ? highs[w] : high;
    }
    atomicMin(&range[0], low);
    atomicMax(&range[1], high);
}

/* for (i = this thread's first; i < n; i += threads of the grid) */
#define CUDA_EACH(i, n)                                                                                                \
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (uint64_t)gridDim.x * blockDim.x)

enum st cuda_take(void **block, uint64_t count, size_t size, const char *what, struct err *err);

template <class T> struct device_array {
    T *at = nullptr;

    device_array() = default;
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array() { give(); }

    void give()
    {
        cuda_let_go(cudaFree(at));
        at = nullptr;
    }
    enum st take(uint64_t count, const char *what, struct err *err)
    {
        void *block = nullptr;
        enum st st = cuda_take(&block, count, sizeof(T), what, err);
        at = static_cast<T *>(block);
        return st;
    }
    enum st copy_in(const T *host, uint64_t count, struct err *err)
    {
        return count ? cuda_check(cudaMemcpy(at, host, count * sizeof(T), cudaMemcpyHostToDevice), "copying to the GPU",
                                  err)
                     : ST_OK;
    }
    enum st take_copy(const T *host, uint64_t count, const char *what, struct err *err)
    {
        CUDA_TRY(take(count, what, err));
        return copy_in(host, count, err);
    }
    enum st copy_out(T *host, uint64_t count, struct err *err) const
    {
        return count ? cuda_check(cudaMemcpy(host, at, count * sizeof(T), cudaMemcpyDeviceToHost),
                                  "copying from the GPU", err)
                     : ST_OK;
    }
    enum st clear(uint64_t count, struct err *err)
    {
        return count ? cuda_check(cudaMemset(at, 0, count * sizeof(T)), "clearing GPU memory", err) : ST_OK;
    }
};

enum st cuda_column_sum(int threads, const uint32_t *const *rows, int count, uint64_t n, uint64_t *out,
                        struct err *err);
enum st cuda_sort_hottest(int threads, const uint64_t *key, uint64_t n, uint32_t *order, struct err *err);
enum st cuda_scan(int threads, const uint64_t *in, const uint32_t *order, uint64_t count, uint64_t *out,
                  struct err *err);
enum st cuda_cslp(int threads, const struct cslp_problem *p, uint64_t *room, uint8_t *owner, uint64_t *held,
                  struct err *err);
enum st cuda_sweep(int threads, const struct sweep_problem *p, int count, struct sweep_point *points, struct err *err);
enum st cuda_pagerank_step(int threads, const struct pagerank_problem *p, const uint64_t *x, uint64_t *share,
                           uint64_t *y, uint64_t *change, struct err *err);
enum st cuda_count(int threads, const uint32_t *ids, uint64_t m, uint64_t n, uint32_t *out, struct err *err);

extern const struct search_device cuda_search; /* search.h */
extern const struct tally cuda_tally;          /* tally.h */
extern const struct push_device cuda_push;     /* push.h */

#endif
