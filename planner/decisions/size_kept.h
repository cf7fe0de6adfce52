/* size_kept.h - the finished curves of a size question, in the folder beside its output (planner/options/resume.h): an
 * interrupted run continues from them, and gives the bytes of one that was not interrupted. What is kept of a curve is
 * its row of a part (size_part.h).
 */
#ifndef PLANNER_DECISIONS_SIZE_KEPT_H
#define PLANNER_DECISIONS_SIZE_KEPT_H

#include "base/checkpoint.h"
#include "planner/decisions/size.h"
#include "planner/options/resume.h"

/* Where curves are kept; a zeroed one keeps none. */
struct size_kept {
    const struct checkpoint *checkpoint; /* borrowed; NULL or without a folder: nothing is kept, nothing is there */
    const char *name;                    /* begins the names of these curves: "curve" */
};

/* Opens the folder beside the output of a single process (resume_open), which resume_close closes. out NULL: none. */
enum st size_kept_open(const struct call *call, const struct resume_args *a, const char *out, const struct graph *g,
                       const doc *inputs, struct checkpoint *s, struct err *err) MUST_USE;
/* Fills the curves that an earlier run finished, which size_curve_begin began. done: [count], set for those. ST_INPUT
 * for what is kept but none of these curves. */
enum st size_kept_take(const struct size_kept *k, const struct size_question *q, struct size_curve *curves, int count,
                       bool *done, struct err *err) MUST_USE;
/* Keeps a curve that was run; an interrupt says from then on how to continue. Of several threads one at a time.
 * ST_LIMIT without disk or memory. */
enum st size_kept_add(const struct size_kept *k, const struct call *call, int number, const struct size_curve *c,
                      struct err *err) MUST_USE;

#endif
