/* epoch_interval.h - how far the predicted seconds of one epoch may be off: as measured stages and epochs were
 * (size_error.h), for every stage at once, as in the intervals of hotset size.
 *
 * Differences between plans of one server are surer than that, because most of it is off in both (ties.h).
 */
#ifndef PLANNER_DECISIONS_EPOCH_INTERVAL_H
#define PLANNER_DECISIONS_EPOCH_INTERVAL_H

#include "hwprofiles/model/server.h"
#include "planner/decisions/size_error.h"
#include "simulator/movement/epoch_document.h"

struct epoch_interval {
    double low, high; /* seconds; 90 % of measured points are between them; 0: not known */
    bool shorter;     /* an iteration takes less than any that was measured: the interval may be wrong */
};
/* Puts `interval`, [low, high], and `shorter_than_measured` into a document of epoch_time_document. Nothing where the
 * seconds are not known, or were calibrated by points of one's own, whose error is stated. errors: of the shipped
 * cases. */
struct epoch_interval epoch_interval_put(doc *time, const struct epoch_timed *t, const struct server *s,
                                         const struct size_errors *errors);
/* What epochs as that one are off by; t: NULL: not known, and nothing is found. Errors of size_errors_make. */
enum st epoch_errors_make(const struct epoch_timed *t, struct size_errors *out, struct err *err) MUST_USE;
/* The same of one document `simulated`, with the errors of the shipped cases. t, s: NULL where they are not known.
 * Errors of size_errors_make. */
enum st epoch_interval_state(doc *simulated, const struct epoch_timed *t, const struct server *s,
                             struct epoch_interval *out, struct err *err) MUST_USE;

#endif
