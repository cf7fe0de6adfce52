/* workload_types.h - the fan-outs of a workload on a graph of several types. Private to traces/sampling. */
#ifndef TRACES_SAMPLING_WORKLOAD_TYPES_H
#define TRACES_SAMPLING_WORKLOAD_TYPES_H

#include "traces/sampling/workload.h"

/* Sets hops, fan-outs and `together` from --fanout and --fanout-over (workload_make). ST_USAGE. */
enum st workload_types_fanout(const struct graph *g, const struct int_list *fanout, const char *over,
                              struct workload *w, struct err *err) MUST_USE;
/* Adds "fanout" and, where it is not by relation, "fanout_over". */
void workload_types_put(const struct graph *g, const struct workload *w, doc *object);
/* Reads them. where: the file, for messages. ST_INPUT. */
enum st workload_types_read(const struct graph *g, const doc *object, const char *where, struct workload *w,
                            struct err *err) MUST_USE;

#endif
