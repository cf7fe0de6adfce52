/* small.c - kernels that no operation launches at a size that can be interpreted, launched by themselves: copies and
 * random loads and exchanges of `hotset bench`, and draws that are rejected. Speaks TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/draws.h"
#include "kernels/kernel.h"
#include "kernels/search.h"
#include "tests/ptx/ptx.h"

static int number, failed;

static void verdict(bool good, const char *what)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
    failed += !good;
}

static struct kernel *kernel_like(const char *part)
{
    for (struct module *m = modules; m; m = m->next)
        for (struct kernel *k = m->kernels; k; k = k->next)
            if (strstr(k->name, part)) return k;
    printf("Bail out! no kernel %s\n", part);
    exit(1);
}

static void launch(struct kernel *k, u32 blocks, const void *params)
{
    grid_run(k, (u32[]){blocks, 1, 1}, (u32[]){256, 1, 1}, 0, params, 0);
}

/* Every place of the array is read or exchanged; what was there stays, or is 0 now. */
static bool probe_runs(const char *name, bool exchanges)
{
    enum { WORDS = 1000, TIMES = 1 << 14 };
    u64 a = memory_make(MEMORY_DEVICE, 0, WORDS * sizeof(u32)), out = memory_make(MEMORY_DEVICE, 0, sizeof(u64)),
        sum = 0;
    u32 *here = memory_host(a, WORDS * sizeof(u32));
    for (u32 i = 0; i < WORDS; i++) here[i] = 7;
    memset(memory_host(out, sizeof(u64)), 0, sizeof(u64));
    launch(kernel_like(name), 7, (u64[]){a, WORDS, TIMES, out});
    for (u32 i = 0; i < WORDS; i++) sum += here[i];
    return sum == (exchanges ? 0 : 7 * WORDS) && memory_free(a, MEMORY_DEVICE) && memory_free(out, MEMORY_DEVICE);
}

static bool draws_equal(void)
{
    enum { COUNT = 5000 };
    struct {
        struct draw_key key;
        u32 range, count;
        u64 out;
    } p = {.key = {.seed = 77, .vertex = 5, .hop = 1, .batch = 2, .who = 3}, .range = 3221225473u, .count = COUNT};
    bool good = true;
    u32 again = 0;
    p.out = memory_make(MEMORY_DEVICE, 0, COUNT * sizeof(u32));
    launch(kernel_like("draw_large"), (COUNT + 255) / 256, &p);
    const u32 *out = memory_host(p.out, COUNT * sizeof(u32));
    for (u32 i = 0; i < COUNT; i++) {
        u32 word = draws_block(&p.key, i / 4, 0).word[i % 4];
        good &= out[i] == draws_below(&p.key, i / 4, i % 4, word, p.range);
        again += (u32)((u64)word * p.range) < (0 - p.range) % p.range;
    }
    return good && again > COUNT / 8 && memory_free(p.out, MEMORY_DEVICE);
}

int main(void)
{
    struct err err = {0};
    double rate = 0;
    options_read();
    verdict(kernels_cuda.search->copy_rate(100000, &rate, &err) == ST_OK && rate > 0, "a copy in device memory is "
                                                                                      "timed");
    verdict(probe_runs("load_some", false), "random loads");
    verdict(probe_runs("exchange_some", true), "random exchanges");
    verdict(draws_equal(), "numbers that are drawn again equal the host's");
    printf("1..%d\n", number);
    return failed != 0;
}
