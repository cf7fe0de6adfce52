/* Rows in blocks of similar density: blocks hold what their items add up to, however many items there are. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "hwprofiles/model/server.h"
#include "planner/optimum/blocks.h"
#include "tests/unit/unit.h"

enum { MANY = 40000, SIZES = 7, LARGEST = 1000, RING = 8 };

static struct err err;
static struct server server;
static struct reach reach;
static int64_t indptr[MANY + 1];
static float saved[2][MANY], unread[MANY];
static const struct estimates estimates[2] = {{.topology = saved[0], .feature = unread},
                                              {.topology = saved[1], .feature = unread}};

/* A graph with rows of the degrees that `degree` names; feature rows are never read. */
static struct graph graph_of(uint64_t n, uint64_t (*degree)(uint64_t row))
{
    for (uint64_t v = 0; v < n; v++) indptr[v + 1] = indptr[v] + (int64_t)degree(v);
    return (struct graph){.n = n, .m = (uint64_t)indptr[n], .indptr = indptr, .row_bytes = 4};
}

/* Two cliques with links to each other; budgets of LARGEST bytes. divided: GPUs are the readers. */
static void two_cliques(bool divided)
{
    uint64_t budget[SERVER_GPUS_MAX];
    for (int g = 0; g < SERVER_GPUS_MAX; g++) budget[g] = LARGEST;
    GOOD(server_load("dgx-v100", &server, &err));
    GOOD(reach_make(&server, budget, false, divided, PATTERNS_MAX, &reach, &err));
}

static void drop(void)
{
    reach_release(&reach);
    server_release(&server);
}

/* Adds every item to the block that is found for it: what remains must be nothing. */
static void blocks_hold_their_items(const struct blocks *b, const struct items *items)
{
    uint64_t *left = test_calloc((size_t)b->count, sizeof *left), *count = test_calloc((size_t)b->count, sizeof *count);
    double *rate = test_calloc((size_t)(b->count * b->cliques), sizeof *rate);
    for (uint64_t x = 0; x < items_count(items); x++) {
        int at = blocks_find(b, items, x);
        bool read = false;
        for (int c = 0; c < b->cliques; c++) read |= items_rate(items, b->clique[c], x) > 0;
        assert_int_equal(at >= 0, read);
        if (!read) continue;
        assert_int_equal(at == b->too_large, items_bytes(items, x) > LARGEST);
        left[at] += items_bytes(items, x);
        count[at]++;
        for (int c = 0; c < b->cliques; c++)
            rate[at * b->cliques + c] += (double)items_rate(items, b->clique[c], x) * 0x1p-20;
    }
    for (int i = 0; i < b->count; i++) {
        assert_int_equal(left[i], b->bytes[i]);
        assert_int_equal(count[i], b->items[i]);
        for (int c = 0; c < b->cliques; c++)
            assert_float_equal(rate[i * b->cliques + c], b->rate[i * b->cliques + c], 1e-3);
    }
    test_free(left);
    test_free(count);
    test_free(rate);
}

/* 8 to 56 bytes in steps of 8, and one row in a thousand larger than any budget. */
static uint64_t mixed_degree(uint64_t x) { return x % 1000 == 7 ? LARGEST / 4 - 1 : 2 * (rng_hash(1, 2, x) % SIZES); }

/* Rates over 30 octaves for one clique and 8 for the other make thousands of the finest cells, which are merged. */
static void merged_cells_are_those_of_coarser_steps(void **state)
{
    struct graph graph = graph_of(MANY, mixed_degree);
    (void)state;
    two_cliques(false);
    for (uint64_t x = 0; x < MANY; x++) {
        double rate = ldexp(1 + rng_unit(1, 0, x), (int)(rng_hash(1, 1, x) % 30) - 15);
        saved[0][x] = x % 11 == 5 ? 0 : (float)rate;
        saved[1][x] = x % 13 == 5 ? 0 : (float)ldexp(rate * rng_unit(1, 3, x), -(int)(rng_hash(1, 4, x) % 8));
    }
    for (int threads = 1; threads <= 3; threads += 2) {
        struct items items = {.graph = &graph, .estimates = estimates, .threads = threads};
        struct blocks b;
        GOOD(blocks_make(&reach, 0, &items, NULL, NULL, 0, &b, &err));
        assert_int_equal(b.cliques, 2);
        assert_in_range(b.count, 50, BLOCKS_MAX);
        assert_true(b.level_shift > 0 && b.ratio_shift > 0 && !b.single);
        blocks_hold_their_items(&b, &items);
        blocks_release(&b);
    }
    drop();
}

