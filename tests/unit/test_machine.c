#define _GNU_SOURCE
/* Control groups as files below a scratch folder; the arithmetic is in the comments. */
#include "tests/unit/unit.h"

#include <sched.h>
#include <sys/stat.h>
#include "base/machine.h"

/* Writes a file below the scratch folder, with the folders on its way. */
static void put(const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s%s", scratch, name);
    for (char *slash = path + strlen(scratch) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void nothing_is_limited(void **state)
{
    (void)state;
    assert_int_equal(machine_quota_cpus(scratch), 0);
    assert_int_equal(machine_limit_bytes(scratch), 0);
    put("/proc/self/cgroup", "0::/\n");
    assert_int_equal(machine_quota_cpus(scratch), 0);
    put("/sys/fs/cgroup/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/memory.max", "max\n");
    assert_int_equal(machine_quota_cpus(scratch), 0);
    assert_int_equal(machine_limit_bytes(scratch), 0);
}

static void version_2(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/user/job/step\n");
    put("/sys/fs/cgroup/user/job/step/memory.max", "max\n");
    put("/sys/fs/cgroup/user/job/step/cpu.max", "800000 100000\n");
    assert_int_equal(machine_quota_cpus(scratch), 8);
    put("/sys/fs/cgroup/user/job/memory.max", "3000000000\n"); /* the tightest lies in the middle */
    put("/sys/fs/cgroup/user/memory.max", "8000000000\n");
    put("/sys/fs/cgroup/user/cpu.max", "250000 100000\n"); /* 2.5 CPUs */
    assert_int_equal(machine_quota_cpus(scratch), 3);
    assert_true(machine_limit_bytes(scratch) == 3000000000u);
    put("/sys/fs/cgroup/other/memory.max", "1000\n"); /* not ours */
    put("/sys/fs/cgroup/user/jo/memory.max", "1000\n");
    assert_true(machine_limit_bytes(scratch) == 3000000000u);
    put("/sys/fs/cgroup/user/job/step/cpu.max", "1000 100000\n"); /* a hundredth: still one thread */
    assert_int_equal(machine_quota_cpus(scratch), 1);
}

/* A container's mount shows its own group as the root, while the path names it from outside. */
static void container(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/docker/0123abcd\n");
    put("/sys/fs/cgroup/memory.max", "2147483648\n");
    put("/sys/fs/cgroup/cpu.max", "400000 100000\n");
    assert_true(machine_limit_bytes(scratch) == 2147483648u);
    assert_int_equal(machine_quota_cpus(scratch), 4);
}

static void version_1(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "9:name=systemd:/x\n4:memory:/batch/job_7\n3:cpu,cpuacct:/batch\n2:cpuset:/cpu\n");
    put("/sys/fs/cgroup/memory/batch/job_7/memory.limit_in_bytes", "17179869184\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
    assert_true(machine_limit_bytes(scratch) == 17179869184u);
    put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000\n");
    assert_int_equal(machine_quota_cpus(scratch), 0);
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "50000\n");
    assert_int_equal(machine_quota_cpus(scratch), 3);
    put("/sys/fs/cgroup/cpu/batch/cpu.cfs_quota_us", "100000\n"); /* the other name of the same mount */
    put("/sys/fs/cgroup/cpu/batch/cpu.cfs_period_us", "50000\n");
    assert_int_equal(machine_quota_cpus(scratch), 2);
}

/* v1 with v2 beside it, as systemd's hybrid layout has it. */
static void both(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "4:memory:/a\n0::/b\n");
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n");
    put("/sys/fs/cgroup/unified/b/memory.max", "4000\n");
    assert_int_equal(machine_limit_bytes(scratch), 4000);
}

static void hostile_files(void **state)
{
    char line[9000];
    (void)state;
    memset(line, 'x', sizeof line);
    memcpy(line, "0::/", 4);
    line[sizeof line - 1] = '\0';
    put("/proc/self/cgroup", line);
    put("/sys/fs/cgroup/memory.max", "-5 none\n");
    put("/sys/fs/cgroup/cpu.max", "100000 0\n");
    assert_int_equal(machine_limit_bytes(scratch), 0);
    assert_int_equal(machine_quota_cpus(scratch), 0);
    put("/proc/self/cgroup", "0:\n:\n\n0::/a\n");
    put("/sys/fs/cgroup/cpu.max", "1e300 1\n");
    put("/sys/fs/cgroup/memory.max", "nan\n");
    assert_int_equal(machine_quota_cpus(scratch), 0);
    assert_int_equal(machine_limit_bytes(scratch), 0);
}

static void this_machine(void **state)
{
    cpu_set_t all, one;
    (void)state;
    assert_true(machine_memory() > 1 << 20);
    assert_true(machine_cpus() >= 1);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    unsigned char bound[32], before[32], after[32];
    machine_cpus_digest(before);
    CPU_ZERO(&one);
    for (int c = 0; c < CPU_SETSIZE && !CPU_COUNT(&one); c++)
        if (CPU_ISSET(c, &all)) CPU_SET(c, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(machine_cpus(), 1);
    machine_cpus_digest(bound);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    machine_cpus_digest(after);
    assert_memory_equal(before, after, sizeof after);
    if (CPU_COUNT(&all) > 1) assert_memory_not_equal(before, bound, sizeof bound);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {IN_SCRATCH(nothing_is_limited), IN_SCRATCH(version_2), IN_SCRATCH(container),
                                       IN_SCRATCH(version_1),          IN_SCRATCH(both),      IN_SCRATCH(hostile_files),
                                       cmocka_unit_test(this_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
