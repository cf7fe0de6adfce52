#include "planner/exports/export_runs.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/param.h"
#include "base/table.h"
#include "base/units.h"
#include "simulator/caches/dynamic.h"

/* ---- the list of runs ---- */

static enum st new_run(struct export_runs *r, const char *what, struct export_run **out, struct err *err)
{
    enum st st = ST_OK;
    BUG_IF(r->count == EXPORT_RUNS);
    struct export_run *run = &r->run[r->count++];
    memset(run, 0, sizeof *run);
    run->placement = r->plan->placement;
    snprintf(run->what, sizeof run->what, "%s", what);
    *out = run;
done:
    return st;
}

enum st export_runs_begin(struct export_runs *r, const struct plan *plan, struct err *err)
{
    struct export_run *first = NULL;
    memset(r, 0, sizeof *r);
    r->plan = plan;
    MAKE(r->run, EXPORT_RUNS, "runs of an export");
    PASS(new_run(r, "this plan", &first, err));
    first->simulate = true;
    if (*plan->cache) {
        first->cache = plan->cache;
        memcpy(first->rows, plan->cache_rows, sizeof first->rows);
    }
    return ST_OK;
}

void export_runs_release(struct export_runs *r)
{
    for (int i = 0; i < r->count; i++) replay_release(&r->run[i].result);
    for (int i = 0; i < r->owned_count; i++) mem_free(r->owned[i]);
    mem_free(r->run);
    for (int i = 0; i < 2; i++) assignment_release(&r->other[i]);
    memset(r, 0, sizeof *r);
}

enum st export_lack(struct export_runs *r, struct export_run **out, const char *what, struct err *err, const char *why,
                    ...)
{
    va_list list;
    struct export_run *run = NULL;
    PASS(new_run(r, what, &run, err));
    va_start(list, why);
    vsnprintf(run->why, sizeof run->why, why, list);
    va_end(list);
    if (out) *out = run;
    return ST_OK;
}

enum st export_as_run(struct export_runs *r, struct export_run **out, struct err *err, const char *why, ...)
{
    va_list list;
    PASS(new_run(r, "as it will run", out, err));
    va_start(list, why);
    vsnprintf((*out)->why, sizeof(*out)->why, why, list);
    va_end(list);
    (*out)->as_run = (*out)->simulate = true;
    (*out)->draws = r->draws;
    return ST_OK;
}

enum st export_runs_list(struct export_runs *r, uint64_t count, uint32_t **out, struct err *err)
{
    enum st st = ST_OK;
    uint32_t *ids = NULL;
    BUG_IF(r->owned_count == EXPORT_OWNED);
    NEW(ids, count, "rows of an export");
    r->owned[r->owned_count++] = ids;
    *out = ids;
done:
    return st;
}

enum st export_runs_take(struct export_runs *r, struct export_run *run, struct placement *from, struct err *err)
{
    enum st st = ST_OK;
    BUG_IF(r->owned_count + 2 * GPUS_MAX > EXPORT_OWNED);
    for (int g = 0; g < from->gpus; g++) {
        run->placement.topology[g] = from->topology[g];
        run->placement.feature[g] = from->feature[g];
        r->owned[r->owned_count++] = from->topology[g].id;
        r->owned[r->owned_count++] = from->feature[g].id;
        from->topology[g] = from->feature[g] = (struct row_list){0};
    }
done:
    return st;
}

/* ---- taking things away ---- */

bool export_run_no_topology(struct export_run *run)
{
    bool any = false;
    for (int g = 0; g < run->placement.gpus; g++) {
        any |= run->placement.topology[g].count > 0;
        run->placement.topology[g] = (struct row_list){0};
    }
    return any;
}

