/* gnuplot.h - writing gnuplot scripts and running them.
 *
 * A script draws one figure twice, as SVG and as PNG, and runs by itself in the folder that holds index.html. Texts
 * from documents only ever stand in single quotes, where gnuplot substitutes nothing; enhanced text is off.
 */
#ifndef REPORTS_FORMATS_GNUPLOT_H
#define REPORTS_FORMATS_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"

enum { GNUPLOT_FONT = 13, GNUPLOT_RUN_MAX = 64 }; /* pixels; scripts of one call */

/* Opens the script of figure `name` (a slug) of width x height pixels; everything up to gnuplot_end is drawn on both
 * terminals. */
void gnuplot_begin(FILE *to, const char *name, int width, int height);
/* The same for pictures elsewhere: picture "figures/x" becomes figures/x.svg and .png; data: the file that the
 * comment names. Both are ours. */
void gnuplot_begin_at(FILE *to, const char *picture, const char *data, int width, int height);
void gnuplot_end(FILE *to);

/* 'text' as a gnuplot literal. */
void gnuplot_quote(FILE *to, const char *text);
/* A member of `set xtics (..)`: 'text' at a position. */
void gnuplot_tic(FILE *to, const char *text, double at, bool first);
/* set label TEXT at POSITION OPTIONS: position and options are ours, text may be anyone's. */
void gnuplot_label(FILE *to, const char *text, const char *position, const char *options, ...) PRINTF_LIKE(4, 5);

/* Runs gnuplot in `folder` on plots/<name>.gp of each name. ST_MISSING: it is not installed; ST_INPUT: it failed,
 * with what it said. */
enum st gnuplot_run(const char *folder, const char *const *names, int count, struct err *err) MUST_USE;
/* The same with the scripts' paths below `folder`. */
enum st gnuplot_run_at(const char *folder, const char *const *scripts, int count, struct err *err) MUST_USE;

#endif
