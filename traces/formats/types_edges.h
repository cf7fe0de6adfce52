/* types_edges.h - the edges of one relation as a source of arcs. Private to traces/formats. */
#ifndef TRACES_FORMATS_TYPES_EDGES_H
#define TRACES_FORMATS_TYPES_EDGES_H

#include "traces/formats/types_source.h"

struct types_edges {
    char path[PATH_BYTES];
    struct npy array;   /* of .npy: mapped */
    bool pairs;         /* the array has the shape (m, 2) */
    uint32_t *list;     /* of csv: [2 * count], owned */
    struct npy weights; /* mapped; data NULL: none */
    uint64_t count;
    uint64_t source_end, target_end; /* largest ids + 1 */
    bool swap, both;                 /* how read_types_edges reports them */
};

/* Opens the edges and finds the largest ids. Close with types_edges_close. ST_INPUT for what is no list of edges, or no
 * list of their weights, with file and entry; ST_LIMIT without memory. */
enum st types_edges_open(const struct types_source_relation *r, int threads, struct types_edges *out, struct err *err)
    MUST_USE;
void types_edges_close(struct types_edges *e); /* a zeroed struct is allowed */
/* The function `read` of an arc_source over a struct types_edges: (source, target), turned round by `swap`; with `both`
 * edge i is arcs 2 i and, turned round, 2 i + 1. Both have the edge's weight. weights may be NULL. */
enum st types_edges_read(const void *self, uint64_t first, uint64_t count, uint32_t *pairs, float *weights,
                         struct err *err) MUST_USE;

#endif
