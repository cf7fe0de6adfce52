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
#include <unistd.h>

#include "base/entries.h"
#include "base/file.h"

/* "<name>.tmp-" of a target's temporaries, and whether the target exists. */
struct leftover {
    char prefix[PATH_BYTES];
    bool target_exists;
};

/* Nobody holds the lock that output.c takes. */
static bool is_unlocked(int folder, const char *name)
{
    int f = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool free = f >= 0 && flock(f, LOCK_EX | LOCK_NB) == 0;
    if (f >= 0) close(f);
    return free;
}

/* Removes a temporary of the same target whose process is gone. Process ids are not enough: containers that share a
 * folder have their own. */
static bool remove_leftover(int folder, const char *name, const void *with)
{
    const struct leftover *l = with;
    size_t length = strlen(l->prefix);
    char *rest;
    if (strncmp(name, l->prefix, length) != 0 || name[length] < '1' || name[length] > '9') return false;
    long process = strtol(name + length, &rest, 10);
    bool old = !strcmp(rest, "-old"); /* the target itself, when move_into_place was killed half-way */
    if (*rest && strcmp(rest, "-x") != 0 && !(old && l->target_exists)) return false;
    if (process > INT_MAX || kill((pid_t)process, 0) == 0 || errno != ESRCH || !is_unlocked(folder, name)) return false;
    return entries_remove(folder, name, 3);
}

void leftovers_remove(const char *target, const char *temporary)
{
    struct leftover l = {.target_exists = file_exists(target)};
    char folder[PATH_BYTES];
    const char *name = path_base(temporary);
    snprintf(l.prefix, sizeof l.prefix, "%.*s", (int)(strrchr(name, '-') + 1 - name), name);
    snprintf(folder, sizeof folder, "./%.*s", (int)(name - temporary), temporary);
    int f = open(*temporary == '/' ? folder + 2 : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f < 0) return;
    entries_visit(f, remove_leftover, &l);
    close(f);
}
