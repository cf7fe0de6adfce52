/* open.c - reads plan.json, maps the arrays, and checks all that needs no reading of them (declared in hotset.h). */
#include <stdlib.h>
#include <string.h>

#include "base/doc_seal.h"
#include "base/precision.h"
#include "base/units.h"
#include "simulator/lib/internal.h"
#include "simulator/lib/plan_json.h"

/* ---- one array ---- */

/* The file's name follows from the GPU's id; the document's is not used. */
enum st lib_map_list(const struct hotset_plan *p, const doc *d, const doc *about, struct lib_array *out,
                     struct err *err)
{
    char path[PATH_BYTES];
    const doc *file;
    int64_t count = 0;
    PASS(path_join(path, p->folder, out->name, err));
    PASS(doc_need_integer(about, "count", 0, UINT32_MAX, path, &count, err));
    uint64_t shape = (uint64_t)count;
    PASS(npy_map(path, &out->map, err));
    PASS(npy_expect(&out->map, path, "u4", 1, &shape, err));
    file = plan_json_file(d, out->name);
    snprintf(out->sha256, sizeof out->sha256, "%.64s", doc_text_value(doc_get(file, "sha256"), ""));
    if (strlen(out->sha256) != 64)
        return err_set(err, ST_INPUT,
                       "%s: files[] of plan.json states no SHA-256 of it; the plan is damaged, make it again", path);
    out->id = out->map.data;
    out->count = out->map.count;
    return ST_OK;
}

/* ---- one GPU ---- */

static int position_of(const struct hotset_plan *p, int64_t id)
{
    for (int g = 0; g < p->gpus; g++)
        if (p->gpu[g].id == id) return g;
    return -1;
}

/* Sorts peers into serving order: widest link first, ties to the lower id. */
static void order_peers(const struct hotset_plan *p, struct lib_gpu *x)
{
    for (int i = 1; i < x->peers; i++)
        for (int j = i; j > 0; j--) {
            int32_t a = x->peer[j - 1], b = x->peer[j], wa = x->links[j - 1], wb = x->links[j];
            if (wa > wb || (wa == wb && p->gpu[a].id < p->gpu[b].id)) break;
            x->peer[j - 1] = b;
            x->peer[j] = a;
            x->links[j - 1] = wb;
            x->links[j] = wa;
        }
}

enum st lib_read_peers(const struct hotset_plan *p, const doc *gpu, struct lib_gpu *x, struct err *err)
{
    const doc *peers = doc_get(gpu, "peers"), *links = doc_get(gpu, "peer_links");
    int own = (int)(x - p->gpu);
    for (int b = 0; !doc_is_array(peers) && b < p->gpus; b++) /* none stated: the other GPUs of the clique */
        if (b != own && p->gpu[b].clique == x->clique) {
            x->links[x->peers] = 0;
            x->peer[x->peers++] = b;
        }
    for (uint64_t i = 0; doc_is_array(peers) && i < doc_size(peers); i++) {
        int b = position_of(p, doc_integer_value(doc_at(peers, i), -1));
        bool again = false;
        for (int j = 0; j < x->peers; j++) again |= x->peer[j] == b;
        if (b < 0 || b == own || again)
            return err_set(err, ST_INPUT, "%s: GPU %d: \"peers\" entry %llu is not another GPU of the plan", p->where,
                           x->id, (unsigned long long)i);
        int64_t width = doc_integer_value(doc_at(links, i), p->typed ? 0 : 1);
        x->links[x->peers] = (int32_t)(width < 0 || width > 255 ? 1 : width);
        x->peer[x->peers++] = b;
    }
    if (!p->typed) order_peers(p, x); /* those of several types are stated in that order */
    return ST_OK;
}

/* Rows must have the bytes stated and fit the budget. The bytes of topology rows depend on the graph; here they are
 * only compared with what a graph of its size allows. */
