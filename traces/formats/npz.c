/* npz.c - NumPy and SciPy archives: a sparse matrix as scipy.sparse.save_npz writes it (csr, csc, coo), the adj_*
 * arrays of GNN benchmarks, or an array of pairs: edges (m, 2), edge_index (2, m). Rows are sources. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/precision.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/formats/graph_zip.h"

static int npz_probe(const struct format_probe *p)
{
    return !p->directory && p->head_bytes >= 4 && (!memcmp(p->head, "PK\3\4", 4) || !memcmp(p->head, "PK\5\6", 4)) ? 95
                                                                                                                   : 0;
}

/* Reads "csr", "csc" or "coo" from the member format.npy: text of 1- or 4-byte characters, which npy.h does not read.
 */
static enum st sparse_kind(const struct zip *z, const char *near, char kind[4], struct err *err)
{
    OWNED_BY(zip_release) struct zip_data d = {0};
    const struct zip_entry *e = zip_find(z, "format.npy");
    snprintf(kind, 4, "csr");
    if (!e) return ST_OK;
    PASS(zip_read(z, e, near, &d, err));
    const unsigned char *b = d.bytes;
    if (d.size < 13)
        return err_set(err, ST_INPUT, "%s(format.npy): is too short to be the name of a sparse format", z->path);
    bool wide = b[d.size - 1] == 0;
    for (int i = 0; i < 3; i++) kind[i] = (char)b[wide ? d.size - 12 + 4 * (uint64_t)i : d.size - 3 + (uint64_t)i];
    if (strcmp(kind, "csr") && strcmp(kind, "csc") && strcmp(kind, "coo"))
        return err_set(err, ST_INPUT,
                       "%s: is a sparse matrix in a format other than csr, csc or coo; convert it with .tocsr()",
                       z->path);
    return ST_OK;
}

static enum st square(const struct zip *z, const struct zip_array *shape, uint64_t *n, struct err *err)
{
    bool ok, ok2;
    if (shape->array.count != 2 || shape->array.type[0] == 'f')
        return err_set(err, ST_INPUT, "%s: 'shape' is not two integers", z->path);
    int64_t rows = npy_integer(&shape->array, 0, &ok), columns = npy_integer(&shape->array, 1, &ok2);
    if (!ok || !ok2 || rows < 1 || rows != columns)
        return err_set(err, ST_INPUT,
                       "%s: the matrix is %" PRId64 " x %" PRId64 "; an adjacency matrix is square and not empty",
                       z->path, rows, columns);
    *n = (uint64_t)rows;
    return ST_OK;
}

/* prefix: "" or "adj_". */
static enum st read_sparse(const struct zip *z, const char *prefix, struct builder *to, struct err *err)
{
    static const char *const keys[] = {"indptr", "indices", "data", "shape"};
    struct zip_array m[4];
    char key[32], kind[4] = "csr";
    uint64_t n = 0;
    enum st st = ST_OK;
    memset(m, 0, sizeof m);
    for (int i = 0; i < 4; i++) {
        if (i == 2 && !builder_keeps_weights(to)) continue;
        snprintf(key, sizeof key, "%s%s", prefix, keys[i]);
        TRY(zip_array_read(z, key, builder_near(to), &m[i], err));
    }
    if (!*prefix) TRY(sparse_kind(z, builder_near(to), kind, err));
    if (!m[1].there) FAIL(ST_INPUT, "%s: has %sindptr but no %sindices", z->path, prefix, prefix);
    n = m[0].array.count ? m[0].array.count - 1 : 0;
    if (m[3].there) TRY(square(z, &m[3], &n, err));
    st = builder_rows(to, &m[0].array, &m[1].array, m[2].there ? &m[2].array : NULL, n, kind[2] == 'c', err);
    TRY(builder_name_error(st, z->path, "", err));
done:
    for (int i = 0; i < 4; i++) zip_array_release(&m[i]);
    return st;
}

/* scipy's coo: row[], col[]. */
static enum st read_coo(const struct zip *z, struct builder *to, struct err *err)
{
    struct zip_array row = {0}, col = {0}, shape = {0};
    uint64_t n;
    bool ok, ok2;
    enum st st;
    TRY(zip_array_read(z, "row", builder_near(to), &row, err));
    TRY(zip_array_read(z, "col", builder_near(to), &col, err));
    TRY(zip_array_read(z, "shape", builder_near(to), &shape, err));
    if (!row.there || !col.there || !shape.there || row.array.count != col.array.count || row.array.type[0] == 'f' ||
        col.array.type[0] == 'f')
        FAIL(ST_INPUT, "%s: a sparse matrix in coo form has integer arrays row and col of one length, and shape",
             z->path);
    TRY(square(z, &shape, &n, err));
    TRY(builder_vertices(to, n, false, err));
    for (uint64_t i = 0; i < row.array.count; i++) {
        uint64_t u = (uint64_t)npy_integer(&row.array, i, &ok), v = (uint64_t)npy_integer(&col.array, i, &ok2);
        TRY(builder_arc(to, i, ok ? u : UINT64_MAX, ok2 ? v : UINT64_MAX, err));
    }
done:
    zip_array_release(&row);
    zip_array_release(&col);
    zip_array_release(&shape);
    return st;
}

