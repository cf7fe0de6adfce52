/* settings.h - what a plan was made of, as options and texts (member `settings` of plan.json), in one form for all ways
 * to say it: defaults are left out, a runtime has one name, fan-outs one spelling, and a trace's workload is stated as
 * the options that record it. Equal plans are so equal bytes. like.h repeats them.
 */
#ifndef PLANNER_COMMANDS_SETTINGS_H
#define PLANNER_COMMANDS_SETTINGS_H

#include "base/cmd.h"
#include "simulator/movement/epoch_args.h"
#include "simulator/plan/plan.h"

/* The member of the command's arguments that a trace stands for: its place and size, bytes. */
struct settings_brought {
    size_t from, bytes;
};

/* States the options of the command line that say what is planned in the plan. trace: the arguments that the plan's
 * trace brings; NULL where it has none. */
void settings_state(const struct call *call, const struct settings_brought *trace, const struct graph *graph,
                    struct plan *p);

/* Adds the members of a workload document as the options that describe it. */
void settings_of_workload(const doc *workload, doc *settings);

/* What the plan states of that option, as typed; NULL: it was left to its default. Borrowed from p. */
const char *settings_text(const struct plan *p, const char *name);
/* The time model's options of a call: those that its command line leaves out are the plan's. given: the call's own;
 * texts of the result are borrowed from it and from p. */
struct epoch_args settings_timing(const struct call *call, const struct epoch_args *given, const struct plan *p);

#endif
