/* bars.h - figures of bars as data: what is compared, by paths into a document or by a function that reads one bar. */
#ifndef REPORTS_SHELL_BARS_H
#define REPORTS_SHELL_BARS_H

#include "base/doc.h"
#include "reports/formats/document.h"
#include "reports/formats/document_table.h"
#include "reports/formats/html.h"
#include "reports/formats/style.h"
#include "reports/shell/page_kind.h"

enum { BAR_SERIES = 3, BAR_MARKS = 2 };

/* One bar of a figure. It reaches from `from` (0 unless set) to `value`. */
struct bar {
    char name[STYLE_NAME]; /* of its row; bars of one row follow each other, one per series */
    double from, value;    /* >= 0, or NaN: no bar */
    int marks;             /* <= BAR_MARKS: places on it, drawn as diamonds */
    double mark[BAR_MARKS];
    char says[STYLE_NAME]; /* what stands beside it; "": the value, or both ends */
};

/* A figure of bars. */
struct bars {
    const char *what;   /* ends the figure's name: "bars" */
    const char *title;  /* of the figure */
    const char *column; /* what is measured, with its unit: the axis and the CSV's header */
    const char *caption;
    enum quantity quantity;
    const char *series[BAR_SERIES + 1]; /* names of several, ended by NULL; none: one series without a legend */
    const char *rows, *name, *value;    /* without a function: a bar per object of this list, by the paths of both */
    /* The bar of that number; before the call its value is -1, all else 0. There are no more where the name stays ""
     * and the value is none; a bar with a value and no name is drawn as one whose document names it "". */
    void (*bar)(const doc *root, int number, struct bar *out);
    double (*now)(const doc *root); /* an upright line at this value; NULL: none */
};

/* Adds a figure of bars of a document; nothing where fewer than two have a number. ST_LIMIT: memory or disk is out. */
enum st bars_draw(struct figures *figures, const doc *root, const struct figure_subject *subject, const struct bars *of,
                  struct err *err) MUST_USE;

#endif
