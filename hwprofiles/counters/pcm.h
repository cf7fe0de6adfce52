/* pcm.h - captures of Intel PCM: how many 64-byte reads of host memory the PCIe devices of a server made.
 *
 * pcm-pcie -csv counts reads of one line per socket and sampling interval (event PCIRdCur; PCIeRdCur in older tools).
 * pcm-iio -csv gives bytes per second per slot (IB read: a device reads host memory). Columns are found by name,
 * because their places differ from processor to processor. A capture that pcm_read returned obeys: every interval has
 * the same sockets, no sum overflowed, there is at least one table.
 */
#ifndef HWPROFILES_COUNTERS_PCM_H
#define HWPROFILES_COUNTERS_PCM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/doc.h"
#include "base/status.h"

enum { PCM_SOCKETS_MAX = 16, PCM_LINE_BYTES = 64 };

struct pcm {
    bool iio; /* made by pcm-iio, else by pcm-pcie */
    int sockets;
    uint64_t iterations;                  /* sampling intervals */
    uint64_t per_socket[PCM_SOCKETS_MAX]; /* pcm-pcie: lines read; pcm-iio: sum of bytes per second */
    uint64_t sum;                         /* over sockets */
    double interval_s;                    /* length of a sampling interval; 0: the capture does not state it */
    uint64_t wrapped;                     /* line of the first counter, of those not summed, below zero; 0: none */
    double stated_bytes;                  /* sum of the column "PCIe Rd (B)" (-B) over the same rows; NaN: none */
};

/* Reads a capture (pcm_read.c). ST_INPUT, with file and line, unless all of its tables are whole: a capture that was
 * cut, or one of a tool that failed, is refused. */
enum st pcm_read(const char *path, struct pcm *out, struct err *err) MUST_USE;

/* *bytes: read by all devices over the capture: lines x 64, or the sum of bytes per second x interval. False, with
 * *bytes untouched, when no interval is known. */
bool pcm_bytes(const struct pcm *p, uint64_t *bytes);

/* *lines: reads of 64 bytes in `busy`, less those of an idle capture by the same tool, scaled to the same number of
 * intervals (halves up). idle may be NULL. ST_INPUT when tools or sockets differ, when idle read more, or when no
 * interval is known. */
enum st pcm_net_lines(const struct pcm *busy, const struct pcm *idle, uint64_t *lines, struct err *err) MUST_USE;

/* What speaks against the numbers of a capture, as a sentence; "": nothing. A counter below zero, which is written as
 * 2^64 less a few, and a column of bytes that has twice as many as the lines, or half of them. */
void pcm_doubts(const struct pcm *p, char *out, size_t size);

/* {tool, sockets, iterations, interval_s, transactions, per_socket, bytes_read}, for pcm-iio {.., ib_read_sum,
 * per_socket_rate, bytes_read}; null where unknown. The caller frees it with doc_free. */
doc *pcm_document(const struct pcm *p);

#endif
