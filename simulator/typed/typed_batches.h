/* typed_batches.h - the simulated mini-batches of a typed graph as files: what typed_replay_run counts, written whole,
 * so that others can replay it through a training runtime (Python's hotset.typed reads it).
 *
 * A folder of schema batches/2: batches.json with graph{..}, workload, seed, epochs, hops and gpus[]{id, batches,
 * vertices, edges} (batches: per epoch; the others: lengths of the arrays below), and for every GPU i six arrays,
 * gpu<i>_NAME.npy. Mini-batch t of a GPU is number t % batches of epoch t / batches; K and R are the numbers of types
 * and relations, in the order of graph.json. NAME_at is int64: part k of NAME is [NAME_at[k], NAME_at[k + 1]).
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
#ifndef SIMULATOR_TYPED_TYPED_BATCHES_H
#define SIMULATOR_TYPED_TYPED_BATCHES_H

#include "simulator/typed/typed_replay.h"

/* Writes the mini-batches of GPU id `gpu` (-1: of all) over epochs 0..epochs-1 of r->seed as `folder` (atomically; it
 * may replace a folder with a batches.json). The same files on any number of threads. Takes per thread what a sampler
 * takes, 8 bytes per vertex, and 40 bytes per draw of the largest mini-batch. *out: batches.json, owned by the caller.
 * ST_USAGE: no such GPU. ST_INPUT: another folder is there. ST_LIMIT: memory or the disk is full. */
enum st typed_batches_save(const struct typed_replay_request *r, int64_t gpu, const char *folder, doc **out,
                           struct err *err) MUST_USE;

#endif
