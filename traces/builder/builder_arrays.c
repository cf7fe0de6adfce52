/* builder_arrays.c - graphs that come as number arrays (declared in builder.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "traces/builder/builder.h"
#include "traces/builder/builder_times.h"

enum { TOLD_EVERY = 1 << 16 }; /* arcs between two updates of the progress bar */

static enum st need_integers(const struct npy *a, const char *what, struct err *err)
{
    if (a->type[0] == 'i' || a->type[0] == 'u') return ST_OK;
    return err_set(err, ST_INPUT, "%s: elements are of type %s, expected integers; save them with .astype('int64')",
                   what, a->type);
}

enum st builder_no_features(const struct npy *a, const char *path, struct err *err)
{
    const char *type = !strcmp(a->type, "f4")   ? " --feature-type f32"
                       : !strcmp(a->type, "f2") ? " --feature-type f16"
                                                : "";
    if (a->type[0] != 'f' || a->dims != 2 || a->shape[0] <= 2 || a->shape[1] <= 3) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s%s%" PRIu64 " rows of %" PRIu64 " numbers of type %s are features, of which planning takes only "
                   "the size; give the edges alone, with --feature-dim %" PRIu64 "%s",
                   path, *path ? ": " : "", a->shape[0], a->shape[1], a->type, a->shape[1], type);
}

/* Element i as an id; negative numbers become huge, which the builder refuses. */
static inline uint64_t id_at(const struct npy *a, uint64_t i)
{
    bool ok;
    int64_t x = npy_integer(a, i, &ok);
    return ok ? (uint64_t)x : UINT64_MAX;
}

static double real_at(const struct npy *a, uint64_t i)
{
    float f;
    double d;
    bool ok;
    if (a->type[0] != 'f') return (double)npy_integer(a, i, &ok);
    if (a->item == 4) {
        memcpy(&f, (const char *)a->data + 4 * i, 4);
        return f;
    }
    memcpy(&d, (const char *)a->data + 8 * i, 8);
    return d;
}

/* indptr must rise from 0 to m. */
static enum st check_indptr(const struct npy *indptr, uint64_t m, struct err *err)
{
    uint64_t before = 0, n = indptr->count - 1;
    if (id_at(indptr, 0) != 0)
        return err_set(err, ST_INPUT, "indptr: begins with %" PRId64 ", expected 0", (int64_t)id_at(indptr, 0));
    for (uint64_t v = 1; v <= n; v++) {
        uint64_t x = id_at(indptr, v);
        if (x < before || x > m)
            return err_set(err, ST_INPUT,
                           "indptr: entry %" PRIu64 " is %" PRId64 ", expected a number from %" PRIu64 " to %" PRIu64,
                           v, (int64_t)x, before, m);
        before = x;
    }
    if (before != m)
        return err_set(err, ST_INPUT,
                       "indptr: ends with %" PRIu64 ", but there are %" PRIu64 " indices; the arrays do not belong "
                       "together",
                       before, m);
    return ST_OK;
}

static enum st check_rows(const struct npy *indptr, const struct npy *indices, const struct npy *data, struct err *err)
{
    PASS(need_integers(indptr, "indptr", err));
    PASS(need_integers(indices, "indices", err));
    if (indptr->dims != 1 || indptr->count < 2)
        return err_set(err, ST_INPUT,
                       "indptr: has %d dimensions and %" PRIu64 " entries, expected one dimension and at least 2 "
                       "entries",
                       indptr->dims, indptr->count);
    if (indices->dims != 1) return err_set(err, ST_INPUT, "indices: has %d dimensions, expected one", indices->dims);
    if (data && (data->count != indices->count || (data->type[0] == 'f' && data->item < 4)))
        return err_set(err, ST_INPUT, "data: has %" PRIu64 " elements of type %s, expected %" PRIu64 " numbers",
                       data->count, data->type, indices->count);
    return check_indptr(indptr, indices->count, err);
}

