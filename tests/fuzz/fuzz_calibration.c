/* Calibration files: measured points, straight or by the row of a results document. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "simulator/movement/calibration.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct calibration c = {0};
    char path[400];
    snprintf(path, sizeof path, "%s", fuzz_file("calibration", data, size));
    uint64_t before = mem_in_use();
    enum st st = calibration_load(path, &c, &err);
    if (st == ST_OK && !(c.points >= 1 && calibration_apply(&c, 1) >= 0)) abort();
    fuzz_verdict(st, &err, before);
    return 0;
}
