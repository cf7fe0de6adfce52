#include "planner/inference/inference_file.h"

#include <string.h>

#include "base/doc_seal.h"
#include "base/folder.h"
#include "base/id_file.h"
#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/options/options.h"
#include "simulator/plan/plan.h"
#include "simulator/plan/plan_ids.h"
#include "traces/graph/graph_sets.h"

enum { NAME = 64 };

/* ---- writing ---- */

struct lists {
    const struct output *o;
    uint32_t *ids; /* [n] scratch */
    uint64_t n;
    doc *list, *files;
};

/* Vertices where a byte equals `is`, as a file. */
static enum st save_list(struct lists *l, const char *name, const uint8_t *of, int is, struct err *err)
{
    uint64_t count = 0;
    doc *d = doc_object();
    for (uint64_t v = 0; v < l->n; v++)
        if (of[v] == is) l->ids[count++] = (uint32_t)v;
    DOC_PUT(d, IS("file", name), IS("count", count));
    doc_append(l->list, d);
    return id_file_save(l->o, name, l->ids, count, l->files, err);
}

static enum st save_gpu(const struct inference_question *q, const struct inference_outcome *o, int g, struct lists *l,
                        uint8_t *mark, struct err *err)
{
    char name[NAME];
    int id = q->server->gpu[g].id;
    memset(mark, 0, l->n);
    for (uint64_t i = o->chunks.begin[g]; i < o->chunks.begin[g + 1]; i++) mark[o->order[i]] = o->topology[o->order[i]];
    snprintf(name, sizeof name, "gpu%d_topology.npy", id);
    PASS(save_list(l, name, mark, 1, err));
    for (int k = 0; k < q->job.layers; k++) {
        if (o->same_as[k] != k) continue;
        snprintf(name, sizeof name, "gpu%d_layer%d.npy", id, k + 1);
        PASS(save_list(l, name, o->owner[k] + (uint64_t)q->server->clique_of[g] * l->n, g, err));
    }
    return ST_OK;
}

static enum st save_lists(const struct inference_question *q, const struct inference_outcome *o, struct lists *l,
                          struct err *err)
{
    char name[NAME];
    OWNED_NEW(uint8_t, mark, l->n, "marks of rows");
    PASS(id_file_save(l->o, "order.npy", o->order, l->n, l->files, err));
    if (q->job.targets[q->job.layers] < l->n) PASS(save_list(l, "evaluated.npy", q->job.top, q->job.layers, err));
    for (int g = 0; g < q->server->gpus; g++) PASS(save_gpu(q, o, g, l, mark, err));
    for (int k = 0; k < q->job.layers; k++) {
        if (!o->dram[k]) continue;
        snprintf(name, sizeof name, "dram_layer%d.npy", k + 1);
        PASS(save_list(l, name, o->dram[k], 1, err));
    }
    return ST_OK;
}

enum st inference_save(const struct inference_question *q, const struct inference_outcome *o, doc *d, const char *path,
                       struct err *err)
{
    enum st st;
    struct output out = {0};
    char file[PATH_BYTES];
    struct lists l = {.o = &out, .n = q->graph->n, .list = doc_array(), .files = doc_array()};
    doc *of = doc_array();
    for (int k = 0; k < q->job.layers; k++) doc_append(of, doc_integer(o->same_as[k] + 1));
    DOC_PUT(d, IS("lists_of", of), IS("lists", l.list), IS("files", l.files));
    NEW(l.ids, l.n, "lists of rows");
    TRY(output_directory(&out, path, err));
    TRY(save_lists(q, o, &l, err));
    TRY(output_path(&out, "plan.json", file, err));
    TRY(doc_save_sealed(d, file, err));
    TRY(output_commit(&out, err));
done:
    output_abort(&out);
    mem_free(l.ids);
    return st;
}

/* ---- reading ---- */

