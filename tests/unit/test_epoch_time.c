/* The time model's equations, each against numbers worked out by hand. Rates are 1e9 per second and the like, so that
 * times are plain. */
#include "unit.h"

#include <math.h>

#include "simulator/movement/epoch_document.h"

static struct server s;
static struct epoch_load load;
static struct epoch_setup how;
static struct epoch_time t;

#define NEAR(value, expected)                                                                                          \
    assert_true(fabs((double)(value) - (double)(expected)) <= 1e-9 * fabs((double)(expected)) + 1e-15)

/* Two GPUs on one switch; 1 GB/s of device memory, 1e9 multiply-and-adds, 1e6 edges per second; PCIe 1 GB/s; host
 * memory 4 GB/s. */
static int setup(void **state)
{
    (void)state;
    memset(&s, 0, sizeof s);
    memset(&load, 0, sizeof load);
    s.gpus = load.gpus = 2;
    for (int g = 0; g < 2; g++)
        s.gpu[g] =
            (struct server_gpu){.id = g, .pcie_switch = 0, .memory_gbps = 1, .tflops = 0.002, .sampling_edges = 1e6};
    s.pcie_gbps = 1;
    s.host_memory_gbps = 4;
    s.cpu_tflops = 0.004;
    s.cpu_sampling_edges = 4e6;
    load.layers = 2;
    load.dim = 10;
    load.element_bytes = 4;
    for (int g = 0; g < 2; g++) {
        struct epoch_gpu *x = &load.gpu[g];
        x->batches = 2;
        x->vertices[0] = 600, x->vertices[1] = 200, x->vertices[2] = 40;
        x->edges[1] = 1000, x->edges[2] = 160;
        x->draws = 1160;
        x->feature_bytes = 24000, x->topology_bytes = 8000;
        x->feature_payload = 40, x->topology_payload = 64;
    }
    how = (struct epoch_setup){.gnn = {GNN_GCN, 20, 5}, .pipelined = true, .cpu = cpu_part_none()};
    return 0;
}

static void run(void) { epoch_time(&load, &s, &how, &t); }

/* Per iteration (half of the epoch) on one GPU. Aggregate: 500 * 10 * 4 = 20000 bytes, 80 * 20 * 4 = 6400. Update:
 * 100 * 10 * 20 = 20000, 20 * 20 * 5 = 2000. Forward 20 + 20 + 6.4 + 2 us, backward 20 + 8.4. Weights (200 + 100) * 4
 * = 1200 bytes, twice: 2.4 us. */
static void propagation(void **state)
{
    (void)state;
    run();
    assert_int_equal(t.unknowns, 0);
    NEAR(t.iterations, 2);
    NEAR(t.train_gpu, (20 + 20 + 6.4 + 2 + 20 + 8.4) * 1e-6);
    NEAR(t.sync, 2.4e-6);
    NEAR(t.stage[STAGE_PROPAGATE], (76.8 + 2.4) * 1e-6);
}

/* Training at a quarter of both peaks takes four times as long; what is synchronised does not. */
static void training_reaches_a_share_of_the_peaks(void **state)
{
    (void)state;
    s.gpu[0].efficiency = s.gpu[1].efficiency = 0.25;
    run();
    NEAR(t.train_gpu, 4 * 76.8e-6);
    NEAR(t.stage[STAGE_PROPAGATE], (4 * 76.8 + 2.4) * 1e-6);
}

/* Updates at half of their peak: 40, 4, 40, 4 us; two layers of one mini-batch per iteration take 3 us each beside. */
static void updates_have_their_own_share_and_layers_cost_time(void **state)
{
    (void)state;
    for (int g = 0; g < 2; g++) {
        s.gpu[g].efficiency = 0.25;
        s.gpu[g].compute_efficiency = 0.5;
        s.gpu[g].layer_seconds = 3e-6;
    }
    run();
    NEAR(t.train_gpu, (80 + 40 + 4 * 6.4 + 4 + 40 + 4 * 6.4 + 4 + 2 * 3) * 1e-6);
}

