/* packed.h - compressed files: a table of what unpacks them, told apart by their first bytes. source.c is its only user
 * for reading; those that look for files ask for names. What a library that is not built in would unpack is refused
 * with its name. A stream may be a chain of several, as `cat a.zst b.zst` makes them.
 */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

#include "base/file.h"

struct packing {
    const char *name, *suffix; /* "zstd", ".zst" */
    const char *magic;
    size_t magic_bytes;
    /* *state: to be closed. ST_INPUT when the path cannot be opened; ST_MISSING without the library; ST_LIMIT for
     * memory. */
    enum st (*open)(const char *path, void **state, struct err *err);
    /* As source_read. */
    enum st (*read)(void *state, const char *path, void *buffer, size_t size, size_t *got, struct err *err);
    uint64_t (*position)(const void *state); /* bytes of the file that were read */
    void (*close)(void *state);
};

/* What unpacks a file that begins with head[bytes]; NULL for one that is not compressed. */
const struct packing *packing_of(const void *head, size_t bytes);
/* What reads a file as it is. */
const struct packing *packing_none(void);
/* The length of a path without the suffix of a packing ("e.csv.gz": that of "e.csv"). */
size_t packing_stem(const char *path);
/* Puts folder/name with the suffix of a packing into out, else folder/name; false when neither is there. */
bool packing_find(const char *folder, const char *name, char out[PATH_BYTES]);

#endif
