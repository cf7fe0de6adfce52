/* internal.h - the plan as libhotset keeps it, for the files of this folder.
 *
 * The library is built from this folder and from files of base and traces that keep no state. It does not use
 * base/mem.h, whose counters belong to the program hotset: memory that is allocated here belongs to the runtime.
 * Sentences and codes are those of base/status.h.
 */
#ifndef SIMULATOR_LIB_INTERNAL_H
#define SIMULATOR_LIB_INTERNAL_H

#include <stdbool.h>
#include "base/doc.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/status.h"
#include "simulator/lib/hotset.h"
#include "simulator/lib/plan_json.h"
#include "traces/recording/assignment.h"
#include "traces/sampling/workload.h"

enum { HOTSET_LISTS = 4, HOTSET_TEXTS = 9 };

struct lib_array {
    struct npy map;
    const uint32_t *id; /* [count]; NULL when count is 0 */
    uint64_t count;
    char name[48];   /* "gpu0_feature.npy" */
    char sha256[65]; /* stated in files[] */
};

struct lib_gpu {
    int id, clique;
    uint64_t budget, index, topology_bytes, dynamic_rows; /* index: bytes reserved for look-up tables */
    int peers;
    int32_t peer[GPUS_MAX], links[GPUS_MAX];
    struct lib_array list[HOTSET_LISTS]; /* enum hotset_list; HOTSET_ORDER may be empty, without a name */
};

struct lib_table;

struct hotset_plan {
    char folder[PATH_BYTES], where[PATH_BYTES]; /* of plan.json */
    bool sealed;
    int gpus, cliques;
    struct lib_gpu *gpu;      /* [gpus], owned */
    uint64_t n, m;            /* vertices, edges */
    uint64_t dim, row_bytes;  /* of a feature row */
    uint64_t cached_bytes;    /* of a feature row on a GPU */
    uint64_t arc_bytes;       /* of a neighbour in a topology row */
    struct workload workload; /* batch and order only */
    bool edge_seeds;
    bool typed; /* of a graph with several types, or the rows of one table of such a plan */
    int types, tables;
    struct lib_table *table; /* [tables] of such a plan, owned; the features of its types first */
    char text[HOTSET_TEXTS][80];
};

enum { LIB_NAME_BYTES = 64 };

struct lib_table {
    enum hotset_kind kind;
    int of;                       /* position in graph.types, or graph.relations */
    char name[3][LIB_NAME_BYTES]; /* the type; or source, relation, target */
    char host_element[8];
    struct hotset_plan rows;
};

extern const char *const lib_list_names[HOTSET_LISTS];

/* Ends an exported function: copies code and sentence to *error, which may be NULL, and returns the code. */
int lib_finish(enum st st, const struct err *err, struct hotset_error *error);

/* What plans of one type and of several state alike: texts, the order of training vertices, GPUs with their budgets and
 * peers. Allocates p->gpu. ST_LIMIT. (open.c) */
enum st lib_read_head(struct hotset_plan *p, const struct plan_stated *s, struct err *err) MUST_USE;
/* Maps the list out->name of `count` ids; stated: the name of its file in d, the plan, whose files[] must state its
 * checksum. ST_INPUT. (open.c) */
enum st lib_map_list(const struct hotset_plan *p, const doc *d, const char *stated, uint64_t count,
                     struct lib_array *out, struct err *err) MUST_USE;
/* Reads the tables of d, a plan of several types, into p; s: what it states. ST_INPUT, ST_LIMIT. (tables.c) */
enum st lib_read_tables(struct hotset_plan *p, const doc *d, struct plan_stated *s, struct err *err) MUST_USE;

/* Allocates a block, 64-byte aligned, not cleared; large ones in huge pages when the system has them. Free with free().
 * ST_LIMIT when `bytes` is beyond limit (0: none) or refused. what: the noun of the sentence. */
enum st lib_allocate(uint64_t bytes, uint64_t limit, const char *what, void **out, struct err *err) MUST_USE;
/* Allocates a zeroed array; NULL when memory is refused. Free with free(). */
void *lib_cleared(uint64_t count, size_t size);

/* Compares the size that a caller's structure states with the library's. ST_USAGE when they differ. */
enum st lib_check_struct(uint32_t stated, size_t ours, const char *name, struct err *err) MUST_USE;
/* What a caller must leave at 0, and threads. ST_USAGE. */
enum st lib_check_call(const char *name, uint32_t reserved, int threads, struct err *err) MUST_USE;
/* All of the options of a call; NULL is good. ST_USAGE. */
enum st lib_check_options(const struct hotset_options *options, struct err *err) MUST_USE;
/* Whether t has the head of a table of this library. ST_USAGE, naming the call. */
enum st lib_check_table(const char *call, const struct hotset_lookup *t, struct err *err) MUST_USE;

#endif
