/* cuda.cuh - the CUDA backend: device memory, error codes and launches, shared by all operations.
 *
 * An operation has host arrays as input and output, so it copies in, computes and copies out. device_array owns device
 * memory and frees it on every path. cuda_check turns the code of every CUDA call into an error. An input that is read
 * once, in order, is copied in pieces of CUDA_PIECE bytes: only what is read at random must fit the device. Indices
 * have 64 bits.
 */
#ifndef KERNELS_CUDA_CUDA_CUH
#define KERNELS_CUDA_CUDA_CUH

#include <cuda_runtime.h>
#include <string.h>
#include "base/mem.h"
#include "base/status.h"
#include "kernels/kernel.h"

typedef unsigned long long u64; /* the 64-bit type of CUDA's atomics */
static_assert(sizeof(u64) == sizeof(uint64_t), "unsigned long long has 64 bits");

enum { CUDA_BLOCK = 256 };
constexpr uint64_t CUDA_BLOCKS_MAX = 1 << 16;
#ifdef HOTSET_CUDA_EMULATED
constexpr uint64_t CUDA_PIECE = 1 << 18; /* so that small inputs take several */
#else
constexpr uint64_t CUDA_PIECE = 1 << 30;
#endif

/* Elements of `each` bytes in a piece of an input: CUDA_PIECE bytes, or a quarter of the free memory if that is less.
 */
static inline uint64_t cuda_piece(uint64_t each)
{
    size_t available = 0, all = 0;
    uint64_t bytes = cudaMemGetInfo(&available, &all) == cudaSuccess && available / 4 < CUDA_PIECE ? available / 4
                                                                                                   : CUDA_PIECE;
    return bytes / each ? bytes / each : 1;
}

/* Returns from the function when a call fails; destructors clean up. */
#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        enum st code_ = (call);                                                                                        \
        if (code_ != ST_OK) return code_;                                                                              \
    } while (0)

/* ST_OK, or an error from CUDA's code: ST_LIMIT for memory, otherwise ST_MISSING. doing: for the sentence, "copying to
 * the GPU". */
enum st cuda_check(cudaError_t code, const char *doing, struct err *err);

/* Ignores the failure of a call that frees something, so that no later check of a launch reports it. */
static inline void cuda_ignore(cudaError_t code)
{
    if (code != cudaSuccess) (void)cudaGetLastError();
}

/* Blocks of the grid for `n` elements, n >= 1. Kernels stride over the grid, so it may have fewer threads than
 * elements. */
static inline unsigned cuda_blocks(uint64_t n)
{
    uint64_t blocks = (n + CUDA_BLOCK - 1) / CUDA_BLOCK;
    return (unsigned)(blocks < CUDA_BLOCKS_MAX ? blocks : CUDA_BLOCKS_MAX);
}

/* Launches kernel(...) for `n` elements in a stream (0: the default one); n >= 1. In tests/emulated the launch runs on
 * the CPU, with warps of one thread. */
#ifdef HOTSET_CUDA_EMULATED
enum { CUDA_WARP = 1 };
#define CUDA_LAUNCH(kernel, n, stream, ...)                                                                            \
    ((void)(stream), emulated_launch(cuda_blocks(n), [&] { kernel(__VA_ARGS__); }))
#else
enum { CUDA_WARP = 32 };
#define CUDA_LAUNCH(kernel, n, stream, ...) kernel<<<cuda_blocks(n), CUDA_BLOCK, 0, stream>>>(__VA_ARGS__)
#endif

/* Reductions over a warp. All its threads call them; the first lane has the result. */
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

/* Threads of a reduction: enough to fill any GPU, and few enough that the atomics of its blocks take no time. */
constexpr uint64_t CUDA_REDUCERS = 1 << 19;
static inline uint64_t cuda_reducers(uint64_t n) { return n < CUDA_REDUCERS ? n : CUDA_REDUCERS; }

/* range[0] = the smallest `low` of all threads, range[1] = their largest `high`, by one pair of atomics per block.
 * Every thread of a block calls it, once. */
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

/* Loops over the elements of this thread: i = its first, then i += threads of the grid, while i < n. */
#define CUDA_EACH(i, n)                                                                                                \
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (uint64_t)gridDim.x * blockDim.x)

/* Makes a device the current one as long as the object lives. st: whether that succeeded. */
struct cuda_device_guard {
    int before = 0;
    enum st st;
    cuda_device_guard(int device, struct err *err)
    {
        st = cuda_check(cudaGetDevice(&before), "choosing a GPU", err);
        if (st == ST_OK && device != before) st = cuda_check(cudaSetDevice(device), "choosing a GPU", err);
    }
    cuda_device_guard(const cuda_device_guard &) = delete;
    cuda_device_guard &operator=(const cuda_device_guard &) = delete;
    ~cuda_device_guard() { cuda_ignore(cudaSetDevice(before)); }
};

/* Allocates device memory for `count` elements of `size` bytes. ST_LIMIT with the bytes needed and free. what: the noun
 * of the sentence. */
enum st cuda_allocate(void **block, uint64_t count, size_t size, const char *what, struct err *err);

/* An array in device memory. Copies wait until they are done. */
template <class T> struct device_array {
    T *at = nullptr;

    device_array() = default;
    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;
    ~device_array() { release(); }

    void release()
    {
        cuda_ignore(cudaFree(at));
        at = nullptr;
    }
    enum st allocate(uint64_t count, const char *what, struct err *err)
    {
        void *block = nullptr;
        enum st st = cuda_allocate(&block, count, sizeof(T), what, err);
        at = static_cast<T *>(block);
        return st;
    }
    enum st copy_in(const T *host, uint64_t count, struct err *err)
    {
        return count ? cuda_check(cudaMemcpy(at, host, count * sizeof(T), cudaMemcpyHostToDevice), "copying to the GPU",
                                  err)
                     : ST_OK;
    }
    enum st allocate_copy(const T *host, uint64_t count, const char *what, struct err *err)
    {
        CUDA_TRY(allocate(count, what, err));
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

/* The operations of struct kernels. */
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

/* Members of struct search_device (search.h). */
enum st cuda_to_device(const void *host, uint64_t bytes, void **device, struct err *err);
void cuda_device_free(void *device);
enum st cuda_copy_rate(uint64_t bytes, double *rate, struct err *err);

extern const struct search_device cuda_search; /* search.h */
extern const struct tally cuda_tally;          /* tally.h */
extern const struct push_device cuda_push;     /* push.h */

#endif
