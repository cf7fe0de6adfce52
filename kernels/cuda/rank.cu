/* rank.cu - hotness, order and prefix sums of one kind of rows, with CUB's radix sort and scan. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <iterator>
#include "kernels/cuda/rank.cuh"

/* ---- inputs of scans, computed as they are read ---- */

template <class Read> struct computed {
    using value_type = uint64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const uint64_t *;
    using reference = uint64_t;
    using iterator_category = std::random_access_iterator_tag;
    Read read;
    difference_type at;

    __host__ __device__ uint64_t operator[](difference_type i) const { return read(at + i); }
    __host__ __device__ uint64_t operator*() const { return read(at); }
    __host__ __device__ computed operator+(difference_type i) const { return {read, at + i}; }
    __host__ __device__ computed &operator+=(difference_type i) { return at += i, *this; }
    __host__ __device__ computed &operator++() { return ++at, *this; }
    __host__ __device__ difference_type operator-(const computed &other) const { return at - other.at; }
    __host__ __device__ bool operator==(const computed &other) const { return at == other.at; }
    __host__ __device__ bool operator!=(const computed &other) const { return at != other.at; }
};

template <class Key> struct hotness_of_key {
    const Key *key;
    uint64_t largest;
    __host__ __device__ uint64_t operator()(std::ptrdiff_t i) const { return largest - key[i]; }
};

struct bytes_of_row {
    const uint32_t *order;
    const int64_t *indptr;
    __host__ __device__ uint64_t operator()(std::ptrdiff_t i) const
    {
        uint32_t v = order[i];
        return kernel_topology_bytes(indptr, v);
    }
};

/* scratch nullptr: only sets *bytes to the scratch memory needed. Counts have 32 bits, with which CUB is faster. */
template <class Read>
static enum st scan_computed(Read read, uint64_t *out, uint64_t n, void *scratch, size_t *bytes, cudaStream_t stream,
                             struct err *err)
{
    return cuda_check(cub::DeviceScan::InclusiveSum(scratch, *bytes, computed<Read>{read, 0}, out, (uint32_t)n, stream),
                      "adding up prefix sums", err);
}

template <class Key>
static enum st sort_pairs(Key *key, Key *other, uint32_t *id, uint32_t *other_id, uint64_t n, int bits, void *scratch,
                          size_t *bytes, int *keys, int *ids, cudaStream_t stream, struct err *err)
{
    cub::DoubleBuffer<Key> k(key, other);
    cub::DoubleBuffer<uint32_t> i(id, other_id);
    enum st st = cuda_check(cub::DeviceRadixSort::SortPairs(scratch, *bytes, k, i, (uint32_t)n, 0, bits, stream),
                            "sorting by hotness", err);
    *keys = k.selector;
    *ids = i.selector;
    return st;
}

/* ---- kernels ---- */

static __global__ void sum_rows(cuda_rows rows, int gpus, uint64_t from, uint64_t n, int words, uint64_t *sum,
                                uint8_t *code, uint64_t *mask, uint64_t *range)
{
    const cuda_gpu_set none = {};
    u64 low = ~0ull, high = 0;
    CUDA_EACH(v, n)
    {
        u64 all = 0;
        struct cslp_preference preference;
        for (int g = 0; g < gpus; g++) all += rows.row[g][v];
        sum[from + v] = all;
        low = all < low ? all : low;
        high = all > high ? all : high;
        if (gpus == 1) continue;
        cuda_find_preference(rows, gpus, none, v, &preference); /* the counts are in the cache */
        cuda_store_preference(preference, words, from + v, code, mask);
    }
    cuda_block_range(low, high, (u64 *)range);
}

static __global__ void begin_range(uint64_t *range)
{
    CUDA_EACH(i, 2)
    range[i] = i ? 0 : ~0ull;
}

template <class Key>
static __global__ void make_keys(const uint64_t *hot, uint64_t n, uint64_t largest, Key *key, uint32_t *id)
{
    CUDA_EACH(v, n)
    {
        key[v] = (Key)(largest - hot[v]);
        id[v] = (uint32_t)v;
    }
}

/* Where the second half of 32-bit keys begins in a wide buffer. */
static uint64_t half_of(uint64_t n) { return (n + 63) / 64 * 64; }

/* ---- steps ---- */

