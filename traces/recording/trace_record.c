/* trace_record.c - pre-sampling: draws epochs for every GPU and counts (declared in trace.h). */
#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"
#include "traces/sampling/seeds.h"
#include "traces/recording/fold_sums.h"
#include "traces/recording/trace.h"

/* A recording in progress. */
struct recording {
    const struct graph *g;
    const struct trace_options *o;
    struct trace *t;
    struct sampler *s;
    struct workload drawn; /* the workload as it is drawn: see as_run in trace.h */
    struct progress bar;
    struct sample_counts c; /* counts of the current fold; without folds, in a store, of all epochs */
    uint32_t *block;        /* [1 + hops][n] arrays of c; NULL: c counts into the GPU's rows directly */
    uint32_t *rows;  /* [2 + hops][n] the current GPU's rows when there is a store, so that its file is written once */
    uint32_t *draws; /* [n] of a rank that keeps no counts, for samplers whose draws are counted; else NULL */
    int fold_bytes;  /* of a fold's count: 1 or 2; 0: they are not kept */
    bool overflow;
};

/* Whether this rank only draws, and hands its counts to the first one. */
static bool helps(const struct recording *r) { return r->o->first_keeps && !ranks_first(); }

/* ---- where counts are kept ---- */

/* Points GPU g's rows at a block: topology and feature, [n] each of 4 bytes; visits, [hops][n] of `bytes` bytes. */
static void set_rows(struct trace *t, int g, const void *block, int bytes)
{
    const char *visits = (const char *)block + 2 * t->n * sizeof(uint32_t);
    t->topology[g] = block;
    t->feature[g] = t->topology[g] + t->n;
    for (int h = 0; h < t->workload.hops; h++)
        t->visits[h][g] = (struct count_row){visits + (uint64_t)h * t->n * (uint64_t)bytes, bytes};
}

/* Size of that block. */
static uint64_t rows_bytes(const struct trace *t, int bytes)
{
    return t->n * (2 * sizeof(uint32_t) + (uint64_t)t->workload.hops * (uint64_t)bytes);
}
static uint64_t counts_bytes(const struct trace *t) { return rows_bytes(t, sizeof(uint32_t)); }
static uint64_t fold_cells(const struct trace *t) { return (uint64_t)(1 + t->workload.hops) * t->n; }
static uint64_t folds_bytes(const struct recording *r)
{
    return fold_cells(r->t) * (uint64_t)r->t->folds * (uint64_t)r->fold_bytes;
}

/* Bytes of a fold's count, so that no clique can count beyond them in one fold: 1 or 2. 0: two are not enough. */
static int fold_bytes_needed(const struct graph *g, const struct assignment *a, const struct workload *w,
                             uint64_t epochs)
{
    uint64_t most = 0, reads = w->frontier == FRONTIER_LAYERS ? (uint64_t)w->hops + 1 : 1; /* per mini-batch */
    if (w->sampler == SAMPLER_WALK) return 2; /* the bound would be far too high; add_block notices an overflow */
    for (int c = 0; c < a->cliques; c++) {
        uint64_t tasks = 0;
        for (int i = 0; i < a->gpus; i++)
            tasks += a->clique_of[i] == c ? seeds_batches(w, g, a->train[i], a->train_count[i]) : 0;
        most = tasks > most ? tasks : most;
    }
    most *= epochs / (uint64_t)trace_folds(epochs) + 1;
    return most * reads <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 0;
}

static enum st make_block(struct recording *r, struct err *err)
{
    enum st st = ST_OK;
    NEW(r->block, fold_cells(r->t), "the counts of a fold");
    r->c.feature = r->block;
    for (int h = 0; h < r->t->workload.hops; h++) r->c.visits[h] = r->block + (uint64_t)(1 + h) * r->t->n;
done:
    return st;
}

