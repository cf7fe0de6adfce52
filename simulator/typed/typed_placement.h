/* typed_placement.h - which GPU caches which rows of a typed graph, and which GPUs serve each other.
 *
 * GPUs are positions 0..gpus-1. A list holds items (traces/graph/rows.h) of all kinds in fill order, hottest
 * first, each at most once. A reader takes a row from its own memory, otherwise from the first of its peers that holds
 * it (peers are in serving order), otherwise from the host. Every GPU samples for itself, or what `access` says.
 */
#ifndef SIMULATOR_TYPED_TYPED_PLACEMENT_H
#define SIMULATOR_TYPED_TYPED_PLACEMENT_H

#include "simulator/replay/placement.h"
#include "traces/graph/rows.h"

struct typed_placement {
    int gpus;
    enum topology_access access;
    struct row_list list[GPUS_MAX]; /* items */
    uint64_t *exact[GPUS_MAX]; /* owned, [items / 64 + 1] bits: rows of list[g] whose table is rounded, and which GPU g
                                  holds as the host does; NULL: none */
    int peers[GPUS_MAX];
    int peer[GPUS_MAX][GPUS_MAX]; /* [reader][0..peers-1] in serving order */
};

void typed_placement_release(struct typed_placement *p); /* frees the lists; a zeroed struct is allowed */

/* Notes that GPU g holds an item of rows as the host does. ST_LIMIT for memory. */
enum st typed_placement_set_exact(struct typed_placement *p, int g, uint64_t items, uint64_t item, struct err *err)
    MUST_USE;
/* Whether any GPU holds rows of a rounded table as the host does. */
bool typed_placement_mixed(const struct typed_placement *p);
/* Whether GPU g's copy of an item is noted so. */
static inline bool typed_placement_exact(const struct typed_placement *p, int g, uint64_t item)
{
    return p->exact[g] && (p->exact[g][item / 64] >> (item % 64) & 1);
}
/* Bytes that the copy of row `row` of a table takes on GPU g. */
uint64_t typed_copy_bytes(const struct typed_placement *p, int g, const struct graph *rows, int table, uint64_t row);

/* Finds the source of each row for reader g: where[item] = 0 for the host, else 1 + position of the GPU that serves it.
 * where: [items]. */
void typed_placement_locate(const struct typed_placement *p, int g, uint64_t items, uint8_t *where);
/* Adds TYPED_EXACT to where[item], as typed_placement_locate sets it, where the copy that serves the row is exact. */
enum { TYPED_EXACT = 0x80 };
void typed_placement_locate_exact(const struct typed_placement *p, uint8_t *where);

/* Bytes that GPU g holds of each table: bytes, count: [rows->tables], set. Returns the sum of bytes. */
uint64_t typed_placement_held(const struct typed_placement *p, int g, const struct graph *rows, uint64_t *bytes,
                              uint64_t *count);

/* Checks the lists, independently of the policy: ids below the items, none twice in a list, no row without bytes, no
 * GPU above budget[g] bytes, only held rows of rounded tables noted as exact, peers are other GPUs, each once. ST_INPUT
 * with what is wrong; ST_LIMIT without memory. */
enum st typed_placement_check(const struct typed_placement *p, const struct graph *rows, const uint64_t *budget,
                              struct err *err) MUST_USE;

#endif
