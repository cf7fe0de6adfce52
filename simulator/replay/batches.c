#include "simulator/replay/batches.h"

#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "simulator/replay/batches_layout.h"
#include "traces/sampling/seeds.h"

enum { SEEDS, VERTICES, EXPANDED, EDGES, ROWS, COLUMNS, ARRAYS };

static const struct batch_array arrays[ARRAYS] = {{"seeds", "u4", true},    {"vertices", "u4", true},
                                                  {"expanded", "u4", true}, {"edges", "i8", true},
                                                  {"rows", "u4", false},    {"columns", "u4", false}};

/* ---- one mini-batch ---- */

enum st batch_locals_room(struct batch_locals *l, uint64_t draws, struct err *err)
{
    enum st st = ST_OK;
    if (draws <= l->room) return ST_OK;
    uint64_t room = draws + draws / 2;
    GROW(l->row, room, "the edges of a mini-batch");
    GROW(l->column, room, "the edges of a mini-batch");
    if (l->end[0]) GROW(l->edge, room, "the edges of a mini-batch");
    l->room = room;
done:
    return st;
}

static enum st translate(const struct graph *g, const struct sample_steps *s, const uint32_t *ids,
                         struct batch_locals *l, struct err *err)
{
    enum { AHEAD = 16 };
    const struct sample_level *end = &s->end[s->levels - 1];
    PASS(batch_locals_room(l, end->draws, err));
    for (uint64_t i = 0; i < end->found; i++) l->number[ids[i]] = (uint32_t)i;
    for (uint64_t i = 0, d = 0; i < end->visits; i++)
        for (uint32_t k = 0; k < s->drawn[i]; k++, d++) l->row[d] = l->number[s->visited[i]];
    for (uint64_t d = 0; d < end->draws; d++) l->column[d] = g->indices[s->place[d]];
    for (uint64_t d = 0; d < end->draws; d++) {
        if (d + AHEAD < end->draws) __builtin_prefetch(&l->number[l->column[d + AHEAD]]);
        l->column[d] = l->number[l->column[d]];
    }
    return ST_OK;
}

static enum st add_batch(struct batch_files *f, const struct sample_steps *s, const uint32_t *ids,
                         const struct batch_locals *l, struct err *err)
{
    uint64_t found[HOPS_MAX + 1], visits[HOPS_MAX + 1], draws[HOPS_MAX + 1];
    const struct sample_level *last = &s->end[s->levels - 1];
    for (int i = 0; i < s->levels; i++) {
        found[i] = s->end[i].found;
        visits[i] = s->end[i].visits;
        draws[i] = s->end[i].draws;
    }
    PASS(batch_files_add(f, SEEDS, s->seed, s->seeds, &s->seeds, 1, err));
    PASS(batch_files_add(f, VERTICES, ids, last->found, found, s->levels, err));
    PASS(batch_files_add(f, EXPANDED, s->visited, last->visits, visits + 1, s->levels - 1, err));
    PASS(batch_files_add(f, EDGES, s->place, last->draws, draws + 1, s->levels - 1, err));
    PASS(batch_files_add(f, ROWS, l->row, last->draws, NULL, 0, err));
    return batch_files_add(f, COLUMNS, l->column, last->draws, NULL, 0, err);
}

static const struct batch_layout plain = {.schema = "batches/1",
                                          .arrays = arrays,
                                          .count = ARRAYS,
                                          .translate = translate,
                                          .add = add_batch};

static const struct batch_layout *layout_of(const struct graph *g)
{
    return graph_plain(g) ? &plain : &batch_layout_types;
}

static enum st locals_make(const struct graph *g, int hops, struct batch_locals *l, struct err *err)
{
    MAKE(l->number, g->n, "numbers of a mini-batch's vertices");
    if (layout_of(g)->begin) PASS(layout_of(g)->begin(g, hops, l, err));
    return ST_OK;
}

static void locals_release(struct batch_locals *l)
{
    mem_free(l->number);
    mem_free(l->row);
    mem_free(l->column);
    mem_free(l->vertex);
    mem_free(l->edge);
    for (int k = 0; k < 2; k++) mem_free(l->end[k]);
}

/* ---- one GPU ---- */

