/* drawing.h - a figure as a description: panels with two axes each, series of points, and what the points say.
 *
 * A page fills it, from left to right and from top to bottom: drawing_panel begins a panel, drawing_series a series of
 * it, drawing_point adds to the series that was begun last. drawing_write then finds ranges, ticks and places, writes
 * the data as CSV and the script that draws them, and lays points over the picture. Texts are copied. What has no
 * memory is told by drawing_write, so that filling needs no checks. A drawing is {0} before it is filled, and belongs
 * to one thread.
 */
#ifndef REPORTS_FIGURES_DRAWING_H
#define REPORTS_FIGURES_DRAWING_H

#include "reports/figures/figures.h"
#include "reports/figures/layout.h"

/* Pixels of the SVG from its lower left corner. */
struct box {
    double left, right, bottom, top;
};

enum { AXIS_X, AXIS_Y, AXES };
enum {
    AXIS_NAMES = 1, /* places 0, 1, .. with names (drawing_tick); of an upright axis the first is on top */
    AXIS_EXACT = 2, /* ends at low and high */
    AXIS_LOG = 4,   /* is logarithmic */
    AXIS_FAR = 8,   /* is logarithmic where values lie far apart; 0 then stands below a break */
    AXIS_NEAR = 16  /* begins near the least value instead of 0 */
};
struct drawing_axis {
    const char *title;      /* NULL: none */
    enum quantity quantity; /* how its ticks are written */
    int flags;
    double low,
        high; /* values that it shows in any case; 0 and 0: none. Of cells, the level axis': palest, strongest */
};

/* Bars stand on the axis without names and reach from `from` to the value; those of several series stand beside each
 * other unless they are stacked. Cells have names on both axes: x and from are their places, y is their value. */
enum drawing_shape { DRAWING_LINE, DRAWING_DOTS, DRAWING_BARS, DRAWING_CELLS };
enum {
    SERIES_PALE = 1,    /* behind all others, without name, marks and words */
    SERIES_UNNAMED = 2, /* not in the legend */
    SERIES_STACKED = 4, /* bars in the place of those before them */
    SERIES_HOLLOW = 8
};
struct drawing_series {
    const char *name, *end; /* end: what stands at a line's end in place of the name, or NULL */
    unsigned colour;        /* 0xRRGGBB */
    enum drawing_shape shape;
    int flags, dash, mark, hatching; /* dash: 0 solid to 5; mark: gnuplot's, 0: by the shape; hatching: 0 solid */
    double width, size;              /* of a line, of marks; of bars: their share of the room; 0: as usual */
    int every;                       /* only every so many points have a mark; 0: all */
    int first, count, record;        /* set here: its points, and the first's record in the CSV */
    size_t said, end_said;           /* the same: its texts */
};

struct drawing_point {
    double x, y;
    double from;      /* where a bar begins; the row of a cell */
    double low, high; /* the ends of an interval; NaN: none */
    size_t says;      /* what it says when it is pointed at; 0: nothing */
    size_t text;      /* drawn beside it, or in its cell (drawing_say); 0: nothing */
    size_t at;        /* the budget that it is of */
    bool framed;      /* a cell that stands out */
};

struct drawing_panel {
    size_t title; /* a text; 0: none */
    struct drawing_axis axis[AXES];
    size_t axis_title[AXES];
    int first, count;           /* series */
    int tick_first, mark_first; /* of the drawing's lists, up to those of the next panel */
    struct box box;             /* set by drawing_write, as what follows */
    struct range range[AXES];
    bool written;  /* the upright axis has ticks and a title: that of the panel left of it is another */
    bool titled;   /* the same: its title stands here */
    bool levelled; /* in a row of panels whose upright axes have level titles */
    int title_lines, title_letters; /* of its title; letters of a line */
    bool continued;                 /* the level axis goes on in the panel below, which has its title */
};
struct drawing_tick {
    int axis;
    double at;
    size_t text;
};
/* A dashed line across the panel, or a band where wide > 0. */
struct drawing_mark {
    int axis;
    double at, wide;
    unsigned colour;
    size_t name; /* in the legend; 0: none */
};

/* Where the legend stands inside a plot: pixels from the figure's lower left corner; columns 0: above the plots. */
struct drawing_inside {
    int columns;
    double left, top;
};

struct drawing {
    int width, tall, across;      /* pixels of the figure and of a plot, panels beside each other; 0: as usual */
    bool ends;                    /* names stand at the ends of lines, not in a legend */
    bool untitled;                /* the title stands elsewhere */
    bool back_first;              /* series were added from the one at the back on; a legend begins with the last */
    bool column;                  /* drawing_write sets it: this is drawn for a column of a paper */
    struct drawing_inside inside; /* the same */
    char caption[1600];
    struct drawing_panel *panels;
    struct drawing_series *series;
    struct drawing_point *points;
    struct drawing_tick *ticks;
    struct drawing_mark *marks;
    int panel_count, series_count, point_count, tick_count, mark_count;
    FILE *texts;
    char *text;
    size_t bytes, used;
    enum st st; /* what went wrong */
    struct err err;
    struct drawing_point none;
};

/* Begins a panel. title: above it, or NULL. */
void drawing_panel(struct drawing *d, const char *title, const struct drawing_axis *x, const struct drawing_axis *y);
/* Names a place of an axis of the last panel; given ticks stand in place of round ones. */
void drawing_tick(struct drawing *d, int axis, double at, const char *text);
/* Draws a line across the last panel at a value of an axis. name: in the legend, or NULL. wide: of a band, 0: a line.
 */
void drawing_mark(struct drawing *d, int axis, double at, double wide, unsigned colour, const char *name);
/* Begins a series of the last panel. One without points is in the legend alone. */
void drawing_series(struct drawing *d, const struct drawing_series *series);
/* The same of bars. */
void drawing_bars(struct drawing *d, const char *name, unsigned colour, int flags);
/* Appends to the caption; what does not fit is cut. */
void drawing_caption(struct drawing *d, const char *format, ...) PRINTF_LIKE(2, 3);
/* Adds a point to the last series, which says the text (format NULL: nothing). Its other members may be set until the
 * next one is added. A bar on the upright axis' names has its value in x. */
struct drawing_point *drawing_point(struct drawing *d, double x, double y, const char *format, ...) PRINTF_LIKE(4, 5);
/* Keeps a text; returns what drawing_said finds it by. */
size_t drawing_say(struct drawing *d, const char *format, ...) PRINTF_LIKE(2, 3);
const char *drawing_said(const struct drawing *d, size_t text);

/* Adds the figure "<slug>-<what>", or without a subject `what`; nothing where no point was added. ST_LIMIT: memory or
 * disk is out. */
enum st drawing_write(struct drawing *d, struct figures *figures, const struct figure_subject *subject,
                      const char *what, const char *title, struct err *err) MUST_USE;
void drawing_release(struct drawing *d); /* frees its lists and texts; {0} is allowed */

#endif
