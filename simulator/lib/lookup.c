/* lookup.c - builds look-up tables (hotset.h describes them).
 *
 * Lists are written in reverse serving order, so the first GPU that serves a row writes last. Threads share one list at
 * a time, and a list names a vertex once, so the bytes do not depend on the threads. Files stay mapped, and other
 * processes could change them: every id and every rank is compared with its range before use, also after hotset_verify.
 */
#include <stdlib.h>
#include <string.h>

#include "simulator/lib/thread_pool.h"
#include "base/units.h"
#include "simulator/lib/internal.h"

enum { IDS_PER_PIECE = 1 << 16, WORDS_PER_PIECE = 1 << 15, BYTES_PER_PIECE = 1 << 22, VERTICES_PER_WORD = 64 };

/* The layout of a table. */
struct shape {
    int layout;
    uint32_t entry_bytes, slot_bits;
    uint64_t reach; /* rows in the lists of all sources */
    uint64_t words, words_at, entries_at, entries, bytes;
};

/* A table while it is built. */
struct job {
    const struct hotset_plan *plan;
    const struct lib_array *list; /* the one being written */
    uint32_t memory;              /* its GPU */
    struct shape shape;
    char *block;
    struct hotset_word *words;
    uint64_t *before; /* [pieces of words] rows of earlier pieces */
    uint64_t rows;
    int failed; /* an id is out of range */
};

static uint32_t bits_for(uint64_t values)
{
    uint32_t bits = 0;
    while (bits < 63 && ((uint64_t)1 << bits) < values) bits++;
    return bits;
}

/* GPUs in serving order: the reader, then its peers. */
static int sources_of(const struct hotset_plan *p, int gpu, int *source)
{
    const struct lib_gpu *lib_gpu = &p->gpu[gpu];
    source[0] = gpu;
    for (int i = 0; i < lib_gpu->peers; i++) source[1 + i] = lib_gpu->peer[i];
    return 1 + lib_gpu->peers;
}

