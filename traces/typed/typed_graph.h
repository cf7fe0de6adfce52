/* typed_graph.h - the directory of a graph with several node types and relations (schema graph/2), mapped.
 *
 * Vertices of all types have one space of ids: type t has the ids [first, first + count), in the order of graph.json. A
 * relation (source, name, target) has a CSR in sampling direction: row v of it, 0 <= v < count of the target type,
 * lists the vertices of the source type that v draws, as ids within that type, sorted. Rows of all relations have one
 * space of numbers as well: relation r has the rows [first_row, first_row + rows). Entries of relations with edge
 * features are numbered from first_edge on, in the order of their indices.npy.
 *
 * A struct typed_graph that typed_graph_open returned obeys: names are unique; every indptr rises from 0 to the
 * relation's edges; every id is below its type's count; training vertices are unique; ids, rows and edge rows are below
 * 2^32 - 1. Files are mapped, never copied, and read only, so any number of threads may share a graph. A graph of one
 * type and one relation is a struct graph (traces/graph), and stays one.
 */
#ifndef TRACES_TYPED_TYPED_GRAPH_H
#define TRACES_TYPED_TYPED_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/status.h"

enum { TYPED_TYPES_MAX = 64, TYPED_RELATIONS_MAX = 256, TYPED_NAME_BYTES = 64, TYPED_LABEL_BYTES = 200 };

/* Rows of one shape; dim 0 and bytes 0: there are none. */
struct typed_features {
    uint64_t dim;    /* elements */
    char element[8]; /* "f32", .. */
    uint64_t row_bytes;
};

struct typed_type {
    char name[TYPED_NAME_BYTES];
    uint64_t count, first; /* vertices; id of the first one */
    struct typed_features features;
    const uint32_t *train; /* [train_count] ids within the type, in file order */
    uint64_t train_count;
    int into[TYPED_RELATIONS_MAX]; /* [into_count] relations with this target, ascending */
    int into_count;
    struct npy file; /* owner of train */
};

struct typed_relation {
    char name[TYPED_NAME_BYTES];
    int source, target;  /* types */
    uint64_t m, rows;    /* stored edges; vertices of the target type */
    uint64_t first_row;  /* number of its row 0 */
    uint64_t first_edge; /* number of its entry 0 among the edge feature rows; only with features */
    struct typed_features features;
    const int64_t *indptr;   /* [rows + 1] */
    const uint32_t *indices; /* [m] */
    struct npy files[2];     /* owners */
};

struct typed_graph {
    char path[PATH_BYTES]; /* as given to typed_graph_open */
    char name[128];
    char fingerprint[80]; /* as graph.json states it; "" when it has none */
    uint64_t n, m;        /* vertices and stored edges of all types and relations */
    uint64_t rows;        /* topology rows of all relations */
    uint64_t edge_rows;   /* entries of relations with edge features */
    uint64_t train_count;
    int types, relations;
    struct typed_type *type;         /* [types], owned */
    struct typed_relation *relation; /* [relations], owned */
};

/* *typed: whether `path` is a directory whose graph.json has schema graph/2. A fault is "no": the reader that is asked
 * next says what is wrong. ST_LIMIT without memory. */
enum st typed_graph_is(const char *path, bool *typed, struct err *err) MUST_USE;

/* Maps the directory `path` and checks everything but the fingerprint. threads: for the scans of the ids. Close with
 * typed_graph_close. ST_INPUT, with file and entry, for a directory that is not as described above. Takes n / 8 bytes
 * while it checks. */
enum st typed_graph_open(const char *path, int threads, struct typed_graph *out, struct err *err) MUST_USE;
/* Unmaps the files; a zeroed struct is allowed. */
void typed_graph_close(struct typed_graph *g);

/* The fingerprint: "sha256-16m:" and the SHA-256 over one line per type (name, count, training vertices, and their
 * ids) and one per relation (names, and the fingerprint of its arrays as in traces/graph). Feature shapes are not part
 * of it, as they are not of a homogeneous one. The same for any number of threads. ST_LIMIT when memory is out. */
enum st typed_graph_fingerprint(const struct typed_graph *g, int threads, char out[80], struct err *err) MUST_USE;

/* The known words, for messages. */
#define TYPED_ELEMENT_WORDS "f64|i64|f32|i32|f16|bf16|i16|f8|i8|u8"

/* Position of the type called that, or -1. */
int typed_type_named(const struct typed_graph *g, const char *name);
/* Type of vertex v, v < n. */
int typed_type_of(const struct typed_graph *g, uint64_t v);
/* Relation of topology row `row`, row < rows. */
int typed_relation_of_row(const struct typed_graph *g, uint64_t row);
/* "author-writes->paper" into out. Returns out. */
const char *typed_relation_label(const struct typed_graph *g, int relation, char out[TYPED_LABEL_BYTES]);

/* Length of row v of a relation. */
static inline uint64_t typed_degree(const struct typed_relation *r, uint64_t v)
{
    return (uint64_t)(r->indptr[v + 1] - r->indptr[v]);
}
/* Bytes of a relation's cached topology row: 4 per neighbour and one 8-byte offset. */
static inline uint64_t typed_topology_bytes(const struct typed_relation *r, uint64_t v)
{
    return 4 * typed_degree(r, v) + 8;
}

/* Bytes of all rows: a budget of 100 %. */
struct typed_totals {
    uint64_t topology, feature, edge, total;
};
struct typed_totals typed_graph_totals(const struct typed_graph *g);

/* A new object with what other documents repeat of g: name, vertices, edges, types, relations, train_vertices,
 * fingerprint. The caller frees it with doc_free. */
doc *typed_graph_document(const struct typed_graph *g);

#endif
