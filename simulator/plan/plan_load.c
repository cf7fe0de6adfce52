/* plan_load.c - reads plan directories and checks all that they state (declared in plan.h). */
#include <string.h>

#include "base/doc_seal.h"
#include "base/folder.h"
#include "base/mem.h"
#include "hwprofiles/model/server.h"
#include "simulator/caches/cache.h"
#include "simulator/lib/plan_json.h"
#include "simulator/plan/plan_change.h"
#include "simulator/plan/plan_check.h"
#include "simulator/plan/plan_lists.h"
#include "simulator/plan/routes.h"
#include "traces/sampling/seeds.h"

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

/* What one GPU is read with. */
struct loading {
    const char *folder, *where;
    const doc *d;
    const struct plan_stated *stated;
    const struct graph *graph;
    bool changed; /* rows have other sizes where edges are others */
};

/* A plan in BFS order may lack the circle: the sampler finds it again. */
static enum st load_circle(const struct loading *l, int g, struct plan *p, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    char name[PLAN_FILE_NAME];
    const struct plan_gpu_stated *gpu = &l->stated->gpu[g];
    if (!plan_json_circle(gpu, &p->workload)) return ST_OK;
    plan_order_file(gpu->id, name);
    PASS(plan_ids_list(l->folder, l->d, name, gpu->order.file, gpu->order.count, &a, err));
    return assignment_set_circle(&p->assignment, g, a.data, a.count, l->where, err);
}

static enum st load_gpu(const struct loading *l, int g, uint8_t *seen, struct plan *p, struct err *err)
{
    PASS(plan_lists_load(l->folder, l->where, l->d, g, l->graph, seen, p, err));
    return load_circle(l, g, p, err);
}

/* change: what may differ; NULL: nothing. */
static enum st check_graph(const struct plan_stated *s, const doc *d, const char *where, const struct graph *g,
                           struct plan_change *change, struct err *err)
{
    const doc *of = doc_get(d, "graph");
    const char *print = s->graph_fingerprint;
    bool plain = graph_plain(g), rows = plain && !s->feature_dim ? s->vertices == g->n : plan_change_same_rows(of, g),
         prints = !*print || !*g->fingerprint || !strcmp(print, g->fingerprint);
    if (!plain && !*print && *g->fingerprint) /* hotset alone writes plan/2 */
        return err_set(err, ST_INPUT,
                       "%s: \"graph\" states no \"fingerprint\", so it may be for another graph; make the plan again",
                       where);
    if (rows && s->edges == g->m && prints) return ST_OK;
    int64_t more = (int64_t)g->m - (int64_t)s->edges;
    if (change && rows && (uint64_t)(more < 0 ? -more : more) <= s->edges / PLAN_CHANGE_EDGES) {
        change->other = true;
        change->more = more;
        return ST_OK;
    }
    if (plain && s->vertices == g->n && s->edges == g->m && prints)
        return err_set(err, ST_INPUT,
                       "%s: was made for feature rows of %llu x %llu bytes, but those of %s have %llu x %llu; make the "
                       "plan again, or name the right graph with --graph",
                       where, (unsigned long long)s->feature_dim, (unsigned long long)s->feature_bytes, g->path,
                       (unsigned long long)g->feature_dim, (unsigned long long)g->feature_bytes);
    return err_set(err, ST_INPUT, "%s: was made for another graph than %s (%s differ); name the right one with --graph",
                   where, g->path, change ? "vertices, feature rows or most edges" : "vertices, edges or fingerprint");
}

/* The sweep of one clique. */
static enum st load_sweep(const doc *sweep, struct plan_clique *k, struct err *err)
{
    if (!doc_size(sweep)) return ST_OK;
    MAKE(k->sweep, doc_size(sweep), "the sweep");
    for (uint64_t i = 0; i < doc_size(sweep); i++) {
        const doc *point = doc_at(sweep, i);
        k->sweep[i] = (struct plan_sweep){doc_number(point, "alpha"), doc_count(point, "topology_transactions"),
                                          doc_count(point, "feature_transactions")};
    }
    k->sweep_count = (int)doc_size(sweep);
    return ST_OK;
}

