/* name_table.h - names to vertices: each new name gets the next number, so numbers are those of the first appearance.
 *
 * That order needs no second pass over the source and no sort of all names, and neighbours in a file stay near each
 * other; pandas.factorize gives the same. Names are found by a hash whose key is drawn anew in each run, so that no
 * file can be made for which it is slow; the numbers do not depend on it. Memory: the letters, and about 25 bytes for
 * each name; half as much again while a part of it grows. One struct belongs to one thread.
 */
#ifndef TRACES_BUILDER_NAME_TABLE_H
#define TRACES_BUILDER_NAME_TABLE_H

#include "base/file.h"
#include "traces/graph/graph_names.h"

struct name_table {
    uint64_t count;
    int64_t *offset; /* [count + 1]; owned, as all below */
    char *bytes;
    uint64_t key, room_offsets, room_bytes, slots;
    struct name_slot {
        uint32_t hash, next; /* next: number of the name + 1; 0: empty */
    } * slot;                /* [slots], a power of two */
};

/* *id: the number of a name, a new one for a name that is new. ST_INPUT for what is no name: empty, longer than
 * NAME_BYTES_MOST, or not UTF-8; the sentence begins with "the name". ST_LIMIT for memory, and beyond 2^32 - 2 names.
 */
enum st name_table_add(struct name_table *t, const char *name, size_t length, uint64_t *id, struct err *err) MUST_USE;
/* The number of a name; UINT64_MAX when it is not there. */
uint64_t name_table_find(const struct name_table *t, const char *name, size_t length);
/* Writes the two arrays. type: of a graph with several types; -1: of another. ST_LIMIT without disk. */
enum st name_table_save(const struct name_table *t, int type, const struct output *to, struct err *err) MUST_USE;
void name_table_release(struct name_table *t); /* a zeroed struct is allowed */

/* Writes the names old[order[0]], old[order[1]], .. of `count` vertices; names of no count write nothing. */
enum st name_table_permuted(const struct graph_names *old, const uint32_t *order, uint64_t count, int type,
                            const struct output *to, struct err *err) MUST_USE;

#endif
