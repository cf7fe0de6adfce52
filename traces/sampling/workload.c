#include "traces/sampling/workload.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/doc_kinds.h"
#include "base/text.h"
#include "base/units.h"
#include "traces/sampling/workload_times.h"
#include "traces/sampling/workload_types.h"

static const char *const sampler_names[SAMPLER_KINDS] = {"uniform", "biased", "layer-wise", "layer-wise-replace",
                                                         "walk",    "labor",  "temporal",   "temporal-last"};

const char *sampler_name(enum sampler_kind kind) { return sampler_names[kind]; }

static const char *const frontier_names[FRONTIER_RULES] = {"new", "all", "layers"};

const char *frontier_name(enum frontier_rule rule) { return frontier_names[rule]; }

/* The number of a rule; FRONTIER_RULES for other words. */
static int frontier_named(const char *name)
{
    int i = 0;
    while (i < FRONTIER_RULES && strcmp(name, frontier_names[i])) i++;
    return i;
}

static int sampler_named(const char *name)
{
    for (int i = 0; i < SAMPLER_KINDS; i++)
        if (!strcmp(name, sampler_names[i])) return i;
    return -1;
}

enum st workload_fanout_read(const char *text, const char *name, int64_t least, int64_t *out, struct err *err)
{
    bool all = !strcmp(text, "all") || !strcmp(text, "-1");
    if (!all) return units_integer(text, name, least, FANOUT_MAX, out, err);
    *out = -1;
    return ST_OK;
}

static bool several(const struct graph *g) { return g && !graph_plain(g); }

/* The fan-outs of a plain graph. */
static enum st plain_fanout(const struct int_list *fanout, struct workload *w, struct err *err)
{
    w->hops = fanout->count;
    for (int h = 0; h < w->hops; h++) {
        if (!fanout_of_number(fanout->value[h], 1, &w->fanout[h]))
            return err_set(err, ST_USAGE, "--fanout: %lld is out of range, expected 1 to %d, or -1 for all neighbours",
                           (long long)fanout->value[h], FANOUT_MAX);
    }
    return ST_OK;
}

enum st workload_make(const struct graph *g, const struct int_list *fanout, const char *over, int64_t batch,
                      const char *frontier, uint64_t seed, struct workload *out, struct err *err)
{
    struct workload w = {.batch = (uint64_t)batch,
                         .frontier = (enum frontier_rule)frontier_named(frontier),
                         .seed = seed};
    if (fanout->named && !several(g))
        return err_set(err, ST_USAGE,
                       "--fanout: '%.60s' names relations, but this graph has only one; write for example 25,10",
                       fanout->named);
    if (!fanout->named && fanout->count < 1)
        return err_set(err, ST_USAGE, "--fanout: the list is empty; write for example 25,10");
    if (w.frontier == FRONTIER_RULES)
        return err_set(err, ST_USAGE, "--frontier: '%.20s' is not one of " FRONTIER_WORDS, frontier);
    if (batch < 1) return err_set(err, ST_USAGE, "--batch: must be at least 1");
    PASS(several(g) ? workload_types_fanout(g, fanout, over, &w, err) : plain_fanout(fanout, &w, err));
    *out = w;
    return ST_OK;
}

/* An option, or its default. */
static enum st share(const char *text, const char *label, double usual, double *out, struct err *err)
{
    *out = usual;
    return text ? units_real(text, label, out, err) : ST_OK;
}

/* Hops and fan-outs of a walk along a->metapath. */
static enum st set_metapath(const struct graph *g, struct workload *w, const struct sampler_args *a, struct err *err)
{
    char copy[4096], *part[HOPS_MAX];
    int path[HOPS_MAX], count;
    if (!a->metapath)
        return err_set(err, ST_USAGE,
                       "--sampler walk: on a graph with several relations a walk needs --metapath, the relations of "
                       "its steps, as in --metapath writes,rev_writes");
    if (strlen(a->metapath) >= sizeof copy)
        return err_set(err, ST_USAGE, "--metapath: has more than %zu characters", sizeof copy - 1);
    strcpy(copy, a->metapath);
    count = text_split(copy, ',', part, HOPS_MAX);
    if (count < 1)
        return err_set(err, ST_USAGE, "--metapath: '%.60s' has no or more than %d relations", a->metapath, HOPS_MAX);
    for (int i = 0; i < count; i++) PASS(workload_types_relation(g, part[i], "--metapath", &path[i], err));
    if (a->walk_length && a->walk_length < count)
        return err_set(err, ST_USAGE,
                       "--walk-length %lld: is shorter than the metapath of %d relations; leave some of them out",
                       (long long)a->walk_length, count);
    return workload_types_path(g, path, count, a->walk_length ? (int)a->walk_length : count, "--metapath", ST_USAGE, w,
                               err);
}

