/* copy.h - memcpy by several threads, for the staging of copies to a device: one thread alone fills a pinned buffer
 * slower than PCIe empties it. */
#ifndef KERNELS_CPU_COPY_H
#define KERNELS_CPU_COPY_H

#include <stdint.h>

void cpu_copy(int threads, void *to, const void *from, uint64_t bytes);

#endif
