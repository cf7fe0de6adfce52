/* source_sets.h - the vertex sets and labels that a source itself states, in the source's numbering, until the vertices
 * of the graph are known. */
#ifndef TRACES_BUILDER_SOURCE_SETS_H
#define TRACES_BUILDER_SOURCE_SETS_H

#include "base/npy.h"
#include "traces/graph/graph_sets.h"

struct source_sets { /* all of it owned */
    struct source_set {
        uint64_t *ids, count; /* NULL: the source has none */
        char what[80];        /* where it comes from, for people */
    } set[VERTEX_SETS];
    struct source_labels {
        uint64_t *ids, count; /* [count] whose labels they are; NULL: of vertices 0 .. count-1 */
        int64_t *label;       /* [count] */
    } labels[VERTEX_SETS];    /* parts, which add up */
    int parts;
    uint64_t classes; /* as the source states; 0: it does not */
    struct source_rows {
        uint64_t rows, dim; /* dim 0: the source states none */
        char element[8];    /* "f32" */
        char what[80];      /* where that is stated, for people */
    } features;
    char labels_what[80];
};

/* Takes ids[count] (copied) as a set; the last call for a set counts. ST_LIMIT without memory. */
enum st source_sets_put(struct source_sets *s, enum vertex_set set, const uint64_t *ids, uint64_t count,
                        const char *what, struct err *err) MUST_USE;
/* Takes labels (copied): one per vertex, or with ids (integers) one per id. Whole numbers, also as floats; NaN and
 * negative numbers mean none. *why: "", or a sentence why these are no classes; then no label of the source is kept.
 * ST_LIMIT without memory. */
enum st source_sets_labels(struct source_sets *s, const struct npy *ids, const struct npy *labels, const char *what,
                           char why[200], struct err *err) MUST_USE;
void source_sets_release(struct source_sets *s); /* a zeroed struct is allowed */

/* A number of an array as a class, or GRAPH_NO_LABEL; false when it is neither. The array holds integers, f4 or f8. */
bool source_label_at(const struct npy *labels, uint64_t i, int64_t *out);
/* The same for a number. */
bool source_label_of(double x, int64_t *out);

#endif
