/* idset.h - a set of vertex ids that notices what it has seen: bits over the graph where many ids come, a hash table
 * where few do.
 *
 * Its memory is at most 16 bytes per id that will come, so a graph that claims to be large costs nothing by itself.
 */
#ifndef SIMULATOR_LIB_IDSET_H
#define SIMULATOR_LIB_IDSET_H

#include <stdbool.h>
#include <stdint.h>

struct idset {
    uint64_t *bits; /* [n / 64 + 1], or NULL */
    uint32_t *slot; /* [mask + 1]: id + 1, 0 for empty; an id of 2^32 - 1 has `last` */
    uint64_t mask;
    bool last;
};

uint64_t idset_bytes(uint64_t n, uint64_t count);              /* what idset_begin takes for `count` ids below n */
bool idset_begin(struct idset *s, uint64_t n, uint64_t count); /* false: no memory */
bool idset_add(struct idset *s, uint32_t id); /* true: it was there already. At most `count` calls, ids below n. */
void idset_end(struct idset *s);

#endif
