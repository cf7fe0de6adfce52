#include "planner/engine/given_lists.h"

#include <stdio.h>
#include <string.h>

#include "base/checkpoint.h"
#include "base/mem.h"
#include "base/npy.h"
#include "base/units.h"
#include "hwprofiles/model/server_reach.h"

enum { NOBODY = 255 };

void given_lists_release(struct given_lists *l)
{
    placement_release(&l->placement);
    mem_free(l->part);
    memset(l, 0, sizeof *l);
}

/* ---- reading ---- */

enum st given_list_read(const char *path, uint64_t n, uint64_t first, uint64_t *bits, struct row_list *out, bool *there,
                        struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    *there = file_exists(path);
    if (!*there) return ST_OK;
    PASS(npy_map(path, &a, err));
    if (a.dims != 1)
        return err_set(err, ST_INPUT, "%s: has %d dimensions; one dimension with ids was expected", path, a.dims);
    for (uint64_t i = 0; i < a.count; i++) {
        bool ok = true;
        int64_t v = npy_integer(&a, i, &ok);
        if (!ok) return err_set(err, ST_INPUT, "%s: has elements of type %s; integers were expected", path, a.type);
        if (v < 0 || (uint64_t)v >= n)
            return err_set(err, ST_INPUT, "%s: element %llu is %lld, but the graph has the ids 0 to %llu there", path,
                           (unsigned long long)i, (long long)v, (unsigned long long)(n - 1));
        uint64_t id = first + (uint64_t)v;
        if (bits[id / 64] >> (id % 64) & 1)
            return err_set(err, ST_INPUT,
                           "%s: element %llu repeats id %lld; an id stands once in the lists of a GPU, and once in all "
                           "train files",
                           path, (unsigned long long)i, (long long)v);
        bits[id / 64] |= (uint64_t)1 << (id % 64);
        PASS(row_list_add(out, (uint32_t)id, err));
    }
    return ST_OK;
}

/* What is read: ids are numbers of rows of one kind (traces/graph/rows.h), or of vertices of all types. */
struct reading {
    const char *folder;
    const struct graph *graph;
    uint64_t *bits; /* [ids / 64 + 1] */
    bool any;       /* some file is there */
};

static enum st read_named(struct reading *r, const char *name, uint64_t n, uint64_t first, struct row_list *out,
                          struct err *err)
{
    char path[PATH_BYTES];
    bool there = false;
    PASS(path_join(path, r->folder, name, err));
    PASS(given_list_read(path, n, first, r->bits, out, &there, err));
    r->any |= there;
    return ST_OK;
}

/* Until 0.2.0 rows of a table could lie exactly beside rounded ones, in a list of their own. */
static enum st refuse_exact(const struct reading *r, const char *name, struct err *err)
{
    char exact[PLAN_FILE_NAME + 8], path[PATH_BYTES];
    snprintf(exact, sizeof exact, "%.*s_exact.npy", (int)(strlen(name) - strlen(".npy")), name);
    PASS(path_join(path, r->folder, exact, err));
    if (!file_exists(path)) return ST_OK;
    return err_set(err, ST_INPUT, "%s: rows held exactly beside rounded ones are gone; add its ids to %s, or remove it",
                   path, name);
}

/* The lists of GPU g of one table. */
static enum st read_table(struct reading *r, int table, int g, int id, struct placement *p, struct err *err)
{
    const struct row_table t = graph_table(r->graph, table);
    bool topology = t.kind == ROWS_TOPOLOGY;
    uint64_t first = topology ? t.first : t.first - graph_topology_rows(r->graph);
    struct row_list *out = topology ? &p->topology[g] : &p->feature[g];
    char name[PLAN_FILE_NAME];
    if (!graph_table_there(r->graph, table)) return ST_OK;
    plan_list_file(r->graph, id, table, name);
    PASS(refuse_exact(r, name, err));
    return read_named(r, name, t.count, first, out, err);
}

static enum st read_rows(struct reading *r, const struct server *s, struct placement *p, struct err *err)
{
    p->gpus = s->gpus;
    for (int g = 0; g < s->gpus; g++)
        for (int kind = 0; kind < 2; kind++) {
            memset(r->bits, 0, (graph_most_rows(r->graph) / 64 + 1) * sizeof *r->bits);
            for (int t = 0; t < graph_tables(r->graph); t++)
                if ((graph_table(r->graph, t).kind == ROWS_TOPOLOGY) == !kind)
                    PASS(read_table(r, t, g, s->gpu[g].id, p, err));
        }
    return ST_OK;
}

/* ---- who trains what */

/* The train files must hold the graph's training vertices, no more and no fewer. */
static enum st check_trains(const struct given_lists *l, const struct graph *g, uint64_t listed, struct err *err)
{
    for (int t = 0; t < graph_type_count(g); t++) {
        const struct graph_vertices type = graph_vertices(g, t);
        char text[GRAPH_VERTEX_TEXT];
        for (uint64_t i = 0; i < type.train_count; i++)
            if (l->part[type.first + type.train[i]] == NOBODY)
                return err_set(err, ST_INPUT, "%s: no gpu<i>_train%s.npy lists vertex %s, which the graph trains",
                               l->folder, graph_plain(g) ? "" : "_<type>",
                               graph_vertex_text(g, type.first + type.train[i], text));
    }
    if (listed != g->train_count)
        return err_set(err, ST_INPUT,
                       "%s: the train files list %llu vertices, but the graph trains %llu; list these, or import the "
                       "graph with --train",
                       l->folder, (unsigned long long)listed, (unsigned long long)g->train_count);
    for (uint64_t v = 0; v < g->n; v++)
        if (l->part[v] == NOBODY) l->part[v] = 0;
    return ST_OK;
}

