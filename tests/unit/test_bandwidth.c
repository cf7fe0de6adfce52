/* What links carry: DSP's table 1 from the profile, effective bandwidth between points, and constants that are read,
 * written and refused. */
#include "unit.h"

#include <math.h>

#include "hwprofiles/model/bandwidth.h"
#include "hwprofiles/model/product_rate.h"
#include "hwprofiles/model/server.h"
#include "planner/running/refresh_moves.h"

static struct err err;
static struct server s;

/* PPoPP'23, table 1: GB/s with 1, 2, 4 and 8 GPUs of p3.16xlarge. PCIe is stated there with 16 GB/s per direction,
 * 15.76 after encoding. */
static void table_of_dsp(void **state)
{
    (void)state;
    const struct {
        int gpus;
        double pcie, nvlink;
    } row[] = {{1, 32, 0}, {2, 32, 100}, {4, 64, 400}, {8, 128, 1200}};
    GOOD(server_load("p3.16xlarge", &s, &err));
    for (int i = 0; i < 4; i++) {
        struct server_aggregate a = server_aggregate_bandwidth(&s, row[i].gpus);
        assert_true(fabs(a.pcie_gbps / row[i].pcie - 1) < 0.016);
        assert_true(fabs(a.nvlink_gbps - row[i].nvlink) < 1e-9);
    }
    server_release(&s);
}

/* The best of all sets of GPUs, by trying every one. */
static double best_of_all_sets(int gpus)
{
    double best = 0;
    for (unsigned set = 0; set < 1u << s.gpus; set++) {
        double least = INFINITY;
        if (__builtin_popcount(set) != gpus) continue;
        for (int a = 0; a < s.gpus; a++) {
            double sum = 0, widest = 0;
            if (!(set >> a & 1)) continue;
            for (int b = 0; b < s.gpus; b++) {
                sum += set >> b & 1 ? s.link_gbps[a][b] : 0;
                widest = set >> b & 1 ? fmax(widest, s.link_gbps[a][b]) : widest;
            }
            least = fmin(least, server_links_switched(&s, a) ? widest : sum);
        }
        best = fmax(best, gpus * least);
    }
    return best;
}

/* Boards of four have links of their own to each other; an NVSwitch gives every pair all ports. */
static void switched_or_meshed(void **state)
{
    static const struct {
        const char *name;
        bool switched;
    } known[] = {{"data-tiering-4xv100", false},
                 {"hgx-a100-4", false},
                 {"dgx-station-a100", false},
                 {"gh200-4", false},
                 {"dgx-v100", false},
                 {"dgx-2", true},
                 {"dgx-a100", true},
                 {"dgx-a100:3", true},
                 {"hgx-h100-8", true},
                 {"gb200-tray", true},
                 {"gb200-nvl72", true}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        GOOD(server_load(known[i].name, &s, &err));
        for (int g = 0; g < s.gpus; g++)
            if (server_links_switched(&s, g) != known[i].switched) fail_msg("%s", known[i].name);
        server_release(&s);
    }
}

static void the_best_set_is_found(void **state)
{
    (void)state;
    for (const char *const *name = server_names(); *name; name++) {
        GOOD(server_load(*name, &s, &err));
        for (int k = 1; k <= s.gpus && s.gpus <= 8; k *= 2)
            assert_true(fabs(server_aggregate_bandwidth(&s, k).nvlink_gbps - best_of_all_sets(k)) < 1e-6);
        server_release(&s);
    }
}

static void rates_between_points(void **state)
{
    (void)state;
    struct server x = {.pcie_gbps = 15, .pcie_rates = 3, .pcie_rate = {{32, 4}, {128, 12}, {4096, 13}}};
    assert_true(fabs(server_pcie_rate(&x, 32) - 4) < 1e-12 && fabs(server_pcie_rate(&x, 128) - 12) < 1e-12);
    assert_true(fabs(server_pcie_rate(&x, 64) - 8) < 1e-12); /* half way in log2 */
    assert_true(fabs(server_pcie_rate(&x, 16) - 2) < 1e-12); /* half the bytes in the same time */
    assert_true(fabs(server_pcie_rate(&x, 1e9) - 13) < 1e-12);
    x.pcie_rates = 0;
    assert_true(fabs(server_pcie_rate(&x, 64) - 15) < 1e-12);
}

/* Lines that all of eight GPUs read at once while a plan is refreshed: two share a switch of 12 GB/s, so each gets the
 * 1.28 GB/s of its own requests; all eight behind one get 1.5 of 12, or 0.5 of 4. */
