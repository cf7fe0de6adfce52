/* compare_parts.h - a comparison shared by the tasks of a Slurm array.
 *
 * Cells (server x budget x policy) have numbers in the order of the results. Task i of N plans those with number modulo
 * N = i, and writes the file R.json.part<i>-of-<N>: all that the results depend on, the head of the results document,
 * and its rows. The last job puts the rows of all parts in their order; results are the bytes of a single run.
 */
#ifndef PLANNER_STUDY_COMPARE_PARTS_H
#define PLANNER_STUDY_COMPARE_PARTS_H

#include <stdio.h>
#include "base/cmd.h"

enum { COMPARISON_PARTS = 10000 };

/* Reads "I/N", 0 <= I < N <= COMPARISON_PARTS. ST_USAGE. */
enum st compare_part_read(const char *word, int *part, int *parts, struct err *err) MUST_USE;
/* The name of a part's file, in out[PATH_BYTES]. ST_USAGE when it is too long. */
enum st compare_part_path(const char *output, int part, int parts, char *out, struct err *err) MUST_USE;

/* Writes a part to `path`. about: what results depend on (resume_about); result: the document, whose rows are those of
 * comparison_server with parts. Both borrowed. */
enum st compare_part_save(const char *path, int part, int parts, const doc *about, const doc *result, struct err *err)
    MUST_USE;
/* Reads all parts of `output` and appends their rows to `rows`, in order. cells: how many there must be; about: what
 * the parts must have been made from. ST_INPUT names a part that is missing, damaged or of other inputs. */
enum st compare_parts_merge(const char *output, int parts, uint64_t cells, const doc *about, doc *rows, struct err *err)
    MUST_USE;
/* Removes the parts' files, after the results were written. */
void compare_parts_remove(const char *output, int parts);

/* Prints a bash script that submits `parts` tasks of the call's own command and a job that depends on them. */
void compare_slurm_print(const struct call *call, int parts, FILE *to);

#endif
