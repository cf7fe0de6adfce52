#include "reports/validation/validation_read.h"

#include <string.h>

static enum st read_case(const doc *d, const char *where, struct validation_case_read *out, struct err *err)
{
    doc *points;
    PASS(doc_need_text(d, "name", where, &out->name, err));
    PASS(doc_need_text(d, "title", where, &out->title, err));
    PASS(doc_need_text(d, "unit", where, &out->unit, err));
    PASS(doc_need_real(d, "tolerance", 0, 1e6, where, &out->tolerance, err));
    PASS(doc_need_array(d, "measured", where, &points, err));
    if (doc_size(points) > VALIDATION_POINTS)
        return err_set(err, ST_INPUT, "%s: case '%.60s' has %llu points, expected at most %d", where, out->name,
                       (unsigned long long)doc_size(points), VALIDATION_POINTS);
    out->of = d;
    out->points = points;
    return ST_OK;
}

enum st validation_read(const char *path, struct validation_read *out, struct err *err)
{
    doc *cases;
    PASS(doc_load(path, "validation/1", &out->root, err));
    PASS(doc_need_array(out->root, "cases", path, &cases, err));
    if (!doc_size(cases) || doc_size(cases) > VALIDATION_CASES)
        return err_set(err, ST_INPUT, "%s: has %llu cases, expected 1 to %d", path, (unsigned long long)doc_size(cases),
                       VALIDATION_CASES);
    for (uint64_t i = 0; i < doc_size(cases); i++)
        PASS(read_case(doc_at(cases, i), path, &out->list[out->count++], err));
    return ST_OK;
}

void validation_read_release(struct validation_read *v)
{
    doc_free(v->root);
    memset(v, 0, sizeof *v);
}
