#include "traces/builder/graph_train.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/npy.h"
#include "base/rng.h"
#include "base/units.h"
#include "traces/builder/builder_renumber.h"
#include "traces/builder/builder_sort.h"
#include "traces/builder/columns.h"
#include "traces/builder/graph_text.h"
#include "traces/builder/name_table.h"

enum { TRAIN_STREAM = 0x74726e, BUCKETS = 1 << 16 };

DEFINE_ROW_SORT(sort_hashes, uint64_t)

static uint64_t hash_of(uint64_t seed, uint64_t v) { return rng_hash(seed, TRAIN_STREAM, v); }

/* ---- by share: a selection in two looks at the hashes, so that memory is one bucket of them ---- */

/* The bucket (leading 16 bits) that holds the hash of rank `rank`; *before: hashes in lower buckets. */
static enum st find_bucket(uint64_t n, uint64_t seed, uint64_t rank, int threads, uint64_t *bucket, uint64_t *before,
                           uint64_t *inside, struct err *err)
{
    OWNED uint64_t *count = NULL;
    MAKE(count, BUCKETS, "a histogram");
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t v = 0; v < n; v++) {
        uint64_t b = hash_of(seed, v) >> 48;
#pragma omp atomic
        count[b]++;
    }
    *before = 0;
    for (*bucket = 0; *before + count[*bucket] <= rank; ++*bucket) *before += count[*bucket];
    *inside = count[*bucket];
    return ST_OK;
}

/* The hash of rank `rank` (from 0) among all vertices. */
static enum st find_limit(uint64_t n, uint64_t seed, uint64_t rank, int threads, uint64_t *limit, struct err *err)
{
    uint64_t bucket = 0, before = 0, inside = 0, have = 0;
    PASS(find_bucket(n, seed, rank, threads, &bucket, &before, &inside, err));
    OWNED_NEW(uint64_t, some, inside, "hashes");
    for (uint64_t v = 0; v < n; v++) {
        uint64_t h = hash_of(seed, v);
        if (h >> 48 == bucket) some[have++] = h;
    }
    sort_hashes(some, have, 56);
    *limit = some[rank - before];
    return ST_OK;
}

enum st train_by_share(uint64_t n, double share, uint64_t seed, int threads, struct train_set *out, struct err *err)
{
    const uint64_t unit = 1000000000000u; /* the share as a decimal fraction, as it was typed */
    struct train_set t = {0};
    uint64_t limit = 0, have = 0;
    enum st st = ST_OK;
    if (!(share > 0 && share <= 1))
        FAIL(ST_USAGE, "--train-share: %g is out of range; expected a share above 0 and up to 1", share);
    t.count = units_round_half_up((unsigned __int128)n * (uint64_t)llround(share * (double)unit), unit);
    if (t.count < 1) t.count = 1;
    NEW(t.ids, t.count, "training vertices");
    TRY(find_limit(n, seed, t.count - 1, threads, &limit, err));
    for (uint64_t v = 0; v < n && have < t.count; v++)
        if (hash_of(seed, v) <= limit) t.ids[have++] = (uint32_t)v;
    BUG_IF(have != t.count);
    *out = t;
    t.ids = NULL;
done:
    mem_free(t.ids);
    return st;
}

/* ---- given ids ---- */

/* A set of vertices that is being filled. */
struct marks {
    const struct id_map *map;
    const char *path, *unit;
    uint64_t *bits, count;
};

static const char *word(const struct id_map *map) { return map->set ? map->set : "training"; }

static enum st mark(struct marks *m, uint64_t place, uint64_t id, struct err *err)
{
    const struct id_map *s = m->map;
    uint64_t v = s->original ? renumber_find(s->original, s->n, (int64_t)id) : id;
    if (v >= s->n && s->partly) return ST_OK;
    if (v >= s->n)
        return err_set(err, ST_INPUT,
                       "%s: %s %" PRIu64 " names %s vertex %" PRId64 ", which the graph does not have (%" PRIu64 " vert"
                       "ices%"
                       "s)",
                       m->path, m->unit, place, word(s), (int64_t)id, s->n,
                       s->original ? ", original ids, those with arcs" : "");
    if (m->bits[v / 64] >> (v % 64) & 1)
        return err_set(err, ST_INPUT, "%s: %s %" PRIu64 " names %s vertex %" PRIu64 " a second time", m->path, m->unit,
                       place, word(s), id);
    m->bits[v / 64] |= (uint64_t)1 << (v % 64);
    m->count++;
    return ST_OK;
}

