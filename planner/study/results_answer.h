/* results_answer.h - what a comparison says first: a sentence, and which rows of a group answer the question.
 *
 * A group is the rows of one server and budget of results/1, the best first (fewest transactions, or least time of
 * reads where memories below the GPUs are planned).
 */
#ifndef PLANNER_STUDY_RESULTS_ANSWER_H
#define PLANNER_STUDY_RESULTS_ANSWER_H

#include "base/doc.h"
#include "base/terminal.h"

enum { ANSWER_ROWS = 7, ANSWER_SENTENCE = 800 };

/* What rows are ranked by: seconds of reads with memories, else transactions of the simulation, or of the prediction;
 * infinite without a result. */
double results_rank(const doc *row);

/* A line about hotset and the best other system that reads no farther, and one per other reach at which hotset was
 * planned, with what that reach is worth: into out, without the last line's end. "" when the group has no hotset or
 * nothing to compare it with. */
void results_sentence(const doc *const *order, uint64_t count, char out[ANSWER_SENTENCE]);

/* Rows for at most ANSWER_ROWS lines: hotset at its reaches, the best other of each reach, the references (oracle,
 * exact), nothing cached, and the best of the rest. order: compacted, in the same order. Returns how many are left. */
uint64_t results_choose(const doc **order, uint64_t count);

/* "exact = hotset": the policies of rows [at, at + n) that left the same, without their reach; n >= 1 is returned. */
uint64_t results_merged(const doc *const *order, uint64_t count, uint64_t at, char *out, size_t size);

#endif
