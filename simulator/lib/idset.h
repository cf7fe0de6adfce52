/* idset.h - a set of vertex ids that finds duplicates: a bitmap over the graph for many ids, a hash table for few.
 *
 * It takes at most 16 bytes per id, whatever the number of vertices, so a file that states a large graph takes no
 * memory by that alone.
 */
#ifndef SIMULATOR_LIB_IDSET_H
#define SIMULATOR_LIB_IDSET_H

#include <stdbool.h>
#include <stdint.h>

struct idset {
    uint64_t *bits; /* [n / 64 + 1], or NULL */
    uint32_t *slot; /* [mask + 1]: id + 1, 0 for empty; `last` stands for id 2^32 - 1 */
    uint64_t mask;
    bool last;
};

uint64_t idset_bytes(uint64_t n, uint64_t count);              /* bytes of a set for `count` ids below n */
bool idset_begin(struct idset *s, uint64_t n, uint64_t count); /* an empty set; false when memory is refused */
bool idset_add(struct idset *s, uint32_t id); /* true: id was in the set. At most `count` calls, ids below n. */
void idset_end(struct idset *s);              /* frees it; a zeroed struct is allowed */

#endif