/* Members that say how the plan was made: kept unchanged. */
static void load_notes(const doc *d, struct plan *p)
{
    for (const struct field *f = plan_note_fields; f->kind != FIELD_OTHERS; f++)
        if (doc_get(d, f->key)) plan_note(p, f->key, doc_copy(doc_get(d, f->key)));
}

/* The replacement rule of a dynamic plan. */
static enum st load_rule(const struct plan_stated *s, const char *where, struct plan *p, struct err *err)
{
    const struct cache *cache;
    struct err unknown = {0};
    if (!*s->dynamic_cache) return ST_OK;
    if (cache_find(s->dynamic_cache, &cache, &unknown) != ST_OK)
        return err_set(err, ST_INPUT,
                       "%s: \"dynamic\" names the cache '%.40s', which is not a known rule; 'hotset list caches' names "
                       "them",
                       where, s->dynamic_cache);
    snprintf(p->cache, sizeof p->cache, "%s", cache->name);
    for (int g = 0; g < s->gpus; g++) p->cache_rows[g] = (uint64_t)s->dynamic_gpu_rows[g];
    return ST_OK;
}

/* What plan/1 and plan/2 state alike, but for the lists of the GPUs. */
static void load_head(const struct plan_stated *s, struct plan *p)
{
    struct placement *placement = &p->placement;
    struct assignment *a = &p->assignment;
    snprintf(p->policy, sizeof p->policy, "%.47s", s->policy);
    snprintf(p->hotness, sizeof p->hotness, "%.31s", s->hotness);
    snprintf(p->server_name, sizeof p->server_name, "%.63s", s->server_name);
    snprintf(p->server_fingerprint, sizeof p->server_fingerprint, "%s", s->server_fingerprint);
    snprintf(a->partition, sizeof a->partition, "%.15s", s->partition);
    p->presample_epochs = s->presample_epochs;
    p->line_bytes = s->line_bytes;
    p->cpu_share = s->cpu_share;
    a->kind = (enum assignment_kind)s->assignment;
    a->uneven = s->uneven;
    a->gpus = placement->gpus = s->gpus;
    a->cliques = s->cliques;
    placement->access = (enum topology_access)s->access;
    placement->pushes = s->pushes >= 0;
    placement->copies_features = s->copies >= 0;
    for (int g = 0; g < s->gpus; g++) {
        const struct plan_gpu_stated *from = &s->gpu[g];
        a->id[g] = from->id;
        a->clique_of[g] = s->clique_of[g];
        p->budget[g] = from->budget;
        p->index_bytes[g] = from->index;
        p->pcie_switch[g] = from->pcie_switch;
        p->socket[g] = from->socket;
        placement->peers[g] = from->peers;
        for (int i = 0; i < from->peers; i++) {
            placement->peer[g][i] = from->peer[i];
            p->links[g][from->peer[i]] = (uint8_t)from->link[i];
        }
    }
}

/* The server that the plan was made for, where it states it whole. */
static enum st load_server(const doc *d, const char *where, struct plan *p, struct err *err)
{
    const doc *of = doc_get(doc_get(d, "server"), "document");
    char at[PATH_BYTES + 32];
    if (doc_is_null(of)) return ST_OK;
    ON_HEAP(struct server, s);
    snprintf(at, sizeof at, "%s: \"server\".\"document\"", where);
    PASS(server_of_document(of, at, s, err));
    server_release(s);
    p->server = doc_copy(of);
    return ST_OK;
}

/* What only plan/1 states. */
static enum st load_more(const struct plan_stated *s, const doc *d, const char *where, struct plan *p, struct err *err)
{
    PASS(load_rule(s, where, p, err));
    p->predicted_feature_hit = s->feature_hit;
    p->predicted_topology_hit = s->topology_hit;
    p->interval_known = s->interval_ends == 2;
    p->interval_assumed = s->interval_source == 1;
    p->predicted_low = (double)s->interval[0];
    p->predicted_high = (double)s->interval[1];
    p->predicted_held_out = !s->saw;
    for (int c = 0; c < s->cliques; c++) {
        const struct plan_clique_stated *from = &s->clique[c];
        struct plan_clique *k = &p->clique[c];
        k->alpha = from->alpha;
        if (*p->cache) continue; /* nothing is predicted */
        k->topology = (uint64_t)from->predicted.topology;
        k->feature = (uint64_t)from->predicted.feature;
        k->regret_known = from->regret >= 0;
        k->regret = from->regret < 0 ? 0 : (uint64_t)from->regret;
        PASS(load_sweep(doc_get(doc_at(doc_get(d, "cliques"), (uint64_t)c), "sweep"), k, err));
    }
    return ST_OK;
}

