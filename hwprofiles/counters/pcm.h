/* pcm.h - captures of Intel PCM: how many 64-byte reads of host memory the PCIe devices of a server made.
 *
 * pcm-pcie -csv counts reads of one line per socket and sampling interval (event PCIRdCur, PCIeRdCur in older tools);
 * pcm-iio -csv gives bytes per second per slot (IB read: a device reads host memory). Columns are found by name, for
 * they stand elsewhere on every processor. A capture that pcm_read returned obeys: every iteration has the same
 * sockets, no sum overflowed, at least one table was there.
 */
#ifndef HWPROFILES_COUNTERS_PCM_H
#define HWPROFILES_COUNTERS_PCM_H

#include <stdbool.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/status.h"

enum { PCM_SOCKETS_MAX = 16, PCM_LINE_BYTES = 64 };

struct pcm {
    bool iio; /* by pcm-iio, else by pcm-pcie */
    int sockets;
    uint64_t iterations;                  /* sampling intervals */
    uint64_t per_socket[PCM_SOCKETS_MAX]; /* pcm-pcie: lines read; pcm-iio: sum of bytes per second */
    uint64_t sum;                         /* over sockets */
    double interval_s;                    /* length of a sampling interval; 0: the capture does not say */
};

/* Reads a capture. ST_INPUT, with file and line, for anything but whole tables (a failed tool leaves definitions and
 * no table). */
enum st pcm_read(const char *path, struct pcm *out, struct err *err) MUST_USE;

/* Bytes read by all devices: lines * 64, or the sum of bytes per second times the interval. False when no interval is
 * known. */
bool pcm_bytes(const struct pcm *p, uint64_t *bytes);

/* What is left of `busy` after an idle capture of the same tool, scaled to the same number of intervals (halves up).
 * *lines: reads of 64 bytes. idle may be NULL. ST_INPUT when the two are not alike, when idle read more, or when no
 * interval is known. */
enum st pcm_net_lines(const struct pcm *busy, const struct pcm *idle, uint64_t *lines, struct err *err) MUST_USE;

/* {tool, sockets, iterations, interval_s, transactions, per_socket, bytes_read} or, by pcm-iio, {.., ib_read_sum,
 * per_socket_rate, bytes_read}. */
doc *pcm_document(const struct pcm *p);

#endif
