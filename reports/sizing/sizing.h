/* sizing.h - the page of a size question (size/1): what to buy, for the person who signs the order.
 *
 * Reads documents of hotset size and nothing else. Every number may be absent or null (NaN here); one that is there
 * has the right type, and one that names a curve or a candidate names one that exists, or loading fails with a
 * sentence that names file and member. Texts are borrowed from the document, which lives as long as struct sizing.
 */
#ifndef REPORTS_SIZING_SIZING_H
#define REPORTS_SIZING_SIZING_H

#include "reports/figures/figures.h"

enum { SIZING_STAGES = 4, SIZING_POINTS_MAX = 100000, SIZING_LABELS_MAX = 256 };
extern const char *const sizing_stages[SIZING_STAGES]; /* "sample", "load", "transfer", "propagate" */

struct sizing_point {
    int curve;
    double budget, all;                       /* bytes: per GPU; of all GPUs */
    double hit, topology;                     /* shares */
    double transactions, seconds, best, cost; /* of an epoch; best: of the plans up to this budget */
    double stage[SIZING_STAGES];              /* seconds of an iteration */
    const char *bottleneck, *limited_by;      /* or NULL */
    bool meets;
};

struct sizing_curve {
    const char *label;
    int first, count;                                  /* its points stand together, by ascending budget */
    double limit, memory, price, needs, knee, missing; /* bytes, per hour */
    const doc *of;
};

struct sizing {
    doc *root;
    char name[256]; /* of the file, without the path */
    const char *sentence, *graph, *primary;
    struct sizing_curve *curves;
    struct sizing_point *points;
    int curve_count, count;
    int shown, answer, knee; /* a curve, points; -1 none */
    struct grid *grid;       /* what figures are named after */
};

/* ST_INPUT when the document is not what it must be. out: zeroed by the caller; release it also after a failure. */
enum st sizing_load(const char *path, struct sizing *out, struct err *err) MUST_USE;
void sizing_release(struct sizing *s);
/* True when the file is a JSON document that says size/1. */
bool sizing_is(const char *path);

/* The value of the target for a metric key ("feature_hit_rate"); NaN when there is none. */
double sizing_target(const struct sizing *s, const char *metric);
/* A metric's value of a point by its key; epoch_seconds gives the best up to there. */
double sizing_value(const struct sizing_point *p, const char *metric);
const char *sizing_metric_name(const char *metric); /* "feature hit rate", .. */
/* "91.2 %", "1.2 s", "12 M". */
const char *sizing_text(const char *metric, double v, char out[STYLE_TEXT]);
const char *sizing_seconds(double v, char out[STYLE_TEXT]);

/* sizing_plots.c, sizing_map.c: all figures of one document. */
enum st sizing_draw(struct figures *figures, const struct sizing *s, struct err *err) MUST_USE;
enum st sizing_map(struct figures *figures, const struct sizing *s, struct err *err) MUST_USE;
/* sizing_page.c: index.html of `count` documents whose figures are drawn. */
enum st sizing_page(const struct figures *figures, const struct sizing *list, int count, const char *title,
                    struct err *err) MUST_USE;

/* The whole report of size documents; see report_write. */
enum st sizing_report(const char *const *inputs, int count, const char *out_dir, const char *title, bool quiet,
                      struct err *err) MUST_USE;

#endif
