/* paper_figure.h - a figure or table of a paper: one file figures/NAME.json, read into the binary by the Makefile.
 *
 *   title, paper, place, caption, differs   what it shows, where it stands, how to read it, what differs from the paper
 *   missing   instead of all that follows: why it is not measured, as a sentence
 *   seconds   of one processor, measured at --scale 1: for the estimate before a run
 *   with      keys of every row: set, train_share, batch, fanout, frontier, presample_epochs, hidden, classes, model,
 *             reserve, prefetch, unoverlapped, cpu_share (as on the command line), element_bytes (of a stand-in's
 *             features), full_size (epoch times are the published graph's), biased (neighbours by weights, random ones
 *             where the graph has none), server, scaled_memory (as small as the graph), gpus_without_nvlink (so many);
 *             policy (of `hotset list policies` or baseline_find), budget ("5%V"; behind = an expression), options
 *             (expressions), hotness; any others are for expressions
 *   for       axes: each a list of objects whose keys are added, or {"key": [values]}. The product is run, last axis
 *             fastest
 *   cells     axes likewise: rows that are run together, on one graph and server; a key `cells` in `for` goes before
 *   group     rows that of(i, ..) counts in; default: the cells
 *   panels    [kind (lines, bars, matrix), title, x, y, names of series (optional: their order)]
 *   points    [panel, series, x, y, when (optional)], for every row. Panel, y, when and, in lines, x are expressions
 *             (expression.h); x, else names of categories, and y are one or as many. {"each": axes, "point": ..}: with
 *             further keys. In texts, {key} is the row's. Besides, a row has graph {n, m, scale, row_bytes,
 *             feature_dim, given} and what the run finds
 *   paper_points   likewise, numbers that the paper states; what is stated twice counts once
 *   let       names for expressions, here and in the claims
 *   claims    of each: statement (of the paper, in our words, with its number), test (what is checked here, with its
 *             tolerance), why (this tolerance), quote (the paper's own sentence or a part of it, word for word; none:
 *             it is published as numbers), again (a command line that shows why it does not hold here, and what it
 *             shows); needs (numbers without which it is not measured), missing (what is said then); holds (an
 *             expression); ours and because (said where it does not hold): [words, numbers, when (because)]
 *
 * Thresholds follow from the paper's words and are not moved to make a claim hold.
 */
#ifndef PLANNER_CLAIMS_PAPER_FIGURE_H
#define PLANNER_CLAIMS_PAPER_FIGURE_H

#include <stdbool.h>

#include "planner/claims/expression.h"

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
struct repro;
/* *out: the member `panels` of a figure/1 document; a point whose y is null was asked for and has no number. The caller
 * frees it. Errors of making graphs, recording and planning; ST_INPUT for a file that is not what it must be. */
enum st paper_figure_measure(const struct paper_figure *f, struct repro *repro, doc **out, struct err *err) MUST_USE;
/* panels: of the first of `count` seeds; its points become the medians over each[0..count), with their ranges where
 * count > 1. A point that any seed has no number for has none. */
void paper_figure_merge(const doc *const *each, int count, doc *panels);

enum verdict { VERDICT_NOT_MEASURED, VERDICT_HOLDS, VERDICT_FAILS, VERDICT_HOLDS_GIVEN, VERDICTS };
struct finding {
    enum verdict verdict;
    int holds, seeds; /* with how many of how many seeds it holds */
    char ours[1200];  /* our numbers, in words */
    char reason[900]; /* why it was not measured, or, where that was measured, what differs; else "" */
};
/* One finding per claim from the data of `seeds` seeds and nothing else: it holds when it holds with more than half of
 * them, and is not measured where any lacks a number. f: [claims], zeroed. ST_INPUT for an expression that cannot be
 * read. */
enum st paper_figure_judge(const struct paper_figure *figure, const doc *const *panels, int seeds, struct finding *f,
                           struct err *err) MUST_USE;
/* Changes what was found on a given graph where the stand-in says otherwise: VERDICT_HOLDS becomes VERDICT_HOLDS_GIVEN,
 * and the reason tells what the stand-in gives. */
void paper_figure_compare(struct finding *given, const struct finding *stand_in);
/* Copies those members, or null where there are none; keys: NULL-ended. */
void paper_figure_put(doc *to, const doc *from, const char *const *keys);

#endif
