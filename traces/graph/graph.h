/* graph.h - the graph directory (schemas graph/1 and graph/2), mapped: vertices of one or several types, and the
 * relations between them.
 *
 * One type and one relation are the normal case, a *plain* graph: its arrays are those of struct graph itself, and
 * `type` and `relation` are NULL. CSR in sampling direction: row v = indices[indptr[v] .. indptr[v+1]) lists the
 * vertices that v draws its neighbours from, sorted. A plain graph that graph_open returned obeys: indptr rises from 0
 * to m; every id is below n; training vertices are unique and below n; feature_dim >= 1; weights are finite and not
 * negative. A directory of schema graph/2 that has one type with features, one relation and no edge features is opened
 * as a plain graph.
 *
 * Otherwise vertices of all types have one space of ids: type t has the ids [first, first + count), in the order of
 * graph.json. A relation (source, name, target) has a CSR of its own, weights where it has some: row v of it, 0 <= v <
 * count of the target type, lists the vertices of the source type that v draws, as ids within that type, sorted. Rows
 * of all relations have one space of numbers as well: relation r has the topology rows [first_row, first_row + rows).
 * Entries of relations with edge features are numbered from first_edge on, in the order of their indices.npy. Names are
 * unique; every indptr rises from 0 to the relation's edges; every id is below its type's count; training vertices are
 * unique; ids, rows and edge rows are below 2^32 - 1.
 *
 * rows.h numbers the rows that GPUs can hold. Files are mapped, never copied, and read only, so any number of threads
 * may share a graph.
 */
#ifndef TRACES_GRAPH_GRAPH_H
#define TRACES_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/precision.h"
#include "base/status.h"

enum { GRAPH_TYPES_MAX = 64, GRAPH_RELATIONS_MAX = 256, GRAPH_NAME_BYTES = 64, GRAPH_LABEL_BYTES = 200 };

/* The known words of elements, for messages. */
#define GRAPH_ROWS_ASSUMED "assumed" /* feature_origin: nobody states the rows */
#define GRAPH_ELEMENT_WORDS "f64|i64|f32|i32|f16|bf16|i16|f8|i8|u8"

/* Rows of one shape; dim 0 and bytes 0: there are none. */
struct graph_features {
    uint64_t dim;    /* elements */
    char element[8]; /* "f32", .. */
    uint64_t row_bytes;
};

struct graph_type {
    char name[GRAPH_NAME_BYTES];
    uint64_t count, first; /* vertices; id of the first one */
    struct graph_features features;
    const uint32_t *train; /* [train_count] ids within the type, in file order */
    uint64_t train_count;
    uint64_t name_bytes;           /* of its vertices' names (graph_names.h); 0: they have none */
    int into[GRAPH_RELATIONS_MAX]; /* [into_count] relations with this target, ascending */
    int into_count;
    struct npy file; /* owner of train */
};

struct graph_relation {
    char name[GRAPH_NAME_BYTES];
    int source, target;  /* types */
    uint64_t m, rows;    /* stored edges; vertices of the target type */
    uint64_t first_row;  /* number of its row 0 */
    uint64_t first_edge; /* number of its entry 0 among the edge feature rows; only with features */
    struct graph_features features;
    const int64_t *indptr;   /* [rows + 1] */
    const uint32_t *indices; /* [m] */
    const float *weights;    /* [m] or NULL */
    uint64_t weight_bytes;   /* 4 where sampling reads a row's weights, so that a cached row holds them; else 0 */
    struct npy files[3];     /* owners */
};

struct row_table;
enum { GRAPH_INDPTR, GRAPH_INDICES, GRAPH_TRAIN, GRAPH_WEIGHTS, GRAPH_EDGE_TIMES, GRAPH_VERTEX_TIMES, GRAPH_ARRAYS };

