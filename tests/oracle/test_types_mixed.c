/* Rows that are rounded, exact or not held at all, one price for errors (policies/mixed.h), against every choice there
 * is on graphs of at most 7 rows of several sizes and 1 or 2 GPUs, and against the dual bound, computed here. */
#include <math.h>

#include "base/mem.h"
#include "tests/oracle/types_planning.h"

enum { ROWS_MOST = 7, LINE = 64 };

struct instance {
    struct graph g;
    struct server server;
    struct planning p; /* by hand: no recording */
    float error[ROWS_MOST + 3];
    double price;
    struct plan plan;
};

static void make_graph(struct instance *x, struct dice *d)
{
    do {
        struct arcs a = {0};
        uint64_t count[2] = {dice_range(d, 1, 4), dice_range(d, 1, 3)};
        types_drop(&x->g);
        types_begin(&x->g, 2, count);
        for (int t = 0; t < 2; t++) types_feature(&x->g.type[t].features, dice_range(d, 6, 50), 4);
        for (uint64_t i = dice_below(d, 12); i > 0; i--) arcs_add(&a, dice_below(d, count[1]), dice_below(d, count[0]));
        types_relate(&x->g, 0, 1, &a, 0);
        OK(graph_list_tables(&x->g, &err));
    } while (graph_items(&x->g) > ROWS_MOST);
}

static void set_numbers(struct instance *x, struct dice *d)
{
    static const enum precision forms[] = {PRECISION_F16, PRECISION_F8, PRECISION_I8};
    static const double prices[] = {0, 0.25, 4, 16, 40, 100, INFINITY};
    struct estimates *e = &x->p.estimates[RATE_CALIBRATED][0];
    x->price = prices[dice_below(d, 7)];
    if (dice_chance(d, 0.7)) graph_table_round(&x->g, 1, forms[dice_below(d, 3)]);
    graph_table_round(&x->g, 2, forms[dice_below(d, 3)]);
    for (int t = 0; t < x->g.tables; t++)
        for (uint64_t i = 0; i < x->g.table[t].count; i++) { /* multiples of 1/16: exact in every sum */
            uint64_t at = x->g.table[t].first + i;
            bool feature = x->g.table[t].kind == ROWS_FEATURE;
            float *reads = estimates_reads(e, &x->g, at);
            *reads = dice_chance(d, 0.9) ? (float)dice_range(d, 1, 1u << dice_below(d, 8)) / 16 : 0;
            *estimates_saved(e, &x->g, at) = *reads * (feature ? (float)graph_row_lines(&x->g, t, i, LINE) : 3);
            if (feature && x->g.table[t].cached)
                x->error[at] = dice_chance(d, 0.05) ? INFINITY : (float)dice_range(d, 1, 16) / 64;
        }
}

static void make_instance(struct instance *x, uint64_t seed)
{
    struct dice d = {seed};
    memset(x, 0, sizeof *x);
    make_graph(x, &d);
    server_of(&x->server, (int)dice_range(&d, 1, 2), LINE);
    if (x->server.gpus == 2) server_join(&x->server, 0, 1, 1);
    server_find_cliques(&x->server);
    estimates_blank(&x->p.estimates[RATE_CALIBRATED][0], &x->g);
    set_numbers(x, &d);
    x->p.graph = &x->g;
    x->p.server = &x->server;
    trace_blank(&x->p.trace, &x->g, &x->server);
    for (int g = 0; g < x->server.gpus; g++) x->p.budget[g] = 4 * dice_below(&d, 130);
}

static void drop_instance(struct instance *x)
{
    assignment_release(&x->p.trace.assignment);
    memset(&x->p.trace, 0, sizeof x->p.trace);
    planning_drop(&x->p);
    plan_release(&x->plan);
    types_drop(&x->g);
}

/* ---- the slow truth ---- */

struct choice {
    double value[2]; /* rounded (or the only form), exact; negative: not allowed */
    uint64_t bytes[2];
};

