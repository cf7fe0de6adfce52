/* cuda_runtime.h - as much of CUDA as the CUDA backend uses, on the CPU: for tests of its logic on machines without a
 * GPU.
 *
 * `make emulated` compiles the .cu files with the C++ compiler against this header, so what runs is the backend's own
 * code: its arithmetic, its indexing, its memory, its order of calls. A launch runs the kernel for every thread of a
 * grid whose blocks and warps have one thread, one after another, or on HOTSET_EMULATED_THREADS threads at a time.
 * What it cannot show: coalescing, races inside a warp, streams that overlap, speed. Devices (HOTSET_EMULATED_DEVICES
 * of them, 1 when not set) share one memory and reach each other, by NVLink or, where HOTSET_EMULATED_PCIE is set, by
 * PCIe; they have a cache of HOTSET_EMULATED_L2 bytes, or none. Memory is limited (HOTSET_EMULATED_MEMORY bytes, 4
 * GiB when not set), copies must name blocks that were allocated, and the HOTSET_EMULATED_FAIL-th call fails, so that
 * the paths of failure can be walked, too. What was never given back is said at the end.
 */
#ifndef TESTS_EMULATED_CUDA_RUNTIME_H
#define TESTS_EMULATED_CUDA_RUNTIME_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static thread_local /* a block has one thread */

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInsufficientDriver = 35,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorNotSupported = 801
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum {
    cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaHostRegisterReadOnly = 8
};
enum { cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventDisableTiming = 2 };

struct cudaFuncAttributes {
    int unused;
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    int multiProcessorCount, major, minor, canMapHostMemory, l2CacheSize, pciBusID, pciDeviceID, pciDomainID;
};
struct emulated_stream {
    int unused;
};
struct emulated_event {
    std::chrono::steady_clock::time_point at;
};
typedef emulated_stream *cudaStream_t;
typedef emulated_event *cudaEvent_t;

struct emulated_index {
    unsigned x, y, z;
};
inline thread_local emulated_index threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim{1, 1, 1}, gridDim{1, 1, 1};

/* ---- state ---- */

struct emulated_device {
    std::mutex lock;
    std::map<const char *, size_t> block, host; /* device blocks; host blocks that the device can read */
    size_t used = 0, most = 0;
    int threads = 1, devices = 1; /* devices share the memory */
    std::set<std::pair<int, int>> linked;
    long calls = 0, fail_at = 0, others = 0; /* others: streams and events */
    emulated_device()
    {
        const char *memory = getenv("HOTSET_EMULATED_MEMORY"), *fail = getenv("HOTSET_EMULATED_FAIL"),
                   *several = getenv("HOTSET_EMULATED_THREADS"), *more = getenv("HOTSET_EMULATED_DEVICES");
        most = memory ? strtoull(memory, nullptr, 10) : (size_t)4 << 30;
        threads = several ? atoi(several) : 1;
        devices = more ? atoi(more) : 1;
        fail_at = fail ? strtol(fail, nullptr, 10) : 0;
    }
    ~emulated_device()
    {
        if (!block.empty() || !host.empty() || others)
            fprintf(stderr,
                    "emulated: %zu device blocks, %zu host blocks, %ld streams and events were never given back\n",
                    block.size(), host.size(), others);
    }
    bool fails() { return ++calls == fail_at; }
    static bool inside(const std::map<const char *, size_t> &blocks, const void *at, size_t bytes)
    {
        auto next = blocks.upper_bound((const char *)at);
        if (next == blocks.begin()) return false;
        --next;
        return (const char *)at + bytes <= next->first + next->second;
    }
};
inline emulated_device &emulated()
{
    static emulated_device device;
    return device;
}

/* ---- memory ---- */

