#include "simulator/lib/plan_json.h"

#include <string.h>

#include "base/doc_seal.h"
#include "base/fields.h"
#include "base/units.h"

enum st plan_json_open(const char *where, doc **out, bool *sealed, struct err *err)
{
    bool nodes = false;
    PASS(doc_has_schema(where, "plan-nodes/1", &nodes, err));
    if (nodes)
        return err_set(err, ST_INPUT,
                       "%s: is a plan of several nodes; name the plan of one of them, node0 in the same folder and so "
                       "on",
                       where);
    return doc_load_sealed(where, "plan/1", out, sealed, err);
}

enum st plan_json_file(const doc *plan, const char *path, const char *name, const char *file, uint64_t bytes,
                       const doc **out, struct err *err)
{
    const doc *files = doc_get(plan, "files"), *found = NULL;
    for (uint64_t i = 0; i < doc_size(files) && !found; i++)
        if (!strcmp(doc_text_value(doc_get(doc_at(files, i), "name"), ""), name)) found = doc_at(files, i);
    int64_t stated = doc_integer_value(doc_get(found, "bytes"), (int64_t)bytes);
    if (file && *file && strcmp(file, name))
        return err_set(err, ST_INPUT, "%s: plan.json says that its ids are in \"%.60s\"; expected \"%s\"", path, file,
                       name);
    if (strlen(doc_text_value(doc_get(found, "sha256"), "")) != 64)
        return err_set(err, ST_INPUT,
                       "%s: files[] of plan.json states no SHA-256 of it; the plan is damaged, make it again", path);
    if (stated != (int64_t)bytes)
        return err_set(err, ST_INPUT,
                       "%s: has %llu bytes, but files[] of plan.json states %lld; the plan is damaged, make it again",
                       path, (unsigned long long)bytes, (long long)stated);
    *out = found;
    return ST_OK;
}

/* ---- GPUs and cliques ---- */

static enum st read_groups(const doc *d, const char *where, struct plan_stated *s, struct err *err)
{
    struct assignment a = {0};
    OWNED_DOC doc *ids = doc_array(), *groups = doc_array();
    const doc *cliques = doc_get(d, "cliques");
    for (int g = 0; g < s->gpus; g++) doc_append(ids, doc_integer(s->gpu[g].id));
    for (int c = 0; c < s->cliques; c++) doc_append(groups, doc_copy(doc_get(doc_at(cliques, (uint64_t)c), "gpus")));
    PASS(assignment_read_groups(ids, groups, where, &a, err));
    for (int g = 0; g < s->gpus; g++) {
        struct plan_gpu_stated *gpu = &s->gpu[g];
        s->clique_of[g] = a.clique_of[g];
        gpu->has_order = !doc_is_null(doc_get(doc_at(doc_get(d, "gpus"), (uint64_t)g), "order"));
        if (gpu->clique >= 0 && gpu->clique != a.clique_of[g])
            return err_set(err, ST_INPUT, "%s: GPU %d is of clique %d, but clique %d lists it", where, gpu->id,
                           gpu->clique, a.clique_of[g]);
    }
    return ST_OK;
}

/* Makes positions of the ids of peers, the widest link first, ties to the lower id. None stated: the other GPUs of the
 * clique. Those of several types are stated in that order. */
static enum st read_peers(const char *where, struct plan_stated *s, struct plan_gpu_stated *gpu, struct err *err)
{
    int own = (int)(gpu - s->gpu), count = gpu->peers < 0 ? 0 : gpu->peers;
    for (int b = 0; gpu->peers < 0 && b < s->gpus; b++)
        if (b != own && s->clique_of[b] == s->clique_of[own]) gpu->peer[count++] = s->gpu[b].id;
    if (gpu->links >= 0 && gpu->links != count)
        return err_set(err, ST_INPUT, "%s: GPU %d has %d peers, but %d \"peer_links\"", where, gpu->id, count,
                       gpu->links);
    for (int i = 0; i < count; i++) {
        int b = 0, id = gpu->peer[i];
        while (b < s->gpus && s->gpu[b].id != id) b++;
        bool good = b < s->gpus && b != own;
        for (int j = 0; j < i; j++) good &= gpu->peer[j] != b;
        if (!good)
            return err_set(err, ST_INPUT, "%s: GPU %d: \"peers\" entry %d is not another GPU of the plan", where,
                           gpu->id, i);
        gpu->peer[i] = b;
        if (gpu->links < 0) gpu->link[i] = !s->typed;
    }
    for (int i = 1; i < count && !s->typed; i++)
        for (int j = i; j > 0; j--) {
            int a = gpu->peer[j - 1], b = gpu->peer[j], wa = gpu->link[j - 1], wb = gpu->link[j];
            if (wa > wb || (wa == wb && s->gpu[a].id < s->gpu[b].id)) break;
            gpu->peer[j - 1] = b;
            gpu->peer[j] = a;
            gpu->link[j - 1] = wb;
            gpu->link[j] = wa;
        }
    gpu->peers = count;
    return ST_OK;
}

