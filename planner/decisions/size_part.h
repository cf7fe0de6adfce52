/* size_part.h - the curves of a size question as cells of a Slurm array (planner/options/job_array.h).
 *
 * A row of a part is {"step_bytes", "points"[], "unknown"[]}; a point is {"budget_bytes", "values"[], "stages"[],
 * "more"[], "bottleneck", "limited_by", "inner"}. Values are texts of printf's %a, so that none is rounded; null is
 * NaN. What follows from options and servers alone is not in it, and answers are not: size_curve_begin and
 * size_curve_finish make them again. A curve that the policy cannot plan is {"refused": the sentence}.
 */
#ifndef PLANNER_DECISIONS_SIZE_PART_H
#define PLANNER_DECISIONS_SIZE_PART_H

#include "planner/decisions/size.h"
#include "planner/options/job_array.h"

#define SIZE_PART_SCHEMA "size-part/1"

/* The row of a curve that was run. The caller frees it. */
doc *size_part_row(const struct size_curve *c);
/* Fills a curve of size_curve_begin from its row. where: names the row, opens the sentence. ST_NO, with the sentence of
 * the task, for a curve that was refused; ST_INPUT for a row that is none of this curve. */
enum st size_part_curve(const struct size_question *q, const doc *row, const char *where, struct size_curve *c,
                        struct err *err) MUST_USE;

/* Runs the curves of a task, which size_curve_begin began, and returns their rows in *rows, the caller's to free. A
 * curve that the policy refuses is a row, not an error; later curves of the task are then not run, because the answer
 * is that sentence. curves: [count]. Errors of recording and planning. */
enum st size_part_run(const struct size_question *q, const struct size_graph *g, struct size_curve *curves, int count,
                      const struct job_array_task *task, doc **rows, struct err *err) MUST_USE;
/* Fills all curves from the parts of `output`. about: what the parts must have been made from. Errors of job_array_load
 * and size_part_curve; of several curves that were refused, that of the first. */
enum st size_part_merge(const struct size_question *q, const char *output, int parts, const doc *about,
                        struct size_curve *curves, int count, struct err *err) MUST_USE;

#endif
