/* claims_page.h - the page of reproduced claims (claims/1) and the pictures of its figures (figure/1).
 *
 * Reads folder/claims.json and the figure/1 files that it names, and writes next to them: figures/NAME.gp, .svg, .png
 * and .csv, and index.html, which has every picture in it and needs no network. figure/1 and claims/1 are described
 * in planner/claims/reproduce.h. Equal documents give equal bytes with one version of gnuplot.
 */
#ifndef REPORTS_CLAIMS_CLAIMS_PAGE_H
#define REPORTS_CLAIMS_CLAIMS_PAGE_H

#include <stdbool.h>

#include "base/status.h"

/* Draws the page of a folder that holds claims.json and the folder figures; pdf: figures as PDF, too. Where it fails,
 * the folder keeps what was written so far. ST_INPUT: a document is not what it must be; ST_MISSING: there is no
 * gnuplot; ST_LIMIT: more than can be drawn, or memory or disk is out. */
enum st claims_report(const char *folder, bool pdf, struct err *err) MUST_USE;

#endif