static inline cudaError_t cudaMalloc(void **out, size_t bytes)
{
    emulated_device &d = emulated();
    std::lock_guard<std::mutex> hold(d.lock);
    if (d.fails() || bytes > d.most - d.used) return cudaErrorMemoryAllocation;
    char *p = (char *)malloc(bytes ? bytes : 1);
    if (!p) return cudaErrorMemoryAllocation;
    memset(p, 0x5C, bytes); /* what was never written is not zero */
    d.block[p] = bytes;
    d.used += bytes;
    *out = p;
    return cudaSuccess;
}
template <class T> static inline cudaError_t cudaMalloc(T **out, size_t bytes)
{
    return cudaMalloc((void **)out, bytes);
}

static inline cudaError_t cudaFree(void *p)
{
    emulated_device &d = emulated();
    std::lock_guard<std::mutex> hold(d.lock);
    if (!p) return cudaSuccess;
    auto found = d.block.find((char *)p);
    if (found == d.block.end()) return cudaErrorInvalidValue;
    d.used -= found->second;
    d.block.erase(found);
    free(p);
    return cudaSuccess;
}

static inline cudaError_t emulated_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    emulated_device &d = emulated();
    std::lock_guard<std::mutex> hold(d.lock);
    if (d.fails()) return cudaErrorNotSupported;
    bool to_device = d.inside(d.block, to, bytes), from_device = d.inside(d.block, from, bytes);
    if (bytes && kind != cudaMemcpyDefault &&
        (to_device != (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
         from_device != (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)))
        return cudaErrorInvalidValue;
    memmove(to, from, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return emulated_copy(to, from, bytes, kind);
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                          cudaStream_t = nullptr)
{
    return emulated_copy(to, from, bytes, kind);
}
static inline cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    emulated_device &d = emulated();
    std::lock_guard<std::mutex> hold(d.lock);
    if (d.fails() || (bytes && !d.inside(d.block, to, bytes))) return cudaErrorInvalidValue;
    memset(to, value, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t = nullptr)
{
    return cudaMemset(to, value, bytes);
}
static inline cudaError_t cudaMemGetInfo(size_t *available, size_t *all)
{
    emulated_device &d = emulated();
    std::lock_guard<std::mutex> hold(d.lock);
    *all = d.most;
    *available = d.most - d.used;
    return cudaSuccess;
}

static inline cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned)
{
    emulated_device &d = emulated();
    std::lock_guard<std::mutex> hold(d.lock);
    if (d.fails() || getenv("HOTSET_EMULATED_NO_REGISTER")) return cudaErrorNotSupported;
    d.host[(char *)p] = bytes;
    return cudaSuccess;
}
static inline cudaError_t cudaHostUnregister(void *p)
{
    emulated_device &d = emulated();
    std::lock_guard<std::mutex> hold(d.lock);
    return d.host.erase((char *)p) ? cudaSuccess : cudaErrorInvalidValue;
}
static inline cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) return cudaErrorMemoryAllocation;
    cudaError_t code = cudaHostRegister(p, bytes, 0);
    if (code == cudaErrorNotSupported && getenv("HOTSET_EMULATED_NO_REGISTER")) {
        emulated().host[(char *)p] = bytes;
        code = cudaSuccess;
    }
    if (code != cudaSuccess) free(p);
    else *out = p;
    return code;
}
template <class T> static inline cudaError_t cudaHostAlloc(T **out, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)out, bytes, flags);
}
static inline cudaError_t cudaFreeHost(void *p)
{
    if (!p) return cudaSuccess;
    cudaError_t code = cudaHostUnregister(p);
    if (code == cudaSuccess) free(p);
    return code;
}
static inline cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned)
{
    emulated_device &d = emulated();
    std::lock_guard<std::mutex> hold(d.lock);
    if (!d.inside(d.host, p, 0)) return cudaErrorInvalidValue;
    *out = p;
    return cudaSuccess;
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **out, void *p, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)out, p, flags);
}

/* ---- devices, streams, events ---- */

