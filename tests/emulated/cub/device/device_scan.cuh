/* device_scan.cuh - CUB's prefix sums, one after another. */
#ifndef TESTS_EMULATED_DEVICE_SCAN_CUH
#define TESTS_EMULATED_DEVICE_SCAN_CUH

#include <cuda_runtime.h>

namespace cub
{
struct DeviceScan {
    template <class In, class Out, class N>
    static cudaError_t InclusiveSum(void *scratch, size_t &bytes, In in, Out out, N count, cudaStream_t = nullptr)
    {
        if (!scratch) return bytes = 1, cudaSuccess;
        auto sum = in[0] - in[0];
        for (N i = 0; i < count; i++) {
            sum += in[i];
            out[i] = sum;
        }
        return cudaSuccess;
    }
};
} // namespace cub

#endif
