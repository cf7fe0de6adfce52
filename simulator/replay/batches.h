/* batches.h - the simulated mini-batches as files: what replay_run counts, written whole, so that others can replay it
 * through a training runtime (hotset.h and Python's hotset read it).
 *
 * A folder of schema batches/1: batches.json with graph{name, vertices, edges, fingerprint}, workload, seed, epochs,
 * hops and gpus[]{id, batches, seeds, vertices, expanded, edges} (batches: per epoch; the others: lengths of the
 * arrays below), and for every GPU i ten arrays, gpu<i>_NAME.npy. Mini-batch t of a GPU is number t % batches of epoch
 * t / batches; let T be epochs * batches. NAME_at is int64: part k of NAME is [NAME_at[k], NAME_at[k + 1]).
 *
 * - seeds (uint32; seeds_at: [T + 1], part t): as dealt. Training vertices; or, where edges are trained, row,
 *   neighbour and negatives of every edge, one edge after another.
 * - vertices (uint32; vertices_at: [T (hops + 1) + 1], part t (hops + 1) + l): distinct vertices in the order of
 *   discovery, level by level: level 0 the seeds, level h + 1 those that hop h found first. All levels of a mini-batch
 *   lie together; below, the local number of a vertex is its place among them.
 * - expanded (uint32; expanded_at: [T hops + 1], part t hops + h): the vertices whose neighbours hop h drew, one entry
 *   per visit. A walk visits a vertex once per walk that stands there.
 * - rows, columns (uint32), edges (int64; all by edges_at: [T hops + 1], part t hops + h): one entry per draw, in the
 *   order of the draws. rows: local number of the vertex that drew; columns: of the neighbour drawn; edges: its
 *   position in indices.npy. Every sampler draws entries of rows, so none of the three is ever empty where something
 *   was drawn; those of a walk are its steps, not the neighbourhoods by visit counts that a model makes of them.
 *
 * Of a graph that is not plain the folder has schema batches/2 (Python's hotset.Batches reads it): graph{..} as in
 * plans, gpus[]{id, batches, vertices, edges}, and six arrays for every GPU; mini-batches and parts as above. K and R
 * are the numbers of types and relations, in the order of graph.json.
 *
 * - vertices (uint32, ids within the type; vertices_at, part (t K + k) (hops + 1) + l): distinct vertices of type k in
 *   the order of discovery, level by level: level 0 the seeds, as dealt, level h + 1 those that hop h found first. All
 *   levels of a mini-batch and type lie together; below, the local number of a vertex is its place among them.
 * - rows, columns (uint32), edges (int64; all by edges_at, part (t R + r) hops + h): one entry per draw of relation r
 * in hop h. rows: local number of the vertex that drew, of the target type; columns: of the neighbour drawn, of the
 *   source type; edges: its position in the relation's indices.npy.
 *
 * A hop visits the row of every vertex of its frontier in every relation into the vertex's type that has a fan-out
 * there, also where it draws nothing. Frontier of hop h: level h under the rule `new`, levels 0 to h under `all`.
 */
#ifndef SIMULATOR_REPLAY_BATCHES_H
#define SIMULATOR_REPLAY_BATCHES_H

#include "simulator/replay/replay.h"

/* Writes the mini-batches of the GPUs readers[0..count) (positions) over epochs 0..epochs-1 of r->seed as `folder`
 * (atomically; it may replace a folder with a batches.json). The same files on any number of threads. Takes per thread
 * what a sampler takes, 4 n bytes, and 20 bytes per draw and visit of the largest mini-batch; of several types 8 n
 * and 40. *out: batches.json, owned by the caller. ST_USAGE: the frontier rule `layers`; of several types walks, and
 * seeds that are edges. ST_INPUT: another folder is there. ST_LIMIT: memory or the disk is
 * full. */
enum st batches_save(const struct replay_request *r, const int *readers, int count, const char *folder, doc **out,
                     struct err *err) MUST_USE;

#endif
