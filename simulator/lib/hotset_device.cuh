/* hotset_device.cuh - what hotset_store.cu and hotset_sampler.cu have in common: errors of CUDA as hotset's, the
 * current device, host memory that is pinned once for all that read it, memory of peers.
 */
#ifndef SIMULATOR_LIB_HOTSET_DEVICE_CUH
#define SIMULATOR_LIB_HOTSET_DEVICE_CUH

#include "simulator/lib/hotset_store.h"

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

namespace hotset_device
{

/* Host memory that this process pinned, once for all that read it: the last one unpins. */
struct pinned {
    struct pinned *next;
    char *base;
    uint64_t bytes, users;
};

inline int say(hotset_error *error, int code, const char *what, const char *why)
{
    if (error) {
        error->code = code;
        snprintf(error->text, sizeof error->text, "%s%s", what, why);
    }
    return code;
}

/* HOTSET_OK, or what CUDA said. */
inline int cuda(cudaError_t code, const char *what, hotset_error *error)
{
    if (code == cudaSuccess) return say(error, HOTSET_OK, "", "");
    (void)cudaGetLastError(); /* so that nobody else finds it */
    return say(error, code == cudaErrorMemoryAllocation ? HOTSET_LIMIT : HOTSET_MISSING, what,
               cudaGetErrorString(code));
}
/* In functions with `error`; WHO: a literal, who says it. */
#define TRY(call, what)                                                                                                \
    do {                                                                                                               \
        int code_ = hotset_device::cuda(call, WHO ": " what ": ", error);                                              \
        if (code_ != HOTSET_OK) return code_;                                                                          \
    } while (0)

/* The device of a store, until the end of a call. */
struct on_device {
    int was = 0;
    cudaError_t code;
    explicit on_device(int device) : now(device)
    {
        code = cudaGetDevice(&was);
        if (was != device) code = cudaSetDevice(device);
    }
    ~on_device()
    {
        if (was != now) (void)cudaSetDevice(was);
    }

  private:
    int now;
};

/* What `mine` does from now on comes after what `stream` holds now. */
inline int come_after(cudaStream_t mine, cudaEvent_t before, void *stream, hotset_error *error)
{
    int code = cuda(cudaEventRecord(before, (cudaStream_t)stream), "hotset: an event in the caller's stream: ", error);
    if (code == HOTSET_OK)
        code = cuda(cudaStreamWaitEvent(mine, before, 0), "hotset: waiting for the caller's stream: ", error);
    return code;
}

/* Gives out parts of a piece of the GPU's memory; without one it measures. */
struct parts {
    char *base;
    uint64_t used;
    template <class T> void give(T **to, uint64_t count)
    {
        *to = base ? (T *)(void *)(base + used) : nullptr;
        used += (count * sizeof(T) + 255) / 256 * 256;
    }
};

inline pinned *all_pinned;
inline pthread_mutex_t pinning = PTHREAD_MUTEX_INITIALIZER;

/* *out: what has these bytes, pinned before or now; NULL where the caller has pinned them. */
inline cudaError_t pin(const void *at, uint64_t bytes, bool by_caller, pinned **out)
{
    char *base = (char *)(uintptr_t)at;
    cudaError_t code = cudaSuccess;
    pthread_mutex_lock(&pinning);
    pinned *p = all_pinned;
    while (p && (base < p->base || base + bytes > p->base + p->bytes)) p = p->next;
    if (!p && !by_caller && bytes) {
        p = (pinned *)malloc(sizeof *p);
        code = p ? cudaHostRegister(base, bytes, cudaHostRegisterPortable) : cudaErrorMemoryAllocation;
        if (code == cudaSuccess) *p = {all_pinned, base, bytes, 0}, all_pinned = p;
        else free(p), p = nullptr;
    }
    if (p) p->users++;
    pthread_mutex_unlock(&pinning);
    *out = p;
    return code;
}

inline void unpin(pinned *p)
{
    pthread_mutex_lock(&pinning);
    if (p && !--p->users) {
        pinned **at = &all_pinned;
        while (*at != p) at = &(*at)->next;
        *at = p->next;
        (void)cudaHostUnregister(p->base);
        free(p);
    }
    pthread_mutex_unlock(&pinning);
}

/* Two numbers that no other process has. */
inline const uint64_t *this_process()
{
    static uint64_t number[2];
    if (!number[0]) {
        if (getrandom(number, sizeof number, 0) != (ssize_t)sizeof number) number[1] = (uint64_t)(uintptr_t)&number;
        number[0] |= 1;
    }
    return number;
}

/* What another process needs to open memory of this one. H: struct hotset_store_handle, or what has the same members.
 */
template <class H> cudaError_t say_place(void *base, int device, H *out)
{
    cudaIpcMemHandle_t ipc;
    static_assert(sizeof ipc <= sizeof out->ipc, "an IPC handle fits");
    cudaError_t code = cudaIpcGetMemHandle(&ipc, base);
    memset(out, 0, sizeof *out);
    memcpy(out->process, this_process(), sizeof out->process);
    out->base = (uint64_t)(uintptr_t)base, out->device = device;
    if (code == cudaSuccess) memcpy(out->ipc, &ipc, sizeof ipc);
    return code;
}

/* *base: where `device`, which is current, reads that memory. *opened: the same, to be closed by cudaIpcCloseMemHandle;
 * unchanged where the memory is of this process. */
template <class H> cudaError_t open_place(const H *from, int device, void **base, void **opened)
{
    cudaIpcMemHandle_t ipc;
    cudaError_t code = cudaSuccess;
    *base = (void *)(uintptr_t)from->base;
    if (memcmp(from->process, this_process(), sizeof from->process)) {
        memcpy(&ipc, from->ipc, sizeof ipc);
        code = cudaIpcOpenMemHandle(base, ipc, cudaIpcMemLazyEnablePeerAccess);
        if (code == cudaSuccess) *opened = *base;
    } else if (from->device != device) code = cudaDeviceEnablePeerAccess(from->device, 0);
    if (code != cudaErrorPeerAccessAlreadyEnabled) return code;
    (void)cudaGetLastError();
    return cudaSuccess;
}

/* A table of look-ups of `own` over a graph of at most `vertices`, and ids of vertices of it. */
inline int check_plan(const hotset_lookup *table, uint32_t own, uint64_t vertices, const uint32_t *ids, uint64_t rows,
                      const char *wrong, hotset_error *error)
{
    if (!table || memcmp(table->magic, "hslook1", 8) || table->reader != own || table->vertices > vertices)
        return say(error, HOTSET_USAGE, wrong, "");
    if (rows && !ids) return say(error, HOTSET_USAGE, "hotset: ids must be given", "");
    for (uint64_t k = 0; k < rows; k++)
        if (ids[k] >= table->vertices)
            return say(error, HOTSET_USAGE, "hotset: ids must be below the table's vertices", "");
    return HOTSET_OK;
}

} // namespace hotset_device

#endif
