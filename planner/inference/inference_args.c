#include "planner/inference/inference_args.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/options/premises_of.h"
#include "traces/graph/graph_sets.h"

static const char *const own[] = {"mode", "layers", "evaluate", "chunk", "chunk-order", "between", NULL};

static bool listed(const char *const *list, const char *name)
{
    for (; list && *list; list++)
        if (!strcmp(*list, name)) return true;
    return false;
}

enum st inference_refuse(const struct call *call, const struct inference_args *a, const char *but, struct err *err)
{
    for (int i = 0; !inference_asked(a) && own[i]; i++)
        if (call_given(call, own[i]) && !(but && !strcmp(own[i], but)))
            return err_set(err, ST_USAGE, "--%s: is of inference; add --job inference, or leave it out", own[i]);
    return ST_OK;
}

/* What the job takes: in both modes, in each of them. */
static enum st check_options(const struct call *call, const struct inference_given *given, bool sampled,
                             struct err *err)
{
    static const char *const both[] = {"graph",    "server",       "output",      "budget", "job",       "mode",
                                       "evaluate", "chunk-order",  "between",     "hidden", "classes",   "model",
                                       "schedule", "unoverlapped", "host-memory", "ssd",    "partition", "strict",
                                       NULL},
                             *const layers[] = {"layers", "chunk", NULL}, *const draws[] = {"fanout",
                                                                                            "fanout-over",
                                                                                            "batch",
                                                                                            "frontier",
                                                                                            "sampler",
                                                                                            "labor-iterations",
                                                                                            "batch-dependency",
                                                                                            "layer-dependency",
                                                                                            "time-window",
                                                                                            "time-direction",
                                                                                            "walks",
                                                                                            "walk-length",
                                                                                            "metapath",
                                                                                            "restart",
                                                                                            NULL};
    for (const struct param *p = call->params; p && p->name; p++) {
        if (param_is_alias(p) || !call_given(call, p->name) || listed(both, p->name) || listed(given->also, p->name) ||
            listed(sampled ? draws : layers, p->name))
            continue;
        bool other = listed(sampled ? layers : draws, p->name);
        return err_set(err, ST_USAGE, "--%s: has no meaning with --job inference%s; leave it out", p->name,
                       !other    ? ""
                       : sampled ? " --mode sampled"
                                 : ", which draws no neighbours but with --mode sampled");
    }
    return ST_OK;
}

/* ---- lists ---- */

static enum st read_chunk(const char *word, struct inference_choice *c, struct err *err)
{
    int64_t number;
    char text[64];
    size_t length = strlen(word), digits = strspn(word, "0123456789");
    *c = (struct inference_choice){.unit = CHUNK_VERTICES};
    if (!strcmp(word, "all")) return ST_OK;
    if (length >= sizeof text || !digits)
        return err_set(err, ST_USAGE,
                       "--chunk: '%.40s' is no size of a chunk; expected vertices (65536), arcs (1000000edges), bytes "
                       "(4GiB), all or auto",
                       word);
    snprintf(text, sizeof text, "%.*s", (int)digits, word);
    if (!word[digits] || !strcmp(word + digits, "edges")) {
        PASS(units_integer(text, "--chunk", 1, INT64_MAX, &number, err));
        c->limit = (uint64_t)number;
        c->unit = word[digits] ? CHUNK_EDGES : CHUNK_VERTICES;
        return ST_OK;
    }
    c->unit = CHUNK_BYTES;
    PASS(units_size(word, "--chunk", &c->limit, err));
    if (!c->limit) return err_set(err, ST_USAGE, "--chunk: 0 bytes hold no row; give more");
    return ST_OK;
}

/* --chunk: a list, each size once. */
static enum st chunk_list(const char *text, struct inference_choice *out, int *count, struct err *err)
{
    char copy[512], *word[INFERENCE_CHUNKS_MAX];
    snprintf(copy, sizeof copy, "%s", text);
    int words = strlen(text) < sizeof copy ? text_split(copy, ',', word, INFERENCE_CHUNKS_MAX) : -1;
    if (words < 1) return err_set(err, ST_USAGE, "--chunk: expected 1 to %d sizes", INFERENCE_CHUNKS_MAX);
    *count = 0;
    for (int i = 0; i < words; i++) {
        bool twice = false;
        PASS(read_chunk(word[i], &out[*count], err));
        for (int k = 0; k < *count; k++) twice |= out[k].unit == out[*count].unit && out[k].limit == out[*count].limit;
        *count += !twice;
    }
    return ST_OK;
}

