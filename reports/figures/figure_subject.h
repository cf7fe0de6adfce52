/* figure_subject.h - what a figure is of: a graph on a server. Its title names both, and its files begin with its slug.
 */
#ifndef REPORTS_FIGURES_FIGURE_SUBJECT_H
#define REPORTS_FIGURES_FIGURE_SUBJECT_H

#include "reports/formats/style.h"

struct figure_subject {
    const char *graph, *server;    /* any text; borrowed; server "": the figure is of the graph alone */
    char slug[2 * STYLE_TEXT + 8]; /* begins file names: a-z, 0-9 and dashes */
};

/* The subject with the slug "<graph>-<second>"; second: what tells figures of one graph apart (the server, the policy).
 * graph and server are borrowed. */
struct figure_subject figure_subject_make(const char *graph, const char *server, const char *second);
/* Puts "<number>-" before the slug: several documents of one page may be of the same graph and server. */
void figure_subject_number(struct figure_subject *subject, int number);

#endif
