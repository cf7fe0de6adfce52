/* graph_types.h - parts of graph.h for directories of schema graph/2. Private to traces/graph. */
#ifndef TRACES_GRAPH_GRAPH_TYPES_H
#define TRACES_GRAPH_GRAPH_TYPES_H

#include "base/fields.h"
#include "traces/graph/rows.h"

/* graph_open for a directory of schema graph/2. path: without a slash at its end. */
enum st graph_open_types(const char *path, int threads, struct graph *out, struct err *err) MUST_USE;
/* Reads graph.json by its keys (graph_fields.h), with the name of the folder where it states none. ST_INPUT. */
enum st graph_read_keys(struct graph *g, const struct field *keys, const doc *d, const char *where, struct err *err)
    MUST_USE;
/* Maps the graph's file `file` as `count` elements of a type ("u4"). ST_INPUT for another array. */
enum st graph_map_array(const struct graph *g, const char *file, const char *type, uint64_t count, struct npy *out,
                        struct err *err) MUST_USE;
/* The rows from..to-1 of a relation, as they are checked: files are path/<stem>indptr.npy, .., and sources the vertices
 * of `of`, as messages call it. */
struct graph_check {
    const char *path, *stem, *of;
    uint64_t sources, from, to;
};
/* ST_INPUT, with the file and entry, unless they obey graph.h. */
enum st graph_check_csr(const struct graph_csr *csr, const struct graph_check *c, int threads, struct err *err)
    MUST_USE;
/* graph_document of a graph that is not plain. */
doc *graph_types_document(const struct graph *g);

#endif
