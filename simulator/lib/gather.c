/* gather.c - many rows, or the places of many vertices, in one call (declared in hotset.h).
 *
 * Looking up and copying wait for memory, not for arithmetic, so the rows of a piece pass through a pipeline: the word
 * of a ranked table is asked for, then the entry, then the row's lines, then the row is copied. Each step is a few rows
 * behind the one before, so that what it needs has arrived. Pieces are shared by threads.
 */
#include <string.h>

#include "simulator/lib/internal.h"
#include "simulator/lib/thread_pool.h"

enum {
    STEP = 16,          /* rows between asking for a word, an entry, and a row */
    RING = 128,         /* entries, and rows, on their way; at least STEP and ROWS_MAX */
    ROWS_MAX = 64,      /* rows asked for before they are copied, */
    ROWS_BYTES = 8192,  /* and their bytes: a part of the nearest cache */
    LINES_BYTES = 1024, /* of a row that are asked for; the processor sees the rest coming */
    LINE = 64,
    PIECE_BYTES = 1 << 20, /* of a piece of work */
    PIECE_IDS = 1 << 14,
};

/* A gather in progress. */
struct work {
    struct hotset_gather_request g;
    struct hotset_lookup table; /* a copy: `out` may be anything, but not this */
    uint64_t piece;             /* rows */
    uint64_t counts[HOTSET_MEMORIES_MAX + 2];
    uint64_t wrong;  /* the first row that was filled with zeros; UINT64_MAX: none */
    int32_t *memory; /* of hotset_find_rows */
    int64_t *slot;
};

static inline uint64_t id_at(const struct hotset_gather_request *g, uint64_t i)
{
    return g->id_bytes == 4 ? (uint64_t)((const uint32_t *)g->ids)[i] : ((const uint64_t *)g->ids)[i];
}

/* ---- look-up ---- */

/* What has to be read first for vertex v < vertices. */
static inline const char *first_read(const struct work *w, uint64_t v)
{
    const char *block = (const char *)w->g.table;
    return w->table.layout == HOTSET_RANKED ? block + w->table.words_at + (v >> 6) * sizeof(struct hotset_word)
                                            : block + w->table.entries_at + v * w->table.entry_bytes;
}

/* The entry of vertex v < vertices, or NULL where no bit of a ranked table is set. */
static inline const char *entry_of(const struct work *w, uint64_t v)
{
    const char *at = first_read(w, v);
    if (w->table.layout != HOTSET_RANKED) return at;
    const struct hotset_word *word = (const struct hotset_word *)(const void *)at;
    uint64_t bit = (uint64_t)1 << (v & 63);
    if (!(word->bits & bit)) return NULL;
    uint64_t rank = word->before + hotset_count_bits(word->bits & (bit - 1));
    return (const char *)w->g.table + w->table.entries_at + rank * w->table.entry_bytes;
}

/* The position of the GPU and the slot that an entry says, or HOTSET_HOST. */
static inline int64_t decode(const struct work *w, const char *entry, uint64_t *slot)
{
    uint64_t e;
    if (!entry) return HOTSET_HOST;
    if (w->table.entry_bytes == 4) {
        uint32_t small = *(const uint32_t *)(const void *)entry;
        if (small == UINT32_MAX) return HOTSET_HOST;
        e = small;
    } else {
        e = *(const uint64_t *)(const void *)entry;
        if (e == UINT64_MAX) return HOTSET_HOST;
    }
    *slot = e & (((uint64_t)1 << w->table.slot_bits) - 1);
    return (int64_t)(e >> w->table.slot_bits);
}

/* ---- a piece of a gather ---- */

/* Where the row of v lies, or NULL; counts it. */
static inline const char *row_of(const struct work *w, uint64_t v, const char *entry, uint64_t *counts)
{
    const struct hotset_gather_request *g = &w->g;
    const struct hotset_rows *from = &g->host;
    uint64_t slot = v;
    int64_t m = decode(w, entry, &slot); /* no vertex of the graph: no entry */
    if (m >= 0) from = m < (int64_t)g->memories ? &g->memory[m] : NULL;
    if (!from || !from->base || slot >= from->rows || v >= w->table.vertices) {
        counts[g->memories + 1]++;
        return NULL;
    }
    counts[m >= 0 ? m : (int64_t)g->memories]++;
    return (const char *)from->base + slot * g->row_bytes;
}

static inline void ask_for(const char *row, uint64_t bytes)
{
    uint64_t some = bytes < LINES_BYTES ? bytes : LINES_BYTES;
    for (uintptr_t at = (uintptr_t)row / LINE * LINE; at < (uintptr_t)row + some; at += LINE)
        __builtin_prefetch((const void *)at);
}