static enum st read_trains(struct reading *r, const struct server *s, struct given_lists *l, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = r->graph;
    struct row_list t = {0};
    bool others = r->any;
    r->any = false;
    NEW(l->part, g->n, "who trains what");
    memset(l->part, NOBODY, g->n);
    memset(r->bits, 0, (g->n / 64 + 1) * sizeof *r->bits); /* one GPU trains a vertex: they stay from GPU to GPU */
    for (int i = 0; i < s->gpus; i++)
        for (int k = 0; k < graph_type_count(g); k++) {
            char name[PLAN_FILE_NAME];
            const struct graph_vertices type = graph_vertices(g, k);
            uint64_t from = t.count;
            plan_train_file(g, s->gpu[i].id, k, name);
            TRY(read_named(r, name, type.count, type.first, &t, err));
            for (uint64_t j = from; j < t.count; j++) l->part[t.id[j]] = (uint8_t)i;
        }
    if (r->any) TRY(check_trains(l, g, t.count, err));
    else {
        mem_free(l->part);
        l->part = NULL;
    }
    r->any |= others;
done:
    mem_free(t.id);
    return st;
}

enum st given_lists_read(const char *folder, const struct graph *g, const struct server *s, struct given_lists *out,
                         struct err *err)
{
    enum st st = ST_OK;
    struct reading r = {.folder = folder, .graph = g};
    uint64_t most = graph_most_rows(g) > g->n ? graph_most_rows(g) : g->n;
    char of[GRAPH_SUFFIX];
    memset(out, 0, sizeof *out);
    out->folder = folder;
    graph_suffix(g, 0, of);
    NEW(r.bits, most / 64 + 1, "ids that were seen");
    TRY(read_rows(&r, s, &out->placement, err));
    TRY(read_trains(&r, s, out, err));
    if (!r.any)
        FAIL(ST_INPUT,
             "%s: holds no list for a GPU of %s; name them gpu%d_feature%s.npy, gpu%d_topology%s.npy, "
             "gpu%d_train%s.npy%s",
             folder, s->name, s->gpu[0].id, of, s->gpu[0].id, of, s->gpu[0].id, of,
             graph_plain(g) ? "" : ", by the numbers of types and relations ('hotset export --to npy' writes such)");
done:
    mem_free(r.bits);
    if (st != ST_OK) given_lists_release(out);
    return st;
}

void given_lists_inputs(const char *folder, const struct graph *g, const struct server *s, doc *inputs)
{
    int tables = graph_tables(g), types = graph_type_count(g);
    for (int i = 0; i < s->gpus; i++)
        for (int k = 0; k < tables + types; k++) {
            char name[PLAN_FILE_NAME], path[PATH_BYTES], stamp[CHECKPOINT_STAMP];
            struct err ignored = {0};
            if (k < tables) plan_list_file(g, s->gpu[i].id, k, name);
            else plan_train_file(g, s->gpu[i].id, k - tables, name);
            if (path_join(path, folder, name, &ignored) == ST_OK && file_exists(path))
                doc_put(inputs, name, doc_text(checkpoint_stamp(path, stamp)));
        }
}

/* ---- placing ---- */

static uint64_t bytes_on(const struct given_lists *l, const struct graph *g, int gpu)
{
    return placement_topology_bytes(&l->placement, gpu, g) + placement_feature_bytes(&l->placement, gpu, g);
}

uint64_t given_lists_most(const struct given_lists *l, const struct graph *g)
{
    uint64_t most = 0;
    for (int i = 0; i < l->placement.gpus; i++) {
        uint64_t bytes = bytes_on(l, g, i);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Copies the rows of GPU g. */
static enum st copy_rows(const struct given_lists *l, const struct graph *graph, int g, struct placement *to,
                         struct err *err)
{
    for (uint64_t i = 0; i < placement_count(&l->placement, g); i++)
        PASS(placement_add(to, graph, g, placement_item(&l->placement, graph, g, i), err));
    return ST_OK;
}

static enum st given_lists_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                 struct err *err)
{
    const struct given_lists *l = in->lists;
    struct placement *p = &plan->placement;
    char rows[UNIT_TEXT], budget[UNIT_TEXT];
    for (int g = 0; g < l->placement.gpus; g++) {
        uint64_t bytes = bytes_on(l, in->graph, g);
        if (bytes > plan->budget[g]) {
            verdict->status = POLICY_OOM;
            snprintf(verdict->reason, sizeof verdict->reason,
                     "the lists of GPU %d take %s, and its budget is %s; shorten them, or raise --budget",
                     plan->assignment.id[g], units_bytes(rows, bytes), units_bytes(budget, plan->budget[g]));
            return ST_OK;
        }
        PASS(copy_rows(l, in->graph, g, p, err));
        p->peers[g] = 0;
        for (int i = 0; i < l->placement.gpus; i++)
            if (server_reads(in->server, g, i)) p->peer[g][p->peers[g]++] = i;
    }
    return ST_OK;
}

const struct policy given_lists_policy = {.name = "lists",
                                          .summary = "a placement that was made elsewhere (--from-lists)",
                                          .source = "its maker",
                                          .hotness = "none",
                                          .assignment = ASSIGNMENT_HIERARCHICAL,
                                          .any_deal = true,
                                          .reaches = REACHES_ALL,
                                          .place = given_lists_place};
