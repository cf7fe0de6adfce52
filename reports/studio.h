/* studio.h - the figures of a report: each is a script, its data, and later its pictures, under one name. */
#ifndef REPORTS_STUDIO_H
#define REPORTS_STUDIO_H

#include "base/file.h"
#include "base/progress.h"
#include "reports/formats/csv.h"
#include "reports/scene.h"

struct figure {
    char name[256]; /* plots/NAME.gp, .svg, .png and data/NAME.csv */
    char title[600];
    char caption[1600]; /* how to read it; plain text from documents and from us */
    int scene;          /* index */
    int width, height;  /* pixels of the SVG */
};

struct studio {
    char folder[PATH_BYTES]; /* where the report is being written */
    struct figure *list;
    int count;
    int scene;    /* the scene that is being drawn */
    FILE *script; /* of the figure that is open */
    bool titled;  /* its title is written */
    struct csv data;
};

/* Starts a figure of `scene`; what: the end of its name ("transactions"); title: without the scene's names. */
enum st studio_open(struct studio *s, const struct scene *scene, const char *what, const char *title, int width, int height,
                    struct err *err) MUST_USE;
/* Adds to the open figure's caption. */
void studio_caption(struct studio *s, const char *format, ...) PRINTF_LIKE(2, 3);
enum st studio_close(struct studio *s, struct err *err) MUST_USE;
void studio_release(struct studio *s);
/* Draws all figures, `portion` at a time so that the bar can move. */
enum st studio_plot(const struct studio *s, int portion, struct progress *bar, struct err *err) MUST_USE;
/* Puts a number before the scene's name in files: several documents of one page may be of the same graph. */
void studio_number(struct scene *scene, int number);

/* Opens `name` (plots/x.gp) below the report's folder for writing. */
enum st studio_file(const struct studio *s, const char *name, FILE **out, struct err *err) MUST_USE;
/* Closes a file; a failed write (disk full) is ST_LIMIT. */
enum st studio_file_close(FILE **file, const char *name, struct err *err) MUST_USE;

/* ---- what scripts share ---- */
struct box {
    double left, right, bottom, top;
}; /* pixels from the lower left */

/* The next plot goes into `box`: margins, border, grid, no labels from the plot before. */
void studio_panel(struct studio *s, const struct box *box);
/* A heading in the box's upper left corner, above the plot. */
void studio_heading(const struct studio *s, const struct box *box, const char *text);
/* The title of the vertical axis, `away` pixels left of the plot. */
void studio_axis_title(const struct studio *s, const struct box *box, int away, const char *text);
/* The title of the horizontal axis, 40 pixels below the plot. */
void studio_axis_below(const struct studio *s, const struct box *box, const char *text);
/* "5 % (per clique, of ...)": the middle budget in words. */
const char *studio_budget(const struct scene *scene, int budget, char out[160]);

#endif
