/* compare_parts.h - the rows of a comparison that the tasks of a Slurm array made (job_array.h).
 *
 * Cells (server x budget x policy) have numbers in the order of the results. A part states the rows of its cells, and
 * what names the recording of each, because the uncached transactions of a recording may be known to another part.
 */
#ifndef PLANNER_RESULTS_COMPARE_PARTS_H
#define PLANNER_RESULTS_COMPARE_PARTS_H

#include "base/doc.h"

#define COMPARE_PARTS_SCHEMA "results-part/1"

/* Reads all parts of `output` and appends their rows to `rows`, in order. cells: how many there must be; about: what
 * the parts must have been made from. ST_INPUT names a part that is missing, damaged or of other inputs. */
enum st compare_parts_merge(const char *output, int parts, uint64_t cells, const doc *about, doc *rows, struct err *err)
    MUST_USE;

#endif
