/* device_copy.cu - copies of host arrays in device memory, and the speed of copies within it. */
#include "kernels/cuda/streams.cuh"

static __global__ void copy_words(const uint4 *from, uint64_t count, uint4 *to)
{
    CUDA_EACH(i, count)
    to[i] = from[i];
}

enum st cuda_to_device(const void *host, uint64_t bytes, void **device, struct err *err)
{
    device_array<char> block;
    CUDA_TRY(block.allocate_copy(static_cast<const char *>(host), bytes, "copying counts", err));
    CUDA_TRY(cuda_check(cudaDeviceSynchronize(), "copying to the GPU", err));
    *device = block.at;
    block.at = nullptr;
    return ST_OK;
}

void cuda_device_free(void *device) { cuda_ignore(cudaFree(device)); }

enum st cuda_copy_rate(uint64_t bytes, double *rate, struct err *err)
{
    const uint64_t words = bytes / sizeof(uint4) + 1;
    device_array<uint4> from, to;
    cuda_stream stream;
    cuda_event start, end;
    *rate = 0;
    CUDA_TRY(from.allocate(words, "measuring the GPU's memory", err));
    CUDA_TRY(to.allocate(words, "measuring the GPU's memory", err));
    CUDA_TRY(stream.open(err));
    CUDA_TRY(start.open(err));
    CUDA_TRY(end.open(err));
    CUDA_TRY(cuda_clear(from.at, words * sizeof(uint4), stream.at, err));
    for (int run = 0; run < 6; run++) { /* the best counts; the first one warms up */
        CUDA_TRY(start.record(stream.at, err));
        CUDA_LAUNCH(copy_words, words, stream.at, from.at, words, to.at);
        CUDA_TRY(end.record(stream.at, err));
        CUDA_TRY(stream.wait("measuring the GPU's memory", err));
        double seconds = start.until(end), here = seconds > 0 ? 2.0 * (double)(words * sizeof(uint4)) / seconds : 0;
        *rate = run && here > *rate ? here : *rate;
    }
    return ST_OK;
}
