/* fields.h - the members of an object of a document as a table: a row per key says what it is, what it may be, and what
 * its absence means; fields_read checks the object by it and fills a struct, fields_put writes the struct.
 *
 * One list of keys then serves everybody who reads, checks, writes or describes the document (fields_schema.h). A row
 * names the key, its kind, the member that takes the value (none: it is checked only, and its owner writes it), its
 * range, the value that stands for an absent or null key (or that it is needed), unit, and a sentence. Members of a
 * nested object lie in the same struct, unless its row states an offset; each entry of a list is a struct of its own.
 * A table ends with FIELDS_END, which refuses keys that no row names, or with FIELDS_OPEN, which does not look at them.
 */
#ifndef BASE_FIELDS_H
#define BASE_FIELDS_H

#include <stddef.h>
#include "base/doc.h"

enum field_kind {
    FIELD_END,
    FIELD_OTHERS,  /* the end of a table: further keys are good */
    FIELD_ANY,     /* its owner reads it */
    FIELD_GONE,    /* was read once; help says of what it was, and what to do */
    FIELD_INTEGER, /* low..high; a bool, uint16_t, int or (u)int64_t, by the member's size */
    FIELD_SIZE,    /* bytes, 1..1024 TiB, as an integer or as a text with a unit ("16GiB"); a uint64_t */
    FIELD_REAL,    /* least..most; a double */
    FIELD_BOOL,
    FIELD_TEXT,     /* char[size]; cut to that */
    FIELD_STRING,   /* a const char *, borrowed from the document; NULL: absent */
    FIELD_WORD,     /* one of words; its number, as an integer */
    FIELD_INTEGERS, /* a list of least..most integers in low..high, and how many at `count` */
    FIELD_REALS,    /* a list of least..most numbers in low..high; double[], how many at `count` */
    FIELD_TEXTS,    /* a list of least..most texts; checked only */
    FIELD_OBJECT,   /* with the members `of`; NULL: any */
    FIELD_LIST      /* of least..most objects with the members `of` (NULL: anything); struct[], how many at `count` */
};
enum {
    FIELD_NEEDED = 1,
    FIELD_NULL = 2,   /* written as null where nothing is known; otherwise it is left out */
    FIELD_WHOLE = 4,  /* a text is refused, not cut: where it is longer than `high` bytes (0: than its member holds), or
                         holds control characters, as it will be printed on terminals */
    FIELD_NESTED = 8, /* a list of such lists; checked only */
    FIELD_PAIRED = 16,  /* fields_fill fills the entries of such a list one by one: in both structs they are of one
                           thing */
    FIELD_POINTER = 32, /* the member of a list is a pointer to as many entries as the document has, which who calls
                           fields_read made; fields_put and fields_fill do not know such members */
    FIELD_GAPS = 64     /* numbers of a list may be null, NAN in the struct */
};

struct field {
    const char *key;
    enum field_kind kind;
    int flags;
    size_t offset, size; /* of the member, of an entry where it is a list; size 0: no member */
    size_t count;        /* offset of the int that counts a list's entries */
    int64_t low, high;   /* inclusive */
    double least, most;  /* inclusive; of lists: how many entries, most 0: 65536 */
    double absent;       /* number, word or count that stands for an absent key */
    const struct field *of;
    const char *const *words; /* NULL-ended */
    const char *unit, *help;  /* "bytes"; one sentence */
};

#define FIELDS_END                                                                                                     \
    {                                                                                                                  \
        .kind = FIELD_END                                                                                              \
    }
/* The row of a document's own name; words: {"size/1", NULL}. */
#define FIELD_SCHEMA(named)                                                                                            \
    {                                                                                                                  \
        .key = "schema", .kind = FIELD_WORD, .words = named, .flags = FIELD_NEEDED, .help = "The name of this form."   \
    }
#define FIELDS_OPEN                                                                                                    \
    {                                                                                                                  \
        .kind = FIELD_OTHERS                                                                                           \
    }
/* Where a value goes: member m of struct type T. For lists, with the member that counts; FIELD_AT: of FIELD_POINTER. */
#define FIELD_TO(T, m) .offset = offsetof(T, m), .size = sizeof(((T *)0)->m)
#define FIELD_AT(T, m, counted) .offset = offsetof(T, m), .size = sizeof(((T *)0)->m[0]), .count = offsetof(T, counted)
#define FIELD_EACH(T, m, counted)                                                                                      \
    .offset = offsetof(T, m), .size = sizeof(((T *)0)->m[0]), .count = offsetof(T, counted),                           \
    .most = sizeof(((T *)0)->m) / sizeof(((T *)0)->m[0])

/* Checks d by the table f, and fills the struct at `out` (NULL: checks only). where: the file's name, opens the
 * sentence. ST_INPUT names the key by its path ("gpus[2].peers"), what it is and what was expected. */
enum st fields_read(const struct field *f, const doc *d, const char *where, void *out, struct err *err) MUST_USE;

/* Writes the struct at `from` into the object `to`, in the order of the table. A member with the value that stands for
 * an absent key is unknown, and so is an object without a known member. rest: an object with the values of rows without
 * a member; NULL: none are known. A loss of memory marks `to` as broken, as in doc.h. */
void fields_put(const struct field *f, const void *from, const doc *rest, doc *to);

/* Copies to the struct at `into` the members that it does not know and `from` does: whole lists, texts and numbers,
 * those of nested objects and of paired entries each for itself. told: of the path of each ("gpus[].tflops"). */
void fields_fill(const struct field *f, void *into, const void *from, void (*told)(void *context, const char *path),
                 void *context);

/* Makes every member of the struct at `base` unknown. */
void fields_forget(const struct field *f, void *base);

#endif
