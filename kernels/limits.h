/* limits.h - measured speed of this machine's memory, with which `hotset bench` compares the operations.
 *
 * Virtual machines share memory channels with others, so the speed is measured in the same run as the operations.
 */
#ifndef KERNELS_LIMITS_H
#define KERNELS_LIMITS_H

#include <stdint.h>
#include "base/status.h"

enum { LIMIT_SPANS = 4 };
struct limits {
    int threads;
    double read_gbps;           /* sequential reads, GB/s (10^9 bytes) */
    double triad_gbps;          /* a = b + 3 c, GB/s of the three arrays (reads for ownership are not counted) */
    uint64_t span[LIMIT_SPANS]; /* bytes, ascending */
    double gather[LIMIT_SPANS]; /* independent 4-byte loads at random places of an array of that span, per second */
};

/* Measures, each the best of several runs; about a second. bytes: of the largest array, at least 1024. Allocates three
 * such arrays and 32 MiB; ST_LIMIT when they are refused. */
enum st limits_measure(int threads, uint64_t bytes, struct limits *out, struct err *err) MUST_USE;

/* Loads per second from an array of `span` bytes: interpolated between measured spans on logarithmic scales, and the
 * nearest one outside them. */
double limits_gather(const struct limits *l, double span);

/* The least seconds for streaming `bytes` and then making `gathers` random loads from `span` bytes. */
double limits_seconds(const struct limits *l, double bytes, double gathers, double span);

#endif
