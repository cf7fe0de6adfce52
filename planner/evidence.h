/* evidence.h - what was measured for a figure of a paper, and what follows from it.
 *
 * Evidence is panels of named series of points. Exhibits fill it (lab.h), judges read it and nothing else, so that a verdict can be tested with made-up
 * numbers. A point whose y is NaN is kept: it was asked for and has no number. What does not fit the fixed sizes sets `full`, which whoever
 * gathered the evidence reports as a fault of hotset. Nothing here allocates; any thread may use evidence of its own.
 */
#ifndef PLANNER_EVIDENCE_H
#define PLANNER_EVIDENCE_H

#include <stdbool.h>
#include "base/doc.h"

enum { EVIDENCE_PANELS = 8, EVIDENCE_SERIES = 24, EVIDENCE_POINTS = 128, EVIDENCE_TEXT = 120, EVIDENCE_CATEGORIES = 32 };

enum evidence_kind {
    EVIDENCE_LINES,  /* y against x */
    EVIDENCE_BARS,   /* x numbers a category; the series stand side by side */
    EVIDENCE_MATRIX  /* a series is a row, x the column (a category), y what stands in the cell */
};

struct evidence_series {
    char name[EVIDENCE_TEXT];
    bool stated;           /* by the paper's text; else simulated or counted here */
    int count;
    double x[EVIDENCE_POINTS], y[EVIDENCE_POINTS];
};
struct evidence_panel {
    enum evidence_kind kind;
    char title[EVIDENCE_TEXT], x[EVIDENCE_TEXT], y[EVIDENCE_TEXT]; /* names of the axes, units included */
    char category[EVIDENCE_CATEGORIES][40];
    int categories, count;
    struct evidence_series series[EVIDENCE_SERIES];
};
struct evidence {
    int count;
    bool full;
    struct evidence_panel panel[EVIDENCE_PANELS];
};

/* ---- filling ---- */
/* Adds a panel; the result stays valid. Axis names carry their units. */
struct evidence_panel *evidence_panel(struct evidence *e, enum evidence_kind kind, const char *title, const char *x, const char *y);
/* Adds a point to the panel's series of that name, which begins when it is first named. */
void evidence_add(struct evidence *e, struct evidence_panel *p, const char *series, double x, double y);
/* The same for a number that the paper's text states; series: what the legend says of it. */
void evidence_state(struct evidence *e, struct evidence_panel *p, const char *series, double x, double y);
/* Number of the category, which is added when it is new. */
int evidence_category(struct evidence *e, struct evidence_panel *p, const char *name);

/* ---- reading ---- */
const struct evidence_series *evidence_find(const struct evidence *e, int panel, const char *series); /* NULL: there is none */
/* y of the series at x; NaN when panel, series or point is not there. */
double evidence_at(const struct evidence *e, int panel, const char *series, double x);
double evidence_least(const struct evidence_series *s); /* smallest y; NaN when any is not known or s is NULL */
double evidence_most(const struct evidence_series *s);
double evidence_mean(const struct evidence_series *s);
/* Whether every y is below (1 - by) times the one before it; false when any is not known, true for fewer than two points. */
bool evidence_falls(const struct evidence_series *s, double by);
/* Whether every y is above (1 + by) times the one before it. */
bool evidence_rises(const struct evidence_series *s, double by);
/* "1.00, 0.63, 0.41": the y of a series with that many decimals. out[EVIDENCE_TEXT] */
const char *evidence_list(const struct evidence_series *s, int decimals, char out[EVIDENCE_TEXT]);

/* The members `panels` of a figure/1 document. */
doc *evidence_document(const struct evidence *e);

/* ---- verdicts ---- */
enum verdict { VERDICT_NOT_MEASURED, VERDICT_HOLDS, VERDICT_FAILS, VERDICTS };
struct finding {
    enum verdict verdict;
    char ours[400];   /* our numbers, in words */
    char reason[400]; /* why it was not measured, or, where that was measured, what differs; else "" */
};
const char *verdict_name(enum verdict v); /* "not measured", "holds", "does not hold" */
/* Sets the verdict and our numbers. */
void finding_set(struct finding *f, bool holds, const char *format, ...) PRINTF_LIKE(3, 4);
void finding_missing(struct finding *f, const char *format, ...) PRINTF_LIKE(2, 3);
/* True when none of values[0..count) is NaN; else sets "not measured". */
bool finding_known(struct finding *f, const double *values, int count);
/* Adds a sentence to the reason. */
void finding_because(struct finding *f, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