static void lines_of_a_refresh(void **state)
{
    struct server x = {.gpus = 8, .line_bytes = 64, .pcie_gbps = 15, .pcie_read = {12, 20e6}};
    (void)state;
    for (int g = 0; g < 8; g++) x.gpu[g].pcie_switch = g / 2;
    assert_true(fabs(refresh_line_seconds(&x, 8e9) / (64 / 1.28) - 1) < 1e-12);
    for (int g = 0; g < 8; g++) x.gpu[g].pcie_switch = 0;
    assert_true(fabs(refresh_line_seconds(&x, 8e9) / (64 / 1.28) - 1) < 1e-12);
    x.pcie_read.gbps = 4;
    assert_true(fabs(refresh_line_seconds(&x, 8e9) / (64 / 0.5) - 1) < 1e-12);
    x = (struct server){.gpus = 8, .line_bytes = 64};
    assert_true(isnan(refresh_line_seconds(&x, 8e9)));
}

/* Two limits: 20 M requests/s are 1.28 GB/s at 64 bytes, 10.24 at 512, 20.48 at 1 KiB; bytes end at 12. A GPU's
 * requests are its own, so two GPUs share the 12 only. */
static void two_limits(void **state)
{
    (void)state;
    struct server x = {.gpus = 2, .pcie_gbps = 15, .pcie_read = {12, 20e6}};
    assert_true(fabs(server_pcie_rate(&x, 64) - 1.28) < 1e-12 && fabs(server_pcie_rate(&x, 512) - 10.24) < 1e-12);
    assert_true(server_pcie_rate(&x, 1024) == 12 && server_uplink_rate(&x, 64) == 12 && server_write_rate(&x) == 12);
    assert_true(fabs(server_gather_host(&x, 512) - 6) < 1e-12 && fabs(server_gather_host(&x, 64) - 1.28) < 1e-12);
    x.pcie_write_gbps = 5;
    x.pcie_rates = 1; /* a measured point: a request takes 512 / 8 ns up to the limit of bytes */
    x.pcie_rate[0] = (struct server_rate){512, 8};
    assert_true(fabs(server_pcie_rate(&x, 64) - 1) < 1e-12 && fabs(server_pcie_rate(&x, 640) - 10) < 1e-12);
    assert_true(server_pcie_rate(&x, 1e6) == 12 && server_write_rate(&x) == 5);
    x.pcie_read = (struct server_limits){0};
    assert_true(server_pcie_rate(&x, 1e6) == 8 && server_uplink_rate(&x, 1e6) == 8);
    x.nvlink_share = 0.5;
    x.nvlink_requests = 1e9;
    assert_true(server_nvlink_rate(&x, 100, 16) == 16 && server_nvlink_rate(&x, 100, 64) == 50);
    assert_true(server_nvlink_rate(&x, 100, 0) == 50 && server_nvlink_rate(&x, 0, 64) == 0);
}

/* WholeGraph's published gather on a DGX A100 (RAPIDS, benchmark_performance.md): GB/s per GPU, eight at once. */
static void gather_of_wholegraph(void **state)
{
    (void)state;
    static const struct {
        int row;
        double host, peers;
    } published[] = {{16, 0.31, 51.26},     {32, 0.62, 102.53},    {64, 1.23, 205.02},
                     {128, 2.47, 264.16},   {256, 4.91, 260.99},   {512, 9.73, 261.03},
                     {1024, 13.18, 261.18}, {2048, 12.89, 261.45}, {4096, 13.18, 260.25}};
    GOOD(server_load("dgx-a100", &s, &err));
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        double host = server_gather_host(&s, published[i].row) / published[i].host - 1,
               peers = server_gather_peers(&s, published[i].row) / published[i].peers - 1;
        if (fabs(host) > 0.05 || fabs(peers) > 0.05)
            fail_msg("rows of %d bytes: host %+.1f %%, peers %+.1f %%", published[i].row, 100 * host, 100 * peers);
    }
    server_release(&s);
}

static const char *file(const char *text) { return put_file("s.json", text, strlen(text)); }
#define HEAD "{\"schema\": \"server/1\", \"name\": \"x\", "