static enum st set_walk(const struct graph *g, struct workload *w, const struct sampler_args *a, struct err *err)
{
    enum { LENGTH = 3, WALKS = 10 };
    if (w->sampler != SAMPLER_WALK) {
        if (a->walks || a->walk_length || a->restart || a->metapath)
            return err_set(err, ST_USAGE, "--%s: belongs to --sampler walk; the sampler is %s",
                           a->walks         ? "walks"
                           : a->walk_length ? "walk-length"
                           : a->restart     ? "restart"
                                            : "metapath",
                           sampler_name(w->sampler));
        return ST_OK;
    }
    if (a->metapath && !several(g))
        return err_set(err, ST_USAGE,
                       "--metapath: this graph has only one relation, which every step takes; leave it out");
    if (w->frontier != FRONTIER_NEW)
        return err_set(err, ST_USAGE,
                       "--frontier %s: a random walk has no frontier; leave it out, or choose another --sampler",
                       frontier_name(w->frontier));
    PASS(share(a->restart, "--restart", 0.5, &w->restart, err));
    if (!(w->restart >= 0 && w->restart < 1))
        return err_set(err, ST_USAGE, "--restart: %s is out of range, expected a probability of at least 0 and below 1",
                       a->restart);
    w->walks = a->walks ? (uint32_t)a->walks : WALKS;
    if (several(g)) return set_metapath(g, w, a, err);
    w->hops = a->walk_length ? (int)a->walk_length : LENGTH;
    memset(w->fanout, 0, sizeof w->fanout);
    for (int h = 0; h < w->hops; h++) w->fanout[h] = 1;
    return ST_OK;
}

static enum st set_labor(struct workload *w, const struct sampler_args *a, struct err *err)
{
    int64_t iterations = 0;
    if (w->sampler != SAMPLER_LABOR) {
        if (a->labor_iterations || a->batch_dependency || a->layer_dependency)
            return err_set(err, ST_USAGE, "--%s: belongs to --sampler labor; the sampler is %s",
                           a->labor_iterations   ? "labor-iterations"
                           : a->batch_dependency ? "batch-dependency"
                                                 : "layer-dependency",
                           sampler_name(w->sampler));
        return ST_OK;
    }
    if (a->labor_iterations && !strcmp(a->labor_iterations, "*")) iterations = LABOR_CONVERGE;
    else if (a->labor_iterations) {
        PASS(units_integer(a->labor_iterations, "--labor-iterations ('*': until they no longer help)", LABOR_CONVERGE,
                           LABOR_ITERATIONS_MAX, &iterations, err));
    }
    w->labor_iterations = (int)iterations;
    w->batch_dependency = a->batch_dependency ? (uint32_t)a->batch_dependency : 1;
    w->layer_dependency = a->layer_dependency;
    return ST_OK;
}

const char *workload_order_text(const struct workload *w, char out[ORDER_TEXT])
{
    static const char *const names[ORDER_KINDS] = {"shuffle", "bfs", "blocks"};
    if (w->order == ORDER_BLOCKS) snprintf(out, ORDER_TEXT, "blocks:%llu", (unsigned long long)w->order_blocks);
    else snprintf(out, ORDER_TEXT, "%s", names[w->order]);
    return out;
}

