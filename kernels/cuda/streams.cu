/* streams.cu - copies through two pinned buffers. */
#include "kernels/cuda/streams.cuh"
extern "C" {
#include "kernels/cpu/copy.h"
}

enum st cuda_pipe::open(int team, uint64_t most, struct err *err)
{
    threads = team;
    bytes = most < CUDA_PIPE_BYTES ? most : CUDA_PIPE_BYTES;
    for (int b = 0; b < 2; b++) {
        CUDA_TRY(buffer[b].take(bytes, "buffers for copies", err));
        CUDA_TRY(over[b].open(err));
    }
    return ST_OK;
}

enum st cuda_pipe::in(void *device, const void *host, uint64_t count, cudaStream_t stream, struct err *err)
{
    for (uint64_t from = 0; from < count; turn ^= 1) {
        uint64_t here = count - from < bytes ? count - from : bytes;
        if (busy[turn]) CUDA_TRY(over[turn].wait("copying to the GPU", err));
        cpu_copy(threads, buffer[turn].at, static_cast<const char *>(host) + from, here);
        CUDA_TRY(cuda_check(cudaMemcpyAsync(static_cast<char *>(device) + from, buffer[turn].at, here,
                                            cudaMemcpyHostToDevice, stream),
                            "copying to the GPU", err));
        CUDA_TRY(over[turn].record(stream, err));
        busy[turn] = true;
        from += here;
    }
    return ST_OK;
}

enum st cuda_pipe::out(void *host, const void *device, uint64_t count, cudaStream_t stream, struct err *err)
{
    uint64_t begun = 0, done = 0, here[2] = {0, 0};
    int first = turn; /* the buffer that holds what comes next */
    for (int b = 0; b < 2; b++)
        if (busy[b]) CUDA_TRY(over[b].wait("copying from the GPU", err));
    busy[0] = busy[1] = false;
    while (done < count) {
        for (; begun < count && !busy[turn]; turn ^= 1) {
            here[turn] = count - begun < bytes ? count - begun : bytes;
            CUDA_TRY(cuda_check(cudaMemcpyAsync(buffer[turn].at, static_cast<const char *>(device) + begun, here[turn],
                                                cudaMemcpyDeviceToHost, stream),
                                "copying from the GPU", err));
            CUDA_TRY(over[turn].record(stream, err));
            busy[turn] = true;
            begun += here[turn];
        }
        CUDA_TRY(over[first].wait("copying from the GPU", err));
        cpu_copy(threads, static_cast<char *>(host) + done, buffer[first].at, here[first]);
        done += here[first];
        busy[first] = false;
        first ^= 1;
    }
    return ST_OK;
}
