/* executed_read.c - an executed/1 document, checked; see executed.h. */
#include "reports/executed/executed.h"

#include <string.h>
#include "reports/formats/document.h"

const char *const executed_kinds[EXECUTED_KINDS] = {"predicted", "simulated", "counted", "measured"};

static enum st check_points(const doc *points, const char *path, struct err *err)
{
    double before = -1;
    if (!doc_is_array(points) || doc_size(points) > EXECUTED_POINTS_MAX)
        return err_set(err, ST_INPUT,
                       "%s: \"points\" of \"sweep\" is not a list of at most %d points; write the document again with "
                       "hotset execute --sweep",
                       path, EXECUTED_POINTS_MAX);
    for (uint64_t i = 0; i < doc_size(points); i++) {
        double alpha = document_count(doc_at(points, i), "alpha");
        if (!(alpha > before && alpha <= 1))
            return err_set(err, ST_INPUT,
                           "%s: point %d of \"sweep\" has no alpha in 0..1 above the one before; write the document "
                           "again with hotset execute --sweep",
                           path, (int)i + 1);
        before = alpha;
    }
    return ST_OK;
}

enum st executed_load(const char *path, struct executed *out, struct err *err)
{
    doc *totals, *gpus;
    PASS(doc_load(path, "executed/1", &out->root, err));
    PASS(doc_need_object(out->root, "totals", path, &totals, err));
    PASS(doc_need_array(out->root, "gpus", path, &gpus, err));
    if (doc_size(gpus) > EXECUTED_GPUS_MAX)
        return err_set(err, ST_LIMIT, "%s: has %llu GPUs, and at most %d can be drawn; execute fewer with --gpu", path,
                       (unsigned long long)doc_size(gpus), EXECUTED_GPUS_MAX);
    out->totals = totals;
    out->gpus = gpus;
    out->policy = doc_text_value(doc_get(out->root, "policy"), "?");
    out->device = doc_text_value(doc_get(doc_get(out->root, "machine"), "device"), "?");
    if (doc_is_object(doc_get(out->root, "sweep"))) {
        out->points = doc_get(doc_get(out->root, "sweep"), "points");
        PASS(check_points(out->points, path, err));
    }
    out->subject = figure_subject_make(doc_text_value(doc_get(doc_get(out->root, "graph"), "name"), "a graph"),
                                       doc_text_value(doc_get(doc_get(out->root, "server"), "name"), "a server"),
                                       out->policy);
    return ST_OK;
}

void executed_release(struct executed *x)
{
    doc_free(x->root);
    memset(x, 0, sizeof *x);
}