static uint64_t align(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

static void finish_shape(struct shape *s, int layout, uint64_t n)
{
    s->layout = layout;
    s->words = layout == HOTSET_RANKED ? n / VERTICES_PER_WORD + 1 : 0;
    s->words_at = sizeof(struct hotset_lookup);
    s->entries_at = align(s->words_at + s->words * sizeof(struct hotset_word));
    s->entries = layout == HOTSET_DENSE ? n : s->reach < n ? s->reach : n;
    s->bytes = align(s->entries_at + s->entries * s->entry_bytes);
}

static enum st shape_of(const struct hotset_plan *p, const struct hotset_request *r, struct shape *out, struct err *err)
{
    struct shape s = {0}, other;
    int source[GPUS_MAX + 1], count;
    uint64_t longest = 1;
    if (!p || !r) return err_set(err, ST_USAGE, "hotset_lookup: a plan and a request must be given");
    PASS(lib_check_struct(r->struct_bytes, sizeof *r, "hotset_request", err));
    PASS(lib_check_call("hotset_request", r->reserved, r->threads, err));
    if (r->gpu < 0 || r->gpu >= p->gpus)
        return err_set(err, ST_USAGE, "hotset_lookup: GPU position %d, but the plan has %d GPUs", (int)r->gpu, p->gpus);
    if (r->list != HOTSET_FEATURE && r->list != HOTSET_TOPOLOGY)
        return err_set(err, ST_USAGE, "hotset_lookup: list %d, expected HOTSET_FEATURE or HOTSET_TOPOLOGY",
                       (int)r->list);
    if (r->layout < HOTSET_SMALLEST || r->layout > HOTSET_RANKED)
        return err_set(err, ST_USAGE, "hotset_lookup: layout %d is not known", (int)r->layout);
    if (p->tables)
        return err_set(err, ST_USAGE, "%s: has several tables of rows; take hotset_table_rows of one of them",
                       p->where);
    if (r->copy && !r->buffer) return err_set(err, ST_USAGE, "hotset_lookup: copy needs a buffer as its target");
    count = sources_of(p, r->gpu, source);
    for (int i = 0; i < count; i++) {
        uint64_t rows = p->gpu[source[i]].list[r->list].count;
        s.reach += rows;
        if (rows > longest) longest = rows;
    }
    s.slot_bits = bits_for(longest);
    s.entry_bytes = s.slot_bits + bits_for((uint64_t)p->gpus) <= 31 ? 4 : 8; /* never all ones, which is the host */
    finish_shape(&s, r->layout == HOTSET_RANKED ? HOTSET_RANKED : HOTSET_DENSE, p->n);
    other = s;
    finish_shape(&other, HOTSET_RANKED, p->n);
    if (r->layout == HOTSET_SMALLEST && other.bytes < s.bytes) s = other;
    *out = s;
    return ST_OK;
}

static uint64_t pieces_for(uint64_t things, uint64_t per_piece) { return (things + per_piece - 1) / per_piece; }

/* Host memory beside a given buffer. */
static uint64_t working_bytes(const struct hotset_request *r, const struct shape *s)
{
    return (r->buffer && !r->copy ? 0 : s->bytes) + pieces_for(s->words, WORDS_PER_PIECE) * sizeof(uint64_t);
}

/* ---- pieces of work ---- */

static void fail(struct job *j) { __atomic_store_n(&j->failed, 1, __ATOMIC_RELAXED); }

static uint64_t end_of(uint64_t piece, uint64_t per_piece, uint64_t all)
{
    uint64_t end = (piece + 1) * per_piece;
    return end < all ? end : all;
}

/* Sets words to 0 and entries to the host. */
static void clear_piece(void *context, uint64_t piece)
{
    struct job *j = context;
    uint64_t from = piece * BYTES_PER_PIECE, to = end_of(piece, BYTES_PER_PIECE, j->shape.bytes),
             mid = j->shape.entries_at;
    if (from < mid) memset(j->block + from, 0, (to < mid ? to : mid) - from);
    if (to > mid) memset(j->block + (from > mid ? from : mid), 0xff, to - (from > mid ? from : mid));
}

/* RANKED: sets the bits of rows in reach. */
static void mark_piece(void *context, uint64_t piece)
{
    struct job *j = context;
    uint64_t to = end_of(piece, IDS_PER_PIECE, j->list->count);
    for (uint64_t i = piece * IDS_PER_PIECE; i < to; i++) {
        uint32_t v = j->list->id[i];
        if (v >= j->plan->n) fail(j);
        else __atomic_fetch_or(&j->words[v >> 6].bits, (uint64_t)1 << (v & 63), __ATOMIC_RELAXED);
    }
}

/* RANKED: counts the rows of a piece of words, and writes the counts of earlier rows. */
static void count_piece(void *context, uint64_t piece)
{
    struct job *j = context;
    uint64_t to = end_of(piece, WORDS_PER_PIECE, j->shape.words), sum = 0;
    for (uint64_t w = piece * WORDS_PER_PIECE; w < to; w++) sum += hotset_count_bits(j->words[w].bits);
    j->before[piece] = sum;
}

static void rank_piece(void *context, uint64_t piece)
{
    struct job *j = context;
    uint64_t to = end_of(piece, WORDS_PER_PIECE, j->shape.words), sum = j->before[piece];
    for (uint64_t w = piece * WORDS_PER_PIECE; w < to; w++) {
        j->words[w].before = (uint32_t)sum;
        sum += hotset_count_bits(j->words[w].bits);
    }
}

/* Place of v's entry, or UINT64_MAX when it has none. */
static uint64_t place_of(const struct job *j, uint32_t v)
{
    if (v >= j->plan->n) return UINT64_MAX;
    if (j->shape.layout == HOTSET_DENSE) return v;
    const struct hotset_word *w = &j->words[v >> 6];
    uint64_t bit = (uint64_t)1 << (v & 63);
    return w->bits & bit ? w->before + hotset_count_bits(w->bits & (bit - 1)) : UINT64_MAX;
}

static void write_piece(void *context, uint64_t piece)
{
    struct job *j = context;
    char *entries = j->block + j->shape.entries_at;
    uint64_t to = end_of(piece, IDS_PER_PIECE, j->list->count), memory = (uint64_t)j->memory << j->shape.slot_bits;
    for (uint64_t i = piece * IDS_PER_PIECE; i < to; i++) {
        uint64_t at = place_of(j, j->list->id[i]);
        if (at >= j->shape.entries) fail(j);
        else if (j->shape.entry_bytes == 4)
            __atomic_store_n((uint32_t *)(void *)entries + at, (uint32_t)(memory | i), __ATOMIC_RELAXED);
        else __atomic_store_n((uint64_t *)(void *)entries + at, memory | i, __ATOMIC_RELAXED);
    }
}

/* DENSE: counts the entries that are not the host's. */
static void held_piece(void *context, uint64_t piece)
{
    struct job *j = context;
    const char *entries = j->block + j->shape.entries_at;
    uint64_t to = end_of(piece, IDS_PER_PIECE, j->shape.entries), sum = 0;
    for (uint64_t v = piece * IDS_PER_PIECE; v < to; v++)
        sum += j->shape.entry_bytes == 4 ? ((const uint32_t *)(const void *)entries)[v] != UINT32_MAX
                                         : ((const uint64_t *)(const void *)entries)[v] != UINT64_MAX;
    __atomic_fetch_add(&j->rows, sum, __ATOMIC_RELAXED);
}

/* ---- the whole ---- */

static void each_list(struct job *j, const struct hotset_request *r, thread_pool_work *work)
{
    int source[GPUS_MAX + 1], count = sources_of(j->plan, r->gpu, source);
    for (int i = count - 1; i >= 0; i--) {
        j->memory = (uint32_t)source[i];
        j->list = &j->plan->gpu[source[i]].list[r->list];
        thread_pool_run(r->threads, pieces_for(j->list->count, IDS_PER_PIECE), work, j);
    }
}

static void rank(struct job *j, const struct hotset_request *r)
{
    uint64_t pieces = pieces_for(j->shape.words, WORDS_PER_PIECE);
    each_list(j, r, mark_piece);
    thread_pool_run(r->threads, pieces, count_piece, j);
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t here = j->before[i];
        j->before[i] = j->rows;
        j->rows += here;
    }
    thread_pool_run(r->threads, pieces, rank_piece, j);
}

