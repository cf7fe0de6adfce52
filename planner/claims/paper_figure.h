/* paper_figure.h - a figure or table of a paper: one file in claims/ with one descriptor (a const struct)
 * `paper_figure_<file>`, listed by the Makefile.
 *
 * `measure` fills repro->data by simulation on stand-ins or real graphs; `judge` turns the data into one finding per
 * claim. Thresholds stand in the claim's `test`, for people, and in `judge`; they follow from the paper's words and are
 * not moved to make a claim hold. To add a figure, copy the nearest file in claims/.
 */
#ifndef PLANNER_CLAIMS_PAPER_FIGURE_H
#define PLANNER_CLAIMS_PAPER_FIGURE_H

#include "planner/claims/repro_context.h"

enum { CLAIMS_MAX = 6 };

struct claim {
    const char *statement; /* of the paper, in our words, with its number */
    const char *test;      /* what is checked here, with its tolerance */
    const char *why;       /* why this tolerance */
    const char *quote; /* the paper's own sentence or a part of it, word for word; NULL: it is published as numbers */
    const char *again; /* a command line that shows why it does not hold here, and what it shows; or NULL */
};

struct paper_figure {
    const char *name;                   /* "legion-fig2" */
    const char *title;                  /* what it shows */
    const char *paper, *place;          /* "Legion (ATC'23)", "figure 2, section 3.1" */
    const char *caption;                /* how to read the figure */
    const char *differs;                /* what differs from the paper's set-up apart from graph and scale */
    const char *missing;                /* measure is NULL: why, as a sentence; the claims are then not measured */
    double seconds;                     /* of one processor, measured at --scale 1: for the estimate before a run */
    struct claim claim[CLAIMS_MAX + 1]; /* those without a statement end the list */
    enum st (*measure)(struct repro *repro, struct err *err);
    void (*judge)(const struct figure_data *data, struct finding *f); /* f: [claims], zeroed */
};

extern const struct paper_figure *const paper_figures_registered[]; /* NULL-ended */

/* How many claims the figure has. */
int paper_figure_claims(const struct paper_figure *x);
/* *out: the registered figure of that name. ST_USAGE with a did-you-mean. */
enum st paper_figure_find(const char *name, const struct paper_figure **out, struct err *err) MUST_USE;

#endif
