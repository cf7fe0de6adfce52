/* html.h - writing HTML that nothing from a document can break out of. Errors are those of the stream. */
#ifndef REPORTS_FORMATS_HTML_H
#define REPORTS_FORMATS_HTML_H

#include <stdio.h>
#include "base/status.h"

/* Text for element content and quoted attributes: & < > " ' are escaped, controls become blanks, at most 2000 bytes. */
void html_text(FILE *to, const char *text);
/* The head up to <body>, with the style sheet. */
void html_begin(FILE *to, const char *title);
void html_end(FILE *to);
/* Copies the SVG at `path` into the page: without its prolog and title, ids made unique by `index`. label: what a
 * screen reader says. */
enum st html_svg(FILE *to, const char *path, int index, const char *label, struct err *err) MUST_USE;

#endif
