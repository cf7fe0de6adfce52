/* Policies that break the rules of placing: each is caught after place(), with a sentence that names it, and nothing is
 * made of its rows. */
#include "simulator/plan/plan_check.h"
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;
static struct policy faulty;
static const struct policy *honest;

/* What the policy does after it placed its rows honestly. Rows are 16 bytes; GPU 1 reads from its clique, GPUs 0..2;
 * GPU 3 is alone. */
static void (*fault)(struct plan *p);

static struct row_list *list_of(struct plan *p, int gpu) { return &p->placement.feature[gpu]; }

static void nothing(struct plan *p) { (void)p; }
static void id_of_no_vertex(struct plan *p) { list_of(p, 2)->id[1] = (uint32_t)graph.n; }
static void largest_id(struct plan *p) { list_of(p, 0)->id[0] = UINT32_MAX; }
static void same_row_twice(struct plan *p) { list_of(p, 1)->id[3] = list_of(p, 1)->id[0]; }
static void more_than_fits(struct plan *p)
{
    for (uint32_t v = 0; v < graph.n; v++) OK(row_list_add(&p->placement.topology[1], v, &err));
}
static void larger_budget(struct plan *p)
{
    p->budget[0] *= 2;
    more_than_fits(p);
}
static void peer_without_link(struct plan *p) { p->placement.peer[1][p->placement.peers[1]++] = 3; }
static void invented_link(struct plan *p)
{
    peer_without_link(p);
    p->links[1][3] = p->links[3][1] = 2;
}
static void its_own_peer(struct plan *p) { p->placement.peer[2][0] = 2; }
static void one_peer_twice(struct plan *p) { p->placement.peer[0][1] = p->placement.peer[0][0]; }
static void peer_of_no_place(struct plan *p) { p->placement.peer[0][1] = -1; }
static void many_peers(struct plan *p) { p->placement.peers[0] = GPUS_MAX; }
static void fewer_gpus(struct plan *p) { p->placement.gpus--; }

static enum st place(const struct policy_input *in, struct plan *p, struct policy_verdict *verdict, struct err *e)
{
    enum st st = honest->place(in, p, verdict, e);
    if (st == ST_OK) fault(p);
    return st;
}

/* The result of planning with that fault; what is said lies in err. */
static enum st plan_with(void (*what)(struct plan *p), int threads)
{
    struct dice d = {.at = 5};
    struct workload w = {.hops = 1, .fanout = {3}, .batch = 8, .seed = 1};
    struct study s;
    struct study_cell cell;
    fault = what;
    graph_shape(&graph, SHAPE_RANDOM, 60, &d, 4, 4);
    const int sizes[] = {3, 1, 0};
    server_cliques(&server, sizes, 64);
    case_cell(&cell, "quiver", 160);
    honest = cell.policy;
    faulty = *honest;
    faulty.name = "faulty";
    faulty.place = place;
    cell.policy = &faulty;
    struct study_options o = case_options(&graph, &server, &w, 1, 0, threads);
    study_begin(&s, &o);
    err_clear(&err);
    enum st st = study_plan_all(&s, &cell, 1, &err);
    if (st != ST_OK) assert_int_equal(held_rows(&cell.plan, false) + held_rows(&cell.plan, true), 0);
    study_cell_release(&cell);
    study_end(&s);
    graph_drop(&graph);
    return st;
}

static void every_fault_is_caught(void **state)
{
    static const struct {
        void (*fault)(struct plan *p);
        const char *said;
    } cases[] = {{id_of_no_vertex, "GPU 2 holds the feature row of vertex 60 (place 1 of its list), but the graph has "
                                   "60 vertices"},
                 {largest_id, "GPU 0 holds the feature row of vertex 4294967295"},
                 {same_row_twice, "twice, the second time at place 3"},
                 {more_than_fits, "but its budget is 160 (160 B)"},
                 {larger_budget, "the budget of GPU 0 is 160 bytes, and the policy changed it to 320"},
                 {peer_without_link, "GPU 1 reads rows of GPU 3, but no chain of NVLinks joins them"},
                 {invented_link, "0 NVLinks join GPU 1 and GPU 3, and the policy changed that to 2"},
                 {its_own_peer, "peer 0 of GPU 2 is the GPU at position 2, expected another GPU"},
                 {one_peer_twice, "peer 1 of GPU 0"},
                 {peer_of_no_place, "peer 1 of GPU 0 is the GPU at position -1"},
                 {many_peers, "there are 3 other GPUs"},
                 {fewer_gpus, "the server has 4 GPUs, the placement 3"}};
    (void)state;
    for (int threads = 1; threads <= 4; threads += 3) {
        OK(plan_with(nothing, threads));
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            assert_int_equal(plan_with(cases[i].fault, threads), ST_BUG);
            if (!strstr(err.text, "policy faulty made an invalid placement") || !strstr(err.text, cases[i].said))
                fail_msg("case %d says: %s", (int)i, err.text);
        }
    }
}

/* ---- the check alone ---- */

static void the_first_gpu_is_told_on_any_threads(void **state)
{
    static struct plan p;
    uint32_t bad[] = {7, 2, 7}, more[] = {1, 1};
    struct dice d = {.at = 9};
    (void)state;
    graph_shape(&graph, SHAPE_RANDOM, 40, &d, 4, 4);
    memset(&p, 0, sizeof p);
    p.assignment.gpus = p.placement.gpus = 8;
    for (int g = 0; g < 8; g++) {
        p.assignment.id[g] = 10 + g;
        p.budget[g] = 1000;
    }
    p.placement.feature[7] = (struct row_list){.id = bad, .count = 3};
    p.placement.feature[3] = (struct row_list){.id = more, .count = 2};
    for (int threads = 1; threads <= 8; threads++) {
        assert_int_equal(plan_check(&p, &graph, threads, &err), ST_INPUT);
        assert_non_null(strstr(err.text, "GPU 13 lists the feature row of vertex 1 twice"));
    }
    p.placement.feature[3].count = 1;
    p.placement.feature[7].count = 2;
    p.placement.topology[7] = (struct row_list){.id = bad, .count = 2}; /* a row of each kind is no duplicate */
    OK(plan_check(&p, &graph, 3, &err));
    uint64_t bytes = 8 + 4 * degree_of(&graph, 7) + 8 + 4 * degree_of(&graph, 2) + 2 * graph.row_bytes;
    p.budget[7] = bytes;
    OK(plan_check(&p, &graph, 3, &err));
    p.budget[7] = bytes - 1;
    assert_int_equal(plan_check(&p, &graph, 3, &err), ST_INPUT);
    graph_drop(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_fault_is_caught),
                                       cmocka_unit_test(the_first_gpu_is_told_on_any_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
