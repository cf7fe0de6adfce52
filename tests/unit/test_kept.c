/* Freed arrays that are kept for the next: who gets them, when they are given back, and that nobody can tell. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kept.h"
#include "base/mem.h"
#include "base/numa.h"
#include "base/read_ahead.h"

enum { MIB = 1 << 20, MOST = 1 << 30 };

/* A mapping with a page in front of it and behind it that nobody may touch: it is next to no other. */
static char *apart(uint64_t bytes)
{
    char *at = mmap(NULL, bytes + 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(at != MAP_FAILED && !mprotect(at + 4096, bytes, PROT_READ | PROT_WRITE));
    return at + 4096;
}

/* Whether the first page of a mapping is still there. */
static bool mapped(char *at)
{
    unsigned char in;
    return !mincore(at, 1, &in);
}

static void the_smallest_that_is_large_enough_is_taken(void **state)
{
    (void)state;
    uint64_t got;
    char *large = apart(200 * MIB), *small = apart(100 * MIB);
    assert_null(kept_take(MIB, &got));
    assert_true(kept_add(large, 200 * MIB, MOST) && kept_add(small, 100 * MIB, MOST));
    assert_int_equal(kept_bytes(), 300 * MIB);
    assert_null(kept_take(201 * MIB, &got));
    assert_ptr_equal(kept_take(100 * MIB, &got), small);
    assert_int_equal(got, 100 * MIB);
    munmap(small, got);
    /* what is left over is kept when it is large, else given back */
    assert_ptr_equal(kept_take(99 * MIB + 1, &got), large);
    assert_int_equal(got, 100 * MIB);
    assert_int_equal(kept_bytes(), 100 * MIB);
    munmap(large, got);
    assert_ptr_equal(kept_take(64 * MIB, &got), large + 100 * MIB);
    assert_int_equal(got, 64 * MIB);
    assert_int_equal(kept_bytes(), 0);
    assert_false(mapped(large + 164 * MIB));
    munmap(large + 100 * MIB, got);
}

static void no_more_is_kept_than_allowed(void **state)
{
    (void)state;
    uint64_t got;
    char *a = apart(64 * MIB), *b = apart(65 * MIB), *tiny = apart(MIB - 4096);
    assert_false(kept_add(tiny, MIB - 4096, MOST));
    assert_false(kept_add(a, 64 * MIB, 64 * MIB - 1));
    assert_true(kept_add(a, 64 * MIB, 64 * MIB));
    assert_false(kept_add(b, 65 * MIB, 129 * MIB - 1));
    assert_true(kept_add(b, 65 * MIB, 129 * MIB));
    kept_trim(128 * MIB); /* the smallest goes first: what would be left of it is small */
    assert_false(mapped(a));
    assert_true(mapped(b));
    assert_ptr_equal(kept_take(65 * MIB, &got), b);
    munmap(b, got);
    b = apart(80 * MIB);
    assert_true(kept_add(b, 80 * MIB, MOST));
    kept_trim(75 * MIB); /* of a larger one only the end */
    assert_int_equal(kept_bytes(), 74 * MIB);
    assert_true(mapped(b + 74 * MIB - 4096));
    assert_false(mapped(b + 74 * MIB));
    kept_trim(63 * MIB);
    assert_int_equal(kept_bytes(), 0);
    munmap(tiny, MIB - 4096);
    char *region[KEPT_REGIONS];
    for (int i = 0; i < KEPT_REGIONS; i++) {
        region[i] = apart((uint64_t)(64 + 2 * i) * MIB);
        assert_true(kept_add(region[i], (uint64_t)(64 + 2 * i) * MIB, UINT64_MAX));
    }
    char *more = apart(64 * MIB);
    assert_false(kept_add(more, 64 * MIB, UINT64_MAX)); /* the list is full of others that are as large */
    munmap(more, 64 * MIB);
    more = apart(66 * MIB);
    assert_true(kept_add(more, 66 * MIB, UINT64_MAX));
    assert_false(mapped(region[0]));
    kept_trim(0);
    assert_int_equal(kept_bytes(), 0);
    for (int i = 1; i < KEPT_REGIONS; i++) assert_false(mapped(region[i]));
}

static void neighbours_become_one(void **state)
{
    (void)state;
    uint64_t got;
    char *all = apart(300 * MIB), *other = apart(70 * MIB);
    assert_true(kept_add(all, 100 * MIB, MOST) && kept_add(all + 200 * MIB, 100 * MIB, MOST));
    assert_true(kept_add(other, 70 * MIB, MOST));
    assert_null(kept_take(101 * MIB, &got));
    assert_true(kept_add(all + 100 * MIB, 100 * MIB, MOST)); /* between the two */
    assert_int_equal(kept_bytes(), 370 * MIB);
    assert_ptr_equal(kept_take(300 * MIB, &got), all);
    assert_int_equal(got, 300 * MIB);
    assert_ptr_equal(kept_take(70 * MIB, &got), other);
    assert_int_equal(kept_bytes(), 0);
    munmap(all, 300 * MIB);
    munmap(other, 70 * MIB);
}

static void small_ones_are_not_cut_apart(void **state)
{
    (void)state;
    uint64_t got;
    char *five = apart(5 * MIB), *six = apart(6 * MIB), *large = apart(64 * MIB);
    assert_true(kept_add(six, 6 * MIB, MOST) && kept_add(five, 5 * MIB, MOST) && kept_add(large, 64 * MIB, MOST));
    assert_int_equal(kept_bytes(), 75 * MIB);
    assert_null(kept_take(4 * MIB - 4096, &got)); /* more than a quarter larger */
    assert_int_equal(got, 0);
    assert_null(kept_take(7 * MIB, &got)); /* no large one is cut for it */
    assert_ptr_equal(kept_take(4 * MIB + 1, &got), five);
    assert_int_equal(got, 4 * MIB + 4096); /* the rest is given back */
    assert_false(mapped(five + 4 * MIB + 4096));
    assert_ptr_equal(kept_take(6 * MIB, &got), six);
    assert_int_equal(got, 6 * MIB);
    assert_int_equal(kept_bytes(), 64 * MIB);
    assert_true(kept_add(six, 6 * MIB, 70 * MIB));
    assert_false(kept_add(five, got = 4 * MIB + 4096, 74 * MIB));
    kept_trim(69 * MIB); /* small ones go first, and whole */
    assert_int_equal(kept_bytes(), 64 * MIB);
    assert_false(mapped(six));
    kept_trim(0);
    assert_false(mapped(large));
    munmap(five, got);
    char *region[KEPT_SMALL], *more;
    for (int i = 0; i < KEPT_SMALL; i++) assert_true(kept_add(region[i] = apart(2 * MIB), 2 * MIB, MOST));
    more = apart(2 * MIB);
    assert_false(kept_add(more, 2 * MIB, MOST)); /* the list is full of others that are as large */
    munmap(more, 2 * MIB);
    more = apart(3 * MIB);
    assert_true(kept_add(more, 3 * MIB, MOST));
    assert_int_equal(kept_bytes(), (2 * KEPT_SMALL + 1) * MIB);
    kept_trim(0);
    assert_int_equal(kept_bytes(), 0);
}

static void arrays_are_zeroed_whoever_had_them(void **state)
{
    (void)state;
    struct err err = {0};
    char *a = mem_array(200 * MIB, 1, "test", &err);
    assert_non_null(a);
    memset(a, 0xab, 200 * MIB);
    mem_free(a);
    assert_int_equal(mem_in_use(), 0);
    assert_in_range(kept_bytes(), 200 * MIB, 201 * MIB - 1);
    /* of one thread, where there are several memory nodes: never a page that others touched, and the rest is given
     * back at the end */
    char *near = mem_array_near(65 * MIB, 1, "test", &err);
    assert_in_range(kept_bytes(), 130 * MIB, 137 * MIB);
    assert_true(!numa_several() || near < a - 64 || near >= a + 130 * MIB);
    for (uint64_t i = 0; i < 65 * MIB; i++) assert_true(!near[i]);
    memset(near, 0xef, 65 * MIB);
    mem_free(near);
    char *b = mem_array(65 * MIB, 1, "test", &err);
    assert_ptr_equal(b, a);
    memset(b, 0xcd, 65 * MIB);
    a = mem_array(64 * MIB, 1, "test", &err);
    assert_ptr_equal(a, b + 66 * MIB);
    for (uint64_t i = 0; i < 64 * MIB; i++) assert_true(!a[i]);
    mem_free(b);
    b = mem_array(64 * MIB, 1, "test", &err);
    for (uint64_t i = 0; i < 64 * MIB; i++) assert_true(!b[i]);
    assert_true(kept_bytes() + mem_in_use() <= 202 * MIB);
    mem_free(a);
    mem_free(b);
    char *small = mem_array(3 * MIB, 1, "test", &err);
    memset(small, 0xef, 3 * MIB);
    mem_free(small);
    char *next = mem_array(3 * MIB - 8192, 1, "test", &err);
    assert_true(numa_several() || next == small);
    for (uint64_t i = 0; i < 3 * MIB - 8192; i++) assert_true(!next[i]);
    mem_free(next);
    assert_true(kept_bytes());
    mem_trim(0);
    assert_int_equal(kept_bytes(), 0);
}

static void *churn(void *number)
{
    struct err err = {0};
    bool good = true;
    for (int i = 0; i < 40 && good; i++) {
        uint64_t bytes = (64 + (uint64_t)(i * 7 + *(int *)number) % 5) * MIB;
        char *a = mem_array(bytes, 1, "test", &err);
        good = a && !a[0] && !a[bytes / 2] && !a[bytes - 1];
        if (good) memset(a + bytes / 2, *(int *)number, 4096), a[0] = a[bytes - 1] = 1;
        good = good && a[bytes / 2] == *(int *)number;
        mem_free(a);
    }
    return good ? number : NULL;
}

static void threads_never_share_an_array(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i + 1;
        assert_int_equal(pthread_create(&thread[i], NULL, churn, &number[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *good;
        pthread_join(thread[i], &good);
        assert_non_null(good);
    }
    mem_trim(0);
}

/* Pages of the mapping that are in the page cache. */
static uint64_t cached(char *at, uint64_t bytes, unsigned char *marks)
{
    uint64_t count = 0;
    assert_int_equal(mincore(at, bytes, marks), 0);
    for (uint64_t i = 0; i < bytes / 4096; i++) count += marks[i] & 1;
    return count;
}

static void all_of_a_file_is_read_ahead(void **state)
{
    (void)state;
    enum { BYTES = 48 * MIB, TRIES = 500 };
    static unsigned char marks[BYTES / 4096];
    char name[] = "/tmp/hotset-ahead-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0 && !unlink(name));
    char *block = calloc(1, MIB);
    for (int i = 0; i < BYTES / MIB; i++) assert_int_equal(write(fd, block, MIB), MIB);
    free(block);
    assert_int_equal(fsync(fd), 0);
    char *at = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(at != MAP_FAILED);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    read_ahead(NULL, BYTES);
    read_ahead(at + 1, 4096); /* no whole page */
    if (cached(at, BYTES, marks)) {
        close(fd);
        munmap(at, BYTES);
        skip(); /* a file system in memory has nothing to read */
    }
    read_ahead(at, 4 * MIB);
    read_ahead(at, BYTES);
    uint64_t in = 0;
    for (int i = 0; i < TRIES && in < BYTES / 4096; i++) {
        usleep(10000);
        in = cached(at, BYTES, marks);
    }
    assert_int_equal(in, BYTES / 4096);
    munmap(at, BYTES);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_that_is_large_enough_is_taken),
        cmocka_unit_test(no_more_is_kept_than_allowed),
        cmocka_unit_test(neighbours_become_one),
        cmocka_unit_test(small_ones_are_not_cut_apart),
        cmocka_unit_test(arrays_are_zeroed_whoever_had_them),
        cmocka_unit_test(threads_never_share_an_array),
        cmocka_unit_test(all_of_a_file_is_read_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
