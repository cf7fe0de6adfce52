/* Whose epochs a comparison cannot tell apart: what both epochs share cancels, the rest may make them change places. */
#include <math.h>
#include <string.h>

#include "planner/decisions/ties.h"
#include "tests/unit/unit.h"

/* An epoch of one iteration, two stages, each with what it waits for. */
static doc *row(const char *policy, double sample, const char *sampler, double transfer, const char *link)
{
    doc *stages = DOC(IS("sample", sample), IS("load", 0.0), IS("transfer", transfer), IS("propagate", 0.0)),
        *limits = DOC(IS("sample", sampler), IS("transfer", link));
    double longest = sample > transfer ? sample : transfer, shorter = sample > transfer ? transfer : sample;
    doc *epoch = DOC(IS("seconds", longest + 0.15 * shorter), IS("pipelined", true), IS("unoverlapped", 0.15),
                     IS("iterations", 1.0), IS("stages", stages), IS("limits", limits));
    return DOC(IS("policy", policy), IS("reach", "own"),
               IS("simulated", DOC(IS("total_transactions", 1000.0), IS("epoch_time", epoch))));
}

/* Whether the document says that two rows tie. Takes both. */
static bool tie(doc *a, doc *b)
{
    struct err err = {0};
    doc *rows = doc_array(), *d = doc_object();
    doc_append(rows, a);
    doc_append(rows, b);
    doc_put(d, "rows", rows);
    assert_int_equal(ties_put(d, &err), ST_OK);
    bool first = doc_size(doc_get(a, "ties")) == 1, second = doc_size(doc_get(b, "ties")) == 1;
    assert_true(first == second); /* ties are of both */
    if (first) assert_string_equal(doc_text_value(doc_at(doc_get(a, "ties"), 0), ""), "b");
    assert_true(doc_number(doc_get(d, "epoch_factors"), "sample") > 1.06);
    assert_true(doc_number(doc_get(d, "epoch_factors"), "transfer") > 1.06);
    doc_free(d);
    return first;
}

/* 5 % longer by the same resource is longer, however wrong its rate is; by another resource nobody knows. */
static void what_both_wait_for_cancels(void **state)
{
    (void)state;
    assert_false(tie(row("a", 1, "GPU 0", 0.01, "PCIe switch 0"), row("b", 1.05, "GPU 3", 0.01, "PCIe switch 0")));
    assert_false(
        tie(row("a", 1, "sampler GPUs", 0.01, "PCIe switch 0"), row("b", 1.05, "GPU 3", 0.01, "PCIe switch 0")));
    assert_true(tie(row("a", 1, "GPU 0", 0.01, "PCIe switch 0"), row("b", 1.05, "CPU", 0.01, "PCIe switch 0")));
    assert_false(tie(row("a", 0.01, "GPU 0", 1, "PCIe switch 0"), row("b", 0.01, "GPU 0", 1.05, "PCIe link of GPU 1")));
    assert_true(tie(row("a", 0.01, "GPU 0", 1, "PCIe switch 0"), row("b", 0.01, "GPU 0", 1.05, "NVLink of GPU 1")));
    assert_false(tie(row("a", 0.01, "GPU 0", 1, "PCIe switch 0"), row("b", 0.01, "GPU 0", 5, "NVLink of GPU 1")));
}

/* One samples longer, the other transfers longer: 2 % apart is within the error of the two rates, twice is not. A
 * policy that is shorter in both stays ahead. */
static void stages_weigh_against_each_other(void **state)
{
    (void)state;
    assert_true(tie(row("a", 1, "GPU 0", 0.5, "PCIe switch 0"), row("b", 0.5, "GPU 0", 1.02, "PCIe switch 0")));
    assert_false(tie(row("a", 1, "GPU 0", 0.5, "PCIe switch 0"), row("b", 0.5, "GPU 0", 8, "PCIe switch 0")));
    assert_false(tie(row("a", 0.99, "GPU 0", 0.5, "PCIe switch 0"), row("b", 1, "GPU 0", 0.505, "PCIe switch 0")));
    assert_true(tie(row("a", 1, "GPU 0", 0.5, "PCIe switch 0"), row("b", 1, "GPU 0", 0.5, "PCIe switch 0")));
}

/* The interval of the counts speaks where the two were not counted on the same mini-batches. */
static void counts_have_an_error(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        doc *rows[] = {row("a", 1, "GPU 0", 0.5, "PCIe switch 0"), row("b", 1.01, "GPU 0", 0.51, "PCIe switch 0")};
        for (int i = 0; i < 2; i++) {
            doc *pair = doc_array();
            doc_append(pair, doc_real(980));
            doc_append(pair, doc_real(1020));
            doc_put(doc_get(rows[i], "simulated"), "total_interval", pair);
            doc_put(rows[i], "deal", DOC(IS("chosen", i && other ? "gpu" : "clique"), IS("partition", "reads")));
        }
        assert_int_equal(tie(rows[0], rows[1]), other);
    }
}

/* Rows of other budgets, and those without seconds, tie with none. */
static void only_a_group_ties(void **state)
{
    doc *budgets[] = {row("a", 1, "GPU 0", 0.5, "PCIe switch 0"), row("b", 1, "GPU 0", 0.5, "PCIe switch 0")},
        *unknown[] = {row("a", 1, "GPU 0", 0.5, "PCIe switch 0"), row("b", 1, "GPU 0", 0.5, "PCIe switch 0")};
    (void)state;
    doc_put(budgets[1], "budget", doc_text("5%"));
    assert_false(tie(budgets[0], budgets[1]));
    doc_put(doc_get(unknown[1], "simulated"), "epoch_time", DOC(IS("seconds", (double)NAN)));
    assert_false(tie(unknown[0], unknown[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_both_wait_for_cancels),
                                       cmocka_unit_test(stages_weigh_against_each_other),
                                       cmocka_unit_test(counts_have_an_error), cmocka_unit_test(only_a_group_ties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