static void constants_are_read(void **state)
{
    (void)state;
    char plain[80];
    GOOD(server_load(file(HEAD "\"gpus\": [{\"id\": 0}]}"), &s, &err));
    strcpy(plain, s.fingerprint);
    assert_true(doc_is_null(doc_get(s.document, "host_memory_gbps")) && !(s.gpu[0].tflops > 0));
    server_release(&s);
    GOOD(server_load(file(HEAD "\"gpus\": [{\"id\": 0, \"memory_gbps\": 900, \"tflops\": 15.7, "
                               "\"training_efficiency\": 0.2, \"training_compute_efficiency\": 0.9, "
                               "\"training_layer_seconds\": 0.004, "
                               "\"sampling_edges_per_second\": 1e9, \"dataflow\": \"streamed\"}],"
                               "\"pcie\": {\"effective\": [{\"payload_bytes\": 64, \"gbps\": 5}], \"read\": {\"gbps\": "
                               "12, "
                               "\"requests_per_second\": 2e7}, \"write_gbps\": 9}, \"nvlink_read\": {\"share\": "
                               "0.75, \"requests_per_second\": 3e9}, "
                               "\"host_memory_gbps\": 150, \"cpu_tflops\": 2, \"cpu_sampling_edges_per_second\": 5e7}"),
                     &s, &err));
    assert_string_equal(s.fingerprint, plain); /* no placement depends on them */
    assert_true(s.gpu[0].memory_gbps == 900 && s.gpu[0].streamed && s.pcie_rates == 1 && s.host_memory_gbps == 150 &&
                s.cpu_tflops == 2);
    GOOD(doc_save(s.document, in_scratch("again.json"), &err));
    server_release(&s);
    GOOD(server_load(in_scratch("again.json"), &s, &err)); /* what is written can be read */
    assert_true(s.pcie_read.gbps == 12 && s.pcie_read.requests == 2e7 && s.pcie_write_gbps == 9 &&
                s.nvlink_share == 0.75 && s.nvlink_requests == 3e9);
    assert_true(s.gpu[0].compute_efficiency == 0.9 && s.gpu[0].layer_seconds == 0.004);
    assert_true(s.gpu[0].sampling_edges == 1e9 && s.gpu[0].efficiency == 0.2 && s.pcie_rate[0].payload_bytes == 64 &&
                s.cpu_sampling_edges == 5e7);
    server_release(&s);
}

#define TABLE(threads, batch, rates)                                                                                   \
    HEAD "\"gpus\": [{\"id\": 0}], \"cores\": 4, \"cpu_sampling\": {\"threads\": " threads ", \"batch\": " batch       \
         ", \"edges_per_second\": " rates "}}"

/* Rates 10 20 / 40 80 at 1 and 4 threads, batches 100 and 1000: halfway between two points on both logarithms is the
 * geometric mean. Half a thread is half as fast as one; beyond the points the nearest counts. */
static void cpu_sampling_by_table(void **state)
{
    static const struct {
        double share, batch, rate;
    } of[] = {{0.25, 100, 10},
              {1, 1000, 80},
              {0.5, 100, 20},
              {0.25, 316.22776601683796, 14.142135623730951},
              {0.125, 100, 5},
              {0.25, 10, 10},
              {0.5, 316.22776601683796, 28.284271247461902},
              {1, 1e6, 80}};
    (void)state;
    GOOD(server_load(file(TABLE("[1, 4]", "[100, 1000]", "[[10, 20], [40, 80]]")), &s, &err));
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < sizeof of / sizeof *of; i++)
            if (fabs(server_cpu_sampling_rate(&s, of[i].share, of[i].batch) / of[i].rate - 1) > 1e-12)
                fail_msg("row %d: %.9g", (int)i, server_cpu_sampling_rate(&s, of[i].share, of[i].batch));
        GOOD(doc_save(s.document, in_scratch("table.json"), &err));
        server_release(&s);
        GOOD(server_load(in_scratch("table.json"), &s, &err)); /* what is written can be read */
    }
    s.cores = 8; /* more threads than measured */
    assert_true(fabs(server_cpu_sampling_rate(&s, 1, 100) - 40) < 1e-9);
    s.cpu_sampling.threads = 0;
    s.cpu_sampling_edges = 6; /* without a table: in proportion */
    assert_true(server_cpu_sampling_rate(&s, 0.5, 7) == 3);
    server_release(&s);
    BAD(ST_INPUT, "above the one before", server_load(file(TABLE("[4, 4]", "[1]", "[[1], [2]]")), &s, &err));
    BAD(ST_INPUT, "a row per number", server_load(file(TABLE("[1, 4]", "[1]", "[[1]]")), &s, &err));
    BAD(ST_INPUT, "a rate per batch", server_load(file(TABLE("[1]", "[1]", "[[1, 2]]")), &s, &err));
    BAD(ST_INPUT, "no rate", server_load(file(TABLE("[1]", "[1]", "[[0]]")), &s, &err));
    BAD(ST_INPUT, "\"cpu_sampling.threads\" has 0 entries, expected 1 to 16",
        server_load(file(TABLE("[]", "[1]", "[]")), &s, &err));
}

