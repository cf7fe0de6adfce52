/* device_radix_sort.cuh - CUB's stable sort of pairs by some bits of the key; the result is in the other buffers, as
 * it may be with CUB. */
#ifndef TESTS_EMULATED_DEVICE_RADIX_SORT_CUH
#define TESTS_EMULATED_DEVICE_RADIX_SORT_CUH

#include <algorithm>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

namespace cub
{
template <class T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector = 0;
    DoubleBuffer(T *here, T *there) : d_buffers{here, there} {}
    T *Current() { return d_buffers[selector]; }
    T *Alternate() { return d_buffers[selector ^ 1]; }
};

struct DeviceRadixSort {
    template <class K, class V, class N>
    static cudaError_t SortPairs(void *scratch, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, N count,
                                 int from = 0, int to = 8 * sizeof(K), cudaStream_t = nullptr)
    {
        if (!scratch) return bytes = 1, cudaSuccess;
        std::vector<N> order(count);
        std::iota(order.begin(), order.end(), N(0));
        K mask = to - from >= 8 * (int)sizeof(K) ? ~K(0) : ((K(1) << (to - from)) - 1) << from;
        std::stable_sort(order.begin(), order.end(),
                         [&](N a, N b) { return (keys.Current()[a] & mask) < (keys.Current()[b] & mask); });
        for (N i = 0; i < count; i++) {
            keys.Alternate()[i] = keys.Current()[order[i]];
            values.Alternate()[i] = values.Current()[order[i]];
        }
        keys.selector ^= 1;
        values.selector ^= 1;
        return cudaSuccess;
    }
};
} // namespace cub

#endif
