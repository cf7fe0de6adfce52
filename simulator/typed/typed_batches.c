#include "simulator/typed/typed_batches.h"

#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "simulator/replay/batch_files.h"

enum { VERTICES, EDGES, ROWS, COLUMNS, ARRAYS, PARTED = ROWS };

static const struct batch_array arrays[ARRAYS] = {{"vertices", "u4", true},
                                                  {"edges", "i8", true},
                                                  {"rows", "u4", false},
                                                  {"columns", "u4", false}};

/* A thread's translation of a mini-batch: vertices by type, draws by relation and hop, in local numbers. */
struct locals {
    uint32_t *number;       /* [n] local number of a vertex of the mini-batch */
    uint32_t *vertex;       /* [vertices] */
    uint64_t *edge;         /* [room] */
    uint32_t *row, *column; /* [room] */
    uint64_t vertices, draws, room;
    uint64_t *end[PARTED]; /* [types (hops + 1)], [relations hops] where each part ends */
    int parts[PARTED];
};

/* ---- one mini-batch ---- */

static enum st locals_make(const struct graph *g, int hops, struct locals *l, struct err *err)
{
    enum st st = ST_OK;
    l->parts[VERTICES] = g->types * (hops + 1);
    l->parts[EDGES] = g->relations * hops;
    NEW(l->number, g->n, "numbers of a mini-batch's vertices");
    NEW(l->vertex, g->n, "numbers of a mini-batch's vertices");
    for (int k = 0; k < PARTED; k++) NEW(l->end[k], l->parts[k], "the parts of a mini-batch");
done:
    return st;
}

static void locals_release(struct locals *l)
{
    mem_free(l->number);
    mem_free(l->vertex);
    mem_free(l->edge);
    mem_free(l->row);
    mem_free(l->column);
    for (int k = 0; k < PARTED; k++) mem_free(l->end[k]);
}

static enum st locals_room(struct locals *l, uint64_t draws, struct err *err)
{
    enum st st = ST_OK;
    if (draws <= l->room) return ST_OK;
    uint64_t room = draws + draws / 2;
    GROW(l->edge, room, "the edges of a mini-batch");
    GROW(l->row, room, "the edges of a mini-batch");
    GROW(l->column, room, "the edges of a mini-batch");
    l->room = room;
done:
    return st;
}

/* Turns counts of parts into where each begins. */
static void begins(uint64_t *count, int parts)
{
    uint64_t at = 0;
    for (int i = 0; i < parts; i++) {
        uint64_t here = count[i];
        count[i] = at;
        at += here;
    }
}

/* Sorts the vertices by type and level, and numbers them within their type. */
static void sort_vertices(const struct graph *g, const struct typed_steps *s, struct locals *l)
{
    uint64_t *at = l->end[VERTICES], first[GRAPH_TYPES_MAX];
    memset(at, 0, (size_t)l->parts[VERTICES] * sizeof *at);
    l->vertices = s->level[s->hops];
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0, level = 0; i < l->vertices; i++) {
            while (i >= s->level[level]) level++;
            int type = graph_type_of(g, s->found[i]);
            uint64_t *part = &at[(uint64_t)type * (uint64_t)(s->hops + 1) + level];
            if (pass) {
                l->number[s->found[i]] = (uint32_t)(*part - first[type]);
                l->vertex[*part] = s->found[i] - (uint32_t)g->type[type].first;
            }
            ++*part;
        }
        if (pass) break;
        begins(at, l->parts[VERTICES]);
        for (int t = 0; t < g->types; t++) first[t] = at[t * (s->hops + 1)];
    }
}

/* Sorts the draws by relation and hop; within a part they stay in the order of the draws. */
static enum st sort_draws(const struct typed_steps *s, struct locals *l, struct err *err)
{
    uint64_t *at = l->end[EDGES];
    enum st st;
    l->draws = s->drawn[s->hops - 1];
    TRY(locals_room(l, l->draws, err));
    memset(at, 0, (size_t)l->parts[EDGES] * sizeof *at);
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0, hop = 0; i < l->draws; i++) {
            while (i >= s->drawn[hop]) hop++;
            const struct typed_draw *d = &s->draw[i];
            uint64_t *part = &at[(uint64_t)d->relation * (uint64_t)s->hops + hop];
            if (pass) {
                l->edge[*part] = d->edge;
                l->row[*part] = l->number[d->vertex];
                l->column[*part] = l->number[d->neighbour];
            }
            ++*part;
        }
        if (!pass) begins(at, l->parts[EDGES]);
    }
done:
    return st;
}

static enum st add_batch(struct batch_files *f, const struct locals *l, struct err *err)
{
    enum st st;
    TRY(batch_files_add(f, VERTICES, l->vertex, l->vertices, l->end[VERTICES], l->parts[VERTICES], err));
    TRY(batch_files_add(f, EDGES, l->edge, l->draws, l->end[EDGES], l->parts[EDGES], err));
    TRY(batch_files_add(f, ROWS, l->row, l->draws, NULL, 0, err));
    TRY(batch_files_add(f, COLUMNS, l->column, l->draws, NULL, 0, err));
done:
    return st;
}

/* ---- one GPU ---- */

