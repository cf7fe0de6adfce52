#include "planner/study/given_lists.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/npy.h"
#include "base/units.h"
#include "hwprofiles/model/server_reach.h"

enum { NOBODY = 255 };

void given_lists_release(struct given_lists *l)
{
    for (int g = 0; g < l->gpus; g++) {
        mem_free(l->topology[g].id);
        mem_free(l->feature[g].id);
    }
    mem_free(l->part);
    memset(l, 0, sizeof *l);
}

/* ---- reading ---- */

enum st given_list_read(const char *path, uint64_t n, uint64_t *bits, struct row_list *out, bool *there,
                        struct err *err)
{
    enum st st = ST_OK;
    struct npy a = {0};
    *there = file_exists(path);
    if (!*there) return ST_OK;
    TRY(npy_map(path, &a, err));
    if (a.dims != 1)
        FAIL(ST_INPUT, "%s: has %d dimensions; one dimension with the ids of vertices was expected", path, a.dims);
    for (uint64_t i = 0; i < a.count; i++) {
        bool ok = true;
        int64_t v = npy_integer(&a, i, &ok);
        if (!ok) FAIL(ST_INPUT, "%s: has elements of type %s; integers were expected", path, a.type);
        if (v < 0 || (uint64_t)v >= n)
            FAIL(ST_INPUT, "%s: element %llu is %lld, but the graph has the vertices 0 to %llu", path,
                 (unsigned long long)i, (long long)v, (unsigned long long)(n - 1));
        if (bits[v / 64] >> (v % 64) & 1)
            FAIL(ST_INPUT, "%s: element %llu repeats vertex %lld; a list has each vertex once", path,
                 (unsigned long long)i, (long long)v);
        bits[v / 64] |= (uint64_t)1 << (v % 64);
        TRY(row_list_add(out, (uint32_t)v, err));
    }
done:
    for (uint64_t i = 0; i < out->count; i++) bits[out->id[i] / 64] = 0;
    npy_release(&a);
    return st;
}

static enum st read_named(const char *folder, int id, const char *kind, uint64_t n, uint64_t *bits,
                          struct row_list *out, bool *there, struct err *err)
{
    char name[48], path[PATH_BYTES];
    snprintf(name, sizeof name, "gpu%d_%s.npy", id, kind);
    enum st st = path_join(path, folder, name, err);
    return st == ST_OK ? given_list_read(path, n, bits, out, there, err) : st;
}

/* Gives the vertices of one train file to the GPU. */
static enum st take_trains(const struct given_lists *l, const struct row_list *t, int gpu, int id, struct err *err)
{
    for (uint64_t i = 0; i < t->count; i++) {
        uint8_t *part = &l->part[t->id[i]];
        if (*part != NOBODY)
            return err_set(err, ST_INPUT,
                           "%s: gpu%d_train.npy lists vertex %u, which another train file lists, too; one GPU trains "
                           "it",
                           l->folder, id, t->id[i]);
        *part = (uint8_t)gpu;
    }
    return ST_OK;
}

/* The train files must hold the graph's training vertices, no more and no fewer. */
static enum st check_trains(const struct given_lists *l, const struct graph *g, uint64_t listed, struct err *err)
{
    for (uint64_t i = 0; i < g->train_count; i++)
        if (l->part[g->train[i]] == NOBODY)
            return err_set(err, ST_INPUT, "%s: no gpu<i>_train.npy lists vertex %u, which the graph trains", l->folder,
                           g->train[i]);
    if (listed != g->train_count)
        return err_set(err, ST_INPUT,
                       "%s: the train files list %llu vertices, but the graph trains %llu; list these, or import the "
                       "graph with --train",
                       l->folder, (unsigned long long)listed, (unsigned long long)g->train_count);
    for (uint64_t v = 0; v < g->n; v++)
        if (l->part[v] == NOBODY) l->part[v] = 0;
    return ST_OK;
}

