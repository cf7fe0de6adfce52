/* Rates of NVLink and PCIe generations: the table, and the shipped profiles that name a generation. */
#include "tests/unit/unit.h"
#include <math.h>
#include "base/mem.h"
#include "hwprofiles/model/link_rates.h"
#include "hwprofiles/model/server.h"

static struct err err;

/* What NVIDIA's white papers state for a whole GPU, both directions together. */
static void nvlink_of_whole_gpus(void **state)
{
    static const struct {
        unsigned nvml; /* what drivers answer for these GPUs; an A100 answers 5, not 3 */
        int links;
        double both_ways;
    } gpus[] = {{1, 4, 160}, {2, 6, 300}, {3, 2, 100}, {4, 12, 600}, {5, 12, 600}, {6, 18, 900}, {7, 18, 1800}};
    (void)state;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        assert_true(2 * gpus[i].links * link_nvlink_gbps(gpus[i].nvml) == gpus[i].both_ways);
    assert_true(link_nvlink_gbps(0) == 0 && link_nvlink_gbps(99) == 0);
    for (const struct nvlink_generation *g = link_nvlink_generations; g->name; g++) assert_true(strlen(g->source) > 10);
}

/* Line rate x data share / 8, as the specifications state them; vendors round to three digits. */
static void pcie_of_one_lane(void **state)
{
    static const double transfers[] = {2.5, 5, 8, 16, 32, 64},
                        share[] = {8 / 10., 8 / 10., 128 / 130., 128 / 130., 128 / 130., 242 / 256.};
    (void)state;
    for (int g = 1; g <= 6; g++) {
        assert_true(fabs(link_pcie_gbps(g, 1) - transfers[g - 1] * share[g - 1] / 8) < 0.001);
        assert_true(link_pcie_gbps(g, 16) == 16 * link_pcie_gbps(g, 1));
        assert_int_equal(link_pcie_generation(transfers[g - 1]), g);
    }
    assert_true(link_pcie_gbps(0, 16) == 0 && link_pcie_gbps(7, 16) == 0);
    assert_int_equal(link_pcie_generation(10), 0);
}

/* A profile that says "NVLink 3.0 carries 25 GB/s per link" has that rate, and so has the table. */
static void profiles_agree_with_the_table(void **state)
{
    int checked = 0;
    struct server *s = mem_array(1, sizeof *s, "a server", &err);
    (void)state;
    assert_non_null(s);
    for (const char *const *name = server_names(); *name; name++) {
        assert_int_equal(server_load(*name, s, &err), ST_OK);
        const doc *list = doc_get(s->document, "provenance");
        for (uint64_t i = 0; i < doc_size(list); i++) {
            const char *what = doc_text_value(doc_get(doc_at(list, i), "what"), "");
            const char *at = strstr(doc_text_value(doc_get(doc_at(list, i), "source"), ""), "NVLink ");
            if (strcmp(what, "gbps") || !at) continue;
            const struct nvlink_generation *g = link_nvlink_generations;
            while (g->name && strncmp(at + strlen("NVLink "), g->name, strlen(g->name))) g++;
            if (!g->name) fail_msg("%s names a generation that the table lacks: %s", *name, at);
            for (int a = 0; a < s->gpus; a++)
                for (int b = 0; b < s->gpus; b++)
                    if (s->links[a][b] && s->link_gbps[a][b] != g->gbps * s->links[a][b])
                        fail_msg("%s: GPUs %d and %d have %g GB/s over %d links", *name, a, b, s->link_gbps[a][b],
                                 s->links[a][b]);
            checked++;
        }
        server_release(s);
    }
    assert_true(checked >= 30);
    mem_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nvlink_of_whole_gpus), cmocka_unit_test(pcie_of_one_lane),
                                       cmocka_unit_test(profiles_agree_with_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
