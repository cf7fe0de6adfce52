/* plan_load.c - reads plan directories and checks all that they state (declared in plan.h). */
#include <math.h>
#include <string.h>

#include "base/doc_kinds.h"
#include "base/doc_seal.h"
#include "base/folder.h"
#include "base/mem.h"
#include "base/units.h"
#include "simulator/caches/cache.h"
#include "simulator/lib/plan_json.h"
#include "simulator/plan/plan_change.h"
#include "simulator/plan/plan_check.h"
#include "simulator/plan/plan_ids.h"
#include "simulator/plan/plan_tables.h"
#include "simulator/plan/routes.h"
#include "traces/sampling/seeds.h"

/* Kinds of the optional keys; the required ones are checked where they are read. */
static const char plan_kinds[] = "hotness:text presample_epochs:integer topology_access:text sampling_exchange:text "
                                 "feature_access:text assignment:text uneven:bool partition:text cpu_share:number "
                                 "cache_type:text dynamic:object bound:object deal:object order:object memories:object "
                                 "server{name:text fingerprint:text} graph{name:text path:text vertices:integer "
                                 "edges:integer fingerprint:text} predicted{feature_hit_rate:number "
                                 "topology_hit_rate:number total_interval:array total_interval_source:text "
                                 "saw_the_evaluated_epochs:bool held_out:bool tables[kind:text source:text "
                                 "relation:text target:text transactions:integer]} cliques[alpha:number "
                                 "predicted:object sweep:array grid_regret_transactions:integer] "
                                 "gpus[index_bytes:integer peers:array peer_links:array switch:integer socket:integer "
                                 "topology{bytes:integer} feature{bytes:integer} lists[kind:text source:text "
                                 "relation:text target:text exact:bool bytes:integer]] files[name:text bytes:integer "
                                 "sha256:text]";

/* Maps one list of a GPU. The file's name follows from the GPU's id; the document's is not used. */
static enum st map_part(const char *folder, const doc *d, const doc *gpu, int id, const char *part, struct npy *out,
                        struct err *err)
{
    char name[64];
    doc *about = NULL;
    snprintf(name, sizeof name, "gpu%d_%s.npy", id, part);
    enum st st = doc_need_object(gpu, part, name, &about, err);
    return st == ST_OK ? plan_ids_map(folder, d, name, about, out, err) : st;
}

/* Reads the rows of one kind. seen: [n], work space. */
static enum st load_rows(const char *folder, const doc *d, const doc *gpu, int id, const char *part, uint64_t n,
                         uint8_t *seen, struct row_list *out, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    PASS(map_part(folder, d, gpu, id, part, &a, err));
    const uint32_t *ids = a.data;
    memset(seen, 0, n);
    MAKE(out->id, a.count, "the rows of a plan");
    for (uint64_t i = 0; i < a.count; i++) {
        if (ids[i] >= n)
            return err_set(err, ST_INPUT, "%s/gpu%d_%s.npy: id %u at place %llu, but the graph has %llu vertices",
                           folder, id, part, ids[i], (unsigned long long)i, (unsigned long long)n);
        if (seen[ids[i]])
            return err_set(err, ST_INPUT, "%s/gpu%d_%s.npy: id %u is listed twice", folder, id, part, ids[i]);
        seen[ids[i]] = 1;
        out->id[i] = ids[i];
    }
    out->count = out->capacity = a.count;
    return ST_OK;
}

static enum st load_peers(const doc *gpu, const char *where, int g, struct plan *p, struct err *err)
{
    const doc *peers = doc_get(gpu, "peers"), *links = doc_get(gpu, "peer_links");
    struct placement *x = &p->placement;
    uint64_t count = doc_is_array(peers) ? doc_size(peers) : 0;
    if (!doc_is_array(peers)) { /* none stated: the other GPUs of the clique */
        for (int b = 0; b < p->assignment.gpus; b++)
            if (b != g && p->assignment.clique_of[b] == p->assignment.clique_of[g]) {
                x->peer[g][x->peers[g]++] = b;
                p->links[g][b] = 1;
            }
        return ST_OK;
    }
    for (uint64_t i = 0; i < count; i++) {
        int b = assignment_position(&p->assignment, doc_integer_value(doc_at(peers, i), -1));
        bool again = false;
        for (int j = 0; j < x->peers[g]; j++) again |= x->peer[g][j] == b;
        if (b < 0 || b == g || again)
            return err_set(err, ST_INPUT, "%s: GPU %d: \"peers\" entry %llu is not another GPU of the plan", where,
                           p->assignment.id[g], (unsigned long long)i);
        x->peer[g][x->peers[g]++] = b;
        int64_t width = doc_integer_value(doc_at(links, i), 1);
        p->links[g][b] = (uint8_t)(width < 0 || width > 255 ? 1 : width);
    }
    return ST_OK;
}

