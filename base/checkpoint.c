#define _GNU_SOURCE
#include "base/checkpoint.h"

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
#include "base/doc_seal.h"
#include "base/entries.h"
#include "base/machine.h"
#include "base/own_files.h"
#include "base/random_name.h"
#include "base/units.h"

static const char marker[] = "partial.json", schema[] = "partial/2", of_note[] = ".note", of_array[] = ".array";
enum { NAME_BYTES = 220, RANDOM_DIGITS = 16 };

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

/* Makes the folder where there is none, and locks it for this run alone. Files are opened from its descriptor, so
 * nobody can put another folder in its place, and only the owner may write. *open: others could so far, so what is
 * there is not believed. *gone: it was removed meanwhile. */
static enum st lock_once(struct checkpoint *s, bool *open_to_others, bool *gone, struct err *err)
{
    struct stat about, named;
    bool made = mkdir(s->folder, 0700) == 0;
    if (!made && errno != EEXIST)
        return err_set(err, errno == ENOSPC ? ST_LIMIT : ST_INPUT,
                       "%s: cannot be created (%s); name a folder with write permission with --scratch", s->folder,
                       strerror(errno));
    s->lock = open(s->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if ((*gone = s->lock < 0 && errno == ENOENT)) return ST_OK;
    if (s->lock < 0 || fstat(s->lock, &about) != 0)
        return err_set(err, ST_INPUT,
                       "%s: is a link or a file, or cannot be opened (%s); expected the folder of an unfinished run; "
                       "move it away, or choose another -o or --scratch",
                       s->folder, strerror(errno));
    if (!made &&
        about.st_uid != geteuid()) /* what was made now is ours, whatever owner a network's file system gives */
        return err_set(err, ST_INPUT,
                       "%s: belongs to another user (number %ld), so its files are not used; choose another -o or "
                       "--scratch",
                       s->folder, (long)about.st_uid);
    *open_to_others = about.st_mode & (S_IWGRP | S_IWOTH);
    if (*open_to_others) (void)!fchmod(s->lock, 0700);
    if (!lock_soon(s->lock))
        return err_set(err, ST_INPUT,
                       "%s: another run of hotset is using this folder; wait for it, or choose another -o or --scratch",
                       s->folder);
    *gone = lstat(s->folder, &named) != 0 || named.st_ino != about.st_ino || named.st_dev != about.st_dev;
    return ST_OK;
}

/* Again where the run that had the lock removed the folder before it let go. */
static enum st lock_folder(struct checkpoint *s, bool *open_to_others, struct err *err)
{
    bool gone = true;
    for (int tries = 0; tries < 5 && gone; tries++) {
        if (s->lock >= 0) close(s->lock);
        s->lock = -1;
        PASS(lock_once(s, open_to_others, &gone, err));
    }
    return gone ? err_set(err, ST_INPUT, "%s: other runs remove it again and again; try again", s->folder) : ST_OK;
}

/* ---- names ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), bytes = strlen(end);
    return name[0] != '.' && length > bytes && !strcmp(name + length - bytes, end);
}
static bool is_note(const char *name) { return ends_with(name, of_note); }

/* Whether own_files_save made the name as a temporary one; of_marker: of the marker. */
static bool is_temporary(const char *name, bool of_marker)
{
    char plain[NAME_BYTES];
    return own_files_temporary(name, plain, sizeof plain) && (!strcmp(plain, marker) || (!of_marker && is_note(plain)));
}

static bool is_own(const char *name)
{
    return !strcmp(name, marker) || is_note(name) || ends_with(name, of_array) || is_temporary(name, false);
}

/* ---- what an earlier run left ---- */

struct listing {
    bool any, foreign, marked, ended; /* ended: the marker has lost its name, or did not get it */
};

static bool list_one(int folder, const char *name, const void *with)
{
    struct listing *l = (struct listing *)(uintptr_t)with;
    (void)folder;
    l->any = true;
    l->foreign |= !is_own(name);
    l->marked |= !strcmp(name, marker);
    l->ended |= is_temporary(name, true);
    return false;
}

/* Whether a note is whole and of this part and these inputs, and its arrays are as it states; else *damaged is the file
 * that is not. */
static enum st check_note(const struct checkpoint *s, const char *name, char damaged[NAME_BYTES], struct err *err)
{
    char part[NAME_BYTES], file[NAME_BYTES];
    OWNED_DOC doc *d = NULL;
    snprintf(part, sizeof part, "%.*s", (int)(strlen(name) - strlen(of_note)), name);
    snprintf(damaged, NAME_BYTES, "%s", name);
    enum st st = own_files_load(s->lock, s->folder, name, &d, err);
    if (st != ST_OK) return st == ST_LIMIT ? st : ST_OK;
    if (strcmp(doc_text_value(doc_get(d, "part"), ""), part) || strcmp(doc_text_value(doc_get(d, "of"), ""), s->of))
        return ST_OK;
    const doc *arrays = doc_get(d, "arrays");
    for (const char *key = NULL; (key = doc_next_key(arrays, key));) {
        struct stat about;
        bool same = false;
        snprintf(file, sizeof file, "%.*s%s", NAME_BYTES - 10, key, of_array);
        int f = own_files_open(s->lock, file, &about);
        st = f < 0 ? ST_OK : seals_check(s->seals, key, doc_get(arrays, key), f, &same, err);
        if (f >= 0) close(f);
        if (st != ST_OK) return st;
        if (!same) {
            snprintf(damaged, NAME_BYTES, "%s", file);
            return ST_OK;
        }
    }
    *damaged = '\0';
    return ST_OK;
}

struct check {
    const struct checkpoint *s;
    char damaged[NAME_BYTES];
    enum st st;
    struct err *err;
};

static bool check_one(int folder, const char *name, const void *with)
{
    struct check *c = (struct check *)(uintptr_t)with;
    (void)folder;
    if (is_note(name) && c->st == ST_OK && !*c->damaged) c->st = check_note(c->s, name, c->damaged, c->err);
    return false;
}

/* Why the parts that the marker stands for cannot be taken up, to s->why; "" when they can. */
static enum st compare_marker(struct checkpoint *s, const doc *about, const char *boot, struct err *err)
{
    OWNED_DOC doc *d = NULL;
    struct err ignored = {0};
    struct check check = {.s = s, .err = err};
    enum st st = own_files_load(s->lock, s->folder, marker, &d, &ignored);
    if (st == ST_LIMIT) return err_set(err, st, "%s", ignored.text);
    if (st != ST_OK) snprintf(s->why, sizeof s->why, "its file %s is damaged", marker);
    else if (strcmp(doc_text_value(doc_get(d, "schema"), ""), schema))
        snprintf(s->why, sizeof s->why, "another version of hotset made it");
    else if (strcmp(doc_text_value(doc_get(d, "boot"), ""), boot))
        snprintf(s->why, sizeof s->why, "the machine was restarted since, and unwritten data may be lost");
    if (*s->why) return ST_OK;
    const char *other = difference(about, doc_get(d, "about"));
    if (other) {
        snprintf(s->why, sizeof s->why, "it was made with another value of %.100s", other);
        return ST_OK;
    }
    entries_visit(s->lock, check_one, &check);
    if (*check.damaged) snprintf(s->why, sizeof s->why, "its file %.100s is damaged", check.damaged);
    return check.st;
}

/* Whether to *drop what an earlier run left. It is kept when that run had the same inputs, the machine was not
 * restarted since, and every file is as it was: parts count on each other, and a damaged file is so rare that all of
 * them are made again rather than those that the file belongs to. */
static enum st inspect(struct checkpoint *s, const doc *about, const char *boot, bool anew, bool open_to_others,
                       bool *drop, struct err *err)
{
    struct listing l = {0};
    entries_visit(s->lock, list_one, &l);
    if (!l.marked && (l.foreign || (l.any && !l.ended)))
        return err_set(err, ST_INPUT,
                       "%s: holds files but no %s, so it is not the folder of an unfinished run; move it away, or "
                       "choose another -o or --scratch",
                       s->folder, marker);
    if (!l.marked && l.ended) snprintf(s->why, sizeof s->why, "a run was ended while it made or removed the folder");
    else if (l.marked && anew) snprintf(s->why, sizeof s->why, "--no-resume was given");
    else if (l.marked && open_to_others) snprintf(s->why, sizeof s->why, "other users could write in it");
    else if (l.marked) PASS(compare_marker(s, about, boot, err));
    *drop = !l.marked || *s->why;
    return ST_OK;
}

static bool remove_last(int folder, const char *name, const void *with)
{
    (void)with;
    return is_own(name) && own_files_remove(folder, name);
}
static bool remove_first(int folder, const char *name, const void *with)
{
    return !is_temporary(name, true) && remove_last(folder, name, with);
}

/* Removes every file that hotset made in the folder, without taking memory; files of others stay. Parts count on each
 * other, so the marker loses its name first: after a kill in between no part counts as finished. It goes last, so that
 * the folder is still known. */
static void empty_folder(const struct checkpoint *s)
{
    char temporary[sizeof marker + RANDOM_DIGITS + 2], suffix[RANDOM_DIGITS + 1];
    random_suffix(suffix);
    snprintf(temporary, sizeof temporary, ".%s.%s", marker, suffix);
    if (renameat(s->lock, marker, s->lock, temporary) != 0 && errno != ENOENT) return;
    entries_visit(s->lock, remove_first, NULL);
    entries_visit(s->lock, remove_last, NULL);
}

/* Writes the marker: what this run depends on. */
static enum st write_marker(const struct checkpoint *s, const doc *about, const char *boot, struct err *err)
{
    OWNED_DOC doc *d = doc_object();
    doc_put(d, "schema", doc_text(schema));
    doc_put(d, "boot", doc_text(boot));
    doc_put(d, "about", doc_copy(about));
    return own_files_save(s->lock, s->folder, d, marker, err);
}

enum st checkpoint_open(struct checkpoint *s, const char *target, const char *scratch, const doc *about, bool anew,
                        struct err *err)
{
    enum st st;
    struct checkpoint made = {.lock = -1, .threads = s->threads};
    char boot[64] = "";
    bool drop = true, open_to_others = false;
    TRY(name_folder(target, scratch, made.folder, err));
    TRY(seals_new(made.threads, &made.seals, err));
    TRY(doc_sha256(about, made.of, err));
    TRY(lock_folder(&made, &open_to_others, err));
    read_boot(boot);
    TRY(inspect(&made, about, boot, anew, open_to_others, &drop, err));
    if (drop) {
        empty_folder(&made);
        TRY(write_marker(&made, about, boot, err));
    }
    made.resumed = !drop;
    *s = made;
    made.lock = -1;
    made.seals = NULL;
done:
    if (made.lock >= 0) close(made.lock);
    seals_free(made.seals);
    return st;
}

void checkpoint_close(struct checkpoint *s, bool finished)
{
    if (!*s->folder) return;
    if (finished) {
        struct stat held, named;
        empty_folder(s);
        if (fstat(s->lock, &held) == 0 && lstat(s->folder, &named) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev)
            rmdir(s->folder);
    }
    close(s->lock);
    seals_free(s->seals);
    memset(s, 0, sizeof *s);
}

/* ---- arrays ---- */

void checkpoint_expect(struct checkpoint *s, uint64_t bytes)
{
    uint64_t memory = machine_memory();
    s->large = memory && bytes > memory / 2;
}

static enum st map_whole(const struct checkpoint *s, int f, const char *name, uint64_t bytes, int protection,
                         struct checkpoint_array *out, struct err *err)
{
    void *data = bytes ? mmap(NULL, bytes, protection, MAP_SHARED, f, 0) : NULL;
    if (data == MAP_FAILED)
        return err_set(err, ST_LIMIT, "%s/%s: cannot be mapped (%s)", s->folder, name, strerror(errno));
    *out = (struct checkpoint_array){data, bytes};
    return ST_OK;
}

static const char *file_of(const char *name, const char *kind, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%.*s%s", NAME_BYTES - 10, name, kind);
    return out;
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
    char file[NAME_BYTES], size[UNIT_TEXT];
    int f = -1;
    enum st st;
    TRY(seals_begin(s->seals, name, bytes, err));
    checkpoint_drop(s, name);
    f = openat(s->lock, file_of(name, of_array, file), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (f < 0)
        FAIL(ST_LIMIT, "%s/%s: cannot be created (%s); name another folder with --scratch", s->folder, file,
             strerror(errno));
    if (!take_space(f, bytes))
        FAIL(ST_LIMIT, "%s/%s: the disk has less than %s left (%s); name a folder on a larger disk with --scratch",
             s->folder, file, units_bytes(size, bytes), strerror(errno));
    TRY(map_whole(s, f, file, bytes, PROT_READ | PROT_WRITE, out, err));
done:
    if (f >= 0) close(f);
    return st;
}

enum st checkpoint_map(const struct checkpoint *s, const char *name, uint64_t bytes, struct checkpoint_array *out,
                       struct err *err)
{
    char file[NAME_BYTES];
    struct stat about;
    int f = own_files_open(s->lock, file_of(name, of_array, file), &about);
    enum st st;
    if (f < 0 || (uint64_t)about.st_size != bytes || !seals_know(s->seals, name, bytes))
        FAIL(ST_INPUT,
             "%s/%s: is missing or does not have %llu bytes, although its step is marked as finished; start over with "
             "--no-resume",
             s->folder, file, (unsigned long long)bytes);
    TRY(map_whole(s, f, file, bytes, PROT_READ, out, err));
done:
    if (f >= 0) close(f);
    return st;
}

enum st checkpoint_write(const struct checkpoint *s, const char *name, uint64_t at, const void *data, uint64_t bytes,
                         struct err *err)
{
    char file[NAME_BYTES];
    uint64_t from = 0, to = 0; /* what went to the disk at once */
    int f = -1;
    enum st st = ST_OK;
    if (!bytes) return ST_OK;
    file_of(name, of_array, file);
    TRY(seals_written(s->seals, name, at, data, bytes, err));
    if (s->large && bytes >= DIRECT_WRITE_LEAST && !direct_write(s->lock, file, at, data, bytes, &from, &to))
        from = to = 0;
    f = openat(s->lock, file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (f < 0) FAIL(ST_LIMIT, "%s/%s: cannot be written (%s)", s->folder, file, strerror(errno));
    TRY(own_files_write(f, s->folder, file, at, data, from, err));
    TRY(own_files_write(f, s->folder, file, at + to, (const char *)data + to, bytes - to, err));
done:
    if (f >= 0) close(f);
    return st;
}

void checkpoint_unmap(struct checkpoint_array *a)
{
    if (a->data) munmap(a->data, a->bytes);
    memset(a, 0, sizeof *a);
}

void checkpoint_drop(const struct checkpoint *s, const char *name)
{
    char file[NAME_BYTES];
    own_files_remove(s->lock, file_of(name, of_note, file)); /* before its array, so that no note states what is gone */
    own_files_remove(s->lock, file_of(name, of_array, file));
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

/* Puts the seals of arrays, a list of names, into an object. */
static enum st seal_arrays(const struct checkpoint *s, const doc *names, doc *into, struct err *err)
{
    char file[NAME_BYTES];
    struct stat about;
    for (uint64_t i = 0; i < doc_size(names); i++) {
        const char *name = doc_text_value(doc_at(names, i), "");
        doc *seal = NULL;
        int f = own_files_open(s->lock, file_of(name, of_array, file), &about);
        if (f < 0) return err_set(err, ST_LIMIT, "%s/%s: cannot be opened (%s)", s->folder, file, strerror(errno));
        enum st st = seals_take(s->seals, name, f, &seal, err);
        close(f);
        PASS(st);
        doc_put(into, name, seal);
    }
    return ST_OK;
}

enum st checkpoint_finish(const struct checkpoint *s, const char *part, doc *note, doc *arrays, struct err *err)
{
    char file[NAME_BYTES];
    OWNED_DOC doc *d = note;
    OWNED_DOC doc *names = arrays;
    OWNED_DOC doc *seals = doc_object();
    if (names && !doc_whole(names)) return err_set(err, ST_LIMIT, "out of memory while a step was noted");
    PASS(seal_arrays(s, names, seals, err));
    doc_put(d, "part", doc_text(part));
    doc_put(d, "of", doc_text(s->of));
    doc_put(d, "arrays", TAKE(seals));
    return own_files_save(s->lock, s->folder, d, file_of(part, of_note, file), err);
}

enum st checkpoint_finish_array(const struct checkpoint *s, const char *part, doc *note, struct err *err)
{
    doc *arrays = doc_array();
    doc_append(arrays, doc_text(part));
    return checkpoint_finish(s, part, note, arrays, err);
}

doc *checkpoint_finished(const struct checkpoint *s, const char *part)
{
    char file[NAME_BYTES];
    struct err ignored = {0};
    doc *d = NULL;
    return own_files_load(s->lock, s->folder, file_of(part, of_note, file), &d, &ignored) == ST_OK ? d : NULL;
}

static bool any_note(int folder, const char *name, const void *with)
{
    (void)folder;
    *(bool *)(uintptr_t)with |= is_note(name);
    return false;
}

bool checkpoint_any(const struct checkpoint *s)
{
    bool any = false;
    entries_visit(s->lock, any_note, &any);
    return any;
}
