/* HyScale's balance step on the model: every step helps, nothing is lost, and the end is no worse than any share with
 * the same threads. */
#include "unit.h"

#include <math.h>

#include "simulator/movement/balance.h"

static struct err err;
static struct server s;
static struct epoch_load load;
static struct balance b;

static void setup_load(double heavy)
{
    memset(&load, 0, sizeof load);
    GOOD(server_load("hyscale-4xu250", &s, &err));
    load.gpus = 4;
    load.layers = 2;
    load.access = ACCESS_CPU;
    load.cpu_gathers = true;
    load.dim = 128;
    load.element_bytes = 4;
    for (int g = 0; g < 4; g++)
        load.gpu[g] = (struct epoch_gpu){.batches = 10,
                                         .vertices = {800000, 266240 * heavy, 10240},
                                         .edges = {0, 2662400 * heavy, 256000},
                                         .draws = 2918400,
                                         .feature_bytes = 800000 * 512.0,
                                         .topology_bytes = 2918400 * 8.0,
                                         .feature_payload = 1e6,
                                         .topology_payload = 1e6};
}

static const struct epoch_setup how = {.gnn = {GNN_SAGE, 256, 172}, .pipelined = true};

static void steps_help(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        setup_load(1 + 2 * i);
        balance_run(&load, &s, &how, BALANCE_FULL, &b);
        assert_true(b.known && b.steps >= 1);
        for (int k = 0; k < b.steps; k++) {
            const struct cpu_part *c = &b.step[k].cpu;
            assert_true(fabs(c->threads[0] + c->threads[1] + c->threads[2] - 1) < 1e-12);
            assert_true(c->share >= 0 && c->share <= 1 && c->threads[0] >= 0 && c->threads[1] >= 0 &&
                        c->threads[2] >= 0);
            if (k) assert_true(b.step[k].execution < b.step[k - 1].execution);
        }
        struct epoch_time t;
        struct epoch_setup end = how;
        end.cpu = b.cpu;
        epoch_time(&load, &s, &end, &t);
        assert_true(fabs(t.execution - b.step[b.steps - 1].execution) <
                    1e-15); /* what is stated is what the model says */
        server_release(&s);
    }
}

/* With trainers that are slow the CPU gets work, and the more so the slower they are; where PCIe limits, too (section
 * VIII). */
static void slow_accelerators_give_work_away(void **state)
{
    (void)state;
    setup_load(8);
    balance_run(&load, &s, &how, BALANCE_FULL, &b);
    assert_true(b.cpu.share > 0.01);
    server_release(&s);
    setup_load(1);
    s.pcie_gbps = 0.5;
    balance_run(&load, &s, &how, BALANCE_FULL, &b);
    assert_true(b.cpu.share > 0.01);
    server_release(&s);
}

static void stated_and_read_back(void **state)
{
    (void)state;
    setup_load(8);
    balance_run(&load, &s, &how, BALANCE_FULL, &b);
    doc *d = balance_document(&b);
    struct cpu_part c = balance_read(d);
    assert_true(fabs(c.share - b.cpu.share) < 1e-12);
    for (int i = 0; i < CPU_TASKS; i++) assert_true(fabs(c.threads[i] - b.cpu.threads[i]) < 1e-12);
    assert_int_equal(doc_size(doc_get(d, "steps")), b.steps);
    doc_free(d);
    c = balance_read(NULL);
    assert_true(c.share == 0 && c.threads[CPU_LOAD] == 1);
    server_release(&s);
}

static void unknown_moves_nothing(void **state)
{
    (void)state;
    setup_load(1);
    s.cpu_tflops = 0;
    balance_run(&load, &s, &how, BALANCE_FULL, &b);
    assert_false(b.known);
    assert_int_equal(b.steps, 0);
    doc *d = balance_document(&b);
    assert_true(doc_is_null(doc_get(d, "share")));
    assert_string_equal(doc_text_value(doc_at(doc_get(d, "unknown"), 0), ""), "cpu_tflops");
    doc_free(d);
    server_release(&s);
}

/* Where moving work changes no time, no step is taken: a step must help. */
static void nothing_helps(void **state)
{
    (void)state;
    setup_load(1);
    for (int g = 0; g < 4; g++) load.gpu[g] = (struct epoch_gpu){.batches = 10};
    balance_run(&load, &s, &how, BALANCE_FULL, &b);
    assert_true(b.known);
    assert_int_equal(b.steps, 1); /* the start */
    server_release(&s);
}

/* The share that is found once is the best of its grid, whatever the threads could do; the steps go on from there, and
 * are never worse. Nothing at all may be moved. */
static void found_once_then_step_by_step(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct epoch_time t;
        struct epoch_setup end = how;
        setup_load(1 + 2 * i);
        balance_run(&load, &s, &how, BALANCE_NONE, &b);
        assert_int_equal(b.steps, 1);
        double none = b.time.execution, once;
        assert_true(b.cpu.share == 0);
        balance_run(&load, &s, &how, BALANCE_STATIC, &b);
        once = b.time.execution;
        assert_true(once <= none && b.cpu.share < 1 && fabs(b.cpu.threads[CPU_LOAD] - 1.0 / 3) < 1e-12);
        end.cpu = b.cpu;
        for (int k = 0; k < 64; k++) {
            end.cpu.share = k / 64.0;
            epoch_time(&load, &s, &end, &t);
            assert_true(t.execution > once * (1 - 2e-6));
        }
        balance_run(&load, &s, &how, BALANCE_FULL, &b);
        assert_true(b.time.execution <= once);
        server_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_help),
                                       cmocka_unit_test(nothing_helps),
                                       cmocka_unit_test(found_once_then_step_by_step),
                                       cmocka_unit_test(slow_accelerators_give_work_away),
                                       cmocka_unit_test(stated_and_read_back),
                                       cmocka_unit_test(unknown_moves_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
