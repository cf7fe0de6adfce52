/* direct_write.h - large writes to files that do not fit the page cache anyway.
 *
 * A write takes pages of the cache, fills them, and pushes other files out of it. Where a run writes more than memory
 * holds, that is work for nothing: blocks that go straight to the disk take a fraction of the processor's time (on a
 * virtual machine with 4 KiB pages 0.5 against 2.2 GB/s), and what else is mapped stays in memory.
 */
#ifndef BASE_DIRECT_WRITE_H
#define BASE_DIRECT_WRITE_H

#include <stdbool.h>
#include <stdint.h>

enum { DIRECT_WRITE_LEAST = 1 << 22 /* bytes that are worth it */ };

/* Writes bytes[from, to) of a file of an open folder (openat; no link) from data, past the page cache: the blocks in
 * the middle of `at` .. `at + bytes`. The begin and the end, less than a block each, are left to the caller, who writes
 * them as ever. False: the file system cannot do so, memory is short, or a write failed (disk full): nothing may be
 * taken as written, and the caller writes it all, which tells the reason. */
bool direct_write(int folder, const char *name, uint64_t at, const void *data, uint64_t bytes, uint64_t *from,
                  uint64_t *to);

#endif