/* An A100, updates at a millionth of the peak: its products in 16 bits reach 0.75 of 312 TFLOPS, 0.90 of the peak in
 * float32, so mixed precision takes 312 * 0.75 / 0.90 = 260 TFLOPS, 130e6 multiply-and-adds per second here, and the
 * inner layer sums half as many bytes; TF32 0.98 of half of it, 63.7e6. A V100 has no TF32, and its float32 remains. A
 * share that is fitted is one of the nominal peak: half of 156e12. Of a GPU without a name nothing is known. */
static void precisions_differ(void **state)
{
    const char *const models[] = {"A100-SXM4-40GB", "Tesla V100-SXM2-16GB", ""};
    (void)state;
    for (int i = 0; i < 3; i++) {
        for (int g = 0; g < 2; g++) {
            s.gpu[g].compute_efficiency = 1e-6;
            snprintf(s.gpu[g].model, sizeof s.gpu[g].model, "%s", models[i]);
        }
        how.tf32 = true;
        run();
        if (i == 0) NEAR(t.train_gpu, 2 * 22000 / 63.7e6 + (20 + 6.4 + 6.4) * 1e-6);
        if (i == 1) NEAR(t.train_gpu, 2 * 22000 / 1e3 + (20 + 6.4 + 6.4) * 1e-6);
        assert_int_equal(t.unknowns, i == 2);
        how.tf32 = false;
        how.mixed = true;
        run();
        if (i == 0) NEAR(t.train_gpu, 2 * 22000 / 130e6 + (20 + 3.2 + 3.2) * 1e-6);
        assert_int_equal(t.unknowns, i == 2);
        how.efficiency = 0.5;
        run();
        if (i == 0) NEAR(t.train_gpu, 2 * 22000 / 78e12 + 2 * (20 + 3.2 + 3.2) * 1e-6);
        how.efficiency = 0;
        how.mixed = false;
    }
}

static void streamed_takes_the_longer(void **state)
{
    (void)state;
    s.gpu[0].streamed = s.gpu[1].streamed = true;
    run();
    NEAR(t.train_gpu, (20 + 6.4 + 20 + 6.4) * 1e-6); /* max(20, 20) + max(6.4, 2); back 20 + 6.4 */
}

/* The own row beside the aggregate: updates 40 and 4 us, weights 2400 bytes. */
static void sage_updates_twice_as_wide(void **state)
{
    (void)state;
    how.gnn.kind = GNN_SAGE;
    run();
    NEAR(t.train_gpu, (20 + 40 + 6.4 + 4 + 40 + 10.4) * 1e-6);
    NEAR(t.sync, 4.8e-6);
}

/* Rows from the host twice as fast as the server states, topology as it states: 2 x (6000 + 4000) bytes below one
 * switch at 1 GB/s. */
static void rows_may_come_faster_from_the_host(void **state)
{
    (void)state;
    how.reads = 2;
    run();
    NEAR(t.stage[STAGE_TRANSFER], 20e-6);
}

/* 580 draws / 1e6; below one switch 2 * 16000 bytes at 1 GB/s; host memory 32000 / 4e9 is shorter. */
static void sampling_and_contention(void **state)
{
    (void)state;
    run();
    NEAR(t.stage[STAGE_SAMPLE], 580e-6);
    NEAR(t.stage[STAGE_LOAD], 0);
    NEAR(t.stage[STAGE_TRANSFER], 32e-6);
    assert_string_equal(t.limit[STAGE_TRANSFER], "PCIe switch 0");
    s.gpu[1].pcie_switch = 1;
    run();
    NEAR(t.stage[STAGE_TRANSFER], 16e-6);
    assert_string_equal(t.limit[STAGE_TRANSFER], "PCIe link of GPU 0");
    s.host_memory_gbps = 1;
    run();
    NEAR(t.stage[STAGE_TRANSFER], 32e-6);
    assert_string_equal(t.limit[STAGE_TRANSFER], "host memory");
}

static void pipelined_or_not(void **state)
{
    (void)state;
    run();
    NEAR(t.execution, 580e-6);
    NEAR(t.seconds, 1160e-6);
    assert_int_equal(t.bottleneck, STAGE_SAMPLE);
    NEAR(t.mteps, 2 * 1160 / 1160e-6 / 1e6); /* eq. 5: 1160 edges of two layers on each GPU */
    how.unoverlapped = 0.25;                 /* of 32 and 79.2 us */
    run();
    NEAR(t.execution, (580 + 8 + 19.8) * 1e-6);
    how.pipelined = false;
    run();
    NEAR(t.execution, (580 + 32 + 79.2) * 1e-6);
}