static enum st marks_open(struct marks *m, const struct id_map *map, const char *path, const char *unit,
                          struct err *err)
{
    *m = (struct marks){.map = map, .path = path, .unit = unit};
    MAKE(m->bits, map->n / 64 + 1, "a set of vertices");
    return ST_OK;
}

static enum st marks_collect(const struct marks *m, struct train_set *out, struct err *err)
{
    uint32_t *ids = NULL;
    uint64_t have = 0;
    if (!m->count && !m->map->partly) return err_set(err, ST_INPUT, "%s: names no %s vertex", m->path, word(m->map));
    MAKE(ids, m->count, "vertices of a set");
    for (uint64_t v = 0; v < m->map->n; v++)
        if (m->bits[v / 64] >> (v % 64) & 1) ids[have++] = (uint32_t)v;
    *out = (struct train_set){ids, have};
    return ST_OK;
}

enum st train_from_ids(const uint64_t *ids, uint64_t count, const char *what, const struct id_map *map,
                       struct train_set *out, struct err *err)
{
    struct marks m = {0};
    enum st st;
    TRY(marks_open(&m, map, what, "entry", err));
    for (uint64_t i = 0; i < count; i++) TRY(mark(&m, i, ids[i], err));
    TRY(marks_collect(&m, out, err));
done:
    mem_free(m.bits);
    return st;
}

/* True for a mask: only 0 and 1. A list of three and more unique ids has other numbers. */
static bool is_mask(const struct npy *a)
{
    bool ok = true;
    if (a->type[0] == 'b') return true;
    for (uint64_t i = 0; i < a->count; i++) {
        int64_t x = npy_integer(a, i, &ok);
        if (!ok || (x != 0 && x != 1)) return false;
    }
    return a->count > 2;
}

static enum st mark_array(struct marks *m, const char *path, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    bool ok;
    PASS(npy_map(path, &a, err));
    if (a.dims != 1 || a.type[0] == 'f')
        return err_set(err, ST_INPUT,
                       "%s: has %d dimension%s and type %s; expected one list of integer ids or a 0/1 mask; save it "
                       "with .ravel().astype('int64')",
                       path, a.dims, a.dims == 1 ? "" : "s", a.type);
    bool mask = is_mask(&a);
    if (mask && !m->map->original && a.count != m->map->n)
        return err_set(err, ST_INPUT, "%s: is a mask of %" PRIu64 " entries, but the graph has %" PRIu64 " vertices",
                       path, a.count, m->map->n);
    for (uint64_t i = 0; i < a.count; i++) {
        uint64_t x = (uint64_t)npy_integer(&a, i, &ok);
        if (!mask) PASS(mark(m, i, ok ? x : UINT64_MAX, err));
        else if (x) PASS(mark(m, i, i, err));
    }
    return ST_OK;
}

/* A line with a name, which may stand between quotes. */
static enum st mark_name(struct marks *m, uint64_t number, const char *line, struct err *err)
{
    char room[NAME_BYTES_MOST + 1];
    size_t length = 0;
    const char *name = columns_name(line, '\0', 1, room, &length);
    const uint64_t v = name ? name_table_find(m->map->names, name, length) : UINT64_MAX;
    if (v != UINT64_MAX) return mark(m, number, v, err);
    return err_set(err, ST_INPUT, "%s: line %" PRIu64 " names %s vertex '%.60s', which the graph does not have",
                   m->path, number, word(m->map), line);
}

static enum st mark_lines(struct marks *m, const char *path, struct err *err)
{
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    char *line;
    uint64_t id = 0, extra;
    m->unit = "line";
    PASS(text_lines_open(path, &l, err));
    for (;;) {
        PASS(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        const char *p = text_skip(line);
        if (!*p || *p == '#' || *p == '%') continue;
        if (m->map->names) {
            PASS(mark_name(m, l.number, line, err));
            continue;
        }
        enum text_kind kind = text_take(&p, &id);
        if (kind == TEXT_NUMBER && text_take(&p, &extra) != TEXT_END) kind = TEXT_OTHER;
        if (kind != TEXT_NUMBER) PASS(text_error(kind, path, l.number, line, "one vertex id", err));
        PASS(mark(m, l.number, id, err));
    }
    return ST_OK;
}

enum st train_from_file(const char *path, const struct id_map *map, struct train_set *out, struct err *err)
{
    struct marks m = {0};
    bool npy;
    enum st st;
    TRY(source_is_npy(path, &npy, err));
    TRY(marks_open(&m, map, path, "entry", err));
    if (npy) TRY(mark_array(&m, path, err));
    else TRY(mark_lines(&m, path, err));
    TRY(marks_collect(&m, out, err));
done:
    mem_free(m.bits);
    return st;
}
