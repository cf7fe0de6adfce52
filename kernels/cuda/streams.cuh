/* streams.cuh - streams, events, pinned host memory, and copies that overlap with work: what the stages that stay on
 * the device share.
 *
 * Streams here do not wait for the default stream, so work on them uses stream-ordered copies only. A copy to or from
 * ordinary host memory goes through two pinned buffers: while one travels, a host thread fills or empties the other,
 * and kernels of other streams run on. Where pinned memory is refused, the copy goes without.
 */
#ifndef KERNELS_CUDA_STREAMS_CUH
#define KERNELS_CUDA_STREAMS_CUH

#include "kernels/cuda/cuda.cuh"
#include <string.h>

#ifdef HOTSET_CUDA_EMULATED
constexpr uint64_t CUDA_PIPE_BYTES = 1 << 14; /* so that small inputs take several turns */
#else
constexpr uint64_t CUDA_PIPE_BYTES = 32 << 20; /* of each pinned buffer */
#endif

struct cuda_stream {
    cudaStream_t at = nullptr;

    cuda_stream() = default;
    cuda_stream(const cuda_stream &) = delete;
    cuda_stream &operator=(const cuda_stream &) = delete;
    ~cuda_stream()
    {
        if (at) cuda_let_go(cudaStreamDestroy(at));
    }
    enum st open(struct err *err)
    {
        return cuda_check(cudaStreamCreateWithFlags(&at, cudaStreamNonBlocking), "opening a stream", err);
    }
    enum st wait(const char *doing, struct err *err) const { return cuda_check(cudaStreamSynchronize(at), doing, err); }
};

struct cuda_event {
    cudaEvent_t at = nullptr;

    cuda_event() = default;
    cuda_event(const cuda_event &) = delete;
    cuda_event &operator=(const cuda_event &) = delete;
    ~cuda_event()
    {
        if (at) cuda_let_go(cudaEventDestroy(at));
    }
    enum st open(struct err *err) { return cuda_check(cudaEventCreate(&at), "making an event", err); }
    enum st record(cudaStream_t stream, struct err *err)
    {
        return cuda_check(cudaEventRecord(at, stream), "recording an event", err);
    }
    enum st wait(const char *doing, struct err *err) const { return cuda_check(cudaEventSynchronize(at), doing, err); }
    /* Seconds from this event to a later one; both are over. */
    double until(const cuda_event &later) const
    {
        float ms = 0;
        return cudaEventElapsedTime(&ms, at, later.at) == cudaSuccess ? 1e-3 * ms : 0;
    }
};

/* Pinned host memory, or ordinary where that is refused. */
template <class T> struct host_array {
    T *at = nullptr;
    bool pinned = false;

    host_array() = default;
    host_array(const host_array &) = delete;
    host_array &operator=(const host_array &) = delete;
    ~host_array() { give(); }
    void give()
    {
        if (pinned) cuda_let_go(cudaFreeHost(at));
        else mem_free(at);
        at = nullptr;
    }
    enum st take(uint64_t count, const char *what, struct err *err)
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
};

/* Two pinned buffers and when each is free again. */
struct cuda_pipe {
    host_array<char> buffer[2];
    cuda_event over[2];
    bool busy[2] = {false, false};
    uint64_t bytes = 0;
    int turn = 0, threads = 1;

    cuda_pipe() = default;
    ~cuda_pipe() /* a buffer must not go back while it travels */
    {
        for (int b = 0; b < 2; b++)
            if (busy[b] && over[b].at) (void)cudaEventSynchronize(over[b].at);
    }
    /* most: bytes of the largest copy. */
    enum st open(int team, uint64_t most, struct err *err);
    /* The host array may change when `in` returns; `out` returns when the host has it all. */
    enum st in(void *device, const void *host, uint64_t count, cudaStream_t stream, struct err *err);
    enum st out(void *host, const void *device, uint64_t count, cudaStream_t stream, struct err *err);
};

static inline enum st cuda_clear(void *at, uint64_t bytes, cudaStream_t stream, struct err *err)
{
    return bytes ? cuda_check(cudaMemsetAsync(at, 0, bytes, stream), "clearing GPU memory", err) : ST_OK;
}

/* Members of struct search_device (search.h). */
enum st cuda_keep(const void *host, uint64_t bytes, void **device, struct err *err);
void cuda_give(void *device);
enum st cuda_copy_rate(uint64_t bytes, double *rate, struct err *err);

#endif
