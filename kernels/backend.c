/* backend.c - the backends that were built in, and the choice of one (declared in kernel.h). */
#include <string.h>
#include "kernels/kernel.h"

/* In the order of "auto" and of listings. */
static const struct kernels *const built_in[] = {
#ifdef HOTSET_CUDA
    &kernels_cuda,
#endif
    &kernels_cpu,
    &kernels_ref,
    NULL,
};

const struct kernels *const *kernels_all(void) { return built_in; }

static const struct kernels *first_that_runs(void)
{
    for (const struct kernels *const *k = built_in; *k; k++)
        if (!(*k)->missing()) return *k;
    return NULL;
}

static const struct kernels *named(const char *name)
{
    for (const struct kernels *const *k = built_in; *k; k++)
        if (!strcmp((*k)->name, name)) return *k;
    return NULL;
}

enum st kernels_pick(const char *device, const struct kernels **out, struct err *err)
{
    const struct kernels *found = strcmp(device, "auto") ? named(device) : first_that_runs();

    if (!found && !strcmp(device, "cuda"))
        return err_set(err, ST_MISSING,
                       "this build of hotset has no CUDA backend, because nvcc was not found; build it again with "
                       "nvcc on the PATH, or use --device cpu");
    if (!found) return err_set(err, ST_USAGE, "'%s' is not a device; --device takes cpu, cuda, ref or auto", device);
    if (found->missing())
        return err_set(err, ST_MISSING, "the %s backend cannot run here: %s", found->name, found->missing());
    *out = found;
    return ST_OK;
}
