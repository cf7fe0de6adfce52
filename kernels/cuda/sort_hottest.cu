/* sort_hottest.cu - vertices by descending hotness, with CUB's radix sort.
 *
 * (largest - key) is sorted in ascending order. The sort is stable, so ties go to the lower id, and it needs only the
 * bits of the range.
 */
#include <cub/device/device_radix_sort.cuh>
#include "kernels/cuda/cuda.cuh"

/* range[0] = the smallest key, range[1] = the largest; they begin as UINT64_MAX and 0. */
static __global__ void find_range(const uint64_t *key, uint64_t n, uint64_t *range)
{
    u64 low = ~0ull, high = 0;
    CUDA_EACH(v, n)
    {
        low = key[v] < low ? key[v] : low;
        high = key[v] > high ? key[v] : high;
    }
    cuda_block_range(low, high, (u64 *)range);
}

static __global__ void prepare(uint64_t *key, uint32_t *id, uint64_t n, uint64_t largest)
{
    CUDA_EACH(v, n)
    {
        key[v] = largest - key[v];
        id[v] = (uint32_t)v;
    }
}

static enum st range_of(const uint64_t *key, uint64_t n, uint64_t range[2], struct err *err)
{
    device_array<uint64_t> found;
    range[0] = UINT64_MAX;
    range[1] = 0;
    CUDA_TRY(found.allocate_copy(range, 2, "sorting by hotness", err));
    CUDA_LAUNCH(find_range, cuda_reducers(n), 0, key, n, found.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "sorting by hotness", err));
    return found.copy_out(range, 2, err);
}

static enum st radix_sort(cub::DoubleBuffer<uint64_t> &keys, cub::DoubleBuffer<uint32_t> &ids, uint64_t n, int bits,
                          struct err *err)
{
    device_array<char> scratch;
    size_t bytes = 0;
    CUDA_TRY(
        cuda_check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, ids, n, 0, bits), "sorting by hotness", err));
    CUDA_TRY(scratch.allocate(bytes, "sorting by hotness", err));
    return cuda_check(cub::DeviceRadixSort::SortPairs(scratch.at, bytes, keys, ids, n, 0, bits), "sorting by hotness",
                      err);
}

enum st cuda_sort_hottest(int threads, const uint64_t *key, uint64_t n, uint32_t *order, struct err *err)
{
    device_array<uint64_t> key_here, key_there;
    device_array<uint32_t> id_here, id_there;
    uint64_t range[2];
    int bits = 0;

    (void)threads;
    if (!n) return ST_OK;
    CUDA_TRY(key_here.allocate_copy(key, n, "sorting by hotness", err));
    CUDA_TRY(key_there.allocate(n, "sorting by hotness", err));
    CUDA_TRY(id_here.allocate(n, "sorting by hotness", err));
    CUDA_TRY(id_there.allocate(n, "sorting by hotness", err));
    CUDA_TRY(range_of(key_here.at, n, range, err));
    CUDA_LAUNCH(prepare, n, 0, key_here.at, id_here.at, n, range[1]);
    CUDA_TRY(cuda_check(cudaGetLastError(), "sorting by hotness", err));
    while (bits < 64 && (range[1] - range[0]) >> bits) bits++;

    cub::DoubleBuffer<uint64_t> keys(key_here.at, key_there.at);
    cub::DoubleBuffer<uint32_t> ids(id_here.at, id_there.at);
    if (bits) CUDA_TRY(radix_sort(keys, ids, n, bits, err));
    return cuda_check(cudaMemcpy(order, ids.Current(), n * sizeof *order, cudaMemcpyDeviceToHost),
                      "copying from the GPU", err);
}
