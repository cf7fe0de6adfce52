/* search.c - the candidate search by single operations of a backend, and the choice between that and the backend's own
 * (declared in search.h). */
#include "kernels/search.h"

#include <string.h>

#include "base/mem.h"

struct search {
    const struct kernels *kernels;
    int threads, count;
    struct search_problem *problem; /* [count] */
    void *session;                  /* of kernels->search; NULL: single operations */
};

/* ---- by single operations ---- */

/* Prefix sums of the bytes of topology rows, in `order`; *out is the caller's. */
static enum st scan_sizes(const struct search *s, const struct search_problem *p, const uint32_t *order, uint64_t **out,
                          struct err *err)
{
    OWNED_NEW(uint64_t, size, p->n, "row sizes");
    MAKE(*out, p->n, "prefix sums");
    for (uint64_t v = 0; v < p->n; v++) size[v] = kernel_topology_bytes(p->indptr, v);
    return s->kernels->scan(s->threads, size, order, p->n, *out, err);
}

/* The order of one kind of rows, and prefix sums of their hotness in it; *sums is the caller's. */
static enum st rank(const struct search *s, const struct search_problem *p, enum search_kind kind, uint32_t *order,
                    uint64_t **sums, struct err *err)
{
    OWNED_NEW(uint64_t, hot, p->n, "hotness");
    PASS(s->kernels->column_sum(s->threads, p->hot[kind], p->gpus, p->n, hot, err));
    if (p->was_read) p->was_read(p->of);
    PASS(s->kernels->sort_hottest(s->threads, hot, p->n, order, err));
    if (!p->variants) return ST_OK;
    MAKE(*sums, p->n, "prefix sums");
    return s->kernels->scan(s->threads, hot, order, p->n, *sums, err);
}

/* Runs the sweep of every variant. */
static enum st sweep(const struct search *s, const struct search_problem *p, uint64_t *const hot[SEARCH_KINDS],
                     const uint64_t *size, struct sweep_point *points, struct err *err)
{
    OWNED_NEW(struct sweep_problem, each, p->variants, "the sweep");
    for (int i = 0; i < p->variants; i++) {
        const struct search_variant *v = &p->variant[i];
        each[i] = (struct sweep_problem){.n = p->n,
                                         .size_topology = size,
                                         .hot_topology = hot[SEARCH_TOPOLOGY],
                                         .hot_feature = hot[SEARCH_FEATURE],
                                         .budget = v->budget,
                                         .row_bytes = p->row_bytes,
                                         .n_tsum = v->n_tsum,
                                         .lines = v->lines,
                                         .epochs = v->epochs,
                                         .steps = p->steps};
    }
    return s->kernels->sweep(s->threads, each, p->variants, points, err);
}

static enum st run_operations(const struct search *s, const struct search_problem *p, struct search_result *out,
                              struct err *err)
{
    enum st st = ST_OK;
    uint32_t *order[SEARCH_KINDS] = {0};
    uint64_t *hot[SEARCH_KINDS] = {0}, *size = NULL;
    for (int kind = 0; kind < SEARCH_KINDS; kind++) {
        if (!out->order[kind]) NEW(order[kind], p->n, "an order of vertices");
        TRY(rank(s, p, (enum search_kind)kind, out->order[kind] ? out->order[kind] : order[kind], &hot[kind], err));
        if (kind == SEARCH_TOPOLOGY && p->variants)
            TRY(scan_sizes(s, p, out->order[kind] ? out->order[kind] : order[kind], &size, err));
    }
    if (p->variants) TRY(sweep(s, p, hot, size, out->points, err));
done:
    for (int kind = 0; kind < SEARCH_KINDS; kind++) {
        mem_free(order[kind]);
        mem_free(hot[kind]);
    }
    mem_free(size);
    return st;
}

/* ---- the interface ---- */

/* Whether the members of a problem are in range. */
static bool is_valid(const struct search_problem *p, const struct search_problem *first, const struct kernels *k)
{
    bool valid = p->gpus >= 1 && p->gpus <= KERNEL_GPUS_MAX && p->row_bytes && p->variants >= 0 &&
                 (!p->on_device || k->search);
    if (p->variants) valid = valid && p->steps >= 1 && p->steps == first->steps;
    for (int i = 0; i < p->variants; i++) valid = valid && p->variant[i].epochs;
    return valid;
}

enum st search_run(const struct kernels *k, int threads, const struct search_problem *problems, int count,
                   struct search_result *out, struct search **made, struct err *err)
{
    enum st st = ST_OK;
    struct search *s = NULL;
    for (int c = 0; c < count; c++)
        BUG_IF(!is_valid(&problems[c], &problems[0], k) || problems[c].on_device != problems[0].on_device);
    NEW(s, 1, "the candidate search");
    *s = (struct search){.kernels = k, .threads = threads, .count = count};
    NEW(s->problem, count, "the candidate search");
    memcpy(s->problem, problems, (size_t)count * sizeof *problems);
    if (k->search) TRY(k->search->run(threads, s->problem, count, out, &s->session, err));
    if (!s->session && count && problems[0].on_device)
        FAIL(ST_LIMIT, "the candidate search of counts in GPU memory does not fit that memory; plan fewer cliques at "
                       "once");
    for (int c = 0; c < count && !s->session; c++) TRY(run_operations(s, &s->problem[c], &out[c], err));
    *made = TAKE(s);
done:
    search_free(s);
    return st;
}

enum st search_assign(struct search *s, int problem, enum search_kind kind, const uint32_t *order, uint64_t count,
                      uint64_t *room, uint8_t *owner, uint64_t *held, struct err *err)
{
    enum st st = ST_OK;
    BUG_IF(problem < 0 || problem >= s->count || count > s->problem[problem].n || (!order && !s->session));
    const struct search_problem *p = &s->problem[problem];
    if (s->session) return s->kernels->search->assign(s->session, problem, kind, count, room, owner, held, err);
    struct cslp_problem c = {p->gpus,      p->hot[kind], order, count, kind == SEARCH_TOPOLOGY ? p->indptr : NULL,
                             p->row_bytes, p->n};
    st = s->kernels->cslp(s->threads, &c, room, owner, held, err);
done:
    return st;
}

struct search_facts search_facts(const struct search *s)
{
    struct search_facts f = {.resident = false};
    if (s->session) s->kernels->search->facts(s->session, &f);
    return f;
}

void search_free(struct search *s)
{
    if (!s) return;
    if (s->session) s->kernels->search->free(s->session);
    mem_free(s->problem);
    mem_free(s);
}

uint64_t search_device_bytes(const struct search_problem *p)
{
    uint64_t preference = p->gpus == 1 ? 0 : p->gpus <= 8 ? 1 : 8 * (((uint64_t)p->gpus + 63) / 64);
    return p->n * (8 + SEARCH_KINDS * (2 * 8 + 2 * 4 + preference)) +
           ((uint64_t)p->variants * ((uint64_t)p->steps + 1)) * sizeof(struct sweep_point);
}
