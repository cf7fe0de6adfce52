/* graph_draft.h - a typed graph while it is written: types and relations first, then the edges of each relation, then
 * the document.
 *
 * Importers and generators make one. Files go into a directory output; graph_draft_save opens what was written with
 * the checks of every reader, so nothing is committed that could not be read again.
 */
#ifndef TRACES_BUILDER_GRAPH_DRAFT_H
#define TRACES_BUILDER_GRAPH_DRAFT_H

#include "traces/builder/builder_csr.h"
#include "traces/builder/graph_train.h"
#include "traces/graph/graph.h"

struct graph_draft {
    struct graph g;          /* without arrays; m of a relation is set when it is written */
    struct train_set *train; /* [GRAPH_TYPES_MAX] ids within the type, owned */
    uint64_t duplicates;     /* edges dropped */
    char origin[64];         /* "synth like ogbn-mag", "import graphbolt" */
};

/* Begins an empty draft; free it with graph_draft_release. ST_LIMIT without memory. */
enum st graph_draft_begin(struct graph_draft *d, const char *name, const char *origin, struct err *err) MUST_USE;
void graph_draft_release(struct graph_draft *d); /* a zeroed struct is allowed */

/* Adds a type of `count` vertices. dim 0: it has no features. ST_INPUT for a bad or repeated name, an unknown element
 * word, or counts beyond the limits of graph.h. */
enum st graph_draft_type(struct graph_draft *d, const char *name, uint64_t count, uint64_t dim, const char *element,
                         struct err *err) MUST_USE;
/* Adds a relation between types that were added before. Errors likewise. */
enum st graph_draft_relation(struct graph_draft *d, const char *source, const char *name, const char *target,
                             uint64_t dim, const char *element, struct err *err) MUST_USE;

/* Writes a relation's arrays. arcs: pairs (source, target) of ids within the types, which the caller has checked.
 * Exact duplicates are dropped, unless the edges have features: then all stay, and relation<r>_edge_ids.npy says which
 * edge of the source each entry was. Errors of csr_write; ST_LIMIT beyond 2^32 - 1 edges with features. */
enum st graph_draft_edges(struct graph_draft *d, int relation, const struct arc_source *arcs, int threads,
                          bool progress, const struct output *to, struct err *err) MUST_USE;

/* Writes training vertices and graph.json, reads everything again and adds the fingerprint. The caller commits. */
enum st graph_draft_save(struct graph_draft *d, int threads, const struct output *to, struct err *err) MUST_USE;

#endif
