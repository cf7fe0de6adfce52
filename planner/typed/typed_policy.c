#include "planner/typed/typed_policy.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "planner/policies/density.h"

enum { STREAM_RANDOM = 0x747072 };

/* ---- orders ---- */

enum st typed_order(const struct typed_input *in, const uint64_t *key, uint32_t **order, uint64_t *count,
                    struct err *err)
{
    enum st st = ST_OK;
    uint32_t *chosen = NULL, *sorted = NULL;
    uint64_t *few = NULL, n = 0;
    const struct graph *rows = in->rows;
    NEW(chosen, graph_items(rows), "an order of rows");
    for (int t = 0; t < rows->tables; t++) {
        const struct row_table *x = &rows->table[t];
        if (!graph_table_there(rows, t)) continue;
        for (uint64_t i = x->first; i < x->first + x->count; i++)
            if (key[i]) chosen[n++] = (uint32_t)i;
    }
    NEW(few, n, "an order of rows");
    NEW(sorted, n, "an order of rows");
    for (uint64_t i = 0; i < n; i++) few[i] = key[chosen[i]];
    TRY(in->kernels->sort_hottest(in->threads, few, n, sorted, err));
    for (uint64_t i = 0; i < n; i++) sorted[i] = chosen[sorted[i]];
    *order = sorted;
    *count = n;
    sorted = NULL;
done:
    mem_free(chosen);
    mem_free(few);
    mem_free(sorted);
    return st;
}

uint64_t typed_heat(const struct typed_input *in, int g, uint64_t item)
{
    const struct row_table t = graph_table(in->rows, graph_table_of(in->rows, item));
    return t.kind == ROWS_TOPOLOGY ? trace_row_draws(in->trace, in->rows, t, item - t.first, g)
                                   : trace_row_reads(in->trace, in->rows, t, item - t.first, g);
}

/* ---- filling ---- */

static uint64_t most_room(const int *gpu, int k, const uint64_t *room)
{
    uint64_t most = 0;
    for (int i = 0; i < k; i++) most = room[gpu[i]] > most ? room[gpu[i]] : most;
    return most;
}

int typed_choose_gpu(const struct typed_input *in, const int *gpu, int k, uint64_t item, uint64_t bytes,
                     const uint64_t *room)
{
    int best = -1;
    uint64_t top = 0;
    for (int i = 0; i < k; i++) {
        int g = gpu[i];
        if (room[g] < bytes) continue;
        uint64_t hot = typed_heat(in, g, item);
        if (best < 0 || hot > top || (hot == top && room[g] > room[best])) {
            best = g;
            top = hot;
        }
    }
    return best;
}

int typed_gpus_of(const struct plan *plan, int clique, int *gpu)
{
    int k = 0;
    for (int g = 0; g < plan->assignment.gpus; g++)
        if (plan->assignment.clique_of[g] == clique) gpu[k++] = g;
    return k;
}

enum st typed_fill(const struct typed_input *in, const uint32_t *order, uint64_t count, int clique, struct plan *plan,
                   uint64_t *room, struct err *err)
{
    enum st st = ST_OK;
    int gpu[GPUS_MAX], k = typed_gpus_of(plan, clique, gpu);
    uint64_t most = most_room(gpu, k, room), skipped = 0;
    for (uint64_t i = 0; i < count && most && skipped < DENSITY_SKIPPED_MOST; i++) {
        int t = graph_table_of(in->rows, order[i]);
        uint64_t bytes = graph_row_bytes(in->rows, t, order[i] - in->rows->table[t].first);
        if (bytes > most) { /* a smaller row may still fit */
            skipped++;
            continue;
        }
        skipped = 0;
        int g = typed_choose_gpu(in, gpu, k, order[i], bytes, room);
        TRY(placement_add(&plan->placement, in->rows, g, order[i], err));
        room[g] -= bytes;
        most = most_room(gpu, k, room);
    }
done:
    return st;
}

/* Fills every clique by keys that `set` computes. */
static enum st place_by_key(const struct typed_input *in, void (*set)(const struct typed_input *, int, uint64_t *),
                            struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    uint64_t *key = NULL, count, room[GPUS_MAX];
    uint32_t *order = NULL;
    memcpy(room, plan->budget, sizeof room);
    NEW(key, graph_items(in->rows), "densities");
    for (int c = 0; c < plan->assignment.cliques; c++) {
        memset(key, 0, graph_items(in->rows) * sizeof *key);
        set(in, c, key);
        TRY(typed_order(in, key, &order, &count, err));
        TRY(typed_fill(in, order, count, c, plan, room, err));
        mem_free(order);
        order = NULL;
    }
done:
    mem_free(key);
    mem_free(order);
    return st;
}

