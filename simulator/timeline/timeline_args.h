/* timeline_args.h - the options of commands that write timelines, and what they say of one. */
#ifndef SIMULATOR_TIMELINE_TIMELINE_ARGS_H
#define SIMULATOR_TIMELINE_TIMELINE_ARGS_H

#include "base/param.h"
#include "simulator/timeline/timeline_model.h"

/* Members of a command's argument struct, set by the rows TIMELINE_PARAMS(type, member). */
struct timeline_args {
    const char *path; /* NULL: no timeline */
    int64_t batches;
};
#define TIMELINE_PARAMS(type, member)                                                                                  \
    OPTION_WRITES("timeline", 0, type, member.path, "T.json", NULL,                                                    \
                  "Also write the first mini-batches over time, for Perfetto or chrome://tracing: per GPU its "        \
                  "sampling, gathers from own memory, peers and host, computing and waiting."),                        \
        OPTION_INTEGER("timeline-batches", 0, type, member.batches, "N", "64", 1, 100000,                              \
                       "Mini-batches per GPU of the timeline, of the first epoch.")

/* Refuses a path that cannot be written, or that --output (NULL: not given) writes. ST_USAGE; errors of output_check.
 */
enum st timeline_args_path(const struct timeline_args *a, const char *output, struct err *err) MUST_USE;
/* The same, and timelines of plans whose features are in dynamic caches, and --timeline-batches alone (given). ST_NO.
 */
enum st timeline_args_check(const struct timeline_args *a, bool given, const char *output, const struct plan *p,
                            struct err *err) MUST_USE;
/* Says for people how long a timeline is. about: of timeline_simulated or timeline_executed. */
void timeline_print(const struct timeline_args *a, const doc *about, FILE *to);

#endif
