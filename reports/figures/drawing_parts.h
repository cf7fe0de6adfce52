/* drawing_parts.h - the parts of drawing_write; private to figures. */
#ifndef REPORTS_FIGURES_DRAWING_PARTS_H
#define REPORTS_FIGURES_DRAWING_PARTS_H

#include "reports/figures/drawing.h"

/* Pixels of a letter and of a line of text. */
#define DRAWING_LETTER 7.2
enum { DRAWING_TEXT = 20 };

/* The end of a panel's ticks and marks in the drawing's lists. */
int drawing_ticks_end(const struct drawing *d, const struct drawing_panel *p);
int drawing_marks_end(const struct drawing *d, const struct drawing_panel *p);
/* Letters of a line of a name beside an upright axis. */
int drawing_name_letters(const struct drawing *d);
/* Whether a series is drawn by that shape. */
bool drawing_has(const struct drawing *d, const struct drawing_panel *p, enum drawing_shape shape);
/* The axis along which bars reach; the other one has names. */
int drawing_value_axis(const struct drawing_panel *p);

/* Sets the ranges of a panel whose box is known. beside: the panels of its row that share its upright axis, from it on;
 * count: how many. */
void drawing_axes_make(const struct drawing *d, struct drawing_panel *p, const struct drawing_panel *row, int count);
/* Writes ranges, ticks and titles. */
void drawing_axes_write(const struct drawing *d, const struct drawing_panel *p, const struct figures *figures);
/* Pixels that the names left of a panel take, and those below it, whose plot's left and right are known. */
int drawing_axes_left(const struct drawing *d, const struct drawing_panel *p);
int drawing_axes_below(const struct drawing *d, const struct drawing_panel *p);
/* The lines of the tallest name at an axis, of `most` letters each; longest: letters of the longest one. */
int drawing_axes_lines(const struct drawing *d, const struct drawing_panel *p, int axis, int most, int *longest);
/* Whether the upright axis' title is too long to be turned: then it stands level above a plot of that height. */
bool drawing_axes_level(const struct drawing *d, const struct drawing_panel *p, double tall);
/* Where values stand, in pixels from the lower left corner of the figure. */
double drawing_axes_x(const struct drawing_panel *p, double x);
double drawing_axes_y(const struct drawing_panel *p, double y);

/* How many rows the legend takes, and the legend itself when figures is given: `top` pixels below the upper edge. */
int drawing_legend(const struct drawing *d, const struct figures *figures, int width, int top);
/* Finds the legend a place inside the plot of the only panel, which is placed, where no line is: drawing_legend then
 * takes no rows. Returns whether there is one. */
bool drawing_legend_inside(struct drawing *d);
/* Pixels that names at the ends of lines take, and how many lines of text those of a panel are. */
int drawing_ends_width(const struct drawing *d);
int drawing_ends_lines(const struct drawing *d, const struct drawing_panel *p);

/* Writes marks, words, names and the plot command of a panel. ST_LIMIT: memory is out. */
enum st drawing_panel_write(const struct drawing *d, const struct drawing_panel *p, struct figures *figures,
                            struct err *err) MUST_USE;
/* gnuplot's dash of that number: "1", "(10,5)". */
const char *drawing_dash(int dash);
/* Writes the fill of a bar of a series: "fs pattern 4 border rgb '#D55E00'". */
void drawing_fill(FILE *to, const struct drawing_series *s);
int drawing_mark_of(const struct drawing_series *s); /* gnuplot's point type */

/* Begins a panel in `box`: margins, border, grid lines, no labels and no arrows. The first panel of a figure also
 * writes the figure's title. */
void drawing_panel_begin(struct figures *figures, const struct box *box);
/* Writes a text at (x, y), pixels, which is that of its first line. options: our own words ("left tc rgb '#111111'").
 */
void drawing_label(const struct figures *figures, double x, double y, const char *text, const char *options);
/* Writes the words of dots beside them where there is room, each once; the names of lines and levels at their ends. */
void drawing_names(const struct drawing *d, const struct drawing_panel *p, const struct figures *figures);
void drawing_ends(const struct drawing *d, const struct drawing_panel *p, const struct figures *figures);

#endif
