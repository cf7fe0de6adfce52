/* staging.cuh - pinned host memory: arrays, arrays that kernels read in place, and staged copies that overlap with
 * work.
 *
 * A copy from or to ordinary host memory passes through two pinned buffers: while one buffer is copied by the device,
 * host threads fill or empty the other, and kernels of other streams run on. When pinned memory is refused, the buffers
 * are ordinary memory, and copies are slower.
 */
#ifndef KERNELS_CUDA_STAGING_CUH
#define KERNELS_CUDA_STAGING_CUH

#include "kernels/cuda/streams.cuh"

#ifdef HOTSET_CUDA_EMULATED
constexpr uint64_t CUDA_STAGING_BYTES = 1 << 12; /* so that small inputs take several turns */
#else
constexpr uint64_t CUDA_STAGING_BYTES = 32 << 20; /* of each buffer */
#endif

/* Allocates pinned host memory that every device can read in place. ST_LIMIT beyond the limit of mem.h or when the
 * system refuses. what: the noun of the sentence. Free with cudaFreeHost. */
enum st cuda_allocate_pinned(void **block, uint64_t bytes, const char *what, struct err *err);

/* A host array, pinned when possible. */
template <class T> struct host_array {
    T *at = nullptr;
    bool pinned = false;

    host_array() = default;
    host_array(const host_array &) = delete;
    host_array &operator=(const host_array &) = delete;
    ~host_array() { release(); }
    void release()
    {
        if (pinned) cuda_ignore(cudaFreeHost(at));
        else mem_free(at);
        at = nullptr;
        pinned = false;
    }
    /* Pinned, or ordinary memory when that is refused. ST_LIMIT when both are. */
    enum st allocate(uint64_t count, const char *what, struct err *err)
    {
        void *block = nullptr;
        pinned = cudaHostAlloc(&block, (count ? count : 1) * sizeof(T), cudaHostAllocDefault) == cudaSuccess;
        if (!pinned) {
            (void)cudaGetLastError();
            block = mem_array(count, sizeof(T), what, err);
        }
        at = static_cast<T *>(block);
        return at ? ST_OK : err->code;
    }
    /* Pinned, or ST_LIMIT: for memory that devices read in place. */
    enum st allocate_pinned(uint64_t count, const char *what, struct err *err)
    {
        void *block = nullptr;
        CUDA_TRY(cuda_allocate_pinned(&block, count * sizeof(T), what, err));
        at = static_cast<T *>(block);
        pinned = true;
        return ST_OK;
    }
};

/* A host array that kernels read in place: the caller's, pinned where it lies, or a pinned copy when the system cannot
 * pin it. The caller's array must live as long as this. */
struct cuda_mapped {
    const void *at = nullptr; /* the device's address */
    void *registered = nullptr;
    host_array<char> copy;
    uint64_t copy_bytes = 0; /* 0: pinned in place */

    cuda_mapped() = default;
    cuda_mapped(const cuda_mapped &) = delete;
    cuda_mapped &operator=(const cuda_mapped &) = delete;
    ~cuda_mapped()
    {
        if (registered) cuda_ignore(cudaHostUnregister(registered));
    }
    enum st map(const void *host, uint64_t bytes, int threads, struct err *err);
};

/* Two buffers, and when each is free again. One copy at a time; every copy names its stream. */
struct cuda_staging {
    host_array<char> buffer[2];
    cuda_event over[2];            /* the buffer's last copy */
    bool busy[2] = {false, false}; /* `over` is to be waited for */
    uint64_t bytes = 0, used = 0;  /* of each buffer; filled so far by append */
    char *to = nullptr;            /* the device address of the next append */
    int turn = 0, threads = 1;

    cuda_staging() = default;
    ~cuda_staging() /* a buffer must not be freed while it is being copied */
    {
        for (int b = 0; b < 2; b++)
            if (busy[b] && over[b].at) (void)cudaEventSynchronize(over[b].at);
    }
    /* host_threads: that fill and empty the buffers. most: bytes of the largest copy, which bounds the buffers. */
    enum st open(int host_threads, uint64_t most, struct err *err);

    /* Starts a copy of `count` bytes to the device; the host array may change when this returns. */
    enum st to_device(void *device, const void *host, uint64_t count, cudaStream_t stream, struct err *err);
    /* The same from pieces: begin at a device address, append pieces behind each other, flush. */
    void begin(void *device) { to = static_cast<char *>(device); }
    enum st append(const void *host, uint64_t count, cudaStream_t stream, struct err *err);
    enum st flush(cudaStream_t stream, struct err *err);

    /* Copies `count` bytes to the host; returns when they are there. */
    enum st to_host(void *host, const void *device, uint64_t count, cudaStream_t stream, struct err *err);
    /* host[i] += device[i], i < count; returns when it is done. */
    enum st add_to_host(uint32_t *host, const uint32_t *device, uint64_t count, cudaStream_t stream, struct err *err);

  private:
    template <class Empty>
    enum st drain(const void *device, uint64_t count, cudaStream_t stream, Empty empty, struct err *err);
};

#endif