/* Declares the number of vertices where an archive of pairs states it: OGB's num_nodes_list, or the length of a mask,
 * or the number of feature rows. */
static enum st pair_vertices(const struct zip *z, const struct zip_array *masks, uint64_t rows, struct builder *to,
                             struct err *err)
{
    OWNED_BY(zip_array_release) struct zip_array count = {0};
    bool ok = false;
    PASS(zip_array_read(z, "num_nodes_list", builder_near(to), &count, err));
    if (!count.there) PASS(zip_array_read(z, "num_nodes", builder_near(to), &count, err));
    if (count.there) {
        int64_t n = count.array.count == 1 ? npy_integer(&count.array, 0, &ok) : 0;
        if (!ok || n < 1)
            return err_set(err, ST_INPUT,
                           "%s: its number of nodes is not one positive integer; import one graph at a time", z->path);
        PASS(builder_vertices(to, (uint64_t)n, false, err));
    } else if (masks->there) {
        PASS(builder_vertices(to, masks->array.shape[masks->array.dims - 1], true, err));
    } else if (rows) {
        PASS(builder_vertices(to, rows, true, err));
    }
    return ST_OK;
}

/* Reads a set's masks (splits, n), whose first row counts, or its mask (n). */
static enum st read_mask(const struct zip *z, enum vertex_set set, struct zip_array *mask, char what[64],
                         struct builder *to, struct err *err)
{
    static const char *const names[VERTEX_SETS] = {"train_mask", "val_mask", "test_mask"};
    char key[32];
    snprintf(key, sizeof key, "%ss", names[set]);
    snprintf(what, 64, "first row of %s", key);
    PASS(zip_array_read(z, key, builder_near(to), mask, err));
    if (!mask->there) {
        snprintf(what, 64, "%s", names[set]);
        PASS(zip_array_read(z, names[set], builder_near(to), mask, err));
    }
    if (mask->there &&
        (mask->array.type[0] == 'f' || mask->array.dims < 1 || mask->array.dims > 2 || !mask->array.count))
        zip_array_release(mask);
    return ST_OK;
}

static enum st give_set(const struct zip_array *mask, enum vertex_set set, const char *what, struct builder *to,
                        struct err *err)
{
    uint64_t n = mask->array.shape[mask->array.dims - 1], count = 0, *ids = NULL;
    bool ok;
    enum st st = ST_OK;
    NEW(ids, n, "vertices of a set");
    for (uint64_t v = 0; v < n; v++)
        if (npy_integer(&mask->array, v, &ok) != 0) ids[count++] = v;
    if (count) TRY(builder_set(to, set, ids, count, what, err));
done:
    mem_free(ids);
    return st;
}

/* Validation and test masks of as many vertices as the training mask has. */
static enum st read_other_sets(const struct zip *z, const struct zip_array *train, struct builder *to, struct err *err)
{
    OWNED_BY(zip_array_release) struct zip_array mask = {0};
    char what[64];
    for (int set = SET_VALID; set < VERTEX_SETS; set++) {
        PASS(read_mask(z, (enum vertex_set)set, &mask, what, to, err));
        if (mask.there && mask.array.shape[mask.array.dims - 1] == train->array.shape[train->array.dims - 1])
            PASS(give_set(&mask, (enum vertex_set)set, what, to, err));
        zip_array_release(&mask);
    }
    return ST_OK;
}

/* node_labels or labels, as the GNN benchmarks write them; a pickled or other array is none. */
static enum st read_labels(const struct zip *z, struct builder *to, struct err *err)
{
    static const char *const keys[] = {"node_labels", "labels"};
    struct zip_array labels = {0};
    struct err ignored = {0};
    enum st st = ST_OK;
    for (size_t i = 0; i < 2 && !labels.there && st == ST_OK; i++) {
        st = zip_array_read(z, keys[i], builder_near(to), &labels, &ignored);
        if (st == ST_LIMIT) *err = ignored;
        else st = ST_OK;
    }
    if (st == ST_OK && labels.there) st = builder_labels(to, NULL, &labels.array, "labels of the archive", err);
    zip_array_release(&labels);
    return st;
}

/* A sparse matrix of rows, attr_shape and attr_data, as the GNN benchmarks (Shchur et al.) write it; training makes it
 * dense. */
