/* engine/redeal.h: which node goes on with which part, by bytes counted on paper. */
#include "planner/engine/redeal.h"

#include "tests/unit/unit.h"

/* A circle of six vertices; each has the next one as its only neighbour. Topology rows take 12 bytes, features 4. */
static int64_t indptr[7] = {0, 1, 2, 3, 4, 5, 6};
static uint32_t indices[6] = {1, 2, 3, 4, 5, 0};

static struct graph circle(uint32_t *train, uint64_t count)
{
    struct graph g = {.n = 6, .m = 6, .indptr = indptr, .indices = indices, .train = train, .train_count = count};
    g.feature_dim = 1;
    g.feature_bytes = g.row_bytes = 4;
    return g;
}

static void hold(struct row_list *l, uint32_t *ids, uint64_t count)
{
    l->id = ids;
    l->count = count;
}

/* Node 0 has rows 3 4 5, node 1 has 0 1 2. Part 0 trains 0 and 1, which read 0 1 1 2, part 1 trains 3 and 4. */
static void test_nodes(void **state)
{
    (void)state;
    static uint32_t trains[2][2] = {{0, 1}, {3, 4}}, low[3] = {0, 1, 2}, high[3] = {3, 4, 5}, two[2] = {0, 1};
    struct graph g = circle(low, 3), part[2] = {circle(trains[0], 2), circle(trains[1], 2)};
    static struct plan plan[2];
    static struct plan_places places[2];
    const struct plan *held[2] = {&plan[0], &plan[1]};
    const struct graph *of[2] = {&part[0], &part[1]};
    struct err e = {0};
    int by[2];
    for (int n = 0; n < 2; n++) {
        plan[n].placement.gpus = plan[n].assignment.gpus = 1;
        plan[n].places = &places[n];
        places[n].places = 1;
        places[n].place[0].kind = PLACE_KIND_DRAM;
        hold(&places[n].list[LIST_FEATURE][0], n ? low : high, 3);
    }
    assert_int_equal(redeal_match_nodes(&g, held, of, 2, 1, by, &e), ST_OK);
    assert_int_equal(by[0], 1);
    assert_int_equal(by[1], 0);
    /* Part 0 finds 16 bytes in the DRAM of node 1, and on the GPU of node 0 topology rows of 0 and 1, of which it reads
     * 3: 36. */
    hold(&plan[0].placement.topology[0], two, 2);
    assert_int_equal(redeal_match_nodes(&g, held, of, 2, 1, by, &e), ST_OK);
    assert_int_equal(by[0], 0); /* 36 + 0; the other way round 16 + 16 */
    assert_int_equal(by[1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
