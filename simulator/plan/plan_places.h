/* plan_places.h - the memories below the GPUs of a plan: which rows they hold, who reads them, what a read costs.
 *
 * Places are the DRAM of the node's sockets, the DRAM of other nodes, and SSDs, which have all rows. A reader is the
 * GPUs of one clique on one socket. A row that no GPU in a reader's reach holds is read from the place that has it and
 * is cheapest for the reader, ties to the lower place. Costs are the seconds that a read takes a GPU while all GPUs
 * read at once, of a line of a neighbour list and of a feature row of each size.
 *
 * In plan.json it is the member `memories`:
 * {node, nodes, host_memory_bytes, nic_gbps, ssd, line_blocks, places[], readers[], ..}
 *   - places[]: {name, kind (place_kinds.h), node, socket, capacity_bytes, topology{file, count, bytes},
 *     feature{..}}; kinds leave out what they lack. Lists are ids, ascending. The list of another node has the
 *     rows that this node reads there, not all that it holds
 *   - readers[]: {gpus[], socket, topology_line_seconds[], feature_row_seconds[]} by place
 *   - of several types places have lists[]{kind, type or source, relation and target, file, count, bytes} in place of
 *     topology and feature, with ids as in the lists of GPUs (plan.h); feature_row_bytes[] are the sizes of feature
 *     rows, ascending, and feature_row_seconds[] has one list by place for each of them
 *   - ssd: drives_document, or null; line_blocks: SSD blocks that stand for one line of topology
 *   - what planning expected: places_expected_fields
 */
#ifndef SIMULATOR_PLAN_PLAN_PLACES_H
#define SIMULATOR_PLAN_PLAN_PLACES_H

#include "base/fields.h"
#include "base/file.h"
#include "hwprofiles/model/drive.h"
#include "simulator/plan/place_kinds.h"
#include "simulator/replay/placement.h"
#include "traces/graph/graph.h"

enum list_kind { LIST_TOPOLOGY, LIST_FEATURE, LIST_KINDS };

struct place {
    enum place_kind kind;
    int node, socket;  /* socket -1: of all sockets, or not known */
    uint64_t capacity; /* bytes for rows; UINT64_MAX: no limit, or not its own */
    char name[64];     /* "DRAM of socket 0" */
};
static inline enum place_role place_role(const struct place *p) { return place_kind_table[p->kind].role; }

/* What planning expected: seconds of all reads per epoch, mean of the GPUs, as if none overlapped; NaN: not stated. */
struct places_expected {
    char planned[32]; /* by which way; "": not stated */
    double seconds, tier_by_tier, bound, above_bound;
};
extern const struct field places_expected_fields[]; /* how plan.json has it */

enum { PLAN_PLACES_MAX = 80, PLAN_READS_MAX = 16 };
struct plan_places {
    int node, nodes, places, readers;
    uint64_t host_bytes; /* DRAM of the node, offsets included */
    double nic_gbps;     /* that the node receives; 0: not stated */
    struct drives drives;
    double line_blocks;
    struct place place[PLAN_PLACES_MAX];
    /* Rows of a kind as in a placement, ascending; owned; of SSDs empty: they have all. */
    struct row_list list[LIST_KINDS][PLAN_PLACES_MAX];
    int reader_of[GPUS_MAX]; /* of a GPU position */
    int socket[GPUS_MAX];    /* of a reader; -1: not known */
    int reads;               /* kinds of reads: a line of topology, then a feature row of each size */
    uint64_t read_bytes[PLAN_READS_MAX];
    double cost[PLAN_READS_MAX][GPUS_MAX][PLAN_PLACES_MAX]; /* [reader]; finite, >= 0 */
    struct places_expected expected;
    /* Of places that were planned here, else 0, and not in plan.json: seconds per epoch that the node's SSDs, and the
     * network to it, take for the expected reads. */
    double expected_ssd, expected_network;
};
void plan_places_release(struct plan_places *places); /* a zeroed struct is allowed */

/* The kinds of reads of a graph: sets read_bytes[0..*reads-1]. ST_NO for more sizes of feature rows than are told
 * apart.
 */
enum st plan_places_reads(const struct graph *g, uint64_t line_bytes, int *reads, uint64_t read_bytes[PLAN_READS_MAX],
                          struct err *err) MUST_USE;
/* The kind of reads of a table's rows. */
int plan_places_read(const struct plan_places *places, const struct row_table *t);
/* Sets from[v] to the place that serves row v of a kind for a reader, for all rows of g of that kind. */
void plan_places_locate(const struct plan_places *places, const struct graph *g, int reader, enum list_kind kind,
                        uint8_t *from);
/* The member. The caller frees it. ids: [gpus] of the plan's GPUs. */
doc *plan_places_document(const struct plan_places *below, int gpus, const int *ids, const struct graph *g);
/* The name of a list: "dram1_feature.npy", "dram_topology.npy", "node3_feature.npy"; of several types with the type's
 * or relation's position behind the kind: "dram1_feature_2.npy". */
void plan_places_file(const struct place *p, const struct graph *g, int table, char out[64]);
/* The rows of a table that a place lists, ascending and counted from the table's first, into ids[graph_most_rows].
 * false: it has no list of them. */
bool plan_places_list(const struct plan_places *places, int place, const struct graph *g, int table, uint32_t *ids,
                      uint64_t *count);
/* Writes the lists into the folder and appends them to files. */
enum st plan_places_save(const struct plan_places *places, const struct graph *g, const struct output *o, doc *files,
                         struct err *err) MUST_USE;
/* Reads the member and its lists from a plan's folder. d: the document plan.json. *out: zeroed by the caller, to be
 * released. ST_INPUT says what is wrong: a row is in no place, DRAM holds more than its capacity (of a graph without
 * indptr that is not checked), a list is damaged or names rows that the graph does not have; ST_LIMIT. */
enum st plan_places_load(const char *folder, const char *where, const doc *d, const struct graph *g, int gpus,
                         const int *ids, struct plan_places *out, struct err *err) MUST_USE;

#endif
