/* figures.h - the figures of a report: each is a script, its data, and later its pictures, under one name. */
#ifndef REPORTS_FIGURES_FIGURES_H
#define REPORTS_FIGURES_FIGURES_H

#include "base/file.h"
#include "base/progress.h"
#include "reports/formats/csv.h"
#include "reports/plots/grid.h"

struct figure {
    char name[256]; /* plots/NAME.gp, .svg, .png and data/NAME.csv */
    char title[600];
    char caption[1600]; /* how to read it; plain text from documents and from us */
    int grid;           /* index */
    int width, height;  /* pixels of the SVG */
};

struct figures {
    char folder[PATH_BYTES]; /* where the report is being written */
    struct figure *list;
    int count;
    int grid;     /* the scene that is being drawn */
    FILE *script; /* of the figure that is open */
    bool titled;  /* its title is written */
    struct csv data;
};

/* Starts a figure of `scene`; what: the end of its name ("transactions"); title: without the scene's names. */
enum st figures_open(struct figures *s, const struct grid *grid, const char *what, const char *title, int width,
                     int height, struct err *err) MUST_USE;
/* Adds to the open figure's caption. */
void figures_caption(struct figures *s, const char *format, ...) PRINTF_LIKE(2, 3);
enum st figures_close(struct figures *s, struct err *err) MUST_USE;
void figures_release(struct figures *s);
/* Draws all figures, `portion` at a time so that the bar can move. */
enum st figures_plot(const struct figures *s, int portion, struct progress *bar, struct err *err) MUST_USE;
/* Puts a number before the scene's name in files: several documents of one page may be of the same graph. */
void figures_number(struct grid *grid, int number);

/* Opens `name` (plots/x.gp) below the report's folder for writing. */
enum st figures_file(const struct figures *s, const char *name, FILE **out, struct err *err) MUST_USE;
/* Closes a file; a failed write (disk full) is ST_LIMIT. */
enum st figures_file_close(FILE **file, const char *name, struct err *err) MUST_USE;

/* ---- what scripts share ---- */
struct box {
    double left, right, bottom, top;
}; /* pixels from the lower left */

/* The next plot goes into `box`: margins, border, grid, no labels from the plot before. */
void figures_panel(struct figures *s, const struct box *box);
/* A heading in the box's upper left corner, above the plot. */
void figures_heading(const struct figures *s, const struct box *box, const char *text);
/* The title of the vertical axis, `away` pixels left of the plot. */
void figures_axis_title(const struct figures *s, const struct box *box, int away, const char *text);
/* The title of the horizontal axis, 40 pixels below the plot. */
void figures_axis_below(const struct figures *s, const struct box *box, const char *text);
/* "5 % (per clique, of ...)": the middle budget in words. */
const char *figures_budget(const struct grid *grid, int budget, char out[160]);

#endif