static uint64_t few_degree(uint64_t x) { return x < BLOCKS_MAX ? 0 : LARGEST / 4; }

/* As many rows as blocks of their own, and some that fit nowhere: one block more. */
static void rows_that_fit_nowhere_are_one_more(void **state)
{
    enum { FEW = BLOCKS_MAX + 3 };
    struct graph graph = graph_of(FEW, few_degree);
    struct items items = {.graph = &graph, .estimates = estimates, .threads = 1};
    struct blocks b;
    (void)state;
    two_cliques(false);
    for (uint64_t x = 0; x < FEW; x++) saved[0][x] = saved[1][x] = (float)(x + 1);
    GOOD(blocks_make(&reach, 0, &items, NULL, NULL, 0, &b, &err));
    assert_true(b.single);
    assert_int_equal(b.count, BLOCKS_MAX + 1);
    assert_int_equal(b.items[b.too_large], FEW - BLOCKS_MAX);
    blocks_hold_their_items(&b, &items);
    blocks_release(&b);
    drop();
}

/* Eight GPUs in a ring, each of which reads two others: readers of their own, with many sets of copies. */
static void ring(void)
{
    char text[2000] = "{\"schema\": \"server/1\", \"name\": \"ring\", \"gpus\": [";
    uint64_t budget[SERVER_GPUS_MAX];
    for (int g = 0; g < RING; g++)
        text_append(text, sizeof text, "%s{\"id\": %d, \"memory_bytes\": 1000000}", g ? ", " : "", g);
    text_append(text, sizeof text, "], \"nvlinks\": [");
    for (int g = 0; g < RING; g++)
        text_append(text, sizeof text, "%s{\"a\": %d, \"b\": %d, \"links\": 1}", g ? ", " : "", g, (g + 1) % RING);
    text_append(text, sizeof text, "]}");
    for (int g = 0; g < SERVER_GPUS_MAX; g++) budget[g] = LARGEST;
    GOOD(server_load(put_file("ring.json", text, strlen(text)), &server, &err));
    GOOD(reach_make(&server, budget, false, true, PATTERNS_MAX, &reach, &err));
    assert_int_equal(reach.component[0].groups, RING);
}

/* Near its best pattern nearly every row has another set of patterns, and no widening of the steps makes these few: the
 * band narrows, and where more patterns than blocks are best for some row, rows are cut by density. */
static void near_patterns_are_made_few(void **state)
{
    static uint16_t share[2 * MANY * RING];
    static struct trace trace;
    struct graph graph = graph_of(MANY, mixed_degree);
    double price[SERVER_GPUS_MAX], weight[SERVER_GPUS_MAX];
    int narrowed = 0, by_density = 0;
    (void)state;
    ring();
    trace.assignment.gpus = RING;
    for (int g = 0; g < RING; g++) {
        trace.assignment.clique_of[g] = server.clique_of[g] % 2;
        price[g] = 0.03 * (1 + 0.01 * rng_unit(2, 9, (uint64_t)g));
        weight[g] = 1;
    }
    for (uint64_t x = 0; x < MANY; x++) saved[0][x] = saved[1][x] = (float)ldexp(1, (int)(rng_hash(2, 1, x) % 8) - 4);
    for (uint64_t i = 0; i < MANY * RING; i++) share[i] = (uint16_t)(rng_hash(2, 3, i) % 512);
    struct items items =
        {.graph = &graph, .estimates = estimates, .threads = 2, .trace = &trace, .share = share, .gpus = RING};
    for (double band = 0.0625; band <= 4; band *= 2) {
        struct blocks b;
        GOOD(blocks_make(&reach, 0, &items, price, weight, band, &b, &err));
        assert_in_range(b.count, 50, BLOCKS_MAX);
        blocks_hold_their_items(&b, &items);
        narrowed += b.by_prices && b.band < 64 * b.narrow;
        by_density += !b.by_prices;
        blocks_release(&b);
    }
    assert_true(narrowed > 0 && by_density > 0); /* each way out was taken */
    drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(merged_cells_are_those_of_coarser_steps),
                                       cmocka_unit_test(rows_that_fit_nowhere_are_one_more),
                                       cmocka_unit_test(near_patterns_are_made_few)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
