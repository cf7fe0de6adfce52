/* fields.h - the members of an object of a document as a table: a row per key says what it is, what it may be, and what
 * its absence means; fields_read checks the object by it and fills a struct.
 *
 * One list of keys then serves everybody who reads, checks, writes or describes the document. A row names the key, its
 * kind, the member that takes the value (none: it is checked only), its range, the value that stands for an absent or
 * null key (or that it is needed), unit, and a sentence. Members of a nested object lie in the same struct, unless its
 * row states an offset; each entry of a list is a struct of its own. A table ends with FIELDS_END, which refuses keys
 * that no row names, or with FIELDS_OPEN, which does not look at them.
 */
#ifndef BASE_FIELDS_H
#define BASE_FIELDS_H

#include <stddef.h>
#include "base/doc.h"

enum field_kind {
    FIELD_END,
    FIELD_OTHERS,  /* the end of a table: further keys are good */
    FIELD_ANY,     /* its owner reads it */
    FIELD_INTEGER, /* low..high; an int or an (u)int64_t, by the member's size */
    FIELD_REAL,    /* least..most; a double */
    FIELD_BOOL,
    FIELD_TEXT,     /* char[size]; cut to that */
    FIELD_WORD,     /* one of words; its number, an int */
    FIELD_INTEGERS, /* a list of at most `most` integers in low..high; int[], and how many at `count` */
    FIELD_OBJECT,   /* with the members `of`; NULL: any */
    FIELD_LIST /* of at most `most` objects with the members `of` (NULL: anything); struct[], how many at `count` */
};
enum { FIELD_NEEDED = 1 };

struct field {
    const char *key;
    enum field_kind kind;
    int flags;
    size_t offset, size; /* of the member, of an entry where it is a list; size 0: no member */
    size_t count;        /* offset of the int that counts a list's entries */
    int64_t low, high;   /* inclusive */
    double least, most;  /* inclusive */
    double absent;       /* number, word or count that stands for an absent key */
    const struct field *of;
    const char *const *words; /* NULL-ended */
    const char *unit, *help;  /* "bytes"; one sentence */
};

#define FIELDS_END                                                                                                     \
    {                                                                                                                  \
        .kind = FIELD_END                                                                                              \
    }
#define FIELDS_OPEN                                                                                                    \
    {                                                                                                                  \
        .kind = FIELD_OTHERS                                                                                           \
    }
/* Where a value goes: member m of struct type T. For lists, with the member that counts. */
#define FIELD_TO(T, m) .offset = offsetof(T, m), .size = sizeof(((T *)0)->m)
#define FIELD_EACH(T, m, counted)                                                                                      \
    .offset = offsetof(T, m), .size = sizeof(((T *)0)->m[0]), .count = offsetof(T, counted),                           \
    .most = sizeof(((T *)0)->m) / sizeof(((T *)0)->m[0])

/* Checks d by the table f, and fills the struct at `out` (NULL: checks only). where: the file's name, opens the
 * sentence. ST_INPUT names the key by its path ("gpus[2].peers"), what it is and what was expected. */
enum st fields_read(const struct field *f, const doc *d, const char *where, void *out, struct err *err) MUST_USE;

#endif