struct graph {
    char path[PATH_BYTES]; /* as given to graph_open */
    char name[128];
    uint64_t n, m; /* vertices and stored arcs, of all types and relations */
    /* ---- several types or relations; else zero */
    int types, relations;
    struct graph_type *type;         /* [types], owned */
    struct graph_relation *relation; /* [relations], owned */
    uint64_t topology_rows;          /* of all relations */
    uint64_t edge_rows;              /* entries of relations with edge features */
    int tables;
    struct row_table *table;    /* [tables], owned; see rows.h */
    struct graph_union *joined; /* owned; NULL until graph_join (graph_union.h) */
    /* ---- a plain graph; else NULL and zero, but for train_count */
    const int64_t *indptr;                    /* [n+1] */
    const uint32_t *indices;                  /* [m] */
    const uint32_t *train;                    /* [train_count] ids, in file order */
    const float *weights;                     /* [m] or NULL */
    const int64_t *edge_times, *vertex_times; /* [m], [n] or NULL; see graph_times.h */
    uint64_t train_count;
    uint64_t name_bytes;                 /* of its vertices' names (graph_names.h); 0: they have none */
    uint64_t feature_dim, feature_bytes; /* elements per row, bytes per element */
    uint64_t row_bytes;                  /* of a feature row on the host: feature_dim * feature_bytes */
    enum precision cached;   /* element type in which GPUs hold feature rows; graph_open leaves it as on the host */
    uint64_t weight_bytes;   /* 4 where sampling reads a row's weights, 8 where it reads its times, so that a cached row
                                holds them; else 0 */
    char sample[8];          /* "in", "out", "both": --sample of the import */
    double time_unit;        /* what 1 of its times is in the unit of the source */
    char feature_origin[80]; /* who states its feature rows; "": an older graph, which does not say */
    char train_origin[128];  /* where its training vertices are from; likewise */
    char fingerprint[80], sampled[80]; /* as graph.json states them; "" when it has none */
    char type_name[GRAPH_NAME_BYTES], relation_name[GRAPH_NAME_BYTES]; /* as a document graph/2 states them; else "" */
    struct npy arrays[GRAPH_ARRAYS];                                   /* owners of the mappings */
};

/* Maps the directory `path` and checks everything, and whether its arrays are those that graph.json was written for: by
 * the fingerprint where they have at most 256 MiB, else by `sampled`, where they are stated by hotset. threads: for the
 * scans of indices and weights. weight_bytes is 0: workload_attach sets it. Close with graph_close. ST_INPUT, with file
 * and entry, for a directory that is not as described above. Takes n / 8 bytes while it checks. */
enum st graph_open_any(const char *path, int threads, struct graph *out, struct err *err) MUST_USE;
/* The same without the last check, for those that tell of it. */
enum st graph_open_unhashed(const char *path, int threads, struct graph *out, struct err *err) MUST_USE;
/* graph_open_any for a plain graph; ST_INPUT for others. */
enum st graph_open(const char *path, int threads, struct graph *out, struct err *err) MUST_USE;
/* ST_INPUT, with the file, unless the weights from..to-1 are finite and not negative. */
enum st graph_check_weights(const float *w, uint64_t from, uint64_t to, const char *file, int threads, struct err *err)
    MUST_USE;
/* Unmaps the files; a zeroed struct is allowed. */
void graph_close(struct graph *g);

/* Releases the pages of indices and weights, before a stage that reads neither: mapped pages count as the process's
 * memory. They are read again when they are touched. */
void graph_drop_pages(const struct graph *g);
/* The same for the whole pages of indices[from..to-1]. */
void graph_drop_indices(const struct graph *g, uint64_t from, uint64_t to);
/* Begins to read them ahead, unless indices are larger than half the machine's memory. */
void graph_prefetch_pages(const struct graph *g);

/* The fingerprint of a plain graph's arrays: out = "sha256-16m:" and the SHA-256 over the digests of the arrays' 16 MiB
 * pieces, in the order indptr[n+1], indices[indptr[n]], train[train_count]. sampled: "sha256-sample:", of the first
 * 64 KiB of each piece: other arrays are noticed for a 256th of the reading, a few changed entries only by chance. The
 * same for any number of threads. ST_LIMIT when memory is out. */
