#include "planner/commands/dynamic_cache_args.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/study/budget.h"
#include "simulator/movement/movement.h"
#include "simulator/caches/requests.h"
#include "simulator/movement/simulated.h"

enum st dynamic_cache_check(const struct dynamic_cache_args *a, bool plan, bool batches, struct err *err)
{
    if (a->rows >= 0 && a->budget) return err_set(err, ST_USAGE, "--cache-rows and --cache-budget exclude each other");
    if (a->load && plan) return err_set(err, ST_USAGE, "--requests FILE takes the place of a plan; give one of them");
    if (a->load && (!a->cache || a->rows < 0))
        return err_set(err, ST_USAGE, "--requests needs --cache LIST and --cache-rows N");
    if (a->load && a->save)
        return err_set(err, ST_USAGE, "--requests reads and --export-requests writes; give one of them");
    if (!a->load && !plan)
        return err_set(err, ST_USAGE, "an argument is missing behind 'simulate'; expected: P, or --requests FILE");
    if (!a->cache && (a->rows >= 0 || a->budget || a->admission))
        return err_set(err, ST_USAGE, "--cache-rows, --cache-budget and --admission need --cache LIST");
    if (a->cache && a->save)
        return err_set(err, ST_USAGE, "--export-requests writes requests and runs no --cache; give one of them");
    if (!a->save && !batches && a->gpu >= 0)
        return err_set(err, ST_USAGE, "--gpu goes with --export-requests or --export-batches");
    return ST_OK;
}

static enum admission admission_of(const struct dynamic_cache_args *a, enum admission otherwise)
{
    if (!a->admission) return otherwise;
    return strcmp(a->admission, "batch") ? ADMISSION_REQUEST : ADMISSION_BATCH;
}

/* ---- on a plan ---- */

/* Rows of every GPU's cache. */
static enum st capacities(const struct dynamic_cache_args *a, const struct plan *p, const struct graph *g, int caches,
                          uint64_t rows[][GPUS_MAX], struct err *err)
{
    enum st st = ST_OK;
    struct budget b = {0};
    if (a->budget) TRY(budget_parse(a->budget, false, "--cache-budget", &b, err));
    for (int i = 0; i < p->assignment.gpus; i++) {
        uint64_t topology = plan_topology_bytes(p, i, g), left = p->budget[i] > topology ? p->budget[i] - topology : 0;
        uint64_t each = a->rows >= 0 ? (uint64_t)a->rows : (a->budget ? budget_of_graph(&b, g) : left) / g->row_bytes;
        for (int k = 0; k < caches; k++)
            rows[k][i] = each < g->n ? each : g->n; /* more than everything is everything */
    }
done:
    return st;
}

enum st dynamic_cache_plan(struct call *call, const struct dynamic_cache_args *a, const struct replay_request *r,
                           const struct timing *timing, const struct server *server, const struct plan *p,
                           const doc *row, doc *rows, struct err *err)
{
    enum st st;
    const struct cache *cache[CACHES_MAX];
    struct replay out[CACHES_MAX] = {0};
    struct dynamic_counts counts[CACHES_MAX] = {0};
    uint64_t capacity[CACHES_MAX][GPUS_MAX] = {0};
    struct dynamic_request d = {.rows = (const uint64_t(*)[GPUS_MAX])capacity,
                                .replay = r,
                                .placement = &p->placement,
                                .shared = !strcmp(a->share, "clique"),
                                .admission = admission_of(a, ADMISSION_BATCH),
                                .cache = cache};
    TRY(cache_list(a->cache, cache, &d.count, err));
    TRY(capacities(a, p, r->graph, d.count, capacity, err));
    stage_begin(&call->stages, "dynamic caches");
    st = dynamic_run(&d, out, counts, err);
    stage_end(&call->stages);
    for (int i = 0; i < d.count && st == ST_OK; i++) {
        doc *one = doc_copy(row), *simulated = simulated_document(p, &out[i], r->graph);
        char name[64];
        snprintf(name, sizeof name, "cache:%s", cache[i]->name);
        doc_put(one, "policy", doc_text(name));
        doc_put(one, "plan", doc_text(p->policy)); /* whose assignment and topology */
        doc_put(one, "predicted", doc_null());     /* the plan predicts its own feature lists, */
        doc_put(one, "cliques", doc_array());      /* and so do its cliques */
        doc_put(simulated, "prediction_error", doc_null());
        doc_put(one, "simulated", simulated);
        doc_put(one, "movement", movement_totals(doc_get(simulated, "movement")));
        doc_put(one, "dynamic", dynamic_document(&d, i, &counts[i], call->common.stamp));
        doc_append(rows, one);
        st = timing_put(timing, server, p, &out[i], r->graph, simulated, err);
    }
done:
    for (int i = 0; i < CACHES_MAX; i++) replay_release(&out[i]);
    return st;
}

static void add_count(struct table *t, const doc *of, const char *key)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", units_count(text, (uint64_t)doc_integer_value(doc_get(of, key), 0)));
}

/* The last column is there under --stamp only. */
static bool has_speed(const doc *of) { return doc_get(of, "requests_per_second"); }

static void add_speed(struct table *t, const doc *of)
{
    if (has_speed(of)) table_add(t, "%.1f", doc_real_value(doc_get(of, "requests_per_second"), NAN) / 1e6);
}

static void add_percent(struct table *t, double share)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", isnan(share) ? "-" : units_percent(text, share));
}