/* ---- numbers that follow from others ---- */

/* At least the offsets where they are not stated: the rest depends on the graph. */
static uint64_t topology_bytes(const struct plan_gpu_stated *gpu)
{
    return gpu->topology.bytes < 0 ? 8 * gpu->topology.count : (uint64_t)gpu->topology.bytes;
}

static enum st differ(const char *where, const char *of, const char *key, int64_t stated, const char *parts,
                      int64_t sum, struct err *err)
{
    return err_set(err, ST_INPUT, "%s: %s states \"%s\" %lld, but %s make %lld; the plan is damaged, make it again",
                   where, of, key, (long long)stated, parts, (long long)sum);
}

/* A total is its two parts. */
static enum st check_total(const char *where, const char *of, const struct plan_transactions *t, struct err *err)
{
    if (t->topology < 0 || t->feature < 0 || t->total < 0 || t->total == t->topology + t->feature) return ST_OK;
    return differ(where, of, "total_transactions", t->total, "topology and features", t->topology + t->feature, err);
}

static enum st check_sweep(const char *where, const doc *clique, struct err *err)
{
    const doc *sweep = doc_get(clique, "sweep");
    for (uint64_t i = 0; i < doc_size(sweep); i++) {
        const doc *point = doc_at(sweep, i);
        const struct plan_transactions t = {doc_integer_value(doc_get(point, "topology_transactions"), -1),
                                            doc_integer_value(doc_get(point, "feature_transactions"), -1),
                                            doc_integer_value(doc_get(point, "total_transactions"), -1)};
        PASS(check_total(where, "a point of \"sweep\"", &t, err));
    }
    return ST_OK;
}

/* A clique is its GPUs. Bytes by kind of rows are those of plan/1. */
static enum st check_clique(const char *where, const struct plan_stated *s, int c, struct err *err)
{
    const struct plan_clique_stated *k = &s->clique[c];
    int64_t budget = 0, topology = 0, feature = 0;
    char of[32];
    bool fits = true, stated = true; /* sums beyond 2^63 are nobody's */
    snprintf(of, sizeof of, "clique %d", c);
    for (int g = 0; g < s->gpus; g++) {
        const struct plan_gpu_stated *gpu = &s->gpu[g];
        if (s->clique_of[g] != c) continue;
        stated &= gpu->topology.bytes >= 0;
        fits &= !__builtin_add_overflow(budget, (int64_t)gpu->budget, &budget);
        fits &= !__builtin_add_overflow(topology, (int64_t)topology_bytes(gpu), &topology);
        fits &= !__builtin_add_overflow(feature, (int64_t)(gpu->feature.count * s->held_row_bytes), &feature);
    }
    if (!fits || (k->budget >= 0 && k->budget != budget))
        return differ(where, of, "budget_bytes", k->budget, "its GPUs", budget, err);
    if (s->typed) return ST_OK;
    if (stated && k->topology >= 0 && k->topology != topology)
        return differ(where, of, "topology_bytes", k->topology, "its GPUs", topology, err);
    if (s->row_bytes && k->feature >= 0 && k->feature != feature)
        return differ(where, of, "feature_bytes", k->feature, "its GPUs", feature, err);
    return check_total(where, of, &k->predicted, err);
}

