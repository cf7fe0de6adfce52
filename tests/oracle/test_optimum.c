/* The optimum and its bound against the best of all placements, on tiny servers of any links, unequal budgets and
 * rows of any size. */
#include <math.h>

#include "planner/optimum/bound.h"
#include "planner/optimum/optimum_glpk.h"
#include "planner/policies/place_optimum.h"
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;
static struct reach reach;
static struct plan plan;
static struct estimates estimates[GPUS_MAX];
static uint64_t budget[GPUS_MAX];

enum { UNIT = 4, MOST_UNITS = 13 }; /* every row and budget is a multiple of 4 bytes */

/* ---- instances ---- */

static void make_estimates(struct dice *d, int zeros)
{
    for (int c = 0; c < server.cliques; c++) {
        estimates[c].topology = calloc(graph.n, sizeof(float));
        estimates[c].feature = calloc(graph.n, sizeof(float));
        for (uint64_t v = 0; v < graph.n; v++) { /* multiples of 1/16 over three decades: exact in every sum */
            if (!dice_chance(d, zeros / 10.0))
                estimates[c].topology[v] = (float)(dice_range(d, 1, 1u << dice_below(d, 12)) / 16.0);
            if (!dice_chance(d, zeros / 10.0))
                estimates[c].feature[v] = (float)(dice_range(d, 1, 1u << dice_below(d, 12)) / 16.0);
        }
    }
}

static void make_instance(uint64_t seed, uint64_t vertices, int gpus)
{
    struct dice d = {seed};
    double density = (double)dice_below(&d, 5) / 4;
    server_of(&server, gpus, 64);
    for (int a = 0; a < gpus; a++) {
        server.gpu[a].pcie_switch = dice_chance(&d, 0.8) ? (int)dice_below(&d, 2) : -1;
        for (int b = 0; b < a; b++)
            if (dice_chance(&d, density)) server_join(&server, a, b, 1);
    }
    server_find_cliques(&server);
    graph_shape(&graph, SHAPE_RANDOM, vertices, &d, dice_range(&d, 1, 5), 4);
    make_estimates(&d, (int)dice_below(&d, 5));
    bool equal = dice_chance(&d, 0.3);
    for (int g = 0; g < gpus; g++) budget[g] = equal && g ? budget[0] : UNIT * dice_below(&d, MOST_UNITS);
    memset(&plan, 0, sizeof plan);
    plan.placement.gpus = gpus;
    memcpy(plan.budget, budget, sizeof plan.budget);
}

static void drop_instance(void)
{
    for (int c = 0; c < server.cliques; c++) {
        free(estimates[c].topology);
        free(estimates[c].feature);
    }
    memset(estimates, 0, sizeof estimates);
    placement_release(&plan.placement);
    reach_release(&reach);
    graph_drop(&graph);
}

static struct items items_of(int threads)
{
    return (struct items){.graph = &graph, .estimates = estimates, .threads = threads};
}

/* ---- the slow truth ---- */

static uint64_t plain_bytes(uint64_t x) { return x < graph.n ? 4 * degree_of(&graph, x) + 8 : graph.row_bytes; }
static double plain_rate(int clique, uint64_t x)
{
    return (double)(x < graph.n ? estimates[clique].topology[x] : estimates[clique].feature[x - graph.n]);
}

/* What GPU i reads of row x from the host when the GPUs of the set hold it. */
static double plain_reads(int i, uint64_t x, unsigned set)
{
    int members = 0;
    for (int g = 0; g < server.gpus; g++) {
        members += server.clique_of[g] == server.clique_of[i];
        if (set >> g & 1 && (g == i || server.links[g][i])) return 0;
    }
    return plain_rate(server.clique_of[i], x) / members;
}

static double plain_cost(uint64_t x, unsigned set)
{
    double sum = 0;
    for (int i = 0; i < server.gpus; i++) sum += plain_reads(i, x, set);
    return sum;
}