void dynamic_cache_table(const doc *rows, FILE *to)
{
    const doc *first = doc_get(doc_at(rows, 0), "dynamic");
    const char *const headers[] = {"cache",
                                   ">rows",
                                   ">feature hits",
                                   ">topology hits",
                                   ">feature trans./epoch",
                                   ">all trans./epoch",
                                   ">rows written",
                                   ">bytes written",
                                   has_speed(first) ? ">M requests/s" : NULL,
                                   NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT];
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        const doc *d = doc_get(doc_at(rows, i), "dynamic"), *s = doc_get(doc_at(rows, i), "simulated");
        table_add(t, "%s", doc_text_value(doc_get(d, "cache"), "?"));
        add_count(t, d, "rows");
        add_percent(t, doc_real_value(doc_get(s, "feature_hit_rate"), NAN));
        add_percent(t, doc_real_value(doc_get(s, "topology_hit_rate"), NAN));
        add_count(t, s, "feature_transactions");
        add_count(t, s, "total_transactions");
        add_count(t, d, "replaced_rows");
        table_add(t, "%s", units_bytes(text, (uint64_t)doc_integer_value(doc_get(d, "replaced_bytes"), 0)));
        add_speed(t, d);
    }
    table_print(t, to);
    table_free(t);
    fprintf(to,
            "one cache per %s, empty at first, missed rows admitted %s; rows and bytes written into caches: sums over "
            "the epochs\n",
            doc_text_value(doc_get(first, "share"), "?"),
            strcmp(doc_text_value(doc_get(first, "admission"), ""), "batch") ? "before the next request"
                                                                             : "at the end of their mini-batch");
}

/* ---- request files ---- */

enum st dynamic_cache_export(struct call *call, const struct dynamic_cache_args *a, const struct replay_request *r,
                             struct err *err)
{
    enum st st;
    struct stream s = {0};
    struct progress bar;
    uint32_t *next = NULL;
    char text[UNIT_TEXT];
    const struct assignment *who = r->assignment;
    int g = 0, readers[GPUS_MAX];
    bool shared = !strcmp(a->share, "clique");
    while (g < who->gpus && a->gpu >= 0 && who->id[g] != a->gpu) g++;
    if (g == who->gpus) FAIL(ST_USAGE, "--gpu %lld is no GPU of the plan", (long long)a->gpu);
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
        call_say(call, "libCacheSim's tools tell the format by the name: let it contain oracleGeneral");
    doc *d = doc_object();
    doc_put(d, "schema", doc_text("requests-written/1"));
    doc_put(d, "file", doc_text(a->save));
    doc_put(d, "requests", doc_integer((int64_t)s.requests));
    doc_put(d, "batches", doc_integer((int64_t)s.batches));
    doc_put(d, "row_bytes", doc_integer((int64_t)r->graph->row_bytes));
    TRY(call_finish(call, d, err));
done:
    mem_free(next);
    stream_release(&s);
    return st;
}

/* Runs the caches of a list over a stream, several at a time. */
static enum st run_all(const struct stream *s, const struct cache *const *cache, int count, uint64_t rows,
                       enum admission how, int threads, struct cache_counts *out, double *seconds, struct err *err)
{
    enum st st = ST_OK;
    struct err first = {0};
    uint32_t *next = NULL;
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
    mem_free(next);
    return st;
}

static doc *file_document(const struct dynamic_cache_args *a, const struct stream *s, enum admission how)
{
    doc *d = doc_object();
    doc_put(d, "schema", doc_text("requests/1"));
    doc_put(d, "requests", doc_integer((int64_t)s->requests));
    doc_put(d, "objects", doc_integer((int64_t)s->ids));
    doc_put(d, "batches", doc_integer((int64_t)s->batches));
    doc_put(d, "cache_rows", doc_integer(a->rows));
    doc_put(d, "admission", doc_text(admission_name(how)));
    return d;
}

static void file_table(const doc *d, FILE *to)
{
    const doc *caches = doc_get(d, "caches");
    const char *const headers[] = {"cache",
                                   ">requests",
                                   ">misses",
                                   ">miss ratio",
                                   ">rows written",
                                   has_speed(doc_at(caches, 0)) ? ">M requests/s" : NULL,
                                   NULL};
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(caches); i++) {
        const doc *one = doc_at(caches, i);
        table_add(t, "%s", doc_text_value(doc_get(one, "cache"), "?"));
        add_count(t, d, "requests");
        add_count(t, one, "misses");
        add_percent(t, doc_real_value(doc_get(one, "miss_ratio"), NAN));
        add_count(t, one, "replaced_rows");
        add_speed(t, one);
    }
    table_print(t, to);
    table_free(t);
}

enum st dynamic_cache_file(struct call *call, const struct dynamic_cache_args *a, struct err *err)
{
    enum st st;
    const struct cache *cache[CACHES_MAX];
    struct cache_counts k[CACHES_MAX];
    double seconds[CACHES_MAX];
    struct stream s = {0};
    enum admission how = admission_of(a, ADMISSION_REQUEST);
    int count;
    TRY(cache_list(a->cache, cache, &count, err));
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
        doc *one = doc_object();
        doc_put(one, "cache", doc_text(cache[i]->name));
        doc_put(one, "hits", doc_integer((int64_t)(k[i].requests - k[i].misses)));
        doc_put(one, "misses", doc_integer((int64_t)k[i].misses));
        doc_put(one, "miss_ratio", doc_real((double)k[i].misses / (double)k[i].requests));
        doc_put(one, "replaced_rows", doc_integer((int64_t)k[i].admitted));
        doc_put(one, "evicted_rows", doc_integer((int64_t)k[i].evicted));
        if (call->common.stamp)
            doc_put(one, "requests_per_second", doc_real(seconds[i] > 0 ? (double)k[i].requests / seconds[i] : NAN));
        doc_append(list, one);
    }
    if (!call->common.json) file_table(d, call->out);
    st = call_finish(call, d, err);
done:
    stream_release(&s);
    return st;
}
