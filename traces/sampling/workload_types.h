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

/* The relation called that, by its name alone or as SOURCE-NAME->TARGET. ST_USAGE, beginning with `option`, for none or
 * several. */
enum st workload_types_relation(const struct graph *g, const char *name, const char *option, int *out, struct err *err)
    MUST_USE;
/* Sets hops and fan-outs of a walk of `length` steps along the relations path[0..count), over and over. where: for
 * messages of the code. The code unless each relation begins where the one before leads, the first one after the last
 * one, too, where the walk goes on. */
enum st workload_types_path(const struct graph *g, const int *path, int count, int length, const char *where,
                            enum st code, struct workload *w, struct err *err) MUST_USE;
/* The relation of a walk's step. */
int workload_types_step(const struct graph *g, const struct workload *w, int hop);

#endif
