/* inference.h - inference layer by layer: which vertices every layer computes, and in which chunks.
 *
 * Layer l = 1..L computes rows of level l for the vertices T_l from rows of level l-1 (level 0: the features) of T_l
 * and of the vertices that their topology rows list. T_L is the evaluated set, and T_(l-1) is T_l with all that its
 * rows list; of all vertices every T_l is all of them. A vertex belongs to one GPU in all layers: the order is cut into
 * a stretch per GPU with equal work (the arcs of a vertex and itself, once per layer that computes it). A layer's
 * stretch is cut into chunks. A chunk reads the topology rows of its vertices, and every distinct row of level l-1 that
 * it needs once; it writes a row of level l per vertex. Of a graph with several types, all relations into a vertex's
 * type count, vertices are numbered through all types, and rows of level 0 have the size of their type's features.
 *
 * In sampled mode there is one layer: mini-batches of the evaluated vertices, drawn by the sampler; each reads the
 * features of its distinct vertices once.
 */
#ifndef SIMULATOR_INFERENCE_INFERENCE_H
#define SIMULATOR_INFERENCE_INFERENCE_H

#include "simulator/movement/epoch_time.h"
#include "traces/graph/graph_union.h"
#include "traces/sampling/workload.h"

enum { INFERENCE_LAYERS_MAX = 8, INFERENCE_NEVER = 255 };

struct inference {
    const struct graph *graph; /* borrowed; joined (graph_union.h) */
    int layers;                /* L; 1 in sampled mode */
    struct gnn gnn;
    uint64_t element_bytes;          /* of rows of level 1 and up */
    const struct workload *workload; /* of sampled mode, borrowed; NULL: layer by layer */
    uint8_t *top;  /* [n] the last layer that computes the vertex, 0 where only its features are read, or
                      INFERENCE_NEVER; owned */
    uint8_t *type; /* [n] of several types; NULL: plain; owned */
    uint64_t targets[INFERENCE_LAYERS_MAX + 1]; /* |T_l| */
};

/* Sets top, type and targets from the evaluated set ids[count]; NULL: all vertices. The other members are set by the
 * caller. ids: unique, below n. ST_LIMIT without memory. */
enum st inference_begin(struct inference *j, const uint32_t *ids, uint64_t count, struct err *err) MUST_USE;
void inference_end(struct inference *j); /* a zeroed struct is allowed */

/* Elements of a row of level 1..L, and bytes of a row of level 0..L of vertex v. */
uint64_t inference_width(const struct inference *j, int level);
uint64_t inference_row_bytes(const struct inference *j, int level, uint64_t v);
uint64_t inference_largest_row(const struct inference *j, int level);
/* Bytes of all rows of a level that the job reads or writes. */
uint64_t inference_level_bytes(const struct inference *j, int level);
/* Arcs into v, and bytes of its topology rows. */
uint64_t inference_arcs(const struct graph *g, uint64_t v);
uint64_t inference_topology_bytes(const struct graph *g, uint64_t v);

/* What ends a chunk: so many vertices, arcs, or bytes (of topology and input rows, if no two arcs led to one row). A
 * chunk has at least one vertex. */
enum chunk_unit { CHUNK_VERTICES, CHUNK_EDGES, CHUNK_BYTES };
struct inference_chunks {
    const uint32_t *order; /* [n] all vertices, borrowed */
    enum chunk_unit unit;
    uint64_t limit;
    int gpus;
    uint64_t begin[GPUS_MAX + 1]; /* the stretch of GPU g is order[begin[g] .. begin[g+1]) */
};
/* Cuts the order into stretches of equal work. */
void inference_deal(const struct inference *j, struct inference_chunks *c);

/* The chunks of a layer. */
struct inference_cut {
    uint32_t *list; /* [targets] the layer's vertices in order; owned */
    uint64_t *from; /* [chunks + 1] into list; owned */
    uint64_t chunks;
    uint64_t chunk_of[GPUS_MAX + 1]; /* GPU g has chunks chunk_of[g] .. chunk_of[g+1]-1 */
    uint64_t list_of[GPUS_MAX + 1];  /* and the vertices list[list_of[g] .. list_of[g+1]) */
};
/* ST_LIMIT without memory. Release *out with inference_cut_release. */
enum st inference_cut(const struct inference *j, const struct inference_chunks *c, int layer, struct inference_cut *out,
                      struct err *err) MUST_USE;
void inference_cut_release(struct inference_cut *c); /* a zeroed struct is allowed */

#endif