/* What the document says by itself, without its graph. */
static enum st load_stated(const struct plan_stated *s, const doc *d, const char *where, struct plan *p,
                           struct err *err)
{
    load_head(s, p);
    load_notes(d, p);
    PASS(load_server(d, where, p, err));
    if (s->typed) return ST_OK;
    PASS(load_more(s, d, where, p, err));
    return check_routes(p, where, err);
}

/* What lists say together. Those of plain graphs were checked one by one, and their budgets by plan_json_read. */
static enum st check_lists(const doc *d, const struct plan *p, const char *where, const struct graph *graph,
                           struct err *err)
{
    if (!graph_plain(graph) && plan_check_placement(&p->placement, graph, p->assignment.id, p->budget, 1, err) != ST_OK)
        return err_prefix(err, "%s: ", where);
    return plan_lists_check_bytes(d, where, graph, p, err);
}

/* What is expected of every table of several types. */
static enum st load_expected(const doc *d, const struct graph *graph, struct plan *p, struct err *err)
{
    const doc *tables = doc_get(doc_get(d, "predicted"), "tables");
    p->tables = graph->tables;
    MAKE(p->expected, p->assignment.cliques * graph->tables, "predictions");
    for (uint64_t i = 0; i < doc_size(tables); i++)
        for (int t = 0; t < graph->tables; t++)
            if (plan_table_is(graph, t, doc_at(tables, i)))
                p->expected[t].transactions = (double)doc_count(doc_at(tables, i), "transactions");
    p->predicted_held_out = doc_bool_value(doc_get(doc_get(d, "predicted"), "held_out"), true);
    plan_sum_expected(p, graph);
    return ST_OK;
}

/* In which element types GPUs hold features. */
static enum st load_cached(const struct plan_stated *s, const doc *d, const char *where, struct graph *view,
                           struct err *err)
{
    view->cached = s->cached;
    return graph_plain(view) ? ST_OK : plan_cached_load(d, where, view, err);
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
    ON_HEAP(struct plan_stated, s);
    struct graph view = *graph; /* the plan's sampler decides whether rows hold weights */
    char where[PATH_BYTES];
    doc *d = NULL;
    uint8_t *seen = NULL;
    bool plain = graph_plain(graph);
    enum st st;
    TRY(folder_document(where, path, "plan.json", err));
    TRY(plan_json_read(where, !plain, &d, NULL, s, err));
    TRY(check_graph(s, d, where, graph, change, err));
    TRY(load_cached(s, d, where, &view, err));
    TRY(load_stated(s, d, where, p, err));
    TRY(workload_read(graph, doc_get(d, "workload"), where, &p->workload, err));
    TRY(workload_attach(&p->workload, &view, err));
    const struct loading l = {path, where, d, s, &view, change && change->other};
    NEW(seen, graph->n, "a check of the plan's ids");
    for (int g = 0; g < p->assignment.gpus; g++) TRY(load_gpu(&l, g, seen, p, err));
    TRY(check_train(&p->assignment, graph->n, seen, where, err));
    if (!doc_is_null(doc_get(d, "memories"))) TRY(load_places(path, where, d, &view, p, err));
    if (!l.changed) TRY(check_lists(d, p, where, &view, err));
    if (!plain) TRY(load_expected(d, graph, p, err));
    graph->cached = view.cached;
    *out = *p;
    memset(p, 0, sizeof *p);
done:
    mem_free(seen);
    doc_free(d);
    plan_release(p);
    return st;
}

enum st plan_check_stated(const char *path, struct err *err)
{
    ON_HEAP(struct plan, p);
    ON_HEAP(struct plan_stated, s);
    char where[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    PASS(folder_document(where, path, "plan.json", err));
    PASS(plan_json_read(where, false, &d, NULL, s, err));
    enum st st = load_stated(s, d, where, p, err);
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
    PASS(doc_load_sealed(where, plan_schema(graph), &d, NULL, err));
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