enum st builder_rows(struct builder *b, const struct npy *indptr, const struct npy *indices, const struct npy *data,
                     uint64_t columns, bool transposed, struct err *err)
{
    PASS(check_rows(indptr, indices, data, err));
    uint64_t n = indptr->count - 1, m = indices->count, at = 0;
    if (columns != n)
        return err_set(err, ST_INPUT, "the matrix is %" PRIu64 " x %" PRIu64 "; an adjacency matrix is square", n,
                       columns);
    PASS(builder_vertices(b, n, true, err));
    for (uint64_t row = 0; row < n; row++)
        for (uint64_t end = id_at(indptr, row + 1); at < end; at++) {
            uint64_t id = id_at(indices, at), u = transposed ? id : row, v = transposed ? row : id;
            if (data) PASS(builder_weighted_arc(b, at, u, v, real_at(data, at), err));
            else PASS(builder_arc(b, at, u, v, err));
            if (at % TOLD_EVERY == 0) builder_progress(b, at, m);
        }
    return ST_OK;
}

enum st builder_pairs(struct builder *b, const struct npy *pairs, bool pair_rows, struct err *err)
{
    PASS(builder_no_features(pairs, "", err));
    PASS(need_integers(pairs, "pairs of ids", err));
    const bool timed = builder_wants_times(b) && pairs->dims == 2 && pairs->shape[1] == 3;
    if (pairs->dims != 2 || (pairs->shape[0] != 2 && pairs->shape[1] != 2 && !timed))
        return err_set(err, ST_INPUT,
                       "the array has %d dimensions (%" PRIu64 ", %" PRIu64 "), expected pairs of ids: (m, 2) or (2, "
                       "m)",
                       pairs->dims, pairs->dims > 0 ? pairs->shape[0] : 0, pairs->dims > 1 ? pairs->shape[1] : 0);
    bool rows = timed || pairs->shape[0] != 2 || (pairs->shape[1] == 2 && pair_rows);
    uint64_t m = rows ? pairs->shape[0] : pairs->shape[1], step = timed ? 3 : rows ? 2 : 1, second = rows ? 1 : m;
    for (uint64_t i = 0; i < m; i++) {
        const uint64_t u = id_at(pairs, i * step), v = id_at(pairs, i * step + second);
        const struct arc_time time = {.value = timed ? (int64_t)id_at(pairs, i * step + 2) : 0};
        if (timed) PASS(builder_timed_arc(b, i, u, v, &time, err));
        else PASS(builder_arc(b, i, u, v, err));
        if (i % TOLD_EVERY == 0) builder_progress(b, i, m);
    }
    return ST_OK;
}

enum st builder_map_raw(const char *path, const char *type, struct npy *out, struct err *err)
{
    uint32_t item = (uint32_t)atoi(type + 1);
    PASS(file_map(path, &out->map, err));
    if (out->map.bytes % item)
        return err_set(err, ST_INPUT,
                       "%s: has %" PRIu64 " bytes, which is not a multiple of %" PRIu32 "; the file is truncated", path,
                       out->map.bytes, item);
    snprintf(out->type, sizeof out->type, "%s", type);
    out->dims = 1;
    out->shape[0] = out->count = out->map.bytes / item;
    out->item = item;
    out->data = out->map.base;
    return ST_OK;
}

enum st builder_set_array(struct builder *b, enum vertex_set set, const struct npy *ids, const char *what,
                          struct err *err)
{
    if (!ids->count) return ST_OK;
    OWNED_NEW(uint64_t, wide, ids->count, "vertices of a set");
    for (uint64_t i = 0; i < ids->count; i++) wide[i] = id_at(ids, i);
    return builder_set(b, set, wide, ids->count, what, err);
}

enum st builder_name_error(enum st st, const char *path, const char *part, struct err *err)
{
    if (st != ST_OK && strncmp(err->text, path, strlen(path))) err_prefix(err, "%s%s: ", path, part);
    return st;
}
