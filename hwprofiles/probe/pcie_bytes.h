/* pcie_bytes.h - bytes that a GPU received over PCIe, by the driver's counter.
 *
 * NVIDIA's management library is opened at run time, as in nvml.h. Older GPUs and drivers have no such counter. A
 * counter of 32 bits wraps after 4 GiB: read it before PCIE_BYTES_BETWEEN bytes have arrived since the last read.
 * Whether packet headers are counted depends on the GPU.
 */
#ifndef HWPROFILES_PROBE_PCIE_BYTES_H
#define HWPROFILES_PROBE_PCIE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PCIE_BYTES_BETWEEN ((uint64_t)3 << 30) /* below 4 GiB, because packets have headers */

struct pcie_bytes;

/* Opens the counter of a GPU; close it with pcie_bytes_close. bus_id: "00000000:17:00.0". library: path, or NULL for
 * libnvidia-ml.so.1. NULL when there is no counter; *why is then a sentence (static). */
struct pcie_bytes *pcie_bytes_open(const char *library, const char *bus_id, const char **why);
/* *received: bytes since the counter was opened. False when the driver stops answering or the counter was reset. */
bool pcie_bytes_read(struct pcie_bytes *c, uint64_t *received);
/* NULL is allowed. */
void pcie_bytes_close(struct pcie_bytes *c);

#ifdef __cplusplus
}
#endif

#endif
