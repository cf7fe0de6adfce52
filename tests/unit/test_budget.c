/* Budgets: words, shares and memories worked by hand. */
#include "planner/engine/budget.h"
#include "tests/oracle/instance.h"

static struct err err;
static struct server server;

/* 10 vertices, 25 arcs, rows of 12 bytes: 4 * 25 + 8 * 10 + 10 * 12 = 300 bytes in all. */
static void ten_vertices(struct graph *g)
{
    struct arcs a = {0};
    for (uint64_t i = 0; i < 25; i++) arcs_add(&a, i / 5, i % 5);
    graph_of(g, 10, &a, 3, 4, "in");
    assert_int_equal(graph_total_bytes(g), 300);
}

static struct budget budget(const char *text, bool clique)
{
    struct budget b = {0};
    OK(budget_parse(text, clique, "--budget", &b, &err));
    assert_string_equal(b.text, text);
    return b;
}

static uint64_t first(const char *text, bool clique, const struct graph *g)
{
    uint64_t bytes[SERVER_GPUS_MAX];
    struct budget b = budget(text, clique);
    OK(budget_bytes(&b, &server, g, &(struct reservation){0}, bytes, &err));
    return bytes[0];
}

static void words_become_bytes(void **state)
{
    struct graph g;
    const int sizes[] = {4, 2, 1, 0};
    uint64_t bytes[SERVER_GPUS_MAX];
    (void)state;
    ten_vertices(&g);
    server_cliques(&server, sizes, 64);
    assert_int_equal(first("4096", false, &g), 4096);
    assert_int_equal(first("2KiB", false, &g), 2048);
    assert_int_equal(first("0", false, &g), 0);
    assert_int_equal(first("5%", false, &g), 15);  /* of 300 */
    assert_int_equal(first("0.5%", false, &g), 1); /* 1.5, down */
    assert_int_equal(first("100%", false, &g), 300);
    assert_int_equal(first("250%", false, &g), 750);
    assert_int_equal(first("20%V", false, &g), 2 * 12); /* rows of two vertices */
    assert_int_equal(first("29%V", false, &g), 2 * 12); /* 2.9 vertices, down */
    assert_int_equal(first("30%V", false, &g), 3 * 12);
    assert_int_equal(first("28.999999%V", false, &g), 2 * 12);
    struct budget b = budget("100", true); /* cliques of 4, 2 and 1: 25, 50, 100 each */
    OK(budget_bytes(&b, &server, &g, &(struct reservation){0}, bytes, &err));
    for (int i = 0; i < 7; i++) assert_int_equal(bytes[i], i < 4 ? 25 : i < 6 ? 50 : 100);
    b = budget("30", true); /* 7.5 each, down: never more than 30 */
    OK(budget_bytes(&b, &server, &g, &(struct reservation){0}, bytes, &err));
    assert_int_equal(bytes[0], 7);
    b = budget("32PiB", false); /* the most: 72 of them still add up in 64 bits */
    OK(budget_bytes(&b, &server, &g, &(struct reservation){0}, bytes, &err));
    b = budget("33PiB", false);
    assert_int_equal(budget_bytes(&b, &server, &g, &(struct reservation){0}, bytes, &err), ST_USAGE);
    graph_drop(&g);
}

static void shares_are_exact(void **state)
{
    struct graph g;
    struct arcs none = {0};
    (void)state;
    const int sizes[] = {1, 0};
    server_cliques(&server, sizes, 64);
    graph_of(&g, 100, &none, 1, 1, "in");
    for (int percent = 0; percent <= 300; percent++) { /* no double decides a vertex */
        char text[16];
        snprintf(text, sizeof text, "%d%%V", percent);
        assert_int_equal(first(text, false, &g), percent);
    }
    graph_drop(&g);
    struct graph large = {.n = 3000000000u, .row_bytes = 4}; /* sizes are all that a budget reads */
    assert_int_equal(first("5%V", false, &large), 4 * 150000000ull);
    assert_int_equal(first("33.333333%V", false, &large), 4 * 999999990ull);
    assert_int_equal(first("0.1%", false, &large), 36000000); /* of 8 n + 4 n */
}

static void nonsense_is_refused(void **state)
{
    const char *const words[] = {
        "",      "-1", "5%%", "%", "%V", "x%", "5%W", "5%VV", "-5%", "nan%", "inf%", "5 apples", "99999999999999999999",
        "1e400%"};
    struct budget b;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        err_clear(&err);
        HOLDS(budget_parse(words[i], false, "--budget", &b, &err) == ST_USAGE && strstr(err.text, "--budget"), "'%s'",
              words[i]);
    }
}

/* A row of the graph takes 12 bytes. */
static void a_unit_that_was_forgotten(void **state)
{
    struct graph g;
    const int sizes[] = {2, 0};
    const char *const less[] = {"1", "5", "11"}, *const enough[] = {"0", "12", "5B", "100"};
    uint64_t bytes[SERVER_GPUS_MAX];
    struct budget b;
    (void)state;
    ten_vertices(&g);
    server_cliques(&server, sizes, 64);
    err_clear(&err);
    assert_int_equal(budget_parse("0.05", false, "--budget", &b, &err), ST_USAGE);
    assert_non_null(strstr(err.text, "write 5% for a share of topology and feature bytes, or 0.05GiB"));
    for (size_t i = 0; i < COUNT_OF(less); i++) {
        err_clear(&err);
        b = budget(less[i], false);
        assert_int_equal(budget_bytes(&b, &server, &g, &(struct reservation){0}, bytes, &err), ST_USAGE);
        assert_non_null(strstr(err.text, "one feature row (12 bytes)"));
        assert_non_null(strstr(err.text, "% for a share"));
    }
    for (size_t i = 0; i < COUNT_OF(enough); i++) {
        b = budget(enough[i], false);
        OK(budget_bytes(&b, &server, &g, &(struct reservation){0}, bytes, &err));
    }
    graph_drop(&g);
}

static void memories_minus_the_reservation(void **state)
{
    struct graph g;
    const int sizes[] = {2, 1, 0};
    struct budget b = {.kind = BUDGET_MEMORY};
    struct reservation r = {.total = 1000, .given = true};
    uint64_t bytes[SERVER_GPUS_MAX];
    (void)state;
    ten_vertices(&g);
    server_cliques(&server, sizes, 64);
    for (int i = 0; i < 3; i++) server.gpu[i].memory_bytes = 1001 + 100 * (uint64_t)i;
    OK(budget_bytes(&b, &server, &g, &r, bytes, &err));
    for (int i = 0; i < 3; i++) assert_int_equal(bytes[i], 1 + 100 * i);
    server.gpu[1].memory_bytes = 1000;
    assert_int_equal(budget_bytes(&b, &server, &g, &r, bytes, &err), ST_NO);
    server.gpu[1].memory_bytes = 0;
    assert_int_equal(budget_bytes(&b, &server, &g, &r, bytes, &err), ST_INPUT);
    graph_drop(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_become_bytes), cmocka_unit_test(shares_are_exact),
                                       cmocka_unit_test(nonsense_is_refused),
                                       cmocka_unit_test(a_unit_that_was_forgotten),
                                       cmocka_unit_test(memories_minus_the_reservation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
