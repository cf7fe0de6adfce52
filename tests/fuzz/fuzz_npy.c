/* .npy arrays from memory, and every integer of what was read. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "base/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct npy a = {0};
    bool ok;
    fuzz_begin();
    uint64_t before = mem_in_use();
    enum st st = npy_parse(data, size, "input", &a, &err);
    for (uint64_t i = 0; st == ST_OK && a.item && i < a.count; i++) (void)npy_integer(&a, i, &ok);
    npy_release(&a);
    fuzz_verdict(st, &err, before);
    return 0;
}
