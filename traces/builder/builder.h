/* builder.h - what graph formats stream vertices and arcs into.
 *
 * A format calls builder_source, then says what it knows (vertices, symmetry), then gives arcs (u, v) as the file
 * means them: from u to v. The builder turns them into rows in sampling direction: --sample in: row v lists u; out:
 * row u lists v; undirected: both. It checks ids, limits and weights, drops exact duplicates (counted), keeps
 * self-loops and sorts the rows.
 * Arcs are spilled to an unnamed scratch file (8 bytes each; 16 while 64-bit ids wait to be renumbered), so memory
 * stays near the size of the result: 8 bytes per vertex and 4 per stored arc.
 * One thread feeds a builder. Errors name the source, and the place that the format gives ("line 12").
 */
#ifndef TRACES_BUILDER_BUILDER_H
#define TRACES_BUILDER_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/file.h"
#include "base/npy.h"
#include "base/status.h"
#include "traces/builder/builder_csr.h"

struct builder_options {
    bool sample_out; /* --sample out */
    bool undirected; /* store both directions of every arc */
    bool renumber;   /* dense ids in ascending order of the original ids; vertices without arcs vanish */
    bool weights;    /* keep the file's weights */
    int threads;
    bool progress;
    const char *near;   /* scratch files lie beside this path; borrowed */
    const char *second; /* a second source path for formats that take two, or NULL; borrowed */
};

struct builder;

enum st builder_open(const struct builder_options *options, struct builder **out, struct err *err) MUST_USE;
void builder_close(struct builder *b); /* NULL is allowed */

/* ---- for formats ---- */

/* Names where the next arcs come from: `unit` is what a place counts ("line", "entry"). Both are borrowed until the
 * next call. */
void builder_source(struct builder *b, const char *path, const char *unit);
/* Declares ids 0..n-1. Without it n is the largest id + 1. proven: the file's size shows that n vertices are really
 * there; a number that is only written in a header is compared with the number of arcs in the end. At most once;
 * ST_INPUT when n is 0 or beyond the limit. */
enum st builder_vertices(struct builder *b, uint64_t n, bool proven, struct err *err) MUST_USE;
/* The format says that the graph is undirected. stored: the file holds both directions of every edge; otherwise each
 * edge once. */
void builder_symmetric(struct builder *b, bool stored);
/* One arc. place: line or entry number for messages. */
enum st builder_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, struct err *err) MUST_USE;
/* The same with a weight, which must be finite and not negative; ignored unless weights are kept. */
enum st builder_weighted_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, double weight, struct err *err)
    MUST_USE;
bool builder_keeps_weights(const struct builder *b);
/* Bytes (or anything) done of total, for the progress bar. */
void builder_progress(struct builder *b, uint64_t done, uint64_t total);
const char *builder_second(const struct builder *b); /* borrowed; NULL without one */
const char *builder_near(const struct builder *b);   /* where scratch files may lie */
/* The source's own training vertices: copied. what: for people ("train_masks"). */
enum st builder_train(struct builder *b, const uint64_t *ids, uint64_t count, const char *what, struct err *err)
    MUST_USE;

/* ---- arrays that several formats hold (builder_arrays.c) ---- */

/* Rows u of targets v, as arcs (u, v). indptr: integers [n+1]; indices: integers [m]; data: [m] or NULL. columns: ids
 * must be below it. transposed: rows are targets (CSC). */
enum st builder_rows(struct builder *b, const struct npy *indptr, const struct npy *indices, const struct npy *data,
                     uint64_t columns, bool transposed, struct err *err) MUST_USE;
/* Pairs of integers, (m, 2) or (2, m); a (2, 2) array is read as `pair_rows` says: one pair per row, or sources and
 * targets. */
enum st builder_pairs(struct builder *b, const struct npy *pairs, bool pair_rows, struct err *err) MUST_USE;

/* ---- for who builds ---- */

struct builder_result {
    uint64_t n;
    struct csr_result csr;
    const char *sample;          /* "in", "out", "both" */
    const int64_t *original_ids; /* [n], ascending, when renumbered; owned by the builder */
    const uint64_t *train;       /* [train_count], ids as in the source; owned by the builder */
    uint64_t train_count;
    const char *train_what; /* NULL when the source has none */
};
/* Writes indptr.npy, indices.npy, and weights.npy, original_ids.npy if asked for, into a directory output. */
enum st builder_finish(struct builder *b, const struct output *to, struct builder_result *out, struct err *err)
    MUST_USE;

#endif
