/* host_args.h - the options that say what lies below the GPUs: --host-memory and --ssd. */
#ifndef PLANNER_COMMANDS_HOST_ARGS_H
#define PLANNER_COMMANDS_HOST_ARGS_H

#include "hwprofiles/model/drive.h"
#include "hwprofiles/model/server.h"
#include "traces/graph/graph.h"

/* Bytes of topology, offsets and features. */
uint64_t host_args_needed(const struct graph *g);
/* --host-memory: a size, or a share of these bytes up to most_percent; text NULL: 90 % of the server's. s: NULL where
 * the server `name` is not known. ST_USAGE. */
enum st host_args_memory(const char *text, const struct graph *g, const struct server *s, const char *name,
                         double most_percent, uint64_t *out, struct err *err) MUST_USE;
/* --ssd; text NULL: the server's own, or none. ST_NO when the drives do not hold topology and features; errors of
 * drives_parse. */
enum st host_args_drives(const char *text, const struct graph *g, const struct server *s, struct drives *out,
                         struct err *err) MUST_USE;

#endif
