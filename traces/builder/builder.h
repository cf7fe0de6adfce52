/* builder.h - graph formats stream vertices and arcs into a builder; it writes the rows
 * (measured: traces/BENCH.md).
 *
 * A format calls builder_source, states what it knows (number of vertices, symmetry), then gives arcs (u, v) as the
 * file means them: from u to v. The builder turns them into rows in sampling direction: --sample in: row v lists u;
 * out: row u lists v; undirected: both. It checks ids, limits and weights, drops exact duplicates (counted), keeps
 * self-loops and sorts the rows. Arcs are spilled to an unnamed scratch file (8 bytes each; 16 while 64-bit ids wait to
 * be renumbered), so memory stays near the size of the result: 8 bytes per vertex and 4 per stored arc. One thread
 * feeds a builder. Errors name the source and the place that the format gives ("line 12").
 */
#ifndef TRACES_BUILDER_BUILDER_H
#define TRACES_BUILDER_BUILDER_H

#include <stdbool.h>
#include <stdint.h>
#include "base/file.h"
#include "base/npy.h"
#include "base/status.h"
#include "traces/builder/builder_csr.h"
#include "traces/builder/columns.h"
#include "traces/builder/name_table.h"
#include "traces/builder/source_sets.h"

struct builder_options {
    bool sample_out;             /* --sample out */
    bool undirected;             /* store both directions of every arc */
    bool names;                  /* ids of text are names, also where they look like numbers */
    bool renumber;               /* dense ids in ascending order of the original ids; vertices without arcs vanish */
    bool weights;                /* keep the file's weights */
    bool parallel;               /* keep arcs that come again */
    bool times;                  /* keep the arcs' times (builder_times.h); not with weights */
    struct column_words columns; /* of text; borrowed */
    uint64_t vertices;           /* 0: as the source says */
    const char *edge_times;      /* file of the arcs' times, in their order; NULL: the source has them; borrowed */
    int threads;
    bool progress;
    const char *near;   /* scratch files are made next to this path; borrowed */
    const char *second; /* a second source path for formats that take two, or NULL; borrowed */
};

/* Whether so many arcs make a number of vertices credible that nothing else shows, as the size of a file does: up to
 * 2^24, or an arc per 256 of them. Otherwise it is taken for a mistake, before memory is taken for it. */
bool builder_justifies(uint64_t n, uint64_t arcs);

struct builder;
struct arc_time;

/* A new builder; close it with builder_close. ST_LIMIT when a scratch file or memory cannot be had. */
enum st builder_open(const struct builder_options *options, struct builder **out, struct err *err) MUST_USE;
/* Frees the builder and its scratch files; NULL is allowed. */
void builder_close(struct builder *b);

/* ---- for formats ---- */

/* States where the next arcs come from: `unit` is what a place counts ("line", "entry"). Both are borrowed until the
 * next call. */
void builder_source(struct builder *b, const char *path, const char *unit);
/* Declares ids 0..n-1; without it n is the largest id + 1. proven: the file's size shows that n vertices are there; a
 * number that only a header states is compared with the number of arcs in the end. At most once. ST_INPUT when n is 0
 * or beyond 2^32 - 2, or when a graph was declared before. */
enum st builder_vertices(struct builder *b, uint64_t n, bool proven, struct err *err) MUST_USE;
/* States that the graph is undirected. stored: the file holds both directions of every edge; otherwise each edge once.
 */
void builder_symmetric(struct builder *b, bool stored);
/* Adds an arc. place: line or entry number for messages. ST_INPUT for an id beyond the limit, or when weights are to be
 * kept and the format has none; ST_LIMIT when the disk is full. */
enum st builder_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, struct err *err) MUST_USE;
/* The same with a weight, which is ignored unless weights are kept; it must then be finite and not negative. */
enum st builder_weighted_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, double weight, struct err *err)
    MUST_USE;
/* The same with a time, which is ignored unless times are kept. */
enum st builder_timed_arc(struct builder *b, uint64_t place, uint64_t u, uint64_t v, const struct arc_time *time,
                          struct err *err) MUST_USE;
/* Notes what a format finds doubtful about its source, a sentence without a full stop for people; the first one
 * stays. */
void builder_doubt(struct builder *b, const char *format, ...) PRINTF_LIKE(2, 3);
/* Whether --names says that ids are names; whether it, or a source before, does. */
bool builder_names_asked(const struct builder *b);
bool builder_named(const struct builder *b);
/* States that the ids of this source are names, before its first arc: builder_name makes numbers of them. ST_INPUT when
 * arcs with numbers came before; ST_USAGE for options that are about numbers. */
enum st builder_names(struct builder *b, struct err *err) MUST_USE;
/* *id: the vertex of a name (name_table.h), also of one without arcs. ST_INPUT, with the place, for what is no name. */
enum st builder_name(struct builder *b, uint64_t place, const char *name, size_t length, uint64_t *id, struct err *err)
    MUST_USE;