enum st workload_set_order(struct workload *w, const char *word, const char *where, struct err *err)
{
    int64_t blocks = 0;
    enum order_kind kind = ORDER_SHUFFLE;
    if (!strncmp(word, "blocks:", 7)) {
        PASS(units_integer(word + 7, where, 1, (int64_t)w->batch, &blocks, err));
        kind = ORDER_BLOCKS;
    } else if (!strcmp(word, "bfs")) kind = ORDER_BFS;
    else if (strcmp(word, "shuffle") && strcmp(word, "auto"))
        return err_set(err, ST_USAGE,
                       "%s: '%.40s' is not an order; write shuffle, bfs, auto, or blocks:K (K blocks per mini-batch), "
                       "for example blocks:8",
                       where, word);
    if (kind != ORDER_SHUFFLE && workload_edges(w))
        return err_set(err, ST_USAGE, "%s: %.40s orders training vertices, but the seeds are edges; take shuffle",
                       where, word);
    w->order = kind;
    w->order_blocks = (uint64_t)blocks;
    return ST_OK;
}

/* The relation whose edges are seeds, from "edges" or "edges:RELATION". */
static enum st set_seed_relation(const struct graph *g, const char *seeds, struct workload *w, struct err *err)
{
    const char *name = seeds[strlen("edges")] ? seeds + strlen("edges:") : NULL;
    if (several(g) && name) return workload_types_relation(g, name, "--seeds", &w->seed_relation, err);
    if (several(g) && g->relations > 1)
        return err_set(err, ST_USAGE,
                       "--seeds edges: this graph has %d relations; name the one whose edges are seeds, as in --seeds "
                       "edges:cites",
                       g->relations);
    if (name && !several(g))
        return err_set(err, ST_USAGE, "--seeds %.60s: this graph has only one relation; write --seeds edges", seeds);
    return ST_OK;
}

static enum st set_seeds(const struct graph *g, struct workload *w, const struct sampler_args *a, struct err *err)
{
    bool edges = a->seeds && (!strcmp(a->seeds, "edges") || !strncmp(a->seeds, "edges:", strlen("edges:")));
    enum st st = ST_OK;
    if (a->seeds && !edges && strcmp(a->seeds, "vertices"))
        return err_set(err, ST_USAGE, "--seeds: '%.60s' is not vertices, edges or edges:RELATION", a->seeds);
    if (edges && a->order && strcmp(a->order, "shuffle"))
        return err_set(err, ST_USAGE,
                       "--order %s orders training vertices, but with --seeds edges mini-batches start from edges; "
                       "leave one of them out",
                       a->order);
    if (a->order) st = workload_set_order(w, a->order, "--order", err);
    if (st != ST_OK) return st;
    if (!edges && (a->edge_share || a->negatives))
        return err_set(err, ST_USAGE, "--%s: belongs to --seeds edges; the seeds are vertices",
                       a->edge_share ? "edge-share" : "negatives");
    if (!edges) return ST_OK;
    st = set_seed_relation(g, a->seeds, w, err);
    if (st != ST_OK) return st;
    w->negatives = (uint32_t)a->negatives;
    st = share(a->edge_share, "--edge-share", 0.8, &w->edge_share, err);
    if (st != ST_OK) return st;
    if (!(w->edge_share > 0 && w->edge_share <= 1))
        return err_set(err, ST_USAGE, "--edge-share: %s is out of range, expected a share above 0, at most 1",
                       a->edge_share);
    return ST_OK;
}

enum st workload_set_sampler(const struct graph *g, struct workload *w, const struct sampler_args *a, struct err *err)
{
    int kind = a->sampler ? sampler_named(a->sampler) : SAMPLER_UNIFORM;
    if (kind < 0) return err_set(err, ST_USAGE, "--sampler: '%.40s' is not one of " SAMPLER_WORDS, a->sampler);
    w->sampler = (enum sampler_kind)kind;
    enum st st = set_walk(g, w, a, err);
    if (st == ST_OK) st = set_labor(w, a, err);
    if (st == ST_OK) st = workload_times_set(w, a, err);
    if (st == ST_OK) st = set_seeds(g, w, a, err);
    return st == ST_OK ? workload_check(g, w, NULL, err) : st;
}

