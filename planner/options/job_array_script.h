/* job_array_script.h - the bash script behind --slurm-array (job_array.h). */
#ifndef PLANNER_OPTIONS_JOB_ARRAY_SCRIPT_H
#define PLANNER_OPTIONS_JOB_ARRAY_SCRIPT_H

#include <stdio.h>
#include "base/cmd.h"

/* Prints a bash script that submits `tasks` tasks of the call's own command, and a job that depends on them. command:
 * the command's name; what: "a comparison", for the script's first remark. */
void job_array_script_print(const struct call *call, const char *command, const char *what, int tasks, FILE *to);

#endif
