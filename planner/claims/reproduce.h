/* reproduce.h - measures figures of the papers and states which claims hold: claims/1, and one figure/1 per figure.
 *
 * claims/1: schema, seed, simulate_seed (of the first seed), seeds (how many), scale, counts{holds,
 * holds_on_given_graph, does_not_hold, not_measured}, exhibits[]{name, title, paper, place, caption, differs, figure
 * ("figures/NAME.json" or null), graphs[] (repro_graphs_document), claims[]{quote (the paper's words), statement, test,
 * why (this tolerance), verdict, seeds{holds, of}, ours, reason, again (a command that shows why it does not hold)}}.
 * figure/1: schema, name, title, paper, place, caption, panels[]{kind (lines, bars, matrix), title, x, y, categories[],
 * series[]{name, source (hotset, paper), points[][x, y], ranges[][low, high] (over the seeds; empty for one seed)}};
 * null stands for a missing number. A figure that used given graphs (--graph) is of those; its claims are judged on the
 * stand-ins, too, and a verdict that differs says so.
 */
#ifndef PLANNER_CLAIMS_REPRODUCE_H
#define PLANNER_CLAIMS_REPRODUCE_H

#include "planner/claims/paper_figure.h"
#include "planner/claims/repro_context.h"

/* Runs list[0..count), count <= PAPER_FIGURES_MAX, on two threads or more several at a time, and writes
 * folder/figures/NAME.json and folder/claims.json; both folders exist. say: whose stderr announces each figure. *out:
 * claims/1, owned by the caller. Errors of recording, planning and writing. */
enum st reproduce_run(struct repro *repro, const struct paper_figure *const *list, int count, const char *folder,
                      const struct call *say, doc **out, struct err *err) MUST_USE;
/* One line per claim, grouped by paper, and the counts. claims: a document claims/1. */
void reproduce_print(const doc *claims, FILE *to);
/* Seconds that the figures take on two cores, which share them, from those that they took at scale 1, times the scale.
 */
double reproduce_estimate(const struct paper_figure *const *list, int count, double factor);

#endif
