/* size_notes.h - what one should know before signing: what else was tried and why, what "surely" is about, how close
 * the choice is, and what has no price. */
#ifndef PLANNER_DECISIONS_SIZE_NOTES_H
#define PLANNER_DECISIONS_SIZE_NOTES_H

#include "planner/decisions/size_sentence.h"

/* The notes to the answer, a text each, in the order in which they are read. The caller frees the array. */
doc *size_notes(const struct size_result *r);
/* "no price: a, b, not ranked by money, which chose among c; ..": what fits, may meet and has no price; "" for none.
 * Returns out. */
const char *size_note_unpriced(const struct size_result *r, char out[SIZE_SENTENCE]);

/* Whether a note may change what is bought, so that it is printed unasked; others explain words. */
bool size_note_matters(const char *note);

#endif
