#include "planner/commands/dynamic_cache_requests.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/commands/dynamic_cache_print.h"
#include "simulator/caches/dynamic.h"
#include "simulator/caches/requests.h"

enum st dynamic_cache_save_requests(struct call *call, const struct dynamic_cache_args *a,
                                    const struct replay_request *r, struct err *err)
{
    enum st st;
    OWNED_BY(stream_release) struct stream s = {0};
    struct progress bar;
    OWNED uint32_t *next = NULL;
    char text[UNIT_TEXT];
    const struct assignment *who = r->assignment;
    int g = 0, readers[GPUS_MAX];
    bool shared = !strcmp(a->share, "clique");
    while (g < who->gpus && a->gpu >= 0 && who->id[g] != a->gpu) g++;
    if (g == who->gpus) FAIL(ST_USAGE, "--gpu %lld: the plan has no such GPU", (long long)a->gpu);
    int count = dynamic_readers(who, shared, shared ? who->clique_of[g] : g, readers);
    progress_begin(&bar, "drawing", 0, r->progress);
    st = stream_draw(r, readers, count, &bar, &s, err);
    progress_end(&bar);
    if (st != ST_OK) goto done;
    TRY(stream_next(&s, &next, err));
    TRY(requests_save(&s, next, r->graph->row_bytes, a->save, err));
    call_say(call, "%s: %s requests in %llu mini-batches of %s", a->save, units_count(text, s.requests),
             (unsigned long long)s.batches, shared ? "the clique" : "the GPU");
    if (!strstr(a->save, "oracleGeneral"))
        call_say(call, "libCacheSim detects the format by the file name: use a name that contains oracleGeneral");
    doc *d = DOC(IS("schema", "requests-written/1"), IS("file", a->save), IS("requests", s.requests),
                 IS("batches", s.batches), IS("row_bytes", r->graph->row_bytes));
    TRY(call_finish(call, d, err));
done:
    return st;
}

/* Runs the caches of a list over a stream, several at a time. */
static enum st run_all(const struct stream *s, const struct cache *const *cache, int count, uint64_t rows,
                       enum admission how, int threads, struct cache_counts *out, double *seconds, struct err *err)
{
    enum st st = ST_OK;
    struct err first = {0};
    OWNED uint32_t *next = NULL;
    bool future = false;
    for (int i = 0; i < count; i++) future |= cache[i]->future;
    if (future) TRY(stream_next(s, &next, err));
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int i = 0; i < count; i++) {
        struct err mine = {0};
        double started = clock_seconds();
        enum st one = cache_run(cache[i], s, next, rows, how, NULL, &out[i], &mine);
        seconds[i] = clock_seconds() - started;
        if (one == ST_OK) continue;
#pragma omp critical(dynamic_cache_first_error)
        if (!first.code) first = mine;
    }
    if (first.code) {
        *err = first;
        st = first.code;
    }
done:
    return st;
}

static doc *file_document(const struct dynamic_cache_args *a, const struct stream *s, enum admission how)
{
    return DOC(IS("schema", "requests/1"), IS("requests", s->requests), IS("objects", s->ids),
               IS("batches", s->batches), IS("cache_rows", a->rows), IS("admission", admission_name(how)));
}

enum st dynamic_cache_run_requests(struct call *call, const struct dynamic_cache_args *a, struct err *err)
{
    enum st st;
    const struct cache *cache[CACHES_MAX];
    struct cache_counts k[CACHES_MAX];
    double seconds[CACHES_MAX];
    OWNED_BY(stream_release) struct stream s = {0};
    enum admission how = dynamic_cache_admission(a, ADMISSION_REQUEST);
    int count;
    TRY(dynamic_cache_list(call, a->cache, cache, &count, err));
    stage_begin(&call->stages, "reading");
    st = requests_load(a->load, how == ADMISSION_BATCH, &s, err);
    stage_end(&call->stages);
    if (st != ST_OK) goto done;
    stage_begin(&call->stages, "caches");
    st = run_all(&s, cache, count, (uint64_t)a->rows, how, call->threads, k, seconds, err);
    stage_end(&call->stages);
    if (st != ST_OK) goto done;
    doc *d = file_document(a, &s, how), *list = doc_array();
    doc_put(d, "caches", list);
    for (int i = 0; i < count; i++) {
        doc *one = DOC(IS("cache", cache[i]->name), IS("hits", k[i].requests - k[i].misses), IS("misses", k[i].misses),
                       IS("miss_ratio", (double)k[i].misses / (double)k[i].requests),
                       IS("replaced_rows", k[i].admitted), IS("evicted_rows", k[i].evicted));
        if (call->common.stamp)
            doc_put(one, "requests_per_second", doc_real(seconds[i] > 0 ? (double)k[i].requests / seconds[i] : NAN));
        doc_append(list, one);
    }
    if (call_prints(call)) dynamic_cache_requests_print(d, call->out);
    st = call_finish(call, d, err);
done:
    return st;
}