enum st inference_is_plan(const char *path, bool *is, struct err *err)
{
    char where[PATH_BYTES];
    struct err ignored = {0};
    *is = false;
    if (path_join(where, path, "plan.json", &ignored) != ST_OK) return ST_OK;
    return doc_has_schema(where, INFERENCE_SCHEMA, is, err);
}

struct reading {
    const char *path, *where;
    const doc *d;
    struct inference_question *q;
    struct inference_outcome *o;
};

/* A list by its name: *out is mapped, and empty where the plan has no such file; ids are below n and unique. */
static enum st map_list(const struct reading *r, const char *name, struct npy *out, struct err *err)
{
    const doc *list = doc_get(r->d, "lists");
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *about = doc_at(list, i);
        if (strcmp(doc_text_value(doc_get(about, "file"), ""), name)) continue;
        PASS(plan_ids_map(r->path, r->d, name, about, out, err));
        return graph_set_check(out->data, out->count, r->q->graph->n, "the graph", r->path, name, err);
    }
    return ST_OK;
}

static enum st read_order(struct reading *r, struct err *err)
{
    uint64_t n = r->q->graph->n;
    OWNED_DOC doc *about = doc_object();
    OWNED_BY(npy_release) struct npy a = {0};
    uint32_t *order = NULL;
    int kind = 0;
    const char *word = doc_text_value(doc_get(r->d, "order"), "");
    while (kind < INFERENCE_ORDERS && strcmp(word, inference_order_word((enum inference_order)kind))) kind++;
    if (kind == INFERENCE_ORDERS)
        return err_set(err, ST_INPUT, "%s: \"order\" is '%.40s', which is no order", r->where, word);
    doc_put(about, "count", doc_integer((int64_t)n));
    PASS(plan_ids_map(r->path, r->d, "order.npy", about, &a, err));
    PASS(graph_set_check(a.data, a.count, n, "the graph", r->path, "order.npy", err));
    MAKE(order, n, "an order of vertices");
    memcpy(order, a.data, n * sizeof *order);
    r->o->order = r->q->orders_made[kind] = order;
    r->o->choice.order = (enum inference_order)kind;
    return ST_OK;
}

static enum st read_job(struct reading *r, struct err *err)
{
    int64_t layers, hidden, classes;
    const doc *model = doc_get(r->d, "model");
    struct inference *j = &r->q->job;
    OWNED_BY(npy_release) struct npy ids = {0};
    bool sampled = !strcmp(doc_text_value(doc_get(r->d, "mode"), ""), "sampled");
    PASS(doc_need_integer(model, "layers", 1, sampled ? HOPS_MAX : INFERENCE_LAYERS_MAX, r->where, &layers, err));
    PASS(doc_need_integer(model, "hidden", 1, 65536, r->where, &hidden, err));
    PASS(doc_need_integer(model, "classes", 1, 1000000, r->where, &classes, err));
    snprintf(r->q->between, sizeof r->q->between, "%s", doc_text_value(doc_get(model, "between"), "f32"));
    snprintf(r->q->evaluated, sizeof r->q->evaluated, "%s",
             doc_text_value(doc_get(doc_get(r->d, "evaluated"), "set"), "all"));
    j->graph = r->q->graph;
    j->gnn = (struct gnn){gnn_of(doc_text_value(doc_get(model, "name"), "")), (uint64_t)hidden, (uint64_t)classes};
    j->layers = sampled ? 1 : (int)layers;
    j->element_bytes = strcmp(r->q->between, "f32") ? 2 : 4;
    if (sampled) {
        PASS(workload_read(r->q->graph, doc_get(r->d, "workload"), r->where, &r->q->workload, err));
        PASS(workload_attach(&r->q->workload, &r->q->own_graph, err));
        j->workload = &r->q->workload;
    }
    PASS(map_list(r, "evaluated.npy", &ids, err));
    return inference_begin(j, ids.count ? ids.data : NULL, ids.count, err);
}

