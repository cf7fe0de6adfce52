/* figure_data.h - the data of a paper's figure as measured here, and what follows from it.
 *
 * Data are panels of named series of points. Measuring a figure fills them, judging reads them and nothing else, so a
 * verdict can be tested with made-up numbers. A point whose y is NaN is kept: it was asked for and has no number.
 * What does not fit the fixed sizes sets `full`, which is reported as a fault of hotset. Nothing here allocates;
 * threads may use data of their own.
 */
#ifndef PLANNER_CLAIMS_FIGURE_DATA_H
#define PLANNER_CLAIMS_FIGURE_DATA_H

#include <stdbool.h>
#include "base/doc.h"

enum {
    FIGURE_DATA_PANELS = 8,
    FIGURE_DATA_SERIES = 24,
    FIGURE_DATA_POINTS = 128,
    FIGURE_DATA_TEXT = 120,
    FIGURE_DATA_CATEGORIES = 32
};

enum figure_data_kind {
    FIGURE_DATA_LINES, /* y against x */
    FIGURE_DATA_BARS,  /* x numbers a category; the series stand side by side */
    FIGURE_DATA_MATRIX /* a series is a row, x the column (a category), y what stands in the cell */
};

struct figure_data_series {
    char name[FIGURE_DATA_TEXT];
    bool stated; /* by the paper's text; else simulated or counted here */
    bool ranged; /* low and high are set: the range over several seeds, of which y is the median (seeds.h) */
    int count;
    double x[FIGURE_DATA_POINTS], y[FIGURE_DATA_POINTS], low[FIGURE_DATA_POINTS], high[FIGURE_DATA_POINTS];
};
struct figure_data_panel {
    enum figure_data_kind kind;
    char title[FIGURE_DATA_TEXT], x[FIGURE_DATA_TEXT], y[FIGURE_DATA_TEXT]; /* names of the axes, units included */
    char category[FIGURE_DATA_CATEGORIES][40];
    int categories, count;
    struct figure_data_series series[FIGURE_DATA_SERIES];
};
struct figure_data {
    int count;
    bool full;
    struct figure_data_panel panel[FIGURE_DATA_PANELS];
};

/* ---- filling ---- */
/* Adds a panel; the result stays valid. x, y: names of the axes with their units. */
struct figure_data_panel *figure_data_panel(struct figure_data *data, enum figure_data_kind kind, const char *title,
                                            const char *x, const char *y);
/* The panel's series of that name, which is added when it is new; stays valid. */
struct figure_data_series *figure_data_series(struct figure_data *data, struct figure_data_panel *p, const char *name);
/* Adds a point to the panel's series of that name, which begins when it is first named. */
void figure_data_add(struct figure_data *data, struct figure_data_panel *p, const char *series, double x, double y);
/* The same for a number that the paper's text states; series: its name in the legend. */
void figure_data_state(struct figure_data *data, struct figure_data_panel *p, const char *series, double x, double y);
/* Number of the category, which is added when it is new. */
int figure_data_category(struct figure_data *data, struct figure_data_panel *p, const char *name);

/* ---- reading ---- */
/* The series of that name in a panel (0, 1, ..); NULL when there is none. */
const struct figure_data_series *figure_data_find(const struct figure_data *data, int panel, const char *series);
/* y of the series at x; NaN when panel, series or point is not there. */
double figure_data_at(const struct figure_data *data, int panel, const char *series, double x);

/* The member `panels` of a figure/1 document. The caller frees it. */
doc *figure_data_document(const struct figure_data *data);

/* ---- verdicts ---- */
enum verdict { VERDICT_NOT_MEASURED, VERDICT_HOLDS, VERDICT_FAILS, VERDICT_HOLDS_GIVEN, VERDICTS };
enum { VERDICT_TEXT = 400 };
struct finding {
    enum verdict verdict;
    int holds, seeds; /* with how many of how many seeds it holds; seeds is 0 before seeds_merge_findings */
    char ours[1200];  /* our numbers, in words */
    char reason[900]; /* why it was not measured, or, where that was measured, what differs; else "" */
};
/* "not measured", "holds", "does not hold", "holds on real graph": the last one is followed by the graphs' names and
 * ", not on the stand-in". */
const char *verdict_name(enum verdict v);
/* The verdict that a document's words begin with; not measured for others. */
enum verdict verdict_of(const char *words);
/* Changes what was found on a given graph where the stand-in says otherwise: "holds" becomes "holds on real graph", and
 * the reason tells what the stand-in gives. */
void finding_compare(struct finding *given, const struct finding *stand_in);

#endif
