/* paper_figure.h - a figure or table of a paper: one file figures/NAME.json, read into the binary by the Makefile.
 *
 *   title, paper, place, caption, differs   what it shows, where it stands, how to read it, what differs from the paper
 *   missing           instead of all below: why it is not measured, as a sentence
 *   seconds           of one processor, measured at --scale 1: for the estimate before a run
 *   run, with, for, cells, panels, points, paper, group   what is measured and drawn (measure.h)
 *   let               names for expressions (expression.h), in what is drawn and in the claims
 *   claims[]          statement (of the paper, in our words, with its number), test (what is checked here, with its
 *                     tolerance), why (this tolerance), quote (the paper's own sentence or a part of it, word for word;
 *                     none: it is published as numbers), again (a command line that shows why it does not hold here,
 * and what it shows); needs (numbers without which it is not measured), missing (what is said then); holds (an
 * expression); ours, because, of words: [format, numbers]. The latter stands where it does not hold, if a third
 * expression is true.
 *
 * Thresholds follow from the paper's words and are not moved to make a claim hold.
 */
#ifndef PLANNER_CLAIMS_PAPER_FIGURE_H
#define PLANNER_CLAIMS_PAPER_FIGURE_H

#include "planner/claims/figure_data.h"

enum { CLAIMS_MAX = 6, PAPER_FIGURES_MAX = 128 };

struct paper_figure {
    const char *name, *title, *paper, *place, *missing; /* missing: NULL where it is measured */
    double seconds;
    int claims;
    const doc *claim[CLAIMS_MAX];
    doc *document; /* owned: what the file says */
};

/* A file as it ships. */
struct paper_figure_file {
    const char *name, *text;
};
extern const struct paper_figure_file paper_figure_files[]; /* ends with a NULL name */

struct paper_figures {
    int count;
    struct paper_figure figure[PAPER_FIGURES_MAX];
};

/* *out: all that ship, by name; the caller frees it. ST_LIMIT without memory. */
enum st paper_figures_open(struct paper_figures **out, struct err *err) MUST_USE;
/* Reads one. out: zeroed by the caller, who frees out->document also after a failure. ST_INPUT: it is not what it must
 * be. Both texts are borrowed. */
enum st paper_figure_parse(const char *name, const char *text, struct paper_figure *out, struct err *err) MUST_USE;
/* NULL is allowed. */
void paper_figures_free(struct paper_figures *all);
/* *out: the one of that name. ST_USAGE with a did-you-mean. */
enum st paper_figure_find(const struct paper_figures *all, const char *name, const struct paper_figure **out,
                          struct err *err) MUST_USE;
/* One finding per claim from the data and nothing else. f: [claims], zeroed. ST_INPUT for an expression that cannot be
 * read. */
enum st paper_figure_judge(const struct paper_figure *x, const struct figure_data *data, struct finding *f,
                           struct err *err) MUST_USE;
/* Copies those members, or null where there are none; keys: NULL-ended. */
void paper_figure_put(doc *to, const doc *from, const char *const *keys);

#endif
