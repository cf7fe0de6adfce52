#define _GNU_SOURCE
#include "base/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/direct_write.h"
#include "base/entries.h"
#include "base/machine.h"
#include "base/sha256.h"
#include "base/units.h"

static const char *const marker = "partial.json";

/* "<target>.partial", or the same name in the scratch folder. */
static enum st name_folder(const char *target, const char *scratch, char out[PATH_BYTES], struct err *err)
{
    char plain[PATH_BYTES], trimmed[PATH_BYTES];
    if (!*target || strlen(path_trim(target, trimmed)) + 16 > PATH_BYTES)
        return err_set(err, ST_USAGE, "-o: '%.60s' is not a usable path", target);
    snprintf(plain, sizeof plain, "%.*s.partial", PATH_BYTES - 16, trimmed);
    if (!scratch) {
        memcpy(out, plain, PATH_BYTES);
        return ST_OK;
    }
    if (!file_is_directory(scratch))
        return err_set(err, ST_USAGE, "--scratch: '%.200s' is not a folder; create it, or name another", scratch);
    return path_join(out, scratch, path_base(plain), err);
}

/* An id of the machine's current boot; "" where the system has none. */
static void read_boot(char out[64])
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f || !fgets(out, 64, f)) *out = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (f) fclose(f);
}

static bool same_text(const doc *a, const doc *b) { return !strcmp(doc_text_value(a, ""), doc_text_value(b, "")); }

/* The key of the first member in which two documents differ, or NULL. Members are texts. */
static const char *difference(const doc *a, const doc *b)
{
    for (const char *key = doc_next_key(a, NULL); key; key = doc_next_key(a, key))
        if (!same_text(doc_get(a, key), doc_get(b, key))) return key;
    return doc_size(a) == doc_size(b) ? NULL : "hotset_version";
}

/* Whether a folder is empty but for names that begin with a dot, which an interrupted checkpoint_open leaves. */
static bool is_blank(const char *folder)
{
    bool none = true;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) none &= e->d_name[0] == '.';
    if (d) closedir(d);
    return none;
}

/* Locks the folder, trying for a second: a run that was just killed may still hold the lock. False: another run keeps
 * it. */
static bool lock_soon(int lock)
{
    enum { TRIES = 20 };
    const struct timespec pause = {0, 1000000000 / TRIES};
    for (int i = 0; i < TRIES; i++) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* Makes the folder where there is none, and locks it for this run alone. */
static enum st lock_folder(struct checkpoint *s, struct err *err)
{
    if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
        return err_set(err, errno == ENOSPC ? ST_LIMIT : ST_INPUT,
                       "%s: cannot be created (%s); name a folder with write permission with --scratch", s->folder,
                       strerror(errno));
    s->lock = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->lock < 0)
        return err_set(err, ST_INPUT, "%s: cannot be opened (%s); expected the folder of an unfinished run; remove it",
                       s->folder, strerror(errno));
    if (!lock_soon(s->lock))
        return err_set(err, ST_INPUT,
                       "%s: another run of hotset is using this folder; wait for it, or choose another -o or --scratch",
                       s->folder);
    return ST_OK;
}

/* Whether to *drop what an earlier run left. It is kept when that run had the same inputs and the machine was not
 * restarted since. */
