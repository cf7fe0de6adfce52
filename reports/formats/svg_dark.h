/* svg_dark.h - a figure that follows the reader's colour scheme.
 *
 * Gnuplot draws for white paper. A style sheet inside of the SVG replaces its colours on dark screens (the media
 * feature prefers-color-scheme); paper stays light.
 */
#ifndef REPORTS_FORMATS_SVG_DARK_H
#define REPORTS_FORMATS_SVG_DARK_H

#include "base/status.h"

/* Puts the style sheet into the SVG file at `path`, which gnuplot wrote. A file without <svg is left as it is, and so
 * is one that has the sheet already. ST_INPUT: the file cannot be read; ST_LIMIT: it cannot be written, or memory is
 * out.
 */
enum st svg_dark(const char *path, struct err *err) MUST_USE;

#endif
