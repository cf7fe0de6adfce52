/* cslp.cuh - CSLP over what lies on the device, shared by the operation cslp (which copies it there) and the candidate search (where it is). */
#ifndef KERNELS_CUDA_CSLP_CUH
#define KERNELS_CUDA_CSLP_CUH

#include "kernels/cuda/streams.cuh"
#include "kernels/cslp_codes.h"

struct cuda_rows { const uint32_t *row[KERNEL_GPUS_MAX]; }; /* [n] each, device arrays */
struct cuda_gpu_set { uint64_t word[CSLP_WORDS]; };

/* Whom each vertex prefers: a code (cslp_codes.h) or, with more than 8 GPUs, a mask of cslp_mask_words words. */
struct cuda_wishes {
    device_array<uint8_t> code;
    device_array<uint64_t> mask;
    enum st take(uint64_t n, int gpus, struct err *err);
};

/* What an assignment reads. */
struct cuda_cslp_device {
    const cuda_rows *rows;          /* NULL: rows are not there; spills then read the host's, and GPUs that are full stay in the preferences */
    const uint32_t *const *host;    /* [gpus][n] the host's rows; used when `rows` is NULL */
    const uint32_t *order;          /* [count] device */
    const int64_t *indptr;          /* device; NULL: row_bytes */
    cuda_wishes *wishes;            /* over all GPUs, before and after */
    uint64_t n, row_bytes;
    int gpus;
};

/* The set of GPUs of highest local hotness of v, those of `out` left out. */
static __device__ inline void cuda_wish_of(const cuda_rows &rows, int gpus, const cuda_gpu_set &out, uint64_t v, struct cslp_wish *wish)
{
    uint32_t highest = 0;
    for (int word = 0; word < CSLP_WORDS; word++)
        wish->top[word] = 0;
    for (int g = 0; g < gpus; g++) {
        uint32_t here = rows.row[g][v];
        if (here < highest || (out.word[g / 64] >> g % 64 & 1))
            continue;
        if (here > highest) {
            highest = here;
            for (int word = 0; word < CSLP_WORDS; word++)
                wish->top[word] = 0;
        }
        wish->top[g / 64] |= (uint64_t)1 << g % 64;
    }
}

static __device__ inline void cuda_wish_keep(const struct cslp_wish &wish, int words, uint64_t v, uint8_t *code, uint64_t *mask)
{
    if (!words)
        code[v] = cslp_code_of_mask((uint8_t)wish.top[0]);
    for (int word = 0; word < words; word++)
        mask[v * (uint64_t)words + (uint64_t)word] = wish.top[word];
}

/* Wishes of vertices 0..n-1 of `rows` to places from..from+n-1. */
enum st cuda_find_wishes(const cuda_rows *rows, int gpus, const cuda_gpu_set *out, uint64_t from, uint64_t n, cuda_wishes *wishes, cudaStream_t stream, struct err *err);

/* As the operation cslp, for the first `count` positions. More than one GPU. */
enum st cuda_cslp_assign(const struct cuda_cslp_device *d, uint64_t count, cudaStream_t stream, uint64_t *room, uint8_t *owner, uint64_t *held, struct err *err);
uint64_t cuda_cslp_bytes(uint64_t n, int gpus, uint64_t count); /* device memory that an assignment takes besides: wishes of n and its chunks */

#endif