static enum st inspect(struct checkpoint *s, const doc *about, const char *boot, bool anew, bool *drop, struct err *err)
{
    char path[PATH_BYTES];
    doc *d = NULL;
    enum st st;
    struct err ignored = {0};
    struct stat file;
    TRY(path_join(path, s->folder, marker, err));
    *drop = true;
    if (!file_exists(path)) {
        if (!is_blank(s->folder))
            FAIL(ST_INPUT,
                 "%s: holds files but no %s, so it is not the folder of an unfinished run; move it away, or choose "
                 "another -o or --scratch",
                 s->folder, marker);
        return ST_OK;
    }
    if (stat(path, &file) == 0 && file.st_size == 0)
        snprintf(s->why, sizeof s->why, "a run was ended while it removed the folder");
    else if (doc_load(path, "partial/1", &d, &ignored) != ST_OK)
        snprintf(s->why, sizeof s->why, "its %s cannot be read", marker);
    else if (anew) snprintf(s->why, sizeof s->why, "--no-resume was given");
    else if (strcmp(doc_text_value(doc_get(d, "boot"), ""), boot))
        snprintf(s->why, sizeof s->why, "the machine was restarted since, and unwritten data may be lost");
    else {
        const char *other = difference(about, doc_get(d, "about"));
        if (other) snprintf(s->why, sizeof s->why, "it was made with another value of %.100s", other);
        *drop = other != NULL;
    }
done:
    doc_free(d);
    return st;
}

static bool is_any(const char *name) { return *name; }
static bool is_not_marker(const char *name) { return strcmp(name, marker); }
static bool is_note(const char *name)
{
    size_t length = strlen(name);
    return name[0] != '.' && length > 5 && !strcmp(name + length - 5, ".note");
}

/* Unlinks the entry when the function that `with` points to chooses it. */
static bool unlink_chosen(int folder, const char *name, const void *with)
{
    bool (*const *chosen)(const char *name) = with;
    return (*chosen)(name) && unlinkat(folder, name, 0) == 0;
}

/* Removes every file of the folder, without taking memory. The marker is emptied first: a note may count on others (the
 * folds of a GPU include those of the GPU before), so after a kill in between no part counts as finished. It goes last,
 * so that the folder is still known as a checkpoint. */
static void empty_folder(const struct checkpoint *s)
{
    static bool (*const order[])(const char *name) = {is_not_marker, is_any};
    int f = openat(s->lock, marker, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (f >= 0) close(f);
    for (int i = 0; i < 2; i++) entries_visit(s->lock, unlink_chosen, &order[i]);
}

/* Atomic, but not flushed to disk as by doc_save: after a restart of the machine the folder is dropped anyway. */
static enum st write_document(const doc *d, const char *path, struct err *err)
{
    char temporary[PATH_BYTES + 8];
    enum st st = ST_OK;
    FILE *f = NULL;
    const char *name = path_base(path);
    snprintf(temporary, sizeof temporary, "%.*s.%s", (int)(name - path), path, name);
    f = fopen(temporary, "w");
    if (!f) FAIL(ST_LIMIT, "%s: cannot be written (%s)", path, strerror(errno));
    TRY(doc_print(d, f, err));
    int bad = fclose(f);
    f = NULL;
    if (bad || rename(temporary, path) != 0)
        FAIL(ST_LIMIT, "%s: cannot be written (%s); is the disk full?", path, strerror(errno));
done:
    if (f) fclose(f);
    return st;
}

/* Writes the marker: what this run depends on. */
static enum st write_marker(const struct checkpoint *s, const doc *about, const char *boot, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_DOC doc *d = doc_object();
    doc_put(d, "schema", doc_text("partial/1"));
    doc_put(d, "boot", doc_text(boot));
    doc_put(d, "about", doc_copy(about));
    PASS(path_join(path, s->folder, marker, err));
    return write_document(d, path, err);
}

enum st checkpoint_open(struct checkpoint *s, const char *target, const char *scratch, const doc *about, bool anew,
                        struct err *err)
{
    enum st st;
    struct checkpoint made = {.lock = -1};
    char boot[64] = "";
    bool drop = true;
    TRY(name_folder(target, scratch, made.folder, err));
    TRY(lock_folder(&made, err));
    read_boot(boot);
    TRY(inspect(&made, about, boot, anew, &drop, err));
    if (drop) {
        empty_folder(&made);
        TRY(write_marker(&made, about, boot, err));
    }
    made.resumed = !drop;
    *s = made;
    made.lock = -1;
done:
    if (made.lock >= 0) close(made.lock);
    return st;
}

void checkpoint_close(struct checkpoint *s, bool finished)
{
    if (!*s->folder) return;
    if (finished) {
        empty_folder(s);
        rmdir(s->folder);
    }
    close(s->lock);
    memset(s, 0, sizeof *s);
}

/* ---- arrays ---- */

void checkpoint_expect(struct checkpoint *s, uint64_t bytes)
{
    uint64_t memory = machine_memory();
    s->large = memory && bytes > memory / 2;
}

static enum st map_whole(int f, const char *path, uint64_t bytes, struct checkpoint_array *out, struct err *err)
{
    void *data = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0) : NULL;
    if (data == MAP_FAILED) return err_set(err, ST_LIMIT, "%s: cannot be mapped (%s)", path, strerror(errno));
    *out = (struct checkpoint_array){data, bytes};
    return ST_OK;
}

