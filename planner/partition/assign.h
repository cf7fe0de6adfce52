/* assign.h - assigns training vertices to GPUs (model/cliques.md, steps 2 and 3).
 *
 * Every function makes a new assignment: each training vertex on one GPU, GPUs and cliques as the server has them. The
 * caller releases it. All of them: ST_INPUT when the server does not state its links, ST_LIMIT without memory.
 */
#ifndef PLANNER_PARTITION_ASSIGN_H
#define PLANNER_PARTITION_ASSIGN_H

#include "hwprofiles/model/server.h"
#include "planner/partition/partition.h"
#include "traces/recording/assignment.h"

/* The server's GPUs and cliques, without training vertices; kind: as it will be dealt. */
enum st assign_groups(const struct server *s, enum assignment_kind kind, struct assignment *out, struct err *err)
    MUST_USE;

/* Legion: a part of the graph per clique, in proportion to its GPUs; inside the clique the part's training vertices in
 * the order of a keyed hash, distributed round-robin, so that sizes differ by at most one. Errors of partition_graph.
 */
enum st assign_hierarchical(const struct graph *g, const struct server *s, const struct partition_options *o,
                            struct assignment *out, struct partition_report *report, struct err *err) MUST_USE;

/* A part of the graph with few cut edges per GPU, whatever the links; its training vertices are the GPU's. part: [n],
 * set to positions of GPUs. Errors of partition_graph. */
enum st assign_per_gpu(const struct graph *g, const struct server *s, const struct partition_options *o, uint8_t *part,
                       struct assignment *out, struct partition_report *report, struct err *err) MUST_USE;

/* A part of the graph per clique, in proportion to its GPUs, and that part cut into one part per GPU of the clique: few
 * edges are cut between cliques first, then inside them. With method "reads" all parts are refined together. part:
 * [n], set to positions of GPUs. Errors of partition_graph. */
enum st assign_nested(const struct graph *g, const struct server *s, const struct partition_options *o, uint8_t *part,
                      struct assignment *out, struct partition_report *report, struct err *err) MUST_USE;

/* Gives every GPU the training vertices of its part: part[n] holds positions. ST_LIMIT without memory. */
enum st assign_parts(const struct graph *g, const uint8_t *part, struct assignment *a, struct err *err) MUST_USE;

/* A global shuffle: training vertices in the order of a keyed hash, distributed round-robin over the GPUs from position
 * `skip` on (the first `skip` GPUs are samplers and get none). */
enum st assign_global(const struct graph *g, const struct server *s, int skip, uint64_t seed, struct assignment *out,
                      struct err *err) MUST_USE;

/* BGL: training vertices in the order of a breadth-first search (traces/sampling/bfs.h), cut into one stretch per GPU
 * in the order of GPUs; sizes differ by at most one. Stretches rather than a deal of vertices or mini-batches, because
 * a GPU's cache only gains when its own next mini-batch is near. */
enum st assign_bfs(const struct graph *g, const struct server *s, struct assignment *out, struct err *err) MUST_USE;

/* The assignment of that kind, on the connections of a graph of any kind (graph_union.h), which is joined. skip: as in
 * assign_global; o->method: also SELF_RELIANT_PUBLIC; o->workload: of g, set; part: as in assign_per_gpu, or NULL. */
enum st assign_kind(const struct graph *g, const struct server *s, enum assignment_kind kind, int skip,
                    const struct partition_options *o, uint8_t *part, struct assignment *out,
                    struct partition_report *report, struct err *err) MUST_USE;

#endif
