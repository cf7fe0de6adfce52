/* execute_rows.c - feature rows of the host, with generated contents or of a file, and as caches hold them (declared in
 * execute.h). */
#include <omp.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/rounded.h"
#include "base/units.h"
#include "simulator/execute/execute.h"

/* ---- the tables ---- */

uint64_t execute_window(uint64_t rows, uint64_t row_bytes, uint64_t line_bytes, uint64_t bytes)
{
    uint64_t fit = bytes / row_bytes, step = line_bytes; /* row v % window begins at the same byte of a line as row v */
    if (fit >= rows) return rows;
    while (step > 1 && step % 2 == 0 && step / 2 * row_bytes % line_bytes == 0) step /= 2;
    return fit / step * step;
}

/* The part of `bytes` for a table, by its size. */
static uint64_t share_of(uint64_t bytes, const struct execute_rows *r, uint64_t all)
{
    return (uint64_t)((unsigned __int128)bytes * (r->count * r->row_bytes) / all);
}

enum st execute_rows_list(const struct graph *g, uint64_t line_bytes, uint64_t bytes, struct execute_rows **rows,
                          int *tables, struct err *err)
{
    uint64_t all = 0, topology = graph_topology_rows(g);
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES];
    int count = 0;
    OWNED_NEW(struct execute_rows, list, graph_tables(g), "the tables of rows");
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (t.kind == ROWS_TOPOLOGY || !graph_table_there(g, k)) continue;
        list[count++] = (struct execute_rows){.row_bytes = t.row_bytes,
                                              .first = t.first - topology,
                                              .count = t.count,
                                              .window = t.count,
                                              .table = k,
                                              .cached = t.cached,
                                              .cached_bytes = t.cached_bytes,
                                              .dim = graph_table_dim(g, k),
                                              .element = graph_table_element(g, k)};
        all += t.count * t.row_bytes;
    }
    for (int k = 0; k < count && bytes; k++) {
        list[k].window = execute_window(list[k].count, list[k].row_bytes, line_bytes, share_of(bytes, &list[k], all));
        if (!list[k].window)
            return err_set(err, ST_USAGE,
                           "--feature-memory %s: leaves less than one feature row of %llu bytes for %s; give more",
                           units_bytes(text, bytes), (unsigned long long)list[k].row_bytes,
                           graph_table_label(g, list[k].table, label));
    }
    *rows = list;
    *tables = count;
    list = NULL;
    return ST_OK;
}

uint64_t execute_rows_bytes(const struct execute_setup *s)
{
    uint64_t bytes = 0;
    for (int k = 0; k < s->tables; k++) bytes += s->rows[k].file ? 0 : s->rows[k].window * s->rows[k].row_bytes;
    return bytes;
}

uint64_t execute_rows_widest(const struct execute_setup *s)
{
    uint64_t widest = 0;
    for (int k = 0; k < s->tables; k++) widest = s->rows[k].row_bytes > widest ? s->rows[k].row_bytes : widest;
    return widest;
}

/* ---- contents ---- */

/* Word `word` of row `row`, different from the words beside it. Mixed as in xorshift-multiply hashes, by steps that can
 * be undone. */
static inline uint32_t content(uint64_t row, uint32_t word)
{
    uint32_t x = (uint32_t)row * 0x9E3779B1u + word * 0x85EBCA77u + (uint32_t)(row >> 32);
    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    return x ^ x >> 13;
}

enum { BLOCK_WORDS = 32 };

/* What is kept and set of even and odd words, so that the elements of rows that caches round are numbers around 1. */
struct form {
    uint32_t keep[2], set[2];
};

static struct form form_of(const struct execute_rows *r)
{
    if (r->cached == PRECISION_HOST) return (struct form){{~0u, ~0u}, {0, 0}};
    if (!strcmp(r->element, "f64")) return (struct form){{~0u, 0x800FFFFF}, {0, 0x3FF00000}};
    if (!strcmp(r->element, "f16")) return (struct form){{0x83FF83FF, 0x83FF83FF}, {0x3C003C00, 0x3C003C00}};
    if (!strcmp(r->element, "bf16")) return (struct form){{0x807F807F, 0x807F807F}, {0x3F803F80, 0x3F803F80}};
    return (struct form){{0x807FFFFF, 0x807FFFFF}, {0x3F800000, 0x3F800000}};
}

/* Generates the bytes of a row from `at` on, at most a block of them; returns how many. */
static uint64_t make_block(const struct form *f, uint64_t row, uint64_t bytes, uint64_t at, uint32_t block[BLOCK_WORDS])
{
    for (uint32_t i = 0; i < BLOCK_WORDS; i++)
        block[i] = (content(row, (uint32_t)(at / 4) + i) & f->keep[i % 2]) | f->set[i % 2];
    return bytes - at < 4 * BLOCK_WORDS ? bytes - at : 4 * BLOCK_WORDS;
}

static void make_row(const struct form *f, uint64_t row, uint64_t bytes, uint8_t *to)
{
    uint32_t block[BLOCK_WORDS];
    for (uint64_t at = 0, some; at < bytes; at += some) {
        some = make_block(f, row, bytes, at, block);
        memcpy(to + at, block, some);
    }
}

