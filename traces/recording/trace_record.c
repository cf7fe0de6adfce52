/* trace_record.c - pre-sampling: draws epochs for every GPU and counts (declared in trace.h). */
#include <string.h>

#include "base/mem.h"
#include "traces/recording/recording.h"
#include "traces/sampling/seeds.h"

/* ---- where counts are kept ---- */

/* Points GPU g's rows at a block of [2 + hops][n]: topology, feature, visits. */
static void set_rows(struct trace *t, int g, const uint32_t *block)
{
    t->topology[g] = block;
    t->feature[g] = block + t->n;
    for (int h = 0; h < t->workload.hops; h++) t->visits[h][g] = block + (uint64_t)(2 + h) * t->n;
}

static uint64_t counts_bytes(const struct trace *t)
{
    return (uint64_t)(2 + t->workload.hops) * t->n * sizeof(uint32_t);
}
static uint64_t folds_bytes(const struct trace *t)
{
    return recording_fold_cells(t) * (uint64_t)t->folds * sizeof(uint16_t);
}

/* Folds have 16-bit counts: they are kept only when no clique can count beyond that in one fold. */
static bool folds_countable(const struct graph *g, const struct assignment *a, const struct workload *w,
                            uint64_t epochs)
{
    if (w->sampler == SAMPLER_WALK)
        return true; /* the bound would be far too high; recording_add notices an overflow */
    for (int c = 0; c < a->cliques; c++) {
        uint64_t tasks = 0;
        for (int i = 0; i < a->gpus; i++)
            tasks += a->clique_of[i] == c ? seeds_batches(w, g, a->train[i], a->train_count[i]) : 0;
        if (tasks * (epochs / (uint64_t)trace_folds(epochs) + 1) > UINT16_MAX) return false;
    }
    return true;
}

static enum st make_block(struct recording *r, struct err *err)
{
    enum st st = ST_OK;
    NEW(r->block, (uint64_t)(1 + r->t->workload.hops) * r->width, "the counts of a fold");
    r->c.feature = r->block;
    for (int h = 0; h < r->t->workload.hops; h++) r->c.visits[h] = r->block + (uint64_t)(1 + h) * r->width;
done:
    return st;
}

