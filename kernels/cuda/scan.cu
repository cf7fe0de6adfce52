/* scan.cu - inclusive prefix sums with CUB, optionally of a gather. The order passes in pieces; the summands must fit
 * the device. */
#include <cub/device/device_scan.cuh>
#include "kernels/cuda/cuda.cuh"

static __global__ void gather(const uint64_t *in, const uint32_t *order, uint64_t count, uint64_t *out)
{
    CUDA_EACH(i, count)
    out[i] = in[order[i]];
}

/* Elements of `in` that the order reads: the interface does not state its length. */
static uint64_t length_of(const uint32_t *order, uint64_t count)
{
    uint32_t highest = 0;
    for (uint64_t i = 0; i < count; i++) highest = order[i] > highest ? order[i] : highest;
    return count ? (uint64_t)highest + 1 : 0;
}

static enum st gather_all(const uint64_t *in, const uint32_t *order, uint64_t count, device_array<uint64_t> &out,
                          struct err *err)
{
    const uint64_t piece = cuda_piece(sizeof *order);
    device_array<uint64_t> source;
    device_array<uint32_t> ids;

    CUDA_TRY(source.allocate_copy(in, length_of(order, count), "adding up prefix sums", err));
    CUDA_TRY(ids.allocate(count < piece ? count : piece, "adding up prefix sums", err));
    for (uint64_t from = 0; from < count; from += piece) {
        uint64_t n = count - from < piece ? count - from : piece;
        CUDA_TRY(ids.copy_in(order + from, n, err));
        CUDA_LAUNCH(gather, n, 0, source.at, ids.at, n, out.at + from);
        CUDA_TRY(cuda_check(cudaGetLastError(), "adding up prefix sums", err));
    }
    return cuda_check(cudaDeviceSynchronize(), "adding up prefix sums", err); /* `source` is freed now */
}

static enum st scan_in_place(device_array<uint64_t> &sums, uint64_t count, struct err *err)
{
    device_array<char> scratch;
    size_t bytes = 0;
    CUDA_TRY(cuda_check(cub::DeviceScan::InclusiveSum(nullptr, bytes, sums.at, sums.at, count), "adding up prefix sums",
                        err));
    CUDA_TRY(scratch.allocate(bytes, "adding up prefix sums", err));
    return cuda_check(cub::DeviceScan::InclusiveSum(scratch.at, bytes, sums.at, sums.at, count),
                      "adding up prefix sums", err);
}

enum st cuda_scan(int threads, const uint64_t *in, const uint32_t *order, uint64_t count, uint64_t *out,
                  struct err *err)
{
    device_array<uint64_t> sums;

    (void)threads;
    if (!count) return ST_OK;
    CUDA_TRY(sums.allocate(count, "adding up prefix sums", err));
    CUDA_TRY(order ? gather_all(in, order, count, sums, err) : sums.copy_in(in, count, err));
    CUDA_TRY(scan_in_place(sums, count, err));
    return sums.copy_out(out, count, err);
}
