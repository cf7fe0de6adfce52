#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static bool is_standard_input(const char *source) { return !strcmp(source, "-") || !strcmp(source, "/dev/stdin"); }

/* Whether the source is read from a descriptor and not from a file; files behind /dev/stdin stay files. */
static bool is_stream(const char *source)
{
    struct stat s;
    if (is_standard_input(source)) return true;
    return stat(source, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode));
}

/* "standard-input", "pipe-63" for /dev/fd/63, else the name of the FIFO. */
static void plain_name(const char *source, char out[300])
{
    const char *base = path_base(source);
    if (is_standard_input(source)) snprintf(out, 300, "standard-input");
    else snprintf(out, 300, "%s%.250s", base[strspn(base, "0123456789")] ? "" : "pipe-", base);
}

static enum st make_folder(struct spool *s, const char *near, struct err *err)
{
    char target[PATH_BYTES];
    size_t length = strlen(near);
    if (s->folder.active) return ST_OK;
    while (length > 1 && near[length - 1] == '/') length--;
    if (snprintf(target, sizeof target, "%.*s.input-%ld", (int)length, near, (long)getpid()) >= (int)sizeof target)
        return err_set(err, ST_USAGE, "%.60s..: the path is too long", near);
    return output_directory(&s->folder, target, err);
}

static enum st copy_all(int from, int to, const char *name, struct err *err)
{
    enum { BLOCK = 1 << 20 };
    OWNED_NEW(char, block, BLOCK, "a copy of an input");
    for (ssize_t got;;) {
        got = read(from, block, BLOCK);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return err_set(err, ST_INPUT, "%s: cannot be read (%s)", name, strerror(errno));
        if (got == 0) break;
        for (ssize_t done = 0, n; done < got; done += n) {
            n = write(to, block + done, (size_t)(got - done));
            if (n < 0 && errno != EINTR)
                return err_set(err, ST_LIMIT,
                               "%s: cannot be copied beside the output (%s); save it to a file on a disk with room",
                               name, strerror(errno));
            if (n < 0) n = 0;
        }
    }
    return ST_OK;
}

static enum st copy_input(struct spool *s, const char *source, const char *near, const char **path, struct err *err)
{
    char name[300];
    int from = -1, to = -1;
    enum st st;
    plain_name(source, name);
    if (s->count == SPOOL_MOST)
        FAIL(ST_USAGE, "%s: more than %d pipes are named; name files instead", source, SPOOL_MOST);
    TRY(make_folder(s, near, err));
    NEW(s->copy[s->count], PATH_BYTES, "a path");
    TRY(output_path(&s->folder, name, s->copy[s->count++], err));
    *path = s->copy[s->count - 1];
    from = is_standard_input(source) ? dup(STDIN_FILENO) : open(source, O_RDONLY | O_CLOEXEC);
    if (from < 0) FAIL(ST_INPUT, "%s: cannot be opened (%s)", name, strerror(errno));
    to = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0 && errno == EEXIST) FAIL(ST_USAGE, "%s: is named twice, but a pipe can be read only once", source);
    if (to < 0) FAIL(ST_LIMIT, "%s: cannot be copied beside the output (%s)", name, strerror(errno));
    TRY(copy_all(from, to, name, err));
done:
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    return st;
}

enum st spool_open(struct spool *s, const char *source, const char *near, const char **path, struct err *err)
{
    struct stat about;
    *path = source;
    if (!is_stream(source)) return ST_OK;
    if (is_standard_input(source) && fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode)) {
        *path = "/dev/stdin";
        return ST_OK;
    }
    if (is_standard_input(source) && isatty(STDIN_FILENO))
        return err_set(err, ST_USAGE,
                       "%s: standard input is a terminal; pipe something into it, as in: zcat FILE.gz | hotset ..",
                       source);
    return copy_input(s, source, near, path, err);
}

/* Removes every `what` from the text. */
static void cut_out(char *text, const char *what)
{
    size_t length = strlen(what);
    for (char *at; length && (at = strstr(text, what));) memmove(at, at + length, strlen(at + length) + 1);
}

void spool_close(struct spool *s, struct err *err)
{
    char folder[PATH_BYTES + 1];
    if (s->folder.active) {
        snprintf(folder, sizeof folder, "%s/", s->folder.temporary);
        cut_out(err->text, folder);
    }
    for (int i = 0; i < s->count; i++) mem_free(s->copy[i]);
    output_abort(&s->folder);
    *s = (struct spool){0};
}
