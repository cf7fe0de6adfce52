/* cudart.c - the CUDA runtime, as far as hotset and CUB call it, on the interpreter (ptx.h). It is linked in
 * libcudart's place. Kernels are found in the PTX that nvcc embeds (-gencode arch=..,code=compute_75, not compressed).
 *
 * Work in streams is kept in queues and done when someone waits for it, or by chance before: host code that reads too
 * early, or forgets an event, sees old bytes. HOTSET_PTX_LAZY=0 does everything at once. Variables that tests/emulated
 * has, too: HOTSET_EMULATED_DEVICES, _MEMORY (bytes of each), _FAIL (this call fails), _NO_REGISTER, _PCIE, _L2.
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/ptx/ptx.h"

enum { FATBIN_MAGIC = 0xBA55ED50, KIND_PTX = 1, STREAMS_MAX = 1024, FUNCTIONS_MAX = 4096 };

struct fatbin_wrapper {
    u32 magic, version;
    const u8 *data;
    void *unused;
};
struct fatbin_header {
    u32 magic;
    u16 version, header_bytes;
    u64 bytes;
};
struct fatbin_entry {
    u16 kind, unknown;
    u32 header_bytes;
    u64 bytes;
    u32 compressed_bytes;
};

enum task_kind { LAUNCH, COPY, FILL, RECORD, AWAIT };
struct task {
    enum task_kind kind;
    struct kernel *kernel;
    u32 blocks[3], threads[3], dynamic_shared;
    u8 *params, *staged; /* owned */
    void *to;
    const void *from;
    size_t bytes;
    int value;
    struct CUevent_st *event;
    struct CUstream_st *other;
    u64 until; /* AWAIT: tasks of the other stream that must be done */
    struct order_clock clock;
    struct block_of_memory *to_block, *from_block; /* COPY, FILL: where they lie, NULL: pageable */
    u64 to_byte, from_byte;
    struct task *next;
};
struct CUstream_st {
    int device;
    bool blocking, busy;
    u32 actor;
    u64 queued, done;
    struct order_clock clock;
    struct task *first, **end;
};
struct CUevent_st {
    struct CUstream_st *stream; /* NULL: never recorded */
    u64 until;
    struct order_clock clock;
    struct timespec at;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUstream_st *streams[STREAMS_MAX], null_stream[DEVICES_MAX];
static u32 streams_count;
static struct {
    const void *stub;
    struct kernel *kernel;
} functions[FUNCTIONS_MAX];
static u32 functions_count;
static struct order_clock host; /* what the host has waited for */
static bool linked[DEVICES_MAX][DEVICES_MAX];
static long calls, others; /* others: streams and events not given back */
static __thread int current;
static __thread cudaError_t last_error;
static __thread struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} call;

static u64 setting(const char *name, u64 otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}
static int devices(void)
{
    u64 n = setting("HOTSET_EMULATED_DEVICES", 1);
    return n > DEVICES_MAX ? DEVICES_MAX : (int)n;
}
static u64 memory_of_device(void) { return setting("HOTSET_EMULATED_MEMORY", (u64)4 << 30); }
u64 ptx_calls(void) { return (u64)calls; }
static bool fails(void) { return ++calls == (long)setting("HOTSET_EMULATED_FAIL", 0); }
static cudaError_t said(cudaError_t code)
{
    if (code != cudaSuccess && code != cudaErrorNotReady) last_error = code;
    return code;
}
/* Every call is alone. */
static void enter(void)
{
    pthread_mutex_lock(&lock);
    options_read();
}
static cudaError_t leave(cudaError_t code)
{
    pthread_mutex_unlock(&lock);
    return said(code);
}

bool peer_allowed(int from, int to) { return linked[from][to]; }

static void say_left(void)
{
    /* variables of modules are blocks of devices, too */
    u64 variables = 0;
    for (struct module *m = modules; m; m = m->next) variables += m->globals;
    u64 blocks = memory_living(MEMORY_DEVICE) - variables, host = memory_living(MEMORY_HOST);
    if (blocks || host || others)
        fprintf(stderr, "ptx: %llu device blocks, %llu host blocks, %ld streams and events were never given back\n",
                (unsigned long long)blocks, (unsigned long long)host, others);
}

