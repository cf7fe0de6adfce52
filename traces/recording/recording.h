/* recording.h - what the files of trace_record share. Private to traces/recording. */
#ifndef TRACES_RECORDING_RECORDING_H
#define TRACES_RECORDING_RECORDING_H

#include <omp.h>

#include "base/ranks.h"
#include "traces/recording/trace.h"
#include "traces/sampling/range_draws.h"

/* What the store does not have yet. */
struct recording_kept {
    double seconds;   /* when folds were kept last */
    int folds_of_gpu; /* whose name that file has; -1: none */
};

/* Bytes of the counts of a GPU: of draws (0: they are not kept), of mini-batches, of visits. */
struct recording_widths {
    int topology, feature, visits;
};
/* A recording in progress. */
struct recording {
    const struct graph *g;
    const struct trace_options *o;
    struct trace *t;
    struct sampler *s;
    struct range_draws *draw; /* that draws in place of s where ranks own ranges; else NULL */
    uint64_t width;           /* vertices that this rank draws: all, or its range */
    struct workload drawn;    /* the workload as it is drawn: see as_run in trace.h */
    struct progress *bar;
    struct sample_counts c;         /* counts of the current fold; without folds, in a store, of all epochs */
    uint32_t *block;                /* [1 + hops][width] arrays of c; NULL: c counts into the GPU's rows directly */
    char *rows;                     /* the current GPU's rows when there is a store, so that its file is written once */
    struct recording_widths widths; /* of its counts, which no count can pass; topology is 0 where draws come last */
    uint32_t *draws; /* [width] entries drawn, of a rank that owns a range, or that keeps no counts of its own or of
                        all vertices while draws are counted by themselves; else NULL */
    int fold_bytes;  /* of a fold's count: 1 or 2; 0: folds are not kept */
    char *sums;      /* [folds][1 + hops][n] of fold_bytes: the current clique's folds, where a store keeps them */
    struct recording_kept kept;
    bool overflow;
    omp_lock_t *fold_lock; /* [folds] taken while a fold's counts are added; NULL: GPUs are recorded one by one */
};

/* Counts of 32 bits. Draws of several types are not kept: they follow from the visits, or are expected (trace_rows.h).
 */
static inline struct recording_widths recording_widest(const struct recording *r)
{
    return (struct recording_widths){graph_plain(r->g) ? sizeof(uint32_t) : 0, sizeof(uint32_t), sizeof(uint32_t)};
}
/* Whether draws are counted by themselves, and kept. */
static inline bool recording_counts_draws(const struct recording *r)
{
    return graph_plain(r->g) && workload_counts_draws(&r->t->workload);
}
/* Whether this rank only draws, and hands its counts to the first one. */
static inline bool recording_helps(const struct recording *r) { return r->o->first_keeps && !ranks_first(); }

/* Whether the counts of some vertices alone are kept. */
static inline bool recording_samples(const struct recording *r) { return r->o->sample.rows > 0; }

/* Cells of the block. */
static inline uint64_t recording_block_cells(const struct recording *r)
{
    return (uint64_t)(1 + r->t->workload.hops) * r->width;
}
/* Counts of one fold: (1 + hops) n. */
static inline uint64_t recording_fold_cells(const struct trace *t) { return (uint64_t)(1 + t->workload.hops) * t->n; }
/* Bytes of a clique's folds. */
static inline uint64_t recording_folds_bytes(const struct recording *r)
{
    return recording_fold_cells(r->t) * (uint64_t)r->t->folds * (uint64_t)r->fold_bytes;
}
/* Fold f of a clique's; NULL stays NULL. */
static inline void *recording_fold(const struct recording *r, const void *folds, uint64_t f)
{
    uint64_t at = f * recording_fold_cells(r->t) * (uint64_t)r->fold_bytes;
    return folds ? (char *)(uintptr_t)folds + at : NULL;
}

