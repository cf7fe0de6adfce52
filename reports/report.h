/* report.h - from result documents to plots, CSV and one page.
 *
 * Reads results/1 (R.json), plan/1, size/1 and executed/1 documents and nothing else, so a result of any age can be
 * drawn again. The output is a folder with
 *   index.html  one page with everything in it: no script, no network, made for a screen and for A4
 *   plots/      every figure as SVG and PNG, and the gnuplot script that draws it (run it in the folder)
 *   data/       the numbers of each figure as CSV; of a comparison also results.csv with every row
 * Equal inputs give equal bytes with one version of gnuplot. A failure leaves the old folder or nothing.
 */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include <stdbool.h>
#include "base/status.h"

/* Whether report_write could begin, to be asked before long work. ST_INPUT: out_dir cannot be written or holds
 * something else; ST_MISSING: there is no gnuplot. */
enum st report_check(const char *out_dir, struct err *err) MUST_USE;

/* {0}: as usual. */
struct report_options {
    const char *title;             /* heading of the page; NULL or "": its own */
    const char *policies, *labels; /* of comparisons: "hotset,legion" and "hotset=Ours"; NULL: all, by their names */
    double pdf;                    /* figures as PDF, too, so many inches wide; 0: none; -1: as on the page */
    bool quiet;                    /* no progress bar */
};

/* Draws `count` (>= 1) files or plan folders into out_dir: one page, or a page for each kind of document behind a front
 * page. ST_INPUT: a document is not what it must be, or out_dir holds something else; ST_USAGE: the options do not suit
 * the documents; ST_MISSING: there is no gnuplot; ST_LIMIT: more than can be drawn, or memory or disk is out. */
enum st report_write(const char *const *inputs, int count, const char *out_dir, const struct report_options *options,
                     struct err *err) MUST_USE;

#endif
