#include "tests/unit/unit.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/mem.h"
#include "base/numa.h"

static int count_in(const char *list, uint64_t mask[NUMA_WORDS])
{
    return numa_nodes(put_file("has_memory", list, strlen(list)), mask);
}

static void lists_of_nodes(void **state)
{
    uint64_t mask[NUMA_WORDS];
    (void)state;
    assert_int_equal(count_in("0\n", mask), 1);
    assert_int_equal(mask[0], 1);
    assert_int_equal(count_in("0-1\n", mask), 2);
    assert_int_equal(mask[0], 3);
    assert_int_equal(count_in("0,2-3,64\n", mask), 4);
    assert_int_equal(mask[0], 0xd);
    assert_int_equal(mask[1], 1);
    assert_int_equal(count_in("1,1,0-1", mask), 2); /* a node counts once */
}

static void lists_that_are_none(void **state)
{
    uint64_t mask[NUMA_WORDS];
    (void)state;
    assert_int_equal(numa_nodes(in_scratch("nowhere"), mask), 0);
    assert_int_equal(count_in("", mask), 0);
    assert_int_equal(count_in("nodes\n", mask), 0);
    assert_int_equal(count_in("3-\n", mask), 0);
    assert_int_equal(count_in("2-1\n", mask), 0);
    assert_int_equal(count_in("0-4000000000\n", mask), NUMA_NODES_MAX); /* as many as there is room for */
    assert_int_equal(count_in("5000\n", mask), 0);
}

/* The policy of the page at an address, as the kernel says; -1 when it does not. */
static int policy_at(void *block)
{
    int mode = -1;
    uint64_t mask[NUMA_WORDS] = {0};
    return syscall(SYS_get_mempolicy, &mode, mask, (unsigned long)NUMA_NODES_MAX, block, 2ul) == 0 ? mode : -1;
}

static void pages_are_interleaved(void **state)
{
    uint64_t mask[NUMA_WORDS], bytes = 1 << 20;
    (void)state;
    if (numa_nodes("/sys/devices/system/node/has_memory", mask) < 1) skip();
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(block != MAP_FAILED);
    if (policy_at(block) < 0) { /* a sandbox that forbids these calls */
        munmap(block, bytes);
        skip();
    }
    assert_int_equal(policy_at(block), 0);
    assert_true(numa_interleave(block, bytes, mask));
    assert_int_equal(policy_at(block), 3);
    munmap(block, bytes);
}

/* Large arrays are interleaved exactly where there is more than one node, and never those of one thread; all are zero
 * and counted alike. */
static void large_arrays(void **state)
{
    uint64_t mask[NUMA_WORDS], count = NUMA_FROM / 8 + 1, before = mem_in_use();
    int nodes = numa_nodes("/sys/devices/system/node/has_memory", mask);
    struct err err = {0};
    (void)state;
    uint64_t *shared = mem_array(count, 8, "a test", &err), *near = mem_array_near(count, 8, "a test", &err);
    assert_non_null(shared);
    assert_non_null(near);
    assert_int_equal(mem_in_use() - before, 16 * count);
    assert_int_equal(shared[count - 1] | near[count - 1], 0);
    if (policy_at(shared) >= 0) {
        assert_int_equal(policy_at(shared), nodes > 1 ? 3 : 0);
        assert_int_equal(policy_at(near), 0);
    }
    mem_free(shared);
    mem_free(near);
    assert_int_equal(mem_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_of_nodes), cmocka_unit_test(lists_that_are_none),
                                       cmocka_unit_test(pages_are_interleaved), cmocka_unit_test(large_arrays)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
