/* The orders of training vertices: stretches, blocks and mini-batches of small circles, by hand. */
#include <string.h>

#include "base/rng.h"
#include "tests/unit/unit.h"
#include "traces/recording/assignment.h"
#include "traces/sampling/order.h"
#include "traces/sampling/workload.h"

enum { N = 10, EPOCHS = 4000 };

/* A circle that is not ascending: 20, 27, 24, 21, .. */
static void circle_of(uint32_t out[N])
{
    for (uint32_t i = 0; i < N; i++) out[i] = 20 + i * 7 % N;
}

static void run(const struct order_rule *r, const uint32_t *ids, uint64_t epoch, uint32_t out[N])
{
    uint64_t room[2 * N];
    order_epoch(r, ids, N, epoch, room, out);
}

static int place_of(const uint32_t ids[N], uint32_t v)
{
    for (int i = 0; i < N; i++)
        if (ids[i] == v) return i;
    fail_msg("vertex %u is not in the circle", v);
    return -1;
}

static void is_permutation(const uint32_t ids[N], const uint32_t out[N])
{
    int seen = 0;
    for (int i = 0; i < N; i++) seen |= 1 << place_of(ids, out[i]);
    assert_int_equal(seen, (1 << N) - 1);
}

/* The order of a list does not matter; another epoch, GPU or seed gives another order. */
static void shuffles(void **state)
{
    (void)state;
    uint32_t ids[N], backwards[N], a[N], b[N];
    struct order_rule r = {.kind = ORDER_SHUFFLE, .batch = 4, .seed = 5, .gpu = 1};
    circle_of(ids);
    for (int i = 0; i < N; i++) backwards[i] = ids[N - 1 - i];
    run(&r, ids, 3, a);
    run(&r, backwards, 3, b);
    assert_memory_equal(a, b, sizeof a);
    is_permutation(ids, a);
    run(&r, ids, 4, b);
    assert_memory_not_equal(a, b, sizeof a);
    r.gpu = 2;
    run(&r, ids, 3, b);
    assert_memory_not_equal(a, b, sizeof a);
}

/* Recordings and plans are made again by the same seed: the order stays what it was. Worked out by a program of its
 * own from the definition of Philox4x32-10 (checked with its published answer for zeros): ascending first word of the
 * counter (vertex, "shuf", GPU and epoch, "ordn"). */
static void the_order_of_a_seed_stays(void **state)
{
    static const uint32_t expected[N] = {24, 27, 25, 23, 26, 28, 20, 22, 29, 21};
    const struct order_rule r = {.kind = ORDER_SHUFFLE, .batch = 4, .seed = 5, .gpu = 1};
    uint32_t ids[N], out[N];
    (void)state;
    struct rng_block zeros = rng_philox(0, 0, 0, 0, 0);
    assert_int_equal(zeros.word[0], 0x6627e8d5);
    assert_int_equal(zeros.word[3], 0x9b00dbd8);
    circle_of(ids);
    run(&r, ids, 3, out);
    assert_memory_equal(out, expected, sizeof out);
}

/* BFS: the circle from a place on that is uniform over epochs: 400 of 4000 each, standard deviation 19. */
static void rotates(void **state)
{
    (void)state;
    uint32_t ids[N], out[N];
    int count[N] = {0};
    const struct order_rule r = {.kind = ORDER_BFS, .batch = 4, .seed = 5};
    circle_of(ids);
    for (uint64_t e = 0; e < EPOCHS; e++) {
        run(&r, ids, e, out);
        int first = place_of(ids, out[0]);
        count[first]++;
        for (int i = 0; i < N; i++) assert_int_equal(out[i], ids[(first + i) % N]);
    }
    for (int i = 0; i < N; i++) assert_in_range(count[i], 300, 500);
}

/* batch 4, K = 2: blocks of 2 neighbours on the circle, all from the entrance on, so N / 2 of them; a mini-batch is two
 * whole blocks, the last one block. */
static void two_blocks_share_a_mini_batch(void **state)
{
    (void)state;
    uint32_t ids[N], out[N];
    int together[5][5] = {{0}}, inside = 0;
    const struct order_rule r = {.kind = ORDER_BLOCKS, .batch = 4, .blocks = 2, .seed = 9, .gpu = 3};
    circle_of(ids);
    assert_int_equal(order_block(&r), 2);
    for (uint64_t e = 0; e < EPOCHS; e++) {
        run(&r, ids, e, out);
        is_permutation(ids, out);
        uint64_t first = rng_hash(9, 0x726f7461, (uint64_t)3 << 24 | e) % N;
        int block[N];
        for (int i = 0; i < N; i++) block[i] = (int)(((uint64_t)place_of(ids, out[i]) + N - first) % N / 2);
        for (int b = 0; b < N; b += 4) {
            int held[5] = {0}, size = N - b < 4 ? N - b : 4;
            for (int i = b; i < b + size; i++) held[block[i]]++;
            for (int k = 0; k < 5; k++) assert_true(held[k] == 0 || held[k] == 2);
        }
        together[block[8]][block[9]]++; /* the last mini-batch is one block */
        inside += block[0] == block[1];
    }
    for (int k = 0; k < 5; k++) assert_in_range(together[k][k], 680, 920); /* each last in a fifth: 800, deviation 25 */
    assert_in_range(inside, 1200, 1470); /* mixed: a block's two are the first two in a third: 1333, deviation 30 */
}

