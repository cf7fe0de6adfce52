/* trace_record.c - pre-sampling: draws epochs for every GPU and counts (declared in trace.h). */
#include <string.h>

#include "base/mem.h"
#include "traces/recording/recording.h"
#include "traces/sampling/seeds.h"

/* ---- where counts are kept ---- */

void recording_set_rows(struct trace *t, int g, const void *block, struct recording_widths w)
{
    const char *feature = (const char *)block + recording_row_bytes(t->n, w.topology),
               *visits = feature + recording_row_bytes(t->n, w.feature);
    t->topology[g] = (struct count_row){block, w.topology};
    t->feature[g] = (struct count_row){feature, w.feature};
    for (int h = 0; h < t->workload.hops; h++)
        t->visits[h][g] = (struct count_row){visits + (uint64_t)h * recording_row_bytes(t->n, w.visits), w.visits};
}

/* Mini-batches of an epoch: of the GPU with most, and of the clique with most. */
static void most_batches(const struct graph *g, const struct assignment *a, const struct workload *w, uint64_t *gpu,
                         uint64_t *clique)
{
    uint64_t sum[GPUS_MAX] = {0};
    *gpu = *clique = 0;
    for (int i = 0; i < a->gpus; i++) {
        uint64_t batches = seeds_batches(w, g, a->train[i], a->train_count[i]), *all = &sum[a->clique_of[i]];
        *all += batches;
        *gpu = batches > *gpu ? batches : *gpu;
        *clique = *all > *clique ? *all : *clique;
    }
}

/* Bytes of a fold's count, so that no clique can count beyond them in one fold: 1 or 2. 0: two are not enough. */
static int fold_bytes_needed(const struct graph *g, const struct assignment *a, const struct workload *w,
                             uint64_t epochs)
{
    uint64_t gpu, most, reads = w->frontier == FRONTIER_LAYERS ? (uint64_t)w->hops + 1 : 1; /* per mini-batch */
    if (workload_revisits(w)) return 2; /* the bound would be far too high; recording_add notices an overflow */
    most_batches(g, a, w, &gpu, &most);
    most *= epochs / (uint64_t)trace_folds(epochs) + 1;
    return most * reads <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 0;
}

/* Bytes that no count of a GPU can pass: a mini-batch has a vertex once, but for layers, walks and trees. */
static struct recording_widths widths_needed(const struct recording *r)
{
    const struct workload *w = &r->t->workload;
    struct recording_widths wide = recording_widest(r);
    uint64_t most, clique, reads = w->frontier == FRONTIER_LAYERS ? (uint64_t)w->hops + 1 : 1;
    most_batches(r->g, &r->t->assignment, w, &most, &clique);
    most *= r->o->epochs;
    if (recording_draws_last(r)) wide.topology = 0;
    if (r->o->ranges || workload_revisits(w) || most * reads > UINT16_MAX) return wide;
    wide.visits = count_bytes((uint32_t)most);
    wide.feature = count_bytes((uint32_t)(most * reads));
    return wide;
}

enum st recording_block(struct recording *r, struct err *err)
{
    MAKE(r->block, recording_block_cells(r), "the counts of a fold");
    r->c.feature = r->block;
    for (int h = 0; h < r->t->workload.hops; h++) r->c.visits[h] = r->block + (uint64_t)(1 + h) * r->width;
    return ST_OK;
}

/* Of a store: the rows of the current GPU and the folds of its clique, but where ranks own ranges. */
static enum st make_buffers(struct recording *r, struct err *err)
{
    if (r->o->ranges) return ST_OK;
    r->widths = widths_needed(r);
    MAKE(r->rows, recording_rows_bytes(r->t, r->widths), "the counts of a GPU");
    MAKE(r->sums, recording_folds_bytes(r), "the folds of a clique");
    return ST_OK;
}

/* Whether a fold, or what ranks share, is counted by itself before it is added. */
static bool needs_block(const struct recording *r)
{
    return r->t->folds || r->o->checkpoint || r->o->ranges || recording_samples(r) || ranks_count() > 1;
}

