#include "traces/builder/name_table.h"

#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/text.h"

enum { FIRST_ROOM = 1 << 12 };

/* 64 bits of a name and a key: 8 bytes at a time are multiplied into it. */
static uint32_t hash_of(uint64_t key, const char *name, size_t length)
{
    uint64_t h = key ^ length * 0x9e3779b97f4a7c15u;
    for (size_t at = 0; at < length; at += 8) {
        uint64_t word = 0;
        memcpy(&word, name + at, length - at < 8 ? length - at : 8);
        const unsigned __int128 product = (unsigned __int128)(h ^ word) * (0xa0761d6478bd642fu ^ key << 1);
        h = (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    return (uint32_t)(h ^ h >> 32);
}

/* The slot of a name, or the empty one where it belongs. */
static struct name_slot *find(const struct name_table *t, uint32_t hash, const char *name, size_t length)
{
    for (uint64_t at = hash;; at++) {
        struct name_slot *s = &t->slot[at & (t->slots - 1)];
        if (!s->next) return s;
        const int64_t *o = t->offset + s->next - 1;
        if (s->hash == hash && (size_t)(o[1] - o[0]) == length && !memcmp(t->bytes + o[0], name, length)) return s;
    }
}

/* Twice the slots; names are placed by the hash that their slot keeps. */
static enum st more_slots(struct name_table *t, struct err *err)
{
    const uint64_t wanted = t->slots ? 2 * t->slots : FIRST_ROOM;
    struct name_slot *slot;
    if (!t->key && getrandom(&t->key, sizeof t->key, 0) != sizeof t->key) t->key = (uintptr_t)t;
    MAKE(slot, wanted, "a table of names");
    for (uint64_t i = 0; i < t->slots; i++) {
        uint64_t at = t->slot[i].hash;
        if (!t->slot[i].next) continue;
        while (slot[at & (wanted - 1)].next) at++;
        slot[at & (wanted - 1)] = t->slot[i];
    }
    mem_free(t->slot);
    t->slot = slot;
    t->slots = wanted;
    return ST_OK;
}

static enum st more_room(struct name_table *t, size_t length, struct err *err)
{
    enum st st = ST_OK;
    if (3 * t->slots <= 4 * t->count + 4) TRY(more_slots(t, err));
    if (t->count + 2 > t->room_offsets) {
        const uint64_t room = t->room_offsets ? 2 * t->room_offsets : FIRST_ROOM;
        GROW(t->offset, room, "a table of names");
        t->room_offsets = room;
    }
    if ((uint64_t)t->offset[t->count] + length > t->room_bytes) {
        const uint64_t room = t->room_bytes ? 2 * t->room_bytes : 16 * FIRST_ROOM;
        GROW(t->bytes, room, "the letters of names");
        t->room_bytes = room;
    }
done:
    return st;
}

static enum st check(const char *name, size_t length, struct err *err)
{
    if (!length) return err_set(err, ST_INPUT, "the name is empty");
    if (length > NAME_BYTES_MOST)
        return err_set(err, ST_INPUT, "the name '%.60s..' has %zu bytes; names have at most %d", name, length,
                       NAME_BYTES_MOST);
    for (size_t at = 0; at < length;) {
        const int bytes = text_utf8_bytes(name + at, length - at);
        if (!bytes)
            return err_set(err, ST_INPUT,
                           "the name '%.*s' is not UTF-8; make it so: iconv -f latin1 -t utf8 FILE | hotset ..",
                           (int)(length < 60 ? length : 60), name);
        at += (size_t)bytes;
    }
    return ST_OK;
}

enum st name_table_add(struct name_table *t, const char *name, size_t length, uint64_t *id, struct err *err)
{
    uint32_t hash = hash_of(t->key, name, length);
    struct name_slot *s = t->slots ? find(t, hash, name, length) : NULL;
    if (s && s->next) {
        *id = s->next - 1;
        return ST_OK;
    }
    PASS(check(name, length, err));
    if (t->count + 1 >= UINT32_MAX)
        return err_set(err, ST_LIMIT, "there are more than 4,294,967,294 names; a graph has no more vertices");
    PASS(more_room(t, length, err));
    hash = hash_of(t->key, name, length); /* the first room draws the key */
    s = find(t, hash, name, length);
    int64_t *end = &t->offset[t->count];
    memcpy(t->bytes + *end, name, length);
    end[1] = end[0] + (int64_t)length;
    *id = t->count++;
    *s = (struct name_slot){hash, (uint32_t)t->count};
    return ST_OK;
}

uint64_t name_table_find(const struct name_table *t, const char *name, size_t length)
{
    if (!t->slots) return UINT64_MAX;
    const struct name_slot *s = find(t, hash_of(t->key, name, length), name, length);
    return s->next ? s->next - 1 : UINT64_MAX;
}

static enum st begin(int type, const char *what, const char *kind, uint64_t count, const struct output *to,
                     struct npy_writer *w, struct err *err)
{
    char file[48], path[PATH_BYTES];
    graph_names_file(type, what, file);
    PASS(output_path(to, file, path, err));
    return npy_begin(w, path, kind, 1, &count, err);
}

static enum st save_array(int type, const char *what, const char *kind, uint64_t count, const void *data,
                          uint64_t bytes, const struct output *to, struct err *err)
{
    OWNED_BY(npy_cancel) struct npy_writer w = {0};
    PASS(begin(type, what, kind, count, to, &w, err));
    PASS(npy_add(&w, data, bytes, err));
    return npy_end(&w, err);
}

enum st name_table_save(const struct name_table *t, int type, const struct output *to, struct err *err)
{
    const uint64_t total = (uint64_t)t->offset[t->count];
    PASS(save_array(type, "offsets", "i8", t->count + 1, t->offset, 8 * (t->count + 1), to, err));
    return save_array(type, "bytes", "u1", total, t->bytes, total, to, err);
}

enum st name_table_permuted(const struct graph_names *old, const uint32_t *order, uint64_t count, int type,
                            const struct output *to, struct err *err)
{
    OWNED_BY(npy_cancel) struct npy_writer w = {0};
    OWNED int64_t *offset = NULL;
    size_t length;
    if (!old->count) return ST_OK;
    MAKE(offset, count + 1, "offsets of names");
    PASS(begin(type, "bytes", "u1", old->total, to, &w, err));
    for (uint64_t i = 0; i < count; i++) {
        const char *name = graph_name(old, order[i], &length);
        PASS(npy_add(&w, name, length, err));
        offset[i + 1] = offset[i] + (int64_t)length;
    }
    PASS(npy_end(&w, err));
    return save_array(type, "offsets", "i8", count + 1, offset, 8 * (count + 1), to, err);
}

void name_table_release(struct name_table *t)
{
    mem_free(t->offset);
    mem_free(t->bytes);
    mem_free(t->slot);
    memset(t, 0, sizeof *t);
}