static enum st check_budget(const struct hotset_plan *p, const doc *gpu, struct lib_gpu *x, struct err *err)
{
    int64_t topology = 0;
    char one[BYTES_TEXT], other[BYTES_TEXT];
    uint64_t rows = x->list[HOTSET_TOPOLOGY].count, feature = 0, held = 0, most = 0;
    PASS(doc_need_integer(doc_get(gpu, "topology"), "bytes", 0, INT64_MAX, p->where, &topology, err));
    x->topology_bytes = (uint64_t)topology;
    if (__builtin_mul_overflow(x->list[HOTSET_FEATURE].count, p->cached_bytes, &feature) ||
        __builtin_add_overflow(feature, x->topology_bytes, &held))
        return err_set(err, ST_INPUT, "%s: GPU %d: its rows take more than 2^64 bytes", p->where, x->id);
    int64_t stated = doc_integer_value(doc_get(doc_get(gpu, "feature"), "bytes"), (int64_t)feature);
    if (stated != (int64_t)feature)
        return err_set(err, ST_INPUT,
                       "%s: GPU %d states %s of feature rows, but the rows listed take %s; the plan is damaged, make "
                       "it again",
                       p->where, x->id, units_bytes_exact(one, (uint64_t)stated), units_bytes_exact(other, feature));
    if (__builtin_mul_overflow(p->m, p->arc_bytes, &most)) most = UINT64_MAX - 8 * rows;
    if (!rows) most = 0;
    if (x->topology_bytes < 8 * rows || x->topology_bytes > 8 * rows + most)
        return err_set(err, ST_INPUT,
                       "%s: GPU %d states %s of topology rows, but %llu rows of this graph cannot take that; the plan "
                       "is damaged, make it again",
                       p->where, x->id, units_bytes_exact(one, x->topology_bytes), (unsigned long long)rows);
    if (held > x->budget)
        return err_set(err, ST_INPUT, "%s: GPU %d holds %s, its budget is %s", p->where, x->id,
                       units_bytes_exact(one, held), units_bytes_exact(other, x->budget));
    return ST_OK;
}

static enum st read_gpu(const struct hotset_plan *p, const doc *d, const doc *gpu, struct lib_gpu *x, struct err *err)
{
    int64_t budget = 0, index = doc_integer_value(doc_get(gpu, "index_bytes"), 0);
    PASS(doc_need_integer(gpu, "budget_bytes", 0, INT64_MAX, p->where, &budget, err));
    x->budget = (uint64_t)budget;
    x->index = index < 0 ? 0 : (uint64_t)index;
    PASS(lib_read_peers(p, gpu, x, err));
    for (int k = 0; k < HOTSET_LISTS; k++) {
        doc *about = NULL;
        if (k == HOTSET_ORDER && (p->workload.order == ORDER_SHUFFLE || !doc_get(gpu, lib_list_names[k]))) continue;
        PASS(doc_need_object(gpu, lib_list_names[k], p->where, &about, err));
        snprintf(x->list[k].name, sizeof x->list[k].name, "gpu%d_%s.npy", x->id, lib_list_names[k]);
        PASS(lib_map_list(p, d, about, &x->list[k], err));
        if (x->list[k].count > p->n)
            return err_set(err, ST_INPUT, "%s/%s: lists %llu vertices, but the graph has %llu", p->folder,
                           x->list[k].name, (unsigned long long)x->list[k].count, (unsigned long long)p->n);
    }
    return check_budget(p, gpu, x, err);
}

/* ---- the document ---- */

static void keep_text(struct hotset_plan *p, enum hotset_text which, const doc *d, const char *otherwise)
{
    snprintf(p->text[which], sizeof p->text[which], "%.79s", doc_text_value(d, otherwise));
}

enum st lib_read_texts(struct hotset_plan *p, const doc *d, struct err *err)
{
    const doc *graph = doc_get(d, "graph");
    doc *workload = NULL;
    PASS(doc_need_object(d, "workload", p->where, &workload, err));
    keep_text(p, HOTSET_TEXT_POLICY, doc_get(d, "policy"), "");
    keep_text(p, HOTSET_TEXT_SERVER, doc_get(doc_get(d, "server"), "name"), "");
    keep_text(p, HOTSET_TEXT_GRAPH, doc_get(graph, "name"), "");
    keep_text(p, HOTSET_TEXT_FINGERPRINT, doc_get(graph, "fingerprint"), "");
    keep_text(p, HOTSET_TEXT_SAMPLER, doc_get(workload, "sampler"), "uniform");
    keep_text(p, HOTSET_TEXT_TOPOLOGY_ACCESS, doc_get(d, "topology_access"), "gpu");
    PASS(lib_read_order(p, workload, err));
    workload_order_text(&p->workload, p->text[HOTSET_TEXT_ORDER]);
    return ST_OK;
}

