/* Policy exact on graphs with several types and the bound, against the best of all placements: up to 14 rows of five
 * kinds (two relations, two types, features of edges) and as many sizes, up to 3 GPUs with any links and unequal
 * budgets. */
#include <math.h>

#include "base/mem.h"
#include "planner/optimum/optimum_glpk.h"
#include "planner/optimum/optimum.h"
#include "tests/oracle/types_planning.h"

enum { GPUS = 3, ROWS_MOST = 14, UNIT = 4, BUDGET_UNITS = 14 };

struct instance {
    struct graph g;
    struct server server;
    struct planning p; /* by hand: no recording */
    struct plan plan;
};

/* Every row is a multiple of 4 bytes. */
static void make_graph(struct instance *x, struct dice *d)
{
    do {
        struct arcs a = {0}, b = {0};
        uint64_t count[2] = {dice_range(d, 1, 3), dice_range(d, 1, 3)};
        types_drop(&x->g);
        types_begin(&x->g, 2, count);
        for (int t = 0; t < 2; t++)
            if (dice_chance(d, 0.9)) types_feature(&x->g.type[t].features, dice_range(d, 1, 12), 4);
        for (uint64_t i = dice_below(d, 6); i > 0; i--) arcs_add(&a, dice_below(d, count[0]), dice_below(d, count[1]));
        for (uint64_t i = dice_below(d, 6); i > 0; i--) arcs_add(&b, dice_below(d, count[1]), dice_below(d, count[1]));
        types_relate(&x->g, 1, 0, &a, dice_chance(d, 0.6) ? UNIT * dice_range(d, 1, 9) : 0);
        types_relate(&x->g, 1, 1, &b, 0);
        OK(graph_list_tables(&x->g, &err));
    } while (graph_items(&x->g) > ROWS_MOST);
}

static void make_instance(struct instance *x, uint64_t seed)
{
    struct dice d = {seed};
    double density = (double)dice_below(&d, 4) / 3;
    bool equal = dice_chance(&d, 0.4), together;
    memset(x, 0, sizeof *x);
    make_graph(x, &d);
    server_of(&x->server, (int)dice_range(&d, 1, GPUS), 64);
    together = x->server.gpus > 1 && dice_chance(&d, 0.5);
    for (int a = 0; a < x->server.gpus; a++)
        for (int b = 0; b < a; b++)
            if (together || dice_chance(&d, density)) server_join(&x->server, a, b, 1);
    server_find_cliques(&x->server);
    for (int g = 0; g < x->server.gpus; g++)
        x->p.budget[g] = equal && g ? x->p.budget[0] : UNIT * dice_below(&d, BUDGET_UNITS);
    for (int c = 0; c < x->server.cliques; c++) {
        struct estimates *e = &x->p.estimates[RATE_CALIBRATED][c];
        estimates_blank(e, &x->g);
        for (int k = 0; k < x->g.tables; k++)
            for (uint64_t i = 0; i < x->g.table[k].count; i++) /* multiples of 1/16: exact in every sum */
                if (graph_row_bytes(&x->g, k, i) && dice_chance(&d, 0.8))
                    *estimates_saved(e, &x->g,
                                     x->g.table[k].first +
                                         i) = (float)(dice_range(&d, 1, 1u << dice_below(&d, 12)) / 16.0);
    }
    x->p.graph = &x->g;
    x->p.server = &x->server;
    trace_blank(&x->p.trace, &x->g, &x->server);
}

static void drop_instance(struct instance *x)
{
    assignment_release(&x->p.trace.assignment);
    memset(&x->p.trace, 0, sizeof x->p.trace);
    planning_drop(&x->p);
    types_drop(&x->g);
}

/* ---- the slow truth ---- */

/* What all GPUs read of an item from the host when the GPUs of the set hold it. */
static double cost_of(const struct instance *x, uint64_t item, unsigned set)
{
    double sum = 0;
    for (int i = 0; i < x->server.gpus; i++) {
        int members = 0;
        bool reached = false;
        for (int g = 0; g < x->server.gpus; g++) {
            members += x->server.clique_of[g] == x->server.clique_of[i];
            reached |= set >> g & 1 && (g == i || x->server.links[g][i]);
        }
        if (!reached)
            sum += (double)*estimates_saved(&x->p.estimates[RATE_CALIBRATED][x->server.clique_of[i]], &x->g, item) /
                   members;
    }
    return sum;
}