/* Allocates the arrays in memory. In a store they are made GPU by GPU. */
static enum st make_arrays(struct recording *r, struct err *err)
{
    enum st st = ST_OK;
    struct trace *t = r->t;
    uint32_t *rows = NULL;
    uint8_t *folds = NULL;
    if (t->folds || r->o->checkpoint || ranks_count() > 1) TRY(make_block(r, err));
    if (helps(r)) {
        if (workload_counts_draws(&t->workload)) NEW(r->draws, t->n, "the counts of draws");
        return ST_OK;
    }
    if (r->o->checkpoint) {
        NEW(r->rows, counts_bytes(t) / sizeof *rows, "the counts of a GPU");
        return ST_OK;
    }
    NEW(rows, counts_bytes(t) / sizeof *rows * (uint64_t)t->assignment.gpus, "the trace's counts");
    t->owned[0] = rows;
    for (int g = 0; g < t->assignment.gpus; g++)
        set_rows(t, g, rows + counts_bytes(t) / sizeof *rows * (uint64_t)g, sizeof *rows);
    if (!t->folds) return ST_OK;
    NEW(folds, folds_bytes(r) * (uint64_t)t->assignment.cliques, "the trace's folds");
    t->owned[3] = folds;
    for (int c = 0; c < t->assignment.cliques; c++)
        t->fold[c] = (struct count_row){folds + folds_bytes(r) * (uint64_t)c, r->fold_bytes};
done:
    return st;
}

static void drop_folds(struct trace *t)
{
    mem_free(t->owned[3]);
    t->owned[3] = NULL;
    for (int c = 0; c < t->assignment.cliques; c++) checkpoint_unmap(&t->kept_folds[c]);
    t->folds = 0;
    memset(t->fold, 0, sizeof t->fold);
}

/* ---- counting ---- */

/* Adds the block to a GPU's rows and, where `f` keeps sums, to the clique's fold, whose rows follow each other. Then
 * sets the block to 0. */
static enum st add_block(struct recording *r, int gpu, struct fold_row f, struct err *err)
{
    enum st st = ST_OK;
    const struct trace *t = r->t;
    for (int q = 0; q <= t->workload.hops; q++) {
        const void *counts = q ? t->visits[q - 1][gpu].data : t->feature[gpu]; /* 4 bytes each while recording */
        TRY(fold_add(&f, r->block + (uint64_t)q * t->n, (uint32_t *)(uintptr_t)counts, t->n, r->o->threads,
                     &r->overflow, err));
        fold_skip(&f, t->n);
    }
done:
    return st;
}

/* This rank's part of the tasks from..to of the current GPU, with progress. */
static void run_tasks(struct recording *r, uint64_t from, uint64_t to)
{
    enum { STEP = 64 };
    uint64_t all = to - from;
    to = from + ranks_begin_of(all, ranks_number() + 1);
    from += ranks_begin_of(all, ranks_number());
    for (uint64_t at = from; at < to; at += STEP) {
        uint64_t end = at + STEP < to ? at + STEP : to;
        sampler_run(r->s, at, end, &r->c);
        progress_add(&r->bar, end - at);
    }
}

/* Draws all epochs fold by fold; epochs that are left over (a prime number of them) come last and belong to no fold. A
 * device draws the next fold while the host adds up this one. */
static enum st run_folds(struct recording *r, int gpu, struct fold_row sums, struct err *err)
{
    enum st st = ST_OK;
    const struct trace *t = r->t;
    const bool ahead = sampler_on_device(r->s);
    uint64_t batches = sampler_batches(r->s), folds = (uint64_t)t->folds, all = t->epochs * batches,
             covered = !folds           ? 0
                       : t->epochs == 1 ? batches
                                        : t->epochs / folds * folds * batches;
    uint64_t end[FOLDS_MAX + 2] = {0}; /* end of each fold, and of what is left over; end[0] = 0 */
    for (uint64_t f = 1; f <= folds; f++) end[f] = covered * f / folds;
    end[folds + 1] = all;
    if (ahead) run_tasks(r, 0, end[1]);
    for (uint64_t f = 0; f < folds + (covered < all); f++) {
        if (!ahead) run_tasks(r, end[f], end[f + 1]);
        TRY(sampler_collect(r->s, &r->c, err));
        if (ahead && f < folds) run_tasks(r, end[f + 1], end[f + 2]);
        TRY(ranks_sum(r->block, fold_cells(t), !r->o->first_keeps, err));
        if (helps(r)) memset(r->block, 0, fold_cells(t) * sizeof *r->block);
        else TRY(add_block(r, gpu, f < folds ? sums : (struct fold_row){.bytes = 1}, err));
        fold_skip(&sums, fold_cells(t));
    }
done:
    return st;
}