static enum st read_head(struct hotset_plan *p, const doc *d, struct err *err)
{
    doc *graph = NULL, *server = NULL;
    const char *policy = NULL;
    int64_t n = 0, m = 0, dim = 0, element = 0;
    PASS(doc_need_text(d, "policy", p->where, &policy, err));
    PASS(doc_need_object(d, "server", p->where, &server, err));
    PASS(doc_need_object(d, "graph", p->where, &graph, err));
    PASS(doc_need_integer(graph, "vertices", 0, (int64_t)UINT32_MAX + 1, p->where, &n, err));
    PASS(doc_need_integer(graph, "edges", 0, INT64_MAX / 16, p->where, &m, err));
    if (doc_get(graph, "feature_dim")) { /* optional; without it feature.bytes is used */
        PASS(doc_need_integer(graph, "feature_dim", 1, 1 << 28, p->where, &dim, err));
        PASS(doc_need_integer(graph, "feature_bytes", 1, 1 << 10, p->where, &element, err));
    }
    p->n = (uint64_t)n;
    p->m = (uint64_t)m;
    p->dim = (uint64_t)dim;
    p->row_bytes = (uint64_t)dim * (uint64_t)element;
    PASS(lib_read_texts(p, d, err));
    keep_text(p, HOTSET_TEXT_DYNAMIC_CACHE, doc_get(doc_get(d, "dynamic"), "cache"), "");
    const char *sampler = p->text[HOTSET_TEXT_SAMPLER];
    /* rows that are drawn from by weight, or by time, hold the weights or times */
    p->arc_bytes = !strcmp(sampler, "biased") ? 8 : !strncmp(sampler, "temporal", 8) ? 12 : 4;
    return ST_OK;
}

enum st lib_read_groups(struct hotset_plan *p, const doc *d, struct err *err)
{
    doc *gpus = NULL, *cliques = NULL;
    struct assignment a = {0};
    PASS(doc_need_array(d, "gpus", p->where, &gpus, err));
    PASS(doc_need_array(d, "cliques", p->where, &cliques, err));
    PASS(plan_json_groups(gpus, cliques, p->where, &a, err));
    p->gpu = lib_cleared((uint64_t)a.gpus, sizeof *p->gpu);
    if (!p->gpu) return err_set(err, ST_LIMIT, "%s: no memory for %d GPUs", p->where, a.gpus);
    p->gpus = a.gpus;
    p->cliques = a.cliques;
    for (int g = 0; g < a.gpus; g++) {
        p->gpu[g].id = a.id[g];
        p->gpu[g].clique = a.clique_of[g];
    }
    return ST_OK;
}

/* Bytes of a feature row, from the first GPU that holds some, when the member `graph` does not state them. */
static void derive_row_bytes(struct hotset_plan *p, const doc *gpus)
{
    for (int g = 0; !p->row_bytes && g < p->gpus; g++) {
        const doc *feature = doc_get(doc_at(gpus, (uint64_t)g), "feature");
        int64_t bytes = doc_integer_value(doc_get(feature, "bytes"), 0),
                count = doc_integer_value(doc_get(feature, "count"), 0);
        if (bytes > 0 && count > 0) p->row_bytes = (uint64_t)(bytes / count);
    }
}

/* The element type in which GPUs hold features. */
static enum st read_cached(struct hotset_plan *p, const doc *d, struct err *err)
{
    enum precision type = precision_named(doc_text_value(doc_get(d, "cache_type"), ""));
    p->cached_bytes = p->row_bytes;
    if (doc_is_null(doc_get(d, "cache_type"))) return ST_OK;
    if (type == PRECISIONS || precision_row_bytes(type, p->dim) >= p->row_bytes)
        return err_set(err, ST_INPUT,
                       "%s: \"cache_type\" is not one of " PRECISION_WORDS " that makes feature rows smaller; the plan "
                       "is damaged, make it again",
                       p->where);
    p->cached_bytes = precision_row_bytes(type, p->dim);
    keep_text(p, HOTSET_TEXT_CACHE_TYPE, doc_get(d, "cache_type"), "");
    return ST_OK;
}

