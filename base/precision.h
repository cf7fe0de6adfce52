/* precision.h - the element types that a cache can hold rows in when the host holds them more precisely, and how a row
 * is rounded to each.
 *
 * f16 and bf16 round to the nearest value, ties to even, and overflow to infinity (IEEE 754). f8 is E4M3 without
 * infinities (Micikevicius et al., "FP8 Formats for Deep Learning", table 1): ties to even, beyond 448 it stays 448.
 * i8 holds round(x / scale) with one f32 scale per row, the row's largest magnitude / 127, which is stored with it.
 */
#ifndef BASE_PRECISION_H
#define BASE_PRECISION_H

#include <stdint.h>

/* As on the host, then from precise to coarse. */
enum precision { PRECISION_HOST, PRECISION_F16, PRECISION_BF16, PRECISION_F8, PRECISION_I8, PRECISIONS };
#define PRECISION_WORDS "f16|bf16|f8|i8"

/* "f16", ..; "" for PRECISION_HOST (static). */
const char *precision_name(enum precision p);
/* The element type of that name; PRECISIONS when there is none. */
enum precision precision_named(const char *name);
/* Bytes of a cached row of `dim` elements; 0 for PRECISION_HOST. i8 takes 4 more for the scale. dim below 2^60. */
uint64_t precision_row_bytes(enum precision p, uint64_t dim);

/* Rounds x[0..dim) to p and back into out, which may be x. p is not PRECISION_HOST. */
void precision_round(enum precision p, const float *x, uint64_t dim, float *out);
/* The error of rounding a row: L2 norm of what rounding changes / L2 norm of the row; 0 for a row of zeros; infinite
 * when an element overflows; NaN when the row has an element that is not finite. Sums in double, in order. */
double precision_error(enum precision p, const float *x, uint64_t dim);
/* The value of an IEEE half. */
float precision_half(uint16_t bits);

#endif