enum st graph_arrays_digest(const int64_t *indptr, uint64_t n, const uint32_t *indices, const uint32_t *train,
                            uint64_t train_count, bool sampled, int threads, char out[80], struct err *err) MUST_USE;
/* The same of a graph: of its arrays or, where graph.json lists types (schema graph/2), the SHA-256 over one line per
 * type (name, count, training vertices, and their ids) and one per relation (names, and the digest of its arrays).
 * Feature shapes are no part of it. Errors likewise. */
enum st graph_digest(const struct graph *g, bool sampled, int threads, char out[80], struct err *err) MUST_USE;
static inline enum st graph_fingerprint(const struct graph *g, int threads, char out[80], struct err *err)
{
    return graph_digest(g, false, threads, out, err);
}
/* Whether graph.json states `sampled` beside the fingerprint: of graphs that are too large to be hashed at every use.
 */
bool graph_samples(uint64_t vertices, uint64_t edges);

/* The members of graph.json that other documents repeat. Texts are borrowed. */
struct graph_members {
    const char *name, *sample, *fingerprint;
    uint64_t n, m, feature_dim, feature_bytes, train_count;
};
/* Writes them into an object: name, vertices, edges, sample, feature_dim, feature_bytes, train_vertices, fingerprint.
 */
void graph_members_put(const struct graph_members *m, doc *object);
/* A new object with what other documents repeat of g: these members or, of several types, name, vertices, edges, types,
 * relations, train_vertices, fingerprint. The caller frees it with doc_free. */
doc *graph_document(const struct graph *g);

/* ---- several types; g is not plain */

/* "author-writes->paper" into out. Returns out. */
const char *graph_relation_label(const struct graph *g, int relation, char out[GRAPH_LABEL_BYTES]);
/* Length of row v of a relation. */
static inline uint64_t relation_degree(const struct graph_relation *r, uint64_t v)
{
    return (uint64_t)(r->indptr[v + 1] - r->indptr[v]);
}

/* ---- a plain graph */

/* Length of row v. */
static inline uint64_t graph_degree(const struct graph *g, uint64_t v)
{
    return (uint64_t)(g->indptr[v + 1] - g->indptr[v]);
}
/* Bytes of a cached topology row: 4 per neighbour (8 with its weight, 12 with its time) and one 8-byte offset. */
static inline uint64_t graph_topology_bytes(const struct graph *g, uint64_t v)
{
    return (4 + g->weight_bytes) * graph_degree(g, v) + 8;
}
/* Bytes that a feature row takes on a GPU. */
static inline uint64_t graph_cached_bytes(const struct graph *g)
{
    return g->cached == PRECISION_HOST ? g->row_bytes : precision_row_bytes(g->cached, g->feature_dim);
}

/* ---- any graph */

/* Whether g has one type, one relation, and no edge features. */
static inline bool graph_plain(const struct graph *g) { return !g->type; }
/* Rows that hold neighbours, one per vertex and relation into its type; rows that hold features, one per vertex and per
 * edge with features. */
static inline uint64_t graph_topology_rows(const struct graph *g) { return graph_plain(g) ? g->n : g->topology_rows; }
static inline uint64_t graph_feature_rows(const struct graph *g) { return g->n + g->edge_rows; }

/* Types of vertices, and relations; one each of a plain graph. */
static inline int graph_type_count(const struct graph *g) { return graph_plain(g) ? 1 : g->types; }
static inline int graph_relation_count(const struct graph *g) { return graph_plain(g) ? 1 : g->relations; }

/* The vertices of type t < graph_type_count(g), and the shape of their feature rows on the host (dim 0: there are
 * none); train: [train_count] ids within the type, borrowed. */
struct graph_vertices {
    uint64_t first, count;
    const uint32_t *train;
    uint64_t train_count, dim, row_bytes;
};
static inline struct graph_vertices graph_vertices(const struct graph *g, int t)
{
    if (graph_plain(g)) return (struct graph_vertices){0, g->n, g->train, g->train_count, g->feature_dim, g->row_bytes};
    const struct graph_type *type = &g->type[t];
    return (struct graph_vertices){type->first,       type->count,        type->train,
                                   type->train_count, type->features.dim, type->features.row_bytes};
}

