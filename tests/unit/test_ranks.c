/* What the environment says of ranks, and that one rank exchanges nothing. Several ranks: tests/cli/ranks.sh. */
#include <stdlib.h>
#include <string.h>

#include "base/ranks.h"
#include "tests/oracle/instance.h"

static struct err err;

static void mpirun_is_seen(void **state)
{
    static const struct {
        const char *text;
        int ranks;
    } cases[] = {{"4", 4}, {"1", 1}, {"0", 1}, {"-3", 1}, {"", 1}, {"four", 1}, {"4x", 1}, {"99999999999999999999", 1}};
    (void)state;
    unsetenv("OMPI_COMM_WORLD_SIZE");
    assert_false(ranks_by_mpirun());
    assert_int_equal(ranks_asked(), 1);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        setenv("OMPI_COMM_WORLD_SIZE", cases[i].text, 1);
        assert_int_equal(ranks_asked(), cases[i].ranks);
    }
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    assert_true(ranks_by_mpirun());
    setenv("OMPI_COMM_WORLD_RANK", "3", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    assert_int_equal(ranks_asked_number(), 0); /* of one process, though the job's number is still there */
    assert_int_equal(ranks_asked_here(), 2);
    unsetenv("OMPI_COMM_WORLD_SIZE");
    assert_int_equal(ranks_asked_number(), 0);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    assert_int_equal(ranks_asked_number(), 3);
    unsetenv("OMPI_COMM_WORLD_SIZE");
}

static void one_rank_has_everything(void **state)
{
    uint32_t counts[] = {1, UINT32_MAX};
    uint64_t wide[] = {UINT64_MAX}, least = 7;
    struct ranks_traffic traffic = {.bytes = 1};
    int alike = 0;
    (void)state;
    OK(ranks_begin(&err));
    assert_int_equal(ranks_count(), 1);
    assert_true(ranks_first());
    assert_int_equal(ranks_begin_of(10, 0), 0);
    assert_int_equal(ranks_begin_of(UINT64_MAX, 1), UINT64_MAX);
    OK(ranks_sum(counts, 2, true, &err));
    OK(ranks_sum_wide(wide, 1, &err));
    OK(ranks_least(&least, &err));
    OK(ranks_alike(&least, sizeof least, &alike, &err));
    assert_int_equal(alike, 1);
    OK(ranks_give(0, counts, sizeof counts, &err));
    assert_true(counts[0] == 1 && counts[1] == UINT32_MAX && wide[0] == UINT64_MAX && least == 7);
    OK(ranks_end(&traffic, &err));
    assert_true(traffic.bytes == 0 && traffic.memory == 0);
    ranks_abort(1); /* one rank goes on */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mpirun_is_seen), cmocka_unit_test(one_rank_has_everything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