/* ---- hotset, oracle, random, and placements that do not know types ---- */

static void saved_keys(const struct typed_input *in, int clique, uint64_t *key)
{
    enum { UNSEEN = 1 }; /* an estimate of 0 is no proof that a row is never read: such rows take what is left over */
    for (int t = 0; t < in->rows->tables; t++) {
        const struct row_table *x = &in->rows->table[t];
        if (!graph_table_there(in->rows, t)) continue;
#pragma omp parallel for num_threads(in->threads) if (x->count >= ROWS_PARALLEL)
        for (uint64_t i = 0; i < x->count; i++)
            key[x->first + i] = density_key(in->estimates[clique].saved[x->first + i],
                                            graph_row_bytes(in->rows, t, i)) |
                                UNSEEN;
    }
}

enum st typed_place_hotset(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                           struct err *err)
{
    if (in->error) return typed_place_mixed(in, plan, verdict, err);
    return place_by_key(in, saved_keys, plan, err);
}

static void benefit_keys(const struct typed_input *in, int clique, uint64_t *key)
{
    for (int t = 0; t < in->rows->tables; t++) {
        const struct row_table *x = &in->rows->table[t];
        if (!graph_table_there(in->rows, t)) continue;
        for (uint64_t i = 0; i < x->count; i++)
            key[x->first + i] = density_key((double)in->benefit[clique][x->first + i], graph_row_bytes(in->rows, t, i));
    }
}

static enum st place_oracle(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    (void)verdict;
    return place_by_key(in, benefit_keys, plan, err);
}

static void random_keys(const struct typed_input *in, int clique, uint64_t *key)
{
    for (uint64_t i = 0; i < graph_items(in->rows); i++)
        key[i] = rng_hash(in->seed, STREAM_RANDOM + (uint32_t)clique, i) | 1;
}

static enum st place_random(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    (void)verdict;
    return place_by_key(in, random_keys, plan, err);
}

/* Rows of one kind of all types or relations, as if each had the mean size and cost of the kind's rows. */
static void mean_keys_of(const struct typed_input *in, int clique, enum row_kind kind, uint64_t *key)
{
    double bytes = 0, lines = 0, count = 0, saved = 0, reads = 0;
    const struct typed_estimates *e = &in->estimates[clique];
    for (int t = 0; t < in->rows->tables; t++) {
        const struct row_table *x = &in->rows->table[t];
        if (x->kind != kind || !graph_table_there(in->rows, t)) continue;
        for (uint64_t i = 0; i < x->count; i++) {
            bytes += (double)graph_row_bytes(in->rows, t, i);
            saved += (double)e->saved[x->first + i];
            reads += (double)e->reads[x->first + i];
        }
        count += (double)x->count;
    }
    lines = reads > 0 ? saved / reads : 0;
    for (int t = 0; t < in->rows->tables; t++) {
        const struct row_table *x = &in->rows->table[t];
        if (x->kind != kind || !graph_table_there(in->rows, t)) continue;
        for (uint64_t i = x->first; i < x->first + x->count; i++)
            key[i] = density_key((double)e->reads[i] * lines, (uint64_t)(bytes / count + 0.5)) | 1;
    }
}

static void mean_keys(const struct typed_input *in, int clique, uint64_t *key)
{
    saved_keys(in, clique, key); /* topology rows know their lengths without types */
    mean_keys_of(in, clique, ROWS_FEATURE, key);
    mean_keys_of(in, clique, ROWS_EDGE, key);
}

static enum st place_mean_row(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                              struct err *err)
{
    (void)verdict;
    return place_by_key(in, mean_keys, plan, err);
}

/* The type whose feature rows would save the most if all were held. */
static int best_type(const struct typed_input *in, int clique)
{
    const struct graph *g = in->rows;
    double most = -1;
    int best = 0;
    for (int t = 0; t < g->types; t++) {
        const struct row_table *x = &in->rows->table[g->relations + t];
        double sum = 0;
        for (uint64_t i = x->first; i < x->first + x->count; i++) sum += (double)in->estimates[clique].saved[i];
        if (sum > most) best = t;
        most = sum > most ? sum : most;
    }
    return best;
}

static void single_keys(const struct typed_input *in, int clique, uint64_t *key)
{
    const struct row_table *x = &in->rows->table[in->rows->relations + best_type(in, clique)];
    for (uint64_t i = x->first; i < x->first + x->count; i++)
        key[i] = density_key((double)in->estimates[clique].saved[i], x->row_bytes ? x->cached_bytes : 1) | 1;
}