static void constants_are_checked(void **state)
{
    (void)state;
    BAD(ST_INPUT, "tflops", server_load(file(HEAD "\"gpus\": [{\"id\": 0, \"tflops\": -1}]}"), &s, &err));
    BAD(ST_INPUT, "training_efficiency",
        server_load(file(HEAD "\"gpus\": [{\"id\": 0, \"training_efficiency\": 2}]}"), &s, &err));
    BAD(ST_INPUT, "training_layer_seconds",
        server_load(file(HEAD "\"gpus\": [{\"id\": 0, \"training_layer_seconds\": -1}]}"), &s, &err));
    BAD(ST_INPUT, "dataflow", server_load(file(HEAD "\"gpus\": [{\"id\": 0, \"dataflow\": \"fast\"}]}"), &s, &err));
    BAD(ST_INPUT, "ascending",
        server_load(file(HEAD "\"gpus\": [{\"id\": 0}], \"pcie\": {\"effective\": [{\"payload_bytes\": 64, \"gbps\": "
                              "5}, {\"payload_bytes\": 64, \"gbps\": 6}]}}"),
                    &s, &err));
    BAD(ST_INPUT, "\"pcie.effective\" has 0 entries, expected 1 to 16",
        server_load(file(HEAD "\"gpus\": [{\"id\": 0}], \"pcie\": {\"effective\": []}}"), &s, &err));
    BAD(ST_INPUT, "share",
        server_load(file(HEAD "\"gpus\": [{\"id\": 0}], \"nvlink_read\": {\"share\": 1.5}}"), &s, &err));
    BAD(ST_INPUT, "rows_per_second",
        server_load(file(HEAD "\"gpus\": [{\"id\": 0}], \"pcie\": {\"read\": {\"rows_per_second\": 7}}}"), &s, &err));
    BAD(ST_INPUT, "\"pcie.effective[0]\" is an integer, expected object",
        server_load(file(HEAD "\"gpus\": [{\"id\": 0}], \"pcie\": {\"effective\": [7]}}"), &s, &err));
    BAD(ST_INPUT, "host_memory_gbps",
        server_load(file(HEAD "\"gpus\": [{\"id\": 0}], \"host_memory_gbps\": \"fast\"}"), &s, &err));
}

/* Every constant of a shipped profile has a line that says where it comes from. */
static void profiles_say_where_from(void **state)
{
    (void)state;
    for (const char *const *name = server_names(); *name; name++) {
        GOOD(server_load(*name, &s, &err));
        const struct {
            const char *what;
            bool known;
        } of[] = {{"memory_gbps", s.gpu[0].memory_gbps > 0},
                  {"tflops", s.gpu[0].tflops > 0},
                  {"sampling_edges_per_second", s.gpu[0].sampling_edges > 0},
                  {"training_efficiency", s.gpu[0].efficiency > 0},
                  {"training_compute_efficiency", s.gpu[0].compute_efficiency > 0},
                  {"training_layer_seconds", s.gpu[0].layer_seconds > 0},
                  {"effective", s.pcie_rates > 0},
                  {"read", s.pcie_read.gbps > 0 || s.pcie_read.requests > 0},
                  {"copy_gbps", s.pcie_copy_gbps > 0},
                  {"write_gbps", s.pcie_write_gbps > 0},
                  {"while_writing", s.pcie_while_writing > 0},
                  {"nvlink_read", s.nvlink_share > 0 || s.nvlink_requests > 0},
                  {"host_memory_gbps", s.host_memory_gbps > 0},
                  {"cpu_gather", server_cpu_gather_stated(&s)},
                  {"cpu_tflops", s.cpu_tflops > 0},
                  {"cpu_sampling_edges_per_second", s.cpu_sampling_edges > 0}};
        const doc *lines = doc_get(s.document, "provenance");
        for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
            bool said = !of[i].known;
            for (uint64_t k = 0; k < doc_size(lines); k++)
                said |= !strcmp(doc_text_value(doc_get(doc_at(lines, k), "what"), ""), of[i].what);
            if (!said) fail_msg("%s states %s without saying where from", *name, of[i].what);
        }
        server_release(&s);
    }
}

