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

/* "shown" and "candidate" of "answer" and "knee" and "curve" of a candidate: below `count`, as others state it. */
static enum st check_place(const char *key, int at, int count, const char *where, struct err *err)
{
    if (at < count) return ST_OK;
    return err_set(err, ST_INPUT, "%s: key \"%s\" is %d, expected 0 to %d; write the document again with hotset size",
                   where, key, at, count - 1);
}

/* Points that stand in order, with their curves. */
static enum st join(struct sizing *s, const char *where, struct err *err)
{
    char key[48];
    for (int i = 0; i < s->count; i++) {
        const struct sizing_point *p = &s->points[i];
        snprintf(key, sizeof key, "candidates[%d].curve", i);
        PASS(check_place(key, p->curve, s->curve_count, where, err));
        if (i && (p->curve < p[-1].curve || (p->curve == p[-1].curve && p->budget <= p[-1].budget)))
            return err_set(err, ST_INPUT,
                           "%s: \"candidates\" are not in the order of curve and budget at number %d; write the "
                           "document again with hotset size",
                           where, i);
        if (!s->curves[p->curve].count++) s->curves[p->curve].first = i;
    }
    for (int i = 0; i < s->curve_count; i++) s->curves[i].of = doc_at(doc_get(s->root, "curves"), (uint64_t)i);
    PASS(check_place("shown", s->shown, s->curve_count, where, err));
    PASS(check_place("answer.candidate", s->answer, s->count, where, err));
    return check_place("knee.candidate", s->knee, s->count, where, err);
}

/* The candidate of the option that the headline names, in place of the smallest that meets: figures show the same
 * answer. Documents of older versions have no options. */
static void decide(struct sizing *s)
{
    const doc *number = doc_path(s->root, "decision.option"),
              *o = doc_is_integer(number) ? doc_at(doc_get(s->root, "options"), (uint64_t)doc_integer_value(number, 0))
                                          : NULL;
    const int64_t curve = doc_integer_value(doc_get(o, "curve"), -1);
    const double budget = document_number(o, "budget_bytes");
    if (curve < 0 || curve >= s->curve_count || !(budget >= 0)) return;
    const struct sizing_curve *c = &s->curves[curve];
    for (int i = c->first; i < c->first + c->count; i++)
        if (s->points[i].budget == budget) {
            s->answer = i;
            s->shown = (int)curve;
        }
}

enum st sizing_load(const char *path, struct sizing *out, struct err *err)
{
    PASS(doc_load(path, "size/1", &out->root, err));
    snprintf(out->name, sizeof out->name, "%.250s", path_base(path));
    MAKE(out->curves, doc_size(doc_get(out->root, "curves")), "curves");
    MAKE(out->points, doc_size(doc_get(out->root, "candidates")), "candidates");
    PASS(fields_read(sizing_fields, out->root, path, out, err));
    PASS(join(out, path, err));
    decide(out);
    const char *label = out->curves[out->shown < 0 ? 0 : out->shown].label;
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
