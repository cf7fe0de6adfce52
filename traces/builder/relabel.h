/* relabel.h - the same graph with other ids: vertices in a given order (Data Tiering, algorithm 2: the hottest first).
 */
#ifndef TRACES_BUILDER_RELABEL_H
#define TRACES_BUILDER_RELABEL_H

#include "traces/builder/graph_save.h"
#include "traces/graph/graph_sets.h"

/* Writes the graph directory `path` in which vertex i is vertex old_of[i] of g: rows sorted again, weights kept with
 * their arcs, training, validation and test ids mapped (ascending), labels moved with their vertices, and relabel.npy
 * with old_of (uint32, [n]). sets: of g; zeroed: none. old_of: [n], each vertex once. facts->relabelled: by what; its
 * sets and labels are not used. *summary is filled; it may be NULL. Takes 4 m bytes (8 m with weights) and 12 n (20 n
 * with labels) beside the mapped graph. ST_INPUT when `path` is something other than a graph directory; ST_LIMIT when
 * disk or memory is out. */
enum st relabel_graph(const struct graph *g, const struct graph_sets *sets, const uint32_t *old_of,
                      const struct graph_facts *facts, const char *path, int threads, struct graph_summary *summary,
                      struct err *err) MUST_USE;

/* The same of a graph that is not plain: vertices are renumbered within their types, in the order in which old_of names
 * them. relabel.npy is [n] by the ids of all types; where edges have features, relation<r>_edge_ids.npy says which old
 * entry each entry was. origin: for graph.json. Takes 8 n bytes beside graph_draft_edges. Errors likewise. */
enum st relabel_types(const struct graph *g, const uint32_t *old_of, const char *origin, const char *path, int threads,
                      bool progress, struct err *err) MUST_USE;

#endif
