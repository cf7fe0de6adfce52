/* html.h - HTML that nothing from a document can break out of.
 *
 * Every text that is not ours goes through html_text. A page refers to nothing outside itself: the style sheet, the
 * figures and one script (page_script.h), which its policy knows by its hash, are part of it. Errors of writing are
 * those of the stream; out_file_close tells them.
 */
#ifndef REPORTS_FORMATS_HTML_H
#define REPORTS_FORMATS_HTML_H

#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"

/* Writes text for element content and quoted attributes: & < > " ' are escaped, control characters become blanks, and
 * what is longer than 2000 bytes is cut. text: not NULL. */
void html_text(FILE *to, const char *text);
/* Writes `open`, the text, `close`. open and close are our own HTML ("<h2>", "</h2>\n") and are written as they are. In
 * content (open does not end, close does not begin with a quote, and it is no title) names of options do not break. */
void html_element(FILE *to, const char *open, const char *text, const char *close);

/* Writes the head with the style sheet, up to the begin of <main>. title: any text. */
void html_begin(FILE *to, const char *title);
/* Writes the script and ends what html_begin began. */
void html_end(FILE *to);

/* A column of a table: its name, and in smaller type below it what the numbers are of, or NULL. left: aligned to the
 * left, for words. */
struct html_column {
    const char *name, *unit;
    bool left;
};

/* Begins a table with a head and a body. caption: any text, or NULL. columns: ended by a member without a name. */
void html_table_begin(FILE *to, const char *caption, const struct html_column *columns);
/* Writes the head alone, for a table that the caller began and whose bodies it writes. columns: as above. */
void html_table_head(FILE *to, const struct html_column *columns);
/* Ends the body and the table. */
void html_table_end(FILE *to);
/* Writes one cell: <td>text</td>. */
void html_cell(FILE *to, const char *text);
/* Writes a small square of a colour (0xRRGGBB), which a name follows; on dark screens its counterpart. */
void html_key(FILE *to, unsigned colour);

/* Copies the SVG file at `path` into the page, without its prolog and title. Its ids get the prefix "f<index>-", so
 * that figures of one page need different indexes. label: the figure's title, which a screen reader says and the copy
 * drops. ST_INPUT: the file cannot be read or holds no SVG. */
enum st html_svg(FILE *to, const char *path, int index, const char *label, struct err *err) MUST_USE;

#endif
