/* claims_figure.h - a figure/1 document as a drawing: a figure of a paper, as panels of lines, bars or a matrix. */
#ifndef REPORTS_CLAIMS_CLAIMS_FIGURE_H
#define REPORTS_CLAIMS_CLAIMS_FIGURE_H

#include "base/doc.h"
#include "reports/figures/drawing.h"

/* Reads and checks a figure/1 document, whose name and title are borrowed from *document. document, out: NULL and
 * zeroed by the caller, who releases both also after a failure. ST_INPUT with file and member: it is not what it must
 * be. */
enum st claims_figure_load(const char *path, doc **document, struct drawing *out, struct err *err) MUST_USE;

#endif
