/* typed_mixed.c - policy hotset where errors have a price: rows of rounded tables are held rounded, exactly or not at
 * all, in one knapsack (MODEL.md, section 7.2; declared in typed_policy.h).
 *
 * A read of a held row saves its lines l; of a rounded copy it also costs price x error c. Rounded it takes b bytes,
 * exactly B > b. Of the two choices the upper hull counts (the fractional optimum of a knapsack with classes, Sinha and
 * Zoltners 1979): if (l - c) / b > l / B, the row enters rounded at density r (l - c) / b, r its expected reads, and
 * may be upgraded at density r c / (B - b); otherwise it enters exactly at density r l / B. All steps stand in one
 * order and are taken while there is room.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/policies/density.h"
#include "planner/typed/typed_policy.h"

enum { EXACTLY = 0x80, UNSEEN = 1 /* rows without expected reads take what is left over */ };

struct mixing {
    const struct typed_input *in;
    struct plan *plan;
    uint64_t *key;   /* [2 items] steps: an item enters, an item is upgraded */
    uint32_t *order; /* [count] steps */
    uint8_t *held;   /* [items] 1 + GPU; EXACTLY */
    uint64_t count, *room;
    int gpu[GPUS_MAX], gpus; /* of the clique */
};

/* What one read of a row costs when it is rounded, in transactions. */
static double loss_of(const struct typed_input *in, uint64_t item)
{
    double error = (double)in->error[item];
    return isinf(error) ? INFINITY : error > 0 ? in->price * error : 0; /* infinite price x no error: nothing is lost */
}

struct form {
    bool rounds;         /* of a table that is rounded */
    bool first_exact;    /* enters exactly */
    bool allowed;        /* may be held rounded */
    uint64_t bytes, all; /* rounded, exactly */
    double loss;
};

static struct form form_of(const struct typed_input *in, int table, uint64_t row)
{
    const struct row_table *x = &in->rows->table[table];
    struct form f = {.bytes = graph_row_bytes(in->rows, table, row)};
    f.all = f.bytes;
    if (x->cached == PRECISION_HOST) return f;
    double lines = (double)graph_row_lines(in->rows, table, row, in->line_bytes);
    f.rounds = true;
    f.all = x->row_bytes;
    f.loss = loss_of(in, x->first + row);
    f.allowed = lines > f.loss;
    f.first_exact = !f.allowed || (lines - f.loss) * (double)f.all <= lines * (double)f.bytes;
    return f;
}

static void set_keys(struct mixing *m, int clique)
{
    const struct graph *rows = m->in->rows;
    const struct typed_estimates *e = &m->in->estimates[clique];
    memset(m->key, 0, 2 * graph_items(rows) * sizeof *m->key);
    for (int t = 0; t < rows->tables; t++) {
        const struct row_table *x = &rows->table[t];
        if (!graph_table_there(rows, t)) continue;
#pragma omp parallel for num_threads(m->in->threads) if (x->count >= ROWS_PARALLEL)
        for (uint64_t i = 0; i < x->count; i++) {
            struct form f = form_of(m->in, t, i);
            uint64_t item = x->first + i;
            double saved = (double)e->saved[item], lost = saved > 0 && f.allowed ? (double)e->reads[item] * f.loss : 0;
            if (!f.rounds || f.first_exact) {
                m->key[item] = density_key(saved, f.all) | UNSEEN;
                continue;
            }
            m->key[item] = density_key(saved - lost, f.bytes) | UNSEEN;
            m->key[graph_items(rows) + item] = density_key(lost, f.all - f.bytes);
        }
    }
}

/* Sorts the steps, densest first, ties to the lower number: entering comes before upgrading. */
static enum st sort_steps(struct mixing *m, struct err *err)
{
    enum st st = ST_OK;
    uint64_t steps = 2 * graph_items(m->in->rows), n = 0, *few = NULL;
    uint32_t *chosen = NULL;
    mem_free(m->order);
    m->order = NULL;
    for (uint64_t i = 0; i < steps; i++) n += m->key[i] > 0;
    NEW(chosen, n, "an order of rows");
    NEW(few, n, "an order of rows");
    NEW(m->order, n, "an order of rows");
    m->count = 0;
    for (uint64_t i = 0; i < steps; i++)
        if (m->key[i]) chosen[m->count++] = (uint32_t)i;
    for (uint64_t i = 0; i < n; i++) few[i] = m->key[chosen[i]];
    TRY(m->in->kernels->sort_hottest(m->in->threads, few, n, m->order, err));
    for (uint64_t i = 0; i < n; i++) m->order[i] = chosen[m->order[i]];
done:
    mem_free(chosen);
    mem_free(few);
    return st;
}

