/* tables.h - the columns of the tables that a terminal and a page show alike; each is ended by a member without a name.
 * Rows are those of the named list of the answer's document.
 */
#ifndef REPORTS_TABLES_TABLES_H
#define REPORTS_TABLES_TABLES_H

#include "base/columns.h"

extern const struct column refresh_gpus[], refresh_dram[]; /* gpus, parts */
extern const struct column observe_counts[];               /* rows_per_batch of gpus */
/* "GPU 2", and of several types "GPU 2 paper". Into out[STYLE_NAME]. */
const char *observe_gpu(const doc *gpu, char *out);
extern const struct column observe_seconds[];       /* seconds_per_epoch of gpus */
extern const struct column memories_tier_ways[];    /* ways */
extern const struct column memories_tier_places[];  /* places of the first way, beside the document's places */
extern const struct column memories_socket_ways[];  /* ways */
extern const struct column storage_sizes_columns[]; /* drives of sizes */
extern const struct column bench_columns[];         /* rows */
extern const struct column diff_features[], diff_topology[], diff_train[], diff_types[]; /* gpus; tables of gpus */
extern const struct column diff_places[];                                                /* memories */
extern const struct column execute_reads[], execute_times[];                             /* gpus */
extern const struct column execute_totals[];                                             /* members of totals */
extern const struct column what_if_inputs[];                                             /* inputs; ^ is the document */
/* "x 0.62 (93 GB/s)", what an input becomes. Into out. */
const char *what_if_moved(const doc *of, char out[COLUMN_TEXT]);
extern const struct column verify_checks[]; /* checks */
extern const struct column advice_levers[]; /* levers; mine: not NULL leaves out what each asks for */
/* What a lever of a document is called where people read it; `name` itself where it has no other word. A constant, or
 * name. */
const char *advice_lever_word(const char *name);
/* Skips the errors among totals. */
bool execute_errors(const struct column_row *r);
/* Skips levers that cannot be pulled. */
bool advice_impossible(const struct column_row *r);
extern const struct column drift_columns[];                         /* schemes */
extern const struct column inference_choices[], inference_layers[]; /* tried or rows; layers */

/* "4,096 vertices", of a chunk. Into out, or a literal. */
const char *inference_chunk(const doc *chunk, char out[COLUMN_TEXT]);

#endif
