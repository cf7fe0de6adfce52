/* builder_spill.h - an append-only scratch file, read back at any position. One thread appends; after a flush several
 * may read. The file has no name: it vanishes with the process. */
#ifndef TRACES_BUILDER_BUILDER_SPILL_H
#define TRACES_BUILDER_BUILDER_SPILL_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

struct spill {
    int descriptor;
    uint64_t bytes; /* appended so far, buffered ones included */
    unsigned char *buffer;
    size_t used;
};
enum { SPILL_BUFFER = 1 << 20 };

/* Makes a scratch file next to the path `near`. ST_LIMIT when file or memory cannot be had. */
enum st spill_open(struct spill *s, const char *near, struct err *err) MUST_USE;
/* Frees file and buffer; a zeroed struct is allowed. */
void spill_close(struct spill *s);
/* Writes the buffer out: needed before reading. ST_LIMIT when the disk is full. */
enum st spill_flush(struct spill *s, struct err *err) MUST_USE;
/* Reads out[bytes] from position `at`. ST_LIMIT when the file cannot be read. */
enum st spill_read(const struct spill *s, uint64_t at, void *out, uint64_t bytes, struct err *err) MUST_USE;
/* Appends data[bytes], bytes <= SPILL_BUFFER. ST_LIMIT when the disk is full. */
enum st spill_append(struct spill *s, const void *data, size_t bytes, struct err *err) MUST_USE;

#endif
