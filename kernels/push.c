/* push.c - sessions of PageRank steps: the backend's own, or single steps where it has none (declared in push.h). */
#include "kernels/push.h"

#include <string.h>

#include "base/mem.h"

struct push {
    const struct kernels *kernels;
    struct pagerank_problem p;
    int threads;
    uint64_t *share; /* [n] scratch, for single steps */
    void *session;   /* of kernels->push; else NULL */
};

enum st push_open(const struct kernels *k, int threads, const struct pagerank_problem *p, struct push **out,
                  struct err *err)
{
    enum st st = ST_OK;
    struct push *s = NULL;
    NEW(s, 1, "steps over the graph");
    *s = (struct push){.kernels = k, .p = *p, .threads = threads};
    if (k->push) TRY(k->push->open(threads, &s->p, &s->session, err));
    else NEW(s->share, p->n, "shares of rows");
    *out = TAKE(s);
done:
    push_close(s);
    return st;
}

enum st push_step(struct push *s, const uint64_t *x, uint64_t *y, uint64_t *change, struct err *err)
{
    if (s->session) return s->kernels->push->step(s->session, x, y, change, err);
    return s->kernels->pagerank_step(s->threads, &s->p, x, s->share, y, change, err);
}

enum st push_rounds(push_step_of *step, void *session, uint64_t n, int rounds, uint64_t limit, uint64_t *x, int *taken,
                    struct err *err)
{
    uint64_t *now = x, *then, change = UINT64_MAX;
    *taken = 0;
    OWNED_NEW(uint64_t, next, n, "PageRank values");
    then = next;
    for (; *taken < rounds && change >= limit; ++*taken) {
        PASS(step(session, now, then, &change, err));
        uint64_t *swap = now;
        now = then;
        then = swap;
    }
    if (now != x && n) memcpy(x, now, n * sizeof *x);
    return ST_OK;
}

static enum st single_step(void *session, const uint64_t *x, uint64_t *y, uint64_t *change, struct err *err)
{
    return push_step(session, x, y, change, err);
}

enum st push_iterate(struct push *s, int rounds, uint64_t limit, uint64_t *x, int *taken, struct err *err)
{
    if (s->session) return s->kernels->push->iterate(s->session, rounds, limit, x, taken, err);
    return push_rounds(single_step, s, s->p.n, rounds, limit, x, taken, err);
}

uint64_t push_iterate_bytes(const struct kernels *k, uint64_t n, uint64_t edges)
{
    return k->push && k->push->bytes ? k->push->bytes(n, edges) : 0;
}

void push_close(struct push *s)
{
    if (!s) return;
    if (s->session) s->kernels->push->close(s->session);
    mem_free(s->share);
    mem_free(s);
}
