/* settings.h - what a plan was made of, as options and texts (member `settings` of plan.json), in one form for all ways
 * to say it: defaults are left out, a runtime has one name, fan-outs one spelling, and a trace's workload is stated as
 * the options that record it. Equal plans are so equal bytes. like.h repeats them.
 */
#ifndef PLANNER_COMMANDS_SETTINGS_H
#define PLANNER_COMMANDS_SETTINGS_H

#include "base/cmd.h"
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

#endif
