/* typed_record.c - pre-sampling on a typed graph (declared in typed_trace.h). */
#include <string.h>

#include "base/mem.h"
#include "traces/graph/rows.h"
#include "traces/typed_sampling/typed_trace.h"

struct recording {
    const struct typed_trace_options *o;
    struct typed_trace *t;
    struct typed_sampler *s;
    struct progress bar;
    struct typed_counts c;
    uint32_t *block; /* [cells] counts of the current fold */
    uint64_t cells;  /* (hops + 1) * n */
    bool overflow;
};

void typed_trace_release(struct typed_trace *t)
{
    assignment_release(&t->assignment);
    for (int i = 0; i < 2; i++) mem_free(t->owned[i]);
    for (int i = 0; i < 3; i++) npy_release(&t->mapped[i]);
    memset(t, 0, sizeof *t);
}

static enum st make_arrays(struct recording *r, struct err *err)
{
    enum st st = ST_OK;
    struct typed_trace *t = r->t;
    uint32_t *rows = NULL;
    uint16_t *folds = NULL;
    uint64_t hops = (uint64_t)t->workload.hops;
    NEW(r->block, r->cells, "the counts of a fold");
    for (uint64_t h = 0; h < hops; h++) r->c.visits[h] = r->block + h * t->n;
    r->c.feature = r->block + hops * t->n;
    NEW(rows, r->cells * (uint64_t)t->assignment.gpus, "the trace's counts");
    t->owned[0] = rows;
    for (int g = 0; g < t->assignment.gpus; g++, rows += r->cells) {
        for (uint64_t h = 0; h < hops; h++) t->visits[h][g] = rows + h * t->n;
        t->feature[g] = rows + hops * t->n;
    }
    if (!t->folds) return ST_OK;
    NEW(folds, r->cells * (uint64_t)(t->folds * t->assignment.cliques), "the trace's folds");
    t->owned[1] = folds;
    for (int c = 0; c < t->assignment.cliques; c++) t->fold[c] = folds + r->cells * (uint64_t)(c * t->folds);
done:
    return st;
}

/* Adds the block to GPU g's rows and, unless NULL, to a fold; then sets it to 0. */
static void add_block(struct recording *r, uint32_t *rows, uint16_t *fold)
{
    uint32_t all = 0;
#pragma omp parallel for num_threads(r->o->threads) if (r->cells >= ROWS_PARALLEL) reduction(| : all)
    for (uint64_t i = 0; i < r->cells; i++) {
        rows[i] += r->block[i];
        if (fold) {
            uint32_t sum = fold[i] + r->block[i];
            all |= sum;
            fold[i] = (uint16_t)sum;
        }
        r->block[i] = 0;
    }
    r->overflow |= all > UINT16_MAX;
}

static enum st record_gpu(struct recording *r, int g, struct err *err)
{
    enum { STEP = 64 };
    enum st st;
    struct typed_trace *t = r->t;
    const struct assignment *a = &t->assignment;
    uint32_t *rows = (uint32_t *)t->owned[0] + r->cells * (uint64_t)g;
    uint64_t folds = (uint64_t)t->folds, each = folds ? t->epochs / folds : t->epochs;
    TRY(typed_sampler_gpu(r->s, a->id[g], a->train[g], a->train_count[g], t->epochs, err));
    uint64_t batches = typed_sampler_batches(r->s), at = 0;
    r->c.total_lines = 0;
    for (uint64_t f = 0; f <= folds; f++) { /* epochs that are left over belong to no fold */
        uint64_t end = f < folds ? (f + 1) * each * batches : t->epochs * batches;
        uint16_t *fold = f < folds ? (uint16_t *)t->owned[1] + r->cells * ((uint64_t)(a->clique_of[g]) * folds + f)
                                   : NULL;
        for (; at < end; at += STEP) {
            uint64_t to = at + STEP < end ? at + STEP : end;
            typed_sampler_run(r->s, at, to, &r->c);
            progress_add(&r->bar, to - at);
        }
        at = end;
        add_block(r, rows, fold);
    }
    t->n_tsum[a->clique_of[g]] += r->c.total_lines;
done:
    return st;
}

enum st typed_trace_record(const struct graph *g, const struct assignment *a, const struct typed_workload *w,
                           const struct typed_trace_options *o, struct typed_trace *out, struct err *err)
{
    struct typed_trace *t = NULL;
    struct recording r = {.o = o};
    uint64_t tasks = 0;
    enum st st = ST_OK;
    NEW(t, 1, "a trace");
    r.t = t;
    TRY(assignment_copy(a, &t->assignment, err));
    t->workload = *w;
    t->epochs = o->epochs;
    t->line_bytes = o->line_bytes;
    t->n = g->n;
    t->folds = o->epochs > 1 ? trace_folds(o->epochs) : 0;
    t->folds_per_epoch = t->folds ? trace_folds_per_epoch(o->epochs) : 0;
    snprintf(t->server_name, sizeof t->server_name, "%s", o->server_name);
    snprintf(t->server_fingerprint, sizeof t->server_fingerprint, "%s", o->server_fingerprint);
    r.cells = (uint64_t)(w->hops + 1) * g->n;
    TRY(make_arrays(&r, err));
    TRY(typed_sampler_new(g, w, o->line_bytes, o->threads, &r.s, err));
    for (int i = 0; i < a->gpus; i++) tasks += typed_batches(w, a->train_count[i]) * o->epochs;
    progress_begin(&r.bar, "recording", tasks, o->progress);
    for (int i = 0; i < a->gpus; i++) TRY(record_gpu(&r, i, err));
    if (r.overflow) {
        mem_free(t->owned[1]);
        t->owned[1] = NULL;
        memset(t->fold, 0, sizeof t->fold);
        t->folds = 0;
    }
    *out = *t;
    memset(t, 0, sizeof *t);
done:
    progress_end(&r.bar);
    typed_sampler_free(r.s);
    mem_free(r.block);
    if (t) typed_trace_release(t);
    mem_free(t);
    return st;
}
