#define _GNU_SOURCE
#include "base/own_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/doc_seal.h"
#include "base/mem.h"
#include "base/random_name.h"

enum { NAME_BYTES = 220, SUFFIX_DIGITS = 16, DOCUMENT_MOST = 1 << 30 };

/* Who the folder belongs to: this user, or whoever the file system gives the files that this user makes. */
static uid_t owner_of(int folder)
{
    struct stat s;
    return fstat(folder, &s) == 0 ? s.st_uid : geteuid();
}

int own_files_open(int folder, const char *name, struct stat *about)
{
    int f = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (f < 0 || (fstat(f, about) == 0 && S_ISREG(about->st_mode) && about->st_uid == owner_of(folder))) return f;
    close(f);
    return -1;
}

bool own_files_remove(int folder, const char *name)
{
    struct stat about;
    return fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && about.st_uid == owner_of(folder) &&
           unlinkat(folder, name, 0) == 0;
}

enum st own_files_write(int f, const char *where, const char *name, uint64_t at, const char *data, uint64_t bytes,
                        struct err *err)
{
    enum { PIECE = 1 << 30 };
    for (uint64_t done = 0; done < bytes;) {
        uint64_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        ssize_t some = pwrite(f, data + done, piece, (off_t)(at + done));
        if (some <= 0)
            return err_set(err, ST_LIMIT, "%s/%s: cannot be written (%s); is the disk full?", where, name,
                           strerror(errno));
        done += (uint64_t)some;
    }
    return ST_OK;
}

enum st own_files_save(int folder, const char *where, doc *d, const char *name, struct err *err)
{
    char temporary[NAME_BYTES + SUFFIX_DIGITS + 3], suffix[SUFFIX_DIGITS + 1], *text = NULL;
    size_t bytes = 0;
    enum st st;
    int f = -1;
    random_suffix(suffix);
    snprintf(temporary, sizeof temporary, ".%.*s.%s", NAME_BYTES - 1, name, suffix);
    TRY(doc_dump_sealed(d, &text, &bytes, err));
    f = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (f < 0) FAIL(ST_LIMIT, "%s/%s: cannot be written (%s)", where, name, strerror(errno));
    TRY(own_files_write(f, where, name, 0, text, bytes, err));
    int bad = close(f);
    f = -1;
    if (bad || renameat(folder, temporary, folder, name) != 0)
        FAIL(ST_LIMIT, "%s/%s: cannot be written (%s); is the disk full?", where, name, strerror(errno));
done:
    if (f >= 0) close(f);
    free(text);
    return st;
}

enum st own_files_load(int folder, const char *where, const char *name, doc **out, struct err *err)
{
    struct stat about;
    OWNED char *text = NULL;
    int f = own_files_open(folder, name, &about);
    bool good = f >= 0 && about.st_size <= DOCUMENT_MOST;
    enum st st = ST_OK;
    if (!good) FAIL(ST_INPUT, "%s/%s: cannot be opened", where, name);
    NEW(text, about.st_size, "a note");
    for (off_t at = 0; at < about.st_size;) {
        ssize_t some = pread(f, text + at, (size_t)(about.st_size - at), at);
        if (some <= 0) FAIL(ST_INPUT, "%s/%s: cannot be read (%s)", where, name, strerror(errno));
        at += some;
    }
    TRY(doc_parse_sealed(text, (size_t)about.st_size, name, out, err));
done:
    if (f >= 0) close(f);
    return st;
}

bool own_files_temporary(const char *name, char *plain, size_t room)
{
    size_t length = strlen(name), bytes = length < SUFFIX_DIGITS + 3 ? 0 : length - SUFFIX_DIGITS - 2;
    if (!bytes || name[0] != '.' || bytes >= room || name[bytes + 1] != '.') return false;
    snprintf(plain, room, "%.*s", (int)bytes, name + 1);
    return strspn(name + bytes + 2, "0123456789abcdef") == SUFFIX_DIGITS;
}
