/* drawing.h - one figure/1 document: read, checked, and drawn as lines, bars or matrices.
 *
 * A struct drawing that drawing_load returned borrows its texts from `document` and has at least one panel; y is NaN
 * where the document has null.
 */
#ifndef REPORTS_CLAIMS_DRAWING_H
#define REPORTS_CLAIMS_DRAWING_H

#include "reports/figures/figures.h"

enum { DRAWING_PANELS = 8, DRAWING_SERIES = 24, DRAWING_POINTS = 128, DRAWING_CATEGORIES = 32 };

enum drawing_kind { DRAWING_LINES, DRAWING_BARS, DRAWING_MATRIX };
struct drawing_series {
    const char *name;
    bool stated;      /* by the paper */
    int count, first; /* points; the first one's record in the CSV */
    double x[DRAWING_POINTS], y[DRAWING_POINTS];
};
struct drawing_panel {
    enum drawing_kind kind;
    const char *title, *x, *y, *category[DRAWING_CATEGORIES];
    int categories, count;
    struct drawing_series series[DRAWING_SERIES];
};
struct drawing {
    doc *document;
    const char *name, *title;
    int count;
    struct drawing_panel panel[DRAWING_PANELS];
};

/* out: zeroed; drawing_release whatever the result. ST_INPUT with file and member for anything that is not figure/1. */
enum st drawing_load(const char *path, struct drawing *out, struct err *err) MUST_USE;
void drawing_release(struct drawing *d);
/* Writes folder/figures/NAME.gp and .csv. */
enum st drawing_write(struct drawing *d, const char *folder, struct err *err) MUST_USE;

/* drawing_panels.c: one panel into its box, which figures_panel has begun. The legend has the names and colours of
 * all series of the figure. */
struct drawing_legend {
    const char *name[DRAWING_SERIES];
    bool stated[DRAWING_SERIES];
    int count;
};
int drawing_legend_at(const struct drawing_legend *l, const char *name);   /* 0 when it is not there */
unsigned drawing_colour(const struct drawing_legend *l, const char *name); /* of "paper, X": X's, where there is one */
void drawing_panel_draw(struct figures *s, const struct drawing *d, const struct drawing_panel *p,
                        const struct drawing_legend *l, const struct box *box);

#endif
