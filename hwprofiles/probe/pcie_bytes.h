/* pcie_bytes.h - bytes that a GPU received over PCIe, by the driver's counter.
 *
 * NVIDIA's management library is opened at run time, as in nvml.h. Older GPUs and drivers have no such counter. Where
 * it has 32 bits it wraps after 4 GiB: read it more often than that much arrives. What it counts is what crosses the
 * link, packet headers included or not as the GPU has it.
 */
#ifndef HWPROFILES_PROBE_PCIE_BYTES_H
#define HWPROFILES_PROBE_PCIE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pcie_bytes;

/* library: path, or NULL for libnvidia-ml.so.1. bus_id: "00000000:17:00.0". NULL when there is no counter; *why is
 * then a sentence (static storage). */
struct pcie_bytes *pcie_bytes_open(const char *library, const char *bus_id, const char **why);
/* Bytes received since the counter was opened; false when the driver stops answering or its counter began anew. */
#define PCIE_BYTES_BETWEEN                                                                                             \
    ((uint64_t)3 << 30) /* may arrive between two questions: the counter may have 32 bits, and packets have headers */
bool pcie_bytes_read(struct pcie_bytes *c, uint64_t *received);
void pcie_bytes_close(struct pcie_bytes *c); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
