/* executed_read.c - an executed/1 document, checked; see executed.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "reports/executed/executed.h"

const char *const executed_kinds[EXECUTED_KINDS] = {"predicted", "simulated", "counted", "measured"};
const char *const executed_stages[EXECUTED_STAGES] = {"sample", "lookup", "gather_own", "gather_peer", "gather_host"};
const char *const executed_stage_names[EXECUTED_STAGES] = {"sample", "look up", "gather own", "gather peer",
                                                           "gather host"};

bool executed_is(const char *path)
{
    struct err ignored = {0};
    doc *d = NULL;
    if (file_is_directory(path) || doc_load(path, NULL, &d, &ignored) != ST_OK) return false;
    bool is = text_starts(doc_text_value(doc_get(d, "schema"), ""), "executed/");
    doc_free(d);
    return is;
}

double executed_number(const doc *of, const char *key)
{
    double v = doc_real_value(doc_get(of, key), NAN);
    return v >= 0 && v < 1e300 ? v : NAN;
}

static enum st check_points(const doc *points, const char *path, struct err *err)
{
    double before = -1;
    if (!doc_is_array(points) || doc_size(points) > EXECUTED_POINTS_MAX)
        return err_set(err, ST_INPUT, "%s: \"points\" of \"sweep\" was expected to be a list of at most %d", path,
                       EXECUTED_POINTS_MAX);
    for (uint64_t i = 0; i < doc_size(points); i++) {
        double alpha = executed_number(doc_at(points, i), "alpha");
        if (!(alpha > before && alpha <= 1))
            return err_set(err, ST_INPUT,
                           "%s: the alphas of \"sweep\" were expected to rise within 0..1, and number %d does not",
                           path, (int)i);
        before = alpha;
    }
    return ST_OK;
}

static enum st name_scene(struct executed *x, struct err *err)
{
    enum st st = ST_OK;
    char graph[STYLE_TEXT], policy[STYLE_TEXT];
    NEW(x->grid, 1, "a scene");
    x->grid->graph = doc_text_value(doc_get(doc_get(x->root, "graph"), "name"), "a graph");
    x->grid->server = doc_text_value(doc_get(doc_get(x->root, "server"), "name"), "a server");
    snprintf(x->grid->slug, sizeof x->grid->slug, "%s-%s", style_slug(graph, x->grid->graph),
             style_slug(policy, x->policy));
done:
    return st;
}

enum st executed_load(const char *path, struct executed *out, struct err *err)
{
    enum st st;
    doc *totals, *gpus;
    TRY(doc_load(path, "executed/1", &out->root, err));
    TRY(doc_need_object(out->root, "totals", path, &totals, err));
    TRY(doc_need_array(out->root, "gpus", path, &gpus, err));
    if (doc_size(gpus) > EXECUTED_GPUS_MAX)
        FAIL(ST_LIMIT, "%s: has %llu GPUs, at most %d can be drawn", path, (unsigned long long)doc_size(gpus),
             EXECUTED_GPUS_MAX);
    out->totals = totals;
    out->gpus = gpus;
    out->policy = doc_text_value(doc_get(out->root, "policy"), "?");
    out->device = doc_text_value(doc_get(doc_get(out->root, "machine"), "device"), "?");
    if (doc_is_object(doc_get(out->root, "sweep"))) {
        out->points = doc_get(doc_get(out->root, "sweep"), "points");
        TRY(check_points(out->points, path, err));
    }
    TRY(name_scene(out, err));
done:
    return st;
}

void executed_release(struct executed *x)
{
    mem_free(x->grid);
    doc_free(x->root);
    memset(x, 0, sizeof *x);
}