/* All mini-batches of the sampler's current GPU: as many at a time as there are threads, written in order. */
static enum st draw_all(const struct typed_replay_request *r, struct typed_sampler *s, struct locals *locals,
                        struct batch_files *f, struct progress *bar, struct err *err)
{
    struct err first = {0};
    int failed = 0;
    uint64_t tasks = typed_sampler_batches(s) * r->epochs;
#pragma omp parallel for schedule(static, 1) ordered num_threads(r->threads)
    for (uint64_t task = 0; task < tasks; task++) {
        struct err mine = {0};
        const struct typed_steps *steps = NULL;
        struct locals *l = &locals[omp_get_thread_num()];
        if (__atomic_load_n(&failed, __ATOMIC_RELAXED)) continue;
        enum st one = typed_sampler_steps(s, omp_get_thread_num(), task, &steps, &mine);
        if (one == ST_OK) sort_vertices(r->rows, steps, l);
        if (one == ST_OK) one = sort_draws(steps, l, &mine);
#pragma omp ordered
        {
            if (one == ST_OK && first.code == ST_OK) one = add_batch(f, l, &mine);
            if (one != ST_OK && first.code == ST_OK) {
                first = mine;
                __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
            }
        }
        progress_add(bar, 1);
    }
    return first.code == ST_OK ? ST_OK : err_set(err, first.code, "%s", first.text);
}

static enum st save_gpu(const struct typed_replay_request *r, int g, struct typed_sampler *s, struct locals *locals,
                        const struct output *o, struct progress *bar, doc *gpus, struct err *err)
{
    enum st st;
    struct batch_files *f = NULL;
    const struct assignment *a = r->assignment;
    NEW(f, 1, "files");
    TRY(typed_sampler_gpu(s, a->id[g], a->train[g], a->train_count[g], r->epochs, err));
    TRY(batch_files_begin(o, a->id[g], arrays, ARRAYS, f, err));
    TRY(draw_all(r, s, locals, f, bar, err));
    TRY(batch_files_end(f, err));
    doc_append(gpus, batch_files_document(a->id[g], typed_sampler_batches(s), f));
done:
    if (f) batch_files_cancel(f);
    mem_free(f);
    return st;
}

/* ---- the whole ---- */

static doc *head_document(const struct typed_replay_request *r, doc **gpus)
{
    doc *d = doc_object(), *workload = doc_object();
    *gpus = doc_array();
    typed_workload_put(r->rows, r->workload, workload);
    doc_put(d, "schema", doc_text("batches/2"));
    doc_put(d, "graph", graph_document(r->rows));
    doc_put(d, "workload", workload);
    doc_put(d, "seed", doc_integer((int64_t)r->seed));
    doc_put(d, "epochs", doc_integer((int64_t)r->epochs));
    doc_put(d, "hops", doc_integer(r->workload->hops));
    doc_put(d, "gpus", *gpus);
    return d;
}

/* Whether GPU number g is to be written. */
static bool wanted(const struct assignment *a, int g, int64_t gpu) { return gpu < 0 || a->id[g] == gpu; }

static enum st count_tasks(const struct typed_replay_request *r, int64_t gpu, uint64_t *tasks, struct err *err)
{
    const struct assignment *a = r->assignment;
    bool any = false;
    *tasks = 0;
    for (int g = 0; g < a->gpus; g++) {
        any |= wanted(a, g, gpu);
        if (wanted(a, g, gpu)) *tasks += typed_batches(r->workload, a->train_count[g]) * r->epochs;
    }
    return any ? ST_OK : err_set(err, ST_USAGE, "--gpu %lld: the plan has no such GPU", (long long)gpu);
}

enum st typed_batches_save(const struct typed_replay_request *r, int64_t gpu, const char *folder, doc **out,
                           struct err *err)
{
    enum st st;
    struct typed_workload *w = NULL;
    struct typed_sampler *s = NULL;
    struct locals *locals = NULL;
    struct output o = {0};
    struct progress bar = {0};
    uint64_t tasks;
    char path[PATH_BYTES];
    doc *gpus = NULL, *d = head_document(r, &gpus);
    TRY(count_tasks(r, gpu, &tasks, err));
    progress_begin(&bar, "writing mini-batches", tasks, r->progress);
    NEW(w, 1, "the workload of the replay");
    *w = *r->workload;
    w->seed = r->seed;
    TRY(output_directory(&o, folder, "batches.json", err));
    TRY(typed_sampler_new(r->rows, w, r->line_bytes, r->threads, &s, err));
    NEW(locals, r->threads, "numbers of a mini-batch's vertices");
    for (int t = 0; t < r->threads; t++) TRY(locals_make(r->rows, w->hops, &locals[t], err));
    for (int g = 0; g < r->assignment->gpus; g++)
        if (wanted(r->assignment, g, gpu)) TRY(save_gpu(r, g, s, locals, &o, &bar, gpus, err));
    TRY(output_path(&o, "batches.json", path, err));
    TRY(doc_save(d, path, err));
    TRY(output_commit(&o, err));
    *out = d;
    d = NULL;
done:
    progress_end(&bar);
    for (int t = 0; locals && t < r->threads; t++) locals_release(&locals[t]);
    mem_free(locals);
    typed_sampler_free(s);
    mem_free(w);
    output_abort(&o);
    doc_free(d);
    return st;
}