/* There must be a route from every GPU to each of its peers. */
static enum st check_routes(const struct plan *p, const char *where, struct err *err)
{
    ON_HEAP(struct routes, routes);
    int from, to;
    routes_find(&p->placement, p->links, p->assignment.id, routes);
    if (routes_reach_peers(&p->placement, routes, p->pcie_switch, &from, &to)) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: GPU %d reads from GPU %d, but no chain of \"peer_links\" joins them, and \"switch\" does not "
                   "put both below one PCIe switch; state the links on the route, or the switch",
                   where, p->assignment.id[from], p->assignment.id[to]);
}

/* Every vertex trains on at most one GPU. seen: [n], work space. */
static enum st check_train(const struct assignment *a, uint64_t n, uint8_t *seen, const char *where, struct err *err)
{
    memset(seen, 0, n);
    for (int g = 0; g < a->gpus; g++)
        for (uint64_t i = 0; i < a->train_count[g]; i++)
            if (seen[a->train[g][i]]++)
                return err_set(err, ST_INPUT, "%s: training vertex %u belongs to two GPUs", where, a->train[g][i]);
    return ST_OK;
}

/* A plan in BFS order may lack the circle: the sampler finds it again. */
static enum st load_circle(const char *folder, const char *where, const doc *d, const doc *gpu, int g, struct plan *p,
                           struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    enum order_kind order = p->workload.order;
    if (order == ORDER_SHUFFLE || (order == ORDER_BFS && !doc_get(gpu, "order"))) return ST_OK;
    PASS(map_part(folder, d, gpu, p->assignment.id[g], "order", &a, err));
    return assignment_set_circle(&p->assignment, g, a.data, a.count, where, err);
}

/* Training vertices and rows of a plain graph. */
static enum st load_lists(const char *folder, const char *where, const doc *d, const doc *gpu, int g,
                          const struct graph *graph, bool changed, uint8_t *seen, struct plan *p, struct err *err)
{
    char one[BYTES_TEXT], other[BYTES_TEXT];
    int id = p->assignment.id[g];
    OWNED_BY(npy_release) struct npy train = {0};
    PASS(map_part(folder, d, gpu, id, "train", &train, err));
    PASS(assignment_set_train(&p->assignment, g, train.data, train.count, graph->n, where, err));
    PASS(load_rows(folder, d, gpu, id, "topology", graph->n, seen, &p->placement.topology[g], err));
    PASS(load_rows(folder, d, gpu, id, "feature", graph->n, seen, &p->placement.feature[g], err));
    if (changed) return ST_OK; /* rows have other sizes where edges are others */
    PASS(plan_ids_bytes(doc_get(gpu, "topology"), id, "topology", placement_topology_bytes(&p->placement, g, graph),
                        where, err));
    PASS(plan_ids_bytes(doc_get(gpu, "feature"), id, "feature", placement_feature_bytes(&p->placement, g, graph), where,
                        err));
    uint64_t held = placement_topology_bytes(&p->placement, g, graph) +
                    placement_feature_bytes(&p->placement, g, graph);
    if (held > p->budget[g])
        return err_set(err, ST_INPUT, "%s: GPU %d holds %s, its budget is %s", where, id, units_bytes_exact(one, held),
                       units_bytes_exact(other, p->budget[g]));
    return ST_OK;
}

static enum st load_gpu(const char *folder, const char *where, const doc *d, const doc *gpu, int g,
                        const struct graph *graph, bool changed, uint8_t *seen, struct plan *p, struct err *err)
{
    int64_t budget = 0;
    PASS(doc_need_integer(gpu, "budget_bytes", 0, INT64_MAX, where, &budget, err));
    p->budget[g] = (uint64_t)budget;
    int64_t index = doc_integer_value(doc_get(gpu, "index_bytes"), 0);
    p->index_bytes[g] = index < 0 ? 0 : (uint64_t)index;
    p->pcie_switch[g] = (int)doc_integer_value(doc_get(gpu, "switch"), -1);
    p->socket[g] = (int)doc_integer_value(doc_get(gpu, "socket"), -1);
    PASS(load_peers(gpu, where, g, p, err));
    PASS(graph_plain(graph) ? load_lists(folder, where, d, gpu, g, graph, changed, seen, p, err)
                            : plan_tables_load_gpu(folder, where, d, g, graph, p, err));
    return load_circle(folder, where, d, gpu, g, p, err);
}