enum st export_run_no_edges(struct export_runs *r, struct export_run *run, const struct graph *g, bool *taken,
                            struct err *err)
{
    *taken = false;
    for (int i = 0; g->edge_rows && i < run->placement.gpus; i++) {
        struct row_list *l = &run->placement.feature[i], kept = {0};
        PASS(export_runs_list(r, l->count, &kept.id, err));
        for (uint64_t k = 0; k < l->count; k++)
            if (l->id[k] < g->n) kept.id[kept.count++] = l->id[k];
        *taken |= kept.count < l->count;
        *l = kept;
    }
    return ST_OK;
}

bool export_run_no_peers(struct export_run *run)
{
    bool any = false;
    for (int g = 0; g < run->placement.gpus; g++) {
        any |= run->placement.peers[g] > 0;
        run->placement.peers[g] = 0;
    }
    return any;
}

bool export_run_clique_peers(struct export_run *run, const struct assignment *a)
{
    bool any = false;
    struct placement *p = &run->placement;
    for (int g = 0; g < p->gpus; g++) {
        int kept = 0;
        for (int i = 0; i < p->peers[g]; i++) {
            int peer = p->peer[g][i];
            if (a->clique_of[peer] == a->clique_of[g]) p->peer[g][kept++] = peer;
            else any = true;
        }
        p->peers[g] = kept;
    }
    return any;
}

void export_run_reads(struct export_run *run)
{
    run->placement.access = ACCESS_GPU;
    run->placement.pushes = run->placement.copies_features = false;
}

/* Walks one clique's lists slot by slot, so that the hottest copy is met first, and keeps what was not yet seen. */
static void keep_once(const struct assignment *a, int clique, struct row_list *l, uint8_t *seen, uint32_t *const *kept,
                      bool *taken)
{
    uint64_t longest = 0, count[GPUS_MAX] = {0};
    for (int g = 0; g < a->gpus; g++)
        if (a->clique_of[g] == clique && l[g].count > longest) longest = l[g].count;
    for (uint64_t slot = 0; slot < longest; slot++)
        for (int g = 0; g < a->gpus; g++) {
            if (a->clique_of[g] != clique || slot >= l[g].count) continue;
            uint32_t v = l[g].id[slot];
            if (seen[v]) *taken = true;
            else kept[g][count[g]++] = v;
            seen[v] = 1;
        }
    for (int g = 0; g < a->gpus; g++)
        if (a->clique_of[g] == clique) l[g] = (struct row_list){.id = kept[g], .count = count[g]};
}

enum st export_once_per_clique(const struct assignment *a, struct row_list *lists, uint64_t n, uint32_t *const *kept,
                               bool *taken, struct err *err)
{
    *taken = false;
    OWNED_NEW(uint8_t, seen, n, "a look-up of rows");
    for (int c = 0; c < a->cliques; c++) {
        memset(seen, 0, n);
        keep_once(a, c, lists, seen, kept, taken);
    }
    return ST_OK;
}

enum st export_run_once_per_clique(struct export_runs *r, struct export_run *run, uint64_t n, bool *taken,
                                   struct err *err)
{
    uint32_t *kept[GPUS_MAX];
    for (int g = 0; g < run->placement.gpus; g++)
        PASS(export_runs_list(r, run->placement.feature[g].count, &kept[g], err));
    return export_once_per_clique(&r->plan->assignment, run->placement.feature, n, kept, taken, err);
}

/* ---- judging ---- */

static bool together(const struct export_run *a, const struct export_run *b)
{
    return a->assignment == b->assignment && a->row_bytes == b->row_bytes &&
           !memcmp(&a->draws, &b->draws, sizeof a->draws) && !a->cache && !b->cache;
}

/* The workload as the runtime draws it. */
static void draw_so(const struct export_draws *d, bool labor, struct workload *w)
{
    if (d->shuffled) w->order = ORDER_SHUFFLE;
    if (d->plain) {
        w->sampler = labor && w->sampler == SAMPLER_LABOR ? SAMPLER_LABOR : SAMPLER_UNIFORM;
        w->labor_iterations = 0;
        w->batch_dependency = 0;
        w->layer_dependency = false;
    }
    if (d->new_frontier) w->frontier = FRONTIER_NEW;
    if (d->layers) w->frontier = FRONTIER_LAYERS;
    if (d->all_frontier) w->frontier = FRONTIER_ALL;
}

