/* open.c - reads plan.json, maps the arrays, and checks all that needs no reading of them (declared in hotset.h). */
#include <stdlib.h>
#include <string.h>

#include "simulator/lib/internal.h"

/* ---- one array ---- */

/* The file's name follows from the GPU's id. */
enum st lib_map_list(const struct hotset_plan *p, const doc *d, const char *stated, uint64_t count,
                     struct lib_array *out, struct err *err)
{
    char path[PATH_BYTES];
    const doc *file = NULL;
    PASS(path_join(path, p->folder, out->name, err));
    PASS(npy_map(path, &out->map, err));
    PASS(npy_expect(&out->map, path, "u4", 1, &count, err));
    PASS(plan_json_file(d, path, out->name, stated, out->map.map.bytes, &file, err));
    snprintf(out->sha256, sizeof out->sha256, "%s", doc_text_value(doc_get(file, "sha256"), ""));
    out->id = out->map.data;
    out->count = out->map.count;
    return ST_OK;
}

/* ---- what plans of one type and of several state alike ---- */

enum st lib_read_head(struct hotset_plan *p, const struct plan_stated *s, struct err *err)
{
    const char *const texts[HOTSET_TEXTS] = {[HOTSET_TEXT_POLICY] = s->policy,
                                             [HOTSET_TEXT_SERVER] = s->server_name,
                                             [HOTSET_TEXT_GRAPH] = s->graph_name,
                                             [HOTSET_TEXT_FINGERPRINT] = s->graph_fingerprint,
                                             [HOTSET_TEXT_SAMPLER] = sampler_name(s->workload.sampler),
                                             [HOTSET_TEXT_TOPOLOGY_ACCESS] = plan_access_words[s->access],
                                             [HOTSET_TEXT_DYNAMIC_CACHE] = s->dynamic_cache,
                                             [HOTSET_TEXT_CACHE_TYPE] = s->cache_type};
    for (int i = 0; i < HOTSET_TEXTS; i++)
        if (texts[i] && !*p->text[i]) snprintf(p->text[i], sizeof p->text[i], "%s", texts[i]);
    p->workload = s->workload;
    p->edge_seeds = workload_edges(&s->workload);
    workload_order_text(&p->workload, p->text[HOTSET_TEXT_ORDER]);
    p->gpu = lib_cleared((uint64_t)s->gpus, sizeof *p->gpu);
    if (!p->gpu) return err_set(err, ST_LIMIT, "%s: no memory for %d GPUs", p->where, s->gpus);
    p->gpus = s->gpus;
    p->cliques = s->cliques;
    for (int g = 0; g < s->gpus; g++) {
        const struct plan_gpu_stated *from = &s->gpu[g];
        struct lib_gpu *gpu = &p->gpu[g];
        gpu->id = from->id;
        gpu->clique = s->clique_of[g];
        gpu->budget = from->budget;
        gpu->index = from->index;
        gpu->peers = from->peers;
        for (int i = 0; i < from->peers; i++) {
            gpu->peer[i] = from->peer[i];
            gpu->links[i] = from->link[i];
        }
    }
    return ST_OK;
}

/* ---- a plan of one type ---- */

static enum st read_gpu(const struct hotset_plan *p, const doc *d, const struct plan_gpu_stated *from,
                        struct lib_gpu *gpu, struct err *err)
{
    const struct plan_rows_stated *const lists[HOTSET_LISTS] = {[HOTSET_FEATURE] = &from->feature,
                                                                [HOTSET_TOPOLOGY] = &from->topology,
                                                                [HOTSET_TRAIN] = &from->train,
                                                                [HOTSET_ORDER] = &from->order};
    if (from->topology.bytes < 0) /* a graph would say */
        return err_set(err, ST_INPUT, "%s: GPU %d does not state the bytes of its topology rows; make the plan again",
                       p->where, gpu->id);
    gpu->topology_bytes = (uint64_t)from->topology.bytes;
    for (int k = 0; k < HOTSET_LISTS; k++) {
        if (k == HOTSET_ORDER && !plan_json_circle(from, &p->workload)) continue;
        snprintf(gpu->list[k].name, sizeof gpu->list[k].name, "gpu%d_%s.npy", gpu->id, lib_list_names[k]);
        PASS(lib_map_list(p, d, lists[k]->file, lists[k]->count, &gpu->list[k], err));
    }
    return ST_OK;
}

static enum st read_plain(struct hotset_plan *p, const doc *d, const struct plan_stated *s, struct err *err)
{
    PASS(lib_read_head(p, s, err));
    p->n = s->vertices;
    p->m = s->edges;
    p->dim = s->feature_dim;
    p->row_bytes = s->row_bytes;
    p->cached_bytes = s->held_row_bytes;
    p->arc_bytes = s->arc_bytes;
    for (int g = 0; g < p->gpus; g++) {
        if (*s->dynamic_cache) p->gpu[g].dynamic_rows = (uint64_t)s->dynamic_gpu_rows[g];
        PASS(read_gpu(p, d, &s->gpu[g], &p->gpu[g], err));
    }
    return ST_OK;
}

static enum st read_plan(const char *path, struct hotset_plan *p, struct err *err)
{
    bool types;
    OWNED_DOC doc *d = NULL;
    if (!*path) return err_set(err, ST_USAGE, "hotset_open: the path is empty; name a plan directory");
    if (snprintf(p->folder, sizeof p->folder, "%s", path) >= (int)sizeof p->folder)
        return err_set(err, ST_INPUT, "%.60s..: the path is longer than %d bytes", path, PATH_BYTES - 1);
    PASS(path_join(p->where, path, "plan.json", err));
    PASS(doc_has_schema(p->where, "plan/2", &types, err));
    struct plan_stated *s = lib_cleared(1, sizeof *s);
    if (!s) return err_set(err, ST_LIMIT, "%s: no memory for a plan", p->where);
    enum st st = plan_json_read(p->where, types, &d, &p->sealed, s, err);
    if (st == ST_OK) st = types ? lib_read_tables(p, d, s, err) : read_plain(p, d, s, err);
    free(s);
    return st;
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
    else st = lib_check_options(options, e);
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
