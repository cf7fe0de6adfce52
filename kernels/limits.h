/* limits.h - what this machine's memory can do, measured: the yardstick of `hotset bench`.
 *
 * Virtual machines share memory channels with their neighbours, so limits are measured in the same run as what is
 * held against them.
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

/* Best of several runs each; about a second. bytes: of the largest array, at least 1024. Takes three such arrays and
 * 32 MiB. */
enum st limits_measure(int threads, uint64_t bytes, struct limits *out, struct err *err) MUST_USE;

/* Loads per second from an array of `span` bytes: between measured spans on a logarithmic scale, outside them the
 * nearest. */
double limits_gather(const struct limits *l, double span);

/* Seconds that `bytes` streamed and `gathers` random loads from `span` bytes take at least, one after the other. */
double limits_seconds(const struct limits *l, double bytes, double gathers, double span);

#endif
