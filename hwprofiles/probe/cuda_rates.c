#define _GNU_SOURCE
#include "hwprofiles/probe/cuda_rates.h"

#include <dlfcn.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "hwprofiles/probe/driver_library.h"

enum { COPIES = 5 };

/* ---- the driver's interface ---- */

typedef int cu_device;
typedef void *cu_context;
typedef unsigned long long cu_pointer;

struct cuda {
    void *handle;
    int (*init)(unsigned), (*by_address)(cu_device *, const char *), (*error)(int, const char **);
    int (*retain)(cu_context *, cu_device), (*release)(cu_device), (*enter)(cu_context), (*wait)(void);
    int (*alloc)(cu_pointer *, size_t), (*free)(cu_pointer), (*pin)(void **, size_t, unsigned), (*unpin)(void *);
    int (*to_device)(cu_pointer, const void *, size_t), (*inside)(cu_pointer, cu_pointer, size_t);
    int (*may_reach)(int *, cu_device, cu_device), (*reach)(cu_context, unsigned),
        (*between)(cu_pointer, cu_context, cu_pointer, cu_context, size_t);
};

static bool load_symbols(struct cuda *c)
{
    const struct driver_symbol symbols[] = {{"cuInit", &c->init, false},
                                            {"cuDeviceGetByPCIBusId", &c->by_address, false},
                                            {"cuGetErrorString", &c->error, false},
                                            {"cuDevicePrimaryCtxRetain", &c->retain, false},
                                            {"cuDevicePrimaryCtxRelease_v2", &c->release, false},
                                            {"cuCtxSetCurrent", &c->enter, false},
                                            {"cuCtxSynchronize", &c->wait, false},
                                            {"cuMemAlloc_v2", &c->alloc, false},
                                            {"cuMemFree_v2", &c->free, false},
                                            {"cuMemHostAlloc", &c->pin, false},
                                            {"cuMemFreeHost", &c->unpin, false},
                                            {"cuMemcpyHtoD_v2", &c->to_device, false},
                                            {"cuMemcpyDtoD_v2", &c->inside, false},
                                            {"cuDeviceCanAccessPeer", &c->may_reach, false},
                                            {"cuCtxEnablePeerAccess", &c->reach, false},
                                            {"cuMemcpyPeer", &c->between, false}};
    return driver_library_find(c->handle, symbols, sizeof symbols / sizeof *symbols);
}

static enum st cuda_rates_check(const struct cuda *c, int code, const char *what, int gpu, struct err *err)
{
    const char *why = NULL;
    if (!code) return ST_OK;
    c->error(code, &why);
    return err_set(err, ST_MISSING, "GPU %d: %s failed (%s); leave --measure out, or free the GPU", gpu, what,
                   why ? why : "no reason given");
}

static enum st open_library(const char *library, struct cuda *c, struct err *err)
{
    c->handle = dlopen(library ? library : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!c->handle || !load_symbols(c))
        return err_set(err, ST_MISSING,
                       "--measure: no CUDA driver was found (libcuda.so.1 cannot be opened or is too old); leave "
                       "--measure out");
    return cuda_rates_check(c, c->init(0), "starting CUDA", 0, err);
}

/* ---- one GPU's buffers ---- */

struct gpu_buffers {
    cu_device device;
    cu_context context; /* NULL: not retained */
    cu_pointer from, to;
    void *host;
};

static enum st make_buffers(const struct cuda *c, int gpu, const char *address, size_t bytes, struct gpu_buffers *b,
                            struct err *err)
{
    PASS(cuda_rates_check(c, c->by_address(&b->device, address), "looking it up by its PCI address", gpu, err));
    PASS(cuda_rates_check(c, c->retain(&b->context, b->device), "taking it", gpu, err));
    PASS(cuda_rates_check(c, c->enter(b->context), "entering it", gpu, err));
    PASS(cuda_rates_check(c, c->alloc(&b->from, bytes), "allocating device memory", gpu, err));
    PASS(cuda_rates_check(c, c->alloc(&b->to, bytes), "allocating device memory", gpu, err));
    PASS(cuda_rates_check(c, c->pin(&b->host, bytes, 1), "pinning host memory", gpu, err)); /* 1: for all GPUs */
    memset(b->host, 1, bytes);
    return ST_OK;
}

static void release_buffers(const struct cuda *c, struct gpu_buffers *b)
{
    if (!b->context) return;
    c->enter(b->context);
    if (b->from) c->free(b->from);
    if (b->to) c->free(b->to);
    if (b->host) c->unpin(b->host);
    c->enter(NULL);
    c->release(b->device);
}

/* ---- measuring ---- */

static double gbps(size_t bytes, double seconds) { return seconds > 0 ? 1e-9 * (double)bytes / seconds : 0; }

/* Copies inside one GPU: every byte is read and written. */
static enum st measure_memory(const struct cuda *c, int gpu, const struct gpu_buffers *b, size_t bytes, double *out,
                              struct err *err)
{
    PASS(cuda_rates_check(c, c->enter(b->context), "entering it", gpu, err));
    for (int i = 0; i <= COPIES; i++) {
        double began = clock_seconds();
        PASS(cuda_rates_check(c, c->inside(b->to, b->from, bytes), "a copy in its memory", gpu, err));
        PASS(cuda_rates_check(c, c->wait(), "a copy in its memory", gpu, err));
        if (i) *out = fmax(*out, gbps(2 * bytes, clock_seconds() - began));
    }
    return ST_OK;
}

