/* sizing_read.c - a size/1 document, checked; see sizing.h. */
#include "reports/sizing/sizing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/file.h"
#include "base/mem.h"
#include "reports/formats/document.h"

const char *const sizing_stages[SIZING_STAGES] = {"sample", "load", "transfer", "propagate"};

/* ---- metrics ---- */

const char *const sizing_metrics[SIZING_METRICS] = {"feature_hit_rate", "topology_hit_rate", "transactions",
                                                    "epoch_seconds", "cost_per_epoch"};
enum { METRIC_TRANSACTIONS = 2 };

static int metric_of(const char *key)
{
    for (int i = 0; i < SIZING_METRICS; i++)
        if (!strcmp(key, sizing_metrics[i])) return i;
    return METRIC_TRANSACTIONS;
}

const char *sizing_metric_name(const char *metric)
{
    static const char *const names[SIZING_METRICS] = {"feature hit rate", "topology hit rate",
                                                      "PCIe transactions per epoch", "epoch time", "cost per epoch"};
    return names[metric_of(metric)];
}

enum quantity sizing_quantity(const char *metric)
{
    static const enum quantity quantities[SIZING_METRICS] = {QUANTITY_RATE, QUANTITY_RATE, QUANTITY_COUNT,
                                                             QUANTITY_SECONDS, QUANTITY_PRICE};
    return quantities[metric_of(metric)];
}

double sizing_value(const struct sizing_point *p, const char *metric)
{
    const double values[SIZING_METRICS] = {p->hit, p->topology, p->transactions, p->best, p->cost};
    return values[metric_of(metric)];
}

const char *sizing_text(const char *metric, double v, char out[STYLE_TEXT])
{
    return style_quantity(out, sizing_quantity(metric), v);
}

/* ---- reading ---- */

/* A number in low..high, or NaN when it is absent or null. */
static enum st number(const doc *of, const char *key, double low, double high, const char *where, double *out,
                      struct err *err)
{
    if (doc_is_null(doc_get(of, key))) {
        *out = NAN;
        return ST_OK;
    }
    return doc_need_real(of, key, low, high, where, out, err);
}

/* The number of a curve or candidate below `count`, or -1. */
static enum st sizing_read_place(const doc *of, const char *key, int count, const char *where, int *out,
                                 struct err *err)
{
    double v;
    enum st st = number(of, key, 0, (double)count - 1, where, &v, err);
    if (st == ST_OK) *out = isnan(v) ? -1 : (int)v;
    return st;
}

static enum st read_point(const doc *d, const char *where, int curves, struct sizing_point *p, struct err *err)
{
    const double most = 1e300;
    int64_t curve;
    if (!doc_is_object(d))
        return err_set(err, ST_INPUT,
                       "%s: a member of \"candidates\" is not an object; write the document again with hotset size",
                       where);
    PASS(doc_need_integer(d, "curve", 0, curves - 1, where, &curve, err));
    p->curve = (int)curve;
    PASS(doc_need_real(d, "budget_bytes", 0, most, where, &p->budget, err));
    PASS(number(d, "budget_all_gpus_bytes", 0, most, where, &p->all, err));
    PASS(number(d, "feature_hit_rate", 0, 1, where, &p->hit, err));
    PASS(number(d, "topology_hit_rate", 0, 1, where, &p->topology, err));
    PASS(number(d, "transactions", 0, most, where, &p->transactions, err));
    PASS(number(d, "epoch_seconds", 0, most, where, &p->seconds, err));
    PASS(number(d, "best_epoch_seconds", 0, most, where, &p->best, err));
    PASS(number(d, "cost_per_epoch", 0, most, where, &p->cost, err));
    for (int i = 0; i < SIZING_STAGES; i++)
        PASS(number(doc_get(d, "stages"), sizing_stages[i], 0, most, where, &p->stage[i], err));
    p->bottleneck = doc_text_value(doc_get(d, "bottleneck"), NULL);
    p->limited_by = doc_text_value(doc_get(d, "limited_by"), NULL);
    p->meets = doc_bool_value(doc_get(d, "meets"), false);
    return ST_OK;
}

