#include "traces/graph/graph.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/folder.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "traces/graph/graph_fields.h"
#include "traces/graph/graph_ranges.h"
#include "traces/graph/graph_sets.h"
#include "traces/graph/graph_times.h"
#include "traces/graph/graph_types.h"
#include "traces/graph/graph_union.h"

enum { PIECE = 16 << 20, SAMPLE = 64 << 10, FEATURE_BITS = 55 };
static const uint64_t HASHED_MOST = 256 << 20; /* bytes of arrays that are hashed whole whenever a graph is opened */

/* Bytes of an element of a feature row: feature_bytes, or those of feature_type, which agree where both are stated. */
static enum st check_element(struct graph *g, const char *type, const char *where, struct err *err)
{
    uint64_t of_type = precision_element_bytes(type);
    if (!g->feature_bytes) g->feature_bytes = of_type ? of_type : 4;
    if (!of_type || g->feature_bytes == of_type) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: \"feature_bytes\" is %" PRIu64 ", but an element of \"feature_type\" %s has %" PRIu64
                   " bytes; correct one of them",
                   where, g->feature_bytes, type, of_type);
}

enum st graph_read_keys(struct graph *g, const struct field *keys, const doc *d, const char *where, struct err *err)
{
    char trimmed[PATH_BYTES];
    const char *sample = doc_text_value(doc_get(d, "sample"), "");
    PASS(fields_read(keys, d, where, g, err));
    if (doc_is_null(doc_get(d, "name")))
        snprintf(g->name, sizeof g->name, "%s", path_base(path_trim(g->path, trimmed)));
    snprintf(g->sample, sizeof g->sample, "%s", strcmp(sample, "undirected") ? sample : "both");
    return ST_OK;
}

static enum st read_meta(struct graph *g, const doc *d, const char *where, struct err *err)
{
    PASS(graph_read_keys(g, graph_fields_1, d, where, err));
    PASS(check_element(g, doc_text_value(doc_get(d, "feature_type"), ""), where, err));
    g->row_bytes = g->feature_dim * g->feature_bytes;
    if (g->row_bytes > ((uint64_t)1 << FEATURE_BITS) / g->n) /* sums of bytes and lines stay far below 64 bits */
        return err_set(err, ST_INPUT,
                       "%s: %" PRIu64 " feature rows of %" PRIu64 " bytes are more than the 32 PiB that are possible; "
                       "correct feature_dim or feature_bytes",
                       where, g->n, g->row_bytes);
    return ST_OK;
}

static enum st check_ends(const struct graph_csr *csr, const struct graph_check *c, struct err *err)
{
    const int64_t *p = csr->indptr;
    if (p[0] != 0)
        return err_set(err, ST_INPUT, "%s/%sindptr.npy: begins with %" PRId64 ", expected 0", c->path, c->stem, p[0]);
    if (c->to == csr->rows && (uint64_t)p[c->to] != csr->m)
        return err_set(err, ST_INPUT, "%s/%sindptr.npy: ends with %" PRId64 ", but graph.json says %" PRIu64 " edges",
                       c->path, c->stem, p[c->to], csr->m);
    if (p[c->from] < 0 || (uint64_t)p[c->to] > csr->m)
        return err_set(err, ST_INPUT,
                       "%s/%sindptr.npy: rises from %" PRId64 " at entry %" PRIu64 " to %" PRId64 " at entry %" PRIu64
                       ", but graph.json says %" PRIu64 " edges",
                       c->path, c->stem, p[c->from], c->from, p[c->to], c->to, csr->m);
    return ST_OK;
}

