/* streams.cuh - streams and events of CUDA, which destroy themselves.
 *
 * Streams here do not wait for the default stream. So work in them uses stream-ordered copies only, and an array that
 * was copied in the default stream is used after cudaDeviceSynchronize.
 */
#ifndef KERNELS_CUDA_STREAMS_CUH
#define KERNELS_CUDA_STREAMS_CUH

#include "kernels/cuda/cuda.cuh"

struct cuda_stream {
    cudaStream_t at = nullptr;

    cuda_stream() = default;
    cuda_stream(const cuda_stream &) = delete;
    cuda_stream &operator=(const cuda_stream &) = delete;
    ~cuda_stream() { close(); }
    /* On the current device; open may follow close. */
    enum st open(struct err *err)
    {
        return cuda_check(cudaStreamCreateWithFlags(&at, cudaStreamNonBlocking), "opening a stream", err);
    }
    void close()
    {
        if (at) cuda_ignore(cudaStreamDestroy(at));
        at = nullptr;
    }
    /* Waits for the work so far. doing: for the error sentence, here and below. */
    enum st wait(const char *doing, struct err *err) const { return cuda_check(cudaStreamSynchronize(at), doing, err); }
};

struct cuda_event {
    cudaEvent_t at = nullptr;

    cuda_event() = default;
    cuda_event(const cuda_event &) = delete;
    cuda_event &operator=(const cuda_event &) = delete;
    ~cuda_event() { close(); }
    /* On the current device; open may follow close. */
    enum st open(struct err *err) { return cuda_check(cudaEventCreate(&at), "making an event", err); }
    void close()
    {
        if (at) cuda_ignore(cudaEventDestroy(at));
        at = nullptr;
    }
    enum st record(cudaStream_t stream, struct err *err)
    {
        return cuda_check(cudaEventRecord(at, stream), "recording an event", err);
    }
    enum st wait(const char *doing, struct err *err) const { return cuda_check(cudaEventSynchronize(at), doing, err); }
    /* Seconds from this event to a later one, both of which have happened; 0 when CUDA cannot say. */
    double until(const cuda_event &later) const
    {
        float ms = 0;
        return cudaEventElapsedTime(&ms, at, later.at) == cudaSuccess ? 1e-3 * ms : 0;
    }
};

/* Sets `bytes` bytes of device memory to 0, in the stream. */
static inline enum st cuda_clear(void *at, uint64_t bytes, cudaStream_t stream, struct err *err)
{
    return bytes ? cuda_check(cudaMemsetAsync(at, 0, bytes, stream), "clearing GPU memory", err) : ST_OK;
}

#endif