/* Every row that takes memory. */
static int choices_of(const struct instance *x, struct choice *out)
{
    int n = 0;
    for (int t = 0; t < x->g.tables; t++)
        for (uint64_t i = 0; i < x->g.table[t].count; i++) {
            const struct row_table *table = &x->g.table[t];
            uint64_t at = table->first + i;
            const struct estimates *e = &x->p.estimates[RATE_CALIBRATED][0];
            double saved = (double)*estimates_saved(e, &x->g, at), reads = (double)*estimates_reads(e, &x->g, at),
                   lost = 0;
            if (x->error[at] > 0) lost = reads > 0 ? reads * x->price * (double)x->error[at] : 0;
            if (isnan(lost)) lost = INFINITY; /* errors that overflow are refused at any price */
            out[n].value[0] = saved - lost;
            out[n].bytes[0] = graph_row_bytes(&x->g, t, i);
            out[n].value[1] = table->cached ? saved : -1;
            out[n++].bytes[1] = table->row_bytes;
        }
    return n;
}

static double best_of_all(const struct choice *c, int n, uint64_t *room, int gpus)
{
    if (!n) return 0;
    double best = best_of_all(c + 1, n - 1, room, gpus);
    for (int g = 0; g < gpus; g++)
        for (int k = 0; k < 2; k++) {
            if (c->value[k] < 0 || room[g] < c->bytes[k]) continue;
            room[g] -= c->bytes[k];
            double here = c->value[k] + best_of_all(c + 1, n - 1, room, gpus);
            room[g] += c->bytes[k];
            if (here > best) best = here;
        }
    return best;
}

/* The least over all prices per byte of what memory costs and rows gain beyond it: no placement is worth more. */
static double dual_bound(const struct choice *c, int n, double budget)
{
    double least = INFINITY;
    for (int i = 0; i < 4 * n; i++) { /* the minimum lies at a slope of one row, or at 0 */
        const struct choice *at = &c[i / 4];
        double price = i % 4 == 3   ? 0
                       : i % 4 == 2 ? (at->value[1] - at->value[0]) / ((double)at->bytes[1] - (double)at->bytes[0])
                                    : at->value[i % 4] / (double)at->bytes[i % 4],
               sum;
        if (!(price >= 0) || isinf(price)) continue;
        sum = price * budget;
        for (int k = 0; k < n; k++) {
            double most = 0;
            for (int f = 0; f < 2; f++)
                most = fmax(most, c[k].value[f] < 0 ? 0 : c[k].value[f] - price * (double)c[k].bytes[f]);
            sum += most;
        }
        least = fmin(least, sum);
    }
    return least;
}

/* ---- the judgement ---- */

/* What the placement is worth, by its lists and marks alone; *error: of the rows that are held rounded. */
static double worth(const struct instance *x, const struct choice *c, double *error)
{
    double sum = 0;
    *error = 0;
    for (int g = 0; g < x->server.gpus; g++)
        for (uint64_t i = 0; i < placement_count(&x->plan.placement, g); i++) {
            uint64_t item = placement_item(&x->plan.placement, &x->g, g, i);
            bool exact = placement_exact(&x->plan.placement, &x->g, g, item);
            sum += c[item].value[exact];
            if (!exact && x->error[item] > 0)
                *error += (double)*estimates_reads(&x->p.estimates[RATE_CALIBRATED][0], &x->g, item) *
                          (double)x->error[item];
        }
    return sum;
}

/* With one GPU no room is left in which a held row would be exact and worth more. */
static bool upgraded(const struct instance *x, const struct choice *c)
{
    const struct placement *p = &x->plan.placement;
    uint64_t held = 0, least = UINT64_MAX;
    for (uint64_t i = 0; i < placement_count(p, 0); i++) {
        uint64_t item = placement_item(p, &x->g, 0, i);
        bool exact = placement_exact(p, &x->g, 0, item);
        held += c[item].bytes[exact];
        if (exact || !(c[item].value[1] > c[item].value[0])) continue;
        uint64_t more = c[item].bytes[1] - c[item].bytes[0];
        least = more < least ? more : least;
    }
    return least > x->p.budget[0] - held;
}

static void place(struct instance *x, bool priced)
{
    const struct policy *policy;
    struct policy_verdict verdict;
    OK(policy_find("hotset", &policy, &err));
    struct policy_input in = planning_input(&x->p, policy);
    in.error = priced ? x->error : NULL;
    in.price = x->price;
    planning_plan(&x->p, policy, &in, &x->plan, &verdict);
    assert_int_equal(verdict.status, POLICY_OK);
}

