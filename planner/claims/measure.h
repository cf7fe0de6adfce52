/* measure.h - measures a figure as its file says, and fills the part's data.
 *
 *   run      cells (default): policies planned and simulated; coverage: what orders of one GPU cover; reduction: what a
 *            cache of one kind saves on one GPU; partitions: how large self-reliant parts are (PaGraph)
 *   with     keys of every row
 *   for      axes: each a list of objects whose keys are added, or {"key": [values]}. The product is run, last axis
 *            fastest; cells: likewise, what is planned together on one graph and server. A key `cells` in `for` goes
 *            before.
 *   panels   [kind (lines, bars, matrix), title, x, y, names of series (optional: their order)]
 *   points   [panel, series, x, y, when (optional)], for every row; panel, y, when and, in lines, x are expressions, y
 *            of one number or as many as x. {"each": axes, "points": [..]}: with further keys. In texts, {key} is the
 *            row's.
 *   paper_points  likewise, numbers that the paper states; what is stated twice counts once
 *   group    rows that of(i, ..) counts in; default: the cells
 *
 * Keys of a row are those of struct repro_setup, `metrics` and `shares` (coverage, reduction), `topology` (reduction),
 * `scaled_memory` (server with memories as small as the graph), `gpus_without_nvlink` (so many), and any others, for
 * expressions. Of cells: policy (of `hotset list policies` or baselines.h), budget ("5%V", "10e9 * graph.scale" with =
 * in front), options (expressions), hotness. A row gets graph {n, m, scale, row_bytes, feature_dim, given}, and what
 * repro_cells says, or covered[metric][share] and loaded, or reduced[], or share.
 */
#ifndef PLANNER_CLAIMS_MEASURE_H
#define PLANNER_CLAIMS_MEASURE_H

#include "planner/claims/paper_figure.h"
#include "planner/claims/repro_context.h"

/* Errors of making graphs, recording and planning; ST_INPUT for a file that is not what it must be. */
enum st measure_figure(struct repro *repro, const struct paper_figure *x, struct err *err) MUST_USE;

#endif
