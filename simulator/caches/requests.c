#include "simulator/caches/requests.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"

enum { RECORD = 24 };

struct record {
    uint32_t time;
    uint64_t id;
    uint32_t size;
    int64_t next;
} __attribute__((packed));
_Static_assert(sizeof(struct record) == RECORD, "oracleGeneral records have 24 bytes");

/* ---- out ---- */

static enum st write_records(const struct stream *s, const uint32_t *next, uint64_t row_bytes, FILE *f,
                             const char *path, struct err *err)
{
    enum { PIECE = 4096 };
    OWNED_NEW(struct record, piece, PIECE, "records");
    for (uint64_t b = 0; b < s->batches; b++)
        for (uint64_t at = s->batch[b].from, end = stream_end(s, b); at < end;) {
            size_t n = 0;
            for (; at < end && n < PIECE; at++, n++)
                piece[n] = (struct record){(uint32_t)b, s->id[at], (uint32_t)row_bytes,
                                           next[at] == STREAM_NEVER ? INT64_MAX : (int64_t)next[at]};
            if (fwrite(piece, RECORD, n, f) != n)
                return err_set(err, ST_LIMIT, "%s: cannot be written; is the disk full?", path);
        }
    return ST_OK;
}

enum st requests_save(const struct stream *s, const uint32_t *next, uint64_t row_bytes, const char *path,
                      struct err *err)
{
    enum st st;
    struct output o = {0};
    FILE *f = NULL;
    if (!row_bytes || row_bytes > UINT32_MAX)
        FAIL(ST_LIMIT, "feature rows of %llu bytes do not fit a request file, whose sizes have 32 bits",
             (unsigned long long)row_bytes);
    TRY(output_file(&o, path, "", err));
    f = fopen(o.temporary, "wb");
    if (!f) FAIL(ST_LIMIT, "%s: cannot be written", path);
    TRY(write_records(s, next, row_bytes, f, path, err));
    int closed = fclose(f);
    f = NULL;
    if (closed) FAIL(ST_LIMIT, "%s: cannot be written; is the disk full?", path);
    TRY(output_commit(&o, err));
done:
    if (f) fclose(f);
    output_abort(&o);
    return st;
}

/* ---- in ---- */

/* Maps the file's ids to dense numbers: by an array when ids are small, otherwise by an open-addressing hash table that
 * is at most half full. */
struct numbers {
    uint32_t *direct; /* [largest id + 1] 1 + number, 0: not seen; NULL: ids are large */
    uint64_t *key;    /* [mask + 1] */
    uint32_t *value;  /* [mask + 1] 1 + number */
    uint64_t mask, count;
};

static void numbers_free(struct numbers *t)
{
    mem_free(t->direct);
    mem_free(t->key);
    mem_free(t->value);
}

static enum st numbers_new(struct numbers *t, const struct record *r, uint64_t count, struct err *err)
{
    uint64_t largest = 0;
    for (uint64_t i = 0; i < count; i++)
        if (r[i].id > largest) largest = r[i].id;
    t->mask = 1023;
    if (largest / 8 <= count) MAKE(t->direct, largest + 1, "numbers of ids");
    else {
        MAKE(t->key, t->mask + 1, "numbers of ids");
        MAKE(t->value, t->mask + 1, "numbers of ids");
    }
    return ST_OK;
}

static uint64_t slot_of(const uint64_t *key, const uint32_t *value, uint64_t mask, uint64_t id)
{
    enum { STREAM_IDS = 0x69647320 };
    uint64_t at = rng_hash(0, STREAM_IDS, id) & mask;
    while (value[at] && key[at] != id) at = (at + 1) & mask;
    return at;
}

static enum st double_table(struct numbers *t, struct err *err)
{
    uint64_t mask = 2 * t->mask + 1;
    OWNED_NEW(uint64_t, key, mask + 1, "numbers of ids");
    OWNED_NEW(uint32_t, value, mask + 1, "numbers of ids");
    for (uint64_t i = 0; i <= t->mask; i++) {
        if (!t->value[i]) continue;
        uint64_t at = slot_of(key, value, mask, t->key[i]);
        key[at] = t->key[i];
        value[at] = t->value[i];
    }
    mem_free(t->key);
    mem_free(t->value);
    t->key = key;
    t->value = value;
    t->mask = mask;
    key = NULL;
    value = NULL;
    return ST_OK;
}