static void payload_changes_the_rate(void **state)
{
    (void)state;
    s.pcie_rates = 2;
    s.pcie_rate[0] = (struct server_rate){32, 0.25};
    s.pcie_rate[1] = (struct server_rate){128, 0.75};
    run(); /* 40 bytes: 0.25 + 0.5 log(40/32)/log(4) = 0.330482; 64 bytes: half way, 0.5 */
    double rate = 0.25 + 0.5 * log(1.25) / log(4);
    NEAR(t.stage[STAGE_TRANSFER], 2 * (12000e-9 / rate + 4000e-9 / 0.5));
}

/* Requests are limited per GPU, bytes per uplink. 12000 bytes in rows of 40 and 4000 in lines of 64 are 300 + 62.5
 * requests per iteration; at 1e7/s they take 36.25 us on each GPU's link, while the uplink carries 32000 bytes at
 * 0.8 GB/s in 40 us. At 5e6/s the links take 72.5 us. */
static void requests_or_bytes(void **state)
{
    (void)state;
    s.pcie_read = (struct server_limits){0.8, 1e7};
    run();
    NEAR(t.stage[STAGE_TRANSFER], 40e-6);
    assert_string_equal(t.limit[STAGE_TRANSFER], "PCIe switch 0");
    NEAR(t.gpu[STAGE_TRANSFER][1], 36.25e-6);
    s.pcie_read.requests = 5e6;
    run();
    NEAR(t.stage[STAGE_TRANSFER], 72.5e-6);
    assert_string_equal(t.limit[STAGE_TRANSFER], "PCIe link of GPU 0");
    s.pcie_write_gbps = 0.4; /* weights of 1200 bytes: rows beyond a request's limit at 0.8, back at 0.4 */
    run();
    NEAR(t.sync, 1.5e-6 + 3e-6);
}

/* The CPU samples 2 * 580 draws at 4e6; loads 2 * 12000 bytes, which are 600 rows of 40 bytes, at 4 GB/s (eq. 7), at
 * 4 GB/s and 50 M rows/s, and by the rule: 600 rows of 40 + 100 bytes at 9 % of 4 GB/s, and 15 us. PCIe as before, and
 * nothing waits for host memory in transfer. */
static void cpu_samples_and_loads(void **state)
{
    (void)state;
    load.access = ACCESS_CPU;
    load.cpu_gathers = true;
    s.cpu_gather.gbps = 4;
    run();
    NEAR(t.stage[STAGE_SAMPLE], 290e-6);
    NEAR(t.stage[STAGE_LOAD], 6e-6);
    NEAR(t.stage[STAGE_TRANSFER], 32e-6);
    how.cpu.threads[CPU_SAMPLE] = 0.5;
    how.cpu.threads[CPU_LOAD] = 0.25;
    run();
    NEAR(t.stage[STAGE_SAMPLE], 580e-6);
    NEAR(t.stage[STAGE_LOAD], 24e-6);
    s.cpu_gather.requests = 50e6;
    s.cpu_gather_start = 1e-6;
    run();
    NEAR(t.stage[STAGE_LOAD], 1e-6 + 4 * (6e-6 + 12e-6));
    s.cpu_gather = (struct server_limits){0};
    run();
    NEAR(t.stage[STAGE_LOAD], 15e-6 + 4 * 600 * 140 / 0.36e9);
    s.host_memory_gbps = 0;
    run();
    assert_true(t.unknowns > 0 && isnan(t.stage[STAGE_LOAD]));
}

/* A quarter on the CPU: GPUs do 3/4; the CPU 1/4 of both GPUs' work at 4 GB/s and 2e9: (26.4 * 2 / 4) + (11 + ...). */
static void cpu_trains_a_share(void **state)
{
    (void)state;
    load.access = ACCESS_CPU;
    load.cpu_gathers = true;
    how.cpu.share = 0.25;
    s.cpu_gather.gbps = 4;
    run();
    NEAR(t.train_gpu, 0.75 * 76.8e-6);
    double aggregate = (20 + 6.4 + 6.4) * 1e-6 / 4, update = (20 + 2 + 20 + 2) * 1e-6 / 2;
    NEAR(t.train_cpu, 2 * 0.25 * (aggregate + update));
    NEAR(t.stage[STAGE_TRANSFER], 0.75 * 32e-6);
    NEAR(t.stage[STAGE_LOAD], (0.25 * 24000 + 0.75 * 24000) / 4e9); /* both trainers' rows come through host memory */
}

