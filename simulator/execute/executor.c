/* executor.c - the choice of an engine (declared in execute.h). */
#include <string.h>

#include "simulator/execute/execute.h"

enum st executor_pick(const char *device, const struct executor **out, struct err *err)
{
    const struct executor *cuda = NULL;
    const char *why = "this build of hotset has no CUDA backend, because nvcc was not found";
#ifdef HOTSET_CUDA
    cuda = &executor_cuda;
    why = cuda->missing();
#endif
    if (!strcmp(device, "cpu") || (!strcmp(device, "auto") && why)) {
        *out = &executor_cpu;
        return ST_OK;
    }
    if (strcmp(device, "auto") && strcmp(device, "cuda"))
        return err_set(err, ST_USAGE, "--device %.20s: cannot execute a plan; cpu, cuda or auto can", device);
    if (why) return err_set(err, ST_MISSING, "--device cuda: %s; --device cpu executes the plan on the CPU", why);
    *out = cuda;
    return ST_OK;
}