/* f[room of every GPU] after each row, for every room. */
static double best_of_all(const struct instance *x)
{
    uint64_t size[GPUS], stride[GPUS], states = 1;
    int gpus = x->server.gpus;
    for (int g = 0; g < gpus; g++) {
        size[g] = x->p.budget[g] / UNIT + 1;
        stride[g] = states;
        states *= size[g];
    }
    double *now = calloc(states, sizeof *now), *next = calloc(states, sizeof *next);
    for (int k = 0; k < x->g.tables; k++)
        for (uint64_t i = 0; i < x->g.table[k].count; i++) {
            uint64_t units = graph_row_bytes(&x->g, k, i) / UNIT;
            double costs[1 << GPUS];
            if (!units) continue;
            for (unsigned s = 0; s < 1u << gpus; s++) costs[s] = cost_of(x, x->g.table[k].first + i, s);
            for (uint64_t at = 0; at < states; at++) {
                next[at] = INFINITY;
                for (unsigned s = 0; s < 1u << gpus; s++) {
                    uint64_t from = at;
                    bool fits = true;
                    for (int g = 0; g < gpus && fits; g++)
                        if (s >> g & 1) {
                            fits = at / stride[g] % size[g] >= units;
                            from -= stride[g] * units;
                        }
                    if (!fits) continue;
                    double cost = now[from] + costs[s];
                    if (cost < next[at]) next[at] = cost;
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

/* ---- the judgement ---- */

/* Threads that wait for each other take longer than such small problems: most are planned by one. */
static void place(struct instance *x, const char *name, int threads)
{
    const struct policy *policy;
    struct policy_verdict verdict;
    OK(policy_find(name, &policy, &err));
    struct policy_input in = planning_input(&x->p, policy);
    in.threads = threads;
    planning_plan(&x->p, policy, &in, &x->plan, &verdict);
    assert_int_equal(verdict.status, POLICY_OK);
}

static double bound_of(const struct instance *x)
{
    const struct items items = {.graph = &x->g,
                                .estimates = x->p.estimates[RATE_CALIBRATED],
                                .threads = 1,
                                .trace = &x->p.trace};
    const struct optimum_options o = {.objective = OBJECTIVE_TOTAL};
    static struct reach r;
    struct optimum solved = {0};
    OK(reach_make(&x->server, x->p.budget, false, false, PATTERNS_MAX, &r, &err));
    OK(optimum_solve(&r, &items, &o, &solved, &err));
    double bound = solved.bound;
    optimum_release(&solved, r.components);
    reach_release(&r);
    return bound;
}

/* What the placement leaves, by the lists and the links alone. */
static double recount(const struct instance *x)
{
    double sum = 0;
    for (uint64_t item = 0; item < graph_items(&x->g); item++) {
        unsigned set = 0;
        for (int g = 0; g < x->server.gpus; g++)
            for (uint64_t i = 0; i < placement_count(&x->plan.placement, g); i++)
                if (placement_item(&x->plan.placement, &x->g, g, i) == item) set |= 1u << g;
        sum += cost_of(x, item, set);
    }
    return sum;
}

static void exact_is_never_beaten(void **state)
{
    int hotset_too = 0;
    uint64_t rounds = test_rounds(3000);
    (void)state;
    if (!glpk_solver()) skip();
    for (uint64_t i = 0; i < rounds; i++) {
        static struct instance x;
        make_instance(&x, test_seed(i));
        place(&x, "exact", i % 64 ? 1 : 2);
        double bound = bound_of(&x), best = best_of_all(&x), left = planning_left(&x.plan, &x.g);
        HOLDS(fabs(left - recount(&x)) <= 1e-4 * (1 + left), "seed %d: predicts %.6f, leaves %.6f", (int)test_seed(i),
              left, recount(&x));
        HOLDS(left <= best + 1e-4 * (1 + best), "seed %d: exact leaves %.6f, the optimum %.6f", (int)test_seed(i), left,
              best);
        HOLDS(bound <= best + 1e-6 * (1 + best), "seed %d: the bound is %.6f, the optimum %.6f", (int)test_seed(i),
              bound, best);
        plan_release(&x.plan);
        place(&x, "hotset", i % 64 ? 1 : 2);
        hotset_too += recount(&x) <= best + 1e-6;
        plan_release(&x.plan);
        drop_instance(&x);
    }
    HOLDS(rounds == 1 || (uint64_t)hotset_too < rounds, "hotset is always optimal: these instances are too easy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_is_never_beaten)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
