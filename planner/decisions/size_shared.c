#include "planner/decisions/size_shared.h"

#include <string.h>

#include "base/machine.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/threads.h"
#include "planner/partition/partition_memo.h"
#include "planner/decisions/size_kept.h"
#include "planner/decisions/size_option.h"
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
    if (!s->lent) s->memo->graph = graph_connections(s->graph);
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
    if (s->memo && !s->lent) partition_memo_release(s->memo);
    if (!s->lent) mem_free(s->memo);
    mem_free(s->graph);
    memset(s, 0, sizeof *s);
}

/* ---- all curves ---- */

/* Gives a curve the points of one that ran with the same caches at the same sizes; none are there where none did. */
static void take_points(struct size_curve *curves, int i, const int *chain)
{
    struct size_curve *c = &curves[i];
    for (int k = 0; k < i && !c->count; k++) {
        const struct size_curve *twin = &curves[k];
        if (chain[k] != chain[i] || twin->limit != c->limit || !size_variant_same_caches(&twin->of, &c->of)) continue;
        memcpy(c->point, twin->point, (size_t)twin->count * sizeof *c->point);
        c->count = twin->count;
        c->step = twin->step;
        memcpy(c->unknown, twin->unknown, sizeof c->unknown);
        c->unknowns = twin->unknowns;
    }
}

/* Curves that run: those that share are a chain, one after the other. */
struct running {
    const struct size_question *q;
    const struct size_graph *g;
    const struct size_kept *kept;
    struct size_curve *curves;
    bool done[SIZE_CURVES_MAX];                                        /* by an earlier run */
    int left;                                                          /* that are not */
    int count, chain[SIZE_CURVES_MAX], first[SIZE_CURVES_MAX], chains; /* chain of each curve; first curve of each */
    int together, begun;                                               /* chains at a time; curves so far */
    struct partition_memo memo;
    struct size_pace pace;
    int next;   /* chain that nobody has begun */
    int failed; /* the first curve that failed; count: none */
    struct err err;
};

/* Takes what an earlier run finished, and says so. */
static enum st take_kept(struct running *r, struct err *err)
{
    char names[400] = "";
    PASS(size_kept_take(r->kept, r->q, r->curves, r->count, r->done, err));
    r->left = r->count;
    for (int i = 0; i < r->count; i++) {
        if (!r->done[i]) continue;
        text_append(names, sizeof names, "%s%s", r->left < r->count ? ", " : "", r->curves[i].label);
        r->left--;
    }
    if (r->count > 1 && r->left < r->count)
        call_say(r->q->call, "%d of %d need not run again: %s", r->count - r->left, r->count, names);
    return ST_OK;
}

static void find_chains(struct running *r)
{
    for (int i = 0; i < r->count; i++) {
        int k = 0;
        while (k < r->chains && memcmp(r->curves[r->first[k]].key, r->curves[i].key, sizeof r->curves[i].key)) k++;
        if (k == r->chains) r->first[r->chains++] = i;
        r->chain[i] = k;
    }
}

/* As many chains at a time as there are threads and as fit. Ranks and stages count what one study does after the
 * other. */
static enum st find_together(struct running *r, struct err *err)
{
    const struct size_question *q = r->q;
    const uint64_t room = mem_limit() ? mem_limit() : machine_memory() / 2;
    uint64_t most = 0;
    r->together = 1;
    if (ranks_count() > 1 || q->call->common.stamp || q->kernels->sampling) return ST_OK;
    for (int k = 0; k < r->chains; k++) {
        uint64_t bytes = 0;
        if (!r->curves[r->first[k]].missing) PASS(size_curve_bytes(q, r->g, &r->curves[r->first[k]], &bytes, err));
        most = bytes > most ? bytes : most;
    }
    r->together = q->call->threads < r->chains ? q->call->threads : r->chains;
    while (r->together > 1 && (uint64_t)r->together * most > room) r->together--;
    return ST_OK;
}

