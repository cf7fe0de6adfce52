/* cuda.cu - the table of the CUDA backend, whether it can run here, and its error codes as sentences; the operations
 * are in kernels/cuda.
 *
 * The runtime is linked statically, so hotset also starts on machines without a driver. There the first call returns an
 * error code, and cuda_missing says so.
 */
#include <stdlib.h>

#include "kernels/cuda/cuda.cuh"
#include "base/units.h"
#include "kernels/cuda/sample.cuh"

/* Never launched: CUDA is asked whether this build has code of it for the device. */
__global__ void cuda_probe() {}

static const char *why_not(cudaError_t code)
{
    switch (code) {
    case cudaSuccess: return NULL;
    case cudaErrorNoDevice: return "there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it";
    case cudaErrorInsufficientDriver:
        return "there is no NVIDIA driver, or it is older than the CUDA version of this build";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
        return "this build has no code for this GPU; build with CUDA_ARCH set to its architecture";
    case cudaErrorMemoryAllocation: return "the GPU has too little free memory to start";
    case cudaErrorDevicesUnavailable: return "another process has exclusive use of the GPU";
    default: return "the CUDA runtime could not start on the GPU; nvidia-smi may show why";
    }
}

/* CUDA numbers GPUs by speed by default. Server profiles number them by PCI address, and position d of a plan stands
 * for GPU d, so CUDA is told to do the same, before its first call. An order that the user has set is kept. */
static const char *cuda_missing(void)
{
    struct cudaFuncAttributes unused;
    int devices = 0;
    (void)setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
    cudaError_t code = cudaGetDeviceCount(&devices);

    if (code == cudaSuccess && devices < 1) code = cudaErrorNoDevice;
    if (code == cudaSuccess) code = cudaFuncGetAttributes(&unused, cuda_probe);
    (void)cudaGetLastError(); /* a later check must not report this code */
    return why_not(code);
}

enum st cuda_check(cudaError_t code, const char *doing, struct err *err)
{
    if (code == cudaSuccess) return ST_OK;
    (void)cudaGetLastError();
    if (code == cudaErrorMemoryAllocation)
        return err_set(err, ST_LIMIT, "the GPU ran out of memory while %s; use --device cpu", doing);
    return err_set(err, ST_MISSING,
                   "the GPU failed while %s: %s (%s); nvidia-smi may show why; --device cpu runs without the GPU",
                   doing, cudaGetErrorString(code), cudaGetErrorName(code));
}

enum st cuda_allocate(void **block, uint64_t count, size_t size, const char *what, struct err *err)
{
    char needed[UNIT_TEXT], left[UNIT_TEXT];
    size_t unused = 0, available = 0;
    cudaError_t code;

    if (count > SIZE_MAX / size) return err_set(err, ST_LIMIT, "%s would need more than 2^64 bytes", what);
    code = cudaMalloc(block, count ? count * size : 1);
    if (code != cudaErrorMemoryAllocation) return cuda_check(code, what, err);
    (void)cudaGetLastError();
    CUDA_TRY(cuda_check(cudaMemGetInfo(&available, &unused), "asking for free GPU memory", err));
    return err_set(err, ST_LIMIT, "%s needs %s of GPU memory, %s are free; use --device cpu", what,
                   units_bytes(needed, count * size), units_bytes(left, available));
}

const struct kernels kernels_cuda = {
    "cuda",     "the first NVIDIA GPU", cuda_missing, cuda_column_sum, cuda_sort_hottest, cuda_scan,   cuda_cslp,
    cuda_sweep, cuda_pagerank_step,     cuda_count,   &cuda_sampling,  &cuda_search,      &cuda_tally, &cuda_push,
};
