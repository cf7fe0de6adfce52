#define _GNU_SOURCE
#include "base/written.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/made_by.h"
#include "base/mem.h"
#include "base/text.h"

static const char list_name[] = ".hotset", title[] = "hotset wrote these files and replaces no others: ";
/* The refusal: of the path, the command that wrote it and this one. */
#define WRITTEN_BY_ANOTHER                                                                                             \
    "%s: holds a result of 'hotset %s', and this is 'hotset %s'; choose another -o, or replace it with --force"
enum { DEPTH = 5, NAMES_MOST = 1 << 20, COMMAND_BYTES = 100 };

/* Names of files below a folder, as "sub/file". */
struct names {
    char **name;
    int count, room;
};

static void names_free(struct names *n)
{
    for (int i = 0; i < n->count; i++) free(n->name[i]);
    free(n->name);
    *n = (struct names){0};
}

static enum st names_add(struct names *n, const char *name, struct err *err)
{
    if (n->count == n->room) {
        int room = n->room ? 2 * n->room : 64;
        char **grown = room <= NAMES_MOST ? realloc(n->name, (size_t)room * sizeof *grown) : NULL;
        if (!grown)
            return err_set(err, ST_LIMIT,
                           "the folder holds more files than the %d that are looked at; choose another -o", n->count);
        n->name = grown;
        n->room = room;
    }
    n->name[n->count] = strdup(name);
    if (!n->name[n->count]) return err_set(err, ST_LIMIT, "out of memory for the names of files");
    n->count++;
    return ST_OK;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static void names_sort(struct names *n)
{
    if (n->count) qsort(n->name, (size_t)n->count, sizeof *n->name, by_name);
}
static bool names_has(const struct names *n, const char *name)
{
    return n->count && bsearch(&name, n->name, (size_t)n->count, sizeof *n->name, by_name);
}

/* Appends what is in folder/below, but for lists. Whatever is no folder of ours to look into counts as a file: links,
 * pipes, folders that lie too deep or are empty. */
static enum st names_walk(struct names *n, const char *folder, const char *below, int depth, struct err *err)
{
    char path[PATH_BYTES], name[PATH_BYTES];
    struct stat s;
    int before = n->count;
    bool any = false;
    enum st st = path_join(path, folder, below, err);
    DIR *d = st == ST_OK ? opendir(*below ? path : folder) : NULL;
    for (struct dirent *e; st == ST_OK && d && (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        any = true;
        if (!strcmp(e->d_name, list_name)) continue;
        if (snprintf(name, sizeof name, "%s%s%s", below, *below ? "/" : "", e->d_name) >= (int)sizeof name)
            st = err_set(err, ST_INPUT, "%s: a path in it is too long", folder);
        if (st == ST_OK) st = path_join(path, folder, name, err);
        if (st != ST_OK) break;
        if (depth && lstat(path, &s) == 0 && S_ISDIR(s.st_mode)) st = names_walk(n, folder, name, depth - 1, err);
        else st = names_add(n, name, err);
    }
    if (st == ST_OK && !d)
        st = err_set(err, errno == ENOMEM ? ST_LIMIT : ST_INPUT,
                     "%s/%s: cannot be read (%s), so nothing tells what is in it; choose another -o", folder, below,
                     strerror(errno));
    if (d) closedir(d);
    if (st == ST_OK && *below && n->count == before && !any) st = names_add(n, below, err);
    return st;
}

enum st written_save(const char *folder, const char *command, const char *settings, struct err *err)
{
    OWNED_BY(names_free) struct names here = {0};
    char path[PATH_BYTES];
    PASS(names_walk(&here, folder, "", DEPTH, err));
    names_sort(&here);
    PASS(path_join(path, folder, list_name, err));
    FILE *f = fopen(path, "w");
    if (f) fprintf(f, "%s%s\n", title, command);
    for (const char *at = settings; f && *at; at += strcspn(at, "\n") + 1)
        fprintf(f, "\t%.*s\n", (int)strcspn(at, "\n"), at);
    for (int i = 0; f && i < here.count; i++) fprintf(f, "%s\n", here.name[i]);
    bool bad = !f || ferror(f);
    if (f) bad |= fclose(f) != 0;
    if (bad) return err_set(err, ST_LIMIT, "%s: cannot be written (%s); is the disk full?", path, strerror(errno));
    return ST_OK;
}

/* Reads a list. *there: false where the folder has none of ours. settings: "" where it states none. */
static enum st read_list(const char *folder, struct names *out, char command[COMMAND_BYTES],
                         char settings[MADE_BY_BYTES], bool *there, struct err *err)
{
    char path[PATH_BYTES], *line;
    OWNED_BY(text_lines_close) struct text_lines lines = {0};
    struct stat s;
    *there = false;
    *settings = '\0';
    PASS(path_join(path, folder, list_name, err));
    if (lstat(path, &s) != 0 || !S_ISREG(s.st_mode)) return ST_OK;
    PASS(text_lines_open(path, &lines, err));
    PASS(text_lines_next(&lines, &line, NULL, err));
    if (!line || !text_starts(line, title)) return ST_OK;
    snprintf(command, COMMAND_BYTES, "%s", line + strlen(title));
    for (;;) {
        PASS(text_lines_next(&lines, &line, NULL, err));
        if (!line) break;
        if (*line == '\t') text_append(settings, MADE_BY_BYTES, "%s\n", line + 1);
        else PASS(names_add(out, line, err));
    }
    names_sort(out);
    *there = true;
    return ST_OK;
}

enum st written_check(const char *folder, const char *command, const char *settings, bool force, int *files,
                      struct err *err)
{
    OWNED_BY(names_free) struct names here = {0}, listed = {0};
    char by[COMMAND_BYTES], with[MADE_BY_BYTES], says[MADE_BY_SAYS];
    bool there;
    PASS(names_walk(&here, folder, "", DEPTH, err));
    PASS(read_list(folder, &listed, by, with, &there, err));
    *files = here.count;
    if (!here.count) return ST_OK;
    if (!there)
        return err_set(err, ST_INPUT,
                       "%s: holds '%.200s' and no list of what hotset wrote (%s), so it is not replaced; choose "
                       "another -o, "
                       "or remove it yourself",
                       folder, here.name[0], list_name);
    for (int i = 0; i < here.count; i++)
        if (!names_has(&listed, here.name[i]))
            return err_set(err, ST_INPUT,
                           "%s: holds '%.200s', which hotset did not write and which would be lost, so nothing is "
                           "touched; choose another -o, or move that file",
                           folder, here.name[i]);
    if (strcmp(by, command) != 0 && !force) return err_set(err, ST_INPUT, WRITTEN_BY_ANOTHER, folder, by, command);
    if (*with && made_by_differs(with, settings, says) && !force)
        return err_set(err, ST_INPUT, MADE_BY_REFUSES, folder, command, says);
    return ST_OK;
}

/* Removes what is listed in folder/below, then that folder. False: something else is in it. */
static bool remove_listed(const struct names *listed, const char *folder, const char *below, int depth)
{
    char path[PATH_BYTES], name[PATH_BYTES];
    struct err ignored = {0};
    struct stat s;
    bool gone = true;
    if (path_join(path, folder, below, &ignored) != ST_OK) return false;
    DIR *d = opendir(*below ? path : folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, list_name)) continue;
        bool fits = snprintf(name, sizeof name, "%s%s%s", below, *below ? "/" : "", e->d_name) < (int)sizeof name &&
                    path_join(path, folder, name, &ignored) == ST_OK;
        if (fits && depth && lstat(path, &s) == 0 && S_ISDIR(s.st_mode))
            gone &= remove_listed(listed, folder, name, depth - 1);
        else gone &= fits && names_has(listed, name) && unlink(path) == 0;
    }
    if (d) closedir(d);
    if (!gone || path_join(name, folder, below, &ignored) != ST_OK ||
        path_join(path, name, list_name, &ignored) != ST_OK)
        return false;
    unlink(path);
    return rmdir(*below ? name : folder) == 0;
}