static void samplers_serve_trainers(void **state)
{
    (void)state;
    load.access = ACCESS_SAMPLERS;
    memset(&load.gpu[0], 0, sizeof load.gpu[0]);
    load.gpu[0].samples = true;
    run();
    NEAR(t.stage[STAGE_SAMPLE], 580e-6);
    NEAR(t.stage[STAGE_TRANSFER], 16e-6); /* the sampler's share of the switch is free */
    NEAR(t.sync, 0);                      /* one trainer */
}

/* NVLinks of 0.1 GB/s in one direction between the GPUs a and b. */
static void join(int a, int b)
{
    s.links[a][b] = s.links[b][a] = 1;
    s.link_gbps[a][b] = s.link_gbps[b][a] = 0.1;
}

/* So many GPUs that train alike. */
static void trainers(int gpus)
{
    s.gpus = load.gpus = gpus;
    for (int g = 2; g < gpus; g++) {
        s.gpu[g] = s.gpu[0];
        s.gpu[g].id = g;
        load.gpu[g] = load.gpu[0];
    }
}

/* The weights have 1200 bytes. Two trainers: 2 x 1/2 of them over 0.1 GB/s, whatever PCIe carries; with the CPU as a
 * third one, over PCIe as well, 2.4 us. */
static void gradients_take_nvlink(void **state)
{
    (void)state;
    join(0, 1);
    run();
    NEAR(t.sync, 12e-6);
    NEAR(t.stage[STAGE_PROPAGATE], (76.8 + 12) * 1e-6);
    s.pcie_gbps = 2;
    run();
    NEAR(t.sync, 12e-6);
    s.pcie_gbps = 1;
    how.cpu.share = 0.25;
    run();
    NEAR(t.sync, 14.4e-6);
    how.cpu.share = 0;
    s.link_gbps[0][1] = s.link_gbps[1][0] = 0; /* of unknown rate: PCIe */
    run();
    NEAR(t.sync, 2.4e-6);
}

/* Four in a ring: 2 x 3/4 of 1200 bytes, over two links of each. A path is no ring: pairs, 12 us, then PCIe. Three of
 * the ring's four train: a path again, and of its groups {0, 1} and {2} the pair takes NVLinks. */
static void gradients_take_rings_and_else_cliques(void **state)
{
    (void)state;
    trainers(4);
    s.clique_of[2] = s.clique_of[3] = 1;
    join(0, 1), join(1, 2), join(2, 3), join(3, 0);
    run();
    NEAR(t.sync, 9e-6);
    load.gpu[3].batches = 0;
    run();
    NEAR(t.sync, 12e-6 + 2.4e-6);
    load.gpu[3].batches = 2;
    s.links[0][3] = s.links[3][0] = 0;
    run();
    NEAR(t.sync, 12e-6 + 2.4e-6);
}

/* Three at a switch: 2 x 2/3 of 1200 bytes through a port of 0.1 GB/s; with links of their own, two of them. The one
 * with a narrower link is the last: 0.1 + 0.05 GB/s. */
static void gradients_wait_for_the_narrowest(void **state)
{
    (void)state;
    trainers(3);
    join(0, 1), join(0, 2), join(1, 2);
    run();
    NEAR(t.sync, 8e-6);
    s.link_gbps[0][1] = s.link_gbps[1][0] = 0.05;
    run();
    NEAR(t.sync, 1600e-6 / 150);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (a != b) s.links[a][b] = 12, s.link_gbps[a][b] = 0.1;
    run();
    NEAR(t.sync, 16e-6);
}

