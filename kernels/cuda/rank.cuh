/* rank.cuh - one kind of rows on the device: counts to hotness, order and prefix sums, without a step over the host.
 *
 * What the sort moves are (largest - hotness) and ids; when these differences fit 32 bits, as they do unless a clique
 * recorded billions of mini-batches, 32-bit keys halve its traffic. Sorted differences are the hotness in order, so
 * its prefix sums read them in sequence: nothing is gathered but the row lengths. Two wide buffers and two of ids
 * carry all of it: hotness and sort keys, then prefix sums of hotness and of row bytes.
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
    cuda_preferences wishes;         /* more than one GPU */
    cuda_event summed;
    int order, keys,
        hot;     /* which of ids is the order; which of wide has the sorted keys; which the prefix sums of hotness */
    bool narrow; /* keys have 32 bits */

    /* Takes everything that the steps below use. */
    enum st take(uint64_t vertices, int readers, struct err *err);
    /* Hotness and wishes of vertices from..from+n-1, whose counts are rows[g][0..n-1]; the first piece begins the
     * range anew. Starts, does not wait. */
    enum st sum(const cuda_rows *rows, uint64_t from, uint64_t count, cudaStream_t stream, struct err *err);
    enum st range_out(cudaStream_t stream, struct err *err); /* after the last piece */
    enum st sort(cudaStream_t stream, struct err *err);      /* waits for the range, starts the rest */
    enum st scan_hot(cudaStream_t stream, struct err *err);
    enum st scan_sizes(const int64_t *indptr, cudaStream_t stream,
                       struct err *err); /* after scan_hot: takes the place of the keys */

    const uint32_t *order_at() const { return ids[order].at; }
    const uint64_t *hot_at() const { return wide[hot].at; }
    const uint64_t *size_at() const { return wide[hot ^ 1].at; }
    int sort_passes() const; /* of 8 bits */
};

#endif