enum st workload_check(const struct graph *g, const struct workload *w, const char *where, struct err *err)
{
    static const char *const layers = "what a layer of several types draws has no agreed law: published samplers "
                                      "(HGT's) share it out by other rules than those for one type";
    static const char *const times = "graphs of several types keep no times here; import one relation as a graph";
    /* Why a sampler does not draw from graphs with several types; NULL: it does. */
    static const char *const reasons[SAMPLER_KINDS] = {[SAMPLER_LAYER_WISE] = layers,
                                                       [SAMPLER_LAYER_WISE_REPLACE] = layers,
                                                       [SAMPLER_TEMPORAL] = times,
                                                       [SAMPLER_TEMPORAL_LAST] = times};
    const char *why = several(g) ? reasons[w->sampler] : NULL, *name = sampler_name(w->sampler);
    if (!why && workload_layer_wise(w) && workload_takes_all(w))
        why = "its fan-outs are draws of a whole hop, which -1 (all neighbours) does not number; take --sampler "
              "uniform";
    if (several(g) && !why && w->together && w->sampler != SAMPLER_UNIFORM)
        why = "fan-outs over all rows of a vertex together are drawn by uniform only";
    if (!why && workload_temporal(w) && workload_edges(w)) why = "its seeds are vertices with a time, not edges";
    if (!why && workload_temporal(w) && w->frontier != FRONTIER_NEW)
        why = "each hop of a tree expands what the hop before found; take --frontier new";
    if (!why) return ST_OK;
    return where ? err_set(err, ST_INPUT, "%s: \"sampler\" is \"%s\", but %s", where, name, why)
                 : err_set(err, ST_USAGE, "--sampler %s: %s", name, why);
}

static void put_walk(const struct graph *g, const struct workload *w, doc *object)
{
    char label[GRAPH_LABEL_BYTES];
    doc *path = doc_array();
    doc_put(object, "walks", doc_integer(w->walks));
    doc_put(object, "restart", doc_real(w->restart));
    for (int h = 0; several(g) && h < w->metapath; h++)
        doc_append(path, doc_text(graph_relation_label(g, workload_types_step(g, w, h), label)));
    if (several(g)) doc_put(object, "metapath", path);
    else doc_free(path);
}

static void put_edges(const struct graph *g, const struct workload *w, doc *object)
{
    char label[GRAPH_LABEL_BYTES];
    doc_put(object, "seeds", doc_text("edges"));
    doc_put(object, "edge_share", doc_real(w->edge_share));
    if (several(g)) doc_put(object, "seed_relation", doc_text(graph_relation_label(g, w->seed_relation, label)));
    if (w->negatives) doc_put(object, "negatives", doc_integer(w->negatives));
}

void workload_put(const struct graph *g, const struct workload *w, doc *object)
{
    char order[ORDER_TEXT];
    if (several(g)) workload_types_put(g, w, object);
    else {
        doc *fanout = doc_array();
        for (int h = 0; h < w->hops; h++) doc_append(fanout, doc_integer(fanout_number(w->fanout[h])));
        doc_put(object, "fanout", fanout);
    }
    doc_put(object, "batch", doc_integer((int64_t)w->batch));
    doc_put(object, "frontier", doc_text(frontier_name(w->frontier)));
    doc_put(object, "sampler", doc_text(sampler_name(w->sampler)));
    if (w->sampler == SAMPLER_WALK) put_walk(g, w, object);
    if (w->sampler == SAMPLER_LABOR) {
        doc_put(object, "labor_iterations", doc_integer(w->labor_iterations));
        doc_put(object, "batch_dependency", doc_integer(w->batch_dependency ? w->batch_dependency : 1));
        doc_put(object, "layer_dependency", doc_bool(w->layer_dependency));
    }
    workload_times_put(w, object);
    if (workload_edges(w)) put_edges(g, w, object);
    if (w->order != ORDER_SHUFFLE) doc_put(object, "order", doc_text(workload_order_text(w, order)));
    doc_put(object, "seed", doc_integer((int64_t)w->seed));
}

/* Kinds of the keys that workload_put writes, those that workload_read requires left out. */
static const char workload_kinds[] = "sampler:text seeds:text order:text fanout_over:text restart:number "
                                     "layer_dependency:bool edge_share:number negatives:integer walks:integer "
                                     "metapath:array seed_relation:text time_window:number time_direction:text";

/* The relation that a document names in full. */
static enum st read_relation(const struct graph *g, const char *label, const char *where, int *out, struct err *err)
{
    char known[GRAPH_LABEL_BYTES];
    int r = 0;
    while (r < g->relations && strcmp(label, graph_relation_label(g, r, known))) r++;
    *out = r;
    return r < g->relations
               ? ST_OK
               : err_set(err, ST_INPUT, "%s: '%.100s' is no relation of the graph, expected SOURCE-NAME->TARGET", where,
                         label);
}

