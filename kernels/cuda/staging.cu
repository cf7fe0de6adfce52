/* staging.cu - pinned host memory, and copies through two pinned buffers (staging.cuh). */
#include "kernels/cuda/staging.cuh"
#include "base/units.h"
#include "kernels/host.h"

enum st cuda_allocate_pinned(void **block, uint64_t bytes, const char *what, struct err *err)
{
    char needed[UNIT_TEXT];
    uint64_t limit = mem_limit(), used = mem_in_use();
    if (limit && (used > limit || bytes > limit - used))
        return err_set(err, ST_LIMIT,
                       "memory: %s needs %s of pinned host memory, beyond the limit; raise --memory or use --device "
                       "cpu",
                       what, units_bytes(needed, bytes));
    cudaError_t code = cudaHostAlloc(block, bytes ? bytes : 1, cudaHostAllocPortable | cudaHostAllocMapped);
    if (code != cudaErrorMemoryAllocation) return cuda_check(code, what, err);
    (void)cudaGetLastError();
    return err_set(err, ST_LIMIT, "memory for %s: the system refused %s of pinned host memory; use --device cpu", what,
                   units_bytes(needed, bytes));
}

/* ---- arrays that kernels read in place ---- */

/* Pins an array where it lies. Pages that are read-only (a mapped file) are tried first; not every driver pins them. */
static bool pin_in_place(void *host, uint64_t bytes)
{
    const unsigned flags = cudaHostRegisterPortable | cudaHostRegisterMapped;
    if (cudaHostRegister(host, bytes, flags | cudaHostRegisterReadOnly) == cudaSuccess) return true;
    (void)cudaGetLastError();
    if (cudaHostRegister(host, bytes, flags) == cudaSuccess) return true;
    (void)cudaGetLastError();
    return false;
}

enum st cuda_mapped::map(const void *host, uint64_t bytes, int threads, struct err *err)
{
    void *here = const_cast<void *>(host), *there = nullptr; /* only read */
    if (bytes && pin_in_place(here, bytes)) {
        registered = here;
        if (cudaHostGetDevicePointer(&there, here, 0) == cudaSuccess) {
            at = there;
            return ST_OK;
        }
        (void)cudaGetLastError();
    }
    CUDA_TRY(copy.allocate_pinned(bytes, "a copy of the graph for the GPU to read", err));
    copy_bytes = bytes;
    if (bytes) host_copy(threads, copy.at, host, bytes);
    CUDA_TRY(cuda_check(cudaHostGetDevicePointer(&there, copy.at, 0), "mapping the graph for the GPU", err));
    at = there;
    return ST_OK;
}

/* ---- staged copies ---- */

enum st cuda_staging::open(int host_threads, uint64_t most, struct err *err)
{
    threads = host_threads > 1 ? host_threads : 1;
    bytes = most < CUDA_STAGING_BYTES ? (most + 15) / 16 * 16 : CUDA_STAGING_BYTES; /* whole elements of any type */
    bytes = bytes ? bytes : 16;
    for (int b = 0; b < 2; b++) {
        CUDA_TRY(buffer[b].allocate(bytes, "buffers for copies", err));
        CUDA_TRY(over[b].open(err));
    }
    return ST_OK;
}

enum st cuda_staging::flush(cudaStream_t stream, struct err *err)
{
    if (!used) return ST_OK;
    CUDA_TRY(cuda_check(cudaMemcpyAsync(to, buffer[turn].at, used, cudaMemcpyHostToDevice, stream),
                        "copying to the GPU", err));
    CUDA_TRY(over[turn].record(stream, err));
    busy[turn] = true;
    to += used;
    used = 0;
    turn ^= 1;
    return ST_OK;
}

enum st cuda_staging::append(const void *host, uint64_t count, cudaStream_t stream, struct err *err)
{
    const char *from = static_cast<const char *>(host);
    while (count) {
        uint64_t here = count < bytes - used ? count : bytes - used;
        if (!used && busy[turn]) CUDA_TRY(over[turn].wait("copying to the GPU", err));
        host_copy(threads, buffer[turn].at + used, from, here);
        used += here;
        from += here;
        count -= here;
        if (used == bytes) CUDA_TRY(flush(stream, err));
    }
    return ST_OK;
}

enum st cuda_staging::to_device(void *device, const void *host, uint64_t count, cudaStream_t stream, struct err *err)
{
    begin(device);
    CUDA_TRY(append(host, count, stream, err));
    return flush(stream, err);
}

/* Calls empty(offset, buffer, bytes) for piece after piece of a device array: one piece is copied while another is
 * emptied. */
template <class Empty>
enum st cuda_staging::drain(const void *device, uint64_t count, cudaStream_t stream, Empty empty, struct err *err)
{
    uint64_t begun = 0, done = 0, here[2] = {0, 0};
    int first = turn; /* the buffer of the next piece */
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
        empty(done, buffer[first].at, here[first]);
        done += here[first];
        busy[first] = false;
        first ^= 1;
    }
    return ST_OK;
}

enum st cuda_staging::to_host(void *host, const void *device, uint64_t count, cudaStream_t stream, struct err *err)
{
    return drain(
        device, count, stream,
        [&](uint64_t at, const char *from, uint64_t n) { host_copy(threads, static_cast<char *>(host) + at, from, n); },
        err);
}

enum st cuda_staging::add_to_host(uint32_t *host, const uint32_t *device, uint64_t count, cudaStream_t stream,
                                  struct err *err)
{
    return drain(
        device, count * sizeof *host, stream,
        [&](uint64_t at, const char *from, uint64_t n) {
            host_add(threads, host + at / sizeof *host, reinterpret_cast<const uint32_t *>(from), n / sizeof *host);
        },
        err);
}