static void nvlink_is_a_link_or_a_port(void **state)
{
    (void)state;
    s.gpus = load.gpus = 3;
    s.gpu[2] = s.gpu[1];
    s.gpu[2].id = 2;
    memset(&load.gpu[1], 0, sizeof load.gpu[1]);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (a != b) s.links[a][b] = 12, s.link_gbps[a][b] = 0.1;
    load.gpu[0].peer_bytes[1] = 20000;
    load.gpu[0].peer_bytes[2] = 40000;
    run(); /* more links to all others than a GPU has: a switch's port, (10000 + 20000) / 1e8 */
    NEAR(t.gpu[STAGE_TRANSFER][0], 300e-6);
    assert_string_equal(t.limit[STAGE_TRANSFER], "NVLink of GPU 0");
    s.links[0][1] = s.links[1][0] = 6;
    s.link_gbps[0][1] = s.link_gbps[1][0] = 0.2;
    run(); /* links of their own: max(10000 / 2e8, 20000 / 1e8) */
    NEAR(t.gpu[STAGE_TRANSFER][0], 200e-6);
    s.nvlink_share = 0.5; /* max(10000 / 1e8, 20000 / 5e7) */
    run();
    NEAR(t.gpu[STAGE_TRANSFER][0], 400e-6);
    s.nvlink_requests = 1e6; /* 20000 bytes in requests of 20 */
    load.gpu[0].peer_payload = 20;
    run();
    NEAR(t.gpu[STAGE_TRANSFER][0], 1000e-6);
}

static bool names(const char *key)
{
    for (int i = 0; i < t.unknowns; i++)
        if (!strcmp(t.unknown[i], key)) return true;
    return false;
}

/* 200000 bytes from the memory of GPU 1 in two iterations, 1 GB/s: longer than PCIe. Without the rate nothing is said.
 */
static void a_cache_is_read_at_the_rate_of_its_memory(void **state)
{
    (void)state;
    load.gpu[1].memory_bytes = 200000;
    run();
    NEAR(t.stage[STAGE_TRANSFER], 100e-6);
    assert_string_equal(t.limit[STAGE_TRANSFER], "memory of GPU 1");
    s.gpu[1].memory_gbps = 0;
    run();
    assert_true(t.stage[STAGE_TRANSFER] < 99e-6);
}

static void unknown_constants_are_named(void **state)
{
    (void)state;
    s.gpu[1].memory_gbps = 0;
    s.pcie_gbps = 0;
    run();
    assert_true(isnan(t.seconds));
    assert_int_equal(t.bottleneck, ALL_STAGES);
    assert_int_equal(t.unknowns, 2);
    assert_true(names("gpus[].memory_gbps") && names("pcie.gbps"));
    NEAR(t.stage[STAGE_SAMPLE], 580e-6); /* what is known is told */
    const struct epoch_timed timed = {.time = t, .how = how, .seconds = t.seconds, .without_cache = -1};
    doc *d = epoch_time_document(&timed, (int[]){0, 1}, 2);
    assert_true(doc_is_null(doc_get(d, "seconds")));
    assert_int_equal(doc_size(doc_get(d, "unknown")), 2);
    doc_free(d);
    load.layers = 0;
    run();
    assert_true(names("layers of random walks"));
}

/* Frontier rule new: a layer sums over its own hop and those before; all: over its own. */
static void layers_from_hops(void **state)
{
    (void)state;
    struct workload w = {.hops = 3};
    struct epoch_gpu x = {0};
    epoch_load_layers(&w, (double[]){10, 40, 100}, (double[]){50, 120, 200}, 300, &x);
    NEAR(x.vertices[3], 10), NEAR(x.vertices[2], 50), NEAR(x.vertices[1], 150), NEAR(x.vertices[0], 300);
    NEAR(x.edges[3], 50), NEAR(x.edges[2], 170), NEAR(x.edges[1], 370), NEAR(x.draws, 370);
    w.frontier = FRONTIER_ALL;
    memset(&x, 0, sizeof x);
    epoch_load_layers(&w, (double[]){10, 50, 150}, (double[]){50, 170, 370}, 300, &x);
    NEAR(x.vertices[1], 150), NEAR(x.edges[1], 370), NEAR(x.edges[2], 170), NEAR(x.draws, 590);
}