/* GPUs that are recorded at a time. */
static int sides_of(const struct recording *r)
{
    const struct trace_options *o = r->o;
    const bool device = o->kernels && o->kernels->sampling;
    if (!r->fold_bytes || o->checkpoint || o->ranges || ranks_count() > 1 || device || r->draws) return 1;
    return trace_record_together(r->width, &r->drawn, r->t->assignment.gpus, o->threads);
}

/* Allocates the arrays in memory. In a store they are made GPU by GPU. */
static enum st make_arrays(struct recording *r, struct err *err)
{
    struct trace *t = r->t;
    char *rows = NULL, *folds = NULL;
    uint64_t each = recording_rows_bytes(t, recording_widest(r));
    if (recording_samples(r)) MAKE(t->sums, t->assignment.gpus, "sums of counts");
    if (r->o->ranges || ((recording_helps(r) || recording_samples(r)) && recording_counts_draws(r)))
        MAKE(r->draws, r->width, "the counts of draws");
    if (recording_helps(r)) return ST_OK;
    if (r->o->checkpoint) return make_buffers(r, err);
    MAKE(rows, each * (uint64_t)t->assignment.gpus, "the trace's counts");
    t->owned[0] = rows;
    mem_touch(rows, each * (uint64_t)t->assignment.gpus, r->o->threads);
    for (int g = 0; g < t->assignment.gpus; g++)
        recording_set_rows(t, g, rows + each * (uint64_t)g, recording_widest(r));
    if (!t->folds) return ST_OK;
    MAKE(folds, recording_folds_bytes(r) * (uint64_t)t->assignment.cliques, "the trace's folds");
    t->owned[3] = folds;
    mem_touch(folds, recording_folds_bytes(r) * (uint64_t)t->assignment.cliques, r->o->threads);
    for (int c = 0; c < t->assignment.cliques; c++)
        t->fold[c] = (struct count_row){folds + recording_folds_bytes(r) * (uint64_t)c, r->fold_bytes};
    return ST_OK;
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
    const void *fold = t->fold[c].data;
    uint64_t lines;
    enum st st = recording_gpu(r, gpu, fold, (void *)(uintptr_t)fold, &lines, err);
    if (st == ST_OK) t->n_tsum[c] += lines;
    return st;
}

/* ---- what ranks share ---- */

/* Gives the counts of a GPU that the first rank found in its store to the others. */
static enum st give_rows(struct recording *r, int gpu, struct err *err)
{
    struct trace *t = r->t;
    void *block = (void *)(uintptr_t)t->topology[gpu].data;
    struct recording_widths w = {t->topology[gpu].bytes, t->feature[gpu].bytes, t->visits[0][gpu].bytes};
    PASS(ranks_give(0, &w, sizeof w, err));
    recording_set_rows(t, gpu, block, w);
    return ranks_give(0, block, recording_rows_bytes(t, w), err);
}

/* Gives what all GPUs together change: the others did not see the GPUs that the first rank found in its store. */
static enum st give_sums(struct recording *r, struct err *err)
{
    struct trace *t = r->t;
    PASS(ranks_give(0, t->n_tsum, sizeof t->n_tsum, err));
    PASS(ranks_give(0, &r->overflow, sizeof r->overflow, err));
    for (int c = 0; t->folds && c < t->assignment.cliques; c++)
        PASS(ranks_give(0, (void *)(uintptr_t)t->fold[c].data, recording_folds_bytes(r), err));
    return ST_OK;
}

/* Records a GPU that is not in the store yet. The first rank has the store, if there is one. *found: the store has some
 * GPU. */
static enum st record_one(struct recording *r, int gpu, bool *found, struct err *err)
{
    OWNED_DOC doc *note = NULL;
    bool there = r->o->checkpoint && recording_stored(r, gpu, &note);
    PASS(ranks_give(0, &there, sizeof there, err));
    *found |= there;
    if (!there) PASS(r->o->checkpoint ? recording_store(r, gpu, err) : record_in_memory(r, gpu, err));
    else if (note) PASS(recording_reuse(r, gpu, note, err));
    if (there && !r->o->first_keeps) PASS(give_rows(r, gpu, err));
    return ST_OK;
}

