/* results_answer.h - what a comparison says first: a sentence, and which rows of a group answer the question. The
 * terminal, the page and the document's member `sentence` all have it from here.
 *
 * A group is the rows of one graph, server and budget of results/1, in the order of results_sort. Rows are borrowed.
 */
#ifndef REPORTS_RESULTS_RESULTS_ANSWER_H
#define REPORTS_RESULTS_RESULTS_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/doc.h"

enum { ANSWER_ROWS = 7, ANSWER_SENTENCE = 1200 };

/* Sorts a group: the best first (least time of reads where memories below the GPUs are planned, else fewest
 * transactions), equals by name, rows without a result last. */
void results_sort(const doc **rows, uint64_t count);

/* Bytes of a policy's name without the reach that compare adds to the default policy, "hotset --reach forward". */
int results_bare(const char *policy);

/* Whether two rows are of one graph, server and budget. */
bool results_same_group(const doc *a, const doc *b);

/* A line about hotset and the best other system that reads no farther, and one per other reach at which hotset was
 * planned, with what that reach is worth: into out, without the last line's end. "" when the group has no hotset or
 * nothing to compare it with. */
void results_sentence(const doc *const *order, uint64_t count, char out[ANSWER_SENTENCE]);

/* By which share hotset leaves less than the best other system that reads no farther, as the sentence says it; below 0:
 * more. NaN where one is missing, or the other leaves nothing. */
double results_ahead(const doc *const *order, uint64_t count);

/* Rows for at most ANSWER_ROWS lines: hotset at its reaches, the best other of each reach, the references (oracle,
 * exact), nothing cached, and the best of the rest. order: compacted, in the same order. Returns how many are left. */
uint64_t results_choose(const doc **order, uint64_t count);

/* How equals are named: "hotset = exact", the one that stands for them first (the default, else the first that is no
 * reference), the others as given. name: [count] policies, count >= 1. reach: with the reach of the first. Returns the
 * place of the first. */
uint64_t results_names(const char *const *name, uint64_t count, bool reach, char *out, size_t size);

/* The names of rows [at, at + n) that left the same, without their reach, into out; n >= 1 is returned. *stands: the
 * row that stands for them. */
uint64_t results_merged(const doc *const *order, uint64_t count, uint64_t at, const doc **stands, char *out,
                        size_t size);

/* Puts the member `sentence` into a results/1 document: the sentences of all its groups; where there are several, each
 * begins with its graph, server and budget. Left out where no group has one. */
void results_say(doc *results);

#endif