/* The best placement: f[room of every GPU] after the rows from x on, for every room. */
static double best_of_all(void)
{
    int gpus = server.gpus, sets = 1 << gpus;
    uint64_t size[GPUS_MAX], stride[GPUS_MAX], states = 1;
    for (int g = 0; g < gpus; g++) {
        size[g] = budget[g] / UNIT + 1;
        stride[g] = states;
        states *= size[g];
    }
    double *now = calloc(states, sizeof *now), *next = calloc(states, sizeof *next);
    for (uint64_t x = 0; x < 2 * graph.n; x++) {
        uint64_t units = plain_bytes(x) / UNIT;
        double cost[16];
        for (int s = 0; s < sets; s++) cost[s] = plain_cost(x, (unsigned)s);
        for (uint64_t at = 0; at < states; at++) {
            next[at] = INFINITY;
            for (int s = 0; s < sets; s++) {
                uint64_t from = at;
                bool fits = true;
                for (int g = 0; g < gpus && fits; g++) {
                    if (!(s >> g & 1)) continue;
                    fits = at / stride[g] % size[g] >= units;
                    from -= stride[g] * units;
                }
                if (fits && now[from] + cost[s] < next[at]) next[at] = now[from] + cost[s];
            }
        }
        double *other = now;
        now = next;
        next = other;
    }
    double best = now[states - 1];
    free(now);
    free(next);
    return best;
}

/* Which GPUs hold row x. */
static unsigned holders(uint64_t x)
{
    unsigned set = 0;
    for (int g = 0; g < server.gpus; g++) {
        const struct row_list *l = x < graph.n ? &plan.placement.topology[g] : &plan.placement.feature[g];
        for (uint64_t i = 0; i < l->count; i++)
            if (l->id[i] == x % graph.n) set |= 1u << g;
    }
    return set;
}

static double placed_cost(uint64_t seed)
{
    double sum = 0;
    uint64_t used[GPUS_MAX] = {0};
    for (uint64_t x = 0; x < 2 * graph.n; x++) {
        unsigned set = holders(x);
        sum += plain_cost(x, set);
        for (int g = 0; g < server.gpus; g++) used[g] += set >> g & 1 ? plain_bytes(x) : 0;
    }
    for (int g = 0; g < server.gpus; g++)
        HOLDS(used[g] <= budget[g], "seed %d: GPU %d holds more than its budget", (int)seed, g);
    return sum;
}

/* No copy is left out that would spare something and has room. */
static void nothing_is_left_to_fill(uint64_t seed)
{
    uint64_t room[GPUS_MAX];
    memcpy(room, budget, sizeof room);
    for (uint64_t x = 0; x < 2 * graph.n; x++)
        for (int g = 0; g < server.gpus; g++) room[g] -= holders(x) >> g & 1 ? plain_bytes(x) : 0;
    for (uint64_t x = 0; x < 2 * graph.n; x++)
        for (int g = 0; g < server.gpus; g++) {
            unsigned set = holders(x);
            HOLDS(room[g] < plain_bytes(x) || plain_cost(x, set | 1u << g) >= plain_cost(x, set),
                  "seed %d: GPU %d has room for row %d", (int)seed, g, (int)x);
        }
}

static double max_row_lines(void)
{
    double most = 0;
    for (uint64_t x = 0; x < 2 * graph.n; x++) most = fmax(most, plain_cost(x, 0));
    return most;
}

static void place_all(const struct optimum *x, const struct items *items, int threads)
{
    struct policy_input in = {.graph = &graph,
                              .server = &server,
                              .kernels = &kernels_cpu,
                              .threads = threads,
                              .estimates = estimates};
    OK(optimum_place(&in, &reach, items, x, &plan, &err));
}

/* ---- tests ---- */

static void judge(uint64_t seed)
{
    struct items items = items_of(1);
    struct optimum x = {0};
    struct optimum_options o = {0};
    OK(reach_make(&server, budget, false, false, PATTERNS_MAX, &reach, &err));
    OK(optimum_solve(&reach, &items, &o, &x, &err));
    place_all(&x, &items, 1);
    double best = best_of_all(), placed = placed_cost(seed), close = 1e-5 * (1 + best);
    HOLDS(x.bound <= best + close, "seed %d: a placement with %.6f beats the bound %.6f", (int)seed, best, x.bound);
    HOLDS(x.bound >= best - max_row_lines() * server.gpus - close, "seed %d: the bound %.6f is far below the best %.6f",
          (int)seed, x.bound, best);
    HOLDS(x.value >= x.bound - close, "seed %d: the program has %.6f, its bound is %.6f", (int)seed, x.value, x.bound);
    nothing_is_left_to_fill(seed);
    HOLDS(placed >= best - close, "seed %d: %.6f is better than the best of all, %.6f", (int)seed, placed, best);
    HOLDS(placed <= best + max_row_lines() + close, "seed %d: leaves %.6f, the best %.6f, the dearest row %.6f",
          (int)seed, placed, best, max_row_lines());
    optimum_release(&x, reach.components);
}

