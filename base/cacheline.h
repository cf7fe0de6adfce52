/* cacheline.h - PCIe transactions of one read of host memory.
 *
 * The model: host arrays begin at a page, and a read of bytes [offset, offset + length) costs one transaction per cache
 * line that it touches. This is what a counter of cache-line reads reports. line_bytes: bytes per transaction, a
 * multiple of 4 (64 on today's servers).
 */
#ifndef BASE_CACHELINE_H
#define BASE_CACHELINE_H

#include <stdint.h>
#include "base/everywhere.h"

/* Cache lines of [offset, offset + length), in bytes; 0 for an empty read. */
EVERYWHERE uint64_t cachelines_touched(uint64_t offset, uint64_t length, uint64_t line_bytes)
{
    return length ? (offset + length - 1) / line_bytes - offset / line_bytes + 1 : 0;
}

/* Cache lines of vertex v's pair of offsets: 16 bytes at byte 8v of an int64 array. */
EVERYWHERE uint64_t cachelines_of_offsets(uint64_t v, uint64_t line_bytes)
{
    return cachelines_touched(8 * v, 16, line_bytes);
}

/* Cache lines of feature row v, in an array of rows of `row` bytes. */
EVERYWHERE uint64_t cachelines_of_feature(uint64_t v, uint64_t row, uint64_t line_bytes)
{
    return cachelines_touched(v * row, row, line_bytes);
}

#endif
