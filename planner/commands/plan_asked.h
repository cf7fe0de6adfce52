/* plan_asked.h - a command that asks about plans, asked with the options of `plan` instead: the plan is made first, by
 * `hotset plan` itself, in a scratch folder below TMPDIR. */
#ifndef PLANNER_COMMANDS_PLAN_ASKED_H
#define PLANNER_COMMANDS_PLAN_ASKED_H

#include "base/cmd.h"
#include "base/file.h"

struct plan_asked {
    struct output folder;
    char path[PATH_BYTES]; /* of the plan directory */
};

/* Runs `plan` with every option of the call that it has, too, but --output; prints nothing. out: zeroed; to be released
 * by the caller, also after an error. ST_USAGE without a graph and a server; errors of plan. */
enum st plan_asked_make(const struct call *call, struct plan_asked *out, struct err *err) MUST_USE;
/* Removes the folder; zeroed is allowed. */
void plan_asked_release(struct plan_asked *p);
/* Refuses options that say what is planned, beside a plan that is there. own: names of those that mean something else
 * too, NULL-ended. ST_USAGE names the first. */
enum st plan_asked_refuse(const struct call *call, const char *const *own, struct err *err) MUST_USE;

#endif
