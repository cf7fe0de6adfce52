#include "planner/partition/self_reliant.h"

#include <string.h>

#include "base/mem.h"
#include "planner/partition/assign.h"

/* What the scan keeps. */
struct scan {
    const struct graph *g;
    enum self_reliant_score score;
    int parts, hops, width;                   /* width: bytes of a vertex's set of partitions */
    uint64_t held[GPUS_MAX], train[GPUS_MAX]; /* |PV_i|, |TV_i| */
    uint32_t *mark, *queue;                   /* mark[v]: number of the last search that met v */
    uint8_t *member, *owner; /* sets of partitions [n][width]; 1 + partition of an assigned training vertex */
};

/* The vertices within `hops` hops of v, v among them only if some row leads back; returns how many stand in the
 * queue. */
static uint64_t reach(struct scan *s, uint32_t v, uint32_t number)
{
    uint64_t count = 0, from = 0, to = 1;
    const struct graph *g = s->g;
    for (int h = 0; h < s->hops; h++) {
        for (uint64_t i = from; i < to; i++) {
            uint64_t at = h ? s->queue[i] : v;
            for (int64_t e = g->indptr[at]; e < g->indptr[at + 1]; e++) {
                if (s->mark[g->indices[e]] == number) continue;
                s->mark[g->indices[e]] = number;
                s->queue[count++] = g->indices[e];
            }
        }
        from = h ? to : 0;
        to = count;
    }
    return count;
}

/* Whether partition a's score beats b's: products of whole numbers, no rounding. */
static bool better(const struct scan *s, const uint64_t *overlap, int a, int b)
{
    uint64_t all = s->g->train_count, parts = (uint64_t)s->parts;
    unsigned __int128 x = (unsigned __int128)overlap[a] * (all - parts * s->train[a]) * (s->held[b] ? s->held[b] : 1);
    unsigned __int128 y = (unsigned __int128)overlap[b] * (all - parts * s->train[b]) * (s->held[a] ? s->held[a] : 1);
    return x != y ? x > y : s->held[a] < s->held[b];
}

/* The same for the score of the released code, which turns negative above 0.65 n/K training vertices. */
static bool better_public(const struct scan *s, const uint64_t *overlap, int a, int b)
{
    __int128 room = 13 * (__int128)s->g->n, each = 20 * (__int128)s->parts;
    __int128 x = (__int128)(overlap[a] + 1) * (room - each * s->train[a]) * (__int128)(s->held[b] + 1);
    __int128 y = (__int128)(overlap[b] + 1) * (room - each * s->train[b]) * (__int128)(s->held[a] + 1);
    return x != y ? x > y : s->train[a] < s->train[b];
}

static void join(struct scan *s, uint32_t v, int part)
{
    uint8_t *set = &s->member[(uint64_t)v * (uint64_t)s->width + (uint64_t)part / 8], bit = (uint8_t)(1 << part % 8);
    s->held[part] += !(*set & bit);
    *set |= bit;
}

static void assign_vertex(struct scan *s, uint32_t v, uint32_t number)
{
    if (s->parts == 1) { /* nothing is to choose */
        s->owner[v] = 1;
        return;
    }
    uint64_t overlap[GPUS_MAX + 1] = {0}, count = reach(s, v, number), parts = (uint64_t)s->parts;
    int best = -1;
    for (uint64_t i = 0; i < count; i++) overlap[s->owner[s->queue[i]]]++; /* those of nobody at 0 */
    for (int i = 0; i < s->parts; i++) {
        if (s->score == SCORE_PAPER && s->train[i] >= (s->g->train_count + parts - 1) / parts) continue;
        if (best < 0 || (s->score == SCORE_PAPER ? better : better_public)(s, overlap + 1, i, best)) best = i;
    }
    s->owner[v] = (uint8_t)(best + 1);
    s->train[best]++;
    join(s, v, best);
    for (uint64_t i = 0; i < count; i++) join(s, s->queue[i], best);
}

static enum st self_reliant_take(const struct scan *s, struct assignment *a, struct err *err)
{
    OWNED_NEW(uint32_t, mine, s->g->train_count, "training vertices of a GPU");
    for (int i = 0; i < s->parts; i++) {
        uint64_t count = 0;
        for (uint64_t k = 0; k < s->g->train_count; k++)
            if (s->owner[s->g->train[k]] == i + 1) mine[count++] = s->g->train[k];
        PASS(assignment_set_train(a, i, mine, count, s->g->n, "the partition of training vertices", err));
    }
    return ST_OK;
}

enum st assign_self_reliant(const struct graph *g, const struct server *server, int hops, enum self_reliant_score score,
                            struct assignment *out, struct err *err)
{
    enum st st;
    struct assignment a = {0};
    struct scan s = {.g = g, .score = score, .parts = server->gpus, .hops = hops, .width = (server->gpus + 7) / 8};
    TRY(assign_groups(server, ASSIGNMENT_SELF_RELIANT, &a, err));
    NEW(s.mark, g->n, "marks of a search");
    NEW(s.queue, g->n, "the queue of a search");
    NEW(s.member, g->n * (uint64_t)s.width, "members of partitions");
    NEW(s.owner, g->n, "partitions of training vertices");
    for (uint64_t i = 0; i < g->train_count; i++) assign_vertex(&s, g->train[i], (uint32_t)(i + 1));
    TRY(self_reliant_take(&s, &a, err));
    if (score == SCORE_PUBLIC) memcpy(a.partition, SELF_RELIANT_PUBLIC, sizeof SELF_RELIANT_PUBLIC);
    *out = a;
    memset(&a, 0, sizeof a);
done:
    mem_free(s.mark);
    mem_free(s.queue);
    mem_free(s.member);
    mem_free(s.owner);
    assignment_release(&a);
    return st;
}

/* ---- one partition ---- */

enum st self_reliant_make(const struct graph *g, const uint32_t *train, uint64_t count, int hops,
                          struct self_reliant *out, struct err *err)
{
    OWNED_BY(self_reliant_release) struct self_reliant p = {0};
    OWNED_NEW(uint32_t, queue, g->n, "the queue of a search");
    MAKE(p.listed, g->n, "how often vertices are listed");
    for (uint64_t i = 0; i < count; i++) {
        p.listed[train[i]] = 1;
        queue[p.vertices++] = train[i];
    }
    uint64_t from = 0;
    for (int h = 0; h < hops; h++) {
        uint64_t to = p.vertices;
        for (; from < to; from++) {
            for (int64_t e = g->indptr[queue[from]]; e < g->indptr[queue[from] + 1]; e++) {
                uint32_t u = g->indices[e];
                if (!p.listed[u]) {
                    p.listed[u] = 1;
                    queue[p.vertices++] = u;
                }
                p.listed[u]++;
            }
            p.arcs += graph_degree(g, queue[from]);
        }
    }
    *out = p;
    p.listed = NULL;
    return ST_OK;
}

void self_reliant_release(struct self_reliant *p)
{
    mem_free(p->listed);
    memset(p, 0, sizeof *p);
}