/* Counts one GPU into its rows and, where folds are kept, its folds into the clique's sums. *lines: transactions of its
 * sampling. */
static enum st record_gpu(struct recording *r, int gpu, struct fold_row sums, uint64_t *lines, struct err *err)
{
    enum st st;
    struct trace *t = r->t;
    const struct assignment *a = &t->assignment;
    uint32_t *draws = helps(r) ? r->draws : (uint32_t *)(uintptr_t)t->topology[gpu], *visits[HOPS_MAX] = {NULL};
    for (int h = 0; h < t->workload.hops; h++) visits[h] = (uint32_t *)(uintptr_t)t->visits[h][gpu].data;
    r->c.draws = workload_counts_draws(&t->workload) ? draws : NULL;
    if (!r->block) {
        r->c.feature = (uint32_t *)(uintptr_t)t->feature[gpu];
        memcpy(r->c.visits, visits, sizeof visits);
    }
    TRY(sampler_gpu(r->s, a->id[gpu], assignment_seeds(a, gpu), a->train_count[gpu], t->epochs, err));
    TRY(sampler_fits(r->s, sampler_batches(r->s) * t->epochs, err));
    r->c.total_lines = 0;
    if (r->draws) memset(r->draws, 0, t->n * sizeof *draws);
    if (r->block) TRY(run_folds(r, gpu, sums, err));
    else {
        run_tasks(r, 0, sampler_batches(r->s) * t->epochs);
        TRY(sampler_collect(r->s, &r->c, err));
    }
    if (r->c.draws) TRY(ranks_sum(draws, t->n, !r->o->first_keeps, err));
    TRY(ranks_sum_wide(&r->c.total_lines, 1, err));
    *lines = r->c.total_lines;
    if (helps(r)) return ST_OK;
#pragma omp parallel for num_threads(r->o->threads)
    for (uint64_t v = 0; v < (r->c.draws ? 0 : t->n); v++)
        draws[v] = (uint32_t)sample_draws(&t->workload, graph_degree(r->g, v), visits, v);
done:
    return st;
}

static enum st record_in_memory(struct recording *r, int gpu, struct err *err)
{
    struct trace *t = r->t;
    int c = t->assignment.clique_of[gpu];
    uint64_t lines;
    struct fold_row sums = {r->fold_bytes, t->fold[c].data, .after = (void *)(uintptr_t)t->fold[c].data};
    enum st st = record_gpu(r, gpu, sums, &lines, err);
    if (st == ST_OK) t->n_tsum[c] += lines;
    return st;
}

/* ---- recording into a store ---- */

enum { NAME_BYTES = 96 };

static void name_rows(const struct recording *r, int gpu, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%.63sgpu%d", r->o->part, gpu);
}
/* The folds of a clique after GPU `gpu` was added. */
static void name_folds(const struct recording *r, int gpu, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%.63sfolds%d", r->o->part, gpu);
}

/* The GPU before this one in its clique; -1: it is the first. */
static int gpu_before(const struct assignment *a, int gpu)
{
    int i = gpu - 1;
    while (i >= 0 && a->clique_of[i] != a->clique_of[gpu]) i--;
    return i;
}

/* Keeps the folds that include GPU `gpu` and drops the file of those before. */
static void keep_folds(struct recording *r, int gpu, struct checkpoint_array *folds)
{
    char name[NAME_BYTES];
    int c = r->t->assignment.clique_of[gpu], before = gpu_before(&r->t->assignment, gpu);
    checkpoint_unmap(&r->t->kept_folds[c]);
    r->t->kept_folds[c] = *folds;
    r->t->fold[c] = (struct count_row){folds->data, r->fold_bytes};
    memset(folds, 0, sizeof *folds);
    if (before < 0) return;
    name_folds(r, before, name);
    checkpoint_drop(r->o->checkpoint, name);
}

