/* reproduce.h - runs exhibits and states what held: claims/1 and one figure/1 per exhibit.
 *
 * claims/1: schema, seed, simulate_seed, scale, counts{holds, does_not_hold, not_measured}, exhibits[]{name, title,
 * paper, place, caption, differs, figure ("figures/NAME.json" or null), graphs[] (repro_graphs_document),
 * claims[]{statement, test, verdict, ours, reason}}. figure/1: schema, name, title, paper, place, caption,
 * panels[]{kind (lines, bars, matrix), title, x, y, categories[], series[]{name, source (hotset, paper), points[][x,
 * y]}}; null stands for a number that there is not.
 */
#ifndef PLANNER_CLAIMS_REPRODUCE_H
#define PLANNER_CLAIMS_REPRODUCE_H

#include "planner/claims/paper_figure.h"

/* Runs list[0..count) and writes folder/figures/NAME.json and folder/claims.json; both folders exist. say: told
 * before each exhibit. *out: claims/1. */
enum st reproduce_run(struct repro *repro, const struct paper_figure *const *list, int count, const char *folder,
                      const struct call *say, doc **out, struct err *err) MUST_USE;
/* Findings of one exhibit from evidence that is there, as the members of its entry in claims/1. */
doc *reproduce_claims(const struct paper_figure *x, const struct figure_data *data);
/* One line per claim, grouped by paper, and the counts. */
void reproduce_print(const doc *claims, FILE *to);
/* Seconds that the exhibits took at scale 1 on two cores, times the scale. */
double reproduce_estimate(const struct paper_figure *const *list, int count, double factor);

#endif
