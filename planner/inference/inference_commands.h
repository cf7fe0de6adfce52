/* inference_commands.h - what `plan`, `simulate`, `compare` do with --job inference. */
#ifndef PLANNER_INFERENCE_INFERENCE_COMMANDS_H
#define PLANNER_INFERENCE_INFERENCE_COMMANDS_H

#include "planner/inference/inference_args.h"

/* `plan`: chooses order and chunk size, writes the plan directory, prints tables. */
enum st inference_plan_run(struct call *call, const struct inference_given *given, const char *output, struct err *err)
    MUST_USE;
/* `simulate`: counts a plan again under its lists. ST_NO where it states other counts. */
enum st inference_simulate_run(struct call *call, const char *path, const char *graph, const char *server,
                               const char *output, struct err *err) MUST_USE;
/* `compare`: a row per server, budget, order and chunk size. servers, budgets: lists; budgets NULL: GPU memory. */
enum st inference_compare_run(struct call *call, const struct inference_given *given, const char *servers,
                              const char *budgets, const char *output, struct err *err) MUST_USE;

#endif
