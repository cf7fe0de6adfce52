/* Results and plans as the report reads them. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "reports/comparison/comparison.h"
#include "reports/plots/result_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct result_rows rows = {0};
    char path[400];
    snprintf(path, sizeof path, "%s", fuzz_file("R.json", data, size));
    const char *inputs[] = {path};
    uint64_t before = mem_in_use();
    enum st st = result_rows_load(inputs, 1, &rows, &err);
    if (st == ST_OK) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *f = open_memstream(&text, &bytes);
        results_csv_write(f, &rows);
        fclose(f);
        free(text);
    }
    result_rows_release(&rows);
    fuzz_verdict(st, &err, before);
    return 0;
}