/* --chunk-order likewise. */
static enum st order_list(const char *text, enum inference_order *out, int *count, struct err *err)
{
    char copy[128], *word[2 * INFERENCE_ORDERS];
    snprintf(copy, sizeof copy, "%s", strcmp(text, "auto") ? text : "id,part,locality,bfs");
    int words = text_split(copy, ',', word, 2 * INFERENCE_ORDERS);
    unsigned seen = 0;
    *count = 0;
    for (int i = 0; i < words; i++) {
        int k = 0;
        while (k < INFERENCE_ORDERS && strcmp(word[i], inference_order_word((enum inference_order)k))) k++;
        if (k == INFERENCE_ORDERS)
            return err_set(err, ST_USAGE,
                           "--chunk-order: '%.40s' is no order; expected id, part, locality, bfs or auto", word[i]);
        if (!(seen >> k & 1)) out[(*count)++] = (enum inference_order)k;
        seen |= 1u << k;
    }
    if (*count < 1) return err_set(err, ST_USAGE, "--chunk-order: expected id, part, locality, bfs or auto");
    return ST_OK;
}

void inference_all_chunks(struct inference_question *q)
{
    q->chunks = 0;
    double share = (double)q->graph->n * q->enlarge / q->server->gpus;
    for (uint64_t at = 4096; (double)at < share && q->chunks < INFERENCE_CHUNKS_MAX - 1; at *= 4)
        q->chunk[q->chunks++] = (struct inference_choice){.unit = CHUNK_VERTICES, .limit = at};
    q->chunk[q->chunks++] = (struct inference_choice){.unit = CHUNK_VERTICES};
}

/* ---- the evaluated set ---- */

static enum st read_ids(const char *path, const struct graph *g, uint32_t **ids, uint64_t *count, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    bool ok = true;
    PASS(npy_map(path, &a, err));
    MAKE(*ids, a.count, "the evaluated vertices");
    for (uint64_t i = 0; i < a.count; i++) {
        int64_t v = npy_integer(&a, i, &ok);
        if (!ok || v < 0 || (uint64_t)v >= g->n)
            return err_set(err, ST_INPUT, "%s: entry %llu is no vertex of the graph; expected integers from 0 to %llu",
                           path, (unsigned long long)i, (unsigned long long)g->n - 1);
        (*ids)[i] = (uint32_t)v;
    }
    if (!a.count) return err_set(err, ST_INPUT, "%s: is empty; --evaluate needs at least one vertex", path);
    *count = a.count;
    return graph_set_check(*ids, a.count, g->n, "the graph", ".", path, err);
}

/* The vertices of a type, or the training vertices of all types: in *ids. */
static enum st of_types(const struct graph *g, int type, uint32_t **ids, uint64_t *count, struct err *err)
{
    uint64_t most = type < 0 ? g->train_count : g->type[type].count;
    MAKE(*ids, most, "the evaluated vertices");
    for (uint64_t i = 0; type >= 0 && i < most; i++) (*ids)[i] = (uint32_t)(g->type[type].first + i);
    uint64_t at = 0;
    for (int t = 0; type < 0 && t < graph_type_count(g); t++) {
        const struct graph_vertices vertices = graph_vertices(g, t);
        for (uint64_t i = 0; i < vertices.train_count; i++) (*ids)[at++] = (uint32_t)vertices.first + vertices.train[i];
    }
    *count = most;
    return ST_OK;
}

static enum st of_sets(const struct graph *g, const char *word, int threads, uint32_t **ids, uint64_t *count,
                       struct err *err)
{
    OWNED_BY(graph_sets_close) struct graph_sets sets = {0};
    PASS(graph_sets_open(g, threads, &sets, err));
    const uint32_t *of = !strcmp(word, "valid") ? sets.valid : sets.test;
    *count = !strcmp(word, "valid") ? sets.valid_count : sets.test_count;
    if (!*count)
        return err_set(err, ST_INPUT, "--evaluate %s: %s has no such vertices; name a file of ids, or all", word,
                       g->path);
    MAKE(*ids, *count, "the evaluated vertices");
    memcpy(*ids, of, *count * sizeof **ids);
    return ST_OK;
}

/* *ids stays NULL for all vertices. */
static enum st find_evaluated(struct inference_question *q, const struct inference_args *a, uint32_t **ids,
                              uint64_t *count, struct err *err)
{
    struct err none = {0};
    const struct graph *g = q->graph;
    const char *word = a->evaluate ? a->evaluate : "all";
    if (!a->evaluate && q->job.workload && of_sets(g, "test", q->call->threads, ids, count, &none) == ST_OK)
        word = "test";
    else if (!strcmp(word, "valid") || !strcmp(word, "test")) PASS(of_sets(g, word, q->call->threads, ids, count, err));
    else if (!strcmp(word, "train")) PASS(of_types(g, -1, ids, count, err));
    else if (graph_type_named(g, word) >= 0) PASS(of_types(g, graph_type_named(g, word), ids, count, err));
    else if (strcmp(word, "all")) PASS(read_ids(word, g, ids, count, err));
    snprintf(q->evaluated, sizeof q->evaluated, "%.60s", word);
    return ST_OK;
}

