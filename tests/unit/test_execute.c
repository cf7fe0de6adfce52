/* Plans carried out by the CPU: what is counted equals the simulation exactly, whatever the policy, the budget and
 * the row; gathered rows hold what they must, and a cache that does not is noticed. */
#include <math.h>
#include "base/mem.h"
#include "planner/results/execute_sweep.h"
#include "planner/engine/study.h"
#include "simulator/execute/execute_doc.h"
#include "simulator/movement/simulated.h"
#include "tests/oracle/instance.h"
#include "traces/sampling/seeds.h"

static struct err err;

/* A study of one policy and budget on two cliques of two GPUs, simulated. */
struct made {
    struct graph g;
    struct server server;
    struct study s;
    struct study_cell cell;
    struct workload held_out;
    uint8_t *features;
    struct execute_rows *rows;
    int tables;
    doc *simulated; /* as its plan states it */
};

enum { VERTICES = 300, SEED = 77 };

static void make(struct made *m, const char *policy, const char *budget, uint64_t dim, uint64_t element,
                 enum sampler_kind sampler)
{
    struct dice d = {11};
    const int sizes[] = {2, 2, 0};
    memset(m, 0, sizeof *m);
    graph_shape(&m->g, SHAPE_HUBS, VERTICES, &d, dim, element);
    server_cliques(&m->server, sizes, 64);
    for (int i = 0; i < m->server.gpus; i++)
        m->server.gpu[i].memory_bytes = 1 << 30; /* for samplers, which hold the whole topology */
    m->held_out = (struct workload){.hops = 2, .fanout = {3, 4}, .batch = 16, .seed = 5, .sampler = sampler};
    struct study_options o = {.graph = &m->g,
                              .server = &m->server,
                              .kernels = &kernels_cpu,
                              .workload = m->held_out,
                              .presample_epochs = 2,
                              .simulate_epochs = 3,
                              .simulate_seed = SEED,
                              .partition = "stream",
                              .threads = 2};
    study_begin(&m->s, &o);
    m->cell.options_given = true;
    OK(policy_parse(policy, &m->cell.policy, m->cell.option, &err));
    OK(budget_parse(budget, false, "--budget", &m->cell.budget, &err));
    OK(study_plan_all(&m->s, &m->cell, 1, &err));
    HOLDS(m->cell.verdict.status == POLICY_OK, "%s, %s: %s", policy, budget, m->cell.verdict.reason);
    OK(study_simulate(&m->s, &m->cell, 1, &err));
    m->simulated = simulated_document(&m->cell.plan, m->cell.plan.simulated, &m->g, true);
    m->held_out.seed = SEED;
    m->features = malloc(VERTICES * m->g.row_bytes);
    assert_non_null(m->features);
    for (uint64_t i = 0; i < VERTICES * m->g.row_bytes; i++) m->features[i] = (uint8_t)dice_word(&d);
    OK(execute_rows_list(&m->g, 64, 0, &m->rows, &m->tables, &err));
}

static void drop(struct made *m)
{
    doc_free(m->simulated);
    study_cell_release(&m->cell);
    study_end(&m->s);
    server_release(&m->server);
    graph_drop(&m->g);
    free(m->features);
    mem_free(m->rows);
}

static struct execute_request request(const struct made *m, bool own_features)
{
    m->rows->file = own_features ? m->features : NULL;
    return (struct execute_request){.setup = {.plan = &m->cell.plan,
                                              .graph = &m->g,
                                              .workload = &m->held_out,
                                              .epochs = 3,
                                              .threads = 2,
                                              .rows = m->rows,
                                              .tables = m->tables},
                                    .executor = &executor_cpu,
                                    .only = -1,
                                    .check = CHECK_ALL};
}

