#include "planner/partition/partition_ahead.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "planner/partition/multilevel.h"
#include "planner/partition/partition_memo.h"
#include "planner/partition/partition_metis.h"

int partition_together(const struct graph *g, int threads)
{
    uint64_t each = metis_bytes(g, 1) + 1, most = PARTITION_AHEAD_BYTES / each;
    return most < 1 || threads < 1 ? 1 : most < (uint64_t)threads ? (int)most : threads;
}

bool partition_beside(const struct graph *g, uint64_t memory, int threads)
{
    return !memory || (uint64_t)partition_together(g, threads) * metis_bytes(g, 1) <= memory / 4;
}

static bool same_cut(const struct partition_cut *a, const struct partition_cut *b)
{
    return a->parts == b->parts && !strcmp(a->method, b->method) &&
           !memcmp(a->share, b->share, (size_t)a->parts * sizeof *a->share);
}

/* Lists the cuts of the whole graph that are METIS's, or multilevel ones, each once. */
static int needed(const struct graph *g, const struct partition_options *o, const struct partition_cut *cut, int count,
                  bool multilevel, struct partition_cut *out)
{
    int found = 0;
    for (int i = 0; i < count && found < PARTITION_CUTS_MOST; i++) {
        struct partition_cut c = cut[i];
        struct partition_report ignored;
        bool again = false;
        c.method = partition_first_method(g, o, c.method);
        bool metis = !strcmp(c.method, "metis") || !strcmp(c.method, "metis-bytes");
        if (c.parts < 2 || !(multilevel ? !strcmp(c.method, "multilevel") : metis)) continue;
        if (partition_memo_find(o->memo, g, c.method, c.parts, c.share, o->seed, NULL, &ignored)) continue;
        for (int k = 0; k < found; k++) again |= same_cut(&out[k], &c);
        if (!again) out[found++] = c;
    }
    return found;
}

/* ---- METIS's, several runs side by side ---- */

struct partition_ahead {
    const struct graph *g;
    struct partition_memo *memo;
    uint64_t seed;
    struct partition_cut cut[PARTITION_CUTS_MOST];
    int cuts, next; /* next: of those that no thread has begun */
    pthread_t thread[PARTITION_CUTS_MOST];
    int threads;
};

static void cut_one(const struct graph *g, struct partition_memo *memo, uint64_t seed, const struct partition_cut *c)
{
    struct err ignored = {0}, *err = &ignored;
    const struct partition_report report = {.metis_bytes = metis_bytes(g, 1)};
    OWNED uint8_t *part = mem_array(g->n, 1, "parts of the graph", err);
    if (part && metis_split(g, 1, c->parts, c->share, seed, !strcmp(c->method, "metis-bytes"), part, err) == ST_OK)
        partition_memo_keep(memo, g, c->method, c->parts, c->share, seed, part, &report);
    partition_memo_settle(memo, g, c->method, c->parts, c->share, seed);
}

bool partition_ahead_meanwhile(const struct graph *g, const struct partition_options *o)
{
    struct partition_claim claim;
    if (!o->memo || !partition_memo_take_wanted(o->memo, g, &claim)) return false;
    struct partition_cut c = {.method = claim.method, .parts = claim.parts};
    memcpy(c.share, claim.share, sizeof c.share);
    cut_one(g, o->memo, claim.seed, &c);
    return true;
}

static void *cut_some(void *of)
{
    struct partition_ahead *a = of;
    for (int i; (i = __atomic_fetch_add(&a->next, 1, __ATOMIC_RELAXED)) < a->cuts;)
        cut_one(a->g, a->memo, a->seed, &a->cut[i]);
    return NULL;
}

/* The cuts that nobody else has or is finding, by threads of their own. NULL: there are none. */
static struct partition_ahead *metis_ahead(const struct graph *g, const struct partition_options *o,
                                           const struct partition_cut *list, int todo)
{
    struct err ignored;
    const int together = partition_together(g, o->threads);
    struct partition_ahead *a = mem_fixed(sizeof *a, "cuts of the graph", &ignored);
    if (!a) return NULL;
    *a = (struct partition_ahead){.g = g, .memo = o->memo, .seed = o->seed};
    for (int i = 0; i < todo; i++)
        if (partition_memo_take(o->memo, g, list[i].method, list[i].parts, list[i].share, o->seed))
            a->cut[a->cuts++] = list[i];
    while (a->threads < together && a->threads < a->cuts && !pthread_create(&a->thread[a->threads], NULL, cut_some, a))
        a->threads++;
    if (!a->threads) cut_some(a); /* at once, where the system has no threads */
    return a;
}

bool partition_ahead_has(const struct partition_ahead *a, const char *method, int parts)
{
    for (int i = 0; a && i < a->cuts; i++)
        if (a->cut[i].parts == parts && !strcmp(a->cut[i].method, method)) return true;
    return false;
}

void partition_ahead_end(struct partition_ahead *a)
{
    for (int i; a && (i = __atomic_fetch_add(&a->next, 1, __ATOMIC_RELAXED)) < a->cuts;) {
        const struct partition_cut *c = &a->cut[i]; /* nobody needed it, or an error is waiting to be told */
        partition_memo_settle(a->memo, a->g, c->method, c->parts, c->share, a->seed);
    }
    for (int i = 0; a && i < a->threads; i++) pthread_join(a->thread[i], NULL);
    mem_leave(&a);
}

/* ---- by levels ---- */

static enum st multilevel_ahead(const struct graph *g, const struct partition_options *o,
                                const struct partition_cut *list, int todo, struct err *err)
{
    const struct partition_report report = {0};
    struct multilevel_cut job[PARTITION_CUTS_MOST];
    OWNED_NEW(uint8_t, part, g->n * (uint64_t)todo, "parts of the graph");
    for (int i = 0; i < todo; i++)
        job[i] = (struct multilevel_cut){list[i].parts, list[i].share, part + (uint64_t)i * g->n};
    PASS(multilevel_split(g, job, todo, o->seed, o->threads, err));
    for (int i = 0; i < todo; i++)
        partition_memo_keep(o->memo, g, list[i].method, job[i].parts, job[i].share, o->seed, job[i].part, &report);
    return ST_OK;
}

/* Whether it saves anything to make that many cuts ahead, and there is memory for it. */
static bool worth_it(const struct graph *g, const struct partition_options *o, bool multilevel, int cuts)
{
    int together = partition_together(g, o->threads);
    if (cuts < 2) return false;
    if (multilevel) return !o->memory || multilevel_bytes(g, o->threads) + g->n * (uint64_t)cuts <= o->memory;
    return together > 1 && metis_possible(g, 1) && (!o->memory || (uint64_t)together * metis_bytes(g, 1) <= o->memory);
}

struct partition_ahead *partition_ahead_begin(const struct graph *g, const struct partition_options *o,
                                              const struct partition_cut *cut, int count)
{
    struct err ignored = {0};
    struct partition_cut list[PARTITION_CUTS_MOST];
    if (!o->memo || o->given || !g->n) return NULL;
    int todo = needed(g, o, cut, count, true, list);
    if (worth_it(g, o, true, todo) && multilevel_ahead(g, o, list, todo, &ignored) != ST_OK) return NULL;
    todo = needed(g, o, cut, count, false, list);
    for (int i = 0; o->threads < 2 && metis_possible(g, 1) && i < todo; i++)
        partition_memo_want(o->memo, g, list[i].method, list[i].parts, list[i].share, o->seed);
    return worth_it(g, o, false, todo) ? metis_ahead(g, o, list, todo) : NULL;
}
