#include "simulator/caches/dynamic.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"

int dynamic_readers(const struct assignment *a, bool shared, int unit, int readers[GPUS_MAX])
{
    int count = 0;
    for (int g = 0; g < a->gpus; g++)
        if (shared ? a->clique_of[g] == unit : g == unit) readers[count++] = g;
    return count;
}

/* What each rule starts from: the replay of the placement without feature lists. */
static enum st replay_topology(const struct dynamic_request *d, struct replay *out, struct err *err)
{
    enum st st = ST_OK;
    struct placement *bare = NULL; /* borrows the topology lists */
    const int gpus = d->placement->gpus;
    NEW(bare, 1, "a placement");
    *bare = *d->placement;
    memset(bare->feature, 0, sizeof bare->feature);
    const struct placement *one = bare;
    if (!d->bare) TRY(replay_run(d->replay, &one, 1, &out[0], err));
    out[0].interval_known = false;
    for (int i = d->bare ? 0 : 1; i < d->count; i++) {
        const struct replay *from = d->bare ? d->bare : &out[0];
        struct replay_gpu *own;
        NEW(own, gpus, "the simulator's sums");
        memcpy(own, from->gpu, (size_t)gpus * sizeof *own);
        out[i] = *from;
        out[i].gpu = own;
        out[i].interval_known = false;
    }
done:
    mem_free(bare);
    return st;
}

/* Moves the hits of one cache from the host to the GPUs that held the rows, in mini-batches from `first` on. */
static void move_hits(const struct dynamic_request *d, const struct stream *s, uint64_t first, const int *readers,
                      int count, const uint8_t *hit, struct replay *out)
{
    const struct graph *g = d->replay->graph;
    for (uint64_t b = first; b < s->batches; b++) {
        struct replay_gpu *gpu = &out->gpu[s->batch[b].reader];
        for (uint64_t i = s->batch[b].from, end = stream_end(s, b); i < end; i++) {
            if (!hit[i]) continue;
            gpu->rows[readers[s->id[i] % (uint32_t)count]]++;
            gpu->rows[out->gpus]--;
            gpu->feature -= cachelines_of_feature(s->id[i], g->row_bytes, d->replay->line_bytes);
        }
    }
}

/* Runs one rule on one stream, whose mini-batches before `first` only warm it. */
static enum st run_cache(const struct dynamic_request *d, int which, const struct stream *s, uint64_t first,
                         const uint32_t *next, const int *readers, int count, struct replay *out,
                         struct dynamic_counts *counts, struct err *err)
{
    struct cache_counts k;
    uint64_t capacity = 0;
    for (int i = 0; i < count; i++) capacity += d->rows[which][readers[i]];
    OWNED_NEW(uint8_t, hit, s->requests, "a cache's answers");
    double started = clock_seconds();
    PASS(cache_run(d->cache[which], s, next, capacity, d->admission, hit, &k, err));
    counts->seconds += clock_seconds() - started;
    counts->capacity += capacity;
    counts->rows.requests += k.requests;
    counts->rows.misses += k.misses;
    counts->rows.admitted += k.admitted;
    counts->rows.evicted += k.evicted;
    move_hits(d, s, first, readers, count, hit, out);
    return ST_OK;
}

/* Puts what a cache served before in front of its stream, and keeps the stream in its place. */
static enum st put_before(struct stream *before, struct stream *s, uint64_t *first, struct err *err)
{
    OWNED_BY(stream_release) struct stream both = {.ids = s->ids};
    const struct stream *const parts[] = {before, s};
    for (int i = 0; i < 2; i++)
        for (uint64_t b = 0; b < parts[i]->batches; b++) {
            const struct stream_batch *batch = &parts[i]->batch[b];
            PASS(stream_add(&both, *batch, parts[i]->id + batch->from, stream_end(parts[i], b) - batch->from, err));
        }
    *first = before->batches;
    stream_release(before);
    *before = *s;
    *s = both;
    memset(&both, 0, sizeof both);
    return ST_OK;
}

/* Runs all rules on the stream of one GPU or clique, several at a time. */
static enum st run_unit(const struct dynamic_request *d, int unit, struct progress *bar, struct replay *out,
                        struct dynamic_counts *counts, struct err *err)
{
    enum st st;
    OWNED_BY(stream_release) struct stream s = {0};
    struct err first = {0};
    OWNED uint32_t *next = NULL;
    int readers[GPUS_MAX], members = dynamic_readers(d->replay->assignment, d->shared, unit, readers);
    bool future = false;
    uint64_t first_batch = 0;
    for (int i = 0; i < d->count; i++) future |= d->cache[i]->future;
    TRY(stream_draw(d->replay, readers, members, bar, &s, err));
    if (d->before) TRY(put_before(&d->before[unit], &s, &first_batch, err));
    if (future) TRY(stream_next(&s, &next, err));
#pragma omp parallel for schedule(dynamic, 1) num_threads(d->replay->threads)
    for (int i = 0; i < d->count; i++) {
        struct err mine = {0};
        if (run_cache(d, i, &s, first_batch, next, readers, members, &out[i], &counts[i], &mine) == ST_OK) continue;
#pragma omp critical(dynamic_first_error)
        if (!first.code) first = mine;
    }
    if (first.code) {
        *err = first;
        st = first.code;
    }
done:
    return st;
}

enum st dynamic_run(const struct dynamic_request *d, struct replay *out, struct dynamic_counts *counts, struct err *err)
{
    enum st st;
    const struct assignment *a = d->replay->assignment;
    struct progress bar;
    uint64_t tasks = 0;
    int units = d->shared ? a->cliques : a->gpus;
    for (int g = 0; g < a->gpus; g++)
        tasks += (a->train_count[g] + d->replay->workload->batch - 1) / d->replay->workload->batch * d->replay->epochs;
    TRY(replay_topology(d, out, err));
    progress_begin(&bar, "caching", tasks, d->replay->progress);
    for (int u = 0; u < units && st == ST_OK; u++) st = run_unit(d, u, &bar, out, counts, err);
    progress_end(&bar);
done:
    return st;
}

doc *dynamic_document(const struct dynamic_request *d, int i, const struct dynamic_counts *k, bool stamp)
{
    doc *out = DOC(IS("cache", d->cache[i]->name), IS("rows", k->capacity), IS("share", d->shared ? "clique" : "gpu"),
                   IS("admission", admission_name(d->admission)), IS("requests", k->rows.requests),
                   IS("misses", k->rows.misses), IS("replaced_rows", k->rows.admitted),
                   IS("replaced_bytes", k->rows.admitted * d->replay->graph->row_bytes),
                   IS("evicted_rows", k->rows.evicted));
    if (stamp)
        doc_put(out, "requests_per_second", doc_real(k->seconds > 0 ? (double)k->rows.requests / k->seconds : NAN));
    return out;
}
