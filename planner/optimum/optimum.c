#include "planner/optimum/optimum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "planner/optimum/bound.h"
#include "planner/optimum/optimum_glpk.h"

enum { NODES = 4000, SINGLE_ITEMS_WHOLE = 64, COST_SCALE = 1000 };
static const double NEAR_ENOUGH = 1e-5, NEAR_QUICK = 1e-3; /* of the value: closer than any estimate is */
static const double HOPELESS = 0.02; /* of the value, where blocks cannot tell rows apart: a quick search ends */

/* The program while its columns are made. Rows: pools, links (only for the slowest), blocks. */
struct master {
    const struct reach *r;
    const struct blocks *blocks;    /* [components] */
    int first_row[SERVER_GPUS_MAX]; /* of an component's blocks */
    int local[SERVER_GPUS_MAX];     /* clique -> its position in the blocks of its component */
    bool slowest;
    int rows, link_row, z_row;
    double unit, scale; /* bytes and transactions in the program's measure */
    struct lp_columns columns;
    struct block_share *of; /* [columns] what a column stands for; component -1: z */
    int of_capacity;
    uint8_t *made[SERVER_GPUS_MAX];                         /* [blocks][patterns] */
    double price[SERVER_GPUS_MAX], weight[SERVER_GPUS_MAX]; /* of the last optimum */
};

enum objective objective_of(const char *word)
{
    if (word && !strcmp(word, "slowest")) return OBJECTIVE_SLOWEST;
    return word && (!strcmp(word, "epoch") || !strcmp(word, "time")) ? OBJECTIVE_EPOCH : OBJECTIVE_TOTAL;
}

/* ---- columns ---- */

/* Host reads of block b under pattern p, each group with its link's weight; link < 0: all, otherwise that link's
 * alone, unweighted. */
static double cost_of(const struct master *m, int component, int b, int p, int link)
{
    const struct component *comp_of = &m->r->component[component];
    const struct blocks *k = &m->blocks[component];
    double sum = 0;
    for (int i = 0; i < comp_of->groups; i++) {
        int q = comp_of->group[i], at = m->r->switch_of_group[q];
        double miss = comp_of->pattern[p].miss[i];
        if (miss > 0 && (link < 0 || link == at))
            sum += miss * k->rate[b * k->cliques + m->local[m->r->clique_of_group[q]]] * (link < 0 ? m->weight[at] : 1);
    }
    return sum;
}

static enum st remember(struct master *m, struct block_share s, struct err *err)
{
    enum st st = ST_OK;
    if (m->columns.count > m->of_capacity) {
        int more = 2 * m->columns.count + 1024;
        GROW(m->of, more, "columns of a linear program");
        m->of_capacity = more;
    }
    m->of[m->columns.count - 1] = s;
done:
    return st;
}

static enum st add_column(struct master *m, int component, int b, int p, struct err *err)
{
    const struct component *comp_of = &m->r->component[component];
    int row = m->first_row[component] + b;
    uint8_t *made = &m->made[component][b * comp_of->patterns + p];
    if (*made) return ST_OK;
    *made = 1;
    PASS(
        glpk_column_begin(&m->columns, m->slowest ? 0 : cost_of(m, component, b, p, -1) * m->scale, p ? -1 : row, err));
    PASS(remember(m, (struct block_share){component, b, p, 0}, err));
    for (int k = 0; k < m->r->pools; k++)
        if (comp_of->pattern[p].pools >> k & 1)
            PASS(glpk_column_entry(&m->columns, k, (double)m->blocks[component].bytes[b] / m->unit, err));
    for (int l = 0; m->slowest && l < m->r->links; l++) {
        double cost = cost_of(m, component, b, p, l);
        if (cost > 0) PASS(glpk_column_entry(&m->columns, m->link_row + l, cost * m->scale, err));
    }
    return glpk_column_entry(&m->columns, row, 1, err);
}

