#define _GNU_SOURCE
#include "base/inputs.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"

struct input {
    dev_t device;
    ino_t inode;
    bool folder;
    char *path; /* absolute, without links */
};

enum { MISSING_MOST = 16 };
static struct {
    pthread_mutex_t lock;
    struct input *list;
    int count, room;
    char *missing[MISSING_MOST]; /* paths that were named and are not there, owned */
    int missed;
} inputs = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_file(const struct input *i, const struct stat *s)
{
    return s->st_ino == i->inode && s->st_dev == i->device;
}

static bool inputs_add(const struct stat *s, char *path)
{
    for (int i = 0; i < inputs.count; i++)
        if (is_file(&inputs.list[i], s)) return false;
    if (inputs.count == inputs.room) {
        int room = inputs.room ? 2 * inputs.room : 16;
        struct input *list = realloc(inputs.list, (size_t)room * sizeof *list);
        if (!list) {
            text_note_loss(); /* then no output is put in place */
            return false;
        }
        inputs.list = list;
        inputs.room = room;
    }
    inputs.list[inputs.count++] = (struct input){s->st_dev, s->st_ino, S_ISDIR(s->st_mode), path};
    return true;
}

static void note(const char *path, bool files_only)
{
    struct stat s;
    if (files_only && !strpbrk(path, "./")) return; /* a name of ours, whatever files are called so */
    const bool there = stat(path, &s) == 0;
    if (!there) {
        pthread_mutex_lock(&inputs.lock);
        char *kept = inputs.missed < MISSING_MOST ? strdup(path) : NULL; /* without it there is no hint */
        if (kept) inputs.missing[inputs.missed++] = kept;
        pthread_mutex_unlock(&inputs.lock);
    }
    if (!there || !(S_ISREG(s.st_mode) || (S_ISDIR(s.st_mode) && !files_only))) return;
    char *whole = realpath(path, NULL);
    if (!whole) return;
    pthread_mutex_lock(&inputs.lock);
    bool taken = inputs_add(&s, whole);
    pthread_mutex_unlock(&inputs.lock);
    if (!taken) free(whole);
}

/* The named path that the sentence begins with, or NULL. */
static const char *named_by(const char *sentence)
{
    for (int i = 0; i < inputs.missed; i++)
        if (text_starts(sentence, inputs.missing[i]) && sentence[strlen(inputs.missing[i])] == ':')
            return inputs.missing[i];
    return NULL;
}

bool inputs_meant(const char *sentence, char out[PATH_BYTES])
{
    enum { LOOKED_AT = 4096, NAME = 256 };
    const char *path = named_by(sentence), *base = path ? path_base(path) : NULL;
    char folder[PATH_BYTES], best[NAME] = "";
    if (!path) return false;
    const int length = (int)(base - path);
    snprintf(folder, sizeof folder, "%.*s", length ? length : 1, length ? path : ".");
    DIR *d = opendir(folder);
    const struct dirent *e;
    for (int i = 0; d && i < LOOKED_AT && (e = readdir(d)); i++) {
        /* alphabetically, so that of two that are equally near the order of the folder decides nothing */
        const bool before = !*best || strcmp(e->d_name, best) < 0;
        const char *const pair[] = {before ? e->d_name : best,
                                    before && *best ? best
                                    : before        ? NULL
                                                    : e->d_name,
                                    NULL},
                          *near = *e->d_name == '.' ? NULL : text_nearest(base, pair);
        if (near == e->d_name) snprintf(best, sizeof best, "%s", e->d_name);
    }
    if (d) closedir(d);
    if (*best) snprintf(out, PATH_BYTES, "%.*s%s", length, path, best);
    return *best;
}

void inputs_note(const char *path) { note(path, false); }

void inputs_note_text(const char *text, bool files_only)
{
    char part[PATH_BYTES];
    note(text, files_only);
    for (const char *at = text; *at; at += *at != '\0') {
        size_t length = strcspn(at, ",");
        snprintf(part, sizeof part, "%.*s", (int)(length < PATH_BYTES ? length : PATH_BYTES - 1), at);
        at += length;
        char *value = strchr(part, '=') ? strchr(part, '=') + 1 : part;
        note(value, files_only);
        char *gpus = strrchr(value, ':');
        if (gpus) *gpus = '\0';
        if (gpus) note(value, files_only);
    }
}

static enum st refuse(const char *target, const char *how, const struct input *i, struct err *err)
{
    return err_set(err, ST_INPUT, "-o %.300s: %s %.300s, which this command reads; choose another -o", target, how,
                   i->path);
}

/* Looks at the target, and at every folder above it. */
static enum st spare_above(const char *target, char *whole, bool there, struct err *err)
{
    struct stat s;
    for (bool same = there;; same = false) {
        for (int i = 0; stat(whole, &s) == 0 && i < inputs.count; i++)
            if (is_file(&inputs.list[i], &s) && (same || inputs.list[i].folder))
                return refuse(target, same ? "is" : "lies inside", &inputs.list[i], err);
        char *slash = strrchr(whole, '/');
        if (!slash || !whole[1]) return ST_OK;
        slash[slash == whole] = '\0';
    }
}

/* Looks whether the target is a folder above an input. */
static enum st spare_below(const char *target, const struct stat *t, struct err *err)
{
    struct stat s;
    char folder[PATH_BYTES];
    for (int i = 0; i < inputs.count; i++) {
        snprintf(folder, sizeof folder, "%s", inputs.list[i].path);
        for (char *slash; (slash = strrchr(folder, '/')) && slash > folder;) {
            *slash = '\0';
            if (stat(folder, &s) == 0 && s.st_ino == t->st_ino && s.st_dev == t->st_dev)
                return refuse(target, "is the folder of", &inputs.list[i], err);
        }
    }
    return ST_OK;
}

/* The target without links, or its folder where it does not exist yet; NULL where that does not exist either. */
static char *find_whole(const char *target, bool there)
{
    char folder[PATH_BYTES];
    const char *name = path_base(target);
    if (there) return realpath(target, NULL);
    snprintf(folder, sizeof folder, "%.*s", name > target ? (int)(name - target) : 1, name > target ? target : ".");
    return realpath(folder, NULL);
}

enum st inputs_spare(const char *target, struct err *err)
{
    struct stat t;
    bool there = stat(target, &t) == 0;
    char *whole = find_whole(target, there);
    enum st st = ST_OK;
    pthread_mutex_lock(&inputs.lock);
    if (whole && inputs.count) st = spare_above(target, whole, there, err);
    if (st == ST_OK && there && S_ISDIR(t.st_mode)) st = spare_below(target, &t, err);
    pthread_mutex_unlock(&inputs.lock);
    free(whole);
    return st;
}

void inputs_forget(void)
{
    pthread_mutex_lock(&inputs.lock);
    for (int i = 0; i < inputs.count; i++) free(inputs.list[i].path);
    free(inputs.list);
    inputs.list = NULL;
    for (int i = 0; i < inputs.missed; i++) free(inputs.missing[i]);
    inputs.count = inputs.room = inputs.missed = 0;
    pthread_mutex_unlock(&inputs.lock);
}