/* The member `dynamic`: capacities are gpu_rows, or as many rows as fit the budgets; rows must be their sum. */
static enum st read_dynamic(struct hotset_plan *p, const doc *d, struct err *err)
{
    const doc *of = doc_get(d, "dynamic"), *each = doc_get(of, "gpu_rows");
    const char *name = NULL;
    int64_t stated = 0;
    uint64_t sum = 0;
    if (doc_is_null(of)) return ST_OK;
    PASS(doc_need_text(of, "cache", p->where, &name, err));
    PASS(doc_need_integer(of, "rows", 0, INT64_MAX, p->where, &stated, err));
    for (int g = 0; g < p->gpus; g++) {
        struct lib_gpu *x = &p->gpu[g];
        uint64_t fit = p->cached_bytes ? x->budget / p->cached_bytes : 0, room = fit < p->n ? fit : p->n;
        int64_t v = doc_is_null(each) ? (int64_t)room : doc_integer_value(doc_at(each, (uint64_t)g), -1);
        if (v < 0 || (uint64_t)v > room)
            return err_set(err, ST_INPUT,
                           "%s: \"dynamic\" states a cache of %lld rows for GPU %d, expected a number from 0 to %llu, "
                           "which its budget and the graph allow",
                           p->where, (long long)v, x->id, (unsigned long long)room);
        x->dynamic_rows = (uint64_t)v;
        sum += (uint64_t)v;
    }
    if (sum != (uint64_t)stated)
        return err_set(err, ST_INPUT,
                       "%s: \"rows\" of \"dynamic\" is %lld, but the GPUs' caches have %llu; the plan is damaged, make "
                       "it again",
                       p->where, (long long)stated, (unsigned long long)sum);
    return ST_OK;
}

/* A plan of one type. */
static enum st read_plain(struct hotset_plan *p, const doc *d, struct err *err)
{
    PASS(read_head(p, d, err));
    PASS(lib_read_groups(p, d, err));
    derive_row_bytes(p, doc_get(d, "gpus"));
    PASS(read_cached(p, d, err));
    for (int g = 0; g < p->gpus; g++) PASS(read_gpu(p, d, doc_at(doc_get(d, "gpus"), (uint64_t)g), &p->gpu[g], err));
    return read_dynamic(p, d, err);
}

static enum st read_plan(const char *path, struct hotset_plan *p, struct err *err)
{
    bool types;
    OWNED_DOC doc *d = NULL;
    if (snprintf(p->folder, sizeof p->folder, "%s", path) >= (int)sizeof p->folder)
        return err_set(err, ST_INPUT, "%.60s..: the path is longer than %d bytes", path, PATH_BYTES - 1);
    PASS(path_join(p->where, path, "plan.json", err));
    PASS(doc_has_schema(p->where, "plan/2", &types, err));
    if (types) PASS(doc_load_sealed(p->where, "plan/2", &d, &p->sealed, err));
    else PASS(plan_json_open(p->where, &d, &p->sealed, err));
    if (types) PASS(lib_read_tables(p, d, err));
    else PASS(read_plain(p, d, err));
    return ST_OK;
}

static void release(struct hotset_plan *p)
{
    for (int t = 0; t < p->tables; t++) release(&p->table[t].rows);
    for (int g = 0; g < p->gpus; g++)
        for (int k = 0; k < HOTSET_LISTS; k++) npy_release(&p->gpu[g].list[k].map);
    free(p->table);
    free(p->gpu);
}

void hotset_close(hotset_plan *p)
{
    if (!p) return;
    release(p);
    free(p);
}

int hotset_open(const char *path, const struct hotset_options *options, hotset_plan **out, struct hotset_error *error)
{
    enum { EVERY = HOTSET_CHECK_CHECKSUMS | HOTSET_CHECK_IDS };
    struct err err = {0}, *e = &err;
    struct hotset_plan *p = NULL;
    struct hotset_error inner = {0};
    enum st st = ST_OK;
    if (!path || !out) st = err_set(e, ST_USAGE, "hotset_open: path and out must be given");
    else if (options) st = lib_check_struct(options->struct_bytes, sizeof *options, "hotset_options", e);
    if (st == ST_OK && !(p = lib_cleared(1, sizeof *p))) st = err_set(e, ST_LIMIT, "%s: no memory for a plan", path);
    if (st == ST_OK) st = read_plan(path, p, e);
    if (st == ST_OK && (!options || (options->skip & EVERY) != EVERY)) {
        st = (enum st)hotset_verify(p, options, &inner);
        memcpy(err.text, inner.text, sizeof err.text);
    }
    if (st == ST_OK) *out = p;
    else hotset_close(p);
    return lib_finish(st, e, error);
}