/* True under --weights. */
bool builder_keeps_weights(const struct builder *b);
/* True when a format should give arcs with times: under --times, unless a file has them. */
bool builder_wants_times(const struct builder *b);
/* What options say of columns. Borrowed. */
const struct column_words *builder_columns(const struct builder *b);
/* Notes that a text's remark states n vertices: so many are there, if no id is larger. */
void builder_at_least(struct builder *b, uint64_t n);
/* Takes the file that states the vertices' times (copied), of a source whose arcs have none; before the first arc. One
 * that the options name counts more. */
void builder_vertex_times(struct builder *b, const char *path);
/* Moves the progress bar: bytes (or anything) done of total. */
void builder_progress(struct builder *b, uint64_t done, uint64_t total);
/* The second source path; NULL without one. Borrowed. */
const char *builder_second(const struct builder *b);
/* A path next to which a format may make scratch files. Borrowed. */
const char *builder_near(const struct builder *b);
/* Takes ids[count], the source's own training, validation or test vertices (copied), in the source's numbering; the
 * last call for a set counts. what: where they come from, for people ("train_masks"). ST_LIMIT when memory is out. */
enum st builder_set(struct builder *b, enum vertex_set set, const uint64_t *ids, uint64_t count, const char *what,
                    struct err *err) MUST_USE;
/* Takes labels (copied): a class per vertex, or per id of ids. Those that are no classes are left out with a doubt.
 * ST_LIMIT when memory is out. */
enum st builder_labels(struct builder *b, const struct npy *ids, const struct npy *labels, const char *what,
                       struct err *err) MUST_USE;
/* States the feature rows of the vertices: how many there are, elements of each and the word of their type ("f32").
 * what: where that is stated, for people. */
void builder_features(struct builder *b, uint64_t rows, uint64_t dim, const char *element, const char *what);
/* The same from the header of an array (n, dim) or (n). ST_INPUT, with the path, for another shape or no numbers. */
enum st builder_features_array(struct builder *b, const struct npy *rows, const char *path, const char *what,
                               struct err *err) MUST_USE;
/* States how many classes there are, which may be more than the labels show. */
void builder_classes(struct builder *b, uint64_t classes);

/* ---- number arrays (builder_arrays.c) ---- */

/* Adds arcs (u, v) for all v in row u. indptr: integers [n+1]; indices: integers [m]; data: weights [m] or NULL.
 * columns: ids must be below it. transposed: rows are targets (CSC). ST_INPUT when the arrays do not belong together.
 */
enum st builder_rows(struct builder *b, const struct npy *indptr, const struct npy *indices, const struct npy *data,
                     uint64_t columns, bool transposed, struct err *err) MUST_USE;
/* ST_INPUT for an array that is rows of features instead of ids: it says that --feature-dim is enough. path: "" where
 * the caller names the file. */
enum st builder_no_features(const struct npy *a, const char *path, struct err *err) MUST_USE;
/* Adds pairs of integers, (m, 2) or (2, m), or (m, 3) with times. A (2, 2) array is read as one pair per row when
 * pair_rows, else as sources and targets. ST_INPUT for other shapes and types. */
enum st builder_pairs(struct builder *b, const struct npy *pairs, bool pair_rows, struct err *err) MUST_USE;
/* The same as builder_set with an array of integers; an empty one changes nothing. */
enum st builder_set_array(struct builder *b, enum vertex_set set, const struct npy *ids, const char *what,
                          struct err *err) MUST_USE;
/* Maps a file without a header as one array of `type` ("u4", "i4", "i8"). Release *out (zeroed before) with
 * npy_release, after a failure, too. ST_INPUT when the file does not exist or its size is no multiple of the element's.
 */
enum st builder_map_raw(const char *path, const char *type, struct npy *out, struct err *err) MUST_USE;
/* Puts "path part: " before the message of a failure that does not begin with path; returns st. builder_rows and
 * builder_pairs do not know the file of an array. */
enum st builder_name_error(enum st st, const char *path, const char *part, struct err *err) MUST_USE;

/* ---- for what makes a graph directory ---- */

enum { GRAPH_DOUBT = 320 };
struct builder_result {
    uint64_t n;
    struct csr_result csr;
    const char *sample;             /* "in", "out", "both" */
    const int64_t *original_ids;    /* [n], ascending, when renumbered; owned by the builder */
    const struct name_table *names; /* of the vertices, or NULL; owned by the builder */
    const int64_t *vertex_times; /* [n] last time of an arc at a vertex, with times; else NULL; owned by the builder */
    bool times_fine;             /* times are in millionths of the source's unit */
    const char *vertex_times_file;  /* of the source, or ""; owned by the builder */
    const struct source_sets *sets; /* what the source states for training; owned by the builder */
    bool counted;                   /* n is the largest id + 1, because the source states no number of vertices */
    const char *doubt;              /* see builder_doubt; "" for none; owned by the builder */
};
/* Writes indptr.npy, indices.npy, and weights.npy, edge_times.npy, original_ids.npy and names if asked for, into a
 * directory output. ST_INPUT when there are no arcs, or too few for the largest id; ST_LIMIT when disk or memory is
 * out. */
enum st builder_finish(struct builder *b, const struct output *to, struct builder_result *out, struct err *err)
    MUST_USE;

#endif
