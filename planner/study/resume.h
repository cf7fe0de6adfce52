/* resume.h - the checkpoint of a command: opened beside its output, announced on stderr, removed when the run succeeds.
 */
#ifndef PLANNER_STUDY_RESUME_H
#define PLANNER_STUDY_RESUME_H

#include "base/cmd.h"
#include "base/checkpoint.h"
#include "traces/graph/graph.h"

struct resume_args {
    const char *scratch;
    bool restart;
};

#define RESUME_PARAMS(type, member)                                                                                    \
    OPTION_TEXT("scratch", 0, type, member.scratch, "DIR", NULL,                                                       \
                "Folder for what a long run keeps on disk: recordings and finished steps [default: beside -o]."),      \
        OPTION_FLAG("no-resume", type, member.restart,                                                                 \
                    "Start over, even if an interrupted run of the same command could be continued.")

/* Files that the results depend on, beside graph and options; NULL-ended. path: one file or several, parted by commas.
 */
struct resume_input {
    const char *name, *path;
};

/* Opens "<out>.partial" (base/checkpoint.h) and says on stderr what is found there: an earlier run of the same command
 * (all options that results depend on) is continued. out NULL: no checkpoint. ST_INPUT, ST_LIMIT when the folder cannot
 * be used. */
enum st resume_open(const struct call *call, const struct resume_args *a, const char *out, const struct graph *g,
                    const struct resume_input *inputs, struct checkpoint *s, struct err *err) MUST_USE;
/* Removes the checkpoint when the run succeeded or answered no, or when no step was finished; else says that the run
 * can be continued. how: the command's status. */
void resume_close(const struct call *call, struct checkpoint *s, enum st how);

#endif
