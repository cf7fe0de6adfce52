/* internal.h - inside libhotset: the plan as the library keeps it.
 *
 * The library is built from the files of this folder and from those files of base and traces that keep no state; it
 * does not use base/mem.h, whose counters belong to the program hotset: what a runtime allocates through here is the
 * runtime's. Sentences and codes are those of base/status.h.
 */
#ifndef SIMULATOR_LIB_INTERNAL_H
#define SIMULATOR_LIB_INTERNAL_H

#include <stdbool.h>
#include "base/doc.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/status.h"
#include "simulator/lib/hotset.h"
#include "traces/recording/assignment.h"

enum { HOTSET_LISTS = 3, HOTSET_TEXTS = 7 };

struct lib_array {
    struct npy map;
    const uint32_t *id; /* [count]; NULL when count is 0 */
    uint64_t count;
    char name[32];   /* "gpu0_feature.npy" */
    char sha256[65]; /* that files[] states */
};

struct lib_gpu {
    int id, clique;
    uint64_t budget, index, topology_bytes, dynamic_rows;
    int peers;
    int32_t peer[GPUS_MAX], links[GPUS_MAX];
    struct lib_array list[HOTSET_LISTS]; /* enum hotset_list */
};

struct hotset_plan {
    char folder[PATH_BYTES], where[PATH_BYTES]; /* of plan.json */
    bool sealed;
    int gpus, cliques;
    struct lib_gpu *gpu;                      /* [gpus], owned */
    uint64_t n, m, dim, row_bytes, arc_bytes; /* arc_bytes: of a neighbour in a topology row */
    char text[HOTSET_TEXTS][80];
};

extern const char *const lib_list_names[HOTSET_LISTS];

/* Ends an exported function: hands code and sentence over. error may be NULL. */
int lib_give(enum st st, const struct err *err, struct hotset_error *error);

/* Blocks for the library, 64-byte aligned, not cleared; large ones from huge pages where the system has them. free()
 * releases. ST_LIMIT when `bytes` is beyond limit (0: none) or not to be had; what: the noun of the sentence. */
enum st lib_take(uint64_t bytes, uint64_t limit, const char *what, void **out, struct err *err) MUST_USE;
void *lib_cleared(uint64_t count, size_t size); /* NULL when there is none; free() releases */

/* Whether a structure of the caller is one of ours: its stated size. */
enum st lib_check_struct(uint32_t stated, size_t ours, const char *name, struct err *err) MUST_USE;

#endif
