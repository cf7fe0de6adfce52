/* What HyScale-GNN publishes of its model, set against this one: figure 9's statements, and table VI where one number
 * follows from another. The paper prints neither the sizes of its mini-batches nor figure 8's values, so |V^0| is
 * taken from one cell of table VI (GCN on ogbn-products, 0.27 s, bound by PCIe) and must then explain others. */
#include "unit.h"

#include <math.h>

#include "simulator/movement/balance.h"

enum { TRAIN_PRODUCTS = 196615, TRAIN_PAPERS = 1207179, BATCH = 1024 };
static struct err err;
static struct server s;
static struct epoch_load load;
static struct epoch_time t;
static const struct gnn gcn = {GNN_GCN, 256, 47};

/* The paper's machine with that many FPGAs. */
static void fpgas(int count)
{
    GOOD(server_load("hyscale-4xu250", &s, &err));
    for (int g = 4; g < count; g++) {
        s.gpu[g] = s.gpu[0];
        s.gpu[g].id = g;
    }
    s.gpus = count;
}

/* Mini-batches of 1024 with fan-outs 25 and 10 on every FPGA; `rows` distinct vertices each. No draw meets another in
 * the inner layers. */
static void mini_batches(int gpus, double train, double dim, double rows)
{
    memset(&load, 0, sizeof load);
    load.gpus = gpus;
    load.layers = 2;
    load.access = ACCESS_CPU;
    load.cpu_gathers = true;
    load.dim = (uint64_t)dim;
    load.element_bytes = 4;
    for (int g = 0; g < gpus; g++) {
        struct epoch_gpu *x = &load.gpu[g];
        x->batches = train / BATCH / gpus;
        x->vertices[2] = BATCH * x->batches;
        x->vertices[1] = BATCH * 26 * x->batches;
        x->vertices[0] = rows * x->batches;
        x->edges[2] = BATCH * 25 * x->batches;
        x->edges[1] = BATCH * 260 * x->batches;
        x->feature_bytes = rows * dim * 4 * x->batches;
        x->feature_payload = rows * dim * 4;
    }
}

static void model(struct gnn of)
{
    struct epoch_setup how = {.gnn = of, .pipelined = true, .cpu = cpu_part_none()};
    epoch_time(&load, &s, &how, &t);
    assert_int_equal(t.unknowns, 0);
}

/* Figure 9: "the CPU memory starts to saturate when more than 12 accelerators are used". Loading (eq. 7) takes as
 * long as transfer (eq. 8) where accelerators x PCIe = memory bandwidth, whatever the mini-batches: 205 / 15.76 =
 * 13.0. */
static void memory_saturates_beyond_twelve(void **state)
{
    (void)state;
    for (int count = 1; count <= 16; count++) {
        fpgas(count);
        mini_batches(count, TRAIN_PAPERS, 128, 60000);
        model(gcn);
        if (count <= 12) assert_true(t.stage[STAGE_LOAD] < t.stage[STAGE_TRANSFER]);
        if (count >= 14) assert_true(t.stage[STAGE_LOAD] > t.stage[STAGE_TRANSFER]);
        if (count == 13) assert_true(fabs(t.stage[STAGE_LOAD] / t.stage[STAGE_TRANSFER] - 1) < 0.002);
        server_release(&s);
    }
}

/* |V^0| that makes transfer alone last the published time. */
static double rows_from(double seconds, double train, double dim)
{
    return seconds / (train / BATCH / 4) * s.pcie_gbps * 1e9 / (dim * 4);
}

/* Section VI-D: GCN on ogbn-products is bottlenecked by data transfer. */
static void gcn_on_products_waits_for_pcie(void **state)
{
    (void)state;
    fpgas(4);
    double rows = rows_from(0.27, TRAIN_PRODUCTS, 100);
    assert_true(rows > BATCH * 26 && rows <= BATCH * 286); /* between the inner frontier and all draws distinct */
    mini_batches(4, TRAIN_PRODUCTS, 100, rows);
    model(gcn);
    assert_int_equal(t.bottleneck, STAGE_TRANSFER);
    assert_true(fabs(t.seconds / 0.27 - 1) < 0.001);
    server_release(&s);
}

struct cell {
    const char *graph;
    double train, dim, rows_from;
    struct gnn of;
    double published, low, high;
};

/* Table VI, "This work", epoch seconds: cells beyond those that |V^0| was taken from. low, high: where our time /
 * published - 1 lies. |V^1| and the edges are at their upper bound (no two draws meet) and the CPU trains nothing,
 * because the paper gives neither; so what a trainer takes is a bound. */
static void table_six(void **state)
{
    (void)state;
    static const struct cell cells[] = {
        /* explained: PCIe-bound whatever the width; on papers100M the widths' bound */
        {"products", TRAIN_PRODUCTS, 100, 0.27, {GNN_GCN, 32, 47}, 0.27, -0.01, 0.01},
        {"products", TRAIN_PRODUCTS, 100, 0.27, {GNN_SAGE, 32, 47}, 0.28, -0.05, 0.01},
        {"papers100M", TRAIN_PAPERS, 128, 0.58, {GNN_GCN, 32, 172}, 0.57, 0, 0.06},
        {"papers100M", TRAIN_PAPERS, 128, 0.58, {GNN_SAGE, 32, 172}, 0.59, 0, 0.12},
        {"papers100M", TRAIN_PAPERS, 128, 0.58, {GNN_SAGE, 256, 172}, 1.91, -0.02, 0.02},
        /* not explained: equations 10 to 12 let GraphSAGE cost at most twice GCN, the paper measures 1.8 and 3.3
         * times */
        {"products", TRAIN_PRODUCTS, 100, 0.27, {GNN_SAGE, 256, 47}, 0.49, -0.46, -0.44},
        {"papers100M", TRAIN_PAPERS, 128, 0.58, {GNN_GCN, 256, 172}, 0.58, 0.95, 1.05},
    };
    fpgas(4);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const struct cell *c = &cells[i];
        mini_batches(4, c->train, c->dim, rows_from(c->rows_from, c->train, c->dim));
        model(c->of);
        double off = t.seconds / c->published - 1;
        if (!(off >= c->low && off <= c->high))
            fail_msg("%s, %s of width %d: %.4g s, published %.4g: %+.1f %%", c->graph, gnn_name(c->of.kind),
                     (int)c->of.hidden, t.seconds, c->published, 100 * off);
    }
    server_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_saturates_beyond_twelve),
                                       cmocka_unit_test(gcn_on_products_waits_for_pcie), cmocka_unit_test(table_six)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
