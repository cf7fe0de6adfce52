/* gnuplot.h - writing gnuplot scripts and running them.
 *
 * A script draws one figure twice, as SVG and as PNG (and as PDF, where that is asked for), and runs by itself in the
 * folder that holds index.html. Texts from documents only ever stand in single quotes, where gnuplot substitutes
 * nothing; enhanced text is off. Errors of writing are those of the stream.
 */
#ifndef REPORTS_FORMATS_GNUPLOT_H
#define REPORTS_FORMATS_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"

/* How wide a PDF is, in inches. */
#define PDF_NONE 0.0
#define PDF_AS_DRAWN (-1.0)

/* Begins the script of a figure of width x height pixels. Everything up to gnuplot_end is drawn on all terminals.
 * picture: "plots/x" for plots/x.svg and plots/x.png; pdf: PDF_NONE, PDF_AS_DRAWN (also plots/x.pdf, as the SVG), or
 * the inches of plots/x.pdf, which the script then draws alone; script: "plots/x.gp", its own name; data: the file that
 * its comment names. All are our own words. */
void gnuplot_begin(FILE *to, const char *picture, const char *script, double pdf, const char *data, int width,
                   int height);
/* Ends what gnuplot_begin began. */
void gnuplot_end(FILE *to);

/* Writes a member of `set xtics (..)`: 'text' at a position on the axis, with a comma before all but the first. */
void gnuplot_tic(FILE *to, const char *text, double at, bool first);
/* Writes set label 'text' at POSITION OPTIONS. position and options (a printf format) are our own words; the text may
 * be anyone's, and in lines (style_wrap), of which the first stands at the position. */
void gnuplot_label(FILE *to, const char *text, const char *position, const char *options, ...) PRINTF_LIKE(4, 5);

/* Whether gnuplot can be started, to be asked before long work. ST_MISSING: it is not on PATH. */
enum st gnuplot_check(struct err *err) MUST_USE;

/* Runs gnuplot in `folder` on `count` scripts, given by their paths below the folder ("plots/x.gp"),
 * 64 in one process. ST_MISSING: gnuplot is not installed; ST_INPUT: it failed, and the sentence holds
 * what it said; ST_LIMIT: no process or no memory. */
enum st gnuplot_run(const char *folder, const char *const *scripts, int count, struct err *err) MUST_USE;

#endif