static enum st read_trains(struct given_lists *l, const struct graph *g, const struct server *s, uint64_t *bits,
                           bool *any, struct err *err)
{
    enum st st = ST_OK;
    struct row_list t = {0};
    uint64_t listed = 0;
    bool some = false, there;
    NEW(l->part, g->n, "who trains what");
    memset(l->part, NOBODY, g->n);
    for (int i = 0; i < s->gpus; i++) {
        t.count = 0;
        TRY(read_named(l->folder, s->gpu[i].id, "train", g->n, bits, &t, &there, err));
        TRY(take_trains(l, &t, i, s->gpu[i].id, err));
        listed += t.count;
        some |= there;
    }
    if (some) {
        *any = true;
        TRY(check_trains(l, g, listed, err));
        goto done;
    }
    mem_free(l->part);
    l->part = NULL;
done:
    mem_free(t.id);
    return st;
}

enum st given_lists_read(const char *folder, const struct graph *g, const struct server *s, struct given_lists *out,
                         struct err *err)
{
    enum st st = ST_OK;
    uint64_t *bits = NULL;
    bool any = false, there;
    memset(out, 0, sizeof *out);
    out->folder = folder;
    out->gpus = s->gpus;
    NEW(bits, g->n / 64 + 1, "ids that were seen");
    for (int i = 0; i < s->gpus; i++) {
        TRY(read_named(folder, s->gpu[i].id, "feature", g->n, bits, &out->feature[i], &there, err));
        any |= there;
        TRY(read_named(folder, s->gpu[i].id, "topology", g->n, bits, &out->topology[i], &there, err));
        any |= there;
    }
    TRY(read_trains(out, g, s, bits, &any, err));
    if (!any)
        FAIL(ST_INPUT,
             "%s: holds no list for a GPU of %s; name them gpu%d_feature.npy, gpu%d_topology.npy, gpu%d_train.npy",
             folder, s->name, s->gpu[0].id, s->gpu[0].id, s->gpu[0].id);
done:
    mem_free(bits);
    if (st != ST_OK) given_lists_release(out);
    return st;
}

/* ---- placing ---- */

static uint64_t bytes_on(const struct given_lists *l, const struct graph *g, int gpu)
{
    uint64_t bytes = l->feature[gpu].count * graph_cached_bytes(g);
    for (uint64_t i = 0; i < l->topology[gpu].count; i++) bytes += graph_topology_bytes(g, l->topology[gpu].id[i]);
    return bytes;
}

uint64_t given_lists_most(const struct given_lists *l, const struct graph *g)
{
    uint64_t most = 0;
    for (int i = 0; i < l->gpus; i++) {
        uint64_t bytes = bytes_on(l, g, i);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static enum st copy_list(const struct row_list *from, struct row_list *to, struct err *err)
{
    enum st st = ST_OK;
    for (uint64_t i = 0; i < from->count; i++) TRY(row_list_add(to, from->id[i], err));
done:
    return st;
}

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    const struct given_lists *l = in->lists;
    struct placement *p = &plan->placement;
    char rows[UNIT_TEXT], budget[UNIT_TEXT];
    for (int g = 0; g < l->gpus; g++) {
        uint64_t bytes = bytes_on(l, in->graph, g);
        if (bytes > plan->budget[g]) {
            verdict->status = POLICY_OOM;
            snprintf(verdict->reason, sizeof verdict->reason,
                     "the lists of GPU %d take %s, and its budget is %s; shorten them, or raise --budget",
                     plan->assignment.id[g], units_bytes(rows, bytes), units_bytes(budget, plan->budget[g]));
            goto done;
        }
        TRY(copy_list(&l->topology[g], &p->topology[g], err));
        TRY(copy_list(&l->feature[g], &p->feature[g], err));
        p->peers[g] = 0;
        for (int i = 0; i < l->gpus; i++)
            if (server_reads(in->server, g, i)) p->peer[g][p->peers[g]++] = i;
    }
done:
    return st;
}

const struct policy given_lists_policy = {.name = "lists",
                                          .summary = "a placement that was made elsewhere (--from-lists)",
                                          .source = "its maker",
                                          .hotness = "none",
                                          .assignment = ASSIGNMENT_HIERARCHICAL,
                                          .any_deal = true,
                                          .reaches = REACHES_ALL,
                                          .place = place};
