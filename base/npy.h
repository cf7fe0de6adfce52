/* npy.h - NumPy .npy arrays: versions 1 to 3 are read, version 1.0 is written, little-endian and in C order.
 *
 * Files are mapped, not copied. (An array whose header leaves its elements unaligned is copied.) A header's shape is
 * compared with the size of the file before it is used. Pickled objects, big-endian elements and Fortran order are
 * refused with ST_INPUT and a sentence that names the file.
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
    /* The elements; NULL when count is 0. After npy_map they are aligned for their type, after npy_parse perhaps not.
     */
    const void *data;
    struct mapping map; /* empty after npy_parse */
    bool copied;        /* the mapping is an aligned copy, not the file */
};

/* Maps a file; free with npy_release. ST_INPUT for a file that cannot be read or is not such an array. */
enum st npy_map(const char *path, struct npy *out, struct err *err) MUST_USE;
void npy_release(struct npy *a); /* a zeroed struct is allowed */
/* Lets the system drop the file's pages from memory, or asks it to read them ahead. Dropped pages are read again when
 * they are touched. Nothing happens to a copy. */
void npy_drop_pages(const struct npy *a);
/* The same for the whole pages from `from` to `to`; nothing where they are not of the mapping. */
void npy_drop_range(const struct npy *a, const void *from, const void *to);
void npy_prefetch_pages(const struct npy *a);
/* Parses an array of `size` bytes in memory (a member of an .npz); out->data points into `bytes`, which the caller
 * keeps. name: for messages. ST_INPUT as above. */
enum st npy_parse(const void *bytes, uint64_t size, const char *name, struct npy *out, struct err *err) MUST_USE;

/* A shape as NumPy writes it, "(500, 16)" or "(500,)", into out, which is returned. shape: [dims] lengths; UINT64_MAX
 * is written "any". */
const char *npy_shape_text(char out[200], int dims, const uint64_t *shape);

/* Requires a type (as in struct npy) and a shape: [dims] lengths, UINT64_MAX for any. path: for messages. ST_INPUT says
 * what was found and what was expected. */
enum st npy_expect(const struct npy *a, const char *path, const char *type, int dims, const uint64_t *shape,
                   struct err *err) MUST_USE;

/* Element i of an array of any integer type (i1..i8, u1..u8, b1); i < count. *ok: false for another type or a value
 * beyond int64. */
int64_t npy_integer(const struct npy *a, uint64_t i, bool *ok);

/* Writes a whole array. type as in struct npy; shape: [dims] lengths. ST_LIMIT when it cannot be written. */
enum st npy_save(const char *path, const char *type, int dims, const uint64_t *shape, const void *data, struct err *err)
    MUST_USE;

/* Writes an array piece by piece: npy_begin, npy_add for each piece, npy_end. ST_LIMIT when it cannot be written;
 * ST_BUG when the pieces are not exactly the bytes of the shape. */
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
void npy_cancel(
    struct npy_writer *w); /* closes the file after a failure; nothing after npy_end or on a zeroed struct */

#endif