/* K = 1: a mini-batch is a stretch of the circle. batch 5, K = 2: blocks of 2, so that the third is torn in two. K =
 * batch: blocks of 1. */
static void rounds_down(void **state)
{
    (void)state;
    uint32_t ids[N], out[N];
    struct order_rule r = {.kind = ORDER_BLOCKS, .batch = 5, .blocks = 1, .seed = 9};
    circle_of(ids);
    for (uint64_t e = 0; e < 100; e++) {
        run(&r, ids, e, out);
        uint64_t first = rng_hash(9, 0x726f7461, e) % N;
        for (int b = 0; b < N; b += 5) {
            int half = ((place_of(ids, out[b]) + N - (int)first) % N) / 5;
            for (int i = b; i < b + 5; i++) assert_int_equal(((place_of(ids, out[i]) + N - (int)first) % N) / 5, half);
        }
    }
    r.blocks = 2;
    assert_int_equal(order_block(&r), 2);
    run(&r, ids, 0, out);
    is_permutation(ids, out);
    r.blocks = 5;
    assert_int_equal(order_block(&r), 1);
    r.blocks = 77;
    assert_int_equal(order_block(&r), 1);
    run(&r, ids, 0, out);
    is_permutation(ids, out);
}

static void one_and_none(void **state)
{
    (void)state;
    uint32_t id = 8, out = 0;
    uint64_t room[2];
    for (int k = 0; k < ORDER_KINDS; k++) {
        const struct order_rule r = {.kind = (enum order_kind)k, .batch = 3, .blocks = 3, .seed = 1};
        order_epoch(&r, &id, 1, 0, room, &out);
        assert_int_equal(out, 8);
        order_epoch(&r, NULL, 0, 0, room, NULL);
    }
}

static void words(void **state)
{
    (void)state;
    static const char *const good[] = {"shuffle", "bfs", "blocks:1", "blocks:16"},
                             *const bad[] = {"blocks:0", "blocks:17", "blocks:", "blocks", "blocks:-1", "dfs", ""};
    struct workload w = {.batch = 16};
    struct err err = {0};
    char text[ORDER_TEXT];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(workload_set_order(&w, good[i], "--order", &err), ST_OK);
        assert_string_equal(workload_order_text(&w, text), good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(workload_set_order(&w, bad[i], "--order", &err), ST_USAGE);
    w.edge_share = 0.5;
    assert_int_equal(workload_set_order(&w, "blocks:2", "--order", &err), ST_USAGE);
    assert_int_equal(workload_set_order(&w, "shuffle", "--order", &err), ST_OK);
}

static void circles(void **state)
{
    (void)state;
    const uint32_t train[] = {9, 2, 5}, good[] = {5, 9, 2}, twice[] = {5, 5, 2}, foreign[] = {5, 9, 3};
    struct assignment a = {.gpus = 1, .cliques = 1}, b = {0};
    struct err err = {0};
    assert_int_equal(assignment_set_train(&a, 0, train, 3, 10, "t", &err), ST_OK);
    assert_ptr_equal(assignment_seeds(&a, 0), a.train[0]);
    assert_int_equal(assignment_set_circle(&a, 0, twice, 3, "t", &err), ST_INPUT);
    assert_int_equal(assignment_set_circle(&a, 0, foreign, 3, "t", &err), ST_INPUT);
    assert_int_equal(assignment_set_circle(&a, 0, good, 2, "t", &err), ST_INPUT);
    assert_null(a.circle[0]);
    assert_int_equal(assignment_set_circle(&a, 0, good, 3, "t", &err), ST_OK);
    assert_memory_equal(assignment_seeds(&a, 0), good, sizeof good);
    assert_int_equal(assignment_copy(&a, &b, &err), ST_OK);
    assert_memory_equal(assignment_seeds(&b, 0), good, sizeof good);
    assert_ptr_not_equal(a.circle[0], b.circle[0]);
    assignment_drop_circles(&b);
    assert_ptr_equal(assignment_seeds(&b, 0), b.train[0]);
    assignment_release(&a);
    assignment_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shuffles),    cmocka_unit_test(the_order_of_a_seed_stays),
                                       cmocka_unit_test(rotates),     cmocka_unit_test(two_blocks_share_a_mini_batch),
                                       cmocka_unit_test(rounds_down), cmocka_unit_test(one_and_none),
                                       cmocka_unit_test(words),       cmocka_unit_test(circles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
