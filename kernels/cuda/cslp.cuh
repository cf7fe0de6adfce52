/* cslp.cuh - CSLP over arrays in device memory, for the operation cslp, which copies them there, and for the candidate
 * search, which has them there. */
#ifndef KERNELS_CUDA_CSLP_CUH
#define KERNELS_CUDA_CSLP_CUH

#include "kernels/cuda/staging.cuh"
#include "kernels/cslp_codes.h"

/* Hotness of each GPU: device arrays of [n]. */
struct cuda_rows {
    const uint32_t *row[KERNEL_GPUS_MAX];
};
/* A set of GPUs: GPU g is bit g % 64 of word[g / 64]. */
struct cuda_gpu_set {
    uint64_t word[CSLP_WORDS];
};

/* The GPUs that each vertex prefers: a code (cslp_codes.h) or, with more than 8 GPUs, a mask of cslp_mask_words words.
 */
struct cuda_preferences {
    device_array<uint8_t> code;
    device_array<uint64_t> mask;
    enum st allocate(uint64_t n, int gpus, struct err *err);
};

/* The inputs of an assignment. */
struct cuda_cslp_device {
    const cuda_rows *rows;         /* hotness in device memory; NULL: not there, so full GPUs stay in the preferences */
    const uint32_t *const *host;   /* [gpus][n] hotness in host memory, for spills when `rows` is NULL */
    const uint32_t *order;         /* [count] device array */
    const int64_t *indptr;         /* device array; NULL: every row has row_bytes */
    cuda_preferences *preferences; /* over all GPUs, before and after an assignment */
    uint64_t n, row_bytes;
    int gpus;
};

/* The GPUs with the highest local hotness of v, without those in `out`. The two words are variables of their own,
 * because an indexed array would not stay in registers. */
static_assert(CSLP_WORDS == 2, "a set of GPUs is two words");
static __device__ inline void cuda_find_preference(const cuda_rows &rows, int gpus, const cuda_gpu_set &out, uint64_t v,
                                                   struct cslp_preference *preference)
{
    enum { TOGETHER = 4 }; /* loads in flight */
    uint64_t low = 0, high = 0;
    uint32_t highest = 0;
    for (int from = 0; from < gpus; from += TOGETHER) {
        uint32_t here[TOGETHER];
        for (int k = 0; k < TOGETHER; k++) here[k] = from + k < gpus ? rows.row[from + k][v] : 0;
        for (int k = 0; k < TOGETHER; k++) {
            int g = from + k;
            uint64_t bit = (uint64_t)1 << (g & 63);
            bool in = g < gpus && !((g < 64 ? out.word[0] : out.word[1]) & bit) && here[k] >= highest,
                 anew = in && here[k] > highest;
            low = anew ? 0 : low;
            high = anew ? 0 : high;
            highest = in ? here[k] : highest;
            low |= in && g < 64 ? bit : 0;
            high |= in && g >= 64 ? bit : 0;
        }
    }
    preference->top[0] = low;
    preference->top[1] = high;
}

/* Stores the preference of v as code or mask. */
static __device__ inline void cuda_store_preference(const struct cslp_preference &preference, int words, uint64_t v,
                                                    uint8_t *code, uint64_t *mask)
{
    if (!words) code[v] = cslp_code_of_mask((uint8_t)preference.top[0]);
    for (int word = 0; word < words; word++) mask[v * (uint64_t)words + (uint64_t)word] = preference.top[word];
}

/* Starts finding the preferences of vertices 0..n-1 of `rows`, without the GPUs in `out`; they go to places
 * from..from+n-1. */
enum st cuda_find_preferences(const cuda_rows *rows, int gpus, const cuda_gpu_set *out, uint64_t from, uint64_t n,
                              cuda_preferences *preferences, cudaStream_t stream, struct err *err);

/* The operation cslp for the first `count` positions; gpus > 1. Returns when it is done. */
enum st cuda_cslp_assign(const struct cuda_cslp_device *d, uint64_t count, cudaStream_t stream, uint64_t *room,
                         uint8_t *owner, uint64_t *held, struct err *err);
/* Device bytes that an assignment needs in addition to its inputs: preferences of n vertices, and chunks. */
uint64_t cuda_cslp_bytes(uint64_t n, int gpus, uint64_t count);

#endif
