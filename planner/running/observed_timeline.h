/* observed_timeline.h - the mean mini-batch of a running job over time, beside the model's. */
#ifndef PLANNER_RUNNING_OBSERVED_TIMELINE_H
#define PLANNER_RUNNING_OBSERVED_TIMELINE_H

#include "planner/running/observed.h"

/* Writes it (timeline_executed.h). *about: owned by the caller. ST_NO when the job stated no seconds. */
enum st observed_timeline(const struct observed *o, const struct plan *p, const doc *time, const char *path,
                          doc **about, struct err *err) MUST_USE;

#endif
