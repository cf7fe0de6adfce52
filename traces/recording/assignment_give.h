/* assignment_give.h - hands an assignment to the other ranks (base/ranks.h). */
#ifndef TRACES_RECORDING_ASSIGNMENT_GIVE_H
#define TRACES_RECORDING_ASSIGNMENT_GIVE_H

#include "traces/recording/assignment.h"

/* Gives the assignment of rank `from` to all ranks; what the others have in *a is replaced, and they
 * release it. ST_LIMIT when memory is out; ST_MISSING when the exchange fails. */
enum st assignment_give(struct assignment *a, int from, struct err *err) MUST_USE;

#endif
