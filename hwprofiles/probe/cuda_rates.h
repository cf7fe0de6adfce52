/* cuda_rates.h - bandwidths of this machine, measured through the CUDA driver, which is opened at run time. */
#ifndef HWPROFILES_PROBE_CUDA_RATES_H
#define HWPROFILES_PROBE_CUDA_RATES_H

#include "hwprofiles/model/server.h"

/* Measures into `s`, whose GPUs, switches and links nvml_probe has found: memory_gbps of each GPU (copies inside it;
 * bytes read plus bytes written), pcie_gbps (copies from pinned host memory to all GPUs below one switch at once, the
 * slowest switch; GPUs whose switch is unknown one by one), link_gbps of each linked pair (copies between the two, the
 * slower direction). GB/s are 10^9 bytes; each is the best of five copies of `bytes` bytes. bus_id: [s->gpus] PCI
 * addresses. library: path of the driver's library, NULL for libcuda.so.1. Takes 2 x bytes of each GPU and, per GPU,
 * bytes of pinned host memory. Changes no setting of the machine. ST_MISSING when there is no CUDA driver or a GPU
 * fails. */
enum st cuda_rates_measure(const char *library, const char (*bus_id)[32], uint64_t bytes, struct server *s,
                           struct err *err) MUST_USE;

#endif
