/* inference_plan.h - plans inference: in which order the vertices are taken, in chunks of which size, what GPUs keep of
 * each layer's input and of the topology, and what goes to SSDs.
 *
 * For one order and chunk size (a choice) all that follows is worked out on exact counts: of every layer and clique, in
 * how many chunks each input row is read. Keeping a row saves all of these reads but one. Keeping a topology row saves
 * its bytes in every layer but the first. So rows are kept by reads, ties to the lower id, and the memory of GPUs is
 * split between topology and rows at the best of 65 places. A GPU of the clique that reads the row most holds it, if it
 * has room. Where DRAM does not hold all, each of topology and levels is in DRAM or on the SSDs, whichever set that
 * fits DRAM in every layer takes fewest seconds; DRAM that is left holds the rows of the level read from SSDs that are
 * read most. Then every chunk is counted again under these places; nothing is estimated.
 */
#ifndef PLANNER_INFERENCE_INFERENCE_PLAN_H
#define PLANNER_INFERENCE_INFERENCE_PLAN_H

#include "base/cmd.h"
#include "base/premises.h"
#include "planner/engine/budget.h"
#include "simulator/inference/cost.h"

enum inference_order { ORDER_BY_ID, ORDER_BY_PART, ORDER_BY_LOCALITY, ORDER_BY_BFS, INFERENCE_ORDERS };
const char *inference_order_word(enum inference_order o); /* "id", "part", "locality", "bfs" */

enum { INFERENCE_CHUNKS_MAX = 16 };
struct inference_choice {
    enum inference_order order;
    enum chunk_unit unit;
    uint64_t limit; /* 0: all of a GPU's vertices at once */
};

struct inference_question {
    struct call *call;
    struct graph own_graph; /* of the command line */
    struct server own_server;
    const struct graph *graph;
    const struct server *server;
    struct inference job;
    struct workload workload; /* of sampled mode */
    char evaluated[64];       /* what --evaluate named */
    char between[8];          /* elements of levels 1 and up */
    enum inference_order order[INFERENCE_ORDERS];
    struct inference_choice chunk[INFERENCE_CHUNKS_MAX];
    int orders, chunks;
    bool no_cache;         /* GPUs keep nothing */
    struct budget budget;  /* of each GPU; BUDGET_MEMORY: what chunks leave */
    const char *partition; /* method of order `part` */
    uint64_t host_bytes;   /* 0: not known, all fits */
    struct drives drives;  /* count 0: none */
    bool pipelined;
    double unoverlapped, enlarge; /* enlarge: the graph stands for one so many times as large; else 1 */
    struct premises premises;
    uint32_t *orders_made[INFERENCE_ORDERS]; /* [n] each, owned; NULL: not made yet */
};

/* Where levels and topology lie, and what they take. */
struct inference_home {
    bool topology_on_ssd, level_on_ssd[INFERENCE_LAYERS_MAX + 1];
    uint64_t level_bytes[INFERENCE_LAYERS_MAX + 1], topology_bytes;
    uint64_t dram_rows[INFERENCE_LAYERS_MAX + 1], dram_bytes[INFERENCE_LAYERS_MAX + 1]; /* held beside, by layer */
    uint64_t host_peak, ssd_peak;
};

struct inference_outcome {
    struct inference_choice choice;
    const uint32_t *order; /* borrowed from the question */
    struct inference_chunks chunks;
    bool fits;
    char why[400];                         /* when it does not */
    uint64_t gpu_need, gpu_room[GPUS_MAX]; /* bytes of the largest chunk, twice, and the context; of the cache */
    uint64_t gpu_peak, kept_topology, kept_rows_most; /* bytes: of the fullest GPU; of all GPUs */
    uint64_t gpu_held[GPUS_MAX];                      /* bytes that each GPU keeps in the layer that keeps most */
    uint64_t gpu_chunks[GPUS_MAX];                    /* gpu_need of each GPU */
    struct inference_home home;
    int layers;
    struct inference_layer *layer; /* [layers], owned */
    struct inference_time time[INFERENCE_LAYERS_MAX];
    double seconds;
    uint64_t host_bytes, ssd_bytes, peer_bytes, written; /* read by all GPUs in all layers; written by them */
    uint64_t kept[INFERENCE_LAYERS_MAX][GPUS_MAX];       /* rows that each GPU holds */
    uint8_t *owner[INFERENCE_LAYERS_MAX];                /* [cliques][n], owned; equal layers share one (same_as) */
    uint8_t *topology;                                   /* [n], owned; NULL: none kept */
    uint8_t *dram[INFERENCE_LAYERS_MAX];                 /* [n], owned; NULL: none */
    int same_as[INFERENCE_LAYERS_MAX];                   /* the first layer with the same lists */
};

/* Plans every choice of the question; *out: the one of fewest seconds, or, where they are not known, of fewest bytes;
 * ties to the first. each (may be NULL): is called with every outcome. ST_NO, with the reason of the smallest chunk,
 * when none fits. */
enum st inference_choose(struct inference_question *q, struct inference_outcome *out,
                         void (*each)(const struct inference_outcome *o, void *to), void *to, struct err *err) MUST_USE;
void inference_outcome_release(struct inference_outcome *o); /* zeroed is allowed */
/* The order of a kind, made when it is first asked for. *out: borrowed from q. */
enum st inference_order_make(struct inference_question *q, enum inference_order kind, const uint32_t **out,
                             struct err *err) MUST_USE;
/* Counts all layers under the outcome's lists and homes, and sets its sums, times and peaks. */
enum st inference_recount(struct inference_question *q, struct inference_outcome *o, struct err *err) MUST_USE;

#endif
