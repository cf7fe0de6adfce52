#define _GNU_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sha256.h"

bool file_exists(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

bool file_is_directory(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_trim(const char *path, char out[PATH_BYTES])
{
    size_t length = strnlen(path, PATH_BYTES - 1);
    memcpy(out, path, length);
    while (length > 1 && out[length - 1] == '/') length--;
    out[length] = '\0';
    return out;
}

enum st path_join(char out[PATH_BYTES], const char *folder, const char *name, struct err *err)
{
    size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    if (snprintf(out, PATH_BYTES, "%s%s%s", folder, slash, name) >= PATH_BYTES)
        return err_set(err, ST_INPUT, "%.60s..: the path is longer than %d bytes; use a shorter one", folder,
                       PATH_BYTES - 1);
    return ST_OK;
}

enum st path_below(char out[PATH_BYTES], const char *folder, const char *name, const char *where, struct err *err)
{
    const char *at = name;
    bool above = *name == '/';
    for (; *at && !above; at += strcspn(at, "/"), at += *at == '/') above = !strncmp(at, "../", 3) || !strcmp(at, "..");
    if (above)
        return err_set(err, ST_INPUT,
                       "%s: '%.80s' lies outside of the folder; name a file that lies in it, by its path from there",
                       where, name);
    return path_join(out, folder, name, err);
}

static enum st open_regular(const char *path, int *descriptor, uint64_t *bytes, struct err *err)
{
    struct stat s;
    int f = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer would never open */
    if (f < 0) return err_set(err, ST_INPUT, "%s: cannot be opened (%s); check the path", path, strerror(errno));
    if (fstat(f, &s) != 0 || !S_ISREG(s.st_mode)) {
        close(f);
        return err_set(err, ST_INPUT, "%s: is not a regular file", path);
    }
    *descriptor = f;
    *bytes = (uint64_t)s.st_size;
    return ST_OK;
}

enum st file_map(const char *path, struct mapping *out, struct err *err)
{
    int f = -1;
    struct mapping m = {0};
    enum st st = open_regular(path, &f, &m.bytes, err);
    if (st != ST_OK) return st;
    if (m.bytes) {
        m.base = mmap(NULL, m.bytes, PROT_READ, MAP_SHARED, f, 0);
        if (m.base == MAP_FAILED) {
            st = err_set(err, ST_LIMIT, "%s: cannot be mapped (%s)", path, strerror(errno));
            close(f);
            return st;
        }
    }
    close(f);
    *out = m;
    return ST_OK;
}

void file_unmap(struct mapping *m)
{
    if (m->base) munmap(m->base, m->bytes);
    memset(m, 0, sizeof *m);
}

uint64_t file_resident(const struct mapping *m)
{
    FILE *f = m->base ? fopen("/proc/self/smaps", "re") : NULL;
    char line[PATH_BYTES];
    unsigned long long from, to, kib = 0;
    bool found = false;
    while (f && fgets(line, sizeof line, f)) { /* a line "from-to ..", then lines "Key: value kB" */
        if (sscanf(line, "%llx-%llx ", &from, &to) == 2) found = from == (uintptr_t)m->base;
        else if (found && sscanf(line, "Rss: %llu kB", &kib) == 1) break;
    }
    if (f) fclose(f);
    return (uint64_t)kib * 1024;
}

enum st file_write(const char *path, const void *data, size_t bytes, struct err *err)
{
    struct output o = {0};
    enum st st;
    FILE *f = NULL;
    char kind[OUTPUT_KIND];
    output_kind(bytes ? data : "", kind);
    TRY(output_file(&o, path, kind, err));
    f = fopen(o.temporary, "wb");
    if (!f || (bytes && fwrite(data, 1, bytes, f) != bytes))
        FAIL(ST_LIMIT, "%s: cannot be written (%s)", path, strerror(errno));
    if (fclose(f) != 0) {
        f = NULL;
        FAIL(ST_LIMIT, "%s: cannot be written (%s); is the disk full?", path, strerror(errno));
    }
    f = NULL;
    TRY(output_commit(&o, err));
done:
    if (f) fclose(f);
    output_abort(&o);
    return st;
}

enum st file_scratch(const char *near, int *descriptor, struct err *err)
{
    char path[PATH_BYTES];
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    if (near) {
        const char *slash = strrchr(near, '/');
        snprintf(path, sizeof path, "%.*s/.hotset-scratch-XXXXXX", slash ? (int)(slash - near) : 1,
                 slash ? (slash == near ? "/." : near) : ".");
    } else {
        snprintf(path, sizeof path, "%s/.hotset-scratch-XXXXXX", folder);
    }
    char *name = strrchr(path, '/');
    *name = '\0';
    int f = open(*path ? path : "/", O_TMPFILE | O_RDWR | O_CLOEXEC,
                 0600); /* without a name, so a kill leaves nothing */
    *name = '/';
    if (f >= 0) {
        *descriptor = f;
        return ST_OK;
    }
    f = mkostemp(path, O_CLOEXEC); /* some file systems give every file a name */
    if (f < 0)
        return err_set(err, ST_LIMIT, "%s: no scratch file can be made (%s); free some disk or choose another folder",
                       path, strerror(errno));
    unlink(path);
    *descriptor = f;
    return ST_OK;
}

void file_close_from(int first)
{
#ifdef SYS_close_range /* Linux 5.9; older ones answer ENOSYS */
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    for (int f = first; f < (most > 0 ? most : 1024); f++) close(f);
}

enum st file_sha256(const char *path, char hex[65], uint64_t *bytes, struct err *err)
{
    struct mapping m = {0};
    struct sha256 h;
    unsigned char digest[32];
    PASS(file_map(path, &m, err));
    sha256_begin(&h);
    if (m.bytes) sha256_add(&h, m.base, m.bytes);
    sha256_end(&h, digest);
    sha256_hex(digest, hex);
    if (bytes) *bytes = m.bytes;
    file_unmap(&m);
    return ST_OK;
}
