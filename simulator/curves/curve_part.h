/* curve_part.h - the curves of one cache on one table; private to this room. */
#ifndef SIMULATOR_CURVES_CURVE_PART_H
#define SIMULATOR_CURVES_CURVE_PART_H

#include "simulator/curves/curves.h"

/* What a cache can hold. */
struct curve_table {
    char name[GRAPH_LABEL_BYTES];
    uint64_t first, count; /* rows, numbered within the kind */
    bool several;          /* all tables of the kind, more than one */
    uint64_t row_bytes;    /* of every row; 0: they differ */
    uint64_t *bytes;       /* [count] then, owned; else NULL */
    uint64_t all;          /* bytes of all rows */
};

/* The numbers of one line. */
struct curve {
    bool there, exact;
    uint64_t groups;    /* of curve_samples.h; 1: exact */
    double *hits, *bar; /* [points + 1] of requests, owned; hits are NaN beyond a list's end */
    bool *between;      /* [points + 1] owned; not simulated for every cache, see curve_nodes.h */
};

struct curve_part {
    uint64_t caches, requests, distinct;
    struct curve line[CURVE_LINES_MAX];
};

/* Orders and keys for one part. */
struct curve_input {
    const struct curve_request *request;
    const struct curve_table *table;
    const struct stream *stream; /* ids: rows of the table */
    int clique, threads;
    uint64_t seed;
    const int *readers; /* [members] GPUs that use the cache */
    int members;
};

/* Fills *out, zeroed before; to be released also after an error. */
enum st curve_part_make(const struct curve_input *in, struct curve_part *out, struct err *err) MUST_USE;
void curve_part_release(struct curve_part *p, int lines);
/* Adds the numbers of a part to those of all. */
enum st curve_part_add(struct curve_part *all, const struct curve_part *p, int lines, uint64_t points, struct err *err)
    MUST_USE;
/* Its member of `parts`. */
doc *curve_part_document(const struct curve_request *r, const struct curve_table *t, const char *unit,
                         const struct curve_part *p);

#endif
