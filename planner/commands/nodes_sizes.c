#include "planner/commands/nodes_sizes.h"

#include <math.h>
#include <string.h>

#include "base/doc_seal.h"
#include "base/file.h"
#include "base/mem.h"
#include "planner/places/memory_args.h"
#include "simulator/movement/epoch_document.h"
#include "simulator/plan/plan.h"

/* ---- one node ---- */

static bool same_workload(const struct workload *a, const struct workload *b)
{
    return a->hops == b->hops && !memcmp(a->fanout, b->fanout, (size_t)a->hops * sizeof *a->fanout) &&
           a->batch == b->batch && a->frontier == b->frontier && a->sampler == b->sampler;
}

static enum st read_plan(const char *path, const struct graph *g, const struct workload *w, int gpus, doc **out,
                         struct err *err)
{
    enum st st;
    char file[PATH_BYTES];
    doc *list, *workload, *graph;
    OWNED_DOC doc *d = NULL;
    struct workload planned;
    int64_t vertices, edges;
    TRY(path_join(file, path, "plan.json", err));
    TRY(doc_load_sealed(file, plan_schema(g), &d, NULL, err));
    TRY(doc_need_array(d, "gpus", file, &list, err));
    TRY(doc_need_object(d, "graph", file, &graph, err));
    TRY(doc_need_integer(graph, "vertices", 0, INT64_MAX, file, &vertices, err));
    TRY(doc_need_integer(graph, "edges", 0, INT64_MAX, file, &edges, err));
    TRY(doc_need_object(d, "workload", file, &workload, err));
    TRY(workload_read(g, workload, file, &planned, err));
    if ((uint64_t)vertices != g->n || (uint64_t)edges != g->m)
        FAIL(ST_INPUT, "--one-node %s: the plan is for another graph; plan this one", path);
    if (doc_size(list) != (uint64_t)gpus)
        FAIL(ST_USAGE, "--one-node %s: the plan is for %llu GPUs; give --gpus %llu", path,
             (unsigned long long)doc_size(list), (unsigned long long)doc_size(list));
    if (!same_workload(&planned, w))
        FAIL(ST_USAGE, "--one-node %s: the plan has another fan-out, batch, frontier or sampler; give the same options",
             path);
    *out = doc_copy(doc_get(doc_get(d, "simulated"), "epoch_time"));
    if (!isfinite(epoch_document_with(*out, 0).without))
        FAIL(ST_INPUT,
             "--one-node %s: the plan states no epoch time; plan on a server with rates ('hotset server show') and "
             "with --simulate-epochs above 0, or give a time as 2.5s",
             path);
done:
    if (st != ST_OK) {
        doc_free(*out);
        *out = NULL;
    }
    return st;
}

/* A time of one stage. */
static enum st read_time(const char *text, doc **out, struct err *err)
{
    char target[64];
    struct size_target t[SIZE_TARGETS_MAX];
    int count;
    if (snprintf(target, sizeof target, "epoch-time<=%s", text) >= (int)sizeof target || strchr(text, ',') ||
        size_targets(target, t, &count, err) != ST_OK || !(t[0].value > 0))
        return err_set(err, ST_USAGE,
                       "--one-node %.100s: neither a plan directory nor a time above 0, as in 2.5s or 300ms", text);
    doc *d = doc_object(), *stages = doc_object();
    for (int i = 0; i < EPOCH_STAGES; i++)
        doc_put(stages, stage_word((enum stage_name)i), doc_real(i == STAGE_PROPAGATE ? t[0].value : 0));
    doc_put(d, "pipelined", doc_bool(true));
    doc_put(d, "iterations", doc_integer(1));
    doc_put(d, "stages", stages);
    *out = d;
    return ST_OK;
}

