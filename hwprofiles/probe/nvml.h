/* nvml.h - what the NVIDIA driver says of this machine, asked through its management library (NVML).
 *
 * libnvidia-ml.so.1 comes with the driver and is opened at run time; the functions and layouts that are used are
 * declared in nvml.c. PCIe switches and NUMA nodes are read from the system's files.
 */
#ifndef HWPROFILES_PROBE_NVML_H
#define HWPROFILES_PROBE_NVML_H

#include "hwprofiles/model/server.h"

struct probe {
    const char *library; /* path of the management library; NULL: libnvidia-ml.so.1 */
    const char *sysfs;   /* "/sys": where NUMA nodes and bridges are read */
    const char *name;    /* of the server; NULL: the host's name */
    bool measure;        /* measure bandwidths, too (cuda_rates.h) */
    const char *cuda;    /* path of the CUDA driver's library; NULL: libcuda.so.1 */
    uint64_t bytes;      /* of each copy that is measured */
};

/* Fills *out (zeroed) with GPUs, models, memories, switches, sockets, NVLinks and the PCIe link of this machine, and
 * completes it (server_finish.h) with provenance. Release with server_release. ST_MISSING, with what to do, when there
 * is no driver or no GPU; ST_LIMIT beyond SERVER_GPUS_MAX GPUs. */
enum st nvml_probe(const struct probe *p, struct server *out, struct err *err) MUST_USE;

#endif
