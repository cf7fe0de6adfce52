/* Answers of hotset size as the report reads them. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "reports/sizing/sizing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    struct sizing s = {0};
    char path[400];
    snprintf(path, sizeof path, "%s", fuzz_file("S.json", data, size));
    uint64_t before = mem_in_use();
    enum st st = sizing_load(path, &s, &err);
    for (int i = 0; st == ST_OK && i < s.count; i++) { /* what figures do with it */
        char text[STYLE_TEXT];
        sizing_text(s.primary, sizing_value(&s.points[i], s.primary), text);
        sizing_text(s.primary, sizing_target(&s, s.primary), text);
    }
    sizing_release(&s);
    fuzz_verdict(st, &err, before);
    return 0;
}
