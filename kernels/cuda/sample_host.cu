/* sample_host.cu - pinned memory of the host: staging buffers for copies, and arrays that kernels read in place
 * (sample.cuh). */
#include "kernels/cuda/sample.cuh"
#include <cstring>
#include "kernels/host.h"
extern "C" {
#include "base/units.h"
}

enum st sample_pinned::take(uint64_t count, const char *what, struct err *err)
{
    char needed[UNIT_TEXT];
    uint64_t limit = mem_limit(), used = mem_in_use();
    if (limit && (used > limit || count > limit - used))
        return err_set(err, ST_LIMIT,
                       "memory: %s needs %s that cannot be paged out, beyond the limit; raise --memory or use --device "
                       "cpu",
                       what, units_bytes(needed, count));
    cudaError_t code = cudaHostAlloc(&at, count ? count : 1, cudaHostAllocPortable | cudaHostAllocMapped);
    if (code != cudaSuccess) at = nullptr;
    bytes = count;
    if (code != cudaErrorMemoryAllocation) return cuda_check(code, what, err);
    (void)cudaGetLastError();
    return err_set(err, ST_LIMIT,
                   "%s needs %s of the host's memory that cannot be paged out, and the system refused; use --device "
                   "cpu",
                   what, units_bytes(needed, count));
}

/* Registers in place: read-only pages (a mapped file) first, which not every driver takes. */
static bool registered_in_place(void *host, uint64_t bytes)
{
    const unsigned flags = cudaHostRegisterPortable | cudaHostRegisterMapped;
    if (cudaHostRegister(host, bytes, flags | cudaHostRegisterReadOnly) == cudaSuccess) return true;
    (void)cudaGetLastError();
    if (cudaHostRegister(host, bytes, flags) == cudaSuccess) return true;
    (void)cudaGetLastError();
    return false;
}

enum st sample_mapped::map(const void *host, uint64_t bytes, int threads, struct err *err)
{
    void *here = const_cast<void *>(host), *there = nullptr; /* read only */
    if (bytes && registered_in_place(here, bytes)) {
        registered = here;
        if (cudaHostGetDevicePointer(&there, here, 0) == cudaSuccess) {
            at = there;
            return ST_OK;
        }
        (void)cudaGetLastError();
    }
    CUDA_TRY(copy.take(bytes, "a copy of the graph for the GPU to read", err));
    if (bytes) host_copy(threads, copy.at, host, bytes);
    CUDA_TRY(cuda_check(cudaHostGetDevicePointer(&there, copy.at, 0), "showing the graph to the GPU", err));
    at = there;
    return ST_OK;
}

/* ---- staging ---- */

enum st sample_staging::make(int host_threads, struct err *err)
{
    threads = host_threads > 1 ? host_threads : 1;
    for (int b = 0; b < 2; b++) {
        CUDA_TRY(buffer[b].take(SAMPLE_PIECE, "copying to the GPU", err));
        CUDA_TRY(stream[b].open(err));
    }
    return ST_OK;
}

enum st sample_staging::flush(struct err *err)
{
    if (!used) return ST_OK;
    CUDA_TRY(cuda_check(cudaMemcpyAsync(to, buffer[turn].at, used, cudaMemcpyHostToDevice, stream[turn].at),
                        "copying to the GPU", err));
    to += used;
    used = 0;
    turn ^= 1;
    return stream[turn].wait("drawing mini-batches",
                             err); /* what the other buffer held has gone before it is filled again */
}

enum st sample_staging::add(const void *host, uint64_t bytes, struct err *err)
{
    const char *from = static_cast<const char *>(host);
    while (bytes) {
        uint64_t here = bytes < SAMPLE_PIECE - used ? bytes : SAMPLE_PIECE - used;
        host_copy(threads, static_cast<char *>(buffer[turn].at) + used, from, here);
        used += here;
        from += here;
        bytes -= here;
        if (used == SAMPLE_PIECE) CUDA_TRY(flush(err));
    }
    return ST_OK;
}

enum st sample_staging::wait(struct err *err)
{
    CUDA_TRY(flush(err));
    for (int b = 0; b < 2; b++) CUDA_TRY(stream[b].wait("drawing mini-batches", err));
    return ST_OK;
}

enum st sample_staging::add_out(uint32_t *host, const uint32_t *device, uint64_t count, struct err *err)
{
    const uint64_t most = SAMPLE_PIECE / sizeof *host, pieces = (count + most - 1) / most;
    for (uint64_t i = 0; i <= pieces; i++) { /* piece i is on its way while piece i - 1 is added */
        uint64_t at = i * most, behind = at - most;
        if (i < pieces)
            CUDA_TRY(cuda_check(cudaMemcpyAsync(buffer[i % 2].at, device + at,
                                                (count - at < most ? count - at : most) * sizeof *host,
                                                cudaMemcpyDeviceToHost, stream[i % 2].at),
                                "copying from the GPU", err));
        if (!i) continue;
        CUDA_TRY(stream[(i - 1) % 2].wait("drawing mini-batches", err));
        host_add(threads, host + behind, static_cast<const uint32_t *>(buffer[(i - 1) % 2].at),
                 count - behind < most ? count - behind : most);
    }
    return ST_OK;
}