bool written_remove(const char *folder)
{
    OWNED_BY(names_free) struct names listed = {0};
    char by[COMMAND_BYTES], with[MADE_BY_BYTES];
    struct err ignored = {0};
    bool there;
    if (read_list(folder, &listed, by, with, &there, &ignored) != ST_OK) return false;
    return there ? remove_listed(&listed, folder, "", DEPTH) : rmdir(folder) == 0;
}

/* ---- files ---- */

static const char own_mark[] = "user.hotset";

void written_mark(const char *file, const char *command, const char *settings)
{
    char mark[COMMAND_BYTES + MADE_BY_BYTES];
    snprintf(mark, sizeof mark, "%s\n%s", command, settings);
    if (setxattr(file, own_mark, mark, strlen(mark), 0) != 0) (void)setxattr(file, own_mark, "1", 1, 0);
}

bool written_marked(const char *file) { return getxattr(file, own_mark, NULL, 0) >= 0; }

enum st written_check_file(const char *file, const char *command, const char *settings, struct err *err)
{
    char mark[COMMAND_BYTES + MADE_BY_BYTES], by[COMMAND_BYTES], says[MADE_BY_SAYS] = "with other options";
    ssize_t bytes = getxattr(file, own_mark, mark, sizeof mark - 1);
    if (bytes < 0 && errno == ERANGE) return err_set(err, ST_INPUT, MADE_BY_REFUSES, file, command, says);
    if (bytes <= 1) return ST_OK; /* none, or "1": of an earlier version */
    mark[bytes] = '\0';
    size_t first = strcspn(mark, "\n");
    snprintf(by, sizeof by, "%.*s", (int)first, mark);
    if (strcmp(by, command) != 0) return err_set(err, ST_INPUT, WRITTEN_BY_ANOTHER, file, by, command);
    if (!mark[first] || !made_by_differs(mark + first + 1, settings, says)) return ST_OK;
    return err_set(err, ST_INPUT, MADE_BY_REFUSES, file, by, says);
}