/* Copies to all GPUs of the list at once, one thread each; *out: their sum. */
static enum st measure_uplink(const struct cuda *c, const int *gpu, int count, const struct gpu_buffers *buffers,
                              size_t bytes, double *out, struct err *err)
{
    int bad = 0, bad_gpu = 0;
    for (int i = 0; i <= COPIES && !bad; i++) {
        double began = clock_seconds();
#pragma omp parallel for num_threads(count) schedule(static, 1)
        for (int k = 0; k < count; k++) {
            const struct gpu_buffers *b = &buffers[gpu[k]];
            int code = c->enter(b->context);
            if (!code) code = c->to_device(b->to, b->host, bytes);
            if (!code) continue;
#pragma omp critical
            {
                bad = code;
                bad_gpu = gpu[k];
            }
        }
        if (i) *out = fmax(*out, gbps(bytes * (size_t)count, clock_seconds() - began));
    }
    return cuda_rates_check(c, bad, "a copy from host memory", bad_gpu, err);
}

/* Copies from GPU a to GPU b. *out stays 0 when the driver does not let b read a. */
static enum st measure_link(const struct cuda *c, int a, int b, const struct gpu_buffers *buffers, size_t bytes,
                            double *out, struct err *err)
{
    int may = 0;
    PASS(cuda_rates_check(c, c->may_reach(&may, buffers[b].device, buffers[a].device), "asking for its peers", b, err));
    if (!may) return ST_OK;
    PASS(cuda_rates_check(c, c->enter(buffers[b].context), "entering it", b, err));
    c->reach(buffers[a].context, 0); /* fails when it was enabled before */
    for (int i = 0; i <= COPIES; i++) {
        double began = clock_seconds();
        PASS(cuda_rates_check(c,
                              c->between(buffers[b].to, buffers[b].context, buffers[a].from, buffers[a].context, bytes),
                              "a copy from a peer", b, err));
        PASS(cuda_rates_check(c, c->wait(), "a copy from a peer", b, err));
        if (i) *out = fmax(*out, gbps(bytes, clock_seconds() - began));
    }
    return ST_OK;
}

static enum st measure_memories(const struct cuda *c, const struct gpu_buffers *buffers, size_t bytes, struct server *s,
                                struct err *err)
{
    for (int g = 0; g < s->gpus; g++) {
        s->gpu[g].memory_gbps = 0;
        PASS(measure_memory(c, g, &buffers[g], bytes, &s->gpu[g].memory_gbps, err));
    }
    return ST_OK;
}

/* The slowest of the switches, each with all its GPUs busy. */
static enum st measure_uplinks(const struct cuda *c, const struct gpu_buffers *buffers, size_t bytes, struct server *s,
                               struct err *err)
{
    double least = INFINITY;
    bool seen[SERVER_GPUS_MAX] = {false};
    for (int g = 0; g < s->gpus; g++) {
        int list[SERVER_GPUS_MAX], count = 0;
        double rate = 0;
        for (int b = g; b < s->gpus && !seen[g]; b++)
            if (b == g || (s->gpu[g].pcie_switch >= 0 && s->gpu[b].pcie_switch == s->gpu[g].pcie_switch)) {
                list[count++] = b;
                seen[b] = true;
            }
        if (!count) continue;
        PASS(measure_uplink(c, list, count, buffers, bytes, &rate, err));
        least = fmin(least, rate);
    }
    if (!isinf(least)) s->pcie_gbps = least;
    return ST_OK;
}

static enum st measure_links(const struct cuda *c, const struct gpu_buffers *buffers, size_t bytes, struct server *s,
                             struct err *err)
{
    for (int a = 0; a < s->gpus; a++)
        for (int b = a + 1; b < s->gpus; b++) {
            double there = 0, back = 0;
            if (!s->links[a][b]) continue;
            PASS(measure_link(c, a, b, buffers, bytes, &there, err));
            PASS(measure_link(c, b, a, buffers, bytes, &back, err));
            if (there > 0 && back > 0) s->link_gbps[a][b] = s->link_gbps[b][a] = fmin(there, back);
        }
    return ST_OK;
}

enum st cuda_rates_measure(const char *library, const char (*bus_id)[32], uint64_t bytes, struct server *s,
                           struct err *err)
{
    struct cuda c = {0};
    struct gpu_buffers *buffers = NULL;
    enum st st;
    NEW(buffers, s->gpus, "buffers for measured copies");
    TRY(open_library(library, &c, err));
    for (int g = 0; g < s->gpus; g++) TRY(make_buffers(&c, g, bus_id[g], bytes, &buffers[g], err));
    TRY(measure_memories(&c, buffers, bytes, s, err));
    TRY(measure_uplinks(&c, buffers, bytes, s, err));
    TRY(measure_links(&c, buffers, bytes, s, err));
done:
    for (int g = 0; buffers && g < s->gpus && c.handle; g++) release_buffers(&c, &buffers[g]);
    mem_free(buffers);
    if (c.handle) dlclose(c.handle);
    return st;
}