/* ---- the question ---- */

static enum st read_job(struct inference_question *q, const struct inference_given *given, struct err *err)
{
    const struct inference_args *a = given->args;
    OWNED uint32_t *ids = NULL;
    uint64_t count = 0;
    bool sampled = !strcmp(a->mode, "sampled");
    struct inference *j = &q->job;
    if (gnn_of(given->timing->model) == GNN_RGAT)
        return err_set(err, ST_USAGE, "--model: inference of rgat is not modelled; give sage or gcn");
    j->graph = q->graph;
    j->layers = sampled ? 1 : (int)a->layers;
    j->gnn = (struct gnn){gnn_of(given->timing->model), (uint64_t)given->timing->hidden,
                          (uint64_t)given->timing->classes};
    j->element_bytes = !strcmp(a->between, "f32") ? 4 : 2;
    snprintf(q->between, sizeof q->between, "%s", a->between);
    if (sampled) {
        PASS(options_workload(q->call, given->workload, q->graph, &q->workload, err));
        PASS(workload_attach(&q->workload, (struct graph *)q->graph, err));
        q->workload.order = ORDER_BLOCKS; /* one stretch of the order is a mini-batch */
        q->workload.order_blocks = 1;
        j->workload = &q->workload;
    }
    PASS(find_evaluated(q, a, &ids, &count, err));
    return inference_begin(j, ids, count, err);
}

static enum st read_machine(struct inference_question *q, const struct inference_given *given, struct err *err)
{
    struct epoch_options timing;
    const struct memory_args *m = given->memory;
    PASS(server_load(given->server, &q->own_server, err));
    q->server = &q->own_server;
    PASS(server_set_reach(&q->own_server, REACH_DIRECT, err));
    PASS(epoch_args_read(given->timing, &timing, err));
    q->pipelined = timing.setup.pipelined;
    q->unoverlapped = timing.setup.unoverlapped;
    q->budget = given->budget ? *given->budget : (struct budget){.kind = BUDGET_MEMORY, .text = "memory"};
    q->partition = given->partition;
    if (q->budget.kind == BUDGET_MEMORY)
        for (int g = 0; g < q->server->gpus; g++)
            if (!q->server->gpu[g].memory_bytes)
                return err_set(err, ST_INPUT, "server %s does not state the memory of GPU %d; give --budget",
                               q->server->name, q->server->gpu[g].id);
    if (m->memory || q->server->host_memory_bytes)
        PASS(memory_args_host(m->memory, memory_args_needed(q->graph), q->server, q->server->name, 1600, &q->host_bytes,
                              err));
    PASS(memory_args_drives(m->ssd, q->graph, q->server, &q->drives, err));
    if (q->drives.count && !q->host_bytes)
        return err_set(err, ST_USAGE,
                       "--host-memory: the memory of server %s is not known; give it, as in --host-memory 64GiB",
                       q->server->name);
    return ST_OK;
}

/* How far each moves a pass is not weighed. */
static enum st find_premises(struct inference_question *q, const struct inference_given *given, struct err *err)
{
    struct premises *to = &q->premises;
    to->count = 0;
    premises_of_rows(to, q->graph);
    if (q->job.workload) premises_of_workload(to, q->call, q->graph, &q->workload, NULL);
    premises_of_model(to, q->call, given->timing, false);
    premises_of_server(to, q->server, given->server);
    for (int i = 0; i < to->count && !q->job.workload; i++) /* nothing is sampled */
        if (strstr(to->list[i].name, "sampling_rate")) to->list[i].effect = 0;
    return premises_end(q->call, to, call_given(q->call, "strict"), err);
}

enum st inference_question_make(struct call *call, const struct inference_given *given, struct inference_question *q,
                                struct err *err)
{
    q->call = call;
    PASS(check_options(call, given, !strcmp(given->args->mode, "sampled"), err));
    if (!(q->enlarge > 0)) q->enlarge = 1;
    if (given->graph) {
        PASS(options_graph(given->graph, call->threads, &q->own_graph, err));
        q->graph = &q->own_graph;
    }
    PASS(read_machine(q, given, err));
    PASS(read_job(q, given, err));
    PASS(order_list(given->args->order, q->order, &q->orders, err));
    q->chunks = 0;
    if (q->job.workload) q->chunk[q->chunks++] = (struct inference_choice){.limit = q->workload.batch};
    else if (!strcmp(given->args->chunk, "auto")) inference_all_chunks(q);
    else PASS(chunk_list(given->args->chunk, q->chunk, &q->chunks, err));
    return find_premises(q, given, err);
}

void inference_question_end(struct inference_question *q)
{
    for (int i = 0; i < INFERENCE_ORDERS; i++) mem_free(q->orders_made[i]);
    inference_end(&q->job);
    server_release(&q->own_server);
    graph_close(&q->own_graph);
}
