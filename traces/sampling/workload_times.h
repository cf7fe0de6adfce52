/* workload_times.h - which arcs the temporal samplers may draw: on which side of the seed's time, and how far from it.
 * Private to traces/sampling. */
#ifndef TRACES_SAMPLING_WORKLOAD_TIMES_H
#define TRACES_SAMPLING_WORKLOAD_TIMES_H

#include "traces/sampling/workload.h"

/* Sets them from --time-window and --time-direction; the sampler is set. ST_USAGE. */
enum st workload_times_set(struct workload *w, const struct sampler_args *a, struct err *err) MUST_USE;
/* Adds "time_window" and "time_direction" of a temporal sampler, where they are not the defaults. */
void workload_times_put(const struct workload *w, doc *object);
/* Reads them. where: the file, for messages. ST_INPUT, also where the sampler is another one. */
enum st workload_times_read(const doc *object, const char *where, struct workload *w, struct err *err) MUST_USE;
/* ST_INPUT for a window that is not one unit of the graph's times, or wider than any. */
enum st workload_times_fit(const struct workload *w, const struct graph *g, struct err *err) MUST_USE;

/* Times as the walk compares them: forward in time they run backward, by ~t (-t has no value for the least t). */
static inline int64_t walk_time(const struct workload *w, int64_t time) { return w->forward ? ~time : time; }
/* The least such time that a seed of walk_time `until` takes. */
int64_t workload_times_from(const struct workload *w, const struct graph *g, int64_t until);

#endif
