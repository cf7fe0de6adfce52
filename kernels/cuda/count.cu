/* count.cu - how often each vertex occurs: atomic additions, ids in pieces. */
#include "kernels/cuda/cuda.cuh"

static __global__ void add_ids(const uint32_t *ids, uint64_t m, uint32_t *out)
{
    CUDA_EACH(i, m)
    atomicAdd(&out[ids[i]], 1u);
}

enum st cuda_count(int threads, const uint32_t *ids, uint64_t m, uint64_t n, uint32_t *out, struct err *err)
{
    const uint64_t most = cuda_piece(sizeof *ids), piece = m < most ? m : most;
    device_array<uint32_t> some, counts;

    (void)threads;
    CUDA_TRY(counts.allocate(n, "counting vertices", err));
    CUDA_TRY(counts.clear(n, err));
    CUDA_TRY(some.allocate(piece, "counting vertices", err));
    for (uint64_t from = 0; from < m; from += piece) {
        uint64_t here = m - from < piece ? m - from : piece;
        CUDA_TRY(some.copy_in(ids + from, here, err));
        CUDA_LAUNCH(add_ids, here, 0, some.at, here, counts.at);
        CUDA_TRY(cuda_check(cudaGetLastError(), "counting vertices", err));
    }
    return counts.copy_out(out, n, err);
}
