/* Parts from other programs: every form that is read, and every way in which a file can be wrong. */
#include "tests/unit/unit.h"
#include "base/npy.h"
#include "planner/partition/partition_file.h"

static struct err err;
static const char *const path = "parts";

static void write_text(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void expect(uint64_t n, const uint8_t *expected)
{
    uint8_t part[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    GOOD(partition_file_read(path, n, 3, part, &err));
    assert_memory_equal(part, expected, n);
    for (uint64_t v = n; v < 8; v++) assert_int_equal(part[v], 9);
}

static void refuse(const char *text, const char *words)
{
    uint8_t part[4] = {9, 9, 9, 9};
    if (text) write_text(text);
    BAD(ST_INPUT, words, partition_file_read(path, 4, 3, part, &err));
    for (int v = 0; v < 4; v++) assert_int_equal(part[v], 9); /* nothing is set */
}

static void test_one_per_line(void **state)
{
    (void)state;
    write_text("2\n0\n1\n2\n");
    expect(4, (const uint8_t[]){2, 0, 1, 2});
    write_text("# parts\n\n2\r\n 0 \n%x\n1\n2"); /* comments, blanks, no last line end */
    expect(4, (const uint8_t[]){2, 0, 1, 2});
    write_text("");
    expect(0, NULL);
}

static void test_pairs(void **state)
{
    (void)state;
    write_text("3 1\n0\t2\n2,0\n1 , 1\n");
    expect(4, (const uint8_t[]){2, 1, 0, 1});
}

static void test_npy(void **state)
{
    const int64_t wide[] = {0, 2, 1, 1}, beyond[] = {0, 3, 1, 1}, below[] = {0, -1, 1, 1};
    const uint8_t narrow[] = {2, 2, 0, 1};
    const float real[] = {0, 1, 2, 0};
    (void)state;
    GOOD(npy_save(path, "i8", 1, (const uint64_t[]){4}, wide, &err));
    expect(4, (const uint8_t[]){0, 2, 1, 1});
    GOOD(npy_save(path, "u1", 1, (const uint64_t[]){4}, narrow, &err));
    expect(4, narrow);
    GOOD(npy_save(path, "i8", 1, (const uint64_t[]){4}, beyond, &err));
    refuse(NULL, "element 1 is part 3; parts 0 to 2 were expected");
    GOOD(npy_save(path, "i8", 1, (const uint64_t[]){4}, below, &err));
    refuse(NULL, "element 1 is part -1");
    GOOD(npy_save(path, "f4", 1, (const uint64_t[]){4}, real, &err));
    refuse(NULL, "type f4");
    GOOD(npy_save(path, "i8", 1, (const uint64_t[]){3}, wide, &err));
    refuse(NULL, "has 3 elements");
    GOOD(npy_save(path, "i8", 2, (const uint64_t[]){2, 2}, wide, &err));
    refuse(NULL, "in 2 dimensions");
}

static void test_wrong_text(void **state)
{
    (void)state;
    refuse("0\n1\n2\n", "has parts of 3 vertices; the graph has 4");
    refuse("0\n1\n2\n0\n1\n", "line 5: the graph has 4 vertices");
    refuse("0\n1\n3\n0\n", "line 3: part 3; parts 0 to 2 were expected");
    refuse("0\n1\n-1\n0\n", "line 3: part -1");
    refuse("0\n1\nx\n0\n", "line 3: a part, one whole number, was expected");
    refuse("0\n1.5\n", "line 2: a part");
    refuse("0\n1 2\n", "line 2: a part");
    refuse("99999999999999999999\n", "line 1");
    refuse("0 1\n1\n", "line 2: a vertex and its part");
    refuse("0 1 2\n", "line 1");
    refuse("0 1\n1 1\n4 1\n", "line 3: vertex 4; vertices 0 to 3 were expected");
    refuse("0 1\n1 1\n1 2\n", "line 3: vertex 1 is listed twice");
    refuse("0 1\n1 1\n2 2\n", "has parts of 3 vertices");
    unlink(path);
    refuse(NULL, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_per_line), cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_npy), cmocka_unit_test(test_wrong_text)};
    char folder[] = "/tmp/hotset-parts-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    if (chdir("/") || rmdir(folder)) return 1;
    return failed;
}
