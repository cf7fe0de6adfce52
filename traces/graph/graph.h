/* graph.h - the graph directory (schema graph/1), mapped.
 *
 * CSR in sampling direction: row v = indices[indptr[v] .. indptr[v+1]) lists the vertices that v draws its neighbours
 * from, sorted. A struct graph that graph_open returned obeys: indptr rises from 0 to m; every id is below n; training
 * vertices are unique and below n; feature_dim >= 1; weights are finite and not negative. Files are mapped, never
 * copied, and read only, so any number of threads may share a graph.
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

struct graph {
    char path[PATH_BYTES]; /* as given to graph_open */
    char name[128];
    uint64_t n, m;           /* vertices, stored arcs */
    const int64_t *indptr;   /* [n+1] */
    const uint32_t *indices; /* [m] */
    const uint32_t *train;   /* [train_count] ids, in file order */
    const float *weights;    /* [m] or NULL */
    uint64_t train_count;
    uint64_t feature_dim, feature_bytes; /* elements per row, bytes per element */
    uint64_t row_bytes;                  /* of a feature row on the host: feature_dim * feature_bytes */
    enum precision cached; /* element type in which GPUs hold feature rows; graph_open leaves it as on the host */
    uint64_t weight_bytes; /* 4 where sampling reads a row's weights, so that a cached row holds them; else 0 */
    char sample[8];        /* "in", "out", "both": --sample of the import */
    char fingerprint[80];  /* as graph.json states it; "" when it has none */
    struct npy arrays[4];  /* owner of the mappings */
};

/* Maps the directory `path` and checks everything but the fingerprint. threads: for the scans of indices and weights.
 * weight_bytes is 0: workload_attach sets it. Close with graph_close. ST_INPUT, with file and entry, for a directory
 * that is not as described above. Takes n / 8 bytes while it checks. */
enum st graph_open(const char *path, int threads, struct graph *out, struct err *err) MUST_USE;
/* Unmaps the files; a zeroed struct is allowed. */
void graph_close(struct graph *g);

/* Releases the pages of indices and weights, before a stage that reads neither: mapped pages count as the process's
 * memory. They are read again when they are touched. */
void graph_drop_pages(const struct graph *g);
/* The same for the whole pages of indices[from..to-1]. */
void graph_drop_indices(const struct graph *g, uint64_t from, uint64_t to);
/* Begins to read them ahead, unless indices are larger than half the machine's memory. */
void graph_prefetch_pages(const struct graph *g);

/* The fingerprint of a graph: out = "sha256-16m:" and the SHA-256 over the digests of the arrays' 16 MiB pieces, in the
 * order indptr[n+1], indices[indptr[n]], train[train_count]. The same for any number of threads. ST_LIMIT when memory
 * is out. */
enum st graph_fingerprint(const int64_t *indptr, uint64_t n, const uint32_t *indices, const uint32_t *train,
                          uint64_t train_count, int threads, char out[80], struct err *err) MUST_USE;

/* The members of graph.json that other documents repeat. Texts are borrowed. */
struct graph_members {
    const char *name, *sample, *fingerprint;
    uint64_t n, m, feature_dim, feature_bytes, train_count;
};
/* Writes them into an object: name, vertices, edges, sample, feature_dim, feature_bytes, train_vertices, fingerprint.
 */
void graph_members_put(const struct graph_members *m, doc *object);
/* A new object with these members of g; the caller frees it with doc_free. */
doc *graph_document(const struct graph *g);

/* How many rows of each kind there are: neighbour lists, feature rows. */
static inline uint64_t graph_topology_rows(const struct graph *g) { return g->n; }
static inline uint64_t graph_feature_rows(const struct graph *g) { return g->n; }
/* Length of row v. */
static inline uint64_t graph_degree(const struct graph *g, uint64_t v)
{
    return (uint64_t)(g->indptr[v + 1] - g->indptr[v]);
}
/* Bytes of a cached topology row: 4 per neighbour (8 with its weight) and one 8-byte offset. */
static inline uint64_t graph_topology_bytes(const struct graph *g, uint64_t v)
{
    return (4 + g->weight_bytes) * graph_degree(g, v) + 8;
}
/* Bytes that a feature row takes on a GPU. */
static inline uint64_t graph_cached_bytes(const struct graph *g)
{
    return g->cached == PRECISION_HOST ? g->row_bytes : precision_row_bytes(g->cached, g->feature_dim);
}
/* Topology and feature rows of all vertices: a budget of 100 %. */
static inline uint64_t graph_total_bytes(const struct graph *g)
{
    return (4 + g->weight_bytes) * g->m + 8 * g->n + g->n * g->row_bytes;
}

#endif