/* ---- streams ---- */

static void do_task(struct CUstream_st *s, struct task *t);

static void run_until(struct CUstream_st *s, u64 until)
{
    while (s->done < until) {
        struct task *t = s->first;
        do_task(s, t);
        s->first = t->next;
        if (!s->first) s->end = &s->first;
        s->done++;
        free(t->params);
        free(t->staged);
        free(t);
    }
}

static void touched(struct block_of_memory *b, u64 byte, const struct task *t, enum order_kind kind)
{
    const char *wrong = b ? order_touch(b, byte, t->bytes, kind) : NULL;
    if (!wrong) return;
    fflush(stdout);
    fprintf(stderr, "ptx fault: %s, in a copy\n", wrong);
    _Exit(FAULT_CODE);
}

static void do_task(struct CUstream_st *s, struct task *t)
{
    order_work(&t->clock, s->actor);
    touched(t->from_block, t->from_byte, t, ORDER_READ);
    touched(t->to_block, t->to_byte, t, ORDER_WRITE);
    switch (t->kind) {
    case LAUNCH: grid_run(t->kernel, t->blocks, t->threads, t->dynamic_shared, t->params, s->device); break;
    case COPY: memmove(t->to, t->from, t->bytes); break;
    case FILL: memset(t->to, t->value, t->bytes); break;
    case RECORD:
        if (t->event->stream == s && t->event->until == s->done + 1) clock_gettime(CLOCK_MONOTONIC, &t->event->at);
        break;
    case AWAIT: run_until(t->other, t->until);
    }
}

static void run_all(void)
{
    for (u32 i = 0; i < streams_count; i++) run_until(streams[i], streams[i]->queued);
    for (int d = 0; d < DEVICES_MAX; d++) run_until(&null_stream[d], null_stream[d].queued);
    for (u32 i = 0; i < streams_count; i++) order_join(&host, &streams[i]->clock);
    for (int d = 0; d < DEVICES_MAX; d++) order_join(&host, &null_stream[d].clock);
}

static u32 new_actor(void) { return options.order ? order_actor() : 0; }

static struct CUstream_st *stream_of(cudaStream_t s)
{
    if (s && s != cudaStreamLegacy && s != cudaStreamPerThread) return s;
    struct CUstream_st *null = &null_stream[current];
    if (!null->end)
        *null = (struct CUstream_st){.device = current, .blocking = true, .end = &null->first, .actor = new_actor()};
    return null;
}

static struct task *append(struct CUstream_st *s, enum task_kind kind)
{
    struct task *t = calloc(1, sizeof *t);
    if (!t) abort();
    t->kind = kind;
    *s->end = t;
    s->end = &t->next;
    s->queued++;
    order_join(&s->clock, &host);
    s->clock.of[s->actor] = (u32)s->queued;
    t->clock = s->clock;
    return t;
}

static void append_wait(struct CUstream_st *s, struct CUstream_st *other)
{
    order_join(&s->clock, &other->clock);
    if (s == other || other->done == other->queued) return;
    struct task *t = append(s, AWAIT);
    t->other = other;
    t->until = other->queued;
}

/* A task at the end of a stream; the default stream and those that respect it wait for each other. */
static struct task *queue(struct CUstream_st *s, enum task_kind kind)
{
    struct CUstream_st *null = &null_stream[s->device];
    if (s == null) {
        for (u32 i = 0; i < streams_count; i++)
            if (streams[i]->blocking && streams[i]->device == s->device) append_wait(s, streams[i]);
    } else if (s->blocking && null->end) append_wait(s, null);
    return append(s, kind);
}

