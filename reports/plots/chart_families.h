/* chart_families.h - more lines than one panel can name: small panels on one scale, one per family of policies, each
 * with the other families' lines in pale grey behind its own. */
#ifndef REPORTS_PLOTS_CHART_FAMILIES_H
#define REPORTS_PLOTS_CHART_FAMILIES_H

#include "reports/plots/chart_data.h"

/* Pixels that the figure needs. Changes c->hidden. */
int chart_families_height(struct chart *c);
/* Draws the panels on a figure of `width` pixels and the height that chart_families_height says. Changes c->hidden.
 * ST_LIMIT: memory is out. */
enum st chart_families(struct chart *c, int width, struct err *err) MUST_USE;

#endif
