/* Cases of hotset validate: read, and those that are good fitted and predicted. */
#define _GNU_SOURCE
#include <math.h>
#include "planner/validation/validation_run.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct validation_case c = {0};
    char path[400];
    snprintf(path, sizeof path, "%s", fuzz_file("case", data, size));
    uint64_t before = mem_in_use();
    enum st st = validation_case_load(path, &c, &err);
    if (st == ST_OK && c.points <= 8) {
        validation_run(&c);
        struct validation_summary s = validation_summarise(&c);
        if (s.predicted + s.fitted != c.points || s.within + s.unknown > c.points) abort();
    }
    validation_case_release(&c);
    fuzz_verdict(st, &err, before);
    return 0;
}
