/* plan_json.h - plan.json as both of its readers take it: libhotset for a runtime, simulator/plan for the planner.
 *
 * plan_fields.c lists the keys of plan/1 and plan/2, once. plan_json_read checks a document by that list, fills struct
 * plan_stated with what its readers use, and checks what one number says of another: a list's file and its size, a
 * clique and its GPUs, a total and its parts. What needs a graph or the arrays is left to the readers.
 */
#ifndef SIMULATOR_LIB_PLAN_JSON_H
#define SIMULATOR_LIB_PLAN_JSON_H

#include "base/fields.h"
#include "base/precision.h"
#include "traces/recording/assignment.h"
#include "traces/sampling/workload.h"

enum { PLAN_TEXT = 80, PLAN_SWEEP_MOST = 1 << 16 };

/* A list of ids: {file, count, bytes}. */
struct plan_rows_stated {
    char file[PLAN_TEXT]; /* "": not stated */
    uint64_t count;
    int64_t bytes; /* -1: not stated */
};

struct plan_transactions {
    int64_t topology, feature, total; /* -1: null or not stated */
};

struct plan_gpu_stated {
    int id, clique, pcie_switch, socket; /* -1: not stated */
    int peers, links;                    /* -1: not stated */
    int peer[GPUS_MAX], link[GPUS_MAX];  /* [peers] ids, until plan_json_read made positions of them; NVLinks to each */
    uint64_t budget, index;
    bool has_order;
    struct plan_rows_stated train, order, topology, feature; /* of plan/1 */
};

struct plan_clique_stated {
    double alpha;                      /* NaN: not stated */
    int64_t budget, topology, feature; /* bytes; -1: not stated */
    int64_t regret;                    /* -1: not stated */
    struct plan_transactions predicted;
};

struct plan_stated {
    bool typed; /* of schema plan/2 */
    char policy[PLAN_TEXT], hotness[PLAN_TEXT], partition[PLAN_TEXT];
    char server_name[PLAN_TEXT], server_fingerprint[PLAN_TEXT];
    char graph_name[PLAN_TEXT], graph_fingerprint[PLAN_TEXT];
    char cache_type[PLAN_TEXT], dynamic_cache[PLAN_TEXT];
    int assignment; /* enum assignment_kind */
    bool uneven;
    int access, pushes, copies; /* topology_access: enum topology_access; sampling_exchange, feature_access: 0, or -1 */
    uint64_t line_bytes, vertices, edges, feature_dim, feature_bytes;
    uint64_t presample_epochs, cached_row_bytes; /* 0: not stated */
    double cpu_share;
    double feature_hit, topology_hit; /* NaN: not stated */
    int64_t dynamic_rows, dynamic_gpu_rows[GPUS_MAX];
    int dynamic_gpus; /* entries of the member before; -1: not stated */
    int64_t interval[2];
    int interval_ends; /* 0: none, or 2 */
    int interval_source;
    bool saw, held_out;
    struct plan_transactions predicted, simulated;
    int gpus, cliques;
    int clique_of[GPUS_MAX];
    struct workload workload; /* of plan/1 */
    /* of plan/1; bytes of a feature row on the host, and on a GPU; of a neighbour in a topology row */
    uint64_t row_bytes, held_row_bytes, arc_bytes;
    enum precision cached;
    struct plan_gpu_stated gpu[GPUS_MAX];
    struct plan_clique_stated clique[GPUS_MAX];
};

extern const struct field plan_fields_1[], plan_fields_2[];
extern const struct field plan_note_fields[]; /* those of both that say how the plan was made: kept, not read */
extern const struct field batches_fields[];   /* of batches.json (batches_open.c) */
extern const char *const plan_access_words[]; /* "gpu", "cpu", "samplers", NULL */

/* Reads plan.json, `where`: schema plan/2 where `typed`, else plan/1. *sealed (may be NULL): it has its checksum. *out:
 * the caller's; *stated is filled. ST_INPUT for what is no plan (with a hint when it is the plan of several nodes), a
 * key that is not as the list says, and numbers that contradict each other. */
enum st plan_json_read(const char *where, bool typed, doc **out, bool *sealed, struct plan_stated *stated,
                       struct err *err) MUST_USE;
/* Reads and checks no more than that the document is a plan/1 and not damaged. *out: the caller's. ST_INPUT likewise.
 */
enum st plan_json_open(const char *where, doc **out, bool *sealed, struct err *err) MUST_USE;

/* Whether the GPU has a list of the order that mini-batches go by. A plan in BFS order may lack it. */
static inline bool plan_json_circle(const struct plan_gpu_stated *gpu, const struct workload *w)
{
    return w->order != ORDER_SHUFFLE && (w->order != ORDER_BFS || gpu->has_order);
}

/* The entry of files[] for the file `name`, borrowed. ST_INPUT when there is none with a SHA-256, `file` (NULL or "":
 * not stated) names another one, or the size that it states is not `bytes`. path: of the file, opens the sentence. */
enum st plan_json_file(const doc *plan, const char *path, const char *name, const char *file, uint64_t bytes,
                       const doc **out, struct err *err) MUST_USE;

#endif
