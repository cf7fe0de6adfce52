/* place_pages.h - rows laid over the sockets of a node without regard to who reads them, as systems do that do not plan
 * it: what `plan --socket-rows` sets beside placing them (place_solve.h).
 *
 *   interleave: page after page (4 KiB) on the sockets in turn, as numactl --interleave does; a row is where its first
 *     byte is, or on the next socket with room
 *   replicate: the rows that all readers together read most per byte on every socket, as many as fit; the rest
 *     interleaved
 */
#ifndef PLANNER_PLACES_PLACE_PAGES_H
#define PLANNER_PLACES_PLACE_PAGES_H

#include "kernels/kernel.h"
#include "planner/places/place_machine.h"

#define SOCKET_ROWS_WORDS "place|interleave|replicate"
enum socket_rows socket_rows_of(const char *word); /* one of these */
const char *socket_rows_name(enum socket_rows w);

/* p: checked; of one node, without GPUs. read_bytes: of each kind of reads, to replicate; NULL: only interleave. *out:
 * zeroed by the caller, to be released; judged. Takes 20 bytes per row. ST_NO when rows without another home do not
 * fit; ST_LIMIT without memory. */
enum st place_pages(const struct place_problem *p, const uint64_t *read_bytes, const struct kernels *k, int threads,
                    struct place_solution *out, struct err *err) MUST_USE;

#endif
