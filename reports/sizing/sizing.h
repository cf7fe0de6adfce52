/* sizing.h - an answer of hotset size (size/1), read and checked by the table of its keys (sizing_fields.c).
 *
 * Nearly every key may be absent or null, as older versions lack some: a number is NaN then. One that is there has the
 * right type, and one that names a curve or a candidate names one that exists, or loading fails with a sentence that
 * names file and key. Texts are borrowed from the document, which lives as long as struct sizing.
 */
#ifndef REPORTS_SIZING_SIZING_H
#define REPORTS_SIZING_SIZING_H

#include <stdio.h>

#include "base/fields.h"
#include "reports/figures/drawing.h"

enum { SIZING_STAGES = 4, SIZING_POINTS_MAX = 100000, SIZING_CURVES_MAX = 256, SIZING_METRICS = 5 };
extern const char *const sizing_stages[SIZING_STAGES]; /* "sample", "load", "transfer", "propagate" */
/* Keys of metrics, in the order of tables: "feature_hit_rate", .. */
extern const char *const sizing_metrics[SIZING_METRICS];

/* A candidate: one cache size on one curve, planned, and simulated on held-out epochs. */
struct sizing_point {
    int curve;
    double budget, all;                  /* bytes: per GPU; of all GPUs */
    double hit, topology;                /* shares of feature rows, of topology visits */
    double transactions;                 /* PCIe transactions per epoch */
    double seconds, best;                /* of an epoch: of this plan; of the best plan up to this budget */
    double cost;                         /* of an epoch, in the currency of the prices */
    double stage[SIZING_STAGES];         /* seconds of an iteration */
    const char *bottleneck, *limited_by; /* or NULL */
    bool meets;                          /* the targets */
};

/* A server, a number of GPUs, a feature type and fan-outs: one thing that could be bought or done. */
struct sizing_curve {
    const char *label;
    int first, count; /* its points stand together, by ascending budget */
    double limit;     /* bytes per GPU of the largest cache */
    double memory;    /* bytes of a GPU */
    double price;     /* per hour */
    double needs;     /* bytes per GPU that meet the target */
    double knee;      /* bytes per GPU where the curve turns */
    double missing;   /* bytes per GPU that training lacks */
    const doc *of;    /* its member of the document */
};

struct sizing {
    doc *root;
    char name[256]; /* of the file, without the path */
    const char *sentence, *graph;
    const char *primary; /* key of the metric that curves are compared by */
    struct sizing_curve *curves;
    struct sizing_point *points;
    int curve_count, count;
    int shown;                     /* the curve that is shown in detail; -1 none */
    int answer, knee;              /* points; -1 none */
    struct figure_subject subject; /* the graph on the shown curve */
};

extern const struct field sizing_fields[]; /* of a struct sizing */

/* Reads a size/1 document. out: zeroed by the caller, who releases it also after a failure. ST_INPUT: it is not what it
 * must be; ST_LIMIT: memory is out. */
enum st sizing_load(const char *path, struct sizing *out, struct err *err) MUST_USE;
/* Frees the document and what was read from it; a zeroed one is allowed. */
void sizing_release(struct sizing *s);

/* The value of the target for a metric, in the metric's unit; NaN when there is none. */
double sizing_target(const struct sizing *s, const char *metric);
/* Whether tables and figures have that option: where options are many, some stand in the document only. */
bool sizing_listed(const doc *option);
/* Whether the whole training takes more than the epoch that stands beside it. */
bool sizing_trains_longer(const struct sizing *s);
/* Whether there are targets; without them nothing is said of meeting any. */
bool sizing_asks(const struct sizing *s);
/* A metric's value of a point, or NaN; epoch_seconds gives the best up to the point's budget. */
double sizing_value(const struct sizing_point *p, const char *metric);
/* The metric in words: "feature hit rate". An unknown metric counts as "transactions" in this and the next two. */
const char *sizing_metric_name(const char *metric);
/* What kind of number the metric is. */
enum quantity sizing_quantity(const char *metric);
/* A value of the metric as a text, into out: "91.2 %", "1.2 s", "12.0 M"; "-" for NaN. Returns out. */
const char *sizing_text(const char *metric, double v, char out[STYLE_TEXT]);

/* ---- the page: each writes HTML, and nothing when the document has nothing for it; errors of writing are those of the
 * stream ---- */

/* The bold line, and when the choice holds; the sentence where there is no decision. */
void sizing_line_write(FILE *to, const struct sizing *s);
/* The reasons, the runner-up and the command. */
void sizing_decision_write(FILE *to, const struct sizing *s);
/* What one should know before signing, a line each; nothing where there is none. */
void sizing_notes_write(FILE *to, const struct sizing *s);
/* A row per server and number of servers. */
void sizing_options_table(FILE *to, const struct sizing *s);

/* All curves: what was tried, what it costs and what it needs. */
void sizing_curves_table(FILE *to, const struct sizing *s);
/* The points of the shown curve. */
void sizing_points_table(FILE *to, const struct sizing *s);
/* How far stand-ins of the graph spread. */
void sizing_uncertainty_table(FILE *to, const struct sizing *s);
/* The memory that training takes, term by term. */
void sizing_reservation_table(FILE *to, const struct sizing *s);
/* What the description of each server lacks for epoch times. */
void sizing_unknown_list(FILE *to, const struct sizing *s);
/* The rules by which the answer was found. */
void sizing_rules_list(FILE *to, const struct sizing *s);

/* ---- figures ---- */

enum { SIZING_COLOURS = 12, SIZING_ANSWER = 0xA32638 /* the colour of the answer */ };
extern const unsigned sizing_colours[SIZING_COLOURS]; /* of curves, 0xRRGGBB */

/* How many of a curve's points differ: those behind them have the same hits and transactions as the last of these, with
 * everything cached, and are neither answer nor knee. */
int sizing_different(const struct sizing *s, const struct sizing_curve *c);
/* Draws the metric's target as a level of the last panel, and says in the caption what it is; nothing where there is no
 * target. */
void sizing_target_add(struct drawing *d, const struct sizing *s, const char *metric);

/* Of the shown curve, which has points: what each cache size gives, and the stages of an iteration. ST_LIMIT: memory or
 * disk is out. */
enum st sizing_plot_curve(struct figures *figures, const struct sizing *s, struct err *err) MUST_USE;
/* Of all curves. subject: names the figures. ST_LIMIT as above. */
enum st sizing_plot_choices(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err) MUST_USE;
/* All candidates as dots, with those that no other beats; two quantities against each other as coloured cells. Errors
 * and subject as above. */
enum st sizing_plot_frontier(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                             struct err *err) MUST_USE;
/* Of what can be bought: epoch times with their intervals, filling SSDs and training, host memory. Errors and subject
 * as above. */
enum st sizing_plot_options(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err) MUST_USE;

#endif
