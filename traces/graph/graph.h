/* graph.h - the graph directory (schema graph/1), mapped.
 *
 * CSR in sampling direction: row v = indices[indptr[v] .. indptr[v+1]) lists the vertices that v draws its neighbours
 * from, sorted. A struct graph that graph_open returned obeys: indptr rises from 0 to m, every id < n, training
 * vertices unique and < n, dim >= 1, weights finite and not negative. Files are
 * mapped, never copied. Read-only, so any number of threads may share it.
 */
#ifndef TRACES_GRAPH_GRAPH_H
#define TRACES_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/file.h"
#include "base/npy.h"
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
    uint64_t row_bytes;                  /* feature_dim * feature_bytes */
    uint64_t weight_bytes; /* 4 where sampling reads the weights of a row with its ids, so that a cached row holds both;
                              else 0 */
    char sample[8];        /* "in", "out", "both" */
    char fingerprint[80];  /* as graph.json has it; "" when it has none */
    struct npy arrays[4];  /* owner of the mappings */
};

/* Opens and checks everything but the fingerprint. threads: for the scans of the indices and weights. weight_bytes is
 * 0. */
enum st graph_open(const char *path, int threads, struct graph *out, struct err *err) MUST_USE;
void graph_close(struct graph *g); /* zeroed is allowed */

/* Lets go of the pages of neighbours and weights, for stages that read none: they count as ours while they are mapped
 * in. graph_prefetch_pages reads them ahead. */
void graph_drop_pages(const struct graph *g);
void graph_prefetch_pages(const struct graph *g);

/* The fingerprint of the three arrays: "sha256-16m:" and the SHA-256 of the digests of their 16 MiB pieces. out[80]. */
enum st graph_fingerprint(const int64_t *indptr, uint64_t n, const uint32_t *indices, const uint32_t *train,
                          uint64_t train_count, int threads, char out[80], struct err *err) MUST_USE;

/* The members of graph.json that other documents repeat: name, vertices, edges, sample, feature_dim, feature_bytes,
 * train_vertices, fingerprint. */
doc *graph_document(const struct graph *g);

static inline uint64_t graph_degree(const struct graph *g, uint64_t v)
{
    return (uint64_t)(g->indptr[v + 1] - g->indptr[v]);
}
/* Bytes of a cached topology row: 4 per neighbour (8 with its weight) and one 8-byte offset. */
static inline uint64_t graph_topology_bytes(const struct graph *g, uint64_t v)
{
    return (4 + g->weight_bytes) * graph_degree(g, v) + 8;
}
/* Topology and feature rows of all vertices: what "5%" of a budget is a share of. */
static inline uint64_t graph_total_bytes(const struct graph *g)
{
    return (4 + g->weight_bytes) * g->m + 8 * g->n + g->n * g->row_bytes;
}

#endif
