/* sample_probe.cu - the measured speed of random loads and exchanges in GPU memory, with which `hotset bench` compares
 * sampling. */
#include "kernels/cuda/sample.cuh"

#ifdef HOTSET_CUDA_EMULATED
enum { TIMES = 1 << 12, RUNS = 2 };
#else
enum { TIMES = 1 << 28, RUNS = 5 };
#endif
enum { EACH = 4 };

/* The upper 64 bits of a product. */
static __device__ uint64_t upper(uint64_t a, uint64_t b)
{
#ifdef HOTSET_CUDA_EMULATED
    return (uint64_t)((unsigned __int128)a * b >> 64);
#else
    return __umul64hi(a, b);
#endif
}

/* Place i of a sequence that spreads over 0..words-1: a product with the golden ratio, scaled to the range by another.
 */
static __device__ uint64_t sample_probe_place(uint64_t i, uint64_t words)
{
    return upper(i * 0x9E3779B97F4A7C15u, words);
}

static __global__ void load_some(const uint32_t *a, uint64_t words, uint64_t count, u64 *out)
{
    u64 sum = 0;
    CUDA_EACH(i, count / EACH)
    for (int k = 0; k < EACH; k++) sum += a[sample_probe_place(i + (uint64_t)k * (count / EACH), words)];
    if (sum == 1) atomicAdd(out, sum); /* never true: the array holds zeros; keeps the loads */
}

static __global__ void exchange_some(uint32_t *a, uint64_t words, uint64_t count, u64 *out)
{
    u64 sum = 0;
    CUDA_EACH(i, count / EACH)
    for (int k = 0; k < EACH; k++)
        sum += atomicExch(&a[sample_probe_place(i + (uint64_t)k * (count / EACH), words)], 0u);
    if (sum == 1) atomicAdd(out, sum);
}

/* The best of several runs, per second; the first one warms up. */
static enum st time_one(bool exchange, uint32_t *a, uint64_t words, u64 *out, double *rate, struct err *err)
{
    cuda_event begin, end;
    float best = 0, now = 0;
    CUDA_TRY(begin.open(err));
    CUDA_TRY(end.open(err));
    for (int r = 0; r < RUNS; r++) {
        CUDA_TRY(cuda_check(cudaEventRecord(begin.at, 0), "measuring GPU memory", err));
        if (exchange) CUDA_LAUNCH(exchange_some, (uint64_t)TIMES / EACH, 0, a, words, (uint64_t)TIMES, out);
        else CUDA_LAUNCH(load_some, (uint64_t)TIMES / EACH, 0, a, words, (uint64_t)TIMES, out);
        CUDA_TRY(cuda_check(cudaGetLastError(), "measuring GPU memory", err));
        CUDA_TRY(cuda_check(cudaEventRecord(end.at, 0), "measuring GPU memory", err));
        CUDA_TRY(cuda_check(cudaEventSynchronize(end.at), "measuring GPU memory", err));
        CUDA_TRY(cuda_check(cudaEventElapsedTime(&now, begin.at, end.at), "measuring GPU memory", err));
        if (r == 0 || (now > 0 && now < best)) best = now;
    }
    *rate = TIMES / (1e-3 * (double)(best > 0 ? best : 1e-3f));
    return ST_OK;
}

enum st cuda_sampling_probe(int device, uint64_t bytes, double *loads, double *exchanges, struct err *err)
{
    device_array<uint32_t> a;
    device_array<u64> out;
    size_t available = 0, all = 0;
    cuda_device_guard guard(device, err);
    CUDA_TRY(guard.st);
    CUDA_TRY(cuda_check(cudaMemGetInfo(&available, &all), "asking for free GPU memory", err));
    uint64_t most = bytes < available / 2 ? bytes : available / 2,
             words = most / sizeof(uint32_t) ? most / sizeof(uint32_t) : 1;
    CUDA_TRY(a.allocate(words, "measuring GPU memory", err));
    CUDA_TRY(a.clear(words, err));
    CUDA_TRY(out.allocate(1, "measuring GPU memory", err));
    CUDA_TRY(out.clear(1, err));
    CUDA_TRY(time_one(false, a.at, words, out.at, loads, err));
    return time_one(true, a.at, words, out.at, exchanges, err);
}
