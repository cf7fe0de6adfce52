/* Student's t against printed tables, and counters of a job: sums, and what is refused. */
#include "planner/running/observed.h"
#include "base/student.h"
#include "tests/oracle/instance.h"

static struct err err;

/* Two-sided quantiles as printed in textbooks (Student's t table). */
static void quantiles(void **state)
{
    static const struct {
        double beyond;
        int freedom;
        double t;
    } table[] = {{0.05, 1, 12.706}, {0.05, 2, 4.303}, {0.05, 7, 2.365},  {0.01, 7, 3.499},
                 {0.001, 7, 5.408}, {0.1, 10, 1.812}, {0.05, 30, 2.042}, {0.01, 120, 2.617}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        double t = student_quantile(table[i].beyond, table[i].freedom);
        HOLDS(t > table[i].t - 6e-4 && t < table[i].t + 6e-4, "t(%g, %d) = %g", table[i].beyond, table[i].freedom, t);
    }
}

static enum st read_text(const char *text, struct observed *out)
{
    const struct graph graph = {.row_bytes = 10};
    static struct plan p = {.assignment = {.gpus = 2, .id = {3, 5}}};
    FILE *f = fopen("observed.jsonl", "w");
    fputs(text, f);
    fclose(f);
    memset(out, 0, sizeof *out);
    enum st st = observed_read("observed.jsonl", &p, &graph, out, &err);
    remove("observed.jsonl");
    return st;
}

#define LINE(gpu, batches, own, bytes, more)                                                                           \
    "{\"schema\": \"observed/1\", \"gpu\": " gpu ", \"epoch\": 0, \"batches\": " batches ", \"rows\": {\"own\": " own  \
    ", \"peer\": 0, \"host\": 2}, \"bytes\": {\"own\": " bytes ", \"peer\": 0, \"host\": 20}" more "}\n"

static void lines_are_added(void **state)
{
    struct observed o;
    (void)state;
    err_clear(&err);
    enum st st = read_text(LINE("5", "4", "7", "70",
                                ", \"seconds\": {\"sample\": 1.5, \"mine\": 2}") "\n" LINE("5", "2", "1", "10",
                                                                                           ", \"seconds\": {\"mine\": "
                                                                                           "1}")
                               LINE("3", "1", "9", "90", ""),
                           &o);
    HOLDS(st == ST_OK, "%s", err.text);
    assert_int_equal(o.gpu[1].epochs, 2);
    assert_int_equal(o.gpu[1].batches, 6);
    assert_int_equal(o.gpu[1].rows[PLACE_OWN], 8);
    assert_int_equal(o.gpu[1].rows[PLACE_HOST], 4);
    assert_int_equal(o.gpu[0].rows[PLACE_OWN], 9);
    assert_int_equal(o.stages, 2);
    assert_true(o.gpu[1].seconds[1] == 3);
    observed_release(&o);
    st = read_text("{\"schema\": \"observed/1\", \"gpu\": 5, \"epoch\": 0, \"batches\": 0, \"rows\": {\"own\": 0, "
                   "\"peer\": 0, \"host\": 0}, "
                   "\"bytes\": {\"own\": 0, \"peer\": 0, \"host\": 0}, \"seconds\": {}}\n",
                   &o); /* a GPU that had nothing to train */
    HOLDS(st == ST_OK, "%s", err.text);
    assert_int_equal(o.gpu[1].batches, 0);
    observed_release(&o);
}

static void wrong_lines_are_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {{"", "holds no counters"},
               {"[1]\n", "line 1"},
               {"{\"schema\": \"plan/1\"}\n", "observed/1"},
               {LINE("4", "1", "1", "10", ""), "GPU 4 is not in the plan"},
               {LINE("3", "1", "1", "10", ", \"table\": \"paper\""), "no such feature rows"},
               {LINE("3", "0", "1", "10", ""), "\"batches\" is 0, but rows were read"},
               {LINE("3", "1", "1", "11", ""), "1 rows took 11 bytes"},
               {LINE("3", "1", "-1", "10", ""), "own"},
               {LINE("3", "1", "9007199254740993", "10", ""), "own"},
               {LINE("3", "1", "1", "10", ", \"seconds\": {\"sample\": -1}"), "sample"},
               {LINE("3", "1", "1", "10", "") LINE("3", "1", "1", "10", ", \"seconds\": {\"sample\": \"x\"}"), "line "
                                                                                                               "2"},
               {LINE("3", "1", "1", "10", ", \"seconds\": {\"a_name_of_more_than_thirty_one_letters\": 1}"), "stage"}};
    struct observed o;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        err_clear(&err);
        enum st st = read_text(bad[i].text, &o);
        observed_release(&o);
        HOLDS(st == ST_INPUT && strstr(err.text, bad[i].says), "%s gave %d: %s", bad[i].text, (int)st, err.text);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles), cmocka_unit_test(lines_are_added),
                                              cmocka_unit_test(wrong_lines_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