/* The metapath, which says what the fan-outs are. */
static enum st read_metapath(const struct graph *g, const doc *object, const char *where, struct workload *w,
                             struct err *err)
{
    struct workload said = *w;
    int path[HOPS_MAX];
    doc *list;
    PASS(doc_need_array(object, "metapath", where, &list, err));
    if (doc_size(list) < 1 || doc_size(list) > (uint64_t)w->hops)
        return err_set(err, ST_INPUT, "%s: \"metapath\" has %llu relations, expected 1 to %d, the steps of the walk",
                       where, (unsigned long long)doc_size(list), w->hops);
    w->metapath = (int)doc_size(list);
    for (int i = 0; i < w->metapath; i++)
        PASS(read_relation(g, doc_text_value(doc_at(list, (uint64_t)i), ""), where, &path[i], err));
    PASS(workload_types_path(g, path, w->metapath, w->hops, where, ST_INPUT, &said, err));
    for (int r = 0; r < g->relations; r++)
        for (int h = 0; h < w->hops; h++)
            if (workload_fanout(w, r, h) != workload_fanout(&said, r, h))
                return err_set(err, ST_INPUT, "%s: \"fanout\" does not follow \"metapath\" in hop %d", where, h);
    return ST_OK;
}

static enum st read_walk(const doc *object, const char *where, struct workload *w, struct err *err)
{
    int64_t walks = 0;
    PASS(doc_need_integer(object, "walks", 1, WALKS_MAX, where, &walks, err));
    w->walks = (uint32_t)walks;
    w->restart = doc_real_value(doc_get(object, "restart"), -1);
    if (!(w->restart >= 0 && w->restart < 1))
        return err_set(err, ST_INPUT, "%s: \"restart\" must be a probability of at least 0 and below 1", where);
    if (w->frontier != FRONTIER_NEW)
        return err_set(err, ST_INPUT, "%s: a walk has no frontier, so \"frontier\" must be \"new\"", where);
    return ST_OK;
}

static enum st read_labor(const doc *object, const char *where, struct workload *w, struct err *err)
{
    int64_t iterations = 0, dependency = 0;
    PASS(doc_need_integer(object, "labor_iterations", LABOR_CONVERGE, LABOR_ITERATIONS_MAX, where, &iterations, err));
    PASS(doc_need_integer(object, "batch_dependency", 1, BATCH_DEPENDENCY_MAX, where, &dependency, err));
    w->labor_iterations = (int)iterations;
    w->batch_dependency = (uint32_t)dependency;
    w->layer_dependency = doc_bool_value(doc_get(object, "layer_dependency"), false);
    return ST_OK;
}

static enum st read_negatives(const doc *object, const char *where, struct workload *w, struct err *err)
{
    int64_t negatives = 0;
    if (doc_get(object, "negatives"))
        PASS(doc_need_integer(object, "negatives", 0, NEGATIVES_MAX, where, &negatives, err));
    w->negatives = (uint32_t)negatives;
    return ST_OK;
}

static enum st read_seed_relation(const struct graph *g, const doc *object, const char *where, struct workload *w,
                                  struct err *err)
{
    const char *label;
    PASS(doc_need_text(object, "seed_relation", where, &label, err));
    return read_relation(g, label, where, &w->seed_relation, err);
}

static enum st read_fanout(const doc *object, const char *where, struct workload *w, struct err *err)
{
    doc *list = NULL;
    PASS(doc_need_array(object, "fanout", where, &list, err));
    if (doc_size(list) < 1 || doc_size(list) > HOPS_MAX)
        return err_set(err, ST_INPUT, "%s: \"fanout\" has %llu numbers, expected 1 to %d", where,
                       (unsigned long long)doc_size(list), HOPS_MAX);
    w->hops = (int)doc_size(list);
    for (int h = 0; h < w->hops; h++) {
        if (!fanout_of_number(doc_integer_value(doc_at(list, (uint64_t)h), 0), 1, &w->fanout[h]))
            return err_set(err, ST_INPUT, "%s: \"fanout\" number %d is neither in 1..%d nor -1 (all neighbours)", where,
                           h, FANOUT_MAX);
    }
    return ST_OK;
}