/* change: what may differ; NULL: nothing. */
static enum st check_graph(const doc *d, const char *where, const struct graph *g, struct plan_change *change,
                           struct err *err)
{
    const doc *of = doc_get(d, "graph");
    const char *print = doc_text_value(doc_get(of, "fingerprint"), "");
    int64_t edges = doc_integer_value(doc_get(of, "edges"), -1);
    bool vertices = doc_integer_value(doc_get(of, "vertices"), -1) == (int64_t)g->n,
         prints = !*print || !*g->fingerprint || !strcmp(print, g->fingerprint);
    if (!graph_plain(g) && !*print && *g->fingerprint) /* hotset alone writes plan/2 */
        return err_set(err, ST_INPUT,
                       "%s: \"graph\" states no \"fingerprint\", so it may be for another graph; make the plan again",
                       where);
    if (vertices && edges == (int64_t)g->m && prints) return ST_OK;
    int64_t more = (int64_t)g->m - edges;
    if (change && edges >= 0 && (more < 0 ? -more : more) <= edges / PLAN_CHANGE_EDGES &&
        plan_change_same_rows(of, g)) {
        change->other = true;
        change->more = more;
        return ST_OK;
    }
    return err_set(err, ST_INPUT, "%s: was made for another graph than %s (%s differ); name the right one with --graph",
                   where, g->path, change ? "vertices, feature rows or most edges" : "vertices, edges or fingerprint");
}

/* The predictions of one clique, and its sweep if there is one. */
static enum st load_clique(const doc *clique, bool dynamic, const char *where, struct plan_clique *k, struct err *err)
{
    const doc *of = doc_get(clique, "predicted"), *sweep = doc_get(clique, "sweep");
    int64_t topology = 0, feature = 0;
    k->alpha = doc_number(clique, "alpha");
    if (dynamic) return ST_OK; /* nothing is predicted */
    PASS(doc_need_integer(of, "topology_transactions", 0, INT64_MAX / 4, where, &topology, err));
    PASS(doc_need_integer(of, "feature_transactions", 0, INT64_MAX / 4, where, &feature, err));
    k->topology = (uint64_t)topology;
    k->feature = (uint64_t)feature;
    if (!doc_is_array(sweep) || !doc_size(sweep)) return ST_OK;
    MAKE(k->sweep, doc_size(sweep), "the sweep");
    for (uint64_t i = 0; i < doc_size(sweep); i++) {
        PASS(doc_need_real(doc_at(sweep, i), "alpha", 0, 1, where, &k->sweep[i].alpha, err));
        PASS(doc_need_integer(doc_at(sweep, i), "topology_transactions", 0, INT64_MAX / 4, where, &topology, err));
        PASS(doc_need_integer(doc_at(sweep, i), "feature_transactions", 0, INT64_MAX / 4, where, &feature, err));
        k->sweep[i].topology = (uint64_t)topology;
        k->sweep[i].feature = (uint64_t)feature;
    }
    k->regret_known = doc_is_integer(doc_get(clique, "grid_regret_transactions"));
    k->regret = (uint64_t)doc_integer_value(doc_get(clique, "grid_regret_transactions"), 0);
    k->sweep_count = (int)doc_size(sweep);
    return ST_OK;
}

