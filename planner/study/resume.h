/* resume.h - the store of a command: opened for its output, told about in words, closed as the run ended. */
#ifndef PLANNER_STUDY_RESUME_H
#define PLANNER_STUDY_RESUME_H

#include "base/cmd.h"
#include "base/checkpoint.h"
#include "traces/graph/graph.h"

struct resume_args {
    const char *scratch;
    bool anew;
};

#define RESUME_PARAMS(type, member)                                                                                    \
    OPTION_TEXT("scratch", 0, type, member.scratch, "DIR", NULL,                                                       \
                "Folder for what a long run keeps on disk while it works: recordings, and steps that are finished "    \
                "[default: beside -o]."),                                                                              \
        OPTION_FLAG("no-resume", type, member.anew,                                                                    \
                    "Start over, although an earlier run of the same command was ended half way.")

/* Files beside the graph and the options that decide about the results; NULL-ended. A list of files may be parted by
 * commas. */
struct resume_input {
    const char *name, *path;
};

/* Opens "<out>.partial" (base/checkpoint.h) and says on stderr what is found there. Every option counts but those
 * that results do not depend on. out NULL: no store. */
enum st resume_open(const struct call *call, const struct resume_args *a, const char *out, const struct graph *g,
                    const struct resume_input *inputs, struct checkpoint *s, struct err *err) MUST_USE;
/* Removes the store when the run ended well or with an answer, or has finished no part; else says that it can be
 * continued. */
void resume_close(const struct call *call, struct checkpoint *s, enum st how);

#endif
