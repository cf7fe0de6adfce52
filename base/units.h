/* units.h - quantities as texts for people, and back. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/everywhere.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { UNIT_TEXT = 40, BYTES_TEXT = 96 };

/* Parses "16GiB", "16GB", "1.5MiB" or "4096" (bytes), below 4 EiB. KiB, MiB, .. are powers of 1024, KB, MB, .. of 1000.
 * name: opens the sentence, here and below. ST_USAGE for anything else: a fraction needs a unit, too. */
enum st units_size(const char *text, const char *name, uint64_t *bytes, struct err *err) MUST_USE;
/* ST_USAGE when `text`, which means `bytes`, is a number without a unit below the `least` bytes that `what` ("one
 * page") takes: its unit was forgotten. 0 passes, and so does "5B". share: the option takes "5%", too. */
enum { UNITS_PAGE = 4096 };
enum st units_bare(const char *text, uint64_t bytes, const char *name, uint64_t least, const char *what, bool share,
                   struct err *err) MUST_USE;
/* Parses a decimal integer in low..high, both inclusive. ST_USAGE for anything else. */
enum st units_integer(const char *text, const char *name, int64_t low, int64_t high, int64_t *out, struct err *err)
    MUST_USE;
/* Whether hotset computes with a number from outside: 0, or 1e-60 to 1e60 with either sign. Then quotients, squares and
 * sums of such numbers are finite; a rate of 1e-308 made "inf" and "nan" of what was divided by it. */
bool units_in_range(double v);
#define UNITS_RANGE "0 or 1e-60 to 1e60"
/* Parses a number that is in that range. ST_USAGE for anything else, a percentage included. */
enum st units_real(const char *text, const char *name, double *out, struct err *err) MUST_USE;

/* Texts for people, into out, which is returned. */
/* "1.50 GiB" */
const char *units_bytes(char out[UNIT_TEXT], uint64_t bytes);
/* For sentences that need every byte: "44 bytes", "12,345,678 bytes (11.77 MiB)" */
const char *units_bytes_exact(char out[BYTES_TEXT], uint64_t bytes);
/* "12,345,678" */
const char *units_count(char out[UNIT_TEXT], uint64_t n);
/* Three digits: "821 us", "350 ms", "12.3 s", "4 min 10 s", "25 h 40 min"; "0 ns" */
const char *units_seconds(char out[UNIT_TEXT], double s);
/* Two times that are told beside each other: where they differ and three digits read the same, with more of them. */
void units_seconds_apart(char a[UNIT_TEXT], double s, char b[UNIT_TEXT], double t);
/* The unit, in kWh, that leaves one to three digits of an energy before the point, and its name. */
double units_energy(double kwh, const char **name);
/* "97.31 %" */
const char *units_percent(char out[UNIT_TEXT], double share);

/* numerator / denominator rounded to the nearest integer, halves up; denominator > 0, the result below 2^64. */
EVERYWHERE uint64_t units_round_half_up(unsigned __int128 numerator, unsigned __int128 denominator)
{
    unsigned __int128 whole = numerator / denominator, rest = numerator - whole * denominator;
    return (uint64_t)(whole + (rest >= denominator - rest)); /* 2 * rest could overflow */
}

/* count * part rounded to the nearest integer; part 0..1 (or a little more); exact for part 1. */
EVERYWHERE uint64_t units_part(uint64_t count, double part)
{
    return part == 1 ? count : (uint64_t)((double)count * part + 0.5);
}

#ifdef __cplusplus
}
#endif

#endif