/* One-stage prefetching: loading and transfer follow each other, so that they are one stage of the pipeline. */
static void prefetch_in_one_stage(void **state)
{
    (void)state;
    load.cpu_gathers = true;
    run();
    double load_time = t.stage[STAGE_LOAD], transfer = t.stage[STAGE_TRANSFER], longest = 0;
    assert_true(load_time > 0 && transfer > 0);
    how.one_stage = true;
    run();
    longest = fmax(load_time + transfer, fmax(t.stage[STAGE_SAMPLE], t.stage[STAGE_PROPAGATE]));
    NEAR(t.execution, longest);
    NEAR(t.stage[STAGE_LOAD], load_time); /* the stages themselves are as they were */
    how.pipelined = false;
    run();
    NEAR(t.execution, load_time + transfer + t.stage[STAGE_SAMPLE] + t.stage[STAGE_PROPAGATE]);
}

/* 5 visits of the host read 12 lines at 10 places: 76.8 bytes each. Without visits a request is a line. */
static void a_request_is_a_place(void **state)
{
    static struct epoch_load l;
    static struct placement p;
    struct replay_gpu one = {.topology = 12, .batches = 2};
    struct replay r = {.epochs = 1, .gpus = 1, .gpu = &one};
    struct graph graph = {.n = 100, .feature_dim = 10, .feature_bytes = 4, .row_bytes = 40};
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 5};
    (void)state;
    p.gpus = 1;
    one.visits[1] = 5;
    epoch_load_of(&p, NULL, NULL, &r, &graph, &w, 64, &l);
    NEAR(l.gpu[0].topology_bytes, 12 * 64);
    NEAR(l.gpu[0].topology_payload, 76.8);
    one.visits[1] = one.topology = 0;
    epoch_load_of(&p, NULL, NULL, &r, &graph, &w, 64, &l);
    NEAR(l.gpu[0].topology_payload, 64);
}

/* Rows of 40 bytes, 10 from the host over 2 mini-batches. GPUs read lines (12 of 64 bytes) row by row; where the CPU
 * gathers, the rows alone are copied, a mini-batch at a time, whoever samples. */
static void who_gathers_decides_what_is_copied(void **state)
{
    static struct epoch_load l;
    static struct placement p;
    struct replay_gpu one = {.feature = 12, .batches = 2};
    struct replay r = {.epochs = 1, .gpus = 1, .gpu = &one};
    struct graph graph = {.n = 100, .feature_dim = 10, .feature_bytes = 4, .row_bytes = 40};
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 5};
    (void)state;
    one.rows[1] = 10;
    p.gpus = 1;
    for (int access = ACCESS_GPU; access <= ACCESS_CPU; access++) {
        p.access = (enum topology_access)access;
        p.copies_features = false;
        epoch_load_of(&p, NULL, NULL, &r, &graph, &w, 64, &l);
        assert_false(l.cpu_gathers);
        NEAR(l.gpu[0].feature_bytes, 12 * 64);
        NEAR(l.gpu[0].feature_payload, 40);
        p.copies_features = true;
        epoch_load_of(&p, NULL, NULL, &r, &graph, &w, 64, &l);
        assert_true(l.cpu_gathers);
        NEAR(l.gpu[0].feature_bytes, 400);
        NEAR(l.gpu[0].feature_payload, 200);
    }
}

/* GPU 0 reads from GPU 1, in 2 epochs: 6 rows of 8 bytes, 14 offset pairs of 16 and 22 entries of 4. */
static void peers_serve_both_kinds(void **state)
{
    (void)state;
    struct replay_gpu x[2] = {{.rows = {9, 6, 4}, .visits = {2, 14, 3}, .draws = {1, 22, 5}, .entries = {4, 88, 20}},
                              {.rows = {0}}};
    struct replay r = {.epochs = 2, .gpus = 2, .gpu = x};
    struct graph g = {.n = 4, .feature_dim = 2, .feature_bytes = 4, .row_bytes = 8};
    struct workload w = {.hops = 1, .fanout = {3}};
    static struct placement p;
    static struct epoch_load of;
    p = (struct placement){.gpus = 2, .access = ACCESS_GPU};
    epoch_load_of(&p, NULL, NULL, &r, &g, &w, 64, &of);
    NEAR(of.gpu[0].peer_bytes[1], (6 * 8 + 14 * 16 + 22 * 4) / 2.0);
    NEAR(of.gpu[0].peer_bytes[0], 0);
    NEAR(of.gpu[0].memory_bytes, (9 * 8 + 2 * 16 + 4) / 2.0); /* its own reads; nobody else's here */
    NEAR(of.gpu[1].memory_bytes, (6 * 8 + 14 * 16 + 22 * 4) / 2.0);
    NEAR(of.gpu[0].peer_payload, (6 * 8 + 14 * 16 + 22 * 4) / (6 + 14 + 22.0)); /* rows, offset pairs, entries */
    struct routes routes = {.hops = {{0}}};
    int pcie_switch[2] = {3, 3};
    epoch_load_of(&p, &routes, pcie_switch, &r, &g, &w, 64, &of); /* no link, but one switch above both */
    NEAR(of.gpu[0].peer_bytes[1], 0);
    NEAR(of.gpu[0].pcie_peer_bytes[1], (6 * 8 + 14 * 16 + 22 * 4) / 2.0);
    p.access = ACCESS_CPU; /* the CPU samples: rows alone */
    epoch_load_of(&p, NULL, NULL, &r, &g, &w, 64, &of);
    NEAR(of.gpu[0].peer_bytes[1], 6 * 8 / 2.0);
}

