/* observe.c - counters of a running job as lines of JSON (declared in hotset.h). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "simulator/lib/internal.h"

enum { LINE_BYTES = 4096, NAME_MOST = 31, TABLE_MOST = 200 };

static enum st check_stage(const char *name, double seconds, struct err *err)
{
    size_t length = name ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;
    if (!length || name[length] || length > NAME_MOST)
        return err_set(err, ST_USAGE,
                       "hotset_observe: a stage is named with 1 to %d small letters, digits and underscores, as "
                       "\"sample\"",
                       NAME_MOST);
    if (!(seconds >= 0) || isinf(seconds))
        return err_set(err, ST_USAGE, "hotset_observe: the seconds of stage %s are not a number of 0 or more", name);
    return ST_OK;
}

static enum st observe_check(const struct hotset_observation *o, const char *table, struct err *err)
{
    for (const char *c = table; c && *c; c += text_utf8_bytes(c, strlen(c)))
        if ((unsigned char)*c < ' ' || *c == '"' || *c == '\\' || c - table >= TABLE_MOST ||
            !text_utf8_bytes(c, strlen(c)))
            return err_set(err, ST_USAGE,
                           "hotset_observe_table: a table has a name of up to %d bytes of UTF-8 without quotes and "
                           "backslashes, as \"paper\"",
                           TABLE_MOST);
    PASS(lib_check_struct(o->struct_bytes, sizeof *o, "hotset_observation", err));
    PASS(lib_check_call("hotset_observation", o->reserved, 0, err));
    if (o->gpu < 0)
        return err_set(err, ST_USAGE, "hotset_observe: GPU %d; give the server's number of the GPU", o->gpu);
    if (o->stages > HOTSET_STAGES_MAX || (o->stages && (!o->stage || !o->seconds)))
        return err_set(err, ST_USAGE, "hotset_observe: %u stages; give at most %d, with names and seconds", o->stages,
                       HOTSET_STAGES_MAX);
    const uint64_t rows[] = {o->own, o->peer, o->host};
    for (int i = 0; i < 3; i++)
        if (rows[i] > HOTSET_OBSERVED_MOST || (o->row_bytes && rows[i] > HOTSET_OBSERVED_MOST / o->row_bytes))
            return err_set(err, ST_USAGE,
                           "hotset_observe: %" PRIu64 " rows of %" PRIu64 " bytes are more than 2^53 bytes", rows[i],
                           o->row_bytes);
    if (o->epoch > HOTSET_OBSERVED_MOST || o->batches > HOTSET_OBSERVED_MOST)
        return err_set(err, ST_USAGE, "hotset_observe: epoch and batches must be at most 2^53");
    if (!o->batches && (o->own || o->peer || o->host))
        return err_set(err, ST_USAGE,
                       "hotset_observe: rows without a mini-batch; count the mini-batches that read them");
    for (uint32_t i = 0; i < o->stages; i++) {
        PASS(check_stage(o->stage[i], o->seconds[i], err));
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(o->stage[i], o->stage[k]))
                return err_set(err, ST_USAGE, "hotset_observe: stage %s is there twice; add up its seconds",
                               o->stage[i]);
    }
    return ST_OK;
}

static void make_line(const struct hotset_observation *o, const char *table, char out[LINE_BYTES])
{
    const uint64_t b = o->row_bytes;
    *out = '\0';
    text_append(out, LINE_BYTES, "{\"schema\": \"observed/1\", ");
    if (table) text_append(out, LINE_BYTES, "\"table\": \"%s\", ", table);
    text_append(out, LINE_BYTES,
                "\"gpu\": %d, \"epoch\": %" PRIu64 ", \"batches\": %" PRIu64 ", \"rows\": {\"own\": %" PRIu64
                ", \"peer\": %" PRIu64 ", \"host\": %" PRIu64 "}, \"bytes\": {\"own\": %" PRIu64 ", \"peer\": %" PRIu64
                ", \"host\": %" PRIu64 "}, \"seconds\": {",
                o->gpu, o->epoch, o->batches, o->own, o->peer, o->host, o->own * b, o->peer * b, o->host * b);
    for (uint32_t i = 0; i < o->stages; i++) { /* whole numbers: no locale, and no libm for who links the archive */
        double seconds = o->seconds[i] < 1e15 ? o->seconds[i] : 1e15;
        uint64_t whole = (uint64_t)seconds;
        text_append(out, LINE_BYTES, "%s\"%s\": %" PRIu64 ".%06u", i ? ", " : "", o->stage[i], whole,
                    (unsigned)((seconds - (double)whole) * 1e6));
    }
    text_append(out, LINE_BYTES, "}}\n");
}

/* One write to a file that is opened for appending: lines of several processes do not mix. */
static enum st append(const char *path, const char *line, struct err *err)
{
    enum st st = ST_OK;
    size_t bytes = strlen(line);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return err_set(err, ST_INPUT, "%s: cannot be opened for appending: %s", path, strerror(errno));
    ssize_t done = write(fd, line, bytes);
    if (done != (ssize_t)bytes)
        st = err_set(err, ST_LIMIT, "%s: the line of an epoch was not written: %s", path,
                     done < 0 ? strerror(errno) : "no space on the disk");
    if (close(fd) && st == ST_OK) st = err_set(err, ST_LIMIT, "%s: cannot be written: %s", path, strerror(errno));
    return st;
}

int hotset_observe(const char *path, const struct hotset_observation *o, struct hotset_error *error)
{
    return hotset_observe_table(path, NULL, o, error);
}

int hotset_observe_table(const char *path, const char *table, const struct hotset_observation *o,
                         struct hotset_error *error)
{
    struct err err = {0};
    char line[LINE_BYTES];
    enum st st;
    if (!path || !*path || !o) {
        st = err_set(&err, ST_USAGE, "hotset_observe: a path and an observation were expected");
    } else {
        st = observe_check(o, table, &err);
        if (st == ST_OK) {
            make_line(o, table, line);
            st = append(path, line, &err);
        }
    }
    return lib_finish(st, &err, error);
}
