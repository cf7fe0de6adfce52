/* figures.h - the figures of one page: each is a gnuplot script, its data, and later its pictures, under one name.
 *
 * figure_begin opens a figure; panels (figure_panels.h) and records (csv.h) are written into it; figure_end closes it.
 * One figure is open at a time: the last of the list. When all are written, figures_draw runs gnuplot. A figure belongs
 * to a section of the page: the one that figures.section names when it begins. One struct figures belongs to one
 * thread.
 */
#ifndef REPORTS_FIGURES_FIGURES_H
#define REPORTS_FIGURES_FIGURES_H

#include "base/file.h"
#include "base/progress.h"
#include "reports/formats/csv.h"
#include "reports/formats/style.h"

/* What a figure is of: a graph on a server. Its title names both, and its files begin with its slug. */
struct figure_subject {
    const char *graph, *server;    /* any text; borrowed; server "": the figure is of the graph alone */
    char slug[2 * STYLE_TEXT + 8]; /* begins file names: a-z, 0-9 and dashes */
};

/* The subject with the slug "<graph>-<second>"; second: what tells figures of one graph apart (the server, the policy).
 * graph and server are borrowed. */
struct figure_subject figure_subject_make(const char *graph, const char *server, const char *second);
/* Puts "<number>-" before the slug: several documents of one page may be of the same graph and server. */
void figure_subject_number(struct figure_subject *subject, int number);

struct figure {
    char name[256];
    char csv[300];      /* path of the data below the folder: "data/NAME.csv" */
    char title[600];    /* drawn at the top of the figure */
    char caption[1600]; /* how to read it: plain text of documents and of ours */
    int section;        /* of the page, from 0 */
    bool screen;        /* left out on paper */
    int width, height;  /* pixels of the SVG */
    char *points;       /* what stands over the picture, as HTML (figure_point); owned, NULL: nothing */
};

struct figures {
    char folder[PATH_BYTES];  /* where the page is being written */
    const char *plots, *data; /* folders below it: of scripts and pictures, and of CSV */
    double pdf; /* figures are drawn as PDF, too, so wide (formats/gnuplot.h): with inches by a script of their own */
    bool json;  /* data/NAME.json, which a figure was drawn from, is there: pages link it */
    struct figure *list; /* owned */
    int count;
    int section;  /* of figures that begin now */
    bool screen;  /* the same: whether they are left out on paper */
    FILE *script; /* of the open figure */
    FILE *points; /* the same: where its points go, into text; NULL before the first */
    char *text;
    size_t bytes;   /* of the text */
    struct csv csv; /* data of the open figure */
    bool titled;    /* the title of the open figure is written */
};

/* An empty set whose figures go into folder/plots and folder/data, which are there when the first figure begins. plots
 * and data are borrowed, and may be the same folder. ST_INPUT: the path of the folder is too long. */
enum st figures_init(struct figures *figures, const char *folder, const char *plots, const char *data, struct err *err)
    MUST_USE;
/* Frees the list and closes what is open; a zeroed set is allowed. Files stay. */
void figures_release(struct figures *figures);

/* Begins a figure of width x height pixels. name: a slug, unique on the page; title: any text. ST_LIMIT: a file cannot
 * be made, or memory is out. */
enum st figure_begin(struct figures *figures, const char *name, const char *title, int width, int height,
                     struct err *err) MUST_USE;
/* The same with the name "<slug>-<what>" ("..-transactions") and with graph and server behind the title. */
enum st figure_begin_of(struct figures *figures, const struct figure_subject *subject, const char *what,
                        const char *title, int width, int height, struct err *err) MUST_USE;
/* Puts the script NAME-column.gp, of a PDF for a column of a paper, in the place of the open figure's, until
 * figure_column_end. *page: what the second one puts back. */
struct figure_page {
    FILE *script;
    int width, height;
};
enum st figure_column_begin(struct figures *figures, int width, int height, struct figure_page *page, struct err *err)
    MUST_USE;
enum st figure_column_end(struct figures *figures, const struct figure_page *page, struct err *err) MUST_USE;
/* Appends to the caption of the open figure; what does not fit is cut. */
void figure_caption(struct figures *figures, const char *format, ...) PRINTF_LIKE(2, 3);
/* The points that follow are of the series `name` in `colour`, by which a reader's switch finds what the picture has of
 * it. name: any text. ST_LIMIT: memory is out. */
enum st figure_series(struct figures *figures, const char *name, unsigned colour, struct err *err) MUST_USE;
/* Lays a transparent shape over the picture that says a value when it is pointed at or focused: wide x tall pixels
 * around (x, y), from the lower left corner. at: the budget it is of, any text, or NULL. text: any. figure_series is
 * called before. */
void figure_point(const struct figures *figures, double x, double y, double wide, double tall, const char *at,
                  const char *text);
/* Ends the open figure and closes its files. ST_LIMIT: they could not be written whole. */
enum st figure_end(struct figures *figures, struct err *err) MUST_USE;
/* The open figure; valid until the next one begins. */
const struct figure *figure_now(const struct figures *figures);

/* Runs gnuplot on all figures, a few at a time, and moves the bar (total: figures). Errors are those of gnuplot_run. */
enum st figures_draw(const struct figures *figures, struct progress *bar, struct err *err) MUST_USE;

#endif