/* After something was queued: all of it now, or a part by chance. */
static void go_on(struct CUstream_st *s)
{
    if (!options.lazy) run_until(s, s->queued);
    else if (!chance(4) && s->done < s->queued) run_until(s, s->done + 1);
    else if (!chance(4) && streams_count) {
        struct CUstream_st *other = streams[chance(streams_count)];
        if (other->done < other->queued) run_until(other, other->done + 1);
    }
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    enter();
    if (fails() || streams_count == STREAMS_MAX) return leave(cudaErrorNotSupported);
    struct CUstream_st *s = calloc(1, sizeof *s);
    *s = (struct CUstream_st){.device = current,
                              .blocking = !(flags & cudaStreamNonBlocking),
                              .end = &s->first,
                              .actor = new_actor()};
    streams[streams_count++] = s;
    others++;
    *out = s;
    return leave(cudaSuccess);
}
cudaError_t cudaStreamCreate(cudaStream_t *out) { return cudaStreamCreateWithFlags(out, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    enter();
    for (u32 i = 0; i < streams_count; i++) {
        if (streams[i] != s) continue;
        run_until(s, s->queued);
        streams[i] = streams[--streams_count];
        others--; /* events may still point to it: it is not freed */
        return leave(cudaSuccess);
    }
    return leave(cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    enter();
    struct CUstream_st *s = stream_of(stream);
    run_until(s, s->queued);
    order_join(&host, &s->clock);
    return leave(cudaSuccess);
}
cudaError_t cudaDeviceSynchronize(void)
{
    enter();
    for (u32 i = 0; i < streams_count; i++)
        if (streams[i]->device == current) {
            run_until(streams[i], streams[i]->queued);
            order_join(&host, &streams[i]->clock);
        }
    run_until(stream_of(NULL), stream_of(NULL)->queued);
    order_join(&host, &stream_of(NULL)->clock);
    return leave(cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t e, unsigned flags)
{
    (void)flags;
    enter();
    struct CUstream_st *s = stream_of(stream);
    order_join(&s->clock, &e->clock);
    if (e->stream && e->stream->done < e->until) {
        struct task *t = queue(s, AWAIT);
        t->other = e->stream;
        t->until = e->until;
    }
    return leave(cudaSuccess);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    (void)flags;
    enter();
    *out = calloc(1, sizeof **out);
    others++;
    return leave(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t *out) { return cudaEventCreateWithFlags(out, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    enter();
    if (e->stream) run_until(e->stream, e->until);
    free(e);
    others--;
    return leave(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t stream)
{
    enter();
    struct CUstream_st *s = stream_of(stream);
    struct task *t;
    if (e->stream) run_until(e->stream, e->until);
    t = queue(s, RECORD);
    t->event = e;
    e->stream = s;
    e->until = s->queued;
    e->clock = s->clock;
    go_on(s);
    return leave(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    enter();
    if (e->stream) run_until(e->stream, e->until);
    order_join(&host, &e->clock);
    return leave(cudaSuccess);
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    enter();
    if (!from->stream || !to->stream) return leave(cudaErrorInvalidResourceHandle);
    if (from->stream->done < from->until || to->stream->done < to->until) return leave(cudaErrorNotReady);
    *ms = (float)(1e3 * (double)(to->at.tv_sec - from->at.tv_sec) + 1e-6 * (double)(to->at.tv_nsec - from->at.tv_nsec));
    return leave(cudaSuccess);
}

/* ---- memory ---- */

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    enter();
    u64 most = memory_of_device(), used = memory_used(current);
    if (fails() || used > most || bytes > most - used) return leave(cudaErrorMemoryAllocation);
    *out = bytes ? (void *)(uintptr_t)memory_make(MEMORY_DEVICE, current, bytes) : NULL;
    return leave(cudaSuccess);
}
cudaError_t cudaFree(void *at)
{
    enter();
    if (!at) return leave(cudaSuccess);
    run_all();
    return leave(memory_free((u64)(uintptr_t)at, MEMORY_DEVICE) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMemGetInfo(size_t *available, size_t *all)
{
    enter();
    u64 used = memory_used(current);
    *all = memory_of_device();
    *available = used < *all ? *all - used : 0;
    return leave(cudaSuccess);
}
cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    enter();
    if (fails()) return leave(cudaErrorNotSupported);
    *out = (void *)(uintptr_t)memory_make(MEMORY_HOST, current, bytes ? bytes : 1);
    return leave(cudaSuccess);
}
cudaError_t cudaMallocHost(void **out, size_t bytes) { return cudaHostAlloc(out, bytes, 0); }
cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    return cudaHostAlloc(out, bytes, 0);
}
cudaError_t cudaFreeHost(void *at)
{
    enter();
    if (!at) return leave(cudaSuccess);
    run_all();
    return leave(memory_free((u64)(uintptr_t)at, MEMORY_HOST) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaHostRegister(void *at, size_t bytes, unsigned flags)
{
    (void)flags;
    enter();
    if (fails() || getenv("HOTSET_EMULATED_NO_REGISTER")) return leave(cudaErrorNotSupported);
    return leave(memory_register(at, bytes) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}
cudaError_t cudaHostUnregister(void *at)
{
    enter();
    run_all();
    return leave(memory_unregister(at) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaHostGetDevicePointer(void **out, void *at, unsigned flags)
{
    (void)flags;
    enter();
    struct block_of_memory *b = memory_find((u64)(uintptr_t)at);
    if (!b || b->freed || !b->is_host) return leave(cudaErrorInvalidValue);
    *out = at;
    return leave(cudaSuccess);
}

/* A handle: the process and its file that holds the memory; it is opened in others only, as CUDA demands. */
struct ipc {
    s32 pid, fd, device;
    u64 byte, bytes;
};
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *at)
{
    enter();
    struct block_of_memory *b = memory_find((u64)(uintptr_t)at);
    struct ipc made = {.pid = getpid()};
    if (!b || b->freed || b->is_host || fails()) return leave(cudaErrorInvalidValue);
    made.fd = memory_file(b->at, &made.byte);
    made.bytes = b->bytes, made.device = b->holder_device;
    memset(out, 0, sizeof *out);
    memcpy(out, &made, sizeof made);
    return leave(made.fd < 0 ? cudaErrorNotSupported : cudaSuccess);
}
cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags)
{
    struct ipc of;
    enter();
    memcpy(&of, &handle, sizeof of);
    if (of.pid == getpid() || fails()) return leave(cudaErrorInvalidValue);
    u64 at = memory_import(of.pid, of.fd, of.byte, of.bytes, of.device);
    if (at && flags & cudaIpcMemLazyEnablePeerAccess) linked[current][of.device] = true;
    *out = (void *)(uintptr_t)at;
    return leave(at ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaIpcCloseMemHandle(void *at) { return cudaFree(at); }

enum place_kind { PAGEABLE, PINNED, ON_DEVICE };
/* Where `bytes` bytes lie; false: not in one living block. *at becomes an address of this process. */
static bool find_place(const void **at, size_t bytes, enum place_kind *kind, struct block_of_memory **block, u64 *byte)
{
    struct block_of_memory *b = memory_find((u64)(uintptr_t)*at);
    *block = b && !b->freed ? b : NULL;
    *byte = b ? (u64)(uintptr_t)*at - b->at : 0;
    *kind = !b ? PAGEABLE : b->is_host ? PINNED : ON_DEVICE;
    if (!b || (b->is_host && b->freed)) {
        *kind = PAGEABLE;
        return true;
    }
    *at = memory_host((u64)(uintptr_t)*at, bytes);
    return *at;
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, struct CUstream_st *s,
                        bool async)
{
    enum place_kind to_kind, from_kind;
    const void *to_here = to;
    struct block_of_memory *to_block, *from_block;
    u64 to_byte, from_byte;
    if (!bytes) return cudaSuccess;
    if (!find_place(&to_here, bytes, &to_kind, &to_block, &to_byte) ||
        !find_place(&from, bytes, &from_kind, &from_block, &from_byte))
        return cudaErrorInvalidValue;
    if (kind != cudaMemcpyDefault &&
        ((to_kind == ON_DEVICE) != (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
         (from_kind == ON_DEVICE) != (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)))
        return cudaErrorInvalidValue;
    struct task *t = queue(s, COPY);
    t->to = (void *)(uintptr_t)to_here;
    t->from = from;
    t->bytes = bytes;
    t->to_block = to_block, t->to_byte = to_byte;
    t->from_block = from_block, t->from_byte = from_byte;
    if (from_kind == PAGEABLE && to_kind == ON_DEVICE) { /* CUDA has read it when the call returns */
        t->staged = malloc(bytes);
        memcpy(t->staged, from, bytes);
        t->from = t->staged;
    }
    if (!async || to_kind == PAGEABLE) {
        run_until(s, s->queued);
        order_join(&host, &s->clock);
    } else go_on(s);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    enter();
    return leave(fails() ? cudaErrorNotSupported : copy(to, from, bytes, kind, stream_of(NULL), false));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s)
{
    enter();
    return leave(fails() ? cudaErrorNotSupported : copy(to, from, bytes, kind, stream_of(s), true));
}
static cudaError_t fill(void *to, int value, size_t bytes, struct CUstream_st *s)
{
    void *here = memory_host((u64)(uintptr_t)to, bytes);
    if (!bytes) return cudaSuccess;
    if (!here || fails()) return cudaErrorInvalidValue;
    struct task *t = queue(s, FILL);
    t->to = here;
    t->value = value;
    t->bytes = bytes;
    t->to_block = memory_find((u64)(uintptr_t)to);
    t->to_byte = (u64)(uintptr_t)to - t->to_block->at;
    go_on(s);
    return cudaSuccess;
}
cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    enter();
    return leave(fill(to, value, bytes, stream_of(NULL)));
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t s)
{
    enter();
    return leave(fill(to, value, bytes, stream_of(s)));
}

/* ---- devices ---- */

cudaError_t cudaGetDeviceCount(int *out) { return *out = devices(), said(*out ? cudaSuccess : cudaErrorNoDevice); }
cudaError_t cudaGetDevice(int *out) { return *out = current, cudaSuccess; }
cudaError_t cudaSetDevice(int device)
{
    if (device < 0 || device >= devices()) return said(cudaErrorInvalidDevice);
    current = device;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *out, int here, int there) { return *out = here != there, cudaSuccess; }
cudaError_t cudaDeviceGetP2PAttribute(int *out, enum cudaDeviceP2PAttr attribute, int here, int there)
{
    (void)attribute;
    return *out = here != there && !getenv("HOTSET_EMULATED_PCIE"), cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int there, unsigned flags)
{
    (void)flags;
    enter();
    if (there == current || there < 0 || there >= devices()) return leave(cudaErrorInvalidDevice);
    if (linked[current][there]) return leave(cudaErrorPeerAccessAlreadyEnabled);
    linked[current][there] = true;
    return leave(cudaSuccess);
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device)
{
    (void)device; /* all are at PCI address 0, as in tests/emulated */
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "emulated on the CPU");
    out->totalGlobalMem = memory_of_device();
    out->multiProcessorCount = 2;
    out->major = 7, out->minor = 5;
    out->warpSize = LANES;
    out->maxThreadsPerBlock = 1024;
    out->canMapHostMemory = 1;
    out->l2CacheSize = (int)setting("HOTSET_EMULATED_L2", 0);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *out, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    switch ((int)attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *out = 1024; break;
    case cudaDevAttrMaxGridDimX: *out = 0x7fffffff; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *out = 48 << 10; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *out = 64 << 10; break;
    case cudaDevAttrWarpSize: *out = LANES; break;
    case cudaDevAttrMultiProcessorCount: *out = 2; break;
    case cudaDevAttrComputeCapabilityMajor: *out = 7; break;
    case cudaDevAttrComputeCapabilityMinor: *out = 5; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *out = 1024; break;
    default: return said(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t code = last_error;
    last_error = cudaSuccess;
    return code;
}
cudaError_t cudaPeekAtLastError(void) { return last_error; }
const char *cudaGetErrorString(cudaError_t code)
{
    return code == cudaSuccess ? "no error" : "a failure that the test asked for";
}
const char *cudaGetErrorName(cudaError_t code)
{
    return code == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorUnknown";
}

/* ---- kernels ---- */

void **__cudaRegisterFatBinary(void *wrapper)
{
    const struct fatbin_wrapper *f = wrapper;
    const struct fatbin_header *h = (const struct fatbin_header *)f->data;
    struct module *m = NULL;
    enter();
    for (const u8 *at = f->data + h->header_bytes;
         h->magic == FATBIN_MAGIC && at < f->data + h->header_bytes + h->bytes;) {
        const struct fatbin_entry *e = (const struct fatbin_entry *)at;
        if (e->kind == KIND_PTX && !e->compressed_bytes) {
            const char *text = (const char *)at + e->header_bytes;
            m = parse_module(text, strnlen(text, e->bytes));
        }
        at += e->header_bytes + e->bytes;
    }
    static bool first = true;
    if (first) atexit(say_left);
    first = false;
    (void)leave(cudaSuccess);
    return (void **)m;
}
void __cudaRegisterFatBinaryEnd(void **module) { (void)module; }
void __cudaUnregisterFatBinary(void **module) { (void)module; }
void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int external, size_t bytes,
                       int is_constant, int global)
{
    (void)module, (void)host, (void)device, (void)name, (void)external, (void)bytes, (void)is_constant, (void)global;
}
void __cudaRegisterFunction(void **module, const char *stub, char *device_name, const char *name, int limit, void *tid,
                            void *bid, void *block, void *grid, int *warp)
{
    (void)name, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    struct kernel *k = module ? kernel_named((struct module *)module, device_name) : NULL;
    if (!k || functions_count == FUNCTIONS_MAX) {
        fprintf(stderr, "ptx: no PTX of kernel %s\n", device_name);
        _Exit(FAULT_CODE);
    }
    functions[functions_count].stub = stub;
    functions[functions_count++].kernel = k;
}
static struct kernel *kernel_of(const void *function)
{
    for (u32 i = 0; i < functions_count; i++)
        if (functions[i].stub == function || functions[i].kernel == function) return functions[i].kernel;
    return NULL;
}
cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *stub)
{
    *out = (cudaKernel_t)kernel_of(stub);
    return *out ? cudaSuccess : said(cudaErrorInvalidDeviceFunction);
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    call.grid = grid, call.block = block, call.shared = shared, call.stream = stream;
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = call.grid, *block = call.block, *shared = call.shared;
    *(void **)stream = call.stream;
    return cudaSuccess;
}

static cudaError_t launch(struct kernel *k, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    u64 threads = (u64)block.x * block.y * block.z, blocks = (u64)grid.x * grid.y * grid.z;
    struct CUstream_st *s = stream_of(stream);
    if (!k) return cudaErrorInvalidDeviceFunction;
    if (!threads || threads > 1024 || (k->max_threads && threads > k->max_threads) || !blocks || blocks > 0x7fffffff ||
        grid.y > 65535 || grid.z > 65535)
        return cudaErrorInvalidConfiguration;
    if (s->device != current) return cudaErrorInvalidResourceHandle;
    if (shared + k->shared_bytes > 64 << 10) return cudaErrorInvalidValue;
    struct task *t = queue(s, LAUNCH);
    *t = (struct task){.kind = LAUNCH,
                       .clock = t->clock,
                       .kernel = k,
                       .blocks = {grid.x, grid.y, grid.z},
                       .threads = {block.x, block.y, block.z},
                       .dynamic_shared = (u32)shared,
                       .params = calloc(1, k->param_bytes ? k->param_bytes : 1)};
    for (u32 i = 0; i < k->params; i++) memcpy(t->params + k->param[i].at, args[i], k->param[i].bytes);
    go_on(s);
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    enter();
    return leave(launch((struct kernel *)kernel, grid, block, args, shared, stream));
}
cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    enter();
    return leave(launch(kernel_of(stub), grid, block, args, shared, stream));
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *stub)
{
    const struct kernel *k = kernel_of(stub);
    if (!k) return said(cudaErrorInvalidDeviceFunction);
    memset(out, 0, sizeof *out);
    out->sharedSizeBytes = k->shared_bytes;
    out->localSizeBytes = k->local_bytes;
    out->maxThreadsPerBlock = k->max_threads ? (int)k->max_threads : 1024;
    out->numRegs = 32;
    out->ptxVersion = out->binaryVersion = 75;
    out->maxDynamicSharedSizeBytes = 48 << 10;
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *stub, enum cudaFuncAttribute attribute, int value)
{
    (void)stub, (void)attribute, (void)value;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *out, const void *stub, int threads,
                                                                   size_t shared, unsigned flags)
{
    (void)stub, (void)shared, (void)flags;
    *out = 1024 / threads;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *out, const void *stub, int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out, stub, threads, shared, 0);
}
