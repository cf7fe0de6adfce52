#include "planner/policies/mixed.h"

#include <string.h>

#include "base/mem.h"
#include "planner/policies/density.h"
#include "traces/recording/trace_rows.h"

enum { EXACTLY = 0x80, UNSEEN = 1 /* rows without expected reads take what is left over */ };

struct mixing {
    const struct policy_input *in;
    struct plan *plan;
    uint64_t items;
    uint64_t *key;   /* [2 items] steps: an item enters, an item is upgraded */
    uint32_t *order; /* [count] steps */
    uint8_t *held;   /* [items] 1 + GPU; EXACTLY */
    uint64_t count, *room;
    int gpu[GPUS_MAX], gpus; /* of the clique */
};

/* What one read of a row costs when it is rounded, in transactions. */
static double loss_of(const struct policy_input *in, uint64_t item)
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

static struct form form_of(const struct policy_input *in, int table, uint64_t row)
{
    const struct row_table x = graph_table(in->graph, table);
    struct form f = {.bytes = row_table_bytes(in->graph, &x, row)};
    f.all = f.bytes;
    if (x.cached == PRECISION_HOST) return f;
    double lines = (double)graph_row_lines(in->graph, table, row, in->server->line_bytes);
    f.rounds = true;
    f.all = x.row_bytes;
    f.loss = loss_of(in, x.first + row);
    f.allowed = lines > f.loss;
    f.first_exact = !f.allowed || (lines - f.loss) * (double)f.all <= lines * (double)f.bytes;
    return f;
}

static void set_keys(struct mixing *m, int clique)
{
    const struct graph *g = m->in->graph;
    const struct estimates *e = &m->in->estimates[clique];
    uint64_t rows = graph_topology_rows(g);
    memset(m->key, 0, 2 * m->items * sizeof *m->key);
    for (int t = 0; t < graph_tables(g); t++) {
        const struct row_table x = graph_table(g, t);
        if (!graph_table_there(g, t)) continue;
#pragma omp parallel for num_threads(m->in->threads) if (x.count >= ROWS_PARALLEL)
        for (uint64_t i = 0; i < x.count; i++) {
            struct form f = form_of(m->in, t, i);
            uint64_t item = x.first + i;
            bool topology = x.kind == ROWS_TOPOLOGY;
            double saved = topology ? (double)e->topology[item] : (double)e->feature[item - rows],
                   lost = saved > 0 && f.allowed && f.rounds ? (double)e->rows[item - rows] * f.loss : 0;
            if (!f.rounds || f.first_exact) {
                m->key[item] = density_key(saved, f.all) | UNSEEN;
                continue;
            }
            m->key[item] = density_key(saved - lost, f.bytes) | UNSEEN;
            m->key[m->items + item] = density_key(lost, f.all - f.bytes);
        }
    }
}

/* Sorts the steps, densest first, ties to the lower number: entering comes before upgrading. */
static enum st sort_steps(struct mixing *m, struct err *err)
{
    enum st st = ST_OK;
    uint64_t steps = 2 * m->items, n = 0, *few = NULL;
    OWNED uint32_t *chosen = NULL;
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
    mem_free(few);
    return st;
}

static struct form form_at(const struct mixing *m, uint64_t item)
{
    int t = graph_table_of(m->in->graph, item);
    return form_of(m->in, t, item - graph_table(m->in->graph, t).first);
}

static int choose(const struct mixing *m, uint64_t item, uint64_t bytes)
{
    return density_hottest_for(m->in, m->gpu, m->gpus, item, bytes, m->room);
}

