/* npy.h - NumPy .npy arrays: any valid version 1-3 is read, version 1.0 is written, always little-endian and in C
 * order.
 *
 * Files are mapped, not copied (but for an array whose header leaves its numbers unaligned). A header is believed
 * only after its size was compared with the bytes that are there; pickled objects, big-endian elements and Fortran
 * order are refused with ST_INPUT and a sentence that names the file.
 */
#ifndef BASE_NPY_H
#define BASE_NPY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/file.h"

enum { NPY_DIMS = 8 };

struct npy {
    char type[4]; /* NumPy's letters without byte order: "u4", "i8", "f4", "b1", .. */
    int dims;     /* 0..NPY_DIMS */
    uint64_t shape[NPY_DIMS];
    uint64_t count; /* product of shape */
    uint32_t item;  /* bytes per element */
    const void
        *data; /* after npy_map aligned for its type; after npy_parse as it lies in memory; NULL when count is 0 */
    struct mapping map; /* empty for arrays parsed from memory */
    bool copied;        /* the mapping is a private copy, not the file */
};

/* Maps a file. Free with npy_release. */
enum st npy_map(const char *path, struct npy *out, struct err *err) MUST_USE;
void npy_release(struct npy *a); /* zeroed is allowed */
/* Lets go of a mapped file's pages, which are read again when they are touched; asks for them to be read ahead. A
 * copy is left alone. */
void npy_drop_pages(const struct npy *a);
void npy_prefetch_pages(const struct npy *a);
/* Parses an array that lies in memory (a member of an .npz); data points into `bytes`, which the caller keeps. name:
 * for messages. */
enum st npy_parse(const void *bytes, uint64_t size, const char *name, struct npy *out, struct err *err) MUST_USE;

/* Requires type and shape: type as in struct npy; dims sizes follow in `shape`, UINT64_MAX = any. ST_INPUT with the
 * expectation. */
enum st npy_expect(const struct npy *a, const char *path, const char *type, int dims, const uint64_t *shape,
                   struct err *err) MUST_USE;

/* Integer element i, whatever the integer type (i1..i8, u1..u8, b1). Sets *ok to false for a value outside int64 or
 * another type. */
int64_t npy_integer(const struct npy *a, uint64_t i, bool *ok);

/* Writes a whole array. shape: dims entries. */
enum st npy_save(const char *path, const char *type, int dims, const uint64_t *shape, const void *data, struct err *err)
    MUST_USE;

/* Writes an array piece by piece; npy_end checks that exactly the promised bytes were written. */
struct npy_writer {
    FILE *file;
    uint64_t left; /* bytes still to come; of a growing array what it may still grow by */
    char path[PATH_BYTES];
    char type[4]; /* of a growing array; "" otherwise */
};
enum st npy_begin(struct npy_writer *w, const char *path, const char *type, int dims, const uint64_t *shape,
                  struct err *err) MUST_USE;
/* The same for one dimension whose length is known at the end only: npy_end writes it into the header. */
enum st npy_begin_growing(struct npy_writer *w, const char *path, const char *type, struct err *err) MUST_USE;
enum st npy_add(struct npy_writer *w, const void *data, uint64_t bytes, struct err *err) MUST_USE;
enum st npy_end(struct npy_writer *w, struct err *err) MUST_USE;
void npy_cancel(struct npy_writer *w); /* closes after a failure; zeroed is allowed */

#endif
