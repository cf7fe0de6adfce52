/* host.h - what the host does for a device: large arrays copied and added by several threads, so that pinned buffers
 * fill as fast as memory can. */
#ifndef KERNELS_HOST_H
#define KERNELS_HOST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies bytes; they do not overlap. threads >= 1. */
void host_copy(int threads, void *to, const void *from, uint64_t bytes);
/* to[i] += from[i], i < count. */
void host_add(int threads, uint32_t *to, const uint32_t *from, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