static void each_row_in_the_form_that_is_worth_more(void **state)
{
    uint64_t rounds = test_rounds(3000), mixed = 0, below = 0;
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        static struct instance x;
        struct choice c[ROWS_MOST];
        uint64_t room[GPUS_MAX] = {0}, budget = 0;
        double error, largest = 0;
        make_instance(&x, test_seed(i));
        int n = choices_of(&x, c), seed = (int)test_seed(i);
        assert_int_equal(n, (int)graph_items(&x.g));
        for (int g = 0; g < x.server.gpus; g++) budget += room[g] = x.p.budget[g];
        place(&x, true);
        double best = best_of_all(c, n, room, x.server.gpus), mine = worth(&x, c, &error),
               bound = dual_bound(c, n, (double)budget);
        for (int k = 0; k < n; k++) largest = fmax(largest, fmax(c[k].value[0], c[k].value[1]));
        HOLDS(x.server.gpus > 1 || upgraded(&x, c), "seed %d: a row could be exact in the room that is left", seed);
        HOLDS(mine <= best + 1e-6, "seed %d: worth %.4f, but the best is %.4f", seed, mine, best);
        HOLDS(best <= bound + 1e-6 * (1 + bound), "seed %d: the best is %.4f, beyond the bound %.4f", seed, best,
              bound);
        HOLDS(mine + (double)x.server.gpus * largest >= bound - 1e-6 * (1 + bound),
              "seed %d: worth %.4f, more than a row per GPU (%.4f) below the bound %.4f", seed, mine, largest, bound);
        HOLDS(fabs(doc_real_value(doc_get(doc_get(x.plan.stated, "error_price"), "expected_error"), -1) - error) < 1e-6,
              "seed %d: error", seed);
        mixed += doc_integer_value(doc_get(doc_get(x.plan.stated, "error_price"), "exact_rows"), 0) &&
                 doc_integer_value(doc_get(doc_get(x.plan.stated, "error_price"), "rounded_rows"), 0);
        below += mine < best - 1e-6;
        drop_instance(&x);
    }
    HOLDS(rounds == 1 || (mixed > rounds / 20 && below), "these instances are too easy: %d mixed, %d below the best",
          (int)mixed, (int)below);
}

static void same_lists(const struct placement *a, const struct placement *b, const struct graph *graph, int seed)
{
    for (int g = 0; g < a->gpus; g++) {
        HOLDS(placement_count(a, g) == placement_count(b, g), "seed %d: GPU %d holds another number of rows", seed, g);
        for (uint64_t i = 0; i < placement_count(a, g); i++)
            HOLDS(placement_item(a, graph, g, i) == placement_item(b, graph, g, i), "seed %d: GPU %d, row %d differs",
                  seed, g, (int)i);
    }
}

/* Errors that cost nothing leave the plan of --cache-type; errors that cost everything, the plan without it. */
static void the_ends_are_the_plans_without_a_price(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(600); i++) {
        static struct instance x, y;
        bool free_errors = i % 2 == 0;
        make_instance(&x, test_seed(i));
        make_instance(&y, test_seed(i));
        x.price = free_errors ? 0 : INFINITY;
        for (uint64_t k = 0; k < graph_items(&x.g); k++)
            if (free_errors && isinf(x.error[k])) x.error[k] = 0.5F; /* rows that overflow are never rounded */
        for (int t = 0; t < y.g.tables && !free_errors; t++) graph_table_round(&y.g, t, PRECISION_HOST);
        place(&x, true);
        place(&y, false);
        same_lists(&x.plan.placement, &y.plan.placement, &x.g, (int)test_seed(i));
        for (int g = 0; g < x.server.gpus; g++)
            for (uint64_t k = 0; k < placement_count(&x.plan.placement, g); k++) {
                uint64_t item = placement_item(&x.plan.placement, &x.g, g, k);
                bool rounds = x.g.table[graph_table_of(&x.g, item)].cached != PRECISION_HOST;
                HOLDS(placement_exact(&x.plan.placement, &x.g, g, item) == (rounds && !free_errors),
                      "seed %d: row %d has the wrong form", (int)test_seed(i), (int)item);
            }
        drop_instance(&x);
        drop_instance(&y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_row_in_the_form_that_is_worth_more),
                                       cmocka_unit_test(the_ends_are_the_plans_without_a_price)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