/* Moves a recorded GPU's rows into its file, visits in as few bytes as the largest of them needs. */
static enum st keep_rows(struct recording *r, int gpu, struct err *err)
{
    enum st st;
    char name[NAME_BYTES];
    struct trace *t = r->t;
    uint64_t n = t->n, hops = (uint64_t)t->workload.hops;
    uint32_t all = 0, *visits = r->rows + 2 * n;
#pragma omp parallel for num_threads(r->o->threads) reduction(| : all)
    for (uint64_t i = 0; i < hops * n; i++) all |= visits[i];
    int bytes = count_bytes(all);
    name_rows(r, gpu, name);
    TRY(checkpoint_make(r->o->checkpoint, name, rows_bytes(t, bytes), &t->kept[gpu], err));
    set_rows(t, gpu, t->kept[gpu].data, bytes);
    /* Narrow counts take the place of wide ones, chunk by chunk: what is written was read before. */
    for (uint64_t i = 0; bytes < (int)sizeof *visits && i < hops * n; i++) {
        uint32_t count = visits[i];
        count_put(visits, bytes, i, count);
    }
    TRY(checkpoint_write(r->o->checkpoint, name, 0, r->rows, rows_bytes(t, bytes), err));
done:
    return st;
}

/* Records one GPU into files of its own. The note that finishes it comes last: after a kill it is drawn again. */
static enum st record_part(struct recording *r, int gpu, struct err *err)
{
    enum st st;
    char name[NAME_BYTES];
    struct checkpoint_array folds = {0};
    struct trace *t = r->t;
    uint64_t lines = 0;
    bool before = r->overflow;
    r->overflow = false;
    memset(r->rows, 0, counts_bytes(t));
    set_rows(t, gpu, r->rows, sizeof *r->rows);
    name_folds(r, gpu, name);
    if (t->folds) TRY(checkpoint_make(r->o->checkpoint, name, folds_bytes(r), &folds, err));
    struct fold_row sums = {r->fold_bytes, t->fold[t->assignment.clique_of[gpu]].data, .store = r->o->checkpoint,
                            .file = name};
    TRY(record_gpu(r, gpu, sums, &lines, err));
    TRY(keep_rows(r, gpu, err));
    doc *note = doc_object();
    doc_put(note, "lines", doc_integer((int64_t)lines));
    doc_put(note, "visit_bytes", doc_integer(t->visits[0][gpu].bytes));
    doc_put(note, "overflow", doc_bool(r->overflow));
    name_rows(r, gpu, name);
    TRY(checkpoint_finish(r->o->checkpoint, name, note, err));
    if (t->folds) keep_folds(r, gpu, &folds);
    t->n_tsum[t->assignment.clique_of[gpu]] += lines;
done:
    r->overflow |= before;
    checkpoint_unmap(&folds);
    return st;
}

/* Maps the files of a GPU that an earlier run finished. */
static enum st reuse_part(struct recording *r, int gpu, const doc *note, struct err *err)
{
    enum st st;
    char name[NAME_BYTES];
    struct checkpoint_array folds = {0};
    struct trace *t = r->t;
    const struct assignment *a = &t->assignment;
    int c = a->clique_of[gpu], next = gpu + 1;
    name_rows(r, gpu, name);
    int64_t noted = doc_integer_value(doc_get(note, "visit_bytes"), 0);
    int bytes = noted == 1 || noted == 2 ? (int)noted : (int)sizeof(uint32_t);
    TRY(checkpoint_map(r->o->checkpoint, name, rows_bytes(t, bytes), &t->kept[gpu], err));
    set_rows(t, gpu, t->kept[gpu].data, bytes);
    t->n_tsum[c] += (uint64_t)doc_integer_value(doc_get(note, "lines"), 0);
    r->overflow |= doc_bool_value(doc_get(note, "overflow"), false);
    while (next < a->gpus && a->clique_of[next] != c) next++;
    doc *later = NULL;
    if (next < a->gpus) {
        name_rows(r, next, name);
        later = checkpoint_finished(r->o->checkpoint, name);
    }
    if (t->folds && !later) { /* only the last folds of a clique are kept */
        name_folds(r, gpu, name);
        st = checkpoint_map(r->o->checkpoint, name, folds_bytes(r), &folds, err);
        if (st == ST_OK) keep_folds(r, gpu, &folds);
    }
    doc_free(later);
    progress_add(&r->bar, seeds_batches(&t->workload, r->g, a->train[gpu], a->train_count[gpu]) * t->epochs /
                              (uint64_t)ranks_count());
done:
    return st;
}

