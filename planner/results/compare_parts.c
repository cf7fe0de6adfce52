#include "planner/results/compare_parts.h"

#include <string.h>

#include "planner/options/job_array.h"

/* The uncached transactions of the row's recording, from any row of it; NULL when no part knows them. */
static const doc *uncached_of(const doc *const *row, uint64_t cells, const char *recording)
{
    for (uint64_t i = 0; i < cells; i++) {
        const doc *known = doc_get(doc_get(row[i], "row"), "uncached_transactions");
        if (doc_is_integer(known) && !strcmp(doc_text_value(doc_get(row[i], "recording"), ""), recording)) return known;
    }
    return NULL;
}

static void append_rows(const doc *const *row, uint64_t cells, doc *rows)
{
    for (uint64_t i = 0; i < cells; i++) {
        doc *one = doc_copy(doc_get(row[i], "row"));
        const char *recording = doc_text_value(doc_get(row[i], "recording"), "");
        if (*recording && doc_is_null(doc_get(one, "uncached_transactions"))) {
            const doc *known = uncached_of(row, cells, recording);
            if (known) doc_put(one, "uncached_transactions", doc_copy(known));
        }
        doc_append(rows, one);
    }
}

enum st compare_parts_merge(const char *output, int parts, uint64_t cells, const doc *about, doc *rows, struct err *err)
{
    struct job_array_parts p = {0};
    enum st st = job_array_load(output, parts, COMPARE_PARTS_SCHEMA, cells, about, &p, err);
    if (st == ST_OK) append_rows(p.row, cells, rows);
    job_array_release(&p);
    return st;
}