/* What is predicted is predicted of the cliques, unless caches are dynamic: then nothing is. */
static enum st check_predicted(const char *where, const doc *d, const struct plan_stated *s, struct err *err)
{
    const struct plan_transactions *t = &s->predicted;
    int64_t topology = 0, feature = 0;
    PASS(check_total(where, "\"predicted\"", t, err));
    PASS(check_total(where, "\"simulated\"", &s->simulated, err));
    if (s->interval_ends == 1 || (s->interval_ends == 2 && s->interval[0] > s->interval[1]))
        return err_set(err, ST_INPUT, "%s: \"total_interval\" is not two numbers, the lower one first", where);
    if (s->typed || *s->dynamic_cache) return ST_OK;
    for (int c = 0; c < s->cliques; c++) {
        const struct plan_transactions *k = &s->clique[c].predicted;
        if (k->topology < 0 || k->feature < 0)
            return err_set(err, ST_INPUT,
                           "%s: clique %d states no \"topology_transactions\" and \"feature_transactions\" in "
                           "\"predicted\"; expected two integers",
                           where, c);
        PASS(check_sweep(where, doc_at(doc_get(d, "cliques"), (uint64_t)c), err));
        if (__builtin_add_overflow(topology, k->topology, &topology) ||
            __builtin_add_overflow(feature, k->feature, &feature))
            return err_set(err, ST_INPUT, "%s: the cliques predict more than 2^63 transactions", where);
    }
    if (t->topology >= 0 && t->topology != topology)
        return differ(where, "\"predicted\"", "topology_transactions", t->topology, "the cliques", topology, err);
    if (t->feature >= 0 && t->feature != feature)
        return differ(where, "\"predicted\"", "feature_transactions", t->feature, "the cliques", feature, err);
    return ST_OK;
}

/* ---- rows of plan/1: bytes and budgets ---- */

static enum st read_rows(const char *where, const doc *d, struct plan_stated *s, struct err *err)
{
    PASS(workload_read_plain(doc_get(d, "workload"), where, &s->workload, err));
    s->arc_bytes = s->workload.sampler == SAMPLER_BIASED ? 8 : workload_temporal(&s->workload) ? 12 : 4;
    if (!s->feature_dim != !s->feature_bytes || (!s->feature_dim && !doc_is_null(doc_get(d, "cache_type"))))
        return err_set(err, ST_INPUT,
                       "%s: \"graph\" states no %s; the bytes of a feature row follow from \"feature_dim\" and "
                       "\"feature_bytes\"",
                       where, s->feature_dim ? "\"feature_bytes\"" : "\"feature_dim\"");
    s->row_bytes = s->feature_dim * s->feature_bytes;
    for (int g = 0; !s->row_bytes && g < s->gpus; g++) { /* not stated: as the first list of features has them */
        const struct plan_rows_stated *rows = &s->gpu[g].feature;
        if (rows->count && rows->bytes > 0) s->row_bytes = (uint64_t)rows->bytes / rows->count;
    }
    s->held_row_bytes = s->row_bytes;
    if (doc_is_null(doc_get(d, "cache_type"))) return ST_OK;
    s->cached = precision_named(s->cache_type);
    if (s->cached != PRECISIONS) s->held_row_bytes = precision_row_bytes(s->cached, s->feature_dim);
    if (s->cached == PRECISIONS || s->held_row_bytes >= s->row_bytes)
        return err_set(err, ST_INPUT,
                       "%s: \"cache_type\" is not one of " PRECISION_WORDS " that makes feature rows smaller; the plan "
                       "is damaged, make it again",
                       where);
    if (s->cached_row_bytes && s->cached_row_bytes != s->held_row_bytes)
        return differ(where, "the plan", "cached_row_bytes", (int64_t)s->cached_row_bytes, "rows of its \"cache_type\"",
                      (int64_t)s->held_row_bytes, err);
    return ST_OK;
}

/* Rows have the bytes stated and fit the budget. Those of topology rows depend on the graph; here they are compared
 * with what a graph of its size allows. */
static enum st check_budget(const char *where, const struct plan_stated *s, const struct plan_gpu_stated *gpu,
                            struct err *err)
{
    char one[BYTES_TEXT], other[BYTES_TEXT];
    uint64_t rows = gpu->topology.count, topology = topology_bytes(gpu), feature = 0, held = 0, most = 0;
    if (__builtin_mul_overflow(gpu->feature.count, s->held_row_bytes, &feature) ||
        __builtin_add_overflow(feature, topology, &held))
        return err_set(err, ST_INPUT, "%s: GPU %d: its rows take more than 2^64 bytes", where, gpu->id);
    if (gpu->feature.bytes >= 0 && (uint64_t)gpu->feature.bytes != feature)
        return err_set(err, ST_INPUT,
                       "%s: GPU %d states %s of feature rows, but the rows listed take %s; the plan is damaged, make "
                       "it again",
                       where, gpu->id, units_bytes_exact(one, (uint64_t)gpu->feature.bytes),
                       units_bytes_exact(other, feature));
    if (__builtin_mul_overflow(s->edges, s->arc_bytes, &most)) most = UINT64_MAX - 8 * rows;
    if (topology < 8 * rows || topology > 8 * rows + (rows ? most : 0))
        return err_set(err, ST_INPUT,
                       "%s: GPU %d states %s of topology rows, but %llu rows of this graph cannot take that; the plan "
                       "is damaged, make it again",
                       where, gpu->id, units_bytes_exact(one, topology), (unsigned long long)rows);
    if (held > gpu->budget)
        return err_set(err, ST_INPUT, "%s: GPU %d holds %s, its budget is %s", where, gpu->id,
                       units_bytes_exact(one, held), units_bytes_exact(other, gpu->budget));
    return ST_OK;
}

