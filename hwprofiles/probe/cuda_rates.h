/* cuda_rates.h - bandwidths of this machine, measured through the CUDA driver, opened at run time. */
#ifndef HWPROFILES_PROBE_CUDA_RATES_H
#define HWPROFILES_PROBE_CUDA_RATES_H

#include "hwprofiles/model/server.h"

/* Measures and writes into `s` (made by nvml_probe), with provenance: device memory (copies inside a GPU, read and
 * written bytes), the PCIe uplink (copies from pinned host memory to all GPUs below one switch at once, the slowest
 * switch; to one GPU where no switch is known), and each pair's NVLinks (copies between the two, the slower
 * direction). GB/s are 10^9 bytes; each is the best of several copies of `bytes`. bus_id: [gpus] PCI addresses.
 * library: path, or NULL for libcuda.so.1. Takes `bytes` twice per GPU and once of pinned host memory per GPU.
 * ST_MISSING when there is no CUDA driver or a GPU fails. Changes no setting of the machine. */
enum st cuda_rates_measure(const char *library, const char (*bus_id)[32], uint64_t bytes, struct server *s,
                           struct err *err) MUST_USE;

#endif