static inline void put_row(const struct work *w, uint64_t i, const char *row, uint64_t *wrong)
{
    char *to = (char *)w->g.out + i * w->g.row_bytes;
    if (row) {
        memcpy(to, row, w->g.row_bytes);
        return;
    }
    memset(to, 0, w->g.row_bytes);
    if (i < *wrong) *wrong = i;
}

/* Adds what a piece counted to the whole's. */
static void settle(struct work *w, const uint64_t *counts, uint64_t wrong)
{
    for (uint32_t k = 0; k < w->g.memories + 2; k++)
        if (counts[k]) __atomic_fetch_add(&w->counts[k], counts[k], __ATOMIC_RELAXED);
    uint64_t first = __atomic_load_n(&w->wrong, __ATOMIC_RELAXED);
    while (wrong < first &&
           !__atomic_compare_exchange_n(&w->wrong, &first, wrong, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void gather_piece(void *context, uint64_t piece)
{
    struct work *w = context;
    const struct hotset_gather_request *g = &w->g;
    const char *entry[RING] = {NULL}, *row[RING] = {NULL};
    uint64_t counts[HOTSET_MEMORIES_MAX + 2] = {0}, wrong = UINT64_MAX, n = w->table.vertices;
    uint64_t first = piece * w->piece, count = g->count - first < w->piece ? g->count - first : w->piece;
    uint64_t rows = ROWS_BYTES / g->row_bytes, behind = rows < 2 ? 2 : rows > ROWS_MAX ? ROWS_MAX : rows;
    for (uint64_t k = 0; k < count + 2 * STEP + behind; k++) { /* rows before the first are numbers beyond count */
        uint64_t ranked = k - STEP, found = k - 2 * STEP, copied = found - behind;
        if (g->table && k < count && id_at(g, first + k) < n) __builtin_prefetch(first_read(w, id_at(g, first + k)));
        if (g->table && ranked < count) {
            uint64_t v = id_at(g, first + ranked);
            entry[ranked % RING] = v < n ? entry_of(w, v) : NULL;
            __builtin_prefetch(entry[ranked % RING]);
        }
        if (found < count) {
            row[found % RING] = row_of(w, id_at(g, first + found), entry[found % RING], counts);
            if (row[found % RING]) ask_for(row[found % RING], g->row_bytes);
        }
        if (copied < count) put_row(w, first + copied, row[copied % RING], &wrong);
    }
    settle(w, counts, wrong);
}

/* ---- a piece of places ---- */

static void find_piece(void *context, uint64_t piece)
{
    struct work *w = context;
    const struct hotset_gather_request *g = &w->g;
    uint64_t counts[2] = {0}, wrong = UINT64_MAX, from = piece * w->piece,
             to = g->count - from < w->piece ? g->count : from + w->piece;
    for (uint64_t i = from; i < to; i++) {
        uint64_t v = id_at(g, i), slot = v;
        if (i + STEP < to && id_at(g, i + STEP) < w->table.vertices)
            __builtin_prefetch(first_read(w, id_at(g, i + STEP)));
        int64_t m = v < w->table.vertices ? decode(w, entry_of(w, v), &slot) : HOTSET_NOWHERE;
        if (m == HOTSET_NOWHERE && i < wrong) wrong = i;
        counts[1] += m == HOTSET_NOWHERE;
        w->memory[i] = (int32_t)m;
        w->slot[i] = m == HOTSET_NOWHERE ? 0 : (int64_t)slot;
    }
    settle(w, counts, wrong);
}

/* ---- the calls ---- */

static enum st check_ids(const char *call, const void *ids, uint32_t id_bytes, uint64_t count, struct err *err)
{
    if (id_bytes != 4 && id_bytes != 8)
        return err_set(err, ST_USAGE, "%s: ids of %u bytes, expected 4 or 8", call, id_bytes);
    if (count > SIZE_MAX / 2 / sizeof(uint64_t))
        return err_set(err, ST_USAGE, "%s: %llu ids exceed the address space", call, (unsigned long long)count);
    if (count && (!ids || (uintptr_t)ids % id_bytes))
        return err_set(err, ST_USAGE, "%s: ids must be given, and lie at a multiple of %u bytes", call, id_bytes);
    return ST_OK;
}

enum st lib_check_table(const char *call, const struct hotset_lookup *t, struct err *err)
{
    if (memcmp(t->magic, "hslook1", 8) || (t->layout != HOTSET_DENSE && t->layout != HOTSET_RANKED) ||
        (t->entry_bytes != 4 && t->entry_bytes != 8) || t->slot_bits > 63)
        return err_set(err, ST_USAGE, "%s: the table was not made by hotset_lookup_build", call);
    return ST_OK;
}

static enum st check_gather(const struct hotset_gather_request *g, struct work *w, struct err *err)
{
    static const char call[] = "hotset_gather";
    uint64_t bytes;
    if (!g) return err_set(err, ST_USAGE, "%s: a request must be given", call);
    PASS(lib_check_struct(g->struct_bytes, sizeof *g, "hotset_gather_request", err));
    PASS(lib_check_call("hotset_gather_request", 0, g->threads, err));
    PASS(check_ids(call, g->ids, g->id_bytes, g->count, err));
    if (g->memories > HOTSET_MEMORIES_MAX || (g->memories && !g->memory))
        return err_set(err, ST_USAGE, "%s: %u memories, expected a list of at most %d", call, g->memories,
                       HOTSET_MEMORIES_MAX);
    if (!g->row_bytes || __builtin_mul_overflow(g->row_bytes, g->count, &bytes) || bytes > SIZE_MAX / 2)
        return err_set(err, ST_USAGE, "%s: %llu rows of %llu bytes exceed the address space", call,
                       (unsigned long long)g->count, (unsigned long long)g->row_bytes);
    if (g->count && !g->out) return err_set(err, ST_USAGE, "%s: out must be given", call);
    if (g->table) {
        PASS(lib_check_table(call, g->table, err));
        w->table = *g->table;
    } else {
        w->table.vertices = g->host.rows;
    }
    w->g = *g;
    return ST_OK;
}

/* Shares pieces of `rows` among threads; a piece or two are done by the caller's alone, since starting a thread takes
 * as long as copying some hundred KiB. */
static void gather_run(struct work *w, int threads, uint64_t rows, thread_pool_work *piece)
{
    w->piece = rows;
    w->wrong = UINT64_MAX;
    uint64_t pieces = w->g.count / rows + (w->g.count % rows != 0);
    thread_pool_run(pieces <= 2 ? 1 : threads, pieces, piece, w);
}

int hotset_gather(const struct hotset_gather_request *g, struct hotset_error *error)
{
    struct err err = {0};
    struct work w = {0};
    enum st st = check_gather(g, &w, &err);
    if (st == ST_OK) {
        gather_run(&w, g->threads, PIECE_BYTES / g->row_bytes + 1, gather_piece);
        for (uint32_t k = 0; g->counts && k < g->memories + 2; k++) g->counts[k] += w.counts[k];
    }
    if (st == ST_OK && w.wrong != UINT64_MAX)
        st = err_set(&err, ST_INPUT,
                     "hotset_gather: %llu of %llu rows cannot be read and are zeros, the first one at place %llu, id "
                     "%lld; expected ids below %llu and memories that hold the rows of the plan",
                     (unsigned long long)w.counts[g->memories + 1], (unsigned long long)g->count,
                     (unsigned long long)w.wrong, (long long)id_at(g, w.wrong), (unsigned long long)w.table.vertices);
    return lib_finish(st, &err, error);
}

int hotset_find_rows(const struct hotset_lookup *table, const void *ids, uint32_t id_bytes, uint64_t count, int threads,
                     int32_t *memory, int64_t *slot, struct hotset_error *error)
{
    static const char call[] = "hotset_find_rows";
    struct err err = {0};
    struct work w = {.g = {.table = table, .ids = ids, .id_bytes = id_bytes, .count = count},
                     .memory = memory,
                     .slot = slot};
    enum st st = check_ids(call, ids, id_bytes, count, &err);
    if (st == ST_OK && (!table || (count && (!memory || !slot))))
        st = err_set(&err, ST_USAGE, "%s: table, memory and slot must be given", call);
    if (st == ST_OK) st = lib_check_call(call, 0, threads, &err);
    if (st == ST_OK) st = lib_check_table(call, table, &err);
    if (st == ST_OK) w.table = *table;
    if (st == ST_OK) gather_run(&w, threads, PIECE_IDS, find_piece);
    if (st == ST_OK && w.wrong != UINT64_MAX)
        st = err_set(&err, ST_INPUT,
                     "%s: %llu of %llu ids are beyond the graph's %llu vertices, the first one at place %llu", call,
                     (unsigned long long)w.counts[1], (unsigned long long)count, (unsigned long long)w.table.vertices,
                     (unsigned long long)w.wrong);
    return lib_finish(st, &err, error);
}
