/* executed.h - the page of executed plans (executed/1): measured beside predicted, and both against alpha (Legion,
 * figure 13).
 *
 * Reads documents of hotset execute and nothing else. Every number may be absent or null (NaN here). Texts are
 * borrowed from the document, which lives as long as struct executed.
 */
#ifndef REPORTS_EXECUTED_EXECUTED_H
#define REPORTS_EXECUTED_EXECUTED_H

#include "reports/figures/figures.h"

enum { EXECUTED_KINDS = 4, EXECUTED_STAGES = 5, EXECUTED_GPUS_MAX = 256, EXECUTED_POINTS_MAX = 1001 };
extern const char *const executed_kinds[EXECUTED_KINDS];   /* "predicted", "simulated", "counted", "measured" */
extern const char *const executed_stages[EXECUTED_STAGES]; /* "sample", .. */
extern const char *const executed_stage_names[EXECUTED_STAGES];

struct executed {
    doc *root;
    const doc *totals, *gpus, *points; /* points: of the sweep, or NULL */
    const char *policy, *device;
    struct grid *grid; /* what figures are named after */
};

/* True when the file is a JSON document that says executed/1. */
bool executed_is(const char *path);
/* ST_INPUT when the document is not what it must be. out: zeroed by the caller; release it also after a failure. */
enum st executed_load(const char *path, struct executed *out, struct err *err) MUST_USE;
void executed_release(struct executed *x);
/* A number of an object that is finite and not negative; else NaN. */
double executed_number(const doc *of, const char *key);

/* executed_plots.c: all figures of one document. */
enum st executed_draw(struct figures *figures, const struct executed *x, struct err *err) MUST_USE;
/* executed_page.c: the whole report; see report_write. */
enum st executed_report(const char *const *inputs, int count, const char *out_dir, const char *title, bool quiet,
                        struct err *err) MUST_USE;

#endif
