/* builder_csr.h - from arcs in any order to the sorted rows of a graph directory (CSR).
 *
 * Arcs come from a source that can be read at any position, twice and by several threads: a scratch file, or a
 * generator that computes arc i from i alone. Two passes: count the rows, then scatter. Memory: 8 bytes per vertex
 * and 4 per stored arc (8 with weights); when that is more than the memory allowed, the rows are made in several
 * ranges, each with a scan of its own, so a graph larger than memory still works. Rows are sorted and lose exact
 * duplicates. The files are the same for any number of threads and ranges.
 */
#ifndef TRACES_BUILDER_BUILDER_CSR_H
#define TRACES_BUILDER_BUILDER_CSR_H

#include <stdbool.h>
#include <stdint.h>
#include "base/file.h"
#include "base/status.h"

struct arc_source {
    const void *self;
    uint64_t count;
    bool weighted;
    /* Writes arcs first .. first + count as pairs (u, v) into pairs[2 * count], and their weights into weights[count]
     * if weighted. A generator may leave an arc out: ARC_NONE as its u. Called by several threads. */
    enum st (*read)(const void *self, uint64_t first, uint64_t count, uint32_t *pairs, float *weights, struct err *err);
};
#define ARC_NONE UINT32_MAX /* never an id */

struct csr_options {
    uint64_t n;             /* vertices; every id is below (the caller has checked) */
    bool rows_list_targets; /* arc (u, v): row u lists v; otherwise row v lists u */
    bool both;              /* and the other way round */
    uint64_t listed;        /* every listed id is below this; 0: n */
    const char *prefix;     /* of the files' names; NULL: none */
    bool parallel;          /* keep duplicates: draws take them as the runtimes do */
    bool numbered;          /* keep duplicates, and write edge_ids.npy (uint32): the number of each entry's arc */
    const int64_t *times; /* NULL, or: weights are the bits of ranks in it (ascending); an arc is dropped only when one
                             with its time stays, and edge_times.npy (int64) takes the place of weights.npy */
    int threads;
    bool progress;
    uint64_t window; /* most entries held at a time; 0: as memory allows. For tests. */
};

struct csr_result {
    uint64_t m;          /* stored */
    uint64_t duplicates; /* dropped; of several weights the smallest stays */
    uint64_t self_loops; /* stored entries v in row v */
};

/* Writes indptr.npy, indices.npy and, if weighted, weights.npy into a directory output. numbered: the source is
 * weighted, its weights are the bits of the arcs' numbers, and edge_ids.npy takes the place of weights.npy. Errors:
 * those of the source; ST_LIMIT when disk or memory is out. */
enum st csr_write(const struct arc_source *arcs, const struct csr_options *options, const struct output *to,
                  struct csr_result *out, struct err *err) MUST_USE;

#endif