/* Bytes of a row of n counts in a GPU's block; the next row begins at a multiple of 8. */
static inline uint64_t recording_row_bytes(uint64_t n, int width) { return (n * (uint64_t)width + 7) / 8 * 8; }
/* Bytes of a GPU's block: topology, feature, then the visits of every hop. */
static inline uint64_t recording_rows_bytes(const struct trace *t, struct recording_widths w)
{
    return recording_row_bytes(t->n, w.topology) + recording_row_bytes(t->n, w.feature) +
           (uint64_t)t->workload.hops * recording_row_bytes(t->n, w.visits);
}
/* Points GPU g's rows at its block. */
void recording_set_rows(struct trace *t, int g, const void *block, struct recording_widths w);
/* A row of the current GPU that is writable and wide while it is recorded. */
static inline uint32_t *recording_wide(struct count_row row) { return (uint32_t *)(uintptr_t)row.data; }
/* Whether draws are not kept while a GPU is recorded: they follow from visits when its file is written. */
static inline bool recording_draws_last(const struct recording *r)
{
    return r->o->checkpoint && !r->o->ranges && graph_plain(r->g) && !workload_counts_draws(&r->t->workload);
}

/* A GPU's counts of one quantity, and where a fold's are added: sum = old + counts; both may be one array, or NULL. */
struct recording_target {
    struct recording *r;
    void *rows;
    int width;       /* bytes of a count of rows, which hold any sum */
    const void *old; /* of fold_bytes each, as sum */
    void *sum;
};
/* quantity 0: feature, 1 + h: visits of hop h; old and sum: [1 + hops][n] of the fold. */
struct recording_target recording_target_of(struct recording *r, int gpu, int quantity, const void *old, void *sum);
/* Adds the counts of the vertices first .. first + count - 1 to a struct recording_target, and sets them to 0. */
void recording_add(void *target, uint64_t first, uint32_t *counts, uint64_t count);

/* The same of the whole block of a quantity, of which the sample's counts are kept and all are summed. fold: of the
 * clique's, or NULL. */
void recording_add_sampled(struct recording *r, int gpu, int quantity, void *fold);
/* Sets the draws of the sampled vertices of a GPU, and their sum over all. */
void recording_sampled_draws(struct recording *r, int gpu);

/* Where each fold of the sampler's GPU ends, and what is left over: a prime number of epochs leaves some, which come
 * last and belong to no fold. end[0] = 0. Returns how many stretches there are. */
uint64_t recording_fold_ends(const struct recording *r, uint64_t end[FOLDS_MAX + 2]);

/* Counts one GPU into its rows and, where folds are kept, `sum` = `old` + its folds. *lines: transactions of its
 * sampling. Errors of trace_record. */
enum st recording_gpu(struct recording *r, int gpu, const void *old, void *sum, uint64_t *lines, struct err *err)
    MUST_USE;

/* The block of `width` counts per quantity that a fold is drawn into. */
enum st recording_block(struct recording *r, struct err *err) MUST_USE;

/* ---- side by side (recording_sides.c) ---- */

/* Records every GPU in memory, `together` at a time, each with one thread. lines: [gpus] set, as of recording_gpu. r
 * has its arrays, but neither sampler nor block. Errors of trace_record. */
enum st recording_sides(struct recording *r, int together, uint64_t *lines, struct err *err) MUST_USE;

/* ---- in a store (recording_rows.c, recording_store.c) ---- */

/* Moves a recorded GPU's rows into the file `name` of the store, each kind of count in as few bytes as its largest one
 * needs, and points the trace at them. ST_LIMIT when the disk or memory is not enough. */
enum st recording_keep_rows(struct recording *r, int gpu, const char *name, struct err *err) MUST_USE;

/* Whether GPU `gpu` is in the store, from an earlier run. *note: what is known of it; owned by the caller. */
bool recording_stored(const struct recording *r, int gpu, doc **note);
/* Records a GPU into files. Its clique's folds are kept after its last GPU, and before when they are small or were not
 * kept for a minute; GPUs since the last time are recorded again after a kill. */
enum st recording_store(struct recording *r, int gpu, struct err *err) MUST_USE;
/* Maps the files of a GPU that an earlier run finished. */
enum st recording_reuse(struct recording *r, int gpu, const doc *note, struct err *err) MUST_USE;

/* ---- where ranks own ranges (recording_ranges.c) ---- */

/* Makes the sampler of this rank's range. tasks: mini-batches that are drawn at once, at most. */
enum st recording_range_sampler(struct recording *r, uint64_t tasks, struct err *err) MUST_USE;
/* What recording_gpu does there, but for the sum of the transactions. */
enum st recording_range(struct recording *r, int gpu, const void *old, void *sum, struct err *err) MUST_USE;

#endif
