/* study_together.h - work on the cells of a study side by side. */
#ifndef PLANNER_ENGINE_STUDY_TOGETHER_H
#define PLANNER_ENGINE_STUDY_TOGETHER_H

#include "planner/engine/study_recording.h"

/* Work on number i with so many threads; what it writes is its own. */
typedef enum st study_work(const struct study *s, void *of, int i, int threads, struct err *err);

/* Does the work on 0..count-1, a thread each; a single one has all threads. long_first: number 0 takes longer than a
 * fair share, so that it goes on beside the others, whose threads are its own when they are done. The error of the
 * lowest number, whichever thread was quicker; the others are done nevertheless. Counts each in s->o.told. */
enum st study_together(const struct study *s, int count, bool long_first, study_work *work, void *of, struct err *err)
    MUST_USE;
/* Tells s->o.told what an epoch with the cell's cache is expected to take; NaN: that is not known. From any thread. */
void study_expects(const struct study *s, const struct study_cell *cell, double seconds);

#endif
