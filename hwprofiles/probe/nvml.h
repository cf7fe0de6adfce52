/* nvml.h - what the NVIDIA driver says of this machine, asked through its management library, opened at run time.
 *
 * libnvidia-ml.so.1 comes with the driver; nothing of it is needed to build. The few functions and layouts used are
 * declared in nvml.c.
 */
#ifndef HWPROFILES_PROBE_NVML_H
#define HWPROFILES_PROBE_NVML_H

#include "hwprofiles/model/server.h"

struct probe {
    const char *library; /* path, or NULL for libnvidia-ml.so.1 */
    const char *sysfs;   /* "/sys": where NUMA nodes and bridges are read */
    const char *name;    /* NULL: the host's */
    bool measure;        /* bandwidths, too (cuda_rates.h) */
    const char *cuda;    /* path, or NULL for libcuda.so.1 */
    uint64_t bytes;      /* of each copy that is measured */
};

/* Fills GPUs (models, memories, switch numbers, sockets), NVLinks and the PCIe link of `out` (zeroed), with
 * provenance; cliques are found. ST_MISSING, with what to do, when there is no driver or no GPU; ST_LIMIT beyond
 * SERVER_GPUS_MAX GPUs. */
enum st nvml_probe(const struct probe *p, struct server *out, struct err *err) MUST_USE;

#endif
