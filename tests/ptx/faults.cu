/* faults.cu - small kernels, each with one fault that the interpreter must find, and the same kernels without it.
 * faults N: runs case N; with no number: lists the names. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void beyond(int *at, int n) { at[threadIdx.x + n] = 1; }
__global__ void before(const int *at, int *out, int n) { out[threadIdx.x] = at[(int)threadIdx.x - n]; }
__global__ void misaligned(char *at, int by) { *(int *)(at + 4 * threadIdx.x + by) = 1; }
__global__ void uninitialised(int *out, int n)
{
    __shared__ int held[64];
    if ((int)threadIdx.x < n) held[threadIdx.x] = 7;
    __syncthreads();
    out[threadIdx.x] = held[threadIdx.x];
}
__global__ void shared_beyond(int *out, int n)
{
    __shared__ int held[64], other[64];
    held[threadIdx.x + n] = 1;
    other[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = held[threadIdx.x ^ 1] + other[threadIdx.x ^ 1];
}
/* Two warps of a block exchange; 1: no barrier between. */
__global__ void block_race(int *out, int missing)
{
    __shared__ int held[64];
    held[63 - threadIdx.x] = 0;
    __syncthreads();
    held[threadIdx.x] = (int)threadIdx.x;
    if (!missing) __syncthreads();
    out[threadIdx.x] = held[63 - threadIdx.x];
}
/* Lanes of a warp exchange; 1: without __syncwarp. */
__global__ void warp_race(int *out, int missing)
{
    __shared__ int held[32];
    held[threadIdx.x] = (int)threadIdx.x;
    if (!missing) __syncwarp();
    out[threadIdx.x] = held[31 - threadIdx.x];
}
/* Blocks add to one word; 1: without an atomic. */
__global__ void grid_race(int *out, int missing)
{
    if (missing) out[0] += 1;
    else atomicAdd(out, 1);
}
/* Blocks write one word of their own; 1: the same word. */
__global__ void write_race(int *out, int missing) { out[missing ? 0 : blockIdx.x] = (int)blockIdx.x; }
/* A plain read beside atomics of others. */
__global__ void mixed_race(int *out, int missing)
{
    if (blockIdx.x == 1 && missing) out[1] = out[0];
    else atomicAdd(out, 1);
}
__global__ void bytes_side_by_side(unsigned char *out, int wide)
{
    if (wide) ((unsigned *)out)[threadIdx.x / 4] = threadIdx.x;
    else out[threadIdx.x] = (unsigned char)threadIdx.x;
}
/* 1: half a warp waits, the other half elsewhere. */
__global__ void divergent_barrier(int *out, int bad)
{
    __shared__ int held;
    held = 5;
    if (bad && threadIdx.x % 2) {
        __syncthreads();
        out[threadIdx.x] = 1 + held;
    } else {
        __syncthreads();
        out[threadIdx.x] = 2 * held;
    }
}
/* 1: a warp waits at another barrier than the others. */
__global__ void warps_part(int *out, int bad)
{
    if (bad && threadIdx.x >= 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
        out[threadIdx.x] += 1;
    } else {
        out[threadIdx.x] = 3;
        __syncthreads();
        out[threadIdx.x] += 4;
    }
}
/* 1: a lane that is named is at a barrier instead. */
__global__ void absent_lane(int *out, int bad)
{
    if (bad && threadIdx.x == 5) out[5] = 3;
    else out[threadIdx.x] = __shfl_sync(~0u, (int)threadIdx.x, 3);
    __syncthreads();
}
__global__ void unnamed_lane(int *out, int bad)
{
    out[threadIdx.x] = __shfl_sync(bad ? 0xffffu : ~0u, (int)threadIdx.x, 3);
}
__global__ void follow(int **at, int *out) { out[threadIdx.x] = **at; }
__global__ void waits(volatile int *at)
{
    while (blockIdx.x == 0 && at[0] == 0) {
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) at[0] = 1;
}
/* Lanes of a warp pass a lock to each other: each goes on while others wait for it. */
__global__ void lanes_lock(int *lock, int *sum)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    *(volatile int *)sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

static int *block, *other, here[256];
static int bad;

static void one_block(void (*kernel)(int *, int), int threads, int blocks) { kernel<<<blocks, threads>>>(block, bad); }