/* Position of the type called that, or -1; types of a plain graph have no names. */
int graph_type_named(const struct graph *g, const char *name);
/* Type of vertex v, v < n. */
static inline int graph_type_of(const struct graph *g, uint64_t v)
{
    int low = 0, high = g->types;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (g->type[middle].first <= v) low = middle;
        else high = middle;
    }
    return low;
}
/* Relation of topology row `row`, row < graph_topology_rows(g). */
static inline int graph_relation_of_row(const struct graph *g, uint64_t row)
{
    int low = 0, high = g->relations;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (g->relation[middle].first_row <= row) low = middle;
        else high = middle;
    }
    return low;
}

/* The rows of relation r < graph_relation_count(g), as in struct graph_relation; arrays are borrowed. */
struct graph_csr {
    const int64_t *indptr;
    const uint32_t *indices;
    const float *weights;
    uint64_t rows, m, first_row, weight_bytes;
    int source, target;                  /* types */
    uint64_t first_source, first_target; /* ids of their first vertices */
    bool edge_features;                  /* whether its entries have rows, */
    uint64_t first_edge;                 /* numbered from here on */
};
static inline struct graph_csr graph_csr(const struct graph *g, int r)
{
    if (graph_plain(g)) {
        const struct graph_csr all = {g->indptr, g->indices, g->weights, g->n, g->m,  0, g->weight_bytes,
                                      0,         0,          0,          0,    false, 0};
        return all;
    }
    const struct graph_relation *relation = &g->relation[r];
    const struct graph_csr rows = {relation->indptr,
                                   relation->indices,
                                   relation->weights,
                                   relation->rows,
                                   relation->m,
                                   relation->first_row,
                                   relation->weight_bytes,
                                   relation->source,
                                   relation->target,
                                   g->type[relation->source].first,
                                   g->type[relation->target].first,
                                   relation->features.row_bytes > 0,
                                   relation->first_edge};
    return rows;
}
/* Length of its row v. */
static inline uint64_t csr_degree(const struct graph_csr *csr, uint64_t v)
{
    return (uint64_t)(csr->indptr[v + 1] - csr->indptr[v]);
}
/* Bytes of its cached row v: 4 per neighbour (8 with its weight, 12 with its time) and one 8-byte offset. */
static inline uint64_t csr_row_bytes(const struct graph_csr *csr, uint64_t v)
{
    return (4 + csr->weight_bytes) * csr_degree(csr, v) + 8;
}
/* The relations into type t, ascending, and how many there are; borrowed. */
static inline int graph_relations_into(const struct graph *g, int t, const int **out)
{
    static const int only[] = {0};
    *out = graph_plain(g) ? only : g->type[t].into;
    return graph_plain(g) ? 1 : g->type[t].into_count;
}
/* What ends the names of files of type or relation number `of`: "_<of>", or "" of a plain graph. Returns out. */
enum { GRAPH_SUFFIX = 16 };
const char *graph_suffix(const struct graph *g, int of, char out[GRAPH_SUFFIX]);
/* "<type>:<number within it>", or the number alone of a plain graph, for people. Returns out. */
enum { GRAPH_VERTEX_TEXT = GRAPH_NAME_BYTES + 32 };
const char *graph_vertex_text(const struct graph *g, uint64_t v, char out[GRAPH_VERTEX_TEXT]);
/* " of type <name>" where there are several, else "", for messages. Returns out. */
enum { GRAPH_OF_TYPE = GRAPH_NAME_BYTES + 16 };
const char *graph_of_type(const struct graph *g, int t, char out[GRAPH_OF_TYPE]);

/* Bytes of all rows, on the host: a budget of 100 %. */
struct graph_totals {
    uint64_t topology, feature, edge, total;
};
struct graph_totals graph_totals(const struct graph *g);
static inline uint64_t graph_total_bytes(const struct graph *g) { return graph_totals(g).total; }

#endif