/* What updates reach on each GPU of a profile follows from its best product, as a V100's 0.175 does from 0.924 of its
 * peak: an A100 0.9 * 0.1894 = 0.170; GPUs that nobody measured take 0.70. */
static void updates_follow_products(void **state)
{
    int checked = 0;
    (void)state;
    for (const char *const *name = server_names(); *name; name++) {
        GOOD(server_load(*name, &s, &err));
        for (int g = 0; g < s.gpus; g++) {
            const struct server_gpu *gpu = &s.gpu[g];
            if (!(gpu->efficiency > 0)) continue;
            double reached = gpu->compute_efficiency > 0 ? gpu->compute_efficiency : gpu->efficiency,
                   product = server_product_rate(gpu->model).f32;
            if (fabs(reached / (0.175 / 0.924 * product) - 1) > 0.01)
                fail_msg("%s: updates of %s reach %g, products %g of the peak", *name, gpu->model, reached, product);
            checked++;
        }
        server_release(&s);
    }
    assert_true(checked > 400);
    assert_true(server_product_rate("A100-SXM4-40GB").f32 == 0.90 && server_product_rate("A100-SXM4-40GB").measured);
    assert_true(server_product_rate("H200 NVL 141GB").f32 == 0.70 && !server_product_rate("H200 NVL").measured);
    assert_true(server_product_rate("L40S").f32 == 0.51 && server_product_rate("L40S").tensor == 362);
    assert_true(server_product_rate("").tensor == 0 && !server_product_rate("Tesla V100-SXM2-16GB").tf32);
}

/* An H100: rows of 512 bytes at 41.9 M/s are 21.4528 GB/s, of 1 KiB bound by loads of the SMs, copies by the engine's
 * rate. An A100 is as it was measured, 19.2 M/s and 26.07 GB/s of an uplink, copies too. A server that states the
 * engine alone has the line's rate below 1 MiB. */
static void generations_differ(void **state)
{
    (void)state;
    GOOD(server_load("dgx-h100", &s, &err));
    assert_true(fabs(server_pcie_rate(&s, 512) - 21.4528) < 1e-9 && server_pcie_rate(&s, 1024) == 35.2);
    assert_true(server_pcie_rate(&s, (1 << 20) - 1) == 35.2 && server_pcie_rate(&s, 1 << 20) == 54.8);
    assert_true(server_uplink_rate(&s, 512) == 35.2 && server_uplink_rate(&s, 1e9) == 54.8);
    server_release(&s);
    GOOD(server_load("dgx-a100", &s, &err));
    assert_true(fabs(server_pcie_rate(&s, 512) - 9.8304) < 1e-9 && server_pcie_rate(&s, 1e9) == 26.07);
    server_release(&s);
    struct server x = {.pcie_gbps = 60, .pcie_copy_gbps = 50};
    assert_true(server_pcie_rate(&x, 4096) == 60 && server_pcie_rate(&x, 2e6) == 50);
}

/* Reads of 10 s beside writes of 4 s, at a quarter of their rate meanwhile: 1 s of them is done after 4 s, 9 s follow.
 * Reads of 0.5 s beside them are done before the writes are. */
static void both_ways(void **state)
{
    struct server x = {.pcie_while_writing = 0.25};
    (void)state;
    assert_true(server_both_ways(&x, 10, 4) == 13 && server_both_ways(&x, 0.5, 4) == 4);
    x.pcie_while_writing = 0;
    assert_true(server_both_ways(&x, 10, 4) == 10 && server_both_ways(&x, 2, 4) == 4);
    assert_true(isnan(server_both_ways(&x, NAN, 4)) && isnan(server_both_ways(&x, 4, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] =
        {cmocka_unit_test(updates_follow_products),
         cmocka_unit_test(generations_differ),
         cmocka_unit_test(both_ways),
         cmocka_unit_test(table_of_dsp),
         cmocka_unit_test(switched_or_meshed),
         cmocka_unit_test(the_best_set_is_found),
         cmocka_unit_test(rates_between_points),
         cmocka_unit_test(lines_of_a_refresh),
         cmocka_unit_test(two_limits),
         cmocka_unit_test(gather_of_wholegraph),
         cmocka_unit_test_setup_teardown(constants_are_read, scratch_make, scratch_remove),
         cmocka_unit_test_setup_teardown(cpu_sampling_by_table, scratch_make, scratch_remove),
         cmocka_unit_test_setup_teardown(constants_are_checked, scratch_make, scratch_remove),
         cmocka_unit_test(profiles_say_where_from)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
