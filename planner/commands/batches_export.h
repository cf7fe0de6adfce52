/* batches_export.h - hotset simulate --export-batches: the simulated mini-batches as files. */
#ifndef PLANNER_COMMANDS_BATCHES_EXPORT_H
#define PLANNER_COMMANDS_BATCHES_EXPORT_H

#include "base/cmd.h"
#include "simulator/replay/replay.h"

/* Writes folder (simulator/replay/batches.h) and gives batches.json as the result. gpu: id of the one GPU to write, -1
 * for all. ST_USAGE: no such GPU; else as batches_save. */
enum st batches_export(struct call *call, const char *folder, int64_t gpu, const struct replay_request *r,
                       struct err *err) MUST_USE;

#endif
