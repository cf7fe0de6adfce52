/* Names to numbers: the first appearance counts, whatever the table looks like inside. */
#include "tests/unit/unit.h"
#include "base/mem.h"
#include "base/npy.h"
#include "traces/builder/name_table.h"

static struct err err;

/* The name of number i: several lengths around the 8 bytes that the hash takes at a time, many with a common begin. */
static size_t name_of(uint64_t i, char out[40])
{
    return (size_t)snprintf(out, 40, "%.*s%llu", (int)(i % 19), "http://example.org/", (unsigned long long)i);
}

static void first_appearance(void **state)
{
    enum { NAMES = 200000 };
    OWNED_BY(name_table_release) struct name_table t = {0};
    char name[40];
    uint64_t id;
    (void)state;
    assert_true(name_table_find(&t, "a", 1) == UINT64_MAX);
    for (uint64_t i = 0; i < NAMES; i++) {
        GOOD(name_table_add(&t, name, name_of(i, name), &id, &err));
        assert_int_equal(id, i);
        GOOD(name_table_add(&t, name, name_of(i * i % (i + 1), name), &id, &err)); /* one that came before */
        assert_int_equal(id, i * i % (i + 1));
    }
    assert_int_equal(t.count, NAMES);
    for (uint64_t i = 0; i < NAMES; i++) assert_int_equal(name_table_find(&t, name, name_of(i, name)), i);
    assert_true(name_table_find(&t, name, name_of(NAMES, name)) == UINT64_MAX);
    assert_true(name_table_find(&t, "", 0) == UINT64_MAX);
}

static void what_is_no_name(void **state)
{
    static char longest[NAME_BYTES_MOST + 1];
    OWNED_BY(name_table_release) struct name_table t = {0};
    uint64_t id;
    (void)state;
    memset(longest, 'x', sizeof longest);
    BAD(ST_INPUT, "the name is empty", name_table_add(&t, "", 0, &id, &err));
    BAD(ST_INPUT, "has 4097 bytes", name_table_add(&t, longest, sizeof longest, &id, &err));
    BAD(ST_INPUT, "is not UTF-8", name_table_add(&t, "\xc3", 1, &id, &err));
    GOOD(name_table_add(&t, longest, NAME_BYTES_MOST, &id, &err));
    assert_int_equal(id, 0);
    assert_int_equal(t.count, 1);
}

/* Each allocation fails once: the table stays as it was, and goes on. */
static void without_memory(void **state)
{
    OWNED_BY(name_table_release) struct name_table t = {0};
    char name[40];
    uint64_t id = 9;
    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        mem_fail_at(1);
        const enum st st = name_table_add(&t, name, name_of(i, name), &id, &err);
        mem_fail_at(0);
        if (st != ST_OK) GOOD(name_table_add(&t, name, name_of(i, name), &id, &err));
        assert_int_equal(id, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_appearance), cmocka_unit_test(what_is_no_name),
                                       cmocka_unit_test(without_memory)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