inline thread_local int emulated_current = 0;
static inline cudaError_t cudaGetDeviceCount(int *out) { return *out = emulated().devices, cudaSuccess; }
static inline cudaError_t cudaGetDevice(int *out) { return *out = emulated_current, cudaSuccess; }
static inline cudaError_t cudaSetDevice(int device)
{
    return device < 0 || device >= emulated().devices ? cudaErrorInvalidValue
                                                      : (emulated_current = device, cudaSuccess);
}
static inline cudaError_t cudaDeviceCanAccessPeer(int *out, int here, int there)
{
    return *out = here != there, cudaSuccess;
}
enum cudaDeviceP2PAttr { cudaDevP2PAttrNativeAtomicSupported = 3 };
static inline cudaError_t cudaDeviceGetP2PAttribute(int *out, cudaDeviceP2PAttr, int here, int there)
{
    return *out = here != there && !getenv("HOTSET_EMULATED_PCIE"), cudaSuccess;
}
static inline cudaError_t cudaDeviceEnablePeerAccess(int there, unsigned)
{
    emulated_device &d = emulated();
    if (there == emulated_current || there < 0 || there >= d.devices) return cudaErrorInvalidValue;
    return d.linked.insert({emulated_current, there}).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
}
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int)
{
    *out = cudaDeviceProp();
    snprintf(out->name, sizeof out->name, "emulated on the CPU");
    out->totalGlobalMem = emulated().most;
    out->multiProcessorCount = 1;
    out->canMapHostMemory = 1;
    out->l2CacheSize = getenv("HOTSET_EMULATED_L2") ? atoi(getenv("HOTSET_EMULATED_L2")) : 0;
    return cudaSuccess;
}
template <class F> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, F) { return cudaSuccess; }
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
static inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned)
{
    if (emulated().fails()) return cudaErrorNotSupported;
    emulated().others++;
    *out = new emulated_stream();
    return cudaSuccess;
}
static inline cudaError_t cudaStreamCreate(cudaStream_t *out) { return cudaStreamCreateWithFlags(out, 0); }
static inline cudaError_t cudaStreamDestroy(cudaStream_t s) { return delete s, emulated().others--, cudaSuccess; }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned)
{
    return *out = new emulated_event(), emulated().others++, cudaSuccess;
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *out) { return cudaEventCreateWithFlags(out, 0); }
static inline cudaError_t cudaEventDestroy(cudaEvent_t e) { return delete e, emulated().others--, cudaSuccess; }
static inline cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t = nullptr)
{
    return e->at = std::chrono::steady_clock::now(), cudaSuccess;
}
static inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
static inline cudaError_t cudaEventElapsedTime(float *out, cudaEvent_t from, cudaEvent_t to)
{
    *out = std::chrono::duration<float, std::milli>(to->at - from->at).count();
    return cudaSuccess;
}
static inline const char *cudaGetErrorString(cudaError_t code)
{
    return code == cudaSuccess ? "no error" : "an emulated failure";
}
static inline const char *cudaGetErrorName(cudaError_t code)
{
    return code == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorEmulated";
}

/* ---- what kernels call ---- */

template <class T> static inline T atomicAdd(T *at, T by) { return __atomic_fetch_add(at, by, __ATOMIC_RELAXED); }
template <class T> static inline T atomicOr(T *at, T bits) { return __atomic_fetch_or(at, bits, __ATOMIC_RELAXED); }
template <class T> static inline T atomicExch(T *at, T value)
{
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
template <class T> static inline T atomicCAS(T *at, T expected, T value)
{
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
template <class T> static inline T atomicMin(T *at, T value)
{
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}
template <class T> static inline T atomicMax(T *at, T value)
{
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (value > old && !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}
template <class T> static inline T __ldg(const T *at) { return *at; }
static inline void __syncthreads() {}
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
struct uint4 {
    unsigned x, y, z, w;
};

/* Runs body once per thread of a grid of at most GRID threads: enough for strides to be taken, few enough to be
 * quick. */
template <class F> static inline void emulated_launch(unsigned blocks, F body)
{
    enum { GRID = 13 };
    int grid = blocks < GRID ? (int)blocks : (int)GRID, threads = emulated().threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
    for (int b = 0; b < grid; b++) {
        blockIdx.x = (unsigned)b;
        gridDim.x = (unsigned)grid;
        threadIdx.x = 0;
        blockDim.x = 1;
        body();
    }
}

#endif
