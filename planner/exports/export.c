#include "planner/exports/export.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/exports/export_reach.h"
#include "traces/sampling/sampler.h"

enum st export_find(const char *option, const char *name, const struct export_target **out, struct err *err)
{
    const char *names[33] = {0};
    char known[300] = "";
    int n = 0;
    for (const struct export_target *const *t = exports_registered; *t; t++) {
        if (!strcmp((*t)->name, name) || ((*t)->alias && !strcmp((*t)->alias, name))) {
            *out = *t;
            return ST_OK;
        }
        text_append(known, sizeof known, "%s%s", n ? ", " : "", (*t)->name);
        if (n < 32) names[n++] = (*t)->name;
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "%s: '%.60s' is not known%s%s%s; expected one of %s", option, name,
                   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

enum st export_check_graph(const struct export_target *t, const char *what, enum st code, const struct graph *g,
                           struct err *err)
{
    if (!graph_plain(g) && t->one_type)
        return err_set(err, code,
                       "%s: has rows of several types, but %s %s; 'hotset list exports' shows who takes them", what,
                       t->name, t->one_type);
    for (int i = 0; i < graph_tables(g); i++) {
        enum precision p = graph_table(g, i).cached;
        char words[80] = "";
        if (p == PRECISION_HOST || t->holds >> p & 1) continue;
        for (enum precision q = PRECISION_F16; q < PRECISIONS; q++)
            if (t->holds >> q & 1)
                text_append(words, sizeof words, "%s %s", *words ? " or" : " or as", precision_name(q));
        return err_set(err, code, "%s: its GPUs hold features as %s, but %s holds them as the host does%s; plan %s",
                       what, precision_name(p), t->name, words,
                       *words ? "with one of these as --cache-type" : "without --cache-type");
    }
    return ST_OK;
}

enum st export_check_fanouts(const struct export_target *t, const char *what, enum st code, const struct workload *w,
                             struct err *err)
{
    if (t->whole_rows || !workload_takes_all(w)) return ST_OK;
    return err_set(err, code,
                   "%s: a hop takes all neighbours (--fanout -1), but %s as set up here draws a number of them; plan "
                   "with numbers",
                   what, t->name);
}

enum st export_check(const struct export_target *t, const char *plan, const struct export_input *in, struct err *err)
{
    const char *cache = in->plan->cache;
    PASS(export_check_graph(t, plan, ST_NO, in->graph, err));
    PASS(export_check_fanouts(t, plan, ST_NO, &in->plan->workload, err));
    if (*cache && (!t->cache || strcmp(cache, t->cache)))
        return err_set(err, ST_NO,
                       "%s: the plan's features are in a dynamic cache (%.20s), but %s %s%s; plan with a policy that "
                       "places rows",
                       plan, cache, t->name, t->cache ? "can only run " : "needs rows that are placed beforehand",
                       t->cache ? t->cache : "");
    return t->check(in, err);
}

/* What is said of all targets alike. */
static enum st lacks(const struct export_target *t, const struct export_input *in, struct export_runs *to,
                     struct err *err)
{
    struct export_run *run = NULL;
    bool taken;
    if (t->cliques) PASS(export_lack_reach(in, to, t->name, err));
    if (in->plan->places && !t->places)
        PASS(export_lack(to, NULL, "memories below the GPUs", err,
                         "%s gets the rows of GPUs; which rows DRAM, other nodes and SSDs hold stays in the plan "
                         "(dram*_ and node*_*.npy), and every other row is the host's.",
                         t->name));
    if (in->graph->edge_rows && !t->edges) {
        PASS(export_lack(to, &run, "feature rows of edges", err,
                         "the files have those of vertices; %s reads those of edges from the host.", t->name));
        PASS(export_run_no_edges(to, run, in->graph, &taken, err));
        run->simulate = taken;
    }
    return ST_OK;
}

enum st export_runs_make(const struct export_target *t, const struct export_input *in, struct export_runs *out,
                         struct err *err)
{
    PASS(export_runs_begin(out, in->plan, err));
    out->labor = t->labor;
    out->order = t->order;
    out->together = t->together;
    PASS(lacks(t, in, out, err));
    return t->runs(in, out, err);
}

enum st export_limits(const char *target, uint64_t n, uint64_t m, uint64_t n_most, uint64_t m_most, struct err *err)
{
    char have[UNIT_TEXT], most[UNIT_TEXT];
    if (n > n_most)
        return err_set(err, ST_LIMIT,
                       "%s: the graph has %s vertices, but ids are limited to %s; this graph cannot be exported",
                       target, units_count(have, n), units_count(most, n_most));
    if (m > m_most)
        return err_set(err, ST_LIMIT,
                       "%s: the graph has %s edges, but offsets are limited to %s; this graph cannot be exported",
                       target, units_count(have, m), units_count(most, m_most));
    return ST_OK;
}

enum st export_train(const struct export_input *in, uint32_t **ids, uint64_t *count, uint8_t *owner, struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    const struct graph *g = in->graph;
    uint64_t all = 0, k = 0;
    memset(owner, EXPORT_NOBODY, g->n);
    for (int i = 0; i < a->gpus; i++) {
        all += a->train_count[i];
        for (uint64_t j = 0; j < a->train_count[i]; j++) owner[a->train[i][j]] = (uint8_t)i;
    }
    OWNED_NEW(uint32_t, list, all, "training vertices");
    OWNED_NEW(uint8_t, listed, g->n, "a look-up of training vertices");
    for (uint64_t i = 0; graph_plain(g) && i < g->train_count; i++)
        if (owner[g->train[i]] != EXPORT_NOBODY) {
            list[k++] = g->train[i];
            listed[g->train[i]] = 1;
        }
    for (uint64_t v = 0; v < g->n && k < all; v++)
        if (owner[v] != EXPORT_NOBODY && !listed[v]) list[k++] = (uint32_t)v;
    *ids = list;
    *count = all;
    list = NULL;
    return ST_OK;
}

uint32_t export_stand_in(const struct export_input *in, const uint8_t *owner)
{
    for (uint64_t v = 0; v < in->graph->n; v++)
        if (owner[v] == EXPORT_NOBODY) return (uint32_t)v;
    return 0;
}

/* ---- features ---- */

enum { NPY_HEADER = 128 }; /* as numpy.save writes it for short shapes */

enum st export_features(const struct export_input *in, struct export_folder *to, const char *file, bool raw, bool wide,
                        struct err *err)
{
    const struct graph *g = in->graph;
    const struct npy *npy = in->features;
    uint64_t item = wide ? 4 : g->feature_bytes, shape[2] = {g->n, g->feature_dim},
             bytes = g->n * g->feature_dim * item;
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    if (!npy) {
        export_add(to, file, raw ? bytes : bytes + NPY_HEADER,
                   "%s%" PRIu64 " rows of %" PRIu64 " %s, row v for vertex v, %s; --features FILE.npy writes it there",
                   raw ? "" : "an .npy array, ", g->n, g->feature_dim,
                   item == 4   ? "float32"
                   : item == 2 ? "float16"
                   : item == 1 ? "int8"
                               : "float64",
                   raw ? "no header" : "with the usual header of 128 bytes");
        return ST_OK;
    }
    if (wide && strcmp(npy->type, "f4"))
        return err_set(err, ST_INPUT,
                       "--features %s: holds %s, but this runtime reads float32 only; save it with a.astype('<f4')",
                       in->features_path, npy->type);
    if (raw) PASS(export_file_raw(to, file, "feature rows", g->n, g->row_bytes, &f, err));
    else PASS(export_file_npy(to, file, "feature rows", npy->type, 2, shape, &f, err));
    PASS(export_file_put(&f, npy->data, g->n * g->row_bytes, err));
    return export_file_end(&f, err);
}

/* ---- workloads ---- */

/* LABOR as the runtime has it, or other samplers than uniform. Walks and layer-wise draws have fan-outs of another
 * meaning, so that nothing can be simulated in their place. */
static enum st lack_sampler(const struct workload *w, struct export_runs *to, const char *runtime, struct err *err)
{
    struct export_run *run = NULL;
    bool labor = to->labor && w->sampler == SAMPLER_LABOR,
         simulate = w->sampler != SAMPLER_WALK && !workload_layer_wise(w);
    if (labor) {
        if (!w->labor_iterations && w->batch_dependency <= 1 && !w->layer_dependency) return ST_OK;
        PASS(export_lack(to, &run, "LABOR's iterations and dependencies", err,
                         "%s as set up here draws by LABOR without iterations, and anew for every mini-batch and hop.",
                         runtime));
    } else
        PASS(export_lack(to, &run, "the sampler", err,
                         "the plan is for sampler %s, but %s as set up here draws uniformly.%s",
                         sampler_name(w->sampler), runtime,
                         simulate ? "" : " All runs below keep the plan's sampler."));
    run->simulate = run->draws.plain = to->draws.plain = simulate;
    return ST_OK;
}

static enum st lack_order(const struct workload *w, struct export_runs *to, const char *runtime, struct err *err)
{
    char order[ORDER_TEXT];
    struct export_run *run = NULL;
    PASS(export_lack(to, &run, "the order of training vertices", err,
                     "%s shuffles a GPU's training vertices in every epoch; the plan has the order %s.", runtime,
                     workload_order_text(w, order)));
    run->simulate = run->draws.shuffled = to->draws.shuffled = true;
    return ST_OK;
}

enum st export_lack_frontier(const struct export_input *in, struct export_runs *to, const char *runtime,
                             struct err *err)
{
    struct export_run *run = NULL;
    if (in->plan->workload.frontier != FRONTIER_LAYERS) return ST_OK;
    PASS(export_lack(to, &run, "a frontier by layers", err,
                     "%s does not expand and read every layer by itself (--frontier layers is PaGraph's NodeFlow). Its "
                     "hops count as those that expand new vertices (--frontier new).",
                     runtime));
    run->simulate = run->draws.new_frontier = to->draws.new_frontier = true;
    return ST_OK;
}

enum st export_lack_workload(const struct export_input *in, struct export_runs *to, const char *runtime, bool fixed,
                             struct err *err)
{
    const struct workload *w = &in->plan->workload;
    if (w->sampler != SAMPLER_UNIFORM) PASS(lack_sampler(w, to, runtime, err));
    if (w->order != ORDER_SHUFFLE && !to->order) PASS(lack_order(w, to, runtime, err));
    if (w->together && !to->together)
        PASS(export_lack(to, NULL, "fan-outs of all relations together", err,
                         "%s draws by the fan-outs of every relation (plan with --fanout-over relation). All runs "
                         "below draw as planned.",
                         runtime));
    if (workload_edges(w))
        PASS(export_lack(to, NULL, "mini-batches that start from edges", err,
                         "the plan's mini-batches start from edges; the files hold training vertices. All runs below "
                         "keep the plan's seeds."));
    if (fixed && (w->hops != 2 || w->fanout[0] != 25 || w->fanout[1] != 10))
        PASS(export_lack(to, NULL, "the fan-outs", err,
                         "%s has 25,10 in its source; change them to the plan's and rebuild it. All runs below have "
                         "the plan's fan-outs.",
                         runtime));
    return ST_OK;
}

enum st export_lack_types(const struct export_input *in, struct export_runs *to, const char *runtime, struct err *err)
{
    struct export_run *run = NULL;
    uint64_t wide = 4 * in->graph->feature_dim;
    if (!graph_plain(in->graph) || in->graph->feature_bytes == 4) return ST_OK;
    PASS(export_lack(to, &run, "features of other types than float32", err,
                     "%s keeps rows as float32: %" PRIu64 " bytes instead of %" PRIu64 ". The number below is for the "
                     "plan's rows, even if they then "
                     "exceed the budget.",
                     runtime, wide, in->graph->row_bytes));
    run->simulate = true;
    run->row_bytes = wide;
    return ST_OK;
}