static void executes_as_simulated(const char *policy, const char *budget, uint64_t dim, uint64_t element,
                                  enum sampler_kind sampler)
{
    struct made m;
    make(&m, policy, budget, dim, element, sampler);
    for (int own = 0; own < 2; own++) {
        struct execute_request q = request(&m, own);
        struct execution x = {0};
        uint64_t gathered = 0, verified = 0, rows[2] = {0};
        OK(execute_run(&q, &x, &err));
        doc *d = execute_document(&q, &x, m.simulated);
        HOLDS(doc_bool_value(doc_get(d, "equals_simulated"), false), "%s, %s, rows of %d", policy, budget,
              (int)m.g.row_bytes);
        for (int g = 0; g < x.gpus; g++)
            for (int t = 0; t < TIERS; t++) {
                gathered += x.gpu[g].sum.rows[t];
                verified += t ? 0 : x.gpu[g].sum.verified;
                rows[t == TIER_HOST] += x.gpu[g].sum.rows[t];
            }
        EQUAL(verified, gathered, "%s: every row is compared", policy);
        EQUAL(doc_integer_value(doc_get(d, "wrong_rows"), -1), 0, "%s, %s", policy, budget);
        assert_true(gathered > 0);
        if (!strcmp(budget, "0")) EQUAL(rows[0], 0, "nothing is cached");
        if (!strcmp(budget, "200%") && m.cell.policy->place && !strcmp(policy, "legion"))
            EQUAL(rows[1], 0, "everything is cached");
        EQUAL(doc_integer_value(doc_get(doc_get(doc_get(d, "totals"), "counted"), "total_transactions"), -1),
              m.cell.plan.simulated->sums.transactions.total, "%s, %s: the total", policy, budget);
        doc_free(d);
        execution_release(&x);
    }
    drop(&m);
}

static void counts_equal_the_simulation(void **state)
{
    static const char *const policies[] = {"legion",       "hotset", "quiver-plus", "gnnlab",
                                           "data-tiering", "dsp",    "hyscale"},
                             *const budgets[] = {"0", "5%", "200%"};
    (void)state;
    for (size_t p = 0; p < COUNT_OF(policies); p++)
        for (size_t b = 0; b < COUNT_OF(budgets); b++) {
            if (!strcmp(policies[p], "gnnlab") && b < 2) continue; /* its samplers hold the whole topology */
            executes_as_simulated(policies[p], budgets[b], 6, 4, SAMPLER_UNIFORM);
        }
    executes_as_simulated("legion", "5%", 5, 1, SAMPLER_UNIFORM); /* rows that no word divides */
    executes_as_simulated("legion", "5%", 67, 2, SAMPLER_UNIFORM);
    executes_as_simulated("legion", "5%", 128, 4, SAMPLER_LAYER_WISE);
}

/* ---- a faulty cache ---- */

static struct made *faulty;
static uint32_t faulty_row;

/* Fills, and then the matrix changes below the cache: what the cache holds is no longer what it must. */
static enum st fill_wrong(void *state, const struct execute_reader *r, struct execute_fill *out, struct err *e)
{
    enum st st = executor_cpu.fill(state, r, out, e);
    const struct row_list *own = &faulty->cell.plan.placement.feature[r->gpu];
    if (st == ST_OK && !r->gpu) faulty->features[(faulty_row = own->id[0]) * faulty->g.row_bytes + 3] ^= 1;
    return st;
}

static void a_wrong_row_is_noticed(void **state)
{
    struct made m;
    struct executor wrong = executor_cpu;
    struct execution x = {0};
    (void)state;
    make(&m, "legion", "5%", 6, 4, SAMPLER_UNIFORM);
    faulty = &m;
    wrong.fill = fill_wrong;
    struct execute_request q = request(&m, true);
    q.executor = &wrong;
    q.only = 0;
    OK(execute_run(&q, &x, &err));
    HOLDS(x.gpu[0].sum.wrong > 0, "a byte of row %u was changed", faulty_row);
    HOLDS(x.gpu[0].sum.wrong <= x.gpu[0].batches, "one row is wrong, once per mini-batch at most");
    doc *d = execute_document(&q, &x, m.simulated);
    EQUAL(doc_integer_value(doc_get(d, "wrong_rows"), -1), x.gpu[0].sum.wrong, "the document says it");
    doc_free(d);
    execution_release(&x);
    drop(&m);
}

/* ---- parts of a run ---- */

