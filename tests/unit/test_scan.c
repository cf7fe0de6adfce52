/* Prefix sums on several threads against a loop: work that is cut into two and more parts. */
#include "kernels/cpu/cpu.h"
#include "tests/unit/unit.h"

enum { MOST = 5 * CPU_GRAIN + 3 };
static struct err err;
static uint64_t in[MOST], out[MOST];
static uint32_t order[MOST];

static void sums_are_those_of_a_loop(void **state)
{
    static const uint64_t counts[] = {0, 1, CPU_GRAIN, 2 * CPU_GRAIN, 3 * CPU_GRAIN + 1, MOST};
    (void)state;
    for (uint64_t i = 0; i < MOST; i++) in[i] = i * 2654435761u % 1000 + 1;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int threads = 1; threads <= 5; threads++)
            for (int gathered = 0; gathered < 2; gathered++) {
                uint64_t n = counts[c], sum = 0;
                for (uint64_t i = 0; i < n; i++) order[i] = (uint32_t)(n - 1 - i);
                memset(out, 0xff, sizeof out);
                GOOD(cpu_scan(threads, in, gathered ? order : NULL, n, out, &err));
                for (uint64_t i = 0; i < n; i++) {
                    sum += in[gathered ? n - 1 - i : i];
                    if (out[i] != sum) fail_msg("%d threads, element %d of %d", threads, (int)i, (int)n);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_a_loop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
