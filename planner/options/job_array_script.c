#include "planner/options/job_array_script.h"

#include <string.h>

#include "planner/options/resume.h"

/* A word of a shell script: within single quotes. */
static void print_quoted(const char *word, FILE *to)
{
    fputc('\'', to);
    for (; *word; word++)
        if (*word == '\'') fputs("'\\''", to);
        else fputc(*word, to);
    fputc('\'', to);
}

/* The options that were given, for the tasks: they print nothing, so --json is for the last job alone. */
static void print_options(const struct call *call, const struct param *params, const void *args, FILE *to)
{
    char value[PATH_BYTES];
    for (const struct param *p = params; p->name; p++) {
        if (param_is_alias(p) || !call_given(call, p->name) || !strcmp(p->name, "slurm-array") ||
            !strcmp(p->name, "json"))
            continue;
        fprintf(to, " --%s", p->name);
        if (p->kind == PARAM_FLAG) continue;
        resume_option_value(p, args, value, sizeof value);
        fputc(' ', to);
        print_quoted(value, to);
    }
}

void job_array_script_print(const struct call *call, const char *command, const char *what, int tasks, FILE *to)
{
    fprintf(to,
            "#!/bin/bash\n"
            "# Submits %s as a Slurm array of %d tasks, and a job that merges their parts.\n"
            "# Start it with options of sbatch: bash FILE --time=2:00:00 --cpus-per-task=16 --mem=64G\n"
            "# HOTSET: the program, where it is not in PATH. Files are relative to the folder where you start it.\n"
            "set -euo pipefail\n"
            "run=(\"${HOTSET:-hotset}\" %s",
            what, tasks, command);
    print_options(call, call->params, call->args, to);
    print_options(call, common_params, &call->common, to);
    fprintf(to,
            ")\n"
            "# A line for any shell: sbatch gives it to sh, which does not know bash's own $'..'.\n"
            "q=\"'\"\n"
            "line=$(printf \"'%%s' \" \"${run[@]//$q/$q\\\\$q$q}\")\n"
            "array=$(sbatch --parsable --job-name=hotset --array=0-%d \"$@\" --wrap \"$line --cells "
            "\\$SLURM_ARRAY_TASK_ID/%d\")\n"
            "sbatch --job-name=hotset-merge --dependency=\"afterok:${array%%%%;*}\" --kill-on-invalid-dep=yes \"$@\" "
            "--wrap \"$line --merge-cells %d%s\"\n",
            tasks - 1, tasks, tasks, call->common.json ? " --json" : "");
}