/* All mini-batches of the sampler's current GPU: as many at a time as there are threads, written in order. */
static enum st draw_all(const struct replay_request *r, struct sampler *s, struct batch_locals *locals,
                        struct batch_files *f, struct progress *bar, struct err *err)
{
    const struct batch_layout *layout = layout_of(r->graph);
    struct err first = {0};
    int failed = 0;
    uint64_t tasks = sampler_batches(s) * r->epochs;
#pragma omp parallel for schedule(static, 1) ordered num_threads(r->threads)
    for (uint64_t task = 0; task < tasks; task++) {
        struct err mine = {0};
        const struct sample_steps *steps = NULL;
        const uint32_t *ids = NULL;
        struct batch_locals *l = &locals[omp_get_thread_num()];
        enum st one = ST_OK;
        if (__atomic_load_n(&failed, __ATOMIC_RELAXED)) continue;
        (void)sampler_batch(s, omp_get_thread_num(), task, NULL, &ids);
        one = sampler_steps(s, omp_get_thread_num(), &steps, &mine);
        if (one == ST_OK) one = layout->translate(r->graph, steps, ids, l, &mine);
#pragma omp ordered
        {
            if (one == ST_OK && first.code == ST_OK) one = layout->add(f, steps, ids, l, &mine);
            if (one != ST_OK && first.code == ST_OK) {
                first = mine;
                __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
            }
        }
        progress_add(bar, 1);
    }
    return first.code == ST_OK ? ST_OK : err_set(err, first.code, "%s", first.text);
}

static enum st save_gpu(const struct replay_request *r, int g, struct sampler *s, struct batch_locals *locals,
                        const struct output *o, struct progress *bar, doc *gpus, struct err *err)
{
    enum st st;
    struct batch_files *f = NULL;
    const struct assignment *a = r->assignment;
    NEW(f, 1, "files");
    TRY(sampler_gpu(s, a->id[g], assignment_seeds(a, g), a->train_count[g], r->epochs, err));
    TRY(batch_files_begin(o, a->id[g], layout_of(r->graph)->arrays, layout_of(r->graph)->count, f, err));
    TRY(draw_all(r, s, locals, f, bar, err));
    TRY(batch_files_end(f, err));
    doc_append(gpus, batch_files_document(a->id[g], sampler_batches(s), f));
done:
    if (f) batch_files_cancel(f);
    mem_free(f);
    return st;
}

/* ---- the whole ---- */

static doc *plain_document(const struct graph *g)
{
    return DOC(IS("name", g->name), IS("vertices", g->n), IS("edges", g->m), IS("fingerprint", g->fingerprint));
}

static doc *head_document(const struct replay_request *r, doc **gpus)
{
    doc *d = doc_object(), *workload = doc_object();
    *gpus = doc_array();
    workload_put(r->graph, r->workload, workload);
    DOC_PUT(d, IS("schema", layout_of(r->graph)->schema),
            IS("graph", graph_plain(r->graph) ? plain_document(r->graph) : graph_document(r->graph)),
            IS("workload", workload), IS("seed", r->seed), IS("epochs", r->epochs), IS("hops", r->workload->hops),
            IS("gpus", *gpus));
    return d;
}

static uint64_t count_tasks(const struct replay_request *r, const int *readers, int count)
{
    uint64_t tasks = 0;
    const struct assignment *a = r->assignment;
    for (int i = 0; i < count; i++)
        tasks += seeds_batches(r->workload, r->graph, a->train[readers[i]], a->train_count[readers[i]]) * r->epochs;
    return tasks;
}

enum st batches_save(const struct replay_request *r, const int *readers, int count, const char *folder, doc **out,
                     struct err *err)
{
    enum st st;
    struct workload w = *r->workload;
    struct sampler *s = NULL;
    struct batch_locals *locals = NULL;
    struct output o = {0};
    struct progress bar;
    char path[PATH_BYTES];
    doc *gpus = NULL, *d = head_document(r, &gpus);
    w.seed = r->seed;
    if (w.frontier == FRONTIER_LAYERS)
        return doc_free(d), err_set(err, ST_USAGE,
                                    "the frontier rule `layers` lists a vertex once per layer, but the files of "
                                    "mini-batches list it once; take --frontier new or all");
    if (!graph_plain(r->graph) && (w.sampler == SAMPLER_WALK || workload_edges(&w)))
        return doc_free(d), err_set(err, ST_USAGE,
                                    "the files of mini-batches of several types (schema batches/2) have vertices as "
                                    "seeds, and hops that expand a frontier, so they do not hold %s; replay a plan "
                                    "with other ones",
                                    workload_edges(&w) ? "seeds that are edges" : "walks");
    progress_begin(&bar, "writing mini-batches", count_tasks(r, readers, count), r->progress);
    TRY(output_directory(&o, folder, err));
    TRY(sampler_new(r->graph, &w, r->line_bytes, r->threads, &s, err));
    TRY(sampler_keep_steps(s, err));
    NEW(locals, r->threads, "numbers of a mini-batch's vertices");
    for (int t = 0; t < r->threads; t++) TRY(locals_make(r->graph, w.hops, &locals[t], err));
    for (int i = 0; i < count; i++) TRY(save_gpu(r, readers[i], s, locals, &o, &bar, gpus, err));
    TRY(output_path(&o, "batches.json", path, err));
    TRY(doc_save(d, path, err));
    TRY(output_commit(&o, err));
    *out = TAKE(d);
done:
    progress_end(&bar);
    for (int t = 0; locals && t < r->threads; t++) locals_release(&locals[t]);
    mem_free(locals);
    sampler_free(s);
    output_abort(&o);
    doc_free(d);
    return st;
}
