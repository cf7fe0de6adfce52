/* builder_spill.h - an append-only scratch file, read back at any position by several threads. One thread writes. */
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

/* near: the scratch file lies beside this path. */
enum st spill_open(struct spill *s, const char *near, struct err *err) MUST_USE;
void spill_close(struct spill *s);                              /* zeroed is allowed */
enum st spill_flush(struct spill *s, struct err *err) MUST_USE; /* before reading */
enum st spill_read(const struct spill *s, uint64_t at, void *out, uint64_t bytes, struct err *err) MUST_USE;
enum st spill_append(struct spill *s, const void *data, size_t bytes, struct err *err) MUST_USE;

#endif
