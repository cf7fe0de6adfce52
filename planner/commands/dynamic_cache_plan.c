#include "planner/commands/dynamic_cache_plan.h"

#include <math.h>
#include <string.h>

#include "planner/engine/budget.h"
#include "simulator/caches/dynamic.h"
#include "simulator/movement/movement.h"
#include "simulator/movement/simulated.h"

/* Rows of every GPU's cache. */
static enum st capacities(const struct dynamic_cache_args *a, const struct plan *p, const struct graph *g, int caches,
                          uint64_t rows[][GPUS_MAX], struct err *err)
{
    struct budget b = {0};
    if (a->budget) PASS(budget_parse(a->budget, false, "--cache-budget", &b, err));
    PASS(budget_check_unit(&b, "--cache-budget", g, err));
    for (int i = 0; i < p->assignment.gpus; i++) {
        uint64_t topology = placement_topology_bytes(&p->placement, i, g),
                 left = p->budget[i] > topology ? p->budget[i] - topology : 0;
        uint64_t each = a->rows >= 0 ? (uint64_t)a->rows
                                     : (a->budget ? budget_of_graph(&b, g) : left) / graph_cached_bytes(g);
        for (int k = 0; k < caches; k++)
            rows[k][i] = each < g->n ? each : g->n; /* more than everything is everything */
    }
    return ST_OK;
}

enum st dynamic_cache_plan(struct call *call, const struct dynamic_cache_args *a, const struct replay_request *r,
                           const struct epoch_options *timing, const struct server *server, const struct plan *p,
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
                                .admission = dynamic_cache_admission(a, ADMISSION_BATCH),
                                .cache = cache};
    TRY(dynamic_cache_list(call, a->cache, cache, &d.count, err));
    TRY(capacities(a, p, r->graph, d.count, capacity, err));
    stage_begin(&call->stages, "dynamic caches");
    st = dynamic_run(&d, out, counts, err);
    stage_end(&call->stages);
    for (int i = 0; i < d.count && st == ST_OK; i++) {
        struct simulated *s = NULL;
        doc *one = doc_copy(row);
        char name[64];
        st = simulated_make(timing, server, p, &out[i], NULL, r->graph, &s, err);
        if (s) s->error = NAN;
        snprintf(name, sizeof name, "cache:%s", cache[i]->name);
        doc_put(one, "policy", doc_text(name));
        doc_put(one, "plan", doc_text(p->policy)); /* whose assignment and topology */
        doc_put(one, "predicted", doc_null());     /* the plan predicts its own feature lists, */
        doc_put(one, "cliques", doc_array());      /* and so do its cliques */
        doc_put(one, "simulated", simulated_document(p, s, r->graph, true));
        doc_put(one, "movement", s ? movement_totals(&s->sums) : doc_null());
        doc_put(one, "dynamic", dynamic_document(&d, i, &counts[i], call->common.stamp));
        doc_append(rows, one);
        simulated_free(s);
    }
done:
    for (int i = 0; i < CACHES_MAX; i++) replay_release(&out[i]);
    return st;
}