/* Whether the item found room. Where it would enter exactly and does not fit, it may still fit rounded. */
static bool enter(struct mixing *m, uint64_t item)
{
    struct form f = form_at(m, item);
    uint64_t bytes = f.first_exact ? f.all : f.bytes;
    uint8_t how = f.rounds && f.first_exact ? EXACTLY : 0;
    int g = choose(m, item, bytes);
    if (g < 0 && how && f.allowed) {
        bytes = f.bytes;
        how = 0;
        g = choose(m, item, bytes);
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
    if (m->room[at] < f.all - f.bytes) to = choose(m, item, f.all);
    if (to < 0) return false;
    m->room[at] += f.bytes;
    m->room[to] -= f.all;
    m->held[item] = (uint8_t)((1 + to) | EXACTLY);
    return true;
}

static enum st hold(const struct mixing *m, uint64_t item, struct err *err)
{
    const struct graph *graph = m->in->graph;
    struct placement *p = &m->plan->placement;
    int g = (m->held[item] & ~EXACTLY) - 1;
    PASS(placement_add(p, graph, g, item, err));
    if (m->held[item] & EXACTLY) PASS(placement_set_exact(p, graph, g, item - graph_topology_rows(graph), err));
    return ST_OK;
}

static enum st place_clique(struct mixing *m, int clique, struct err *err)
{
    uint64_t skipped = 0, taken = 0;
    m->gpus = 0;
    for (int g = 0; g < m->plan->assignment.gpus; g++)
        if (m->plan->assignment.clique_of[g] == clique) m->gpu[m->gpus++] = g;
    memset(m->held, 0, m->items);
    set_keys(m, clique);
    PASS(sort_steps(m, err));
    for (; taken < m->count && skipped < DENSITY_SKIPPED_MOST; taken++) {
        uint64_t step = m->order[taken], item = step % m->items;
        if (step >= m->items && !m->held[item]) continue; /* it never entered */
        skipped = (step < m->items ? enter(m, item) : upgrade(m, item)) ? 0 : skipped + 1;
    }
    for (uint64_t i = 0; i < taken; i++)
        if (m->order[i] < m->items && m->held[m->order[i]]) PASS(hold(m, m->order[i], err));
    return ST_OK;
}

static void state_price(const struct policy_input *in, struct plan *plan)
{
    const struct graph *graph = in->graph;
    uint64_t rounded = 0, exact = 0, rows = graph_topology_rows(graph);
    double error = 0;
    for (int g = 0; g < plan->placement.gpus; g++)
        for (uint64_t i = 0; i < plan->placement.feature[g].count; i++) {
            uint64_t row = plan->placement.feature[g].id[i];
            if (graph_table(graph, graph_table_of(graph, rows + row)).cached == PRECISION_HOST) continue;
            bool exactly = placement_row_exact(&plan->placement, g, row);
            exact += exactly;
            rounded += !exactly;
            if (!exactly)
                error += (double)in->estimates[plan->assignment.clique_of[g]].rows[row] * (double)in->error[rows + row];
        }
    doc *d = doc_object();
    doc_put(d, "price", doc_real(in->price));
    doc_put(d, "expected_error", doc_real(error));
    doc_put(d, "rounded_rows", doc_integer((int64_t)rounded));
    doc_put(d, "exact_rows", doc_integer((int64_t)exact));
    plan_state(plan, "error_price", d);
}

enum st mixed_place(const struct policy_input *in, struct plan *plan, struct err *err)
{
    uint64_t room[GPUS_MAX];
    struct mixing m = {.in = in, .plan = plan, .items = graph_items(in->graph), .room = room};
    enum st st = ST_OK;
    memcpy(room, plan->budget, sizeof room);
    if (m.items >= UINT32_MAX / 2)
        FAIL(ST_LIMIT, "--error-price: the graph has %llu rows of all kinds; at most %u can have two forms",
             (unsigned long long)m.items, UINT32_MAX / 2);
    NEW(m.key, 2 * m.items, "densities");
    NEW(m.held, m.items, "places of rows");
    for (int c = 0; c < plan->assignment.cliques; c++) TRY(place_clique(&m, c, err));
    state_price(in, plan);
    density_set_alpha(in, plan);
done:
    mem_free(m.key);
    mem_free(m.order);
    mem_free(m.held);
    return st;
}
