#define _GNU_SOURCE
#include "base/machine.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/sha256.h"

enum { PATH = 4096, CPUS_MOST = 1 << 14 };

/* Takes one folder of a group into account. */
typedef void group_visit(const char *folder, bool unified, void *with);

/* The numbers of a file that holds one or two. "max" and -1 stand for no limit: 0. False when the file is absent. */
static bool read_numbers(const char *folder, const char *name, int count, double out[2])
{
    char path[PATH + 40], text[100], *at = text;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    bool read = f && fgets(text, sizeof text, f);
    if (f) fclose(f);
    for (int i = 0; read && i < count; i++) {
        out[i] = strtod(at, &at); /* "max" gives 0 and goes no further */
        at += strcspn(at, " ");
        if (out[i] < 0) out[i] = 0;
    }
    return read;
}

/* Visits a group below a mount point and the groups around it. Inside a container the path may name groups that its
 * mount does not show; those have no files there. folder: the mount point, to which the group is added. */
static void visit_upwards(char folder[2 * PATH], const char *group, bool unified, group_visit *visit, void *with)
{
    const size_t least = strlen(folder), room = 2 * PATH - least;
    if (snprintf(folder + least, room, "%s", group) >= (int)room) return;
    for (char *end = folder + strlen(folder);; end = strrchr(folder, '/')) {
        *end = '\0';
        visit(folder, unified, with);
        if (end <= folder + least) return;
    }
}

/* Whether a list "cpu,cpuacct" holds the name. */
static bool holds(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ',')) return true;
    return false;
}

/* Every folder that rules the process: lines "id:controllers:/group" (v1) and "0::/group" (v2) of /proc/self/cgroup. */
static void visit_groups(const char *root, const char *controller, group_visit *visit, void *with)
{
    char line[PATH], mount[2 * PATH];
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *f = fopen(line, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
        if (!group) continue;
        *group++ = '\0';
        if (!*++list) {
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", root);
            visit_upwards(mount, group, true, visit, with);
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/unified", root); /* beside v1 */
            visit_upwards(mount, group, true, visit, with);
        } else if (holds(list, controller)) {
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/%s", root, list);
            visit_upwards(mount, group, false, visit, with);
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/%s", root, controller);
            if (strcmp(list, controller) != 0) visit_upwards(mount, group, false, visit, with);
        }
    }
    if (f) fclose(f);
}

static void take_least(double value, void *least)
{
    double *l = least;
    if (value > 0 && (*l == 0 || value < *l)) *l = value;
}

static void take_quota(const char *folder, bool unified, void *least)
{
    double time[2] = {0}, period[2] = {0};
    if (unified && read_numbers(folder, "cpu.max", 2, time) && time[1] > 0) take_least(time[0] / time[1], least);
    if (!unified && read_numbers(folder, "cpu.cfs_quota_us", 1, time) &&
        read_numbers(folder, "cpu.cfs_period_us", 1, period) && period[0] > 0)
        take_least(time[0] / period[0], least);
}

static void take_limit(const char *folder, bool unified, void *least)
{
    double bytes[2] = {0};
    if (read_numbers(folder, unified ? "memory.max" : "memory.limit_in_bytes", 1, bytes)) take_least(bytes[0], least);
}

int machine_quota_cpus(const char *root)
{
    double least = 0;
    visit_groups(root, "cpu", take_quota, &least);
    if (least == 0 || least > CPUS_MOST) return 0;
    int whole = (int)least;
    return whole + (least > whole);
}

uint64_t machine_limit_bytes(const char *root)
{
    double least = 0;
    visit_groups(root, "memory", take_limit, &least);
    return least < 0x1p62 ? (uint64_t)least : 0; /* v1 writes a number near 2^63 for no limit */
}

static int cpus_online(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int machine_cpus(void)
{
    cpu_set_t mine[CPUS_MOST / CPU_SETSIZE];
    int bound = sched_getaffinity(0, sizeof mine, mine) == 0 ? CPU_COUNT_S(sizeof mine, mine) : 0;
    int cpus = bound > 0 ? bound : cpus_online(), quota = machine_quota_cpus("");
    return quota && quota < cpus ? quota : cpus;
}

void machine_cpus_digest(unsigned char out[32])
{
    cpu_set_t mine[CPUS_MOST / CPU_SETSIZE];
    char boot[64];
    struct sha256 h;
    memset(mine, 0, sizeof mine);
    if (sched_getaffinity(0, sizeof mine, mine) != 0) memset(mine, 0, sizeof mine);
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r"); /* the same in all containers of a machine */
    if (!f || !fgets(boot, sizeof boot, f)) *boot = '\0';
    if (f) fclose(f);
    sha256_begin(&h);
    sha256_add(&h, boot, strlen(boot));
    sha256_add(&h, mine, sizeof mine);
    sha256_end(&h, out);
}

uint64_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0, limit = machine_limit_bytes("");
    return limit && (!all || limit < all) ? limit : all;
}

uint64_t machine_peak_resident(void)
{
    struct rusage own, child;
    uint64_t kib = getrusage(RUSAGE_SELF, &own) == 0 ? (uint64_t)own.ru_maxrss : 0;
    if (getrusage(RUSAGE_CHILDREN, &child) == 0 && (uint64_t)child.ru_maxrss > kib) kib = (uint64_t)child.ru_maxrss;
    return kib * 1024;
}
