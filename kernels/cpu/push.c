/* push.c - sessions of PageRank steps on the CPU: along the rows, or by blocks where many steps are to come. */
#include "base/mem.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/push_blocks.h"
#include "kernels/push.h"

struct session {
    struct pagerank_problem p;
    int threads;
    uint64_t *share; /* [n] scratch */
    bool blocked;
    struct push_blocks blocks;
};

static void close_session(void *session)
{
    struct session *s = session;
    if (!s) return;
    push_blocks_release(&s->blocks);
    mem_free(s->share);
    mem_free(s);
}

static enum st open_session(int threads, const struct pagerank_problem *p, void **session, struct err *err)
{
    enum st st = ST_OK;
    struct session *s = NULL;
    NEW(s, 1, "steps over the graph");
    *s = (struct session){.p = *p, .threads = threads};
    NEW(s->share, p->n, "shares of rows");
    *session = TAKE(s);
done:
    close_session(s);
    return st;
}

static enum st step(void *session, const uint64_t *x, uint64_t *y, uint64_t *change, struct err *err)
{
    struct session *s = session;
    if (!s->blocked) return cpu_pagerank_step(s->threads, &s->p, x, s->share, y, change, err);
    push_blocks_step(&s->blocks, &s->p, s->threads, x, s->share, y, change);
    return ST_OK;
}

/* Without memory for the copy, steps go along the rows. */
static void try_blocks(struct session *s)
{
    struct err unused = {0};
    if (push_blocks_make(&s->p, s->threads, false, &s->blocks, &unused) == ST_OK) s->blocked = s->blocks.blocks > 0;
}

static enum st iterate(void *session, int rounds, uint64_t limit, uint64_t *x, int *taken, struct err *err)
{
    struct session *s = session;
    if (!s->blocked && push_blocks_pay(&s->p, rounds)) try_blocks(s);
    return push_rounds(step, s, s->p.n, rounds, limit, x, taken, err);
}

const struct push_device cpu_push = {open_session, step, iterate, close_session, push_blocks_bytes};