enum st nodes_sizes_epoch(const char *text, const struct graph *g, const struct workload *w, int gpus, doc **out,
                          struct err *err)
{
    *out = NULL;
    return file_is_directory(text) ? read_plan(text, g, w, gpus, out, err) : read_time(text, out, err);
}

/* ---- judging ---- */

static bool meets_target(const struct nodes_sizes *q, double seconds)
{
    for (int i = 0; i < q->targets; i++)
        if (!size_meets(&q->target[i], seconds)) return false;
    return true;
}

/* What a point costs with a NIC. counted: the point without it; busiest_bytes per epoch arrive at one node. */
static doc *point_of(const struct nodes_sizes *q, int nodes, double nic, const doc *counted)
{
    doc *d = doc_copy(counted);
    double bytes = doc_number(counted, "busiest_bytes");
    double network = bytes > 0 ? bytes / (nic * 1e9) : bytes, epoch = NAN, without = NAN, slower = NAN;
    bool fits = doc_bool_value(doc_get(counted, "fits"), true);
    if (q->one_node) {
        struct epoch_with_stage e = epoch_document_with(q->one_node, network * nodes);
        epoch = e.with / nodes;
        without = e.without / nodes;
        slower = epoch / without - 1;
    }
    doc_put(d, "network_seconds", doc_real(network));
    doc_put(d, "without_network_seconds", doc_real(without));
    doc_put(d, "epoch_seconds", doc_real(epoch));
    doc_put(d, "slower", doc_real(slower));
    bool good = q->one_node ? slower <= q->within && meets_target(q, epoch) : q->host_memory > 0;
    doc_put(d, "meets", doc_bool(fits && good));
    return d;
}

/* memory: of features; remote rows, and bytes of the busiest node, per epoch. */
static doc *counted_point(const struct nodes_sizes *q, double alpha, uint64_t copies, uint64_t memory,
                          double remote_rows, double busiest_bytes)
{
    memory += nodes_topology_bytes(q->request.graph);
    doc *d = doc_object();
    doc_put(d, "alpha", doc_real(alpha));
    doc_put(d, "copies", doc_integer((int64_t)copies));
    doc_put(d, "memory_bytes", doc_integer((int64_t)memory));
    doc_put(d, "fits", q->host_memory ? doc_bool(memory <= q->host_memory) : doc_null());
    doc_put(d, "remote_rows", doc_real(remote_rows));
    doc_put(d, "busiest_bytes", doc_real(busiest_bytes));
    return d;
}

/* points: gets one per alpha. A node copies at most what it does not own. */
static enum st count_points(struct nodes_sizes *q, int nodes, doc *points, struct err *err)
{
    enum st st = ST_OK;
    struct nodes_request *r = &q->request;
    struct nodes_result *result = NULL;
    if (nodes == 1) {
        const uint64_t features = memory_args_needed(r->graph) - nodes_topology_bytes(r->graph);
        doc_append(points, counted_point(q, 0, 0, features, 0, 0));
        return ST_OK;
    }
    r->nodes = nodes;
    r->rankings = 1;
    r->parts_only = true;
    NEW(result, 1, "nodes");
    TRY(nodes_run(r, result, err));
    for (int a = 0; a < r->alphas; a++) {
        uint64_t copies = 0, memory = 0, all = 0, most = 0;
        for (int i = 0; i < nodes; i++) {
            const struct nodes_reads remote = result->remote[0][a][i],
                                     held = nodes_copied(r, result, 0, i, r->alpha[a]);
            all += remote.rows;
            most = remote.bytes > most ? remote.bytes : most;
            copies = held.rows > copies ? held.rows : copies;
            memory = result->owned_bytes[i] + held.bytes > memory ? result->owned_bytes[i] + held.bytes : memory;
        }
        doc_append(points, counted_point(q, r->alpha[a], copies, memory, (double)all / (double)r->epochs,
                                         (double)most / (double)r->epochs));
    }
done:
    if (result) nodes_release(result);
    mem_free(result);
    return st;
}

