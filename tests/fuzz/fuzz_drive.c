/* Drives (drive/1): what is read keeps what drive.h promises. */
#define _GNU_SOURCE
#include <math.h>
#include "hwprofiles/model/drive.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct drives d = {0};
    char path[400];
    snprintf(path, sizeof path, "%s", fuzz_file("drive", data, size));
    uint64_t before = mem_in_use();
    enum st st = drives_parse(path, "--ssd", &d, &err);
    if (st == ST_OK && (d.count != 1 || d.block_bytes < 512 || (d.block_bytes & (d.block_bytes - 1)))) abort();
    if (st == ST_OK && !(drives_seconds(&d, 1000) > 0)) abort();
    fuzz_verdict(st, &err, before);
    return 0;
}
