/* rank.cuh - one kind of rows on the device: from counts to hotness, order and prefix sums.
 *
 * The sort keys are (largest - hotness). They fit 32 bits unless a clique recorded billions of mini-batches, and 32-bit
 * keys halve the traffic of the sort. Sorted keys are the hotness in order, so its prefix sums read them in sequence;
 * only row lengths are gathered. Two buffers of 64-bit words and two of ids hold everything: first hotness and sort
 * keys, then prefix sums of hotness and of row bytes.
 */
#ifndef KERNELS_CUDA_RANK_CUH
#define KERNELS_CUDA_RANK_CUH

#include "kernels/cuda/cslp.cuh"

struct cuda_rank {
    uint64_t n;
    int gpus;
    device_array<uint64_t> wide[2], range;
    device_array<uint32_t> ids[2];
    device_array<char> scratch;
    uint64_t scratch_bytes;
    host_array<uint64_t> range_here; /* smallest and largest hotness */
    cuda_preferences preferences;    /* with more than one GPU */
    cuda_event summed;
    int order;   /* ids[order] is the order */
    int keys;    /* the buffer, of `wide` or of its 32-bit halves, with the sorted keys */
    int hot;     /* wide[hot] has the prefix sums of hotness */
    bool narrow; /* keys have 32 bits */

    /* Allocates everything for the steps below. */
    enum st allocate(uint64_t vertices, int readers, struct err *err);
    /* The steps start work in the stream and return; only sort waits. */
    /* Hotness and preferences of vertices from..from+count-1, whose counts are rows[g][0..count-1]. A piece with from =
     * 0 resets the range. */
    enum st sum(const cuda_rows *rows, uint64_t from, uint64_t count, cudaStream_t stream, struct err *err);
    enum st range_to_host(cudaStream_t stream, struct err *err); /* after the last piece */
    enum st sort(cudaStream_t stream, struct err *err);          /* waits for the range */
    enum st scan_hot(cudaStream_t stream, struct err *err);
    /* After scan_hot: overwrites the keys. */
    enum st scan_sizes(const int64_t *indptr, cudaStream_t stream, struct err *err);

    const uint32_t *order_at() const { return ids[order].at; }
    const uint64_t *hot_at() const { return wide[hot].at; }
    const uint64_t *size_at() const { return wide[hot ^ 1].at; }
    int sort_passes() const; /* passes of 8 bits */
};

#endif
