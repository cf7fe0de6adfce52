/* size_holds.h - when a choice of servers holds: in which share of what is not known it is the best, and where it
 * turns.
 *
 * A seeded Monte Carlo over the inputs of what-if (what_if_size.h) whose range is known: each is drawn as a lognormal
 * factor whose 90 % interval is the input's, independent of the others; what one input states for several servers (a
 * model of GPU, a drive) moves them together. In every draw the option is taken that size would take at these times:
 * the first within 1 % of the least of the objective among those that meet the targets. A draw's number decides its
 * random bits, so that the result is the same on any thread count. What was chosen and not measured (training share,
 * price), hit rates and what a stand-in is off are not moved.
 */
#ifndef PLANNER_DECISIONS_SIZE_HOLDS_H
#define PLANNER_DECISIONS_SIZE_HOLDS_H

#include "planner/decisions/what_if_size.h"

enum { SIZE_HOLDS_DRAWS = 4000 };
/* A choice whose server is the best in a smaller share is a tie. */
#define SIZE_HOLDS_TIE 0.75

/* {draws, seed, shares[{name, share}], turns[], sentence, left_out}, of a document that was read; null where fewer than
 * two options have times, or none is the answer. `moved`: what what_if_run made of it. The caller frees it. */
enum st size_holds(const struct what_if_sizes *s, const doc *moved, uint64_t seed, doc **out, struct err *err) MUST_USE;
/* Adds it to the decision of a size/1 document, as "holds"; what_if: also what `hotset what-if` tells of the document,
 * as "what_if", null where no option has a time. */
enum st size_holds_put(doc *document, const struct size_errors *errors, uint64_t seed, bool what_if, struct err *err)
    MUST_USE;

#endif
