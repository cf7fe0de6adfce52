/* host_gather.h - how fast this machine's CPU gathers feature rows at random places: what `cpu_gather` of a server's
 * description states (hwprofiles/model/bandwidth.h).
 */
#ifndef PLANNER_BENCH_HOST_GATHER_H
#define PLANNER_BENCH_HOST_GATHER_H

#include <stdint.h>
#include "base/status.h"

enum { HOST_GATHER_SIZES = 5 };
struct host_gather {
    int threads;
    uint64_t table_bytes;
    uint64_t row_bytes[HOST_GATHER_SIZES]; /* ascending */
    double gbps[HOST_GATHER_SIZES];        /* GB/s (10^9 bytes) of rows, each read once; the copies are not counted */
    /* Fitted to them: a row takes row_bytes / long_gbps + 1 / rows_per_second; 0: it is no limit. */
    double long_gbps, rows_per_second;
    double worst;         /* largest error of the fit, relative: 0.1 is 10 % */
    double start_seconds; /* of a gather of one row a thread */
};

/* Copies random rows of a table of table_bytes (at least 1 MiB; beyond every cache to be of use) into an array, each
 * the best of several runs; about a second. Allocates the table and 32 MiB; ST_LIMIT when they are refused. */
enum st host_gather_measure(int threads, uint64_t table_bytes, struct host_gather *out, struct err *err) MUST_USE;

/* Sets long_gbps, rows_per_second and worst by gbps: least squares of relative errors. */
void host_gather_fit(struct host_gather *h);

#endif
