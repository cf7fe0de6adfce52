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
#include "base/units.h"

/* Rows of the short table, and beside one of results_accesses. */
enum { ANSWER_ROWS = 8, ANSWER_ROWS_BESIDE = 5, ANSWER_SENTENCE = 2000 };

/* Sorts a group: the shortest epoch first, rows without one behind them; among equals the least time of reads where
 * memories below the GPUs are planned, else the fewest transactions, then by name. Rows without a result are last. */
void results_sort(const doc **rows, uint64_t count);

/* Bytes of a policy's name without the reach that compare adds to the default policy, "hotset --reach forward". */
int results_bare(const char *policy);

/* Whether two rows are of one graph, server and budget. */
bool results_same_group(const doc *a, const doc *b);

/* Seconds of a row's epoch, to six digits; infinite where they are not known. */
double results_seconds(const doc *row);
/* What rows are ranked by where no epoch is known: seconds of reads with memories below GPUs, else transactions. */
double results_reads(const doc *row);
/* Whether its policy is of this project; whether GPUs of it hold more than the budget, those that only sample. */
bool results_ours(const doc *row);
bool results_more_memory(const doc *row);
/* The first row that can be had: it did not see the judged epochs, and its GPUs hold what the budget says; of equals
 * hotset. NULL: there is none. */
const doc *results_best(const doc *const *order, uint64_t count);

/* What is to be known of a row beside its numbers: "ours", "tie" (with the best), "more memory", or some of them; "".
 */
const char *results_note(const doc *row, const doc *best);

/* The answer, a line each: which policy has the shortest epoch, against the best other (where the best is not ours,
 * against the best of ours); by how much it needs fewer reads, and how sure that is; what binds its epoch. Then a line
 * per better row that holds more than the budget: into out, without the last line's end. whole: also how much of
 * hotset's lead is who trains what. "" when no row has a result. */
void results_sentence(const doc *const *order, uint64_t count, bool whole, char out[ANSWER_SENTENCE]);

/* hotset at each peer access at which it was planned, and the best other system that reads no farther. Returns the
 * number of lines; 0 where the answer says as much. */
enum { RESULTS_ACCESSES = 4 };
struct results_access {
    const char *reads; /* "own memory" */
    const doc *own, *rival;
};
uint64_t results_accesses(const doc *const *order, uint64_t count, struct results_access out[RESULTS_ACCESSES]);

/* Such a line as terminals and pages show it: the epoch of each, else what it reads, and by how much hotset's time and
 * reads differ from the rival's; "-" where a number is not known. */
struct results_access_text {
    const char *policy; /* the rival; of its row */
    char own[UNIT_TEXT], rival[UNIT_TEXT], time[UNIT_TEXT], reads[UNIT_TEXT];
};
void results_access_text(const struct results_access *line, struct results_access_text *out);

/* By which share hotset's epochs are shorter (*seconds), or it leaves less, than the best other system that reads no
 * farther, as the sentence says it; below 0: longer, more. NaN where one is missing, or the other leaves nothing. */
double results_ahead(const doc *const *order, uint64_t count, bool *seconds);

/* Rows for at most `most` lines: hotset and those that the answer names, the best other of each
 * reach, hotset at other reaches, nothing cached, the references (oracle, exact), and the best of the rest. order:
 * compacted, in the same order. Returns how many are left. */
uint64_t results_choose(const doc **order, uint64_t count, uint64_t most);

/* How equals are named: "hotset = exact", the one that stands for them first (the default, else the first that is no
 * reference), the others as given. name: [count] policies, count >= 1. access: with the peer access of the
 * first, as readers see it. Returns the
 * place of the first. */
uint64_t results_names(const char *const *name, uint64_t count, bool access, char *out, size_t size);

/* The names of rows [at, at + n) that left the same, without their reach, into out; n >= 1 is returned. *stands: the
 * row that stands for them. */
uint64_t results_merged(const doc *const *order, uint64_t count, uint64_t at, const doc **stands, char *out,
                        size_t size);

/* Puts the member `sentence` into a results/1 document: the sentences of all its groups; where there are several, each
 * begins with its graph, server and budget. Left out where no group has one. */
void results_say(doc *results);

/* Appends "; its epoch may take 1.9 ms to 5.7 ms (90 %)" to out[size]; nothing where a row's `epoch_time` states no
 * interval. */
void results_interval_say(const doc *time, char *out, size_t size);

#endif