/* Reserves disk blocks for the whole file, so that a full disk is found now and not when a page is written. File
 * systems that cannot reserve get a file with holes. */
static bool take_space(int f, uint64_t bytes)
{
    if (!bytes || fallocate(f, 0, 0, (off_t)bytes) == 0) return true;
    return errno == EOPNOTSUPP && ftruncate(f, (off_t)bytes) == 0;
}

enum st checkpoint_make(const struct checkpoint *s, const char *name, uint64_t bytes, struct checkpoint_array *out,
                        struct err *err)
{
    char path[PATH_BYTES], size[UNIT_TEXT];
    int f = -1;
    enum st st;
    TRY(path_join(path, s->folder, name, err));
    unlink(path);
    f = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (f < 0) FAIL(ST_LIMIT, "%s: cannot be created (%s); name another folder with --scratch", path, strerror(errno));
    if (!take_space(f, bytes))
        FAIL(ST_LIMIT, "%s: the disk has less than %s left (%s); name a folder on a larger disk with --scratch", path,
             units_bytes(size, bytes), strerror(errno));
    TRY(map_whole(f, path, bytes, out, err));
done:
    if (f >= 0) close(f);
    return st;
}

enum st checkpoint_map(const struct checkpoint *s, const char *name, uint64_t bytes, struct checkpoint_array *out,
                       struct err *err)
{
    char path[PATH_BYTES];
    struct stat about;
    int f = -1;
    enum st st;
    TRY(path_join(path, s->folder, name, err));
    f = open(path, O_RDWR | O_CLOEXEC);
    if (f < 0 || fstat(f, &about) != 0 || (uint64_t)about.st_size != bytes)
        FAIL(ST_INPUT,
             "%s: is missing or does not have %llu bytes, although its step is marked as finished; start over with "
             "--no-resume",
             path, (unsigned long long)bytes);
    TRY(map_whole(f, path, bytes, out, err));
done:
    if (f >= 0) close(f);
    return st;
}

static enum st write_cached(const char *path, uint64_t at, const char *data, uint64_t bytes, struct err *err)
{
    enum { PIECE = 1 << 30 };
    enum st st = ST_OK;
    int f = bytes ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    for (uint64_t done = 0; f >= 0 && done < bytes;) {
        uint64_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        ssize_t some = pwrite(f, data + done, piece, (off_t)(at + done));
        if (some <= 0) FAIL(ST_LIMIT, "%s: cannot be written (%s); is the disk full?", path, strerror(errno));
        done += (uint64_t)some;
    }
    if (f < 0 && bytes) FAIL(ST_LIMIT, "%s: cannot be written (%s)", path, strerror(errno));
done:
    if (f >= 0) close(f);
    return st;
}

enum st checkpoint_write(const struct checkpoint *s, const char *name, uint64_t at, const void *data, uint64_t bytes,
                         struct err *err)
{
    char path[PATH_BYTES];
    uint64_t from = 0, to = 0; /* what went to the disk at once */
    PASS(path_join(path, s->folder, name, err));
    if (s->large && bytes >= DIRECT_WRITE_LEAST && !direct_write(path, at, data, bytes, &from, &to)) from = to = 0;
    PASS(write_cached(path, at, data, from, err));
    return write_cached(path, at + to, (const char *)data + to, bytes - to, err);
}