/* The errors of a curve. */
static void note(struct running *r, int i, const struct err *err)
{
#pragma omp critical(size_first_error)
    if (i < r->failed) {
        r->failed = i;
        r->err = *err;
    }
}

/* Says which curve begins. */
static void begin_curve(struct running *r, int i, struct size_pace *pace)
{
#pragma omp critical(size_begin)
    {
        const int before = r->begun++;
        if (r->together == 1) size_pace_curve(pace, r->curves[i].label);
        else size_pace_among(pace, r->curves[i].label, before, r->left, r->together);
    }
}

/* Says what the epoch of a curve's first option takes, which people wait for. */
static enum st tell_found(const struct size_question *q, const struct size_curve *c, const struct size_pace *pace,
                          struct err *err)
{
    if (!progress_told() || !c->count) return ST_OK;
    OWNED_NEW(struct size_option, options, SIZE_OPTIONS_MAX, "options");
    if (size_options(q, c, 1, 0, options) && options->fits)
        size_pace_found(pace, options->value[SIZE_SECONDS].low, options->value[SIZE_SECONDS].high);
    return ST_OK;
}

static enum st keep(struct running *r, int i, struct err *err)
{
    enum st st;
#pragma omp critical(size_keep)
    st = size_kept_add(r->kept, r->q->call, i, &r->curves[i], err);
    return st;
}

/* One chain, with so many threads, and those of a crew that have none. */
static enum st run_chain(struct running *r, int k, int threads, struct threads_crew *crew, struct err *err)
{
    OWNED_BY(size_shared_release) struct size_shared with = {.memo = &r->memo, .lent = true, .crew = crew};
    struct size_pace own = r->pace;
    OWNED_NEW(struct size_question, q, 1, "a question");
    OWNED_NEW(struct call, call, 1, "a question");
    *q = *r->q;
    *call = *r->q->call;
    call->threads = threads;
    q->call = call;
    with.pace = r->together == 1 ? &r->pace : &own;
    for (int i = r->first[k]; i < r->count; i++) {
        if (r->chain[i] != k || r->done[i] || r->failed < i) continue;
        begin_curve(r, i, with.pace);
        const int side = progress_side(r->curves[i].label);
        take_points(r->curves, i, r->chain);
        enum st st = size_curve_run(q, r->g, &with, &r->curves[i], err);
        if (st == ST_OK) st = tell_found(q, &r->curves[i], with.pace, err);
        progress_side_end(side);
        if (st == ST_OK) st = keep(r, i, err);
        if (st != ST_OK) note(r, i, err);
    }
    return ST_OK;
}

static void run_one(struct running *r, int k, int threads, struct threads_crew *crew)
{
    struct err err = {0};
    if (run_chain(r, k, threads, crew, &err) != ST_OK) note(r, r->first[k], &err);
}

/* Chains until none is left. */
static void run_chains(void *of, struct threads_crew *crew)
{
    struct running *r = of;
    for (int k; (k = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED)) < r->chains;) run_one(r, k, 1, crew);
}

static void running_release(struct running *r) { partition_memo_release(&r->memo); }

enum st size_curves_run(const struct size_question *q, const struct size_graph *g, const struct size_kept *kept,
                        struct size_curve *curves, int count, struct err *err)
{
    OWNED_NEW(struct running, r, 1, "curves");
    r->q = q;
    r->g = g;
    r->kept = kept;
    r->curves = curves;
    r->count = r->failed = count;
    r->memo.graph = graph_connections(g->graph);
    PASS(take_kept(r, err));
    if (!r->left) return ST_OK;
    size_pace_begin(&r->pace, q->call, r->left);
    find_chains(r);
    PASS(find_together(r, err));
    const int entered = progress_side_by_side(r->left);
    for (int k = 0; k < r->chains && r->together == 1; k++) run_one(r, k, q->call->threads, NULL);
    if (r->together > 1) threads_crew_run(r->together, run_chains, r);
    progress_leave(entered);
    running_release(r);
    if (r->failed == count) return ST_OK;
    *err = r->err;
    return err->code;
}