static enum st read_machine(struct reading *r, const char *name, struct err *err)
{
    struct inference_question *q = r->q;
    const doc *server = doc_get(r->d, "server"), *schedule = doc_get(r->d, "schedule"), *ssd = doc_get(r->d, "ssd");
    PASS(server_load(name ? name : doc_text_value(doc_get(server, "name"), ""), &q->own_server, err));
    PASS(server_set_reach(&q->own_server, REACH_DIRECT, err));
    q->server = &q->own_server;
    if (strcmp(q->server->fingerprint, doc_text_value(doc_get(server, "fingerprint"), "")))
        return err_set(err, ST_INPUT,
                       "%s: was planned for another server than %s; name the plan's server with --server", r->where,
                       q->server->name);
    q->pipelined = doc_bool_value(doc_get(schedule, "pipelined"), true);
    q->unoverlapped = doc_real_value(doc_get(schedule, "unoverlapped"), EPOCH_UNOVERLAPPED);
    q->enlarge = 1;
    q->host_bytes = (uint64_t)doc_integer_value(doc_get(r->d, "host_memory_bytes"), 0);
    q->budget = (struct budget){.kind = BUDGET_BYTES};
    snprintf(q->budget.text, sizeof q->budget.text, "%s", doc_text_value(doc_get(r->d, "budget"), ""));
    if (!doc_is_null(ssd)) PASS(drives_read(ssd, r->where, &q->drives, err));
    return ST_OK;
}

static enum st read_chunk(struct reading *r, struct err *err)
{
    const doc *chunk = doc_get(r->d, "chunk");
    const char *unit = doc_text_value(doc_get(chunk, "unit"), "");
    struct inference_choice *c = &r->o->choice;
    int64_t limit = doc_integer_value(doc_get(chunk, "limit"), 0);
    if (limit < 0 || (strcmp(unit, "vertices") && strcmp(unit, "edges") && strcmp(unit, "bytes")))
        return err_set(err, ST_INPUT, "%s: \"chunk\" is no size of a chunk", r->where);
    c->unit = !strcmp(unit, "edges") ? CHUNK_EDGES : !strcmp(unit, "bytes") ? CHUNK_BYTES : CHUNK_VERTICES;
    c->limit = (uint64_t)limit;
    r->o->chunks =
        (struct inference_chunks){r->o->order, c->unit, limit ? (uint64_t)limit : UINT64_MAX, r->q->server->gpus, {0}};
    inference_deal(&r->q->job, &r->o->chunks);
    return ST_OK;
}

static enum st read_held(struct reading *r, int g, int layer, struct err *err)
{
    char name[NAME];
    OWNED_BY(npy_release) struct npy a = {0};
    uint64_t n = r->q->graph->n;
    uint8_t *owner = r->o->owner[layer] + (uint64_t)r->q->server->clique_of[g] * n;
    snprintf(name, sizeof name, "gpu%d_layer%d.npy", r->q->server->gpu[g].id, layer + 1);
    PASS(map_list(r, name, &a, err));
    for (uint64_t i = 0; i < a.count; i++) owner[((const uint32_t *)a.data)[i]] = (uint8_t)g;
    r->o->kept[layer][g] = a.count;
    return ST_OK;
}

/* Sets the bytes of the vertices that a file lists; where it is there. */
static enum st read_marks(struct reading *r, const char *name, uint8_t **out, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    PASS(map_list(r, name, &a, err));
    if (!*out) MAKE(*out, r->q->graph->n, "lists of rows");
    for (uint64_t i = 0; i < a.count; i++) (*out)[((const uint32_t *)a.data)[i]] = 1;
    return ST_OK;
}