/* Members that only some policies state: kept unchanged. */
static void load_stated(const doc *d, struct plan *p)
{
    static const char *const keys[] =
        {"policy_options", "partition_share", "partition_bytes", "sampler_gpus", "cpu",      "splits", "reservation",
         "deal",           "order",           "alpha",           "error_price",  "rounding", "reach",  "settings"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (doc_get(d, keys[i])) plan_state(p, keys[i], doc_copy(doc_get(d, keys[i])));
}

/* The replacement rule of a dynamic plan; load_cache_rows reads the capacities. */
static enum st load_rule(const doc *d, const char *where, struct plan *p, struct err *err)
{
    const doc *of = doc_get(d, "dynamic");
    const struct cache *cache;
    const char *name = NULL;
    struct err unknown = {0};
    if (doc_is_null(of)) return ST_OK;
    PASS(doc_need_text(of, "cache", where, &name, err));
    if (cache_find(name, &cache, &unknown) != ST_OK)
        return err_set(err, ST_INPUT,
                       "%s: \"dynamic\" names the cache '%.40s', which is not a known rule; 'hotset list caches' names "
                       "them",
                       where, name);
    snprintf(p->cache, sizeof p->cache, "%s", cache->name);
    return ST_OK;
}

/* The capacities of dynamic caches: `gpu_rows`, or as many rows as fit the budgets; `rows` must be their sum. */
static enum st load_cache_rows(const doc *d, const char *where, const struct graph *graph, struct plan *p,
                               struct err *err)
{
    const doc *of = doc_get(d, "dynamic"), *each = doc_get(of, "gpu_rows");
    int64_t stated = 0;
    uint64_t sum = 0;
    plan_set_cache(p, p->cache, graph);
    PASS(doc_need_integer(of, "rows", 0, INT64_MAX, where, &stated, err));
    if (!doc_is_null(each) && (!doc_is_array(each) || doc_size(each) != (uint64_t)p->assignment.gpus))
        return err_set(err, ST_INPUT, "%s: \"gpu_rows\" of \"dynamic\" must be a list of %d numbers, one per GPU",
                       where, p->assignment.gpus);
    for (int g = 0; g < p->assignment.gpus; g++) {
        int64_t rows = doc_is_null(each) ? (int64_t)p->cache_rows[g] : doc_integer_value(doc_at(each, (uint64_t)g), -1);
        if (rows < 0 || (uint64_t)rows > p->cache_rows[g])
            return err_set(err, ST_INPUT,
                           "%s: the cache of GPU %d has %lld rows, but its budget and the graph allow 0 to %llu", where,
                           p->assignment.id[g], (long long)rows, (unsigned long long)p->cache_rows[g]);
        if (p->placement.feature[g].count)
            return err_set(err, ST_INPUT, "%s: GPU %d lists feature rows, but a dynamic plan's caches begin empty",
                           where, p->assignment.id[g]);
        p->cache_rows[g] = (uint64_t)rows;
        sum += (uint64_t)rows;
    }
    if (sum != (uint64_t)stated)
        return err_set(err, ST_INPUT,
                       "%s: \"rows\" of \"dynamic\" is %lld, but the GPUs' caches have %llu; the plan is damaged, make "
                       "it again",
                       where, (long long)stated, (unsigned long long)sum);
    return ST_OK;
}

static enum st load_server(const doc *d, const char *where, struct plan *p, struct err *err)
{
    doc *server = NULL;
    int64_t line_bytes = 0;
    PASS(doc_need_object(d, "server", where, &server, err));
    PASS(doc_need_integer(server, "cls", 4, 1 << 20, where, &line_bytes, err));
    if (line_bytes % 4)
        return err_set(err, ST_INPUT, "%s: \"cls\" is %lld, expected a multiple of 4 bytes", where,
                       (long long)line_bytes);
    p->line_bytes = (uint64_t)line_bytes;
    snprintf(p->server_name, sizeof p->server_name, "%.63s", doc_text_value(doc_get(server, "name"), ""));
    snprintf(p->server_fingerprint, sizeof p->server_fingerprint, "%.79s",
             doc_text_value(doc_get(server, "fingerprint"), ""));
    if (doc_get(server, "document")) p->server = doc_copy(doc_get(server, "document"));
    return ST_OK;
}

static enum st load_predicted(const doc *d, const char *where, struct plan *p, struct err *err)
{
    doc *predicted = NULL;
    PASS(doc_need_object(d, "predicted", where, &predicted, err));
    p->predicted_feature_hit = doc_number(predicted, "feature_hit_rate");
    p->predicted_topology_hit = doc_number(predicted, "topology_hit_rate");
    const doc *interval = doc_get(predicted, "total_interval");
    p->interval_known = doc_size(interval) == 2;
    p->interval_assumed = !strcmp(doc_text_value(doc_get(predicted, "total_interval_source"), ""), "assumed");
    p->predicted_low = doc_real_value(doc_at(interval, 0), 0);
    p->predicted_high = doc_real_value(doc_at(interval, 1), 0);
    p->predicted_held_out = !doc_bool_value(doc_get(predicted, "saw_the_evaluated_epochs"), false);
    return ST_OK;
}

/* How mini-batches are sampled and features are read. */
static void load_access(const doc *d, struct placement *x)
{
    const char *access = doc_text_value(doc_get(d, "topology_access"), "gpu");
    x->access = !strcmp(access, "cpu") ? ACCESS_CPU : !strcmp(access, "samplers") ? ACCESS_SAMPLERS : ACCESS_GPU;
    x->pushes = !strcmp(doc_text_value(doc_get(d, "sampling_exchange"), ""), "push");
    x->copies_features = !strcmp(doc_text_value(doc_get(d, "feature_access"), ""), "copy");
}

/* What plan/1 and plan/2 state alike, but for the lists of the GPUs. */
static enum st load_head(const doc *d, const char *where, const struct graph *graph, struct plan *p, struct err *err)
{
    doc *gpus = NULL, *cliques = NULL, *workload = NULL;
    const char *text = NULL;
    PASS(doc_need_text(d, "policy", where, &text, err));
    snprintf(p->policy, sizeof p->policy, "%.47s", text);
    snprintf(p->hotness, sizeof p->hotness, "%.31s", doc_text_value(doc_get(d, "hotness"), ""));
    int64_t epochs = doc_integer_value(doc_get(d, "presample_epochs"), 0);
    p->presample_epochs = epochs > 0 && epochs <= 1 << 23 ? (uint64_t)epochs : 0;
    PASS(load_server(d, where, p, err));
    PASS(doc_need_object(d, "workload", where, &workload, err));
    PASS(workload_read(graph, workload, where, &p->workload, err));
    PASS(doc_need_array(d, "gpus", where, &gpus, err));
    PASS(doc_need_array(d, "cliques", where, &cliques, err));
    PASS(plan_json_groups(gpus, cliques, where, &p->assignment, err));
    p->assignment.kind = assignment_kind_of(doc_text_value(doc_get(d, "assignment"), ""));
    p->assignment.uneven = doc_bool_value(doc_get(d, "uneven"), false);
    snprintf(p->assignment.partition, sizeof p->assignment.partition, "%.15s",
             doc_text_value(doc_get(d, "partition"), ""));
    p->placement.gpus = p->assignment.gpus;
    load_access(d, &p->placement);
    if (!doc_is_null(doc_get(d, "cpu_share"))) PASS(doc_need_real(d, "cpu_share", 0, 1, where, &p->cpu_share, err));
    load_stated(d, p);
    return ST_OK;
}

/* What only plan/1 states. */
static enum st load_more(const doc *d, const char *where, struct plan *p, struct err *err)
{
    PASS(load_rule(d, where, p, err));
    PASS(load_predicted(d, where, p, err));
    for (int c = 0; c < p->assignment.cliques; c++)
        PASS(load_clique(doc_at(doc_get(d, "cliques"), (uint64_t)c), *p->cache, where, &p->clique[c], err));
    if (doc_is_object(doc_get(d, "bound"))) p->bound = doc_copy(doc_get(d, "bound"));
    return ST_OK;
}

/* The lists of several types. */
static enum st check_tables(const doc *d, const struct plan *p, const char *where, const struct graph *graph,
                            struct err *err)
{
    enum st st = plan_check_placement(&p->placement, graph, p->assignment.id, p->budget, 1, err);
    if (st != ST_OK) err_prefix(err, "%s: ", where);
    return st != ST_OK ? st : plan_tables_check_bytes(d, where, graph, p, err);
}

/* In which element types GPUs hold features. */
static enum st load_cached(const doc *d, const char *where, struct graph *view, struct err *err)
{
    const doc *of = doc_get(d, "cache_type");
    if (!graph_plain(view)) return plan_tables_cached(d, where, view, err);
    view->cached = PRECISION_HOST;
    if (doc_is_null(of)) return ST_OK;
    enum precision p = precision_named(doc_text_value(of, ""));
    if (p == PRECISIONS || precision_row_bytes(p, view->feature_dim) >= view->row_bytes)
        return err_set(err, ST_INPUT,
                       "%s: \"cache_type\" is not one of " PRECISION_WORDS " that makes rows of this graph smaller; "
                       "the plan is damaged, make it again",
                       where);
    view->cached = p;
    return ST_OK;
}

static enum st load_places(const char *path, const char *where, const doc *d, const struct graph *g, struct plan *p,
                           struct err *err)
{
    MAKE(p->places, 1, "the memories below GPUs");
    return plan_places_load(path, where, d, g, p->assignment.gpus, p->assignment.id, p->places, err);
}

/* change: as in check_graph. */
static enum st load(const char *path, struct graph *graph, struct plan_change *change, struct plan *out,
                    struct err *err)
{
    ON_HEAP(struct plan, p);
    struct graph view = *graph; /* the plan's sampler decides whether rows hold weights */
    char where[PATH_BYTES];
    doc *d = NULL, *gpus = NULL;
    uint8_t *seen = NULL;
    bool plain = graph_plain(graph);
    enum st st;
    TRY(folder_document(where, path, "plan.json", err));
    if (plain) TRY(plan_json_open(where, &d, NULL, err));
    else TRY(doc_load_sealed(where, "plan/2", &d, NULL, err));
    TRY(doc_kinds(d, plan_kinds, where, err));
    TRY(check_graph(d, where, graph, change, err));
    TRY(load_cached(d, where, &view, err));
    TRY(load_head(d, where, graph, p, err));
    if (plain) TRY(load_more(d, where, p, err));
    TRY(workload_attach(&p->workload, &view, err));
    TRY(doc_need_array(d, "gpus", where, &gpus, err));
    bool changed = change && change->other;
    NEW(seen, graph->n, "a check of the plan's ids");
    for (int g = 0; g < p->assignment.gpus; g++)
        TRY(load_gpu(path, where, d, doc_at(gpus, (uint64_t)g), g, &view, changed, seen, p, err));
    TRY(check_train(&p->assignment, graph->n, seen, where, err));
    if (plain) TRY(check_routes(p, where, err));
    if (*p->cache) TRY(load_cache_rows(d, where, &view, p, err));
    if (!doc_is_null(doc_get(d, "memories"))) TRY(load_places(path, where, d, &view, p, err));
    if (plain) plan_order_peers(p);
    else if (!changed) TRY(check_tables(d, p, where, &view, err));
    if (!plain) TRY(plan_tables_load_predicted(d, graph, p, err));
    graph->cached = view.cached;
    *out = *p;
    memset(p, 0, sizeof *p);
done:
    mem_free(seen);
    doc_free(d);
    plan_release(p);
    return st;
}

/* Adds what the other nodes of a plan train. */
static enum st add_nodes(const struct plan *p, const char *path, const struct graph *graph, uint64_t *bits,
                         struct plan_change *change, struct err *err)
{
    char other[PATH_BYTES];
    ON_HEAP(struct plan, one);
    for (int n = 0; n < p->places->nodes; n++) {
        struct graph view = *graph;
        struct plan_change alone = {0};
        if (n == p->places->node) continue;
        if (snprintf(other, sizeof other, "%s/../node%d", path, n) >= (int)sizeof other || !file_exists(other))
            return err_set(err, ST_INPUT,
                           "%s: is one node's part of a plan for another graph than %s, and the part of node %d is not "
                           "beside it; name the folder that has all of them",
                           path, graph->path, n);
        PASS(load(other, &view, &alone, one, err));
        plan_change_add(one, bits, change);
        plan_release(one);
    }
    return ST_OK;
}

static enum st find_change(const struct plan *p, const char *path, const struct graph *graph, int threads,
                           struct plan_change *change, struct err *err)
{
    char where[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    OWNED_NEW(uint64_t, bits, graph->n / 64 + 1, "training vertices");
    plan_change_add(p, bits, change);
    if (p->places && p->places->nodes > 1) PASS(add_nodes(p, path, graph, bits, change, err));
    PASS(folder_document(where, path, "plan.json", err));
    PASS(doc_load_sealed(where, graph_plain(graph) ? "plan/1" : "plan/2", &d, NULL, err));
    return plan_change_find(bits, doc_get(d, "graph"), graph, threads, change, err);
}

enum st plan_load(const char *path, struct graph *graph, struct plan *out, struct err *err)
{
    return load(path, graph, NULL, out, err);
}

enum st plan_load_changed(const char *path, struct graph *graph, int threads, struct plan_change *change,
                          struct plan *out, struct err *err)
{
    memset(change, 0, sizeof *change);
    PASS(load(path, graph, change, out, err));
    enum st st = change->other ? find_change(out, path, graph, threads, change, err) : ST_OK;
    if (st != ST_OK) plan_release(out);
    return st;
}
