/* cacheline.h - PCIe transactions of one read (model: what a counter of cache-line reads would count).
 *
 * Host arrays are page-aligned; a read of bytes [offset, offset + length) costs the number of lines of `line_bytes`
 * bytes that it touches. line_bytes: bytes per transaction, a multiple of 4 (64 on today's servers).
 */
#ifndef BASE_CACHELINE_H
#define BASE_CACHELINE_H

#include <stdint.h>
#include "base/everywhere.h"

/* Lines of [offset, offset + length); 0 for an empty read. */
EVERYWHERE uint64_t cachelines_touched(uint64_t offset, uint64_t length, uint64_t line_bytes)
{
    return length ? (offset + length - 1) / line_bytes - offset / line_bytes + 1 : 0;
}

/* Lines of vertex v's offset pair: 16 bytes at byte 8v. */
EVERYWHERE uint64_t cachelines_of_offsets(uint64_t v, uint64_t line_bytes)
{
    return cachelines_touched(8 * v, 16, line_bytes);
}

/* Lines of feature row v of `row` bytes. */
EVERYWHERE uint64_t cachelines_of_feature(uint64_t v, uint64_t row, uint64_t line_bytes)
{
    return cachelines_touched(v * row, row, line_bytes);
}

#endif
