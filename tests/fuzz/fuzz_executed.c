/* What hotset execute measured, as the report reads it. */
#define _GNU_SOURCE
#include <math.h>
#include "tests/fuzz/fuzz.h"
#include "reports/executed/executed.h"
#include "reports/formats/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct executed x = {0};
    char path[400];
    snprintf(path, sizeof path, "%s", fuzz_file("E.json", data, size));
    uint64_t before = mem_in_use();
    enum st st = executed_load(path, &x, &err);
    for (uint64_t i = 0; st == ST_OK && i < doc_size(x.points); i++) { /* what figures do with it */
        double v = document_count(doc_get(doc_at(x.points, i), "counted"), "total_transactions");
        if (!isnan(v) && !(v >= 0)) abort();
    }
    executed_release(&x);
    fuzz_verdict(st, &err, before);
    return 0;
}
