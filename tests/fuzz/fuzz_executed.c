/* What hotset execute measured, as its page reads it: the check, and all that it writes but pictures. */
#define _GNU_SOURCE
#include "reports/shell/page_kind.h"
#include "tests/fuzz/fuzz.h"

extern const struct page_kind page_kind_executed_page;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct page_kind *kind = &page_kind_executed_page;
    struct err err = {0};
    char path[400];
    doc *d = NULL;
    snprintf(path, sizeof path, "%s", fuzz_file("E.json", data, size));
    uint64_t before = mem_in_use();
    enum st st = doc_load(path, kind->exact, &d, &err);
    if (st == ST_OK && !doc_is_array(doc_get(d, kind->needs))) st = err_set(&err, ST_INPUT, "%s: not whole", path);
    if (st == ST_OK) st = kind->check(d, path, &err);
    if (st == ST_OK) {
        FILE *to = fopen("/dev/null", "w");
        if (!to) abort();
        kind->sentence(d, to);
        kind->table(d, to);
        fclose(to);
    }
    doc_free(d);
    fuzz_verdict(st, &err, before);
    return 0;
}