/* The same reads, pushed: 14 ids of 4 bytes go to GPU 1, 22 draws of 4 bytes and 6 rows come back. GPU 1 still reads
 * its offset pairs and entries. Messages are packed, so a small request is a feature row. Labor with iterations returns
 * the 120 bytes of entries that it read. */
static void pushed_visits_return_draws(void **state)
{
    (void)state;
    struct replay_gpu x[2] = {{.rows = {9, 6, 4}, .visits = {2, 14, 3}, .draws = {1, 22, 5}, .entries = {4, 120, 20}},
                              {.rows = {0}}};
    struct replay r = {.epochs = 2, .gpus = 2, .gpu = x};
    struct graph g = {.n = 4, .feature_dim = 2, .feature_bytes = 4, .row_bytes = 8};
    struct workload w = {.hops = 1, .fanout = {3}};
    struct routes routes = {.hops = {{0}}};
    int pcie_switch[2] = {3, 3};
    static struct placement p;
    static struct epoch_load of;
    p = (struct placement){.gpus = 2, .access = ACCESS_GPU, .pushes = true};
    epoch_load_of(&p, NULL, NULL, &r, &g, &w, 64, &of);
    NEAR(of.gpu[0].peer_bytes[1], (6 * 8 + 22 * 4) / 2.0);
    NEAR(of.gpu[1].peer_bytes[0], 14 * 4 / 2.0);
    NEAR(of.gpu[1].memory_bytes, (6 * 8 + 14 * 16 + 120) / 2.0);
    NEAR(of.gpu[0].peer_payload, 8);
    epoch_load_of(&p, &routes, pcie_switch, &r, &g, &w, 64, &of);
    NEAR(of.gpu[0].pcie_peer_bytes[1], (6 * 8 + 22 * 4) / 2.0);
    NEAR(of.gpu[1].pcie_peer_bytes[0], 14 * 4 / 2.0);
    w.sampler = SAMPLER_LABOR;
    w.labor_iterations = 1;
    epoch_load_of(&p, NULL, NULL, &r, &g, &w, 64, &of);
    NEAR(of.gpu[0].peer_bytes[1], (6 * 8 + 120) / 2.0);
    p.access = ACCESS_CPU; /* nothing is pushed where GPUs do not sample */
    epoch_load_of(&p, NULL, NULL, &r, &g, &w, 64, &of);
    NEAR(of.gpu[0].peer_bytes[1], 6 * 8 / 2.0);
    NEAR(of.gpu[1].peer_bytes[0], 0);
}

/* GPU 0 reads 8 bytes of GPU 2 over GPU 1, and 1 reads 16 of 2: the link from 2 to 1 carries both. */
static void relays_use_every_link(void **state)
{
    (void)state;
    struct replay_gpu x[3] = {{.rows = {0, 0, 1}}, {.rows = {0, 0, 2}}, {.rows = {0}}};
    struct replay r = {.epochs = 1, .gpus = 3, .gpu = x};
    struct graph g = {.n = 4, .feature_dim = 2, .feature_bytes = 4, .row_bytes = 8};
    struct workload w = {.hops = 1, .fanout = {3}};
    static struct placement p;
    static struct routes routes;
    static struct epoch_load of;
    int none[3] = {-1, -1, -1}, known[3] = {3, 3, 3};
    p = (struct placement){.gpus = 3, .access = ACCESS_GPU};
    routes.hops[0][2] = 2;
    routes.next[0][2] = 1;
    routes.hops[1][2] = 1;
    routes.next[1][2] = 2;
    for (int switches = 0; switches < 2; switches++) { /* where links lead, a switch above both is not used */
        epoch_load_of(&p, &routes, switches ? known : none, &r, &g, &w, 64, &of);
        NEAR(of.gpu[1].peer_bytes[2], 8 + 16);
        NEAR(of.gpu[0].peer_bytes[1], 8);
        NEAR(of.gpu[0].peer_bytes[2], 0);
        NEAR(of.gpu[0].pcie_peer_bytes[2] + of.gpu[1].pcie_peer_bytes[2], 0);
    }
}