enum st workload_read_head(const doc *object, const char *where, struct workload *out, struct err *err)
{
    struct workload w = {.hops = 0};
    struct err why = {0};
    const char *frontier = NULL, *sampler = NULL, *seeds = doc_text_value(doc_get(object, "seeds"), "vertices"),
               *order = doc_text_value(doc_get(object, "order"), "shuffle");
    int64_t batch = 0, seed = 0;
    PASS(doc_kinds(object, workload_kinds, where, err));
    PASS(doc_need_integer(object, "batch", 1, UINT32_MAX, where, &batch, err));
    PASS(doc_need_integer(object, "seed", 0, INT64_MAX, where, &seed, err));
    PASS(doc_need_text(object, "frontier", where, &frontier, err));
    PASS(doc_need_text(object, "sampler", where, &sampler, err));
    if (frontier_named(frontier) == FRONTIER_RULES)
        return err_set(err, ST_INPUT, "%s: \"frontier\" is \"%.20s\", expected one of " FRONTIER_WORDS, where,
                       frontier);
    if (sampler_named(sampler) < 0)
        return err_set(err, ST_INPUT, "%s: \"sampler\" is \"%.40s\", expected one of " SAMPLER_WORDS, where, sampler);
    if (strcmp(seeds, "vertices") && strcmp(seeds, "edges"))
        return err_set(err, ST_INPUT, "%s: \"seeds\" is \"%.20s\", expected \"vertices\" or \"edges\"", where, seeds);
    w.batch = (uint64_t)batch;
    w.seed = (uint64_t)seed;
    w.frontier = (enum frontier_rule)frontier_named(frontier);
    w.sampler = (enum sampler_kind)sampler_named(sampler);
    if (!strcmp(seeds, "edges")) PASS(doc_need_real(object, "edge_share", DBL_MIN, 1, where, &w.edge_share, err));
    if (!strcmp(order, "auto") || workload_set_order(&w, order, where, &why) != ST_OK)
        return err_set(err, ST_INPUT,
                       "%s: \"order\" is \"%.20s\", expected \"shuffle\", \"bfs\", or \"blocks:K\" with K from 1 to "
                       "the batch, and \"shuffle\" where seeds are edges",
                       where, order);
    *out = w;
    return ST_OK;
}

/* What samplers and seeds state besides, for graphs of any types. */
static enum st read_sampler(const doc *object, const char *where, struct workload *w, struct err *err)
{
    if (w->sampler == SAMPLER_WALK) PASS(read_walk(object, where, w, err));
    if (w->sampler == SAMPLER_LABOR) PASS(read_labor(object, where, w, err));
    PASS(workload_times_read(object, where, w, err));
    return workload_edges(w) ? read_negatives(object, where, w, err) : ST_OK;
}

enum st workload_read_plain(const doc *object, const char *where, struct workload *out, struct err *err)
{
    struct workload w = {.hops = 0};
    PASS(workload_read_head(object, where, &w, err));
    PASS(read_fanout(object, where, &w, err));
    PASS(read_sampler(object, where, &w, err));
    for (int h = 0; w.sampler == SAMPLER_WALK && h < w.hops; h++)
        if (w.fanout[h] != 1)
            return err_set(err, ST_INPUT, "%s: a walk takes one neighbour per step, but \"fanout\" number %d is %u",
                           where, h, w.fanout[h]);
    PASS(workload_check(NULL, &w, where, err));
    *out = w;
    return ST_OK;
}

enum st workload_read(const struct graph *g, const doc *object, const char *where, struct workload *out,
                      struct err *err)
{
    struct workload w = {.hops = 0};
    if (!several(g)) return workload_read_plain(object, where, out, err);
    PASS(workload_read_head(object, where, &w, err));
    PASS(workload_types_read(g, object, where, &w, err));
    PASS(read_sampler(object, where, &w, err));
    if (w.sampler == SAMPLER_WALK) PASS(read_metapath(g, object, where, &w, err));
    if (workload_edges(&w)) PASS(read_seed_relation(g, object, where, &w, err));
    PASS(workload_check(g, &w, where, err));
    *out = w;
    return ST_OK;
}
