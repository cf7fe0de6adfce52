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

/* Number of the line that holds a byte. Lines are powers of two as a rule, and a shift takes a tenth of a division. */
EVERYWHERE uint64_t cachelines_number(uint64_t byte, uint64_t line_bytes)
{
#ifdef __CUDA_ARCH__
    int shift = __ffsll((long long)line_bytes) - 1;
#else
    int shift = __builtin_ctzll(line_bytes);
#endif
    return line_bytes & (line_bytes - 1) ? byte / line_bytes : byte >> shift;
}

/* Cache lines of [offset, offset + length), in bytes; 0 for an empty read. */
EVERYWHERE uint64_t cachelines_touched(uint64_t offset, uint64_t length, uint64_t line_bytes)
{
    return length ? cachelines_number(offset + length - 1, line_bytes) - cachelines_number(offset, line_bytes) + 1 : 0;
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

/* Number of the line of 4-byte entry `position` of a row that begins at `byte`, from the row's first line. shift: log2
 * of line_bytes. */
EVERYWHERE uint32_t cachelines_before(uint64_t byte, uint32_t position, int shift)
{
    return (uint32_t)(((byte + 4 * (uint64_t)position) >> shift) - (byte >> shift));
}

/* Whether a row of `degree` entries has at most 64 lines, so that a mask holds them. */
EVERYWHERE int cachelines_narrow(uint64_t byte, uint64_t degree, int shift)
{
    return cachelines_before(byte, (uint32_t)(degree - 1), shift) < 64;
}

EVERYWHERE uint32_t cachelines_in(uint64_t mask)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popcll(mask);
#else
    return (uint32_t)__builtin_popcountll(mask);
#endif
}

/* Distinct lines of a short list of positions in such a row. */
EVERYWHERE uint32_t cachelines_listed(uint64_t byte, uint64_t degree, const uint32_t *picks, uint32_t count, int shift)
{
    uint64_t mask = 0;
    uint32_t distinct = 0;
    if (cachelines_narrow(byte, degree, shift)) {
        for (uint32_t i = 0; i < count; i++) mask |= (uint64_t)1 << cachelines_before(byte, picks[i], shift);
        return cachelines_in(mask);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = cachelines_before(byte, picks[i], shift);
        int again = 0;
        for (uint32_t j = 0; j < i; j++) again |= cachelines_before(byte, picks[j], shift) == line;
        distinct += !again;
    }
    return distinct;
}

#endif
