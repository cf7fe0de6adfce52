#include "traces/trace.h"

#include <string.h>

#include "base/mem.h"

void trace_release(struct trace *t)
{
    assignment_release(&t->assignment);
    for (int i = 0; i < 3; i++) {
        mem_free(t->owned[i]);
        npy_release(&t->mapped[i]);
    }
    memset(t, 0, sizeof *t);
}

uint64_t trace_bytes(uint64_t n, int gpus, int hops) { return 4 * n * (uint64_t)gpus * (uint64_t)(2 + hops); }

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

static enum st record_gpu(const struct graph *g, struct sampler *s, struct trace *t, int gpu, struct progress *bar, struct err *err)
{
    enum { STEP = 64 };
    enum st st;
    const struct assignment *a = &t->assignment;
    uint32_t *draws = (uint32_t *)(uintptr_t)t->topology[gpu]; /* ours while recording */
    struct sample_counts c = {.feature = (uint32_t *)(uintptr_t)t->feature[gpu]};
    for (int h = 0; h < t->workload.hops; h++) c.visits[h] = (uint32_t *)(uintptr_t)t->visits[h][gpu];
    TRY(sampler_gpu(s, a->id[gpu], a->train[gpu], a->train_count[gpu], t->epochs, err));
    uint64_t tasks = sampler_batches(s) * t->epochs;
    TRY(sampler_fits(s, tasks, err));
    for (uint64_t at = 0; at < tasks; at += STEP) {
        uint64_t end = at + STEP < tasks ? at + STEP : tasks;
        sampler_run(s, at, end, &c);
        progress_add(bar, end - at);
    }
    for (uint64_t v = 0; v < g->n; v++) draws[v] = (uint32_t)sample_draws(&t->workload, graph_degree(g, v), c.visits, v);
    t->n_tsum[a->clique_of[gpu]] += c.total_lines;
done:
    return st;
}

enum st trace_record(const struct graph *g, const struct assignment *a, const struct workload *w, const struct trace_options *o, struct trace *out,
                     struct err *err)
{
    enum st st;
    struct trace t = {.workload = *w, .epochs = o->epochs, .cls = o->cls, .n = g->n, .n_tsum_source = "model"};
    struct sampler *s = NULL;
    struct progress bar;
    uint64_t tasks = 0, cells = g->n * (uint64_t)a->gpus;
    uint32_t *blocks[3] = {NULL};
    snprintf(t.server_name, sizeof t.server_name, "%s", o->server_name ? o->server_name : "");
    snprintf(t.server_fingerprint, sizeof t.server_fingerprint, "%s", o->server_fingerprint ? o->server_fingerprint : "");
    for (int i = 0; i < a->gpus; i++) tasks += (a->train_count[i] + w->batch - 1) / w->batch * o->epochs;
    progress_begin(&bar, "pre-sampling", tasks, o->progress);
    TRY(assignment_copy(a, &t.assignment, err));
    for (int i = 0; i < 3; i++) {
        NEW(blocks[i], cells * (i < 2 ? 1 : (uint64_t)w->hops), "the trace's counts");
        t.owned[i] = blocks[i];
    }
    set_rows(&t, blocks[0], blocks[1], blocks[2]);
    TRY(sampler_new(g, &t.workload, o->cls, o->threads, &s, err));
    for (int i = 0; i < a->gpus; i++) TRY(record_gpu(g, s, &t, i, &bar, err));
    *out = t;
    memset(&t, 0, sizeof t);
done:
    progress_end(&bar);
    sampler_free(s);
    trace_release(&t);
    return st;
}
