#include "traces/trace.h"

#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "traces/seeds.h"

void trace_release(struct trace *t)
{
    assignment_release(&t->assignment);
    for (int i = 0; i < 4; i++) {
        mem_free(t->owned[i]);
        npy_release(&t->mapped[i]);
    }
    memset(t, 0, sizeof *t);
}

int trace_folds(uint64_t epochs)
{
    if (epochs == 1) return 4; /* parts of the mini-batches */
    for (int f = FOLDS_MAX; f > 1; f--)
        if (epochs % (uint64_t)f == 0) return f;
    return FOLDS_MAX; /* a prime above: the last epochs belong to no fold */
}

uint64_t trace_bytes(uint64_t n, int gpus, int hops, int cliques, uint64_t epochs)
{
    uint64_t each = (uint64_t)(1 + hops), folds = 2 * n * each * (uint64_t)cliques * (uint64_t)trace_folds(epochs);
    return 4 * n * (uint64_t)gpus * (each + 1) + folds + (cliques ? 4 * n * each : 0);
}

/* Points the rows at three blocks: [gpus, n], [gpus, n], [hops, gpus, n]. */
static void set_rows(struct trace *t, const uint32_t *topology, const uint32_t *feature, const uint32_t *visits)
{
    int gpus = t->assignment.gpus;
    for (int g = 0; g < gpus; g++) {
        t->topology[g] = topology + (uint64_t)g * t->n;
        t->feature[g] = feature + (uint64_t)g * t->n;
        for (int h = 0; h < t->workload.hops; h++) t->visits[h][g] = visits + ((uint64_t)h * (uint64_t)gpus + (uint64_t)g) * t->n;
    }
}

/* Counts of the fold being drawn, added to the GPU's row and to the clique's fold when it ends. */
struct fold_counts { struct sample_counts c; uint32_t *block; bool overflow; };

static void settle_fold(const struct trace *t, struct fold_counts *k, const struct sample_counts *row, uint16_t *fold)
{
    uint64_t n = t->n;
    for (int q = 0; q <= t->workload.hops; q++) {
        uint32_t *from = k->block + (uint64_t)q * n, *to = q ? row->visits[q - 1] : row->feature, all = 0;
        uint16_t *part = fold ? fold + (uint64_t)q * n : NULL;
        for (uint64_t v = 0; v < n; v++) to[v] += from[v];
        for (uint64_t v = 0, end = part ? n : 0; v < end; v++) {
            uint32_t sum = part[v] + from[v];
            all |= sum;
            part[v] = (uint16_t)sum;
        }
        k->overflow |= all > UINT16_MAX;
    }
    memset(k->block, 0, n * (uint64_t)(1 + t->workload.hops) * sizeof *k->block);
}

/* Tasks from..to of the current GPU, with progress. */
static void run_tasks(struct sampler *s, uint64_t from, uint64_t to, struct sample_counts *c, struct progress *bar)
{
    enum { STEP = 64 };
    for (uint64_t at = from; at < to; at += STEP) {
        uint64_t end = at + STEP < to ? at + STEP : to;
        sampler_run(s, at, end, c);
        progress_add(bar, end - at);
    }
}

/* Draws all epochs fold by fold; what is left over (a prime number of epochs) comes last and belongs to none. */
static void run_folds(struct trace *t, struct sampler *s, int gpu, struct fold_counts *k, struct sample_counts *row, struct progress *bar)
{
    uint64_t batches = sampler_batches(s), folds = (uint64_t)t->folds, covered = t->epochs == 1 ? batches : t->epochs / folds * folds * batches;
    uint16_t *fold = (uint16_t *)(uintptr_t)t->fold[t->assignment.clique_of[gpu]];
    for (uint64_t f = 0; f < folds; f++) {
        run_tasks(s, covered * f / folds, covered * (f + 1) / folds, &k->c, bar);
        settle_fold(t, k, row, fold + f * (uint64_t)(1 + t->workload.hops) * t->n);
    }
    run_tasks(s, covered, t->epochs * batches, &k->c, bar);
    settle_fold(t, k, row, NULL);
}

static enum st record_gpu(const struct graph *g, struct sampler *s, struct trace *t, int gpu, struct fold_counts *k, struct progress *bar, struct err *err)
{
    enum st st;
    const struct assignment *a = &t->assignment;
    uint32_t *draws = (uint32_t *)(uintptr_t)t->topology[gpu]; /* ours while recording */
    struct sample_counts c = {.feature = (uint32_t *)(uintptr_t)t->feature[gpu]};
    for (int h = 0; h < t->workload.hops; h++) c.visits[h] = (uint32_t *)(uintptr_t)t->visits[h][gpu];
    if (workload_layer_wise(&t->workload)) c.draws = k->c.draws = draws;
    TRY(sampler_gpu(s, a->id[gpu], a->train[gpu], a->train_count[gpu], t->epochs, err));
    TRY(sampler_fits(s, sampler_batches(s) * t->epochs, err));
    if (t->folds) run_folds(t, s, gpu, k, &c, bar);
    else run_tasks(s, 0, sampler_batches(s) * t->epochs, &c, bar);
    for (uint64_t v = 0; v < g->n && !c.draws; v++) draws[v] = (uint32_t)sample_draws(&t->workload, graph_degree(g, v), c.visits, v);
    t->n_tsum[a->clique_of[gpu]] += c.total_lines + k->c.total_lines;
    k->c.total_lines = 0;
done:
    return st;
}