/* Below one PCIe switch with 1 GB/s per link: GPU 0 takes 3 GB from GPU 1 and 1 GB from the host. Its own link is busy
 * for 4 s, that of GPU 1 sends for 3 s, the uplink passes 1 GB. */
static void peers_below_a_switch(void **state)
{
    (void)state;
    static struct server pair;
    static struct epoch_load l;
    static struct epoch_time out;
    struct epoch_setup plain = {.gnn = {GNN_SAGE, 1, 1}, .cpu = cpu_part_none(), .pipelined = true};
    memset(&pair, 0, sizeof pair);
    memset(&l, 0, sizeof l);
    pair.gpus = l.gpus = 2;
    pair.pcie_gbps = 1;
    pair.host_memory_gbps = 100;
    l.layers = 1;
    for (int g = 0; g < 2; g++) l.gpu[g] = (struct epoch_gpu){.batches = 1, .feature_payload = 64};
    l.gpu[0].feature_bytes = 1e9;
    l.gpu[0].pcie_peer_bytes[1] = 3e9;
    epoch_time(&l, &pair, &plain, &out);
    NEAR(out.stage[STAGE_TRANSFER], 4);
    NEAR(out.gpu[STAGE_TRANSFER][0], 4);
    NEAR(out.gpu[STAGE_TRANSFER][1], 3);
    assert_string_equal(out.limit[STAGE_TRANSFER], "PCIe link of GPU 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(relays_use_every_link),
                                       cmocka_unit_test(peers_below_a_switch),
                                       cmocka_unit_test(a_request_is_a_place),
                                       cmocka_unit_test_setup(propagation, setup),
                                       cmocka_unit_test_setup(precisions_differ, setup),
                                       cmocka_unit_test_setup(training_reaches_a_share_of_the_peaks, setup),
                                       cmocka_unit_test_setup(updates_have_their_own_share_and_layers_cost_time, setup),
                                       cmocka_unit_test_setup(streamed_takes_the_longer, setup),
                                       cmocka_unit_test_setup(sage_updates_twice_as_wide, setup),
                                       cmocka_unit_test_setup(sampling_and_contention, setup),
                                       cmocka_unit_test_setup(pipelined_or_not, setup),
                                       cmocka_unit_test_setup(payload_changes_the_rate, setup),
                                       cmocka_unit_test_setup(requests_or_bytes, setup),
                                       cmocka_unit_test_setup(cpu_samples_and_loads, setup),
                                       cmocka_unit_test_setup(cpu_trains_a_share, setup),
                                       cmocka_unit_test_setup(samplers_serve_trainers, setup),
                                       cmocka_unit_test_setup(nvlink_is_a_link_or_a_port, setup),
                                       cmocka_unit_test_setup(gradients_take_nvlink, setup),
                                       cmocka_unit_test_setup(gradients_take_rings_and_else_cliques, setup),
                                       cmocka_unit_test_setup(gradients_wait_for_the_narrowest, setup),
                                       cmocka_unit_test_setup(a_cache_is_read_at_the_rate_of_its_memory, setup),
                                       cmocka_unit_test_setup(unknown_constants_are_named, setup),
                                       cmocka_unit_test(layers_from_hops),
                                       cmocka_unit_test_setup(prefetch_in_one_stage, setup),
                                       cmocka_unit_test(peers_serve_both_kinds),
                                       cmocka_unit_test(rows_may_come_faster_from_the_host),
                                       cmocka_unit_test(pushed_visits_return_draws),
                                       cmocka_unit_test(who_gathers_decides_what_is_copied)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