static enum st add_z(struct master *m, struct err *err)
{
    PASS(glpk_column_begin(&m->columns, 1, m->z_row, err));
    PASS(remember(m, (struct block_share){-1, 0, 0, 0}, err));
    for (int l = 0; l < m->r->links; l++) PASS(glpk_column_entry(&m->columns, m->link_row + l, -1, err));
    return ST_OK;
}

static double price_of(const struct master *m, pool_set pools)
{
    double sum = 0;
    for (int k = 0; k < m->r->pools; k++) sum += pools >> k & 1 ? m->price[k] : 0;
    return sum;
}

/* The pattern of block b that costs least at the present prices, and what it costs. */
static int cheapest(const struct master *m, int component, int b, const double *price, double *cost)
{
    int best = 0;
    double bytes = (double)m->blocks[component].bytes[b];
    for (int p = 0; p < m->r->component[component].patterns; p++) {
        double c = bytes * price[p];
        if (p && c >= *cost) continue;
        c += cost_of(m, component, b, p, -1);
        if (p && c >= *cost) continue;
        best = p;
        *cost = c;
    }
    return best;
}

static void take_duals(struct master *m, const double *dual)
{
    for (int k = 0; k < m->r->pools; k++) m->price[k] = dual[k] < 0 ? -dual[k] / (m->unit * m->scale) : 0;
    double sum = 0;
    for (int l = 0; m->slowest && l < m->r->links; l++)
        sum += m->weight[l] = dual[m->link_row + l] < 0 ? -dual[m->link_row + l] : 0;
    for (int l = 0; sum > 0 && l < m->r->links; l++) m->weight[l] /= sum;
}

static enum st price_columns(void *context, const double *dual, double objective, struct err *err)
{
    struct master *m = context;
    double cost = 0;
    (void)objective;
    OWNED_NEW(double, of_pattern, 2 * SERVER_GPUS_MAX * SERVER_GPUS_MAX, "prices of patterns");
    take_duals(m, dual);
    for (int i = 0; i < m->r->components; i++) {
        const struct component *component = &m->r->component[i];
        for (int p = 0; p < component->patterns; p++) of_pattern[p] = price_of(m, component->pattern[p].pools);
        for (int b = 0; b < m->blocks[i].count; b++) {
            if (b == m->blocks[i].too_large) continue;
            int p = cheapest(m, i, b, of_pattern, &cost);
            double now = dual[m->first_row[i] + b];
            if (cost * m->scale < now - 1e-9 - 1e-9 * fabs(now)) PASS(add_column(m, i, b, p, err));
        }
    }
    return ST_OK;
}

/* ---- set-up ---- */

/* Nothing held, and every single pool; small programs get every pattern. */
static enum st first_columns(struct master *m, bool all, struct err *err)
{
    for (int i = 0; i < m->r->components; i++)
        for (int b = 0; b < m->blocks[i].count; b++)
            for (int p = 0; p < m->r->component[i].patterns; p++) {
                pool_set s = m->r->component[i].pattern[p].pools;
                if (p && b == m->blocks[i].too_large) break;
                if (all || !(s & (s - 1))) PASS(add_column(m, i, b, p, err));
            }
    if (m->slowest) PASS(add_z(m, err));
    return ST_OK;
}