static void write_header(struct job *j, const struct hotset_request *r)
{
    struct hotset_lookup *h = (struct hotset_lookup *)(void *)j->block;
    const struct shape *s = &j->shape;
    uint64_t entries = s->layout == HOTSET_RANKED ? j->rows : s->entries;
    *h = (struct hotset_lookup){.magic = "hslook1",
                                .bytes = align(s->entries_at + entries * s->entry_bytes),
                                .vertices = j->plan->n,
                                .rows = j->rows,
                                .words_at = s->words_at,
                                .entries_at = s->entries_at,
                                .layout = (uint32_t)s->layout,
                                .entry_bytes = s->entry_bytes,
                                .slot_bits = s->slot_bits,
                                .reader = (uint32_t)r->gpu};
}

static enum st lookup_fill(struct job *j, const struct hotset_request *r, struct err *err)
{
    thread_pool_run(r->threads, pieces_for(j->shape.bytes, BYTES_PER_PIECE), clear_piece, j);
    if (j->shape.layout == HOTSET_RANKED) rank(j, r);
    each_list(j, r, write_piece);
    if (j->shape.layout == HOTSET_DENSE)
        thread_pool_run(r->threads, pieces_for(j->shape.entries, IDS_PER_PIECE), held_piece, j);
    if (j->failed)
        return err_set(err, ST_INPUT,
                       "%s: a list names a vertex beyond the graph's %llu, or changed while it was read; verify the "
                       "plan",
                       j->plan->folder, (unsigned long long)j->plan->n);
    write_header(j, r);
    return ST_OK;
}

static enum st build(const struct hotset_plan *p, const struct hotset_request *r, struct hotset_lookup **out,
                     struct err *err)
{
    struct job j = {.plan = p};
    void *own = NULL, *before = NULL;
    char one[BYTES_TEXT], other[BYTES_TEXT];
    enum st st;
    TRY(shape_of(p, r, &j.shape, err));
    if (r->buffer && r->buffer_bytes < j.shape.bytes)
        FAIL(ST_USAGE, "hotset_lookup: the buffer has %s, the table takes up to %s; ask hotset_lookup_bytes",
             units_bytes_exact(one, r->buffer_bytes), units_bytes_exact(other, j.shape.bytes));
    if (r->buffer && (uintptr_t)r->buffer % 16)
        FAIL(ST_USAGE, "hotset_lookup: the buffer must lie at a multiple of 16 bytes");
    uint64_t need = working_bytes(r, &j.shape), pieces = pieces_for(j.shape.words, WORDS_PER_PIECE);
    if (r->memory_limit && need > r->memory_limit)
        FAIL(ST_LIMIT,
             "hotset_lookup: %s of host memory are needed, beyond the caller's limit of %s; raise memory_limit or give "
             "a buffer",
             units_bytes_exact(one, need), units_bytes_exact(other, r->memory_limit));
    TRY(lib_allocate(pieces * sizeof *j.before, 0, "ranks of a lookup table", &before, err));
    if (!r->buffer || r->copy) TRY(lib_allocate(j.shape.bytes, 0, "a lookup table", &own, err));
    j.before = before;
    j.block = own ? own : r->buffer;
    j.words = (struct hotset_word *)(void *)(j.block + j.shape.words_at);
    TRY(lookup_fill(&j, r, err));
    if (r->copy && r->copy(r->buffer, own, ((struct hotset_lookup *)own)->bytes, r->copy_context) != 0)
        FAIL(ST_LIMIT, "hotset_lookup: the caller's copy of %llu bytes to its buffer failed",
             (unsigned long long)((struct hotset_lookup *)own)->bytes);
    *out = r->buffer ? r->buffer : own;
    if (!r->buffer) own = NULL;
done:
    free(own);
    free(before);
    return st;
}

int hotset_lookup_bytes(const hotset_plan *p, const struct hotset_request *r, uint64_t *table, uint64_t *working,
                        struct hotset_error *error)
{
    struct err err = {0};
    struct shape s;
    enum st st = shape_of(p, r, &s, &err);
    if (st == ST_OK && table) *table = s.bytes;
    if (st == ST_OK && working) *working = working_bytes(r, &s);
    return lib_finish(st, &err, error);
}

int hotset_lookup_build(const hotset_plan *p, const struct hotset_request *r, struct hotset_lookup **out,
                        struct hotset_error *error)
{
    struct err err = {0};
    enum st st = out ? build(p, r, out, &err) : err_set(&err, ST_USAGE, "hotset_lookup_build: out must be given");
    return lib_finish(st, &err, error);
}

void hotset_lookup_free(struct hotset_lookup *table) { free(table); }