static uint64_t read_sparse_features(const struct zip *z, struct builder *to)
{
    OWNED_BY(zip_array_release) struct zip_array shape = {0};
    struct err ignored = {0};
    struct npy data = {0};
    char what[80];
    bool ok[2] = {false, false};
    if (zip_array_read(z, "attr_shape", builder_near(to), &shape, &ignored) != ST_OK || !shape.there ||
        shape.array.count != 2 || shape.array.type[0] == 'f' ||
        zip_array_header(z, "attr_data", &data, &ignored) != ST_OK || !*precision_word(data.type))
        return 0;
    const int64_t rows = npy_integer(&shape.array, 0, &ok[0]), dim = npy_integer(&shape.array, 1, &ok[1]);
    if (!ok[0] || !ok[1] || rows < 1 || dim < 1) return 0;
    snprintf(what, sizeof what, "attr_shape of %.40s", path_base(z->path));
    builder_features(to, (uint64_t)rows, (uint64_t)dim, precision_word(data.type), what);
    return (uint64_t)rows;
}

/* The rows of vertices: x (PyTorch Geometric), node_feat (OGB), node_features, feat, features, attr. Returns how many
 * there are; 0: the archive has none. */
static uint64_t read_features(const struct zip *z, struct builder *to)
{
    static const char *const keys[] = {"node_feat", "x", "node_features", "feat", "features", "attr"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct npy header;
        struct err ignored = {0}; /* of a pickled or damaged array */
        char what[80];
        if (zip_array_header(z, keys[i], &header, &ignored) != ST_OK) continue;
        if (header.dims != 2 || !header.shape[0] || !header.shape[1] || !*precision_word(header.type)) continue;
        snprintf(what, sizeof what, "%s of %.40s", keys[i], path_base(z->path));
        builder_features(to, header.shape[0], header.shape[1], precision_word(header.type), what);
        return header.shape[0];
    }
    return read_sparse_features(z, to);
}

static enum st read_pairs(const struct zip *z, const char *key, uint64_t rows, struct builder *to, struct err *err)
{
    struct zip_array pairs = {0}, mask = {0};
    char member[64], what[64];
    enum st st;
    TRY(zip_array_read(z, key, builder_near(to), &pairs, err));
    TRY(read_mask(z, SET_TRAIN, &mask, what, to, err));
    TRY(pair_vertices(z, &mask, rows, to, err));
    snprintf(member, sizeof member, "(%s.npy)", key);
    TRY(builder_name_error(builder_pairs(to, &pairs.array, !strcmp(key, "edges"), err), z->path, member, err));
    if (mask.there) TRY(give_set(&mask, SET_TRAIN, what, to, err));
    if (mask.there) TRY(read_other_sets(z, &mask, to, err));
done:
    zip_array_release(&pairs);
    zip_array_release(&mask);
    return st;
}

/* Refuses an archive without known members; of a pickled matrix it says so. */
static enum st refuse(const struct zip *z, struct builder *to, struct err *err)
{
    char names[400] = "";
    struct zip_array m = {0};
    for (uint64_t i = 0; i < z->count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.*s", i ? ", " : "", (int)z->entries[i].name_bytes,
                 (const char *)z->entries[i].name);
    }
    if (zip_find(z, "adj_matrix.npy")) {
        enum st st = zip_array_read(z, "adj_matrix", builder_near(to), &m, err);
        zip_array_release(&m);
        if (st != ST_OK) return st;
    }
    return err_set(err, ST_INPUT,
                   "%s: holds %s; expected indptr and indices, adj_indptr and adj_indices, row and col, edges, or "
                   "edge_index",
                   z->path, *names ? names : "nothing");
}

static enum st read_archive(const char *path, struct builder *to, struct err *err)
{
    OWNED_BY(zip_close) struct zip z = {0};
    PASS(zip_open(path, &z, err));
    builder_source(to, path, "entry");
    const uint64_t rows = read_features(&z, to);
    if (zip_find(&z, "indptr.npy")) PASS(read_sparse(&z, "", to, err));
    else if (zip_find(&z, "adj_indptr.npy")) PASS(read_sparse(&z, "adj_", to, err));
    else if (zip_find(&z, "edges.npy")) PASS(read_pairs(&z, "edges", rows, to, err));
    else if (zip_find(&z, "edge_index.npy")) PASS(read_pairs(&z, "edge_index", rows, to, err));
    else if (zip_find(&z, "row.npy")) PASS(read_coo(&z, to, err));
    else PASS(refuse(&z, to, err));
    return read_labels(&z, to, err);
}

const struct graph_format graph_format_npz = {
    .name = "npz",
    .summary = "NumPy/SciPy archive: csr, csc, coo, adj_*, edges, edge_index",
    .probe = npz_probe,
    .read = read_archive,
};