/* Allocates the arrays in memory. In a store they are made GPU by GPU. */
static enum st make_arrays(struct recording *r, struct err *err)
{
    enum st st = ST_OK;
    struct trace *t = r->t;
    uint32_t *rows = NULL;
    uint16_t *folds = NULL;
    if (t->folds || r->o->checkpoint || r->o->ranges || ranks_count() > 1) TRY(make_block(r, err));
    if (r->o->ranges || (recording_helps(r) && workload_counts_draws(&t->workload)))
        NEW(r->draws, r->width, "the counts of draws");
    if (recording_helps(r)) return ST_OK;
    if (r->o->checkpoint) {
        if (!r->o->ranges) NEW(r->rows, counts_bytes(t) / sizeof *rows, "the counts of a GPU");
        return ST_OK;
    }
    NEW(rows, counts_bytes(t) / sizeof *rows * (uint64_t)t->assignment.gpus, "the trace's counts");
    t->owned[0] = rows;
    for (int g = 0; g < t->assignment.gpus; g++) set_rows(t, g, rows + counts_bytes(t) / sizeof *rows * (uint64_t)g);
    if (!t->folds) return ST_OK;
    NEW(folds, folds_bytes(t) / sizeof *folds * (uint64_t)t->assignment.cliques, "the trace's folds");
    t->owned[3] = folds;
    for (int c = 0; c < t->assignment.cliques; c++) t->fold[c] = folds + folds_bytes(t) / sizeof *folds * (uint64_t)c;
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

static enum st record_in_memory(struct recording *r, int gpu, struct err *err)
{
    struct trace *t = r->t;
    int c = t->assignment.clique_of[gpu];
    uint16_t *fold = (uint16_t *)(uintptr_t)t->fold[c];
    uint64_t lines;
    enum st st = recording_gpu(r, gpu, fold, fold, &lines, err);
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
    r->t->fold[c] = folds->data;
    memset(folds, 0, sizeof *folds);
    if (before < 0) return;
    name_folds(r, before, name);
    checkpoint_drop(r->o->checkpoint, name);
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
    name_rows(r, gpu, name);
    TRY(checkpoint_make(r->o->checkpoint, name, counts_bytes(t), &t->kept[gpu], err));
    if (r->rows) memset(r->rows, 0, counts_bytes(t));
    set_rows(t, gpu, r->rows ? r->rows : t->kept[gpu].data);
    name_folds(r, gpu, name);
    if (t->folds) TRY(checkpoint_make(r->o->checkpoint, name, folds_bytes(t), &folds, err));
    TRY(recording_gpu(r, gpu, t->fold[t->assignment.clique_of[gpu]], folds.data, &lines, err));
    if (r->rows) memcpy(t->kept[gpu].data, r->rows, counts_bytes(t));
    set_rows(t, gpu, t->kept[gpu].data);
    checkpoint_drop_pages(t->kept[gpu].data, t->kept[gpu].bytes);
    doc *note = doc_object();
    doc_put(note, "lines", doc_integer((int64_t)lines));
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
    TRY(checkpoint_map(r->o->checkpoint, name, counts_bytes(t), &t->kept[gpu], err));
    set_rows(t, gpu, t->kept[gpu].data);
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
        st = checkpoint_map(r->o->checkpoint, name, folds_bytes(t), &folds, err);
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
    return ranks_give(0, (void *)(uintptr_t)r->t->topology[gpu], counts_bytes(r->t), err);
}

/* Gives what all GPUs together change: the others did not see the GPUs that the first rank found in its store. */
static enum st give_sums(struct recording *r, struct err *err)
{
    enum st st;
    struct trace *t = r->t;
    TRY(ranks_give(0, t->n_tsum, sizeof t->n_tsum, err));
    TRY(ranks_give(0, &r->overflow, sizeof r->overflow, err));
    for (int c = 0; t->folds && c < t->assignment.cliques; c++)
        TRY(ranks_give(0, (void *)(uintptr_t)t->fold[c], folds_bytes(t), err));
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
    struct recording r = {.g = g, .o = o, .t = &t, .drawn = *w, .width = g->n};
    uint64_t tasks = 0;
    bool dependent = o->as_run && workload_batches_depend(w);
    if (!dependent) r.drawn.batch_dependency = 1;
    snprintf(t.server_name, sizeof t.server_name, "%s", o->server_name ? o->server_name : "");
    snprintf(t.server_fingerprint, sizeof t.server_fingerprint, "%s",
             o->server_fingerprint ? o->server_fingerprint : "");
    for (int i = 0; i < a->gpus; i++) tasks += seeds_batches(w, g, a->train[i], a->train_count[i]) * o->epochs;
    progress_begin(&r.bar, "pre-sampling", tasks / (uint64_t)ranks_count(), o->progress);
    TRY(assignment_copy(a, &t.assignment, err));
    if (o->folds && !dependent && folds_countable(g, a, w, o->epochs)) {
        t.folds = trace_folds(t.epochs);
        t.folds_per_epoch = t.epochs == 1 ? t.folds : 1.0 / (double)(t.epochs / (uint64_t)t.folds);
    }
    if (o->ranges) r.width = graph_ranges_end(o->ranges) - graph_ranges_first(o->ranges);
    TRY(make_arrays(&r, err));
    if (o->ranges) TRY(recording_range_sampler(&r, tasks, err));
    else {
        TRY(sampler_new(g, &r.drawn, o->line_bytes, o->threads, &r.s, err));
        TRY(sampler_use_device(r.s, o->kernels, o->facts, err));
    }
    TRY(record_gpus(&r, err));
    if (r.overflow) drop_folds(&t);
    *out = t;
    memset(&t, 0, sizeof t);
done:
    progress_end(&r.bar);
    mem_free(r.block);
    mem_free(r.rows);
    mem_free(r.draws);
    range_draws_free(r.draw);
    sampler_free(r.s);
    trace_release(&t);
    return st;
}
