/* export_rows.h - the feature rows of one type as exports write them. A plain graph has one type without a name; a
 * graph of several has the rows of each in files of their own, whose names end in the number of the type, as in a plan.
 */
#ifndef PLANNER_EXPORTS_EXPORT_ROWS_H
#define PLANNER_EXPORTS_EXPORT_ROWS_H

#include "planner/exports/export.h"

struct export_rows {
    const struct graph *graph;      /* borrowed */
    int type;                       /* position; 0 of a plain graph */
    uint64_t n, dim, row_bytes;     /* vertices; elements and bytes of a row on the host; 0: there are none */
    struct row_list list[GPUS_MAX]; /* those that each GPU of a placement holds, by the vertex within the type; owned,
                                       with room for one more */
};

/* Vertices, elements and bytes of type t; without lists. */
struct export_rows export_rows_shape(const struct graph *g, int t);
/* With the lists of a placement. Release with export_rows_release, zeroed is allowed. ST_LIMIT without memory. */
enum st export_rows_of(const struct graph *g, const struct placement *p, int t, struct export_rows *out,
                       struct err *err) MUST_USE;
void export_rows_release(struct export_rows *r);

/* What follows "as one .npy": " for each type" where there are several, else "" (static). */
static inline const char *export_each_type(const struct graph *g) { return graph_plain(g) ? "" : " for each type"; }

enum { EXPORT_NAME = 80 };
/* "stem.npy", or "stem_<type>.npy" where the graph has several. Returns out. */
const char *export_rows_file(const struct export_rows *r, const char *stem, char out[EXPORT_NAME]);

#endif