static struct form form_at(const struct mixing *m, uint64_t item)
{
    int t = graph_table_of(m->in->rows, item);
    return form_of(m->in, t, item - m->in->rows->table[t].first);
}

/* Whether the item found room. Where it would enter exactly and does not fit, it may still fit rounded. */
static bool enter(struct mixing *m, uint64_t item)
{
    struct form f = form_at(m, item);
    uint64_t bytes = f.first_exact ? f.all : f.bytes;
    uint8_t how = f.rounds && f.first_exact ? EXACTLY : 0;
    int g = typed_choose_gpu(m->in, m->gpu, m->gpus, item, bytes, m->room);
    if (g < 0 && how && f.allowed) {
        bytes = f.bytes;
        how = 0;
        g = typed_choose_gpu(m->in, m->gpu, m->gpus, item, bytes, m->room);
    }
    if (g < 0) return false;
    m->room[g] -= bytes;
    m->held[item] = (uint8_t)((1 + g) | how);
    return true;
}

/* Whether the held item is exact now: where it lies, or on another GPU. */
static bool upgrade(struct mixing *m, uint64_t item)
{
    struct form f = form_at(m, item);
    int at = m->held[item] - 1, to = at;
    if (m->room[at] < f.all - f.bytes) to = typed_choose_gpu(m->in, m->gpu, m->gpus, item, f.all, m->room);
    if (to < 0) return false;
    m->room[at] += f.bytes;
    m->room[to] -= f.all;
    m->held[item] = (uint8_t)((1 + to) | EXACTLY);
    return true;
}

static enum st place_clique(struct mixing *m, int clique, struct err *err)
{
    uint64_t items = graph_items(m->in->rows), skipped = 0, taken = 0;
    enum st st;
    m->gpus = typed_gpus_of(m->plan, clique, m->gpu);
    memset(m->held, 0, items);
    set_keys(m, clique);
    TRY(sort_steps(m, err));
    for (; taken < m->count && skipped < DENSITY_SKIPPED_MOST; taken++) {
        uint64_t step = m->order[taken], item = step % items;
        if (step >= items && !m->held[item]) continue; /* it never entered */
        skipped = (step < items ? enter(m, item) : upgrade(m, item)) ? 0 : skipped + 1;
    }
    for (uint64_t i = 0; i < taken; i++) {
        uint64_t item = m->order[i];
        if (item >= items || !m->held[item]) continue;
        int g = (m->held[item] & ~EXACTLY) - 1;
        TRY(placement_add(&m->plan->placement, m->in->rows, g, item, err));
        if (m->held[item] & EXACTLY)
            TRY(placement_set_exact(&m->plan->placement, m->in->rows, g, item - graph_topology_rows(m->in->rows), err));
    }
done:
    return st;
}

/* error_price{price, expected_error, rounded_rows, exact_rows} of the plan. */
static void state_price(const struct typed_input *in, struct plan *plan)
{
    uint64_t rounded = 0, exact = 0;
    double error = 0;
    for (int g = 0; g < plan->placement.gpus; g++)
        for (uint64_t i = 0; i < placement_count(&plan->placement, g); i++) {
            uint64_t item = placement_item(&plan->placement, in->rows, g, i);
            if (in->rows->table[graph_table_of(in->rows, item)].cached == PRECISION_HOST) continue;
            if (placement_exact(&plan->placement, in->rows, g, item)) {
                exact++;
                continue;
            }
            rounded++;
            error += (double)in->estimates[plan->assignment.clique_of[g]].reads[item] * (double)in->error[item];
        }
    doc *d = doc_object();
    doc_put(d, "price", doc_real(in->price));
    doc_put(d, "expected_error", doc_real(error));
    doc_put(d, "rounded_rows", doc_integer((int64_t)rounded));
    doc_put(d, "exact_rows", doc_integer((int64_t)exact));
    plan_state(plan, "error_price", d);
}

enum st typed_place_mixed(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                          struct err *err)
{
    uint64_t room[GPUS_MAX];
    struct mixing m = {.in = in, .plan = plan, .room = room};
    enum st st = ST_OK;
    (void)verdict;
    memcpy(room, plan->budget, sizeof room);
    if (graph_items(in->rows) >= UINT32_MAX / 2)
        FAIL(ST_LIMIT, "--error-price: the graph has %llu rows of all kinds; at most %u can have two forms",
             (unsigned long long)graph_items(in->rows), UINT32_MAX / 2);
    NEW(m.key, 2 * graph_items(in->rows), "densities");
    NEW(m.held, graph_items(in->rows), "places of rows");
    for (int c = 0; c < plan->assignment.cliques; c++) TRY(place_clique(&m, c, err));
    state_price(in, plan);
done:
    mem_free(m.key);
    mem_free(m.order);
    mem_free(m.held);
    return st;
}
