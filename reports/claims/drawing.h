/* drawing.h - one figure/1 document, read and checked: a figure of a paper, as panels of lines, bars or a matrix.
 *
 * A struct drawing that drawing_load returned borrows its texts from `document` and has at least one panel; y is NaN
 * where the document has null.
 */
#ifndef REPORTS_CLAIMS_DRAWING_H
#define REPORTS_CLAIMS_DRAWING_H

#include "base/doc.h"

enum { DRAWING_PANELS = 8, DRAWING_SERIES = 24, DRAWING_POINTS = 128, DRAWING_CATEGORIES = 32 };

enum drawing_kind { DRAWING_LINES, DRAWING_BARS, DRAWING_MATRIX };
struct drawing_series {
    const char *name;
    bool stated; /* by the paper */
    bool ranged; /* low and high are set: the range over seeds */
    int count;
    int first;                                   /* the first point's record in the CSV, from 0; set by drawing_draw */
    double x[DRAWING_POINTS], y[DRAWING_POINTS]; /* x of bars and matrices: a category, from 0 */
    double low[DRAWING_POINTS], high[DRAWING_POINTS];
};
struct drawing_panel {
    enum drawing_kind kind;
    const char *title, *x, *y, *category[DRAWING_CATEGORIES]; /* x, y: titles of the axes */
    int categories, count;
    struct drawing_series series[DRAWING_SERIES];
};
struct drawing {
    doc *document;
    const char *name, *title; /* name: a slug */
    int count;
    struct drawing_panel panel[DRAWING_PANELS];
};

/* Reads a figure/1 document. out: zeroed by the caller, who releases it also after a failure. ST_INPUT with file and
 * member: it is not what it must be. */
enum st drawing_load(const char *path, struct drawing *out, struct err *err) MUST_USE;
/* Frees the document; a zeroed drawing is allowed. */
void drawing_release(struct drawing *d);

#endif