/* The capacities of dynamic caches: gpu_rows, or as many rows as fit the budgets; `rows` is their sum. */
static enum st read_dynamic(const char *where, struct plan_stated *s, struct err *err)
{
    int64_t sum = 0;
    if (s->dynamic_gpus >= 0 && s->dynamic_gpus != s->gpus)
        return err_set(err, ST_INPUT, "%s: \"gpu_rows\" of \"dynamic\" must be a list of %d numbers, one per GPU",
                       where, s->gpus);
    for (int g = 0; g < s->gpus; g++) {
        const struct plan_gpu_stated *gpu = &s->gpu[g];
        uint64_t room = s->held_row_bytes ? (gpu->budget - topology_bytes(gpu)) / s->held_row_bytes : s->vertices;
        if (room > s->vertices) room = s->vertices;
        if (s->dynamic_gpus < 0) s->dynamic_gpu_rows[g] = (int64_t)room;
        if ((uint64_t)s->dynamic_gpu_rows[g] > room)
            return err_set(err, ST_INPUT,
                           "%s: the cache of GPU %d has %lld rows, but its budget and the graph allow 0 to %llu", where,
                           gpu->id, (long long)s->dynamic_gpu_rows[g], (unsigned long long)room);
        if (gpu->feature.count)
            return err_set(err, ST_INPUT, "%s: GPU %d lists feature rows, but a dynamic plan's caches begin empty",
                           where, gpu->id);
        sum += s->dynamic_gpu_rows[g];
    }
    if (sum == s->dynamic_rows) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: \"rows\" of \"dynamic\" is %lld, but the GPUs' caches have %lld; the plan is damaged, make it "
                   "again",
                   where, (long long)s->dynamic_rows, (long long)sum);
}

static enum st check_rows(const char *where, struct plan_stated *s, bool dynamic, struct err *err)
{
    for (int g = 0; g < s->gpus; g++) {
        const struct plan_gpu_stated *gpu = &s->gpu[g];
        PASS(check_budget(where, s, gpu, err));
        for (int k = 0; k < 3; k++) {
            const struct plan_rows_stated *rows[] = {&gpu->feature, &gpu->topology, &gpu->train};
            if (rows[k]->count > s->vertices)
                return err_set(err, ST_INPUT, "%s: a list of GPU %d has %llu vertices, but the graph has %llu", where,
                               gpu->id, (unsigned long long)rows[k]->count, (unsigned long long)s->vertices);
        }
    }
    return dynamic ? read_dynamic(where, s, err) : ST_OK;
}

enum st plan_json_read(const char *where, bool typed, doc **out, bool *sealed, struct plan_stated *stated,
                       struct err *err)
{
    OWNED_DOC doc *d = NULL;
    if (typed) PASS(doc_load_sealed(where, "plan/2", &d, sealed, err));
    else PASS(plan_json_open(where, &d, sealed, err));
    PASS(fields_read(typed ? plan_fields_2 : plan_fields_1, d, where, stated, err));
    stated->typed = typed;
    if (stated->line_bytes % 4)
        return err_set(err, ST_INPUT, "%s: \"cls\" is %llu, expected a multiple of 4 bytes", where,
                       (unsigned long long)stated->line_bytes);
    PASS(read_groups(d, where, stated, err));
    for (int g = 0; g < stated->gpus; g++) PASS(read_peers(where, stated, &stated->gpu[g], err));
    if (!typed) PASS(read_rows(where, d, stated, err));
    if (!typed) PASS(check_rows(where, stated, !doc_is_null(doc_get(d, "dynamic")), err));
    for (int c = 0; c < stated->cliques; c++) PASS(check_clique(where, stated, c, err));
    PASS(check_predicted(where, d, stated, err));
    *out = TAKE(d);
    return ST_OK;
}
