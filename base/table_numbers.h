/* table_numbers.h - how the numbers of one column are written: one unit, one number of decimals. */
#ifndef BASE_TABLE_NUMBERS_H
#define BASE_TABLE_NUMBERS_H

#include <stddef.h>
#include <stdbool.h>

enum measure { MEASURE_NONE, MEASURE_BYTES, MEASURE_SECONDS, MEASURE_RATE, MEASURE_REAL };

struct number_style {
    enum measure measure;
    int unit; /* -1: every number has the unit that suits it */
    int decimals;
};

/* The style for value[0..count), all of one measure; NaN and 0 decide nothing. */
struct number_style numbers_style(enum measure measure, const double *value, size_t count);
/* Writes a number, with commas, into out[size], which is returned; "-" for NaN. */
const char *numbers_text(char *out, size_t size, const struct number_style *style, double value);

#endif
