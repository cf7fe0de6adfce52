/* Cliques against brute force, and graphs that are hard for branch and bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "base/progress.h"
#include "base/rng.h"
#include "hwprofiles/model/server.h"
#include "hwprofiles/model/server_cliques.h"
#include "hwprofiles/model/server_reach.h"

static struct server server; /* too large for some stacks */

static void join(int a, int b) { server.links[a][b] = server.links[b][a] = 1; }
static void empty(int gpus)
{
    memset(&server, 0, sizeof server);
    server.gpus = gpus;
}

/* Best subset of `left`: largest, then smallest as a sorted list, which is the one whose reversed bits are largest. */
static unsigned brute(unsigned left)
{
    unsigned best = 0;
    for (unsigned s = left; s; s = (s - 1) & left) {
        bool clique = true;
        for (int i = 0; i < server.gpus && clique; i++)
            for (int j = 0; j < i && clique; j++)
                if ((s >> i & 1) && (s >> j & 1)) clique = server.links[i][j];
        if (!clique || __builtin_popcount(s) < __builtin_popcount(best)) continue;
        if (__builtin_popcount(s) == __builtin_popcount(best)) {
            unsigned differ = s ^ best, first = differ & -differ;
            if (!(s & first)) continue;
        }
        best = s;
    }
    return best;
}

static void same_as_brute_force(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 400; round++) {
        int n = 1 + (int)(rng_hash(1, 7, round) % 10), share = (int)(rng_hash(2, 7, round) % 100);
        unsigned left = (1u << n) - 1;
        empty(n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                if ((int)(rng_hash(3 + round, (uint32_t)i, (uint64_t)j) % 100) < share) join(i, j);
        server_find_cliques(&server);
        for (int k = 0; k < server.cliques; k++) {
            unsigned want = brute(left), got = 0;
            for (int i = 0; i < server.clique_size[k]; i++) {
                got |= 1u << server.clique[k][i];
                assert_int_equal(server.clique_of[server.clique[k][i]], k);
                if (i) assert_true(server.clique[k][i - 1] < server.clique[k][i]);
            }
            if (got != want) print_error("round %d: clique %d is %x, not %x\n", (int)round, k, got, want);
            assert_int_equal(got, want);
            left &= ~got;
        }
        assert_int_equal(left, 0);
    }
}

/* Every pair is joined but for cycles of `length` and chords of `step`: colouring bounds are weak here. */
static void joined_but_cycles(int length, int step)
{
    empty(SERVER_GPUS_MAX / length * length);
    for (int i = 0; i < server.gpus; i++)
        for (int j = 0; j < i; j++) {
            int d = (i - j) % length;
            bool stranger = i / length == j / length && (d == 1 || d == length - 1 || d == step || d == length - step);
            if (!stranger) join(i, j);
        }
}

static void hard_graphs_are_fast(void **state)
{
    (void)state;
    double start = clock_seconds();
    for (int length = 3; length <= 12; length++)
        for (int step = 1; step <= length / 2; step++) {
            joined_but_cycles(length, step);
            server_find_cliques(&server);
            if (step == 1 && length >= 4)
                assert_int_equal(server.clique_size[0], SERVER_GPUS_MAX / length * (length / 2));
        }
    for (int share = 5; share < 100; share += 5) {
        empty(SERVER_GPUS_MAX);
        for (int i = 0; i < SERVER_GPUS_MAX; i++)
            for (int j = 0; j < i; j++)
                if ((int)(rng_hash(99, (uint32_t)i, (uint64_t)j) % 100) < share) join(i, j);
        server_find_cliques(&server);
    }
    assert_true(clock_seconds() - start < 60);
}

static void known_machines(void **state)
{
    (void)state;
    empty(4); /* the cycle 0-1-3-2: a tie, the smaller ids win */
    join(0, 1), join(1, 3), join(3, 2), join(2, 0);
    server_find_cliques(&server);
    assert_int_equal(server.cliques, 2);
    assert_int_equal(server.clique[0][1], 1);
    empty(3); /* the bridged pair goes first, though GPU0 is alone */
    join(1, 2);
    server_find_cliques(&server);
    assert_int_equal(server.clique_of[0], 1);
    assert_int_equal(server.clique_size[0], 2);
}

/* 0 - 1 - 2 in a row, 3 and 4 alone; 0 and 3 below one switch, 1 below another, those of 2 and 4 are unknown. */
static void reach_makes_the_cliques(void **state)
{
    static const struct {
        enum server_reach reach;
        int cliques, first; /* cliques; size of the first one */
        bool reads_01, reads_02, reads_03, reads_23;
    } cases[] = {{REACH_DEFAULT, 4, 2, true, false, false, false},
                 {REACH_OWN, 5, 1, false, false, false, false},
                 {REACH_DIRECT, 4, 2, true, false, false, false},
                 {REACH_FORWARD, 3, 3, true, true, false, false},
                 {REACH_P2P, 3, 3, true, true, true, false}};
    struct err err = {0};
    (void)state;
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        empty(5);
        for (int g = 0; g < 5; g++) server.gpu[g].pcie_switch = g == 2 || g == 4 ? -1 : g == 1;
        join(0, 1);
        join(1, 2);
        assert_int_equal(server_set_reach(&server, cases[i].reach, &err), ST_OK);
        assert_int_equal(server.cliques, cases[i].cliques);
        assert_int_equal(server.clique_size[0], cases[i].first);
        assert_int_equal(server_reads(&server, 0, 1), cases[i].reads_01);
        assert_int_equal(server_reads(&server, 2, 0), cases[i].reads_02);
        assert_int_equal(server_reads(&server, 0, 3), cases[i].reads_03);
        assert_int_equal(server_reads(&server, 2, 3), cases[i].reads_23);
        assert_false(server_reads(&server, 2, 4)); /* two unknown switches are not the same one */
        assert_false(server_reads(&server, 1, 1));
    }
    for (int g = 0; g < 5; g++) server.gpu[g].pcie_switch = -1;
    assert_int_equal(server_set_reach(&server, REACH_P2P, &err), ST_USAGE);
    assert_int_equal(reach_of("forward"), REACH_FORWARD);
    assert_int_equal(reach_of(NULL), REACH_DEFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reach_makes_the_cliques), cmocka_unit_test(same_as_brute_force),
                                       cmocka_unit_test(hard_graphs_are_fast), cmocka_unit_test(known_machines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