static void some_batches_are_scaled(void **state)
{
    struct made m;
    struct execution x = {0};
    (void)state;
    make(&m, "legion", "5%", 6, 4, SAMPLER_UNIFORM);
    struct execute_request q = request(&m, false);
    q.most = 2;
    q.check = CHECK_FIRST;
    q.only = 1;
    OK(execute_run(&q, &x, &err));
    const struct execute_gpu *g = &x.gpu[1];
    EQUAL(g->batches, 2, "as many as were asked for");
    EQUAL(g->all,
          3 * seeds_batches(&m.held_out, &m.g, m.cell.plan.assignment.train[1], m.cell.plan.assignment.train_count[1]),
          "mini-batches of three epochs");
    HOLDS(g->sum.verified && g->sum.verified < g->sum.rows[0] + g->sum.rows[1] + g->sum.rows[2], "the first mini-batch "
                                                                                                 "is compared, the "
                                                                                                 "second is not");
    doc *d = execute_document(&q, &x, m.simulated), *counted = doc_get(doc_at(doc_get(d, "gpus"), 0), "counte"
                                                                                                      "d");
    EQUAL(doc_size(doc_get(d, "gpus")), 1, "one GPU ran");
    assert_true(doc_is_null(doc_get(d, "equals_simulated")));
    assert_true(doc_bool_value(doc_get(d, "scaled"), false));
    assert_true(doc_is_null(
        doc_get(doc_get(doc_get(d, "totals"), "predicted"), "total_transactions"))); /* its clique did not run whole */
    EQUAL(doc_integer_value(doc_get(doc_get(counted, "transactions"), "feature"), -1),
          plain_round((__int128)g->sum.feature * g->all, 2 * 3), "per epoch");
    doc_free(d);
    execution_release(&x);
    drop(&m);
}

/* A window of fewer rows changes contents only. */
static void a_window_keeps_the_lines(void **state)
{
    struct made m;
    struct execution x = {0};
    (void)state;
    make(&m, "legion", "5%", 6, 4, SAMPLER_UNIFORM);
    struct execute_request q = request(&m, false);
    EQUAL(execute_window(m.g.n, 24, 64, m.g.row_bytes * m.g.n), m.g.n, "all fit");
    EQUAL(execute_window(m.g.n, 24, 64, 24 * 20), 16, "rows of 24 bytes begin a line every 8 rows");
    EQUAL(execute_window(m.g.n, 24, 64, 24 * 7), 0, "too few");
    m.rows->window = 16;
    OK(execute_run(&q, &x, &err));
    doc *d = execute_document(&q, &x, m.simulated);
    assert_true(doc_bool_value(doc_get(d, "equals_simulated"), false));
    EQUAL(doc_integer_value(doc_get(d, "wrong_rows"), -1), 0, "contents repeat");
    doc_free(d);
    execution_release(&x);
    drop(&m);
}

static void rows_can_be_told_apart(void **state)
{
    struct execute_rows r = {.window = 500, .row_bytes = 7, .count = 500};
    uint8_t row[500 * 7];
    uint32_t id[500];
    (void)state;
    execute_rows_make(&r, 0, 500, row, 2);
    for (uint32_t v = 0; v < 500; v++) id[v] = v;
    EQUAL(execute_rows_wrong(&r, NULL, id, 500, row, NULL, 2), 0, "as they were made");
    for (int a = 0; a < 500; a++)
        for (int b = 0; b < a; b++) HOLDS(memcmp(row + 7 * a, row + 7 * b, 7), "rows %d and %d are equal", a, b);
    row[7 * 123 + 6] ^= 128;
    EQUAL(execute_rows_wrong(&r, NULL, id, 500, row, NULL, 2), 1, "the last bit of a row");
}

static void dynamic_plans_are_refused(void **state)
{
    struct made m;
    struct execution x = {0};
    (void)state;
    make(&m, "legion", "5%", 6, 4, SAMPLER_UNIFORM);
    struct execute_request q = request(&m, false);
    snprintf(m.cell.plan.cache, sizeof m.cell.plan.cache, "fifo");
    assert_int_equal(execute_run(&q, &x, &err), ST_NO);
    assert_non_null(strstr(err.text, "dynamic cache fifo"));
    *m.cell.plan.cache = 0;
    execution_release(&x);
    drop(&m);
}

