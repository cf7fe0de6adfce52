#include "simulator/curves/curves.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "simulator/caches/dynamic.h"
#include "simulator/curves/curve_part.h"
#include "traces/graph/rows.h"

/* ---- tables ---- */

/* What the caches of a request hold: tables of one kind and, where there are several, all of them together. */
struct tables {
    struct curve_table *list; /* owned, [count] */
    int count;
};

static void tables_release(struct tables *t)
{
    for (int i = 0; t->list && i < t->count; i++) mem_free(t->list[i].bytes);
    mem_free(t->list);
}

/* Sets the sizes of rows of a table; of one size: only that. */
static enum st set_bytes(const struct graph *g, const struct row_table *t, uint64_t *bytes, struct curve_table *out,
                         struct err *err)
{
    if (bytes)
        for (uint64_t i = 0; i < t->count; i++) bytes[i] = row_table_bytes(g, t, i);
    if (t->kind != ROWS_TOPOLOGY) {
        out->row_bytes = t->cached_bytes;
        out->all = t->count * t->cached_bytes;
        return ST_OK;
    }
    MAKE(out->bytes, t->count, "the sizes of rows");
    for (uint64_t i = 0; i < t->count; i++) out->all += out->bytes[i] = row_table_bytes(g, t, i);
    return ST_OK;
}

static enum st list_tables(const struct graph *g, bool topology, struct tables *out, struct err *err)
{
    enum st st = ST_OK;
    uint64_t rows = graph_kind_rows(g, topology), before = topology ? 0 : graph_topology_rows(g), sum = 0;
    struct curve_table all = {.name = "all", .count = rows, .several = true};
    NEW(out->list, graph_tables(g) + 1, "the tables of a curve");
    NEW(all.bytes, rows, "the sizes of rows");
    for (int k = 0; k < graph_tables(g); k++) {
        struct row_table t = graph_table(g, k);
        if ((t.kind == ROWS_TOPOLOGY) != topology || !graph_table_there(g, k)) continue;
        struct curve_table *one = &out->list[out->count++];
        *one = (struct curve_table){.first = t.first - before, .count = t.count};
        graph_table_label(g, k, one->name);
        TRY(set_bytes(g, &t, all.bytes + one->first, one, err));
        sum += one->all;
    }
    all.all = sum;
    if (out->count > 1) {
        out->list[out->count++] = all;
        all.bytes = NULL;
    }
done:
    mem_free(all.bytes);
    return st;
}

/* The requests of a stream for the rows of a table, numbered within it. */
static enum st only_table(const struct stream *s, const struct curve_table *t, struct stream *out, struct err *err)
{
    out->ids = t->count;
    MAKE(out->id, s->requests, "the requests of a curve");
    MAKE(out->batch, s->batches, "the mini-batches of a curve");
    out->room = s->requests;
    out->batch_room = s->batches;
    for (uint64_t b = 0; b < s->batches; b++) {
        out->batch[out->batches] = s->batch[b];
        out->batch[out->batches++].from = out->requests;
        for (uint64_t i = s->batch[b].from, end = stream_end(s, b); i < end; i++)
            if (s->id[i] - t->first < t->count) out->id[out->requests++] = (uint32_t)(s->id[i] - t->first);
    }
    return ST_OK;
}

/* ---- parts ---- */

/* A run over caches and tables. */
struct run {
    const struct curve_request *r;
    struct tables tables;
    struct curve_part *all; /* [tables] */
    doc *parts;
    struct progress bar;
};

static const char *unit_name(const struct run *run, int unit, char out[32])
{
    const struct curve_request *r = run->r;
    if (r->shared) snprintf(out, 32, "clique %d", unit);
    else snprintf(out, 32, "gpu %d", r->replay->assignment->id[unit]);
    return out;
}

/* The curves of one cache on one table, appended to the parts. */
static enum st run_table(struct run *run, int unit, int table, struct curve_input *in, const struct stream *whole,
                         struct err *err)
{
    enum st st;
    char name[32];
    struct curve_part part = {0};
    struct stream own = {0};
    const struct curve_table *t = &run->tables.list[table];
    in->table = t;
    in->stream = whole;
    if (t->count != whole->ids) {
        TRY(only_table(whole, t, &own, err));
        in->stream = &own;
    }
    TRY(curve_part_make(in, &part, err));
    TRY(curve_part_add(&run->all[table], &part, run->r->lines, run->r->points, err));
    doc_append(run->parts, curve_part_document(run->r, t, unit_name(run, unit, name), &part));
done:
    curve_part_release(&part, run->r->lines);
    stream_release(&own);
    return st;
}