static void nothing_beats_the_bound(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    for (uint64_t i = 0; i < test_rounds(150); i++) {
        uint64_t seed = test_seed(i);
        make_instance(seed, 2 + seed % 5, 1 + (int)(seed % 4));
        judge(seed);
        drop_instance();
    }
}

/* Weak duality: whatever the prices and with however few patterns listed. */
static void any_prices_bound(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(150); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed ^ 77};
        double price[GPUS_MAX] = {0}, weight[GPUS_MAX] = {1};
        struct bound few, all;
        make_instance(seed, 1 + seed % 5, 1 + (int)(seed % 4));
        struct items items = items_of(1);
        for (int k = 0; k < server.gpus; k++)
            price[k] = dice_chance(&d, 0.2) ? 0 : (double)dice_below(&d, 64) / (1 + (double)dice_below(&d, 64));
        OK(reach_make(&server, budget, false, false, 1, &reach, &err));
        for (int k = 0; k < reach.components; k++) reach.component[k].complete = false; /* the weaker way */
        OK(bound_at(&reach, &items, price, weight, &few, &err));
        reach_release(&reach);
        OK(reach_make(&server, budget, false, false, PATTERNS_MAX, &reach, &err));
        OK(bound_at(&reach, &items, price, weight, &all, &err));
        double best = best_of_all();
        HOLDS(all.value <= best + 1e-5, "seed %d: bound %.6f, best %.6f", (int)seed, all.value, best);
        HOLDS(few.value <= all.value + 1e-3, "seed %d: the weaker bound %.6f is above the other one, %.6f", (int)seed,
              few.value, all.value);
        HOLDS(!few.whole && all.whole, "seed %d", (int)seed);
        drop_instance();
    }
}

static double busiest(const unsigned *set)
{
    double most = 0;
    for (int l = 0; l < reach.links; l++) {
        double sum = 0;
        for (int i = 0; i < server.gpus; i++)
            for (uint64_t x = 0; reach.switch_of_group[reach.group_of[i]] == l && x < 2 * graph.n; x++)
                sum += plain_reads(i, x, set[x]);
        most = fmax(most, sum);
    }
    return most;
}

/* All placements of 4 rows, by counting. */
static double least_busiest(void)
{
    unsigned set[4];
    double best = INFINITY;
    for (unsigned number = 0; number < 1u << 4 * server.gpus; number++) {
        uint64_t used[4] = {0};
        bool fits = true;
        for (int x = 0; x < 4; x++) {
            set[x] = number >> x * server.gpus & ((1u << server.gpus) - 1);
            for (int g = 0; g < server.gpus; g++) used[g] += set[x] >> g & 1 ? plain_bytes((uint64_t)x) : 0;
        }
        for (int g = 0; g < server.gpus; g++) fits &= used[g] <= budget[g];
        if (fits) best = fmin(best, busiest(set));
    }
    return best;
}

static void no_placement_has_a_less_busy_switch(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i);
        struct optimum x = {0};
        struct optimum_options o = {.objective = OBJECTIVE_SLOWEST};
        struct placement_cost cost;
        make_instance(seed, 2, 1 + (int)(seed % 4));
        struct items items = items_of(1);
        OK(reach_make(&server, budget, true, false, PATTERNS_MAX, &reach, &err));
        OK(optimum_solve(&reach, &items, &o, &x, &err));
        double best = least_busiest();
        HOLDS(x.bound <= best + 1e-5, "seed %d: a placement with %.6f beats the bound %.6f", (int)seed, best, x.bound);
        HOLDS(x.bound >= 0.2 * (best - 2 * max_row_lines()), "seed %d: the bound %.6f is far below the best %.6f",
              (int)seed, x.bound, best);
        place_all(&x, &items, 1);
        for (int g = 0; g < server.gpus; g++)
            for (int h = 0; h < server.gpus; h++)
                if (h != g && server.links[g][h]) plan.placement.peer[g][plan.placement.peers[g]++] = h;
        OK(bound_cost(&reach, &items, &plan.placement, &cost, &err));
        unsigned set[4];
        for (uint64_t v = 0; v < 4; v++) set[v] = holders(v);
        HOLDS(fabs(cost.slowest - busiest(set)) < 1e-4, "seed %d: busiest switch %.6f, by hand %.6f", (int)seed,
              cost.slowest, busiest(set));
        HOLDS(fabs(cost.total - placed_cost(seed)) < 1e-4, "seed %d: %.6f, by hand %.6f", (int)seed, cost.total,
              placed_cost(seed));
        optimum_release(&x, reach.components);
        drop_instance();
    }
}