static enum st place_single_type(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                                 struct err *err)
{
    (void)verdict;
    return place_by_key(in, single_keys, plan, err);
}

static enum st place_nothing(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                             struct err *err)
{
    (void)in;
    (void)plan;
    (void)verdict;
    (void)err;
    return ST_OK;
}

const struct typed_policy typed_policies[] =
    {{.name = "hotset",
      .summary = "rows of all types and relations by expected transactions saved per byte",
      .hotness = "calibrated",
      .choice = TYPED_RATES,
      .place = typed_place_hotset},
     {.name = "exact",
      .summary = "the optimal placement over all NVLinks, replicas included (a linear program; needs GLPK)",
      .hotness = "calibrated",
      .choice = TYPED_RATES,
      .place = typed_place_exact},
     {.name = "legion",
      .summary = "CSLP: topology and features each by hotness, the split by a sweep over alpha",
      .hotness = "presample",
      .place = typed_place_legion},
     {.name = "gnnlab",
      .summary = "sampler GPUs hold the topology of all relations, every trainer the same hottest features",
      .hotness = "presample",
      .choice = TYPED_RANKS,
      .global = true,
      .samplers = typed_gnnlab_samplers,
      .place = typed_place_gnnlab},
     {.name = "quiver",
      .summary = "features of all types by row length, dealt over the clique; topology on the host",
      .hotness = "degree-in",
      .choice = TYPED_RANKS,
      .global = true,
      .place = typed_place_ranked},
     {.name = "quiver-plus",
      .summary = "as quiver, by recorded gathers",
      .hotness = "presample",
      .choice = TYPED_RANKS,
      .global = true,
      .place = typed_place_ranked},
     {.name = "data-tiering",
      .summary = "features of all types by weighted reverse PageRank, dealt over the clique; the CPU samples",
      .hotness = "wrpagerank",
      .choice = TYPED_RANKS,
      .global = true,
      .place = typed_place_tiering},
     {.name = "mean-row",
      .summary = "as hotset, but feature rows of all types count as rows of the mean size: planning without types",
      .hotness = "calibrated",
      .choice = TYPED_RATES,
      .place = place_mean_row},
     {.name = "single-type",
      .summary = "feature rows of the one type that saves the most",
      .hotness = "calibrated",
      .choice = TYPED_RATES,
      .place = place_single_type},
     {.name = "dgl-uva", .summary = "nothing cached", .hotness = "none", .global = true, .place = place_nothing},
     {.name = "random", .summary = "rows of all kinds in random order", .hotness = "random", .place = place_random},
     {.name = "oracle",
      .summary = "the best static plan for the evaluated epochs themselves: a ceiling",
      .hotness = "evaluated",
      .saw_evaluation = true,
      .place = place_oracle},
     {0}};

/* Why the other policies cannot. */
static const struct {
    const char *name, *reason;
} missing[] = {{"pagraph", "its self-reliant partitions copy neighbourhoods of one type of vertices"},
               {"pagraph-plus", "it is PaGraph's placement on parts of a graph with one type"},
               {"dsp", "its GPUs hold patches of one topology and forward rows of one size"},
               {"aligraph", "its importance is the ratio of a vertex's in- and out-edges in one relation"},
               {"ducati", "its two caches hold rows of one topology and of one feature size"},
               {"bgl", "dynamic caches are not replayed for rows of several sizes"},
               {"hyscale", "its time model has one feature size"},
               {"legion-public", "the released code knows one feature matrix"}};

const char *const typed_baselines[TYPED_BASELINES] = {"mean-row", "single-type"};

enum st typed_policy_find(const char *name, const struct typed_policy **out, struct err *err)
{
    const char *names[32] = {0};
    int count = 0;
    char all[300] = "";
    for (const struct typed_policy *p = typed_policies; p->name; p++) {
        names[count++] = p->name;
        text_append(all, sizeof all, *all ? ", %s" : "%s", p->name);
        if (strcmp(p->name, name)) continue;
        *out = p;
        return ST_OK;
    }
    for (int i = 0; policies_registered[i]; i++) {
        const char *reason = NULL;
        if (strcmp(policies_registered[i]->name, name)) continue;
        for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
            if (!strcmp(missing[k].name, name)) reason = missing[k].reason;
        return err_set(err, ST_USAGE, "policy %s: cannot plan graphs with several types%s%s; those that can are %s",
                       name, reason ? ", because " : "", reason ? reason : "", all);
    }
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "--policy: '%.40s' is not known%s%s%s; of graphs with several types: %s", name,
                   near ? ", did you mean " : "", near ? near : "", near ? "?" : "", all);
}