static enum st simulate_cached(const struct replay_request *r, struct export_run *run, struct err *err)
{
    const struct cache *cache = NULL;
    struct dynamic_counts counts = {0};
    struct dynamic_request d = {.replay = r,
                                .placement = &run->placement,
                                .admission = ADMISSION_BATCH,
                                .rows = &run->rows,
                                .cache = &cache,
                                .count = 1};
    PASS(cache_find(run->cache, &cache, err));
    return dynamic_run(&d, &run->result, &counts, err);
}

/* The pass of run `first` and of those behind it that see the same reads. */
static enum st simulate_pass(struct export_runs *r, int first, const struct replay_request *request, struct err *err)
{
    enum st st;
    struct replay_request own = *request;
    struct graph view = *request->graph; /* borrows the mappings */
    struct workload workload = *request->workload;
    const struct placement *p[EXPORT_RUNS];
    struct replay *out = NULL;
    int at[EXPORT_RUNS], count = 0;
    struct export_run *lead = &r->run[first];
    if (lead->row_bytes) view.row_bytes = lead->row_bytes;
    if (lead->assignment) own.assignment = lead->assignment;
    draw_so(&lead->draws, r->labor, &workload);
    own.graph = &view;
    own.workload = &workload;
    if (lead->cache) return simulate_cached(&own, lead, err);
    for (int i = first; i < r->count; i++)
        if (r->run[i].simulate && together(lead, &r->run[i])) {
            at[count] = i;
            p[count++] = &r->run[i].placement;
        }
    NEW(out, count, "results");
    TRY(replay_run(&own, p, count, out, err));
    for (int i = 0; i < count; i++) {
        r->run[at[i]].result = out[i];
        out[i] = (struct replay){0};
    }
done:
    for (int i = 0; out && i < count; i++) replay_release(&out[i]);
    mem_free(out);
    return st;
}

enum st export_runs_simulate(struct export_runs *r, const struct replay_request *request, struct err *err)
{
    r->graph = request->graph;
    for (int i = 0; i < r->count; i++)
        if (r->run[i].simulate && !r->run[i].result.gpu) PASS(simulate_pass(r, i, request, err));
    return ST_OK;
}

/* ---- what came out ---- */

struct outcome {
    double feature_hit, topology_hit;
    uint64_t topology, feature;
};

static struct outcome outcome_of(const struct export_runs *of, const struct replay *r)
{
    uint64_t rows = 0, host_rows = 0, visits = 0, host_visits = 0;
    struct outcome o = {.feature_hit = NAN, .topology_hit = NAN};
    for (int g = 0; g < r->gpus; g++) {
        const struct replay_gpu *gpu = &r->gpu[g];
        for (int s = 0; s <= r->gpus; s++) {
            rows += gpu->rows[s];
            visits += gpu->visits[s];
        }
        host_rows += gpu->rows[r->gpus];
        host_visits += gpu->visits[r->gpus];
        o.topology += r->tables ? 0 : units_round_half_up(gpu->topology, r->epochs);
        o.feature += r->tables ? 0 : units_round_half_up(gpu->feature, r->epochs);
    }
    for (int t = 0; t < r->tables; t++) /* rounded as a plan of several types states them */
        *(graph_table(of->graph, t).kind == ROWS_TOPOLOGY ? &o.topology : &o.feature) += replay_table_transactions(r, t,
                                                                                                                   1);
    if (rows) o.feature_hit = 1 - (double)host_rows / (double)rows;
    if (visits) o.topology_hit = 1 - (double)host_visits / (double)visits;
    return o;
}

