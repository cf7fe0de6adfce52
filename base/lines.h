/* lines.h - PCIe transactions of one read (model: what a counter of cache-line reads would count).
 *
 * Host arrays are page-aligned; a read of bytes [offset, offset + length) costs the number of lines of `cls` bytes that it touches.
 * cls: bytes per transaction, a multiple of 4 (64 on today's servers).
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdint.h>
#include "base/everywhere.h"

/* Lines of [offset, offset + length); 0 for an empty read. */
EVERYWHERE uint64_t lines_touched(uint64_t offset, uint64_t length, uint64_t cls)
{
    return length ? (offset + length - 1) / cls - offset / cls + 1 : 0;
}

/* Lines of vertex v's offset pair: 16 bytes at byte 8v. */
EVERYWHERE uint64_t lines_of_offsets(uint64_t v, uint64_t cls) { return lines_touched(8 * v, 16, cls); }

/* Lines of feature row v of `row` bytes. */
EVERYWHERE uint64_t lines_of_feature(uint64_t v, uint64_t row, uint64_t cls) { return lines_touched(v * row, row, cls); }

#endif
