/* host.h - copies and sums of large host arrays by several threads, for the staging buffers of a device: one thread
 * fills a pinned buffer slower than PCIe empties it. */
#ifndef KERNELS_HOST_H
#define KERNELS_HOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies bytes between blocks that do not overlap. threads >= 1. */
void host_copy(int threads, void *to, const void *from, uint64_t bytes);
/* to[i] += from[i], i < count. threads >= 1. */
void host_add(int threads, uint32_t *to, const uint32_t *from, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