/* Skewed rates on `name`, some more than a block each can hold. */
static void make_skewed(const char *name, uint64_t vertices, double share)
{
    struct dice d = {5};
    OK(server_load(name, &server, &err));
    graph_shape(&graph, SHAPE_HUBS, vertices, &d, 16, 4);
    for (int c = 0; c < server.cliques; c++) {
        estimates[c].topology = calloc(vertices, sizeof(float));
        estimates[c].feature = calloc(vertices, sizeof(float));
        for (uint64_t v = 0; v < vertices; v++) {
            double rank = 1 + (double)dice_below(&d, vertices);
            estimates[c].topology[v] = (float)(1e4 / pow(rank, 0.8));
            estimates[c].feature[v] = (float)(2e4 / pow(1 + (double)dice_below(&d, vertices), 0.9) + 5e3 / rank);
        }
    }
    memset(&plan, 0, sizeof plan);
    plan.placement.gpus = server.gpus;
    for (int g = 0; g < server.gpus; g++)
        plan.budget[g] = budget[g] = (uint64_t)(share * (double)graph_total_bytes(&graph));
}

static void solve_skewed(int threads, struct optimum *x)
{
    struct items items = items_of(threads);
    struct optimum_options o = {0};
    OK(reach_make(&server, budget, false, false, PATTERNS_MAX, &reach, &err));
    OK(optimum_solve(&reach, &items, &o, x, &err));
}

static void cross_links_are_worth_something(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    struct optimum with = {0}, without = {0};
    make_skewed("dgx-v100", 3000, 0.05);
    solve_skewed(2, &with);
    HOLDS(with.bound > 0 && with.value >= with.bound && with.value <= with.bound * 1.001,
          "the program has %.1f, the bound is %.1f", with.value, with.bound);
    struct items items = items_of(2);
    place_all(&with, &items, 2);
    double placed = placed_cost(0);
    HOLDS(placed >= with.bound && placed <= with.bound * 1.003, "the rows placed leave %.1f, the bound is %.1f", placed,
          with.bound);
    double bound = with.bound;
    optimum_release(&with, reach.components);
    reach_release(&reach);
    for (int a = 0; a < server.gpus; a++)
        for (int b = 0; b < server.gpus; b++)
            if (server.clique_of[a] != server.clique_of[b]) server.links[a][b] = 0;
    solve_skewed(2, &without);
    HOLDS(bound < 0.97 * without.bound, "%.1f with the links between the cliques, %.1f without", bound, without.bound);
    optimum_release(&without, reach.components);
    server_release(&server);
    drop_instance();
}

/* Patterns that are alike take turns, so switches stay in balance when shares become rows. */
static void switches_stay_in_balance(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    struct optimum x = {0};
    struct optimum_options o = {.objective = OBJECTIVE_SLOWEST};
    struct placement_cost cost;
    make_skewed("dgx-v100", 5000, 0.05);
    struct items items = items_of(2);
    OK(reach_make(&server, budget, true, false, PATTERNS_MAX, &reach, &err));
    OK(optimum_solve(&reach, &items, &o, &x, &err));
    place_all(&x, &items, 2);
    for (int g = 0; g < server.gpus; g++)
        for (int h = 0; h < server.gpus; h++)
            if (h != g && server.links[g][h]) plan.placement.peer[g][plan.placement.peers[g]++] = h;
    OK(bound_cost(&reach, &items, &plan.placement, &cost, &err));
    HOLDS(x.value >= x.bound && x.value <= 1.0001 * x.bound, /* columns that pay a little are priced, too */
          "the program has %.1f, the bound is %.1f", x.value, x.bound);
    HOLDS(cost.slowest >= x.bound && cost.slowest <= 1.005 * x.bound, "busiest switch %.1f, bound %.1f", cost.slowest,
          x.bound);
    optimum_release(&x, reach.components);
    server_release(&server);
    drop_instance();
}

