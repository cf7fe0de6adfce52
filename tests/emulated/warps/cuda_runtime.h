/* cuda_runtime.h - as much of CUDA as simulator/lib/hotset_cuda.cu uses, on the CPU, with real warps: the 32 threads of
 * a warp exchange values, and those of a block share memory and wait for each other.
 *
 * Every thread of a block is a context of its own (ucontext), and one runs at a time: until it waits for its warp
 * (__shfl_sync) or for its block (__syncthreads). The others run then, and when all have come to the same place they
 * go on. Threads of which some wait for what the others never do end the program. Blocks run one after another.
 */
#ifndef TESTS_EMULATED_WARPS_CUDA_RUNTIME_H
#define TESTS_EMULATED_WARPS_CUDA_RUNTIME_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __shared__ static /* one block at a time */

enum cudaError_t { cudaSuccess = 0 };
typedef void *cudaStream_t;
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline const char *cudaGetErrorString(cudaError_t) { return "no error"; }

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct emulated_index {
    unsigned x, y, z;
};
static emulated_index threadIdx, blockIdx, blockDim, gridDim;

enum emulated_state { RUNS, WAITS_FOR_WARP, WAITS_FOR_BLOCK, ENDED };
struct emulated_thread {
    ucontext_t at;
    std::vector<char> stack;
    emulated_state state;
    unsigned long long value; /* given to the warp */
};
struct emulated_block {
    std::vector<emulated_thread> thread;
    ucontext_t scheduler;
    std::function<void()> body;
};
static emulated_block emulated;

static inline void emulated_wait(emulated_state state)
{
    unsigned me = threadIdx.x;
    emulated.thread[me].state = state;
    swapcontext(&emulated.thread[me].at, &emulated.scheduler);
}

static inline void emulated_begin()
{
    unsigned me = threadIdx.x;
    emulated.body();
    emulated.thread[me].state = ENDED;
    swapcontext(&emulated.thread[me].at, &emulated.scheduler);
}

/* Threads [from, to) go on when all of them wait for `state`. */
static inline bool emulated_release(unsigned from, unsigned to, emulated_state state)
{
    for (unsigned i = from; i < to; i++)
        if (emulated.thread[i].state != state) return false;
    for (unsigned i = from; i < to; i++) emulated.thread[i].state = RUNS;
    return true;
}

static inline void emulated_run_block(unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        emulated_thread &t = emulated.thread[i];
        getcontext(&t.at);
        t.at.uc_stack.ss_sp = t.stack.data();
        t.at.uc_stack.ss_size = t.stack.size();
        t.at.uc_link = nullptr;
        t.state = RUNS;
        makecontext(&t.at, emulated_begin, 0);
    }
    for (;;) {
        unsigned ended = 0;
        for (unsigned i = threads;
             i-- > 0;) /* from the last, so that an order that happens to fit is not the usual one */
            if (emulated.thread[i].state == RUNS) {
                threadIdx.x = i;
                swapcontext(&emulated.scheduler, &emulated.thread[i].at);
            }
        bool moved = emulated_release(0, threads, WAITS_FOR_BLOCK);
        for (unsigned w = 0; w < threads; w += 32) moved |= emulated_release(w, w + 32, WAITS_FOR_WARP);
        for (unsigned i = 0; i < threads; i++) ended += emulated.thread[i].state == ENDED;
        if (ended == threads) return;
        if (!moved) {
            fprintf(stderr, "emulated: some threads wait for others that never come\n");
            abort();
        }
    }
}

static inline void emulated_launch(unsigned blocks, unsigned threads, std::function<void()> body)
{
    emulated.thread.resize(threads);
    for (emulated_thread &t : emulated.thread) t.stack.resize(1 << 16);
    emulated.body = body;
    gridDim.x = blocks;
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) emulated_run_block(threads);
}

static inline void __syncthreads() { emulated_wait(WAITS_FOR_BLOCK); }
static inline unsigned long long __shfl_sync(unsigned, unsigned long long value, int lane)
{
    unsigned warp = threadIdx.x / 32 * 32;
    emulated.thread[threadIdx.x].value = value;
    emulated_wait(WAITS_FOR_WARP);
    unsigned long long given = emulated.thread[warp + (unsigned)lane % 32].value;
    emulated_wait(WAITS_FOR_WARP); /* until all have read it */
    return given;
}
static inline unsigned long long atomicAdd(unsigned long long *at, unsigned long long by)
{
    unsigned long long old = *at;
    *at += by;
    return old;
}

#endif