enum st graph_check_csr(const struct graph_csr *csr, const struct graph_check *c, int threads, struct err *err)
{
    char path[PATH_BYTES];
    uint64_t bad = UINT64_MAX;
    const int64_t *p = csr->indptr;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t v = c->from; v < c->to; v++)
        if (p[v + 1] < p[v] && v < bad) bad = v;
    if (bad != UINT64_MAX && p[0] == 0)
        return err_set(err, ST_INPUT,
                       "%s/%sindptr.npy: decreases from %" PRId64 " to %" PRId64 " at entry %" PRIu64 "; it must not "
                       "decrease",
                       c->path, c->stem, p[bad], p[bad + 1], bad + 1);
    PASS(check_ends(csr, c, err));
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t i = (uint64_t)p[c->from]; i < (uint64_t)p[c->to]; i++)
        if (csr->indices[i] >= c->sources && i < bad) bad = i;
    if (bad != UINT64_MAX)
        return err_set(err, ST_INPUT,
                       "%s/%sindices.npy: entry %" PRIu64 " is %" PRIu32 ", but %s has %" PRIu64 " vertices", c->path,
                       c->stem, bad, csr->indices[bad], c->of, c->sources);
    if (!csr->weights) return ST_OK;
    snprintf(path, sizeof path, "%s/%sweights.npy", c->path, c->stem);
    return graph_check_weights(csr->weights, (uint64_t)p[c->from], (uint64_t)p[c->to], path, threads, err);
}

enum st graph_check_weights(const float *w, uint64_t from, uint64_t to, const char *file, int threads, struct err *err)
{
    uint64_t bad = UINT64_MAX;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t i = from; i < to; i++)
        if (!(w[i] >= 0 && w[i] <= FLT_MAX) && i < bad) bad = i;
    if (bad == UINT64_MAX) return ST_OK;
    return err_set(err, ST_INPUT, "%s: entry %" PRIu64 " is %g; weights must be finite and not negative", file, bad,
                   (double)w[bad]);
}

static enum st map_arrays(struct graph *g, struct err *err)
{
    char path[PATH_BYTES];
    PASS(graph_map_array(g, "indptr.npy", "i8", g->n + 1, &g->arrays[GRAPH_INDPTR], err));
    PASS(graph_map_array(g, "indices.npy", "u4", g->m, &g->arrays[GRAPH_INDICES], err));
    PASS(graph_map_array(g, "train.npy", "u4", g->train_count, &g->arrays[GRAPH_TRAIN], err));
    PASS(path_join(path, g->path, "weights.npy", err));
    if (file_exists(path)) PASS(graph_map_array(g, "weights.npy", "f4", g->m, &g->arrays[GRAPH_WEIGHTS], err));
    g->indptr = g->arrays[GRAPH_INDPTR].data;
    g->indices = g->arrays[GRAPH_INDICES].data;
    g->train = g->arrays[GRAPH_TRAIN].data;
    g->train_count = g->arrays[GRAPH_TRAIN].count;
    g->weights = g->arrays[GRAPH_WEIGHTS].data;
    return ST_OK;
}

