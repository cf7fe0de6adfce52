#include "traces/builder/builder_spill.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum st spill_open(struct spill *s, const char *near, struct err *err)
{
    enum st st = ST_OK;
    struct spill fresh = {.descriptor = -1};
    NEW(fresh.buffer, SPILL_BUFFER, "a write buffer");
    TRY(file_scratch(near, &fresh.descriptor, err));
    *s = fresh;
    return ST_OK;
done:
    mem_free(fresh.buffer);
    return st;
}

void spill_close(struct spill *s)
{
    if (s->buffer) close(s->descriptor);
    mem_free(s->buffer);
    memset(s, 0, sizeof *s);
}

enum st spill_flush(struct spill *s, struct err *err)
{
    for (size_t done = 0; done < s->used;) {
        ssize_t n = write(s->descriptor, s->buffer + done, s->used - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return err_set(err, ST_LIMIT, "scratch file: cannot be written (%s); free some disk beside the output",
                           strerror(errno));
        done += (size_t)n;
    }
    s->used = 0;
    return ST_OK;
}

enum st spill_append(struct spill *s, const void *data, size_t bytes, struct err *err)
{
    if (s->used + bytes > SPILL_BUFFER) {
        PASS(spill_flush(s, err));
    }
    memcpy(s->buffer + s->used, data, bytes);
    s->used += bytes;
    s->bytes += bytes;
    return ST_OK;
}

enum st spill_read(const struct spill *s, uint64_t at, void *out, uint64_t bytes, struct err *err)
{
    for (uint64_t done = 0; done < bytes;) {
        ssize_t n = pread(s->descriptor, (char *)out + done, bytes - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return err_set(err, ST_LIMIT, "scratch file: cannot be read back (%s)",
                           n < 0 ? strerror(errno) : "it is too short");
        done += (uint64_t)n;
    }
    return ST_OK;
}