/* Share by which a run leaves more transactions than the plan; NaN when the plan leaves none. */
static double difference(const struct export_runs *r, const struct outcome *o)
{
    struct outcome plan = outcome_of(r, &r->run[0].result);
    double base = (double)(plan.topology + plan.feature), now = (double)(o->topology + o->feature);
    return base > 0 ? now / base - 1 : now > 0 ? NAN : 0;
}

static doc *run_document(const struct export_runs *r, const struct export_run *run)
{
    doc *d = doc_object();
    if (run != r->run) {
        if (!run->as_run) doc_put(d, "what", doc_text(run->what));
        doc_put(d, "why", doc_text(run->why));
    }
    if (!run->result.gpu) return d;
    struct outcome o = outcome_of(r, &run->result);
    DOC_PUT(d, IS("feature_hit_rate", o.feature_hit), IS("topology_hit_rate", o.topology_hit),
            IS("topology_transactions", o.topology), IS("feature_transactions", o.feature),
            IS("total_transactions", o.topology + o.feature));
    if (run != r->run) doc_put(d, "difference", doc_real(difference(r, &o)));
    return d;
}

doc *export_runs_document(const struct export_runs *r)
{
    doc *d = doc_object(), *without = doc_array(), *as_run = doc_null();
    for (int i = 1; i < r->count; i++)
        if (r->run[i].as_run) as_run = run_document(r, &r->run[i]);
        else doc_append(without, run_document(r, &r->run[i]));
    const struct replay *first = &r->run[0].result;
    DOC_PUT(d, IS("epochs", first->gpu ? (int64_t)first->epochs : 0),
            IS("seed", first->gpu ? doc_integer((int64_t)first->seed) : doc_null()));
    doc_put(d, "plan", run_document(r, &r->run[0]));
    DOC_PUT(d, IS("without", without), IS("as_run", as_run));
    return d;
}

static void add_outcome(struct table *t, const struct export_runs *r, const struct export_run *run)
{
    char text[UNIT_TEXT];
    struct outcome o = outcome_of(r, &run->result);
    double more = difference(r, &o);
    if (isnan(o.feature_hit)) table_add(t, "-");
    else table_add(t, "%s", units_percent(text, o.feature_hit));
    if (isnan(o.topology_hit)) table_add(t, "-");
    else table_add(t, "%s", units_percent(text, o.topology_hit));
    table_add(t, "%s", units_count(text, o.topology + o.feature));
    if (run == r->run || isnan(more)) table_add(t, "-");
    else table_add(t, "%+.2f %%", 100 * more);
}

static void runs_print(const struct export_runs *r, const char *target, FILE *to)
{
    static const char *const headers[] = {"simulated, held out",     ">feature hits", ">topology hits",
                                          ">transactions per epoch", ">difference",   NULL};
    struct table *t = table_new(headers);
    for (int i = 0; i < r->count; i++) {
        const struct export_run *run = &r->run[i];
        if (!run->result.gpu) continue;
        if (run->as_run) table_add(t, "as %s will run it", target);
        else table_add(t, "%s%s", i ? "without " : "", run->what);
        add_outcome(t, r, run);
    }
    table_show(t, to);
}

void export_runs_print(const struct export_runs *r, const char *target, FILE *to)
{
    const struct export_run *last = &r->run[r->count - 1];
    if (r->count - last->as_run > 1) fprintf(to, "\nwhat %s cannot honour:\n", target);
    for (int i = 1; i < r->count; i++) {
        char text[900];
        if (r->run[i].as_run) continue;
        snprintf(text, sizeof text, "%s: %s", r->run[i].what, r->run[i].why);
        fputs("- ", to);
        params_wrapped(to, text, 2);
    }
    fputc('\n', to);
    if (last->as_run) {
        char text[900];
        snprintf(text, sizeof text, "as it will run: %s", last->why);
        params_wrapped(to, text, 0);
        if (r->run[0].result.gpu) fputc('\n', to);
    }
    if (r->run[0].result.gpu) runs_print(r, target, to);
}
