/* requests.h - request files in libCacheSim's oracleGeneral format, so that cache simulators can count the same stream.
 *
 * A file is a list of records of 24 bytes, little-endian: u32 time, u64 id, u32 size in bytes, i64 position of the next
 * request of the same id (from 0; INT64_MAX, or -1 in other programs' files: never). hotset writes the number of the
 * mini-batch as time, the vertex as id and the bytes of a feature row as size. libCacheSim needs the capacity in rows,
 * --ignore-obj-size 1, and a file name with "oracleGeneral".
 */
#ifndef SIMULATOR_CACHES_REQUESTS_H
#define SIMULATOR_CACHES_REQUESTS_H

#include "simulator/replay/stream.h"

/* Writes a stream, atomically. next: of stream_next; row_bytes: 1..2^32-1. ST_LIMIT when the disk is full. */
enum st requests_save(const struct stream *s, const uint32_t *next, uint64_t row_bytes, const char *path,
                      struct err *err) MUST_USE;

/* Reads a file. Consecutive records of one time are a mini-batch; ids are numbered densely in the order of their first
 * request. Next positions are ignored (stream_next finds them), and so are sizes, which must not be 0. once: an id that
 * comes several times in a mini-batch counts once, as a vertex does in training. *out: zeroed by the caller, to be
 * released. ST_INPUT for a length that is no multiple of 24, an empty or compressed file, times that go back, or sizes
 * of 0; ST_LIMIT for memory and for 2^32 - 1 requests or more. */
enum st requests_load(const char *path, bool once, struct stream *out, struct err *err) MUST_USE;

#endif
