#define _GNU_SOURCE
#include "base/leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/entries.h"
#include "base/file.h"
#include "base/written.h"

/* ".<name>.tmp-" of a target's temporaries, the path of their folder, and whether the target exists. */
struct leftover {
    char prefix[PATH_BYTES], folder[PATH_BYTES];
    bool target_exists;
};

/* It is this user's own file or folder, no link, and nobody holds the lock that output.c takes. */
static bool is_free(int folder, const char *name)
{
    struct stat s;
    int f = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool free = f >= 0 && fstat(f, &s) == 0 && s.st_uid == geteuid() && flock(f, LOCK_EX | LOCK_NB) == 0;
    if (f >= 0) close(f);
    return free;
}

/* Removes a temporary of the same target whose process is gone. Process ids are not enough: containers that share a
 * folder have their own. */
static bool remove_leftover(int folder, const char *name, const void *with)
{
    enum { RANDOM = 16 };
    const struct leftover *l = with;
    size_t length = strlen(l->prefix);
    char *rest, path[PATH_BYTES];
    struct err ignored = {0};
    if (strncmp(name, l->prefix, length) != 0 || name[length] < '1' || name[length] > '9') return false;
    long process = strtol(name + length, &rest, 10);
    if (*rest++ != '-' || strspn(rest, "0123456789abcdef") != RANDOM) return false;
    rest += RANDOM;
    bool old = !strcmp(rest, "-old"); /* the target itself, when move_into_place was killed half-way */
    if (*rest && strcmp(rest, "-x") != 0 && !(old && l->target_exists)) return false;
    if (process > INT_MAX || kill((pid_t)process, 0) == 0 || errno != ESRCH || !is_free(folder, name)) return false;
    if (old) return path_join(path, l->folder, name, &ignored) == ST_OK && written_remove(path);
    return entries_remove(folder, name, 3);
}

void leftovers_remove(const char *target, const char *temporary)
{
    struct leftover l = {.target_exists = file_exists(target)};
    const char *name = path_base(temporary);
    int process = (int)(strrchr(name, '-') - name); /* where the random part begins */
    while (process && name[process - 1] != '-') process--;
    snprintf(l.prefix, sizeof l.prefix, "%.*s", process, name);
    snprintf(l.folder, sizeof l.folder, "%s%.*s", *temporary == '/' ? "" : "./", (int)(name - temporary), temporary);
    int f = open(l.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f < 0) return;
    entries_visit(f, remove_leftover, &l);
    close(f);
}
