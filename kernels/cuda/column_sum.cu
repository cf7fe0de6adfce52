/* column_sum.cu - sums of the GPUs' counts, vertex by vertex. Vertices pass in pieces and rows one after another, so
 * device memory does not grow with the input. */
#include "kernels/cuda/cuda.cuh"

static __global__ void add_row(const uint32_t *row, uint64_t n, uint64_t *sum)
{
    CUDA_EACH(v, n)
    sum[v] += row[v];
}

static enum st sum_piece(const uint32_t *const *rows, int count, uint64_t from, uint64_t n, device_array<uint32_t> &row,
                         device_array<uint64_t> &sum, uint64_t *out, struct err *err)
{
    CUDA_TRY(sum.clear(n, err));
    for (int r = 0; r < count; r++) {
        CUDA_TRY(row.copy_in(rows[r] + from, n, err));
        CUDA_LAUNCH(add_row, n, 0, row.at, n, sum.at);
        CUDA_TRY(cuda_check(cudaGetLastError(), "summing hotness", err));
    }
    return sum.copy_out(out + from, n, err);
}

enum st cuda_column_sum(int threads, const uint32_t *const *rows, int count, uint64_t n, uint64_t *out, struct err *err)
{
    const uint64_t most = cuda_piece(sizeof(uint64_t) + sizeof(uint32_t)), piece = n < most ? n : most;
    device_array<uint32_t> row;
    device_array<uint64_t> sum;

    (void)threads;
    CUDA_TRY(row.allocate(piece, "summing hotness", err));
    CUDA_TRY(sum.allocate(piece, "summing hotness", err));
    for (uint64_t from = 0; from < n; from += piece)
        CUDA_TRY(sum_piece(rows, count, from, n - from < piece ? n - from : piece, row, sum, out, err));
    return ST_OK;
}