/* Folds are counted in 16 bits: they are kept only where no clique can count further in one of them. */
static bool folds_countable(const struct graph *g, const struct assignment *a, const struct workload *w, uint64_t epochs)
{
    if (w->sampler == SAMPLER_WALK) return true; /* the bound is far off: settle_fold sees whether one overflows */
    for (int c = 0; c < a->cliques; c++) {
        uint64_t tasks = 0;
        for (int i = 0; i < a->gpus; i++) tasks += a->clique_of[i] == c ? seeds_batches(w, g, a->train[i], a->train_count[i]) : 0;
        if (tasks * (epochs / (uint64_t)trace_folds(epochs) + 1) > UINT16_MAX) return false;
    }
    return true;
}

static enum st make_folds(struct trace *t, struct fold_counts *k, struct err *err)
{
    enum st st = ST_OK;
    uint64_t each = (uint64_t)(1 + t->workload.hops) * t->n;
    uint16_t *all = NULL;
    t->folds = trace_folds(t->epochs);
    t->folds_per_epoch = t->epochs == 1 ? t->folds : 1.0 / (double)(t->epochs / (uint64_t)t->folds);
    NEW(all, each * (uint64_t)t->folds * (uint64_t)t->assignment.cliques, "the trace's folds");
    t->owned[3] = all;
    NEW(k->block, each, "the counts of a fold");
    for (int c = 0; c < t->assignment.cliques; c++) t->fold[c] = all + each * (uint64_t)t->folds * (uint64_t)c;
    k->c.feature = k->block;
    for (int h = 0; h < t->workload.hops; h++) k->c.visits[h] = k->block + (uint64_t)(1 + h) * t->n;
done:
    return st;
}

static void drop_folds(struct trace *t)
{
    mem_free(t->owned[3]);
    t->owned[3] = NULL;
    t->folds = 0;
    memset(t->fold, 0, sizeof t->fold);
}

enum st trace_record(const struct graph *g, const struct assignment *a, const struct workload *w, const struct trace_options *o, struct trace *out,
                     struct err *err)
{
    enum st st;
    struct trace t = {.workload = *w, .epochs = o->epochs, .cls = o->cls, .n = g->n, .n_tsum_source = "model"};
    struct sampler *s = NULL;
    struct fold_counts k = {0};
    struct progress bar;
    uint64_t tasks = 0, cells = g->n * (uint64_t)a->gpus;
    uint32_t *blocks[3] = {NULL};
    snprintf(t.server_name, sizeof t.server_name, "%s", o->server_name ? o->server_name : "");
    snprintf(t.server_fingerprint, sizeof t.server_fingerprint, "%s", o->server_fingerprint ? o->server_fingerprint : "");
    for (int i = 0; i < a->gpus; i++) tasks += seeds_batches(w, g, a->train[i], a->train_count[i]) * o->epochs;
    progress_begin(&bar, "pre-sampling", tasks, o->progress);
    TRY(assignment_copy(a, &t.assignment, err));
    for (int i = 0; i < 3; i++) {
        NEW(blocks[i], cells * (i < 2 ? 1 : (uint64_t)w->hops), "the trace's counts");
        t.owned[i] = blocks[i];
    }
    set_rows(&t, blocks[0], blocks[1], blocks[2]);
    if (o->folds && folds_countable(g, a, w, o->epochs)) TRY(make_folds(&t, &k, err));
    TRY(sampler_new(g, &t.workload, o->cls, o->threads, &s, err));
    for (int i = 0; i < a->gpus; i++) TRY(record_gpu(g, s, &t, i, &k, &bar, err));
    if (k.overflow) drop_folds(&t);
    *out = t;
    memset(&t, 0, sizeof t);
done:
    progress_end(&bar);
    mem_free(k.block);
    sampler_free(s);
    trace_release(&t);
    return st;
}

uint64_t trace_n_tsum(const struct trace *t)
{
    uint64_t sum = 0;
    for (int c = 0; c < t->assignment.cliques; c++) sum += t->n_tsum[c];
    return sum;
}

enum st trace_measured(struct trace *t, uint64_t reads, uint64_t line, uint64_t epochs, struct err *err)
{
    unsigned __int128 numerator = (unsigned __int128)reads * line;
    uint64_t model = trace_n_tsum(t), sum, given = 0;
    int cliques = t->assignment.cliques;
    if (reads >> 52 || epochs == 0) return err_set(err, ST_INPUT, "%llu measured transactions over %llu epochs is beyond what can be", (unsigned long long)reads, (unsigned long long)epochs);
    sum = units_round_half_up(numerator * t->epochs, (unsigned __int128)t->cls * epochs);
    if (sum >> 52) return err_set(err, ST_INPUT, "the measured transactions come to more than 2^52 over %llu epochs; how many epochs did the capture see?", (unsigned long long)t->epochs);
    if (!model && sum) return err_set(err, ST_INPUT, "the trace has no topology reads to share %llu measured transactions by; was it recorded on the right graph?", (unsigned long long)sum);
    for (int c = 0; c < cliques; c++) {
        t->n_tsum[c] = model ? (uint64_t)((unsigned __int128)t->n_tsum[c] * sum / model) : 0;
        given += t->n_tsum[c];
    }
    for (int c = 0; given < sum; c = (c + 1) % cliques, given++) t->n_tsum[c]++;
    strcpy(t->n_tsum_source, "pcm");
    return ST_OK;
}
