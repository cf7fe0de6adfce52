/* Trace directories (a bundle); what loads is saved again. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tiny_graph.h"
#include "traces/recording/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trace t;
    struct err err = {0};
    uint64_t sum = 0;
    const char *folder = fuzz_bundle("T", data, size);
    uint64_t before = mem_in_use();
    memset(&t, 0, sizeof t);
    enum st st = trace_load(folder, &tiny_graph, &t, &err);
    if (st == ST_OK)
        for (int g = 0; g < t.assignment.gpus; g++)
            for (uint64_t v = 0; v < t.n; v++) {
                sum += count_at(t.topology[g], v) + count_at(t.feature[g], v);
                for (int h = 0; h < t.workload.hops; h++) sum += count_at(t.visits[h][g], v);
            }
    if (sum == UINT64_MAX) abort(); /* so that the reads are not dropped */
    trace_release(&t);
    fuzz_verdict(st, &err, before);
    return 0;
}