/* The dense number of an id; a new number when the id was not seen before. */
static enum st number_of(struct numbers *t, uint64_t id, uint32_t *number, struct err *err)
{
    uint32_t *cell;
    if (t->direct) cell = &t->direct[id];
    else {
        if (2 * t->count > t->mask) PASS(double_table(t, err));
        uint64_t at = slot_of(t->key, t->value, t->mask, id);
        t->key[at] = id;
        cell = &t->value[at];
    }
    if (!*cell) *cell = (uint32_t)++t->count;
    *number = *cell - 1;
    return ST_OK;
}

static enum st check_size(const char *path, const struct mapping *m, struct err *err)
{
    static const unsigned char zstd[] = {0x28, 0xb5, 0x2f, 0xfd}, gzip[] = {0x1f, 0x8b};
    uint64_t count = m->bytes / RECORD;
    if (!m->bytes)
        return err_set(err, ST_INPUT, "%s: the file is empty; expected records of %d bytes (oracleGeneral)", path,
                       RECORD);
    if (m->bytes >= 4 && !memcmp(m->base, zstd, 4))
        return err_set(err, ST_INPUT, "%s: is compressed by zstd; decompress it first: zstd -d", path);
    if (m->bytes >= 2 && !memcmp(m->base, gzip, 2) && m->bytes % RECORD)
        return err_set(err, ST_INPUT, "%s: is compressed by gzip; decompress it first: gunzip", path);
    if (m->bytes % RECORD)
        return err_set(err, ST_INPUT,
                       "%s: %llu bytes are not a multiple of the record size of %d bytes (oracleGeneral); the file is "
                       "truncated or has another format",
                       path, (unsigned long long)m->bytes, RECORD);
    if (count >= STREAM_NEVER)
        return err_set(err, ST_LIMIT, "%s: %llu requests are more than 2^32", path, (unsigned long long)count);
    return ST_OK;
}

static enum st check_record(const char *path, const struct record *r, uint64_t i, struct err *err)
{
    if (!r[i].size)
        return err_set(err, ST_INPUT, "%s: the record at byte %llu has size 0; expected the bytes of a row", path,
                       (unsigned long long)(i * RECORD));
    if (i && r[i].time < r[i - 1].time)
        return err_set(err, ST_INPUT, "%s: the record at byte %llu has time %u after time %u; times must not decrease",
                       path, (unsigned long long)(i * RECORD), r[i].time, r[i - 1].time);
    return ST_OK;
}

/* Appends the records [from, to) as a mini-batch. last: [ids] 1 + the last mini-batch that had the id. */
static enum st add_batch(const struct record *r, uint64_t from, uint64_t to, bool once, struct numbers *t,
                         uint32_t *last, uint32_t *room, struct stream *out, struct err *err)
{
    uint32_t now = (uint32_t)out->batches + 1;
    uint64_t count = 0;
    for (uint64_t i = from; i < to; i++) {
        uint32_t id;
        PASS(number_of(t, r[i].id, &id, err));
        if (once && last[id] == now) continue;
        last[id] = now;
        room[count++] = id;
    }
    return stream_add(out, (struct stream_batch){.number = now - 1}, room, count, err);
}

enum st requests_load(const char *path, bool once, struct stream *out, struct err *err)
{
    enum st st;
    struct mapping m = {0};
    struct numbers t = {0};
    struct stream s = {0};
    OWNED uint32_t *last = NULL, *room = NULL;
    TRY(file_map(path, &m, err));
    TRY(check_size(path, &m, err));
    const struct record *r = m.base;
    uint64_t count = m.bytes / RECORD;
    for (uint64_t i = 0; i < count; i++) TRY(check_record(path, r, i, err));
    TRY(numbers_new(&t, r, count, err));
    NEW(last, count, "requests");
    NEW(room, count, "requests");
    NEW(s.id, count, "requests");
    s.room = count;
    for (uint64_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && r[to].time == r[from].time;) to++;
        TRY(add_batch(r, from, to, once, &t, last, room, &s, err));
    }
    s.ids = t.count;
    *out = s;
    memset(&s, 0, sizeof s);
done:
    numbers_free(&t);
    stream_release(&s);
    file_unmap(&m);
    return st;
}
