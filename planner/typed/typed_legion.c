/* typed_legion.c - Legion's placement over rows of unequal size (declared in typed_policy.h). V_T and V_F of the
 * paper's cost model are the longest prefixes of both orders whose bytes fit their parts of the budget. */
#include <string.h>

#include "base/mem.h"
#include "planner/typed/typed_policy.h"

enum { STEPS = 100 };

/* One order, by hotness. */
struct ranking {
    uint32_t *order; /* owned */
    uint64_t count;
    uint64_t *key;           /* [items] hotness + 1 on the rows of its kinds, else 0; owned */
    unsigned __int128 total; /* cost with nothing held: features in transactions, topology in draws */
};

static void ranking_free(struct ranking *r)
{
    mem_free(r->order);
    mem_free(r->key);
    memset(r, 0, sizeof *r);
}

/* ceil(row / line), as the paper has it; a draw for topology. */
static uint64_t unit_of(const struct typed_input *in, uint64_t item)
{
    const struct row_table *t = &in->rows->table[graph_table_of(in->rows, item)];
    return t->kind == ROWS_TOPOLOGY ? 1 : (t->row_bytes + in->line_bytes - 1) / in->line_bytes;
}

static enum st rank_rows(const struct typed_input *in, const struct plan *plan, int clique, bool topology,
                         struct ranking *out, struct err *err)
{
    enum st st = ST_OK;
    struct ranking r = {0};
    NEW(r.key, graph_items(in->rows), "hotness");
    for (int t = 0; t < in->rows->tables; t++) {
        const struct row_table *x = &in->rows->table[t];
        if ((x->kind == ROWS_TOPOLOGY) != topology || (!topology && !x->row_bytes)) continue;
        for (uint64_t i = x->first; i < x->first + x->count; i++) {
            uint64_t sum = 0;
            for (int g = 0; g < plan->assignment.gpus; g++)
                if (plan->assignment.clique_of[g] == clique) sum += typed_heat(in, g, i);
            r.key[i] = sum + 1;
            r.total += (unsigned __int128)sum * unit_of(in, i);
        }
    }
    TRY(typed_order(in, r.key, &r.order, &r.count, err));
    *out = r;
    memset(&r, 0, sizeof r);
done:
    ranking_free(&r);
    return st;
}

/* Walks an order as the room grows. */
struct walk {
    uint64_t at, bytes;
    unsigned __int128 saved;
};

static void advance(const struct typed_input *in, const struct ranking *r, uint64_t room, struct walk *w)
{
    for (; w->at < r->count; w->at++) {
        uint64_t item = r->order[w->at];
        int t = graph_table_of(in->rows, item);
        uint64_t bytes = graph_row_bytes(in->rows, t, item - in->rows->table[t].first);
        if (w->bytes + bytes > room) return;
        w->bytes += bytes;
        w->saved += (unsigned __int128)(r->key[item] - 1) * unit_of(in, item);
    }
}

/* The step of alpha with the fewest transactions; ties to the smaller one. held[step]: rows of the prefixes. */
static int sweep(const struct typed_input *in, const struct ranking *t, const struct ranking *f, uint64_t n_tsum,
                 uint64_t budget, uint64_t held_t[STEPS + 1], uint64_t held_f[STEPS + 1])
{
    double left_t[STEPS + 1], left_f[STEPS + 1];
    struct walk w = {0}, x = {0};
    int best = 0;
    for (int i = 0; i <= STEPS; i++) {
        uint64_t m_t = (uint64_t)((unsigned __int128)budget * (unsigned)i / STEPS),
                 m_f = budget - (uint64_t)((unsigned __int128)budget * (unsigned)(STEPS - i) / STEPS);
        advance(in, t, m_t, &w);
        advance(in, f, m_f, &x);
        held_t[i] = w.at;
        held_f[STEPS - i] = x.at;
        left_t[i] = t->total ? (double)n_tsum * (1 - (double)w.saved / (double)t->total) : 0;
        left_f[STEPS - i] = (double)(f->total - x.saved);
    }
    for (int i = 1; i <= STEPS; i++)
        if (left_t[i] + left_f[i] < left_t[best] + left_f[best]) best = i;
    return best;
}

static enum st place_clique(const struct typed_input *in, int clique, struct plan *plan, uint64_t *room,
                            struct err *err)
{
    struct ranking t = {0}, f = {0};
    uint64_t held_t[STEPS + 1], held_f[STEPS + 1], budget = 0;
    enum st st;
    for (int g = 0; g < plan->assignment.gpus; g++)
        budget += plan->assignment.clique_of[g] == clique ? plan->budget[g] : 0;
    TRY(rank_rows(in, plan, clique, true, &t, err));
    TRY(rank_rows(in, plan, clique, false, &f, err));
    int best = sweep(in, &t, &f, in->trace->n_tsum[clique], budget, held_t, held_f);
    TRY(typed_fill(in, t.order, held_t[best], clique, plan, room, err));
    TRY(typed_fill(in, f.order, held_f[best], clique, plan, room, err));
    doc_append(doc_get(plan->stated, "alpha"), doc_real((double)best / STEPS));
done:
    ranking_free(&t);
    ranking_free(&f);
    return st;
}

enum st typed_place_legion(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                           struct err *err)
{
    uint64_t room[GPUS_MAX];
    enum st st = ST_OK;
    (void)verdict;
    memcpy(room, plan->budget, sizeof room);
    plan_state(plan, "alpha", doc_array());
    for (int c = 0; c < plan->assignment.cliques; c++) TRY(place_clique(in, c, plan, room, err));
done:
    return st;
}