/* Clique by clique, so that one clique's folds are added up at a time. */
static enum st record_gpus(struct recording *r, struct err *err)
{
    const struct assignment *a = &r->t->assignment;
    bool found = false;
    for (int c = 0; c < a->cliques; c++)
        for (int i = 0; i < a->gpus; i++)
            if (a->clique_of[i] == c) PASS(record_one(r, i, &found, err));
    if (found && !r->o->first_keeps) PASS(give_sums(r, err));
    return ST_OK;
}

/* Side by side, or with all threads for one GPU after the other. */
static enum st record_all(struct recording *r, uint64_t tasks, int together, struct err *err)
{
    struct trace *t = r->t;
    const struct trace_options *o = r->o;
    if (together > 1) {
        uint64_t lines[GPUS_MAX];
        PASS(recording_sides(r, together, lines, err));
        for (int g = 0; g < t->assignment.gpus; g++) t->n_tsum[t->assignment.clique_of[g]] += lines[g];
        return ST_OK;
    }
    if (needs_block(r)) PASS(recording_block(r, err));
    if (o->ranges) PASS(recording_range_sampler(r, tasks, err));
    else {
        PASS(sampler_new(r->g, &r->drawn, o->line_bytes, o->threads, &r->s, err));
        PASS(sampler_use_device(r->s, o->kernels, o->facts, err));
    }
    return record_gpus(r, err);
}

/* ---- all ---- */

enum st trace_record(const struct graph *g, const struct assignment *a, const struct workload *w,
                     const struct trace_options *o, struct trace *out, struct err *err)
{
    enum st st;
    ON_HEAP(struct trace, t);
    *t = (struct trace){.workload = *w,
                        .epochs = o->epochs,
                        .line_bytes = o->line_bytes,
                        .n = o->sample.rows ? o->sample.rows : g->n,
                        .n_tsum_source = "model"};
    struct progress bar;
    struct recording r = {.g = g, .o = o, .t = t, .drawn = *w, .width = g->n, .bar = &bar};
    uint64_t tasks = 0;
    bool dependent = o->as_run && workload_batches_depend(w);
    if (!dependent) r.drawn.batch_dependency = 1;
    snprintf(t->server_name, sizeof t->server_name, "%s", o->server_name ? o->server_name : "");
    snprintf(t->server_fingerprint, sizeof t->server_fingerprint, "%s",
             o->server_fingerprint ? o->server_fingerprint : "");
    for (int i = 0; i < a->gpus; i++) tasks += seeds_batches(w, g, a->train[i], a->train_count[i]) * o->epochs;
    progress_begin(&bar, "pre-sampling", tasks / (uint64_t)ranks_count(), o->progress);
    BUG_IF(o->sample.rows && (o->checkpoint || o->ranges || !graph_plain(g)));
    TRY(assignment_copy(a, &t->assignment, err));
    if (o->folds && !dependent && (graph_plain(g) || o->epochs > 1))
        r.fold_bytes = fold_bytes_needed(g, a, w, o->epochs);
    if (r.fold_bytes) {
        t->folds = trace_folds(t->epochs);
        t->folds_per_epoch = trace_folds_per_epoch(t->epochs);
    }
    if (o->ranges) r.width = graph_ranges_end(o->ranges) - graph_ranges_first(o->ranges);
    TRY(make_arrays(&r, err));
    TRY(record_all(&r, tasks, sides_of(&r), err));
    if (r.overflow) drop_folds(t);
    *out = *t;
    memset(t, 0, sizeof *t);
done:
    progress_end(&bar);
    mem_free(r.block);
    mem_free(r.rows);
    mem_free(r.sums);
    mem_free(r.draws);
    range_draws_free(r.draw);
    sampler_free(r.s);
    trace_release(t);
    return st;
}