static void optimum_measure(struct master *m)
{
    double total = 0, budget = 0, link[SERVER_GPUS_MAX] = {0};
    m->link_row = m->r->pools;
    m->rows = m->link_row + (m->slowest ? m->r->links : 0);
    for (int i = 0; i < m->r->components; i++) {
        const struct blocks *k = &m->blocks[i];
        m->first_row[i] = m->rows;
        m->rows += k->count;
        for (int c = 0; c < k->cliques; c++) m->local[k->clique[c]] = c;
        for (int b = 0; b < k->count; b++) {
            for (int c = 0; c < k->cliques; c++) total += k->rate[b * k->cliques + c];
            for (int l = 0; m->slowest && l < m->r->links; l++) link[l] += cost_of(m, i, b, 0, l);
        }
    }
    for (int k = 0; k < m->r->pools; k++) budget += (double)m->r->budget[k];
    m->unit = budget > 0 ? budget / m->r->pools : 1;
    m->scale = total > 0 ? COST_SCALE / total : 1;
    m->z_row = m->link_row;
    for (int l = 0; m->slowest && l < m->r->links; l++)
        if (link[l] > link[m->z_row - m->link_row]) m->z_row = m->link_row + l;
    for (int l = 0; l < m->r->links; l++) m->weight[l] = m->slowest ? 1.0 / m->r->links : 1;
}

static enum st new_master(struct master *m, struct err *err)
{
    optimum_measure(m);
    for (int i = 0; i < m->r->components; i++)
        MAKE(m->made[i], m->blocks[i].count * m->r->component[i].patterns + 1, "marks of columns");
    return ST_OK;
}

static void release_master(struct master *m)
{
    lp_columns_release(&m->columns);
    mem_free(m->of);
    for (int i = 0; i < SERVER_GPUS_MAX; i++) mem_free(m->made[i]);
}

/* ---- the answer ---- */