static bool row_is(const struct form *f, uint64_t row, uint64_t bytes, const uint8_t *found)
{
    uint32_t block[BLOCK_WORDS];
    for (uint64_t at = 0, some; at < bytes; at += some) {
        some = make_block(f, row, bytes, at, block);
        if (memcmp(found + at, block, some)) return false;
    }
    return true;
}

void execute_rows_make(const struct execute_rows *r, uint64_t from, uint64_t to, uint8_t *at, int threads)
{
    const struct form form = form_of(r);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t v = from; v < to; v++) {
        uint8_t *here = at + (v - from) * r->row_bytes;
        if (r->file) memcpy(here, execute_rows_at(r, v), r->row_bytes);
        else make_row(&form, v, r->row_bytes, here);
    }
}

/* ---- rounded copies ---- */

void execute_row_round(const struct execute_rows *r, const uint8_t *row, float *room, uint8_t *to)
{
    rounded_read(r->element, row, r->dim, room);
    rounded_store(r->cached, room, r->dim, to);
}

void execute_row_restore(const struct execute_rows *r, const uint8_t *cached, float *room, uint8_t *to)
{
    rounded_load(r->cached, cached, r->dim, room);
    rounded_write(r->element, room, r->dim, to);
}

/* ---- checks and counts ---- */

uint64_t execute_rows_room(const struct execute_setup *s)
{
    uint64_t most = 0;
    for (int k = 0; k < s->tables; k++) {
        const struct execute_rows *r = &s->rows[k];
        uint64_t room = r->dim + (r->row_bytes + 3) / 4;
        if (r->cached != PRECISION_HOST && room > most) most = room;
    }
    return most;
}

/* Whether `found` is host row `row` after rounding. room: of execute_rows_room. */
static bool rounded_is(const struct execute_rows *r, uint64_t row, const uint8_t *found, float *room)
{
    uint8_t *bytes = (uint8_t *)(room + r->dim);
    execute_rows_make(r, row, row + 1, bytes, 1);
    rounded_read(r->element, bytes, r->dim, room);
    rounded_row(r->cached, room, r->dim, room);
    rounded_write(r->element, room, r->dim, bytes);
    return !memcmp(found, bytes, r->row_bytes);
}

uint64_t execute_rows_wrong(const struct execute_rows *r, const uint8_t *at, const uint32_t *ids, uint64_t count,
                            const uint8_t *gathered, const struct execute_room *room, int threads)
{
    const struct form form = form_of(r);
    uint64_t wrong = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : wrong)
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *found = gathered + i * r->row_bytes;
        uint64_t row = (ids[i] - r->first) % r->window;
        if (at && execute_rounded(r, at[ids[i]]))
            wrong += !rounded_is(r, row, found, room->floats + (uint64_t)omp_get_thread_num() * room->each);
        else
            wrong += r->file ? memcmp(found, execute_rows_at(r, row), r->row_bytes) != 0
                             : !row_is(&form, row, r->row_bytes, found);
    }
    return wrong;
}

void execute_count_rows(const struct execute_setup *s, const struct execute_reader *r, const struct execute_rows *of,
                        const uint32_t *ids, uint64_t count, const uint64_t rows[TIERS], struct execute_batch *b)
{
    uint64_t lines = 0, rounded[TIERS] = {0}, own = 0, peer = 0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(+ : lines, own, peer)
    for (uint64_t i = 0; i < count; i++) {
        uint8_t at = r->at_feature[ids[i]];
        if (!at) lines += cachelines_of_feature(ids[i] - of->first, of->row_bytes, s->plan->line_bytes);
        if (!execute_rounded(of, at)) continue;
        own += execute_tier_of(r, at) == TIER_OWN;
        peer += execute_tier_of(r, at) == TIER_PEER;
    }
    rounded[TIER_OWN] = own;
    rounded[TIER_PEER] = peer;
    b->feature += lines;
    for (int t = 0; t < TIERS; t++) {
        b->rows[t] += rows[t];
        b->bytes[t] += (rows[t] - rounded[t]) * of->row_bytes + rounded[t] * of->cached_bytes;
        if (r->table) r->table[of->table].reads[t] += rows[t];
    }
    if (r->table) r->table[of->table].transactions += lines;
}

/* ---- what a cache holds ---- */

enum st execute_held_make(const struct execute_setup *s, int gpu, struct execute_held *out, struct err *err)
{
    const struct row_list *l = &s->plan->placement.feature[gpu];
    uint64_t next[GRAPH_TABLES_MAX] = {0};
    memset(out, 0, sizeof *out);
    if (s->tables == 1) {
        out->id = l->id;
        out->from[1] = l->count;
        return ST_OK;
    }
    MAKE(out->own, l->count, "the rows of a cache");
    for (uint64_t i = 0; i < l->count; i++) out->from[execute_table_of(s, l->id[i]) + 1]++;
    for (int k = 0; k < s->tables; k++) next[k] = out->from[k + 1] += out->from[k];
    for (uint64_t i = l->count; i-- > 0;) out->own[--next[execute_table_of(s, l->id[i])]] = l->id[i];
    out->id = out->own;
    return ST_OK;
}

void execute_held_release(struct execute_held *h)
{
    mem_free(h->own);
    memset(h, 0, sizeof *h);
}