static void c_beyond() { beyond<<<1, 32>>>(block, bad ? 256 - 31 : 0); }
static void c_far() { beyond<<<1, 32>>>(block, bad ? 100000 : 0); }
static void c_before() { before<<<1, 32>>>(block, other, bad); }
static void c_misaligned() { misaligned<<<1, 32>>>((char *)block, bad ? 2 : 0); }
static void c_freed()
{
    if (bad) cudaFree(other);
    beyond<<<1, 32>>>(other, 0);
}
static void c_uninitialised() { uninitialised<<<1, 64>>>(block, bad ? 63 : 64); }
static void c_shared_beyond() { shared_beyond<<<1, 64>>>(block, bad); }
static void c_block_race() { one_block(block_race, 64, 1); }
static void c_warp_race() { one_block(warp_race, 32, 1); }
static void c_grid_race() { one_block(grid_race, 1, 8); }
static void c_lanes_race() { one_block(grid_race, 8, 1); }
static void c_write_race() { one_block(write_race, 1, 8); }
static void c_mixed_race() { one_block(mixed_race, 1, 3); }
static void c_bytes() { bytes_side_by_side<<<1, 64>>>((unsigned char *)block, bad); }
static void c_divergent() { one_block(divergent_barrier, 64, 1); }
static void c_warps_part() { one_block(warps_part, 64, 1); }
static void c_unnamed() { one_block(unnamed_lane, 32, 1); }
static void c_pageable()
{
    static int *p;
    p = bad ? here : block;
    cudaMemcpy(other, &p, sizeof p, cudaMemcpyHostToDevice);
    follow<<<1, 32>>>((int **)other, block + 64);
}
static void c_peer()
{
    int *there;
    cudaSetDevice(1);
    cudaMalloc(&there, 1024);
    cudaSetDevice(0);
    if (!bad) cudaDeviceEnablePeerAccess(1, 0);
    beyond<<<1, 32>>>(there, 0);
}
static void c_host_reads_device()
{
    cudaDeviceSynchronize();
    here[0] = bad ? *(volatile int *)block : 0;
}
static void c_reads_early()
{
    cudaStream_t s;
    int *pinned;
    cudaHostAlloc((void **)&pinned, 4, 0);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    *pinned = -1;
    beyond<<<1, 32, 0, s>>>(block, 0);
    cudaMemcpyAsync(pinned, block, 4, cudaMemcpyDeviceToHost, s);
    if (!bad) cudaStreamSynchronize(s);
    if (*pinned != 1) {
        fprintf(stderr, "read too early\n");
        exit(86);
    }
}
static void c_absent() { one_block(absent_lane, 32, 1); }
static void c_waits() { waits<<<2, 32>>>(block); }
static void c_lock()
{
    lanes_lock<<<2, 32>>>(block, block + 1);
    cudaMemcpy(here, block, 8, cudaMemcpyDeviceToHost);
    if (here[1] != 64) exit(1);
}

/* said: what the fault's message must hold; NULL: the case has no faulty form and must end well. */
static const struct {
    const char *name, *said;
    void (*run)();
} cases[] = {{"a write beyond the end", "out of bounds", c_beyond},
             {"a write far away", "out of bounds", c_far},
             {"a read before the begin", "out of bounds", c_before},
             {"a misaligned write", "misaligned", c_misaligned},
             {"freed memory", "was freed", c_freed},
             {"host memory that is not pinned", "no block of memory", c_pageable},
             {"memory of a peer that was not opened", "may not read memory of device 1", c_peer},
             {"shared memory that was never written", "never written", c_uninitialised},
             {"shared memory beyond a variable", "between its variables", c_shared_beyond},
             {"warps race in shared memory", "race:", c_block_race},
             {"lanes race in shared memory", "race:", c_warp_race},
             {"blocks race in global memory", "race:", c_grid_race},
             {"lanes race in global memory", "race:", c_lanes_race},
             {"blocks write the same word", "race:", c_write_race},
             {"a read races with atomics", "race:", c_mixed_race},
             {"bytes side by side are no race, words are", "race:", c_bytes},
             {"a barrier in divergent code", "barriers in divergent code", c_divergent},
             {"warps at different barriers", "barriers in divergent code", c_warps_part},
             {"a lane that its mask does not name", "is not among the members", c_unnamed},
             {"the host follows a device pointer", "", c_host_reads_device},
             {"the host reads before the stream is done", "read too early", c_reads_early},
             {"blocks wait for each other", NULL, c_waits},
             {"lanes of a warp wait for each other", NULL, c_lock},
             {"a lane that never comes", "nothing goes on", c_absent}};
enum { CASES = sizeof cases / sizeof *cases };

/* faults list | faults NUMBER 0|1 */
int main(int argc, char **argv)
{
    if (argc < 3) {
        for (int i = 0; i < CASES; i++) printf("%s|%s\n", cases[i].name, cases[i].said ? cases[i].said : "-");
        return 0;
    }
    bad = atoi(argv[2]);
    if (cudaMalloc(&block, 1024) || cudaMalloc(&other, 1024) || cudaMemset(block, 0, 1024)) return 1;
    cases[atoi(argv[1])].run();
    if (cudaDeviceSynchronize() || cudaGetLastError()) return 1;
    return 0;
}
