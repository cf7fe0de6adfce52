/* job_array.h - one command shared by the tasks of a Slurm array that know nothing of each other.
 *
 * The work of a command is a list of cells with numbers: rows of a comparison, curves of a size question. Task i of N
 * does those with number modulo N = i, and writes the file R.json.part<i>-of-<N>: all that the results depend on, and a
 * row per cell, {"cell": its number, "row": {..}}. The last job takes the rows of all parts, and its results are the
 * bytes of a single run.
 */
#ifndef PLANNER_OPTIONS_JOB_ARRAY_H
#define PLANNER_OPTIONS_JOB_ARRAY_H

#include <stdio.h>
#include "base/cmd.h"

enum { JOB_ARRAY_TASKS = 10000 };

struct job_array_args {
    const char *cells;                /* "I/N" */
    int64_t slurm_array, merge_cells; /* 0: not asked */
};

#define JOB_ARRAY_PARAMS(type, member)                                                                                 \
    OPTION_INTEGER("slurm-array", 0, type, member.slurm_array, "N", NULL, 1, JOB_ARRAY_TASKS,                          \
                   "Print a script that submits the same question as a Slurm array of N tasks, and run nothing."),     \
        OPTION_TEXT("cells", 0, type, member.cells, "I/N", NULL,                                                       \
                    "Do only the cells whose number modulo N is I, and write R.json.partI-of-N; a task of the "        \
                    "array."),                                                                                         \
        OPTION_INTEGER("merge-cells", 0, type, member.merge_cells, "N", NULL, 1, JOB_ARRAY_TASKS,                      \
                       "Put the N parts of R.json together: the bytes of a single run. The parts are removed.")

/* The task that a run is; parts 0: no task of an array. */
struct job_array_task {
    int part, parts;
};

/* Whether one of the three options was given. */
bool job_array_asked(const struct job_array_args *a);
/* The name of a part's file, in out[PATH_BYTES]. ST_USAGE when it is too long. */
enum st job_array_path(const char *output, int part, int parts, char *out, struct err *err) MUST_USE;
/* Checks the three options, before anything is read. output: that of -o, or NULL; what: "a comparison", for sentences;
 * file: [PATH_BYTES], gets the name that this run writes, empty without output. ST_USAGE. */
enum st job_array_check(const struct call *call, const struct job_array_args *a, const char *output, const char *what,
                        struct job_array_task *out, char *file, struct err *err) MUST_USE;

/* The row of a cell, for a part; takes row. recording: what names the recording behind it, or NULL. The caller frees
 * it. */
doc *job_array_row(uint64_t cell, const char *recording, doc *row);
/* Writes a part to `path`, and says so. schema: "results-part/1"; about: what results depend on (resume_about); rows:
 * of job_array_row, in ascending order. All borrowed. */
enum st job_array_save(const struct call *call, const char *path, const char *schema, const struct job_array_task *task,
                       const doc *about, const doc *rows, struct err *err) MUST_USE;

/* All parts, read. */
struct job_array_parts {
    int parts;
    doc **file;      /* [parts], owned */
    const doc **row; /* [cells]: {"cell", "recording", "row"}, borrowed from file */
};
/* Reads the parts of `output`. cells: how many rows there must be; about: what the parts must have been made from.
 * ST_INPUT names a part that is missing, damaged or of other inputs. Release *out with job_array_release, after an
 * error as well. */
enum st job_array_load(const char *output, int parts, const char *schema, uint64_t cells, const doc *about,
                       struct job_array_parts *out, struct err *err) MUST_USE;
void job_array_release(struct job_array_parts *p); /* zeroed is allowed */
/* Removes the parts' files, after the results were written. */
void job_array_remove(const char *output, int parts);

#endif
