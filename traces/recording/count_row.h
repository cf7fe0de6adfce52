/* count_row.h - counts of rows or vertices, in as few bytes each as the largest of them needs.
 *
 * A recording of a graph with 100 M vertices holds billions of counts, most of them 0 and few above 255: bytes decide
 * how long it takes to write and read them.
 */
#ifndef TRACES_RECORDING_COUNT_ROW_H
#define TRACES_RECORDING_COUNT_ROW_H

#include <stdint.h>

struct count_row {
    const void *data; /* [n], borrowed */
    int bytes;        /* of a count: 1, 2 or 4; 0: all counts are 0 */
};

/* A row of 32-bit counts. */
static inline struct count_row count_row_wide(const uint32_t *data) { return (struct count_row){data, sizeof *data}; }

static inline uint32_t count_at(struct count_row r, uint64_t v)
{
    if (r.bytes == 1) return ((const uint8_t *)r.data)[v];
    if (r.bytes == 2) return ((const uint16_t *)r.data)[v];
    return r.bytes ? ((const uint32_t *)r.data)[v] : 0;
}

/* The counts from `first` on. */
static inline struct count_row count_row_from(struct count_row r, uint64_t first)
{
    return (struct count_row){(const char *)r.data + first * (uint64_t)r.bytes, r.bytes};
}

static inline void count_prefetch(struct count_row r, uint64_t v)
{
    __builtin_prefetch((const char *)r.data + v * (uint64_t)r.bytes);
}

/* to[i] += the count of vertex from + i, i < some: one loop per width, which compilers make vectors of. */
static inline void count_row_add(struct count_row r, uint64_t from, uint64_t some, uint32_t *to)
{
    const uint8_t *one = (const uint8_t *)r.data + from;
    const uint16_t *two = (const uint16_t *)r.data + from;
    const uint32_t *four = (const uint32_t *)r.data + from;
    if (r.bytes == 1)
        for (uint64_t i = 0; i < some; i++) to[i] += one[i];
    else if (r.bytes == 2)
        for (uint64_t i = 0; i < some; i++) to[i] += two[i];
    else if (r.bytes)
        for (uint64_t i = 0; i < some; i++) to[i] += four[i];
}

/* Bytes that counts up to `largest` need: 1, 2 or 4. */
static inline int count_bytes(uint32_t largest) { return largest <= UINT8_MAX ? 1 : largest <= UINT16_MAX ? 2 : 4; }
/* Stores a count that fits. */
static inline void count_put(void *data, int bytes, uint64_t v, uint32_t count)
{
    if (bytes == 1) ((uint8_t *)data)[v] = (uint8_t)count;
    else if (bytes == 2) ((uint16_t *)data)[v] = (uint16_t)count;
    else ((uint32_t *)data)[v] = count;
}

#endif