static void memory_is_foretold(void **state)
{
    static const char *const policies[] = {"legion", "quiver-plus"};
    (void)state;
    for (size_t p = 0; p < COUNT_OF(policies); p++) {
        struct made m;
        struct execution x = {0};
        struct execute_memory need;
        make(&m, policies[p], "20%", 128, 4, SAMPLER_UNIFORM);
        struct execute_request q = request(&m, false);
        execute_memory(&q, &need);
        mem_peak_reset();
        uint64_t before = mem_in_use();
        OK(execute_run(&q, &x, &err));
        uint64_t took = mem_peak() - before;
        HOLDS(took <= need.host + need.features + (64 << 10), "%s took %d KiB, %d were foretold", policies[p],
              (int)(took >> 10), (int)((need.host + need.features) >> 10));
        HOLDS(2 * took >= need.features, "%s took %d KiB", policies[p], (int)(took >> 10));
        execution_release(&x);
        EQUAL(mem_in_use(), before, "everything was given back");
        drop(&m);
    }
}

/* ---- alpha ---- */

static void sweeps_are_read(void **state)
{
    int percent[EXECUTE_ALPHAS], count;
    (void)state;
    OK(execute_sweep_parse("11", percent, &count, &err));
    EQUAL(count, 11, "points");
    for (int i = 0; i < 11; i++) EQUAL(percent[i], 10 * i, "point %d", i);
    OK(execute_sweep_parse("4", percent, &count, &err));
    assert_true(count == 4 && percent[0] == 0 && percent[1] == 33 && percent[2] == 67 && percent[3] == 100);
    OK(execute_sweep_parse("0,5,100", percent, &count, &err));
    assert_true(count == 3 && percent[1] == 5 && percent[2] == 100);
    static const char *const bad[] = {"1", "102", "5,3", "5,5", "0,101", "0,x", "", "0,,5"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        HOLDS(execute_sweep_parse(bad[i], percent, &count, &err) == ST_USAGE, "'%s' was taken", bad[i]);
}

/* Every alpha is executed as it was simulated, and alpha says how much topology there is. */
static void a_sweep_is_executed(void **state)
{
    struct made m;
    doc *d = NULL;
    uint64_t wrong = 0;
    const int percent[] = {0, 20, 40, 100};
    (void)state;
    make(&m, "legion", "10%", 6, 4, SAMPLER_UNIFORM);
    struct execute_request q = request(&m, false);
    OK(execute_sweep_check(&m.cell.plan, &err));
    OK(execute_sweep(&q, &m.s.o, percent, 4, &d, &wrong, &err));
    const doc *points = doc_get(d, "points");
    int best = 0;
    int64_t fewest = INT64_MAX;
    EQUAL(wrong, 0, "contents");
    EQUAL(doc_size(points), 4, "points");
    for (int i = 0; i < 4; i++) {
        const doc *p = doc_at(points, (uint64_t)i);
        int64_t counted = doc_integer_value(doc_get(doc_get(p, "counted"), "total_transactions"), -1);
        assert_true(doc_bool_value(doc_get(p, "equals_simulated"), false));
        EQUAL(counted, doc_integer_value(doc_get(doc_get(p, "simulated"), "total_transactions"), -2), "point %d", i);
        if (counted < fewest) {
            fewest = counted;
            best = i;
        }
    }
    assert_true(fabs(doc_real_value(doc_get(doc_get(d, "best"), "counted"), -1) - percent[best] / 100.0) < 1e-9);
    assert_true(fabs(doc_real_value(doc_get(d, "step"), -1) - 0.6) < 1e-9);
    assert_string_equal(doc_text_value(doc_get(doc_get(d, "best"), "judged_by"), ""), "counted");
    assert_true(doc_is_null(doc_get(doc_get(d, "best"), "measured")));
    doc_free(d);
    drop(&m);
    make(&m, "hotset", "10%", 6, 4, SAMPLER_UNIFORM);
    assert_int_equal(execute_sweep_check(&m.cell.plan, &err), ST_USAGE);
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_equal_the_simulation),
                                       cmocka_unit_test(a_wrong_row_is_noticed),
                                       cmocka_unit_test(some_batches_are_scaled),
                                       cmocka_unit_test(a_window_keeps_the_lines),
                                       cmocka_unit_test(rows_can_be_told_apart),
                                       cmocka_unit_test(dynamic_plans_are_refused),
                                       cmocka_unit_test(memory_is_foretold),
                                       cmocka_unit_test(sweeps_are_read),
                                       cmocka_unit_test(a_sweep_is_executed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
