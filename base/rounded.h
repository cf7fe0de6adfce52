/* rounded.h - how a row of features is rounded to the element types of caches, and what that changes.
 *
 * f16 and bf16 round to the nearest value, ties to even, and overflow to infinity (IEEE 754). f8 is E4M3 without
 * infinities (Micikevicius et al., "FP8 Formats for Deep Learning", table 1): ties to even, beyond 448 it stays 448.
 * i8 holds round(x / scale) with one f32 scale per row, the row's largest magnitude / 127, which is stored with it.
 */
#ifndef BASE_ROUNDED_H
#define BASE_ROUNDED_H

#include "base/precision.h"

/* Rounds x[0..dim) to p and back into out, which may be x. p is not PRECISION_HOST. */
void rounded_row(enum precision p, const float *x, uint64_t dim, float *out);
/* The error of rounding a row: L2 norm of what rounding changes / L2 norm of the row; 0 for a row of zeros; infinite
 * when an element overflows; NaN when the row has an element that is not finite. Sums in double, in order. */
double rounded_error(enum precision p, const float *x, uint64_t dim);
/* Rounds x[0..dim) to p and writes the row as a cache holds it (precision_row_bytes; for i8 the scale comes last), and
 * reads such a row: what is read back is what rounded_row makes of it. What is not finite is NaN in f8. */
void rounded_store(enum precision p, const float *x, uint64_t dim, void *to);
void rounded_load(enum precision p, const void *from, uint64_t dim, float *out);
/* The value of an IEEE half. */
float rounded_half(uint16_t bits);
/* Reads a row of the host, whose elements are f64, f32, f16 or bf16, as floats, and writes it, rounded to nearest. */
void rounded_read(const char *element, const void *row, uint64_t dim, float *out);
void rounded_write(const char *element, const float *x, uint64_t dim, void *row);

#endif
