/* requests.h - request files in libCacheSim's oracleGeneral form, so that others can count the same stream.
 *
 * A file is records of 24 bytes, little endian, nothing else: u32 time, u64 id, u32 size in bytes, i64 position of
 * the next request of the same id (from 0; INT64_MAX, or -1 in files from elsewhere: never). In files from here time
 * is the number of the mini-batch in the stream, the id the vertex, and the size a feature row's; give libCacheSim
 * the capacity in rows and --ignore-obj-size 1, and a file name with "oracleGeneral".
 */
#ifndef SIMULATOR_CACHES_REQUESTS_H
#define SIMULATOR_CACHES_REQUESTS_H

#include "simulator/replay/stream.h"

/* Writes the stream (atomically). next: of stream_next. row_bytes: 1..2^32-1. */
enum st requests_save(const struct stream *s, const uint32_t *next, uint64_t row_bytes, const char *path,
                      struct err *err) MUST_USE;

/* Reads a file: one mini-batch per run of equal times; ids are numbered densely in the order of their first request.
 * Next positions in the file are not believed (stream_next finds them), sizes must not be 0 and are otherwise
 * ignored: all rows are alike. once: an id that comes twice in a mini-batch counts once (model: a vertex counts once
 * per mini-batch). ST_INPUT for a length that is no multiple of 24, an empty file, compressed files, times that go
 * back, sizes of 0; ST_LIMIT for 2^32 - 1 requests and more. *out is zeroed by the caller. */
enum st requests_load(const char *path, bool once, struct stream *out, struct err *err) MUST_USE;

#endif
