/* plan_places_diff.h - the rows that change in the memories below the GPUs when one plan replaces another. */
#ifndef SIMULATOR_PLAN_PLAN_PLACES_DIFF_H
#define SIMULATOR_PLAN_PLAN_PLACES_DIFF_H

#include "base/doc.h"

/* [{name, topology{before, after, kept}, feature{..}}], rows by the name of a place that either plan states; none where
 * both state none. d: plan.json of the folders. *out: the caller's. ST_INPUT for lists that cannot be read. */
enum st plan_places_diff(const char *const folder[2], const doc *const d[2], doc **out, struct err *err) MUST_USE;

#endif
