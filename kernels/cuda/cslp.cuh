/* cslp.cuh - CSLP over what lies on the device, shared by the operation cslp (which copies it there) and the
 * candidate search (where it is). */
#ifndef KERNELS_CUDA_CSLP_CUH
#define KERNELS_CUDA_CSLP_CUH

#include "kernels/cuda/streams.cuh"
#include "kernels/cslp_codes.h"

struct cuda_rows {
    const uint32_t *row[KERNEL_GPUS_MAX];
}; /* [n] each, device arrays */
struct cuda_gpu_set {
    uint64_t word[CSLP_WORDS];
};

/* Whom each vertex prefers: a code (cslp_codes.h) or, with more than 8 GPUs, a mask of cslp_mask_words words. */
struct cuda_preferences {
    device_array<uint8_t> code;
    device_array<uint64_t> mask;
    enum st take(uint64_t n, int gpus, struct err *err);
};

/* What an assignment reads. */
struct cuda_cslp_device {
    const cuda_rows *rows; /* NULL: rows are not there; spills then read the host's, and GPUs that are full stay in the
                              preferences */
    const uint32_t *const *host; /* [gpus][n] the host's rows; used when `rows` is NULL */
    const uint32_t *order;       /* [count] device */
    const int64_t *indptr;       /* device; NULL: row_bytes */
    cuda_preferences *wishes;    /* over all GPUs, before and after */
    uint64_t n, row_bytes;
    int gpus;
};

/* The set of GPUs of highest local hotness of v, those of `out` left out. In two words by name: an array that is
 * indexed would lie in memory. */
static_assert(CSLP_WORDS == 2, "a set of GPUs is two words");
static __device__ inline void cuda_wish_of(const cuda_rows &rows, int gpus, const cuda_gpu_set &out, uint64_t v,
                                           struct cslp_preference *wish)
{
    enum { TOGETHER = 4 }; /* loads that are under way at once */
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
    wish->top[0] = low;
    wish->top[1] = high;
}

static __device__ inline void cuda_preference_keep(const struct cslp_preference &wish, int words, uint64_t v,
                                                   uint8_t *code, uint64_t *mask)
{
    if (!words) code[v] = cslp_code_of_mask((uint8_t)wish.top[0]);
    for (int word = 0; word < words; word++) mask[v * (uint64_t)words + (uint64_t)word] = wish.top[word];
}

/* Wishes of vertices 0..n-1 of `rows` to places from..from+n-1. */
enum st cuda_find_preferences(const cuda_rows *rows, int gpus, const cuda_gpu_set *out, uint64_t from, uint64_t n,
                              cuda_preferences *wishes, cudaStream_t stream, struct err *err);

/* As the operation cslp, for the first `count` positions. More than one GPU. */
enum st cuda_cslp_assign(const struct cuda_cslp_device *d, uint64_t count, cudaStream_t stream, uint64_t *room,
                         uint8_t *owner, uint64_t *held, struct err *err);
uint64_t cuda_cslp_bytes(
    uint64_t n, int gpus,
    uint64_t count); /* device memory that an assignment takes besides: wishes of n and its chunks */

#endif
