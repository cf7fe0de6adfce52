/* typed_bound.c - a lower bound on the expected transactions of any placement (declared in typed_policy.h).
 *
 * What a clique holds takes bytes of one budget, and a row saves the same wherever in the clique it lies. So for any
 * price of a byte p >= 0, no placement saves more than p * budget + sum over rows of max(0, saved - p * bytes)
 * (Lagrange). The price of the row at which the density order runs out of budget gives the optimum of the fractional
 * problem; any other price gives a valid bound, too, so rounding cannot make it wrong. Where GPUs read those of other
 * cliques, the same argument holds for patterns of copies (planner/optimum/bound.h). */
#include "base/mem.h"
#include "planner/optimum/bound.h"
#include "planner/optimum/optimum.h"
#include "planner/optimum/optimum_glpk.h"
#include "planner/policies/density.h"
#include "planner/typed/typed_optimum.h"

static double density_of(const struct typed_input *in, const struct typed_estimates *e, uint64_t item)
{
    int t = graph_table_of(in->rows, item);
    return (double)e->saved[item] / (double)graph_row_bytes(in->rows, t, item - in->rows->table[t].first);
}

/* The density of the first row that does not fit any more; 0 when all do. */
static enum st find_price(const struct typed_input *in, const struct typed_estimates *e, uint64_t budget, double *price,
                          struct err *err)
{
    enum st st = ST_OK;
    uint64_t *key = NULL, count = 0, held = 0;
    uint32_t *order = NULL;
    *price = 0;
    NEW(key, graph_items(in->rows), "densities");
    for (int t = 0; t < in->rows->tables; t++) {
        const struct row_table *x = &in->rows->table[t];
        if (!graph_table_there(in->rows, t)) continue;
        for (uint64_t i = 0; i < x->count; i++)
            key[x->first + i] = density_key((double)e->saved[x->first + i], graph_row_bytes(in->rows, t, i));
    }
    TRY(typed_order(in, key, &order, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        int t = graph_table_of(in->rows, order[i]);
        held += graph_row_bytes(in->rows, t, order[i] - in->rows->table[t].first);
        if (held <= budget) continue;
        *price = density_of(in, e, order[i]);
        break;
    }
done:
    mem_free(key);
    mem_free(order);
    return st;
}

/* Transactions that the clique leaves at least. */
static double left_at(const struct typed_input *in, const struct typed_estimates *e, uint64_t budget, double price)
{
    double all = 0, most = price * (double)budget;
    for (int t = 0; t < in->rows->tables; t++) {
        const struct row_table *x = &in->rows->table[t];
        if (!graph_table_there(in->rows, t)) continue;
        for (uint64_t i = 0; i < x->count; i++) {
            double saved = (double)e->saved[x->first + i],
                   over = saved - price * (double)graph_row_bytes(in->rows, t, i);
            all += saved;
            most += over > 0 ? over : 0;
        }
    }
    return all > most ? all - most : 0;
}

/* Cliques that share no memory: one price each. prices: [cliques] or NULL. */
static enum st bound_cliques(const struct typed_input *in, const struct plan *plan, double *prices, double *out,
                             struct err *err)
{
    enum st st = ST_OK;
    double sum = 0, price;
    for (int c = 0; c < plan->assignment.cliques; c++) {
        uint64_t budget = 0;
        for (int g = 0; g < plan->assignment.gpus; g++)
            budget += plan->assignment.clique_of[g] == c ? plan->budget[g] : 0;
        TRY(find_price(in, &in->estimates[c], budget, &price, err));
        sum += left_at(in, &in->estimates[c], budget, price);
        prices[c] = price;
    }
    *out = sum;
done:
    return st;
}

/* GPUs that read other cliques: prices of the block program, or without GLPK those of the cliques, which prove less. */
static enum st bound_reach(const struct typed_input *in, const struct reach *r, const double *of_clique, double *out,
                           struct err *err)
{
    static const struct optimum_options options = {.objective = OBJECTIVE_TOTAL};
    struct typed_items rows;
    struct optimum x = {0};
    struct bound b;
    double price[SERVER_GPUS_MAX] = {0}, weight[SERVER_GPUS_MAX];
    enum st st;
    typed_items_make(in, r->cliques, &rows);
    for (int g = 0; g < r->gpus; g++) {
        price[r->pool_of[g]] = of_clique[r->clique_of[g]];
        weight[g] = 1;
    }
    TRY(bound_at(r, &rows.items, price, weight, &b, err));
    *out = b.value;
    if (!glpk_solver()) goto done;
    TRY(optimum_solve(r, &rows.items, &options, &x, err));
    if (x.bound > *out) *out = x.bound;
done:
    optimum_release(&x, r->components);
    return st;
}

enum st typed_bound(const struct typed_input *in, const struct plan *plan, double *out, struct err *err)
{
    double prices[GPUS_MAX];
    struct reach *r = NULL;
    enum st st = ST_OK;
    NEW(r, 1, "NVLink reachability");
    TRY(reach_make(in->server, plan->budget, false, PATTERNS_MAX, r, err));
    TRY(bound_cliques(in, plan, prices, out, err));
    if (r->components == r->cliques) goto done;
    if (!assignment_even(&plan->assignment))
        FAIL(ST_USAGE,
             "--bound: on graphs with several types it takes --deal clique or global where NVLinks join cliques, as "
             "those of server %s do",
             in->server->name);
    TRY(bound_reach(in, r, prices, out, err));
done:
    if (r) reach_release(r);
    mem_free(r);
    return st;
}