void checkpoint_unmap(struct checkpoint_array *a)
{
    if (a->data) munmap(a->data, a->bytes);
    memset(a, 0, sizeof *a);
}

void checkpoint_drop(const struct checkpoint *s, const char *name)
{
    char path[PATH_BYTES];
    struct err ignored = {0};
    if (path_join(path, s->folder, name, &ignored) == ST_OK) unlink(path);
}

/* For the whole pages within a range only: other data may share its first and last page. */
static void advise(const void *data, uint64_t bytes, int advice)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)data + page - 1) / page * page,
             to = ((uintptr_t)data + bytes) / page * page;
    if (data && from < to) madvise((void *)(uintptr_t)from, to - from, advice);
}

void checkpoint_drop_pages(const void *data, uint64_t bytes) { advise(data, bytes, MADV_DONTNEED); }
void checkpoint_prefetch_pages(const void *data, uint64_t bytes) { advise(data, bytes, MADV_WILLNEED); }

/* ---- notes ---- */

static enum st note_path(const struct checkpoint *s, const char *part, char out[PATH_BYTES], struct err *err)
{
    char name[200];
    snprintf(name, sizeof name, "%s.note", part);
    return path_join(out, s->folder, name, err);
}

enum st checkpoint_finish(const struct checkpoint *s, const char *part, doc *note, struct err *err)
{
    char path[PATH_BYTES];
    enum st st;
    TRY(note_path(s, part, path, err));
    TRY(write_document(note, path, err));
done:
    doc_free(note);
    return st;
}

doc *checkpoint_finished(const struct checkpoint *s, const char *part)
{
    char path[PATH_BYTES];
    struct err ignored = {0};
    doc *d = NULL;
    if (note_path(s, part, path, &ignored) != ST_OK || !file_exists(path) ||
        doc_load(path, NULL, &d, &ignored) != ST_OK)
        return NULL;
    return d;
}

bool checkpoint_any(const struct checkpoint *s)
{
    bool any = false;
    DIR *d = opendir(s->folder);
    for (struct dirent *e; d && (e = readdir(d));) any |= is_note(e->d_name);
    if (d) closedir(d);
    return any;
}

/* ---- stamps ---- */

/* The digests of "name stamp" of every file, combined by exclusive or: the order of the listing does not matter. */
static void stamp_folder(const char *path, char out[CHECKPOINT_STAMP])
{
    unsigned char all[32] = {0}, digest[32];
    char inner[PATH_BYTES], stamp[CHECKPOINT_STAMP], hex[65];
    struct err ignored = {0};
    struct sha256 h;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.' || path_join(inner, path, e->d_name, &ignored) != ST_OK || file_is_directory(inner))
            continue;
        checkpoint_stamp(inner, stamp);
        sha256_begin(&h);
        sha256_add(&h, e->d_name, strlen(e->d_name) + 1);
        sha256_add(&h, stamp, strlen(stamp));
        sha256_end(&h, digest);
        for (int i = 0; i < 32; i++) all[i] ^= digest[i];
    }
    if (d) closedir(d);
    sha256_hex(all, hex);
    snprintf(out, CHECKPOINT_STAMP, "folder:%s", hex);
}

const char *checkpoint_stamp(const char *path, char out[CHECKPOINT_STAMP])
{
    struct stat s;
    if (stat(path, &s) != 0) snprintf(out, CHECKPOINT_STAMP, "absent");
    else if (S_ISDIR(s.st_mode)) stamp_folder(path, out);
    else
        snprintf(out, CHECKPOINT_STAMP, "%lld:%lld.%09ld:%lld.%09ld", (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                 s.st_mtim.tv_nsec, (long long)s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
    return out;
}
