/* results_answer.h - what a comparison says first: a sentence, and which rows of a group answer the question.
 *
 * A group is the rows of one server and budget of results/1, the best first (fewest transactions, or least time of
 * reads where memories below the GPUs are planned).
 */
#ifndef PLANNER_STUDY_RESULTS_ANSWER_H
#define PLANNER_STUDY_RESULTS_ANSWER_H

#include "base/doc.h"
#include "base/terminal.h"

enum { ANSWER_ROWS = 7, ANSWER_SENTENCE = 400 };

/* What rows are ranked by: seconds of reads with memories, else transactions of the simulation, or of the prediction;
 * infinite without a result. */
double results_rank(const doc *row);

/* One sentence about hotset and the best other system that reads no farther: into out. "" when the group lacks one of
 * them. */
void results_sentence(const doc *const *order, uint64_t count, char out[ANSWER_SENTENCE]);

/* At most ANSWER_ROWS rows: hotset, the references (oracle, exact), the best systems of papers, and nothing cached.
 * order: compacted, in the same order. Returns how many are left. */
uint64_t results_choose(const doc **order, uint64_t count);

/* "exact = hotset": the policies of rows [at, at + n) that left the same; n >= 1 is returned. */
uint64_t results_merged(const doc *const *order, uint64_t count, uint64_t at, char *out, size_t size);

#endif
