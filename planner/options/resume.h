/* resume.h - the checkpoint of a command: opened next to its output, announced on stderr, removed when the run
 * succeeds.
 */
#ifndef PLANNER_OPTIONS_RESUME_H
#define PLANNER_OPTIONS_RESUME_H

#include "base/cmd.h"
#include "base/checkpoint.h"
#include "hwprofiles/model/server.h"
#include "traces/graph/graph.h"

struct resume_args {
    const char *scratch;
    bool restart;
};

#define RESUME_PARAMS(type, member)                                                                                    \
    OPTION_TEXT("scratch", 0, type, member.scratch, "DIR", NULL,                                                       \
                "Folder for the files of an unfinished run: recordings and finished steps [default: next to -o]."),    \
        OPTION_FLAG("no-resume", type, member.restart,                                                                 \
                    "Start over, even if an interrupted run of the same command could be continued.")

/* What the results depend on apart from graph and options is collected in an object of texts, `inputs`. Adds the stamp
 * of a file or folder (base/checkpoint.h); nothing when path is NULL. */
void resume_add_path(doc *inputs, const char *name, const char *path);
/* Adds a digest of all that a server's document states. source: what the user typed, which becomes the name. ST_LIMIT
 * when memory runs out. */
enum st resume_add_server(doc *inputs, const char *source, const struct server *s, struct err *err) MUST_USE;

/* The same for a server that is read only for this. ST_INPUT when it cannot be read. */
enum st resume_load_server(doc *inputs, const char *source, struct err *err) MUST_USE;

/* The value of the option p, whose member lies in args, as a text of the command line. */
void resume_option_value(const struct param *p, const void *args, char *out, size_t room);
/* The word as a shell reads it back: as it is, or in single quotes. Returns out. */
const char *resume_quoted(const char *word, char *out, size_t room);
/* Appends the options that were given, " --fanout 5,4 --seed 7", for a command that is shown to people; except: names
 * that are left out, NULL-ended. What only this run needs (threads, memory, output) is left out, too. */
void resume_given_text(const struct call *call, const char *const *except, char *out, size_t room);
/* All that the results of a command depend on, as an object of texts: version, options, graph, inputs (borrowed). Owned
 * by the caller; NULL or not whole (doc_whole) without memory. */
doc *resume_about(const struct call *call, const struct graph *g, const doc *inputs);

/* Opens "<out>.partial" (base/checkpoint.h) and says on stderr what is found there: an earlier run of the same command
 * (graph, inputs, and all options that results depend on) is continued. inputs: borrowed. out NULL: no checkpoint,
 * nor has a rank other than the first one (base/ranks.h).
 * ST_INPUT, ST_LIMIT when the folder cannot be used. */
enum st resume_open(const struct call *call, const struct resume_args *a, const char *out, const struct graph *g,
                    const doc *inputs, struct checkpoint *s, struct err *err) MUST_USE;
/* From now on an interrupt says that the same command continues from the checkpoint; resume_open sees to that for
 * commands that keep parts of what is begun. */
void resume_say_on_interrupt(const struct call *call, const struct checkpoint *s);
/* Likewise, for a command that has finished nothing yet that a later run can take: an interrupt says so. */
void resume_say_nothing_kept(const struct call *call, const struct checkpoint *s);
/* Removes the checkpoint when the run succeeded or answered no, or when no step was finished; else says that the run
 * can be continued. how: the command's status. */
void resume_close(const struct call *call, struct checkpoint *s, enum st how);

#endif
