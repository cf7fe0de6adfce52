/* Folders of exported mini-batches (a bundle): what opens is read whole, and every number that is handed out is used.
 */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "simulator/lib/hotset.h"

static uint64_t sum; /* so that reads are not left out */

static void in_range(const uint32_t *number, uint64_t count, uint64_t bound)
{
    for (uint64_t i = 0; i < count; i++) {
        if (number[i] >= bound) abort();
        sum += number[i];
    }
}

static void use(const struct hotset_batches_facts *f, const struct hotset_batch *x)
{
    in_range(x->seeds, x->seed_count, f->vertices);
    in_range(x->vertices, x->count, f->vertices);
    if (x->seed_vertices > x->count) abort();
    for (int h = 0; h < x->hops; h++) {
        const struct hotset_hop *hop = &x->hop[h];
        if (hop->found > x->count) abort();
        in_range(hop->expanded, hop->visits, f->vertices);
        in_range(hop->rows, hop->draws, x->count);
        in_range(hop->columns, hop->draws, x->count);
        for (uint64_t i = 0; i < hop->draws; i++)
            if (hop->edges[i] < 0 || (uint64_t)hop->edges[i] >= f->edges) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct hotset_error error = {0};
    hotset_batches *b = NULL;
    const char *folder = fuzz_bundle("B", data, size);
    uint64_t before = mem_in_use();
    int code = hotset_batches_open(folder, &b, &error);
    if (code == HOTSET_OK) {
        struct hotset_batches_facts about = {.struct_bytes = sizeof about};
        if (hotset_batches_about(b, &about, &error) != HOTSET_OK) abort();
        for (int g = 0; g < about.gpus; g++) {
            uint64_t all = about.epochs * hotset_batches_per_epoch(b, g);
            for (uint64_t at = 0; at < all && at < 4096; at++) {
                struct hotset_batch x = {.struct_bytes = sizeof x};
                code = hotset_batches_read(b, g, at, &x, &error);
                if (code == HOTSET_OK) use(&about, &x);
                else if (code != HOTSET_INPUT || !error.text[0]) abort();
            }
        }
        hotset_batches_close(b);
        code = HOTSET_OK;
    }
    err.code = (enum st)code;
    snprintf(err.text, sizeof err.text, "%s", error.text);
    fuzz_verdict((enum st)code, &err, before);
    return 0;
}