/* ranges: of `count` processes, of which this is number `mine`; NULL: all rows are checked. */
static enum st open_rows(const char *path, int threads, int count, int mine, struct graph *out,
                         struct graph_ranges *ranges, struct err *err)
{
    struct graph *g = NULL;
    char where[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    bool listed;
    enum st st = ST_OK;
    NEW(g, 1, "a graph");
    if (snprintf(g->path, sizeof g->path, "%s", path) >= (int)sizeof g->path)
        FAIL(ST_INPUT, "%.60s..: the path is too long", path);
    for (size_t end = strlen(g->path); end > 1 && g->path[end - 1] == '/'; end--) g->path[end - 1] = '\0';
    TRY(folder_document(where, g->path, "graph.json", err));
    TRY(doc_has_schema(where, "graph/2", &listed, err));
    if (listed) {
        TRY(graph_open_types(g->path, threads, out, err));
        if (ranges && graph_plain(out)) graph_ranges_make(out, count, mine, ranges);
        goto done;
    }
    TRY(doc_load(where, "graph/1", &d, err));
    TRY(read_meta(g, d, where, err));
    TRY(map_arrays(g, err));
    if (ranges) {
        graph_ranges_make(g, count, mine, ranges);
        npy_drop_pages(&g->arrays[GRAPH_INDPTR]); /* what the search saw, and the pages that were mapped around it */
    }
    const struct graph_csr rows = graph_csr(g, 0);
    const struct graph_check check = {g->path,
                                      "",
                                      "the graph",
                                      g->n,
                                      ranges ? graph_ranges_first(ranges) : 0,
                                      ranges ? graph_ranges_end(ranges) : g->n};
    TRY(graph_check_csr(&rows, &check, threads, err));
    TRY(graph_set_check(g->train, g->train_count, g->n, check.of, g->path, "train.npy", err));
    TRY(graph_times_map(g, d, check.from, check.to, threads, err));
    *out = *g;
    memset(g->arrays, 0, sizeof g->arrays);
done:
    if (g) graph_close(g);
    mem_free(g);
    return st;
}

/* Writes the digests of one array's pieces, of the first `most` bytes of each, to `to`. */
static void digest_pieces(const void *data, uint64_t bytes, uint64_t most, int threads, unsigned char *to)
{
    uint64_t pieces = (bytes + PIECE - 1) / PIECE;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t at = i * PIECE, some = bytes - at < most ? bytes - at : most;
        struct sha256 h;
        sha256_begin(&h);
        sha256_add(&h, (const char *)data + at, some);
        sha256_end(&h, to + 32 * i);
    }
}

enum st graph_arrays_digest(const int64_t *indptr, uint64_t n, const uint32_t *indices, const uint32_t *train,
                            uint64_t train_count, bool sampled, int threads, char out[80], struct err *err)
{
    uint64_t bytes[3] = {8 * (n + 1), 4 * (uint64_t)indptr[n], 4 * train_count}, pieces = 0;
    const void *data[3] = {indptr, indices, train};
    unsigned char last[32];
    char hex[65];
    struct sha256 h;
    for (int i = 0; i < 3; i++) pieces += (bytes[i] + PIECE - 1) / PIECE;
    OWNED_NEW(unsigned char, digests, 32 * pieces, "digests");
    for (uint64_t i = 0, at = 0; i < 3; at += (bytes[i] + PIECE - 1) / PIECE, i++)
        digest_pieces(data[i], bytes[i], sampled ? SAMPLE : PIECE, threads, digests + 32 * at);
    sha256_begin(&h);
    sha256_add(&h, digests, 32 * pieces);
    sha256_end(&h, last);
    sha256_hex(last, hex);
    snprintf(out, 80, "%s%s", sampled ? "sha256-sample:" : "sha256-16m:", hex);
    return ST_OK;
}

bool graph_samples(uint64_t vertices, uint64_t edges) { return 8 * vertices + 4 * edges > HASHED_MOST; }

/* Whether the arrays are those that graph.json was written for, as far as it says so and little reading tells. */
static enum st check_arrays(const struct graph *g, int threads, struct err *err)
{
    char print[80];
    bool sampled = graph_samples(g->n, g->m);
    const char *stated = sampled ? g->sampled : g->fingerprint;
    if (strncmp(stated, sampled ? "sha256-sample:" : "sha256-16m:", sampled ? 14 : 11)) return ST_OK;
    PASS(graph_digest(g, sampled, threads, print, err));
    if (!strcmp(print, stated)) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: its arrays are not those that graph.json was written for (it states %.30s.., the arrays give "
                   "%.30s..); import the graph again, or remove \"%s\" if you changed them on purpose",
                   g->path, stated, print, sampled ? "sampled" : "fingerprint");
}

enum st graph_open_unhashed(const char *path, int threads, struct graph *out, struct err *err)
{
    return open_rows(path, threads, 1, 0, out, NULL, err);
}

enum st graph_open_any(const char *path, int threads, struct graph *out, struct err *err)
{
    PASS(graph_open_unhashed(path, threads, out, err));
    enum st st = check_arrays(out, threads, err);
    if (st != ST_OK) graph_close(out);
    return st;
}