/* Gives the counts of a GPU that the first rank found in its store to the others. */
static enum st give_rows(struct recording *r, int gpu, struct err *err)
{
    enum st st;
    void *block = (void *)(uintptr_t)r->t->topology[gpu];
    int bytes = r->t->visits[0][gpu].bytes;
    TRY(ranks_give(0, &bytes, sizeof bytes, err));
    set_rows(r->t, gpu, block, bytes);
    TRY(ranks_give(0, block, rows_bytes(r->t, bytes), err));
done:
    return st;
}

/* Gives what all GPUs together change: the others did not see the GPUs that the first rank found in its store. */
static enum st give_sums(struct recording *r, struct err *err)
{
    enum st st;
    struct trace *t = r->t;
    TRY(ranks_give(0, t->n_tsum, sizeof t->n_tsum, err));
    TRY(ranks_give(0, &r->overflow, sizeof r->overflow, err));
    for (int c = 0; t->folds && c < t->assignment.cliques; c++)
        TRY(ranks_give(0, (void *)(uintptr_t)t->fold[c].data, folds_bytes(r), err));
done:
    return st;
}

/* Records every GPU that is not in the store yet. The first rank has the store, if there is one, and says what is. */
static enum st record_gpus(struct recording *r, struct err *err)
{
    enum st st = ST_OK;
    doc *note = NULL;
    bool found = false;
    for (int i = 0; i < r->t->assignment.gpus; i++) {
        char name[NAME_BYTES];
        name_rows(r, i, name);
        doc_free(note);
        note = r->o->checkpoint ? checkpoint_finished(r->o->checkpoint, name) : NULL;
        bool there = note != NULL;
        TRY(ranks_give(0, &there, sizeof there, err));
        found |= there;
        if (!there) TRY(r->o->checkpoint ? record_part(r, i, err) : record_in_memory(r, i, err));
        else if (note) TRY(reuse_part(r, i, note, err));
        if (there && !r->o->first_keeps) TRY(give_rows(r, i, err));
    }
    if (found && !r->o->first_keeps) TRY(give_sums(r, err));
done:
    doc_free(note);
    return st;
}

/* ---- all ---- */

enum st trace_record(const struct graph *g, const struct assignment *a, const struct workload *w,
                     const struct trace_options *o, struct trace *out, struct err *err)
{
    enum st st;
    struct trace t = {.workload = *w,
                      .epochs = o->epochs,
                      .line_bytes = o->line_bytes,
                      .n = g->n,
                      .n_tsum_source = "model"};
    struct recording r = {.g = g, .o = o, .t = &t, .drawn = *w};
    uint64_t tasks = 0;
    bool dependent = o->as_run && workload_batches_depend(w);
    if (!dependent) r.drawn.batch_dependency = 1;
    snprintf(t.server_name, sizeof t.server_name, "%s", o->server_name ? o->server_name : "");
    snprintf(t.server_fingerprint, sizeof t.server_fingerprint, "%s",
             o->server_fingerprint ? o->server_fingerprint : "");
    for (int i = 0; i < a->gpus; i++) tasks += seeds_batches(w, g, a->train[i], a->train_count[i]) * o->epochs;
    progress_begin(&r.bar, "pre-sampling", tasks / (uint64_t)ranks_count(), o->progress);
    TRY(assignment_copy(a, &t.assignment, err));
    if (o->folds && !dependent) r.fold_bytes = fold_bytes_needed(g, a, w, o->epochs);
    if (r.fold_bytes) {
        t.folds = trace_folds(t.epochs);
        t.folds_per_epoch = t.epochs == 1 ? t.folds : 1.0 / (double)(t.epochs / (uint64_t)t.folds);
    }
    TRY(make_arrays(&r, err));
    TRY(sampler_new(g, &r.drawn, o->line_bytes, o->threads, &r.s, err));
    TRY(sampler_use_device(r.s, o->kernels, o->facts, err));
    TRY(record_gpus(&r, err));
    if (r.overflow) drop_folds(&t);
    *out = t;
    memset(&t, 0, sizeof t);
done:
    progress_end(&r.bar);
    mem_free(r.block);
    mem_free(r.rows);
    mem_free(r.draws);
    sampler_free(r.s);
    trace_release(&t);
    return st;
}
