#define _GNU_SOURCE
#include "base/entries.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux_dirent64 of getdents64(2). */
struct entry {
    uint64_t inode;
    int64_t next;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* One round over the folder. Returns how many visits were true. */
static long visit_all(int folder, bool (*visit)(int folder, const char *name, const void *with), const void *with)
{
    _Alignas(struct entry) char list[4096];
    long bytes, removed = 0;
    if (lseek(folder, 0, SEEK_SET) != 0) return 0;
    while ((bytes = syscall(SYS_getdents64, folder, list, sizeof list)) > 0)
        for (long at = 0; at < bytes; at += ((struct entry *)(list + at))->length) {
            const char *name = ((struct entry *)(list + at))->name;
            if (strcmp(name, ".") && strcmp(name, "..") && visit(folder, name, with)) removed++;
        }
    return removed;
}

void entries_visit(int folder, bool (*visit)(int folder, const char *name, const void *with), const void *with)
{
    while (visit_all(folder, visit, with)) {
    }
}

static bool remove_one(int folder, const char *name, const void *depth)
{
    return entries_remove(folder, name, *(const int *)depth);
}

bool entries_remove(int folder, const char *name, int depth)
{
    if (unlinkat(folder, name, 0) == 0) return true;
    int inner = depth < 0 ? -1 : openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (inner >= 0) {
        entries_empty(inner, depth);
        close(inner);
    }
    return unlinkat(folder, name, AT_REMOVEDIR) == 0; /* an empty folder goes also when none can be opened */
}

void entries_empty(int folder, int depth)
{
    const int below = depth - 1;
    entries_visit(folder, remove_one, &below);
}