/* Closes a graph that is not plain again, with the sentence. */
static enum st refuse_types(struct graph *g, struct err *err)
{
    char path[PATH_BYTES];
    if (graph_plain(g)) return ST_OK;
    snprintf(path, sizeof path, "%s", g->path);
    graph_close(g);
    return err_set(err, ST_INPUT,
                   "%s: has several node types or relations, or edge features, which this command does not know; take "
                   "a graph of one type",
                   path);
}

enum st graph_open(const char *path, int threads, struct graph *out, struct err *err)
{
    PASS(graph_open_any(path, threads, out, err));
    return refuse_types(out, err);
}

enum st graph_open_range(const char *path, int threads, int count, int mine, struct graph *out,
                         struct graph_ranges *ranges, struct err *err)
{
    if (count > GRAPH_RANGES_MOST)
        return err_set(err, ST_LIMIT, "%d processes would share the vertices of %s; at most %d can", count, path,
                       (int)GRAPH_RANGES_MOST);
    PASS(open_rows(path, threads, count, mine, out, ranges, err));
    enum st st = check_arrays(out, threads, err);
    if (st != ST_OK) graph_close(out);
    return st != ST_OK ? st : refuse_types(out, err);
}

void graph_close(struct graph *g)
{
    for (size_t i = 0; i < sizeof g->arrays / sizeof *g->arrays; i++) npy_release(&g->arrays[i]);
    for (int t = 0; g->type && t < g->types; t++) npy_release(&g->type[t].file);
    for (int r = 0; g->relation && r < g->relations; r++)
        for (int i = 0; i < 3; i++) npy_release(&g->relation[r].files[i]);
    mem_free(g->type);
    mem_free(g->relation);
    mem_free(g->table);
    if (g->joined) graph_union_release(g->joined);
    mem_free(g->joined);
    memset(g, 0, sizeof *g);
}

void graph_drop_pages(const struct graph *g)
{
    npy_drop_pages(&g->arrays[GRAPH_INDICES]);
    npy_drop_pages(&g->arrays[GRAPH_WEIGHTS]);
    npy_drop_pages(&g->arrays[GRAPH_EDGE_TIMES]);
}

void graph_drop_indices(const struct graph *g, uint64_t from, uint64_t to)
{
    npy_drop_range(&g->arrays[GRAPH_INDICES], g->indices + from, g->indices + to);
}

void graph_prefetch_pages(const struct graph *g)
{
    if (4 * g->m > machine_memory() / 2) return; /* reading the end would evict the beginning */
    npy_prefetch_pages(&g->arrays[GRAPH_INDICES]);
    if (g->weight_bytes == 4) npy_prefetch_pages(&g->arrays[GRAPH_WEIGHTS]);
    if (g->weight_bytes == 8) npy_prefetch_pages(&g->arrays[GRAPH_EDGE_TIMES]);
}

void graph_members_put(const struct graph_members *m, doc *object)
{
    doc_put(object, "name", doc_text(m->name));
    doc_put(object, "vertices", doc_integer((int64_t)m->n));
    doc_put(object, "edges", doc_integer((int64_t)m->m));
    doc_put(object, "sample", doc_text(m->sample));
    doc_put(object, "feature_dim", doc_integer((int64_t)m->feature_dim));
    doc_put(object, "feature_bytes", doc_integer((int64_t)m->feature_bytes));
    doc_put(object, "train_vertices", doc_integer((int64_t)m->train_count));
    doc_put(object, "fingerprint", doc_text(m->fingerprint));
}

doc *graph_document(const struct graph *g)
{
    if (!graph_plain(g)) return graph_types_document(g);
    doc *d = doc_object();
    const struct graph_members m = {.name = g->name,
                                    .sample = g->sample,
                                    .fingerprint = g->fingerprint,
                                    .n = g->n,
                                    .m = g->m,
                                    .feature_dim = g->feature_dim,
                                    .feature_bytes = g->feature_bytes,
                                    .train_count = g->train_count};
    graph_members_put(&m, d);
    return d;
}