/* The input rows of a layer on SSDs that DRAM holds. */
static enum st read_dram(struct reading *r, int layer, struct err *err)
{
    char name[NAME];
    struct inference_outcome *o = r->o;
    snprintf(name, sizeof name, "dram_layer%d.npy", layer);
    PASS(read_marks(r, name, &o->dram[layer - 1], err));
    for (uint64_t v = 0; v < r->q->graph->n; v++) {
        if (!o->dram[layer - 1][v]) continue;
        o->home.dram_rows[layer]++;
        o->home.dram_bytes[layer] += inference_row_bytes(&r->q->job, layer - 1, v);
    }
    return ST_OK;
}

static enum st read_lists(struct reading *r, struct err *err)
{
    char name[NAME];
    struct inference_outcome *o = r->o;
    uint64_t held = (uint64_t)r->q->server->cliques * r->q->graph->n;
    const doc *of = doc_get(r->d, "lists_of"), *layers = doc_get(r->d, "layers");
    for (int g = 0; g < r->q->server->gpus; g++) {
        snprintf(name, sizeof name, "gpu%d_topology.npy", r->q->server->gpu[g].id);
        PASS(read_marks(r, name, &o->topology, err));
    }
    o->home.topology_on_ssd = !strcmp(doc_text_value(doc_get(doc_get(r->d, "memory"), "topology"), ""), "ssd");
    for (int k = 0; k < r->q->job.layers; k++) {
        const doc *l = doc_at(layers, (uint64_t)k);
        int64_t same = doc_integer_value(doc_at(of, (uint64_t)k), 0);
        if (same < 1 || same > k + 1)
            return err_set(err, ST_INPUT, "%s: \"lists_of\" names no earlier layer", r->where);
        o->same_as[k] = (int)same - 1;
        o->home.level_on_ssd[k] |= !strcmp(doc_text_value(doc_get(l, "input"), ""), "ssd");
        o->home.level_on_ssd[k + 1] = !strcmp(doc_text_value(doc_get(l, "output"), ""), "ssd");
        if (doc_integer_value(doc_get(l, "dram_rows"), 0)) PASS(read_dram(r, k + 1, err));
        if (o->same_as[k] != k) {
            memcpy(o->kept[k], o->kept[o->same_as[k]], sizeof o->kept[k]);
            continue;
        }
        MAKE(o->owner[k], held, "holders of rows");
        memset(o->owner[k], INFERENCE_NOBODY, held);
        for (int g = 0; g < r->q->server->gpus; g++) PASS(read_held(r, g, k, err));
    }
    return ST_OK;
}

enum st inference_load(struct call *call, const char *path, const char *graph, const char *server,
                       struct inference_question *q, struct inference_outcome *o, doc **d, struct err *err)
{
    char where[PATH_BYTES], at[PATH_BYTES];
    struct reading r = {.path = path, .where = where, .q = q, .o = o};
    PASS(folder_document(where, path, "plan.json", err));
    PASS(doc_load_sealed(where, INFERENCE_SCHEMA, d, NULL, err));
    r.d = *d;
    if (!graph) PASS(plan_graph_path(path, at, err));
    PASS(options_graph(graph ? graph : at, call->threads, &q->own_graph, err));
    q->graph = &q->own_graph;
    q->call = call;
    const doc *of = doc_get(*d, "graph");
    if (doc_integer_value(doc_get(of, "vertices"), -1) != (int64_t)q->graph->n ||
        doc_integer_value(doc_get(of, "edges"), -1) != (int64_t)q->graph->m ||
        strcmp(doc_text_value(doc_get(of, "fingerprint"), ""), q->graph->fingerprint))
        return err_set(err, ST_INPUT, "%s: was planned for another graph than %s; name the plan's graph with --graph",
                       where, q->graph->path);
    PASS(read_machine(&r, server, err));
    PASS(read_job(&r, err));
    PASS(read_order(&r, err));
    PASS(read_chunk(&r, err));
    PASS(read_lists(&r, err));
    o->fits = true;
    MAKE(o->layer, q->job.layers, "counts of layers");
    o->layers = q->job.layers;
    return ST_OK;
}