enum st cuda_rank::allocate(uint64_t vertices, int readers, struct err *err)
{
    size_t most = 0, bytes = 0;
    int unused;
    n = vertices;
    gpus = readers;
    for (int b = 0; b < 2; b++) {
        CUDA_TRY(wide[b].allocate(n + 32, "the candidate search", err)); /* 32: for two aligned halves of 32-bit keys */
        CUDA_TRY(ids[b].allocate(n, "the candidate search", err));
    }
    CUDA_TRY(range.allocate(2, "the candidate search", err));
    CUDA_TRY(range_here.allocate(2, "the candidate search", err));
    CUDA_TRY(summed.open(err));
    if (gpus > 1) CUDA_TRY(preferences.allocate(n, gpus, err));
    CUDA_TRY(sort_pairs<uint32_t>(nullptr, nullptr, nullptr, nullptr, n, 32, nullptr, &bytes, &unused, &unused, nullptr,
                                  err));
    most = bytes;
    CUDA_TRY(sort_pairs<uint64_t>(nullptr, nullptr, nullptr, nullptr, n, 64, nullptr, &bytes, &unused, &unused, nullptr,
                                  err));
    most = bytes > most ? bytes : most;
    CUDA_TRY(scan_computed(bytes_of_row{nullptr, nullptr}, nullptr, n, nullptr, &bytes, nullptr, err));
    most = bytes > most ? bytes : most;
    CUDA_TRY(scan_computed(hotness_of_key<uint32_t>{nullptr, 0}, nullptr, n, nullptr, &bytes, nullptr, err));
    most = bytes > most ? bytes : most;
    CUDA_TRY(scan_computed(hotness_of_key<uint64_t>{nullptr, 0}, nullptr, n, nullptr, &bytes, nullptr, err));
    scratch_bytes = bytes > most ? bytes : most;
    return scratch.allocate(scratch_bytes, "the candidate search", err);
}

enum st cuda_rank::sum(const cuda_rows *rows, uint64_t from, uint64_t count, cudaStream_t stream, struct err *err)
{
    if (!from) CUDA_LAUNCH(begin_range, 2, stream, range.at);
    CUDA_LAUNCH(sum_rows, cuda_reducers(count), stream, *rows, gpus, from, count, cslp_mask_words(gpus), wide[0].at,
                preferences.code.at, preferences.mask.at, range.at);
    return cuda_check(cudaGetLastError(), "summing hotness", err);
}

enum st cuda_rank::range_to_host(cudaStream_t stream, struct err *err)
{
    CUDA_TRY(cuda_check(cudaMemcpyAsync(range_here.at, range.at, 2 * sizeof(uint64_t), cudaMemcpyDeviceToHost, stream),
                        "copying from the GPU", err));
    return summed.record(stream, err);
}

static int bits_of(uint64_t span)
{
    int bits = 0;
    while (bits < 64 && span >> bits) bits++;
    return bits;
}

enum st cuda_rank::sort(cudaStream_t stream, struct err *err)
{
    size_t bytes = scratch_bytes;
    CUDA_TRY(summed.wait("summing hotness", err));
    const uint64_t largest = range_here.at[1];
    const int bits = bits_of(largest - range_here.at[0]);
    narrow = bits <= 32;
    order = 0;
    if (narrow) { /* the halves of wide[1] are the buffers of keys; wide[0] is free */
        uint32_t *half = reinterpret_cast<uint32_t *>(wide[1].at);
        CUDA_LAUNCH(make_keys<uint32_t>, n, stream, wide[0].at, n, largest, half, ids[0].at);
        keys = 0;
        hot = 0;
        if (bits)
            CUDA_TRY(sort_pairs(half, half + half_of(n), ids[0].at, ids[1].at, n, bits, scratch.at, &bytes, &keys,
                                &order, stream, err));
    } else {
        CUDA_LAUNCH(make_keys<uint64_t>, n, stream, wide[0].at, n, largest, wide[0].at, ids[0].at);
        CUDA_TRY(sort_pairs(wide[0].at, wide[1].at, ids[0].at, ids[1].at, n, bits, scratch.at, &bytes, &keys, &order,
                            stream, err));
        hot = keys ^ 1;
    }
    return cuda_check(cudaGetLastError(), "sorting by hotness", err);
}

enum st cuda_rank::scan_hot(cudaStream_t stream, struct err *err)
{
    size_t bytes = scratch_bytes;
    const uint64_t largest = range_here.at[1];
    if (narrow) {
        const uint32_t *sorted = reinterpret_cast<const uint32_t *>(wide[1].at) + (keys ? half_of(n) : 0);
        return scan_computed(hotness_of_key<uint32_t>{sorted, largest}, wide[hot].at, n, scratch.at, &bytes, stream,
                             err);
    }
    return scan_computed(hotness_of_key<uint64_t>{wide[keys].at, largest}, wide[hot].at, n, scratch.at, &bytes, stream,
                         err);
}

enum st cuda_rank::scan_sizes(const int64_t *indptr, cudaStream_t stream, struct err *err)
{
    size_t bytes = scratch_bytes;
    return scan_computed(bytes_of_row{order_at(), indptr}, wide[hot ^ 1].at, n, scratch.at, &bytes, stream, err);
}

int cuda_rank::sort_passes() const { return (bits_of(range_here.at[1] - range_here.at[0]) + 7) / 8; }
