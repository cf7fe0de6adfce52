/* plan_json.h - parts of plan.json that the library and the simulator read in the same way. */
#ifndef SIMULATOR_LIB_PLAN_JSON_H
#define SIMULATOR_LIB_PLAN_JSON_H

#include "base/doc.h"
#include "traces/recording/assignment.h"

/* Reads plan.json, `where`. *sealed (may be NULL): it has its checksum. *out: the caller's. ST_INPUT for what is no
 * plan, with a hint when it is the plan of several nodes. */
enum st plan_json_open(const char *where, doc **out, bool *sealed, struct err *err) MUST_USE;

/* The entry of files[] for the file `name`, borrowed; NULL when the plan lists no such file. */
const doc *plan_json_file(const doc *plan, const char *name);

/* Reads the ids of gpus[] and the lists cliques[].gpus into id, clique_of, gpus and cliques of *out. where: the file's
 * name, opens the sentence. ST_INPUT for ids that come twice, unknown ids and too many GPUs. */
enum st plan_json_groups(const doc *gpus, const doc *cliques, const char *where, struct assignment *out,
                         struct err *err) MUST_USE;

#endif