static int by_block(const void *a, const void *b)
{
    const struct block_share *x = a, *y = b;
    if (x->component != y->component) return x->component < y->component ? -1 : 1;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

static enum st take_shares(const struct master *m, const struct lp_result *lp, struct optimum *optimum, struct err *err)
{
    MAKE(optimum->share, m->columns.count + 1, "shares of blocks");
    for (int j = 0; lp->feasible && j < m->columns.count; j++) {
        if (m->of[j].component < 0 || lp->value[j] < 1e-9) continue;
        optimum->share[optimum->shares] = m->of[j];
        optimum->share[optimum->shares++].share = lp->value[j];
    }
    qsort(optimum->share, (size_t)optimum->shares, sizeof *optimum->share, by_block);
    memcpy(optimum->price, m->price, sizeof optimum->price);
    memcpy(optimum->weight, m->weight, sizeof optimum->weight);
    optimum->value = lp->feasible ? lp->objective / m->scale : INFINITY;
    optimum->optimal = lp->optimal;
    return ST_OK;
}

static enum st solve(struct master *m, const struct optimum_options *o, struct optimum *optimum, struct err *err)
{
    enum st st = ST_OK;
    OWNED double *high = NULL;
    bool single = true;
    OWNED bool *equal = NULL;
    int items = 0;
    struct lp_result lp = {0};
    TRY(new_master(m, err));
    NEW(high, m->rows + 1, "rows of a linear program");
    NEW(equal, m->rows + 1, "rows of a linear program");
    for (int k = 0; k < m->r->pools; k++) high[k] = (double)m->r->budget[k] / m->unit;
    for (int i = 0; i < m->r->components; i++) {
        for (int b = 0; b < m->blocks[i].count; b++) {
            high[m->first_row[i] + b] = 1;
            equal[m->first_row[i] + b] = true;
        }
        single &= m->blocks[i].single;
        items += m->blocks[i].count;
    }
    bool small = single && items <= SINGLE_ITEMS_WHOLE;
    TRY(first_columns(m, small, err));
    struct lp_problem p = {.rows = m->rows,
                           .high = high,
                           .equal = equal,
                           .columns = &m->columns,
                           .price = price_columns,
                           .context = m,
                           .integer = small && !m->slowest,
                           .nodes = NODES,
                           .seconds = o->seconds,
                           .megabytes = o->megabytes};
    TRY(glpk_solve(&p, &lp, err));
    TRY(take_shares(m, &lp, optimum, err));
done:
    mem_free(lp.value);
    return st;
}

/* One program: blocks cut by the prices so far (NULL: by density), solved, and what its prices prove. */
static enum st stage(const struct reach *r, const struct items *items, const struct optimum_options *o, double seconds,
                     const double *price, const double *weight, double band, struct optimum *out, struct err *err)
{
    enum st st = ST_OK;
    struct optimum optimum = {0};
    struct optimum_options limited = *o;
    struct bound b;
    struct master *m = NULL;
    limited.seconds = seconds;
    NEW(m, 1, "a program");
    NEW(optimum.blocks, r->components, "blocks");
    for (int i = 0; i < r->components; i++) TRY(blocks_make(r, i, items, price, weight, band, &optimum.blocks[i], err));
    m->r = r;
    m->blocks = optimum.blocks;
    m->slowest = o->objective == OBJECTIVE_SLOWEST;
    TRY(solve(m, &limited, &optimum, err));
    TRY(bound_at(r, items, optimum.price, optimum.weight, &b, err));
    optimum.bound = b.value;
    optimum.whole = b.whole;
    *out = optimum;
    memset(&optimum, 0, sizeof optimum);
done:
    if (m) release_master(m);
    mem_free(m);
    optimum_release(&optimum, r->components);
    return st;
}

static bool all_single(const struct optimum *optimum, int components)
{
    bool single = true;
    for (int i = 0; i < components; i++) single &= optimum->blocks[i].single;
    return single;
}

/* Keeps the shares of the better program, and the prices of the better bound. Takes *next. */
static void keep_better(struct optimum *best, struct optimum *next, int components)
{
    struct optimum proof = best->bound > next->bound ? *best : *next;
    if (!best->blocks || next->value < best->value) {
        struct optimum other = *best;
        *best = *next;
        *next = other;
    }
    best->bound = proof.bound;
    best->whole = proof.whole;
    memcpy(best->price, proof.price, sizeof best->price);
    memcpy(best->weight, proof.weight, sizeof best->weight);
    optimum_release(next, components);
}

/* Whether a stage is the last, by how far the best value is from the best bound. */
static bool ends(const struct optimum_options *o, int stage, double gap, double value)
{
    enum { LOOKED_CLOSER = 2 }; /* the first stage whose blocks are cut by good prices */
    if (gap <= (o->quick ? NEAR_QUICK : NEAR_ENOUGH) * value) return true;
    return o->quick && stage >= LOOKED_CLOSER && gap > HOPELESS * value;
}

enum st optimum_solve(const struct reach *r, const struct items *items, const struct optimum_options *o,
                      struct optimum *out, struct err *err)
{
    enum { STAGES = 7 };
    static const double bands[STAGES] =
        {0, 4, 1, 0.5, 0.25, 0.1, 0.02}; /* of the price: each stage looks closer at the rows where it is close */
    enum st st = ST_OK;
    struct optimum best = {0}, next = {0};
    double until = clock_seconds() + o->seconds, price[SERVER_GPUS_MAX], weight[SERVER_GPUS_MAX];
    for (int i = 0; i < STAGES; i++) {
        double left = o->seconds > 0 ? until - clock_seconds() : 0;
        if (i && o->seconds > 0 && left <= 0) break;
        TRY(stage(r, items, o, left, i ? price : NULL, weight, bands[i], &next, err));
        memcpy(price, next.price, sizeof price);
        memcpy(weight, next.weight, sizeof weight);
        bool last = !next.optimal || all_single(&next, r->components);
        keep_better(&best, &next, r->components);
        if (last || ends(o, i, best.value - best.bound, best.value)) break;
    }
    *out = best;
    memset(&best, 0, sizeof best);
done:
    optimum_release(&best, r->components);
    optimum_release(&next, r->components);
    return st;
}

void optimum_release(struct optimum *optimum, int components)
{
    for (int i = 0; optimum->blocks && i < components; i++) blocks_release(&optimum->blocks[i]);
    mem_free(optimum->blocks);
    mem_free(optimum->share);
    memset(optimum, 0, sizeof *optimum);
}
