/* precision.h - the element types that a cache can hold rows in when the host holds them more precisely. */
#ifndef BASE_PRECISION_H
#define BASE_PRECISION_H

#include <stdint.h>

/* As on the host, then from precise to coarse (base/rounded.h says how each rounds). */
enum precision { PRECISION_HOST, PRECISION_F16, PRECISION_BF16, PRECISION_F8, PRECISION_I8, PRECISIONS };
#define PRECISION_WORDS "f16|bf16|f8|i8"

/* "f16", ..; "" for PRECISION_HOST (static). */
const char *precision_name(enum precision p);
/* The element type of that name; PRECISIONS when there is none. */
enum precision precision_named(const char *name);
/* Bytes of a cached row of `dim` elements; 0 for PRECISION_HOST. i8 takes 4 more for the scale. dim below 2^60. */
uint64_t precision_row_bytes(enum precision p, uint64_t dim);
/* Bytes of one element of a feature row, by its word in documents ("f32": 4); 0 for an unknown word. */
uint64_t precision_element_bytes(const char *word);
/* The word of a NumPy element ("f4": "f32"); "" for others. */
const char *precision_word(const char *npy_type);

#endif
