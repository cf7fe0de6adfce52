#include "planner/decisions/size_shared.h"

#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "planner/partition/partition_memo.h"
#include "planner/decisions/size_variants.h"
#include "traces/graph/graph_union.h"

static void add_number(struct sha256 *h, int64_t v) { sha256_add(h, &v, sizeof v); }

void size_shared_key(const struct size_variant *v, const struct server *s, double factor, unsigned char key[32])
{
    struct sha256 h;
    const char *named = v->fanout.named ? v->fanout.named : "";
    sha256_begin(&h);
    add_number(&h, (int64_t)v->element);
    add_number(&h, v->batch);
    sha256_add(&h, &factor, sizeof factor);
    add_number(&h, v->fanout.count);
    for (int i = 0; i < v->fanout.count; i++) add_number(&h, v->fanout.value[i]);
    sha256_add(&h, named, strlen(named) + 1);
    add_number(&h, (int64_t)s->line_bytes);
    add_number(&h, s->gpus);
    add_number(&h, s->groups);
    add_number(&h, s->cliques);
    add_number(&h, s->links_known);
    for (int i = 0; i < s->gpus; i++) {
        add_number(&h, s->gpu[i].id);
        add_number(&h, s->clique_of[i]);
        add_number(&h, server_group(s, i));
    }
    sha256_end(&h, key);
}

static void drop_study(struct size_shared *s)
{
    if (s->study) study_nodes_end(s->study);
    mem_free(s->study);
    s->study = NULL;
}

enum st size_shared_next(struct size_shared *s, const unsigned char key[32], const struct graph *g,
                         struct server *server, struct err *err)
{
    if (!s->graph) MAKE(s->graph, 1, "a graph");
    if (!s->memo) MAKE(s->memo, 1, "parts of the graph");
    if (memcmp(s->key, key, sizeof s->key)) drop_study(s);
    memcpy(s->key, key, sizeof s->key);
    if (s->server) server_release(s->server);
    mem_free(s->server);
    s->server = server;
    *s->graph = *g;
    s->memo->graph = graph_connections(s->graph);
    return ST_OK;
}

enum st size_shared_begin(struct size_shared *s, struct study_options *o, struct err *err)
{
    o->memo = s->memo;
    if (s->study && study_again(&s->study->node[0].s, o)) return ST_OK;
    drop_study(s);
    MAKE(s->study, 1, "a study");
    return study_nodes_begin(s->study, o, NULL, err);
}

void size_shared_release(struct size_shared *s)
{
    drop_study(s);
    if (s->server) server_release(s->server);
    mem_free(s->server);
    if (s->memo) partition_memo_release(s->memo);
    mem_free(s->memo);
    mem_free(s->graph);
    memset(s, 0, sizeof *s);
}

/* ---- all curves ---- */

/* Which one next: the first that shares with the last one, else the first. -1: all have run. */
static int next_curve(const struct size_curve *curves, int count, int last, const bool *ran)
{
    int first = -1;
    for (int i = count - 1; i >= 0; i--)
        if (!ran[i]) first = i;
    for (int i = 0; i < count && last >= 0; i++)
        if (!ran[i] && !memcmp(curves[i].key, curves[last].key, sizeof curves[i].key)) return i;
    return first;
}

/* Gives a curve the points of one that ran with the same caches at the same sizes; none are there where none did. */
static void take_points(struct size_curve *curves, int count, int i, const bool *ran)
{
    struct size_curve *c = &curves[i];
    for (int k = 0; k < count && !c->count; k++) {
        const struct size_curve *twin = &curves[k];
        if (!ran[k] || twin->limit != c->limit || !size_variant_same_caches(&twin->of, &c->of)) continue;
        memcpy(c->point, twin->point, (size_t)twin->count * sizeof *c->point);
        c->count = twin->count;
        c->step = twin->step;
        memcpy(c->unknown, twin->unknown, sizeof c->unknown);
        c->unknowns = twin->unknowns;
    }
}

enum st size_curves_run(const struct size_question *q, const struct size_graph *g, struct size_curve *curves, int count,
                        struct err *err)
{
    enum st st = ST_OK;
    int last = -1;
    bool ran[SIZE_CURVES_MAX] = {false};
    struct size_pace pace;
    struct size_shared with = {.pace = &pace};
    size_pace_begin(&pace, q->call, count);
    for (int i; (i = next_curve(curves, count, last, ran)) >= 0; last = i) {
        size_pace_curve(&pace, curves[i].label);
        int entered = progress_piece(curves[i].label, pace.done, count);
        take_points(curves, count, i, ran);
        TRY(size_curve_run(q, g, &with, &curves[i], err));
        progress_leave(entered);
        ran[i] = true;
    }
done:
    size_shared_release(&with);
    return st;
}