static enum st read_curve(const doc *d, const char *where, struct sizing_curve *c, struct err *err)
{
    const double most = 1e300;
    if (!doc_is_object(d))
        return err_set(err, ST_INPUT,
                       "%s: a member of \"curves\" is not an object; write the document again with hotset size", where);
    PASS(doc_need_text(d, "label", where, &c->label, err));
    PASS(number(d, "limit_bytes", 0, most, where, &c->limit, err));
    PASS(number(d, "memory_bytes", 0, most, where, &c->memory, err));
    PASS(number(d, "price_per_hour", 0, most, where, &c->price, err));
    PASS(number(d, "answer_budget_bytes", 0, most, where, &c->needs, err));
    PASS(number(d, "knee_budget_bytes", 0, most, where, &c->knee, err));
    PASS(number(d, "missing_bytes", 0, most, where, &c->missing, err));
    c->of = d;
    return ST_OK;
}

static enum st read_points(const doc *list, const char *where, struct sizing *s, struct err *err)
{
    s->count = (int)doc_size(list);
    MAKE(s->points, s->count, "candidates");
    for (int i = 0; i < s->count; i++) {
        struct sizing_point *p = &s->points[i];
        PASS(read_point(doc_at(list, (uint64_t)i), where, s->curve_count, p, err));
        if (i && (p->curve < p[-1].curve || (p->curve == p[-1].curve && p->budget <= p[-1].budget)))
            return err_set(err, ST_INPUT,
                           "%s: \"candidates\" are not in the order of curve and budget at number %d; write the "
                           "document again with hotset size",
                           where, i);
        if (!s->curves[p->curve].count++) s->curves[p->curve].first = i;
    }
    return ST_OK;
}

enum st sizing_load(const char *path, struct sizing *out, struct err *err)
{
    const char *label;
    doc *curves, *list;
    PASS(doc_load(path, "size/1", &out->root, err));
    snprintf(out->name, sizeof out->name, "%.250s", path_base(path));
    PASS(doc_need_text(out->root, "sentence", path, &out->sentence, err));
    PASS(doc_need_text(out->root, "primary", path, &out->primary, err));
    PASS(doc_need_text(doc_get(out->root, "graph"), "name", path, &out->graph, err));
    PASS(doc_need_array(out->root, "curves", path, &curves, err));
    PASS(doc_need_array(out->root, "candidates", path, &list, err));
    if (!doc_size(curves) || doc_size(curves) > SIZING_CURVES_MAX || doc_size(list) > SIZING_POINTS_MAX)
        return err_set(err, ST_INPUT,
                       "%s: has %llu curves and %llu candidates; expected 1 to %d curves and at most %d candidates; "
                       "write the document again with hotset size, for fewer of them",
                       path, (unsigned long long)doc_size(curves), (unsigned long long)doc_size(list),
                       (int)SIZING_CURVES_MAX, (int)SIZING_POINTS_MAX);
    out->curve_count = (int)doc_size(curves);
    MAKE(out->curves, out->curve_count, "curves");
    for (int i = 0; i < out->curve_count; i++)
        PASS(read_curve(doc_at(curves, (uint64_t)i), path, &out->curves[i], err));
    PASS(read_points(list, path, out, err));
    PASS(sizing_read_place(out->root, "shown", out->curve_count, path, &out->shown, err));
    PASS(sizing_read_place(doc_get(out->root, "answer"), "candidate", out->count, path, &out->answer, err));
    PASS(sizing_read_place(doc_get(out->root, "knee"), "candidate", out->count, path, &out->knee, err));
    label = out->curves[out->shown < 0 ? 0 : out->shown].label;
    out->subject = figure_subject_make(out->graph, label, label);
    return ST_OK;
}

void sizing_release(struct sizing *s)
{
    doc_free(s->root);
    mem_free(s->curves);
    mem_free(s->points);
    memset(s, 0, sizeof *s);
}

bool sizing_listed(const doc *option) { return doc_bool_value(doc_get(option, "listed"), true); }

double sizing_target(const struct sizing *s, const char *metric)
{
    const doc *list = doc_get(s->root, "targets");
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (!strcmp(document_text(doc_at(list, i), "metric"), metric)) return document_number(doc_at(list, i), "value");
    return NAN;
}