static void threads_do_not_show(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    struct placement first = {0};
    double bound = 0;
    for (int threads = 1; threads <= 3; threads += 2) {
        struct optimum x = {0};
        make_skewed("dgx-v100", 40000, 0.04);
        solve_skewed(threads, &x);
        struct items items = items_of(threads);
        place_all(&x, &items, threads);
        double placed = 0;
        for (uint64_t g = 0; g < 8; g++) placed += (double)plan.placement.feature[g].count;
        assert_true(placed > 1000);
        if (threads == 1) {
            bound = x.bound;
            first = plan.placement;
            memset(&plan.placement, 0, sizeof plan.placement);
        }
        HOLDS(x.bound == bound, "%.9f and %.9f", x.bound, bound);
        for (int g = 0; threads > 1 && g < 8; g++) {
            EQUAL(plan.placement.feature[g].count, first.feature[g].count, "GPU %d", g);
            EQUAL(plan.placement.topology[g].count, first.topology[g].count, "GPU %d", g);
            assert_memory_equal(plan.placement.feature[g].id, first.feature[g].id,
                                first.feature[g].count * sizeof(uint32_t));
            assert_memory_equal(plan.placement.topology[g].id, first.topology[g].id,
                                first.topology[g].count * sizeof(uint32_t));
        }
        optimum_release(&x, reach.components);
        server_release(&server);
        drop_instance();
    }
    placement_release(&first);
}

/* The whole policy, on graphs of all shapes: never more than hotset, never less than the bound, and the judge agrees
 * about who reaches what. */
static void the_policy_keeps_its_word(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    uint64_t better = 0;
    for (uint64_t i = 0; i < test_rounds(12); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed};
        struct study s;
        struct study_cell cells[4];
        OK(server_load(i % 2 ? "dgx-v100" : "siton", &server, &err));
        graph_shape(&graph, (enum shape)(seed % SHAPES), 200, &d, 16, 4);
        struct workload w = case_workload(&d, seed + 1);
        struct study_options o = case_options(&graph, &server, &w, 4, 1, 2);
        o.bound = true;
        static const char *const names[] = {"exact", "hotset", "legion",
                                            "exact"}; /* the last one with twice the memory */
        for (int k = 0; k < 4; k++)
            case_cell(&cells[k], names[k], graph_total_bytes(&graph) * (1 + seed % 9) / (k < 3 ? 100 : 50));
        study_begin(&s, &o);
        OK(study_plan_all(&s, cells, 4, &err));
        OK(study_simulate(&s, cells, 4, &err));
        uint64_t exact = plan_predicted(&cells[0].plan).total, hotset = plan_predicted(&cells[1].plan).total;
        HOLDS(exact <= hotset + 2 * (uint64_t)server.cliques, "seed %d: exact predicts %d, hotset %d", (int)seed,
              (int)exact, (int)hotset);
        const struct plan_bound *mine = &cells[0].plan.bound, *others = &cells[1].plan.bound,
                                *roomy = &cells[3].plan.bound;
        assert_true(mine->known && others->known && roomy->known);
        HOLDS(mine->total.expected <= others->total.expected, "seed %d: exact is worse than hotset", (int)seed);
        better += mine->total.expected < others->total.expected;
        HOLDS(roomy->total.bound < mine->total.bound || !mine->total.bound, "seed %d: more memory has the same bound",
              (int)seed);
        for (int k = 0; k < 4; k++) {
            const struct plan_bound *b = &cells[k].plan.bound;
            const int64_t total = (int64_t)b->total.bound, expected = (int64_t)b->total.expected;
            HOLDS(b->known && total <= expected, "seed %d: bound %d, %s is expected to leave %d", (int)seed, (int)total,
                  names[k], (int)expected);
            if (k == 3) exact = plan_predicted(&cells[3].plan).total;
            if (k != 2)
                HOLDS(llabs(expected - (int64_t)(k == 1 ? hotset : exact)) <= 2 * server.cliques, "seed %d: %s",
                      (int)seed, names[k]);
            if (k != 2)
                HOLDS(total <= (int64_t)(k == 1 ? hotset : exact), "seed %d: %s is stated below the bound", (int)seed,
                      names[k]);
            study_cell_release(&cells[k]);
        }
        study_end(&s);
        server_release(&server);
        graph_drop(&graph);
    }
    assert_true(better > 0 || test_rounds(12) == 1); /* the program is worth its while */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_beats_the_bound),
                                       cmocka_unit_test(any_prices_bound),
                                       cmocka_unit_test(no_placement_has_a_less_busy_switch),
                                       cmocka_unit_test(cross_links_are_worth_something),
                                       cmocka_unit_test(switches_stay_in_balance),
                                       cmocka_unit_test(threads_do_not_show),
                                       cmocka_unit_test(the_policy_keeps_its_word)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