static enum st run_unit(struct run *run, int unit, struct err *err)
{
    const struct replay_request *replay = run->r->replay;
    const struct assignment *a = replay->assignment;
    OWNED_BY(stream_release) struct stream s = {0};
    int readers[GPUS_MAX];
    int members = dynamic_readers(a, run->r->shared, unit, readers);
    struct curve_input in = {.request = run->r,
                             .clique = run->r->shared ? unit : a->clique_of[unit],
                             .threads = replay->threads,
                             .seed = replay->seed,
                             .readers = readers,
                             .members = members};
    PASS(stream_draw_rows(replay, readers, members, run->r->topology, &run->bar, &s, err));
    if (!s.requests) return ST_OK; /* a sampler GPU trains nothing */
    for (int t = 0; t < run->tables.count; t++) PASS(run_table(run, unit, t, &in, &s, err));
    return ST_OK;
}

/* The members before the parts. */
static doc *head(const struct curve_request *r)
{
    return DOC(IS("schema", "curve/1"), IS("kind", r->topology ? "topology" : "feature"),
               IS("share", !r->replay  ? "file"
                           : r->shared ? "clique"
                                       : "gpu"),
               IS("admission", admission_name(r->admission)),
               IS("epochs", r->replay ? doc_integer((int64_t)r->replay->epochs) : doc_null()),
               IS("seed", r->replay ? doc_integer((int64_t)r->replay->seed) : doc_null()), IS("points", r->points));
}

static uint64_t mini_batches(const struct replay_request *r)
{
    uint64_t sum = 0, batch = r->workload->batch;
    for (int g = 0; g < r->assignment->gpus; g++)
        sum += (r->assignment->train_count[g] + batch - 1) / batch * r->epochs;
    return sum;
}

enum st curves_run(const struct curve_request *r, doc **out, struct err *err)
{
    enum st st;
    const struct assignment *a = r->replay->assignment;
    struct run run = {.r = r, .parts = doc_array()};
    OWNED_DOC doc *d = head(r), *sums = doc_array();
    TRY(list_tables(r->replay->graph, r->topology, &run.tables, err));
    NEW(run.all, run.tables.count, "the curves of all caches");
    progress_begin(&run.bar, "curves", mini_batches(r->replay), r->replay->progress);
    for (int u = 0; u < (r->shared ? a->cliques : a->gpus) && st == ST_OK; u++) st = run_unit(&run, u, err);
    progress_end(&run.bar);
    if (st != ST_OK) goto done;
    for (int t = 0; t < run.tables.count; t++)
        doc_append(sums, curve_part_document(r, &run.tables.list[t], "all", &run.all[t]));
    for (uint64_t i = 0; i < doc_size(run.parts); i++) doc_append(sums, doc_copy(doc_at(run.parts, i)));
    doc_put(d, "parts", sums);
    sums = NULL;
    *out = TAKE(d);
done:
    for (int t = 0; run.all && t < run.tables.count; t++) curve_part_release(&run.all[t], r->lines);
    mem_free(run.all);
    tables_release(&run.tables);
    doc_free(run.parts);
    return st;
}

enum st curves_of_stream(const struct curve_request *r, const struct stream *s, int threads, uint64_t seed, doc **out,
                         struct err *err)
{
    enum st st;
    struct curve_part part = {0};
    const struct curve_table t = {.name = "rows", .count = s->ids, .row_bytes = 1, .all = s->ids};
    OWNED_DOC doc *parts = doc_array();
    TRY(curve_part_make(&(struct curve_input){.request = r, .table = &t, .stream = s, .threads = threads, .seed = seed},
                        &part, err));
    doc_append(parts, curve_part_document(r, &t, "all", &part));
    *out = head(r);
    doc_put(*out, "parts", parts);
    parts = NULL;
done:
    curve_part_release(&part, r->lines);
    return st;
}
