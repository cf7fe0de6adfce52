/* units.h - quantities in words and back. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

enum { UNIT_TEXT = 40 };

/* "16GiB", "16GB", "1.5MiB", "4096" (bytes) -> bytes. Binary units are powers of 1024, decimal ones of 1000. `name`
 * opens the sentence. */
enum st units_size(const char *text, const char *name, uint64_t *bytes, struct err *err) MUST_USE;
/* A decimal integer in low..high (both inclusive), nothing behind it. */
enum st units_integer(const char *text, const char *name, int64_t low, int64_t high, int64_t *out, struct err *err)
    MUST_USE;
enum st units_real(const char *text, const char *name, double *out, struct err *err) MUST_USE; /* finite */

/* "1.50 GiB" */
const char *units_bytes(char out[UNIT_TEXT], uint64_t bytes);
/* "12,345,678" */
const char *units_count(char out[UNIT_TEXT], uint64_t n);
/* "350 ms", "12.3 s", "4 min 10 s" */
const char *units_seconds(char out[UNIT_TEXT], double s);
/* "97.31 %" */
const char *units_percent(char out[UNIT_TEXT], double share);

/* round(numerator / denominator), halves up; denominator > 0. */
uint64_t units_round_half_up(unsigned __int128 numerator, unsigned __int128 denominator);

#endif
