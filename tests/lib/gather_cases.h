/* gather_cases.h - what the tests of gathering share: a plan's rows laid out in memory, and the slow truth.
 *
 * Byte j of vertex v's row is a mixture of v and j, so a row from anywhere else, or shifted, is noticed.
 */
#ifndef TESTS_LIB_GATHER_CASES_H
#define TESTS_LIB_GATHER_CASES_H

#include <hotset.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_IDS = 1500, CASE_GUARD = 64 };
static const uint64_t case_row_bytes[] = {1, 3, 4, 100, 512, 2047};
enum { CASE_SIZES = sizeof case_row_bytes / sizeof *case_row_bytes };

static inline unsigned char case_byte(uint64_t v, uint64_t j)
{
    uint64_t x = (v + 1) * 0x9E3779B97F4A7C15u + j * 0xC2B2AE3D27D4EB4Fu;
    return (unsigned char)(x >> 56);
}

/* Rows of these vertices, or of 0..count-1 where ids is NULL, at `at`. */
static inline void case_fill(unsigned char *at, const uint32_t *ids, uint64_t count, uint64_t row_bytes)
{
    for (uint64_t k = 0; k < count; k++)
        for (uint64_t j = 0; j < row_bytes; j++) at[k * row_bytes + j] = case_byte(ids ? ids[k] : k, j);
}

/* Ids of all kinds: every vertex at least once where there is room, repeats, and, where `bad`, some beyond the graph.
 */
static inline void case_ids(uint64_t *ids, uint64_t count, uint64_t vertices, int bad, int seed)
{
    uint64_t x = (uint64_t)seed * 2654435761u + 12345;
    for (uint64_t i = 0; i < count; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        ids[i] = i < vertices ? (i * 7 + (uint64_t)seed) % vertices : (x >> 33) % vertices;
        if (bad && i % 97 == 5) ids[i] = vertices + (x >> 40);
        if (bad && i % 97 == 6) ids[i] = i % 2 ? UINT32_MAX : vertices;
    }
}

/* What gathering must give: out [count][row_bytes], counts [memories + 2] set. */
static inline void case_truth(const struct hotset_gather_request *g, const uint64_t *ids, unsigned char *out,
                              uint64_t *counts)
{
    memset(counts, 0, (g->memories + 2) * sizeof *counts);
    for (uint64_t i = 0; i < g->count; i++) {
        unsigned char *to = out + i * g->row_bytes;
        uint32_t m = g->memories;
        uint64_t slot = ids[i], vertices = g->table ? g->table->vertices : g->host.rows;
        const struct hotset_rows *from = &g->host;
        if (g->table && hotset_find(g->table, ids[i], &m, &slot)) from = m < g->memories ? &g->memory[m] : NULL;
        if (ids[i] >= vertices || !from || !from->base || slot >= from->rows) {
            memset(to, 0, g->row_bytes);
            counts[g->memories + 1]++;
        } else {
            memcpy(to, (const char *)from->base + slot * g->row_bytes, g->row_bytes);
            counts[m]++;
        }
    }
}

#endif
