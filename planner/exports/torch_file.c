#include "planner/exports/torch_file.h"

#include <string.h>

/* Pickles while they are written (protocol 2; the letters are those of Python's pickletools). */
struct pickle {
    unsigned char bytes[512];
    size_t used;
};

static void put(struct pickle *p, const void *data, size_t bytes)
{
    memcpy(p->bytes + p->used, data, bytes);
    p->used += bytes;
}

static void op(struct pickle *p, char letter) { put(p, &letter, 1); }
static void begin(struct pickle *p) { put(p, "\x80\x02", 2); }

static void text(struct pickle *p, const char *s)
{
    uint32_t length = (uint32_t)strlen(s);
    op(p, 'X');
    put(p, &length, 4);
    put(p, s, length);
}

/* A number below 2^63. */
static void number(struct pickle *p, uint64_t n)
{
    put(p, "\x8a\x08", 2);
    put(p, &n, 8);
}

static void global(struct pickle *p, const char *module_and_name)
{
    op(p, 'c');
    put(p, module_and_name, strlen(module_and_name));
}

static void size_of(struct pickle *p, const char *type, uint64_t bytes)
{
    text(p, type);
    number(p, bytes);
}

/* What marks the file, and how its writer stores numbers. */
static void put_head(struct pickle *p)
{
    begin(p);
    put(p, "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 13);
    begin(p);
    number(p, 1001);
    op(p, '.');
    begin(p);
    put(p, "}(", 2);
    text(p, "protocol_version");
    number(p, 1001);
    text(p, "little_endian");
    op(p, '\x88');
    text(p, "type_sizes");
    put(p, "}(", 2);
    size_of(p, "short", 2);
    size_of(p, "int", 4);
    size_of(p, "long", 8);
    put(p, "uu.", 3);
}

/* _rebuild_tensor_v2(storage, offset 0, size (count), stride (1), no gradient, no hooks), then the storage's name. */
static void put_tensor(struct pickle *p, uint64_t count)
{
    begin(p);
    global(p, "torch._utils\n_rebuild_tensor_v2\n");
    put(p, "((", 2);
    text(p, "storage");
    global(p, "torch\nLongStorage\n");
    text(p, "0");
    text(p, "cpu");
    number(p, count);
    put(p, "NtQ", 3);
    number(p, 0);
    number(p, count);
    op(p, '\x85');
    number(p, 1);
    put(p, "\x85\x89", 2);
    global(p, "collections\nOrderedDict\n");
    put(p, ")RtR.", 5);
    begin(p);
    op(p, ']');
    text(p, "0");
    put(p, "a.", 2);
}

enum st torch_file_ids(struct export_folder *to, const char *name, const char *what, const uint32_t *ids,
                       uint64_t count, struct err *err)
{
    struct pickle p = {.used = 0};
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    put_head(&p);
    put_tensor(&p, count);
    put(&p, &count, 8);
    PASS(export_file_raw(to, name, what, p.used + 8 * count, 1, &f, err));
    PASS(export_file_put(&f, p.bytes, p.used, err));
    PASS(export_file_ids(&f, ids, count, 8, err));
    return export_file_end(&f, err);
}
