/* export_loader.h - the Python script of an export. Scripts share their first lines: where the files lie, what the plan
 * states (cliques, vertices, fan-outs, batch), and functions that read files of ids. An export adds its own lines.
 */
#ifndef PLANNER_EXPORTS_EXPORT_LOADER_H
#define PLANNER_EXPORTS_EXPORT_LOADER_H

#include "planner/exports/export.h"

struct export_loader {
    const char *name, *what; /* "load_glt.py"; a few words for people */
    const char *about;       /* the docstring, without its quotes */
    bool cliques;            /* with CLIQUES, clique_of and load_rows, for runtimes with a tensor per clique */
    bool planned;            /* with PEERS, load_rows and PlannedRows, for runtimes that take rows from anywhere */
    const char *constants;   /* own lines "NAME = value", each with its newline; "": none */
    const char *functions;   /* own functions */
};
/* Writes the script. ST_LIMIT without memory or disk. */
enum st export_loader_write(const struct export_input *in, struct export_folder *to, const struct export_loader *own,
                            struct err *err) MUST_USE;
/* The lists that PlannedRows reads: gpu<i>_feature.npy, int64, for each type with rows. ST_LIMIT without memory or
 * disk.
 */
enum st export_planned_lists(const struct export_input *in, struct export_folder *to, struct err *err) MUST_USE;
/* Adds what such a runtime cannot honour, and how it will run: the plan without its topology rows. ST_LIMIT without
 * memory. */
enum st export_planned_runs(const struct export_input *in, struct export_runs *to, const char *runtime, bool all_hops,
                            struct err *err) MUST_USE;

#endif