/* A table entry per NIC; one node needs none. */
static void judge(const struct nodes_sizes *q, int nodes, const doc *points, doc *sizes)
{
    int nics = nodes == 1 || !q->nics ? 1 : q->nics;
    for (int k = 0; k < nics; k++) {
        doc *row = doc_object(), *list = doc_array();
        double nic = nodes == 1 || !q->nics ? NAN : q->nic[k];
        doc_put(row, "nodes", doc_integer(nodes));
        doc_put(row, "nic_gbps", doc_real(nic));
        for (uint64_t i = 0; i < doc_size(points); i++) doc_append(list, point_of(q, nodes, nic, doc_at(points, i)));
        doc_put(row, "points", list);
        doc_append(sizes, row);
    }
}

static bool meets(const doc *point, double within)
{
    (void)within;
    return doc_bool_value(doc_get(point, "meets"), false);
}

static doc *answer_of(const doc *sizes)
{
    static const char *const of_point[] = {"alpha", "memory_bytes", "epoch_seconds", "slower"};
    struct choice c = choice_first(sizes, "points", meets, NAN);
    if (!c.inner) return doc_null();
    doc *d = doc_object();
    doc_put(d, "nodes", doc_copy(doc_get(c.outer, "nodes")));
    doc_put(d, "nic_gbps", doc_copy(doc_get(c.outer, "nic_gbps")));
    for (size_t i = 0; i < sizeof of_point / sizeof *of_point; i++)
        doc_put(d, of_point[i], doc_copy(doc_get(c.inner, of_point[i])));
    return d;
}

static doc *head_of(const struct nodes_sizes *q)
{
    const struct nodes_request *r = &q->request;
    doc *d = doc_object(), *w = doc_object();
    char target[256] = "";
    for (int i = 0; i < q->targets; i++)
        snprintf(target + strlen(target), sizeof target - strlen(target), "%s%s", i ? "," : "", q->target[i].text);
    doc_put(d, "schema", doc_text("nodes-sizes/1"));
    doc_put(d, "graph", graph_document(r->graph));
    workload_put(r->graph, r->workload, w);
    doc_put(d, "workload", w);
    doc_put(d, "gpus_per_node", doc_integer(r->gpus));
    doc_put(d, "row_bytes", graph_plain(r->graph) ? doc_integer((int64_t)r->graph->row_bytes) : doc_null());
    doc_put(d, "topology_bytes", doc_integer((int64_t)nodes_topology_bytes(r->graph)));
    doc_put(d, "ranking", doc_text(r->ranking[0]));
    doc_put(d, "one_node_seconds", q->one_node ? doc_real(epoch_document_with(q->one_node, 0).without) : doc_null());
    doc_put(d, "host_memory_bytes", q->host_memory ? doc_integer((int64_t)q->host_memory) : doc_null());
    doc_put(d, "within", doc_real(q->one_node ? q->within : NAN));
    doc_put(d, "target", q->targets ? doc_text(target) : doc_null());
    return d;
}

enum st nodes_sizes(struct nodes_sizes *q, doc **out, struct err *err)
{
    double count[INT_LIST_MAX];
    OWNED_DOC doc *d = head_of(q), *sizes = doc_array(), *points = NULL;
    for (int i = 0; i < q->counts->count; i++) count[i] = (double)q->counts->value[i];
    int counts = choice_ascending(count, q->counts->count);
    q->request.alphas = choice_ascending(q->request.alpha, q->request.alphas);
    for (int i = 0; i < counts; i++) {
        points = doc_array();
        PASS(count_points(q, (int)count[i], points, err));
        judge(q, (int)count[i], points, sizes);
        doc_free(points);
        points = NULL;
    }
    doc_put(d, "answer", answer_of(sizes));
    doc_put(d, "sizes", sizes);
    sizes = NULL;
    *out = TAKE(d);
    return ST_OK;
}
