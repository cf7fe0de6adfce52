/* features.h - feature rows of a user, as a NumPy matrix.
 *
 * Row v belongs to vertex v. The matrix has the graph's number of vertices and feature dimension.
 */
#ifndef PLANNER_STUDY_FEATURES_H
#define PLANNER_STUDY_FEATURES_H

#include "base/npy.h"
#include "traces/graph/graph.h"

/* Maps a .npy file of shape (g->n, g->feature_dim); the type of its elements is the caller's to check. *out: to be
 * released. ST_INPUT for another shape, with what to type. */
enum st features_map(const char *path, const struct graph *g, struct npy *out, struct err *err) MUST_USE;

#endif
