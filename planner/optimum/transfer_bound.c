#include "planner/optimum/transfer_bound.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* ---- reads ---- */

/* Bytes of all rows that GPU g reads, rounded up row by row. */
static void add_reads(const struct transfer *t, int g, struct transfer_reads *r)
{
    uint64_t n = graph_topology_rows(t->items->graph), items = graph_items(t->items->graph), sum[2] = {0, 0};
#pragma omp parallel for num_threads(t->items->threads) reduction(+ : sum[:2])
    for (uint64_t x = 0; x < items; x++) sum[x < n] += (uint64_t)r->host[x * (uint64_t)t->gpus + (uint64_t)g] + 1;
    for (int topology = 0; topology < 2; topology++) r->sum[topology][g] = sum[topology];
}

enum st transfer_reads_make(const struct transfer *t, struct transfer_reads *out, struct err *err)
{
    OWNED_BY(transfer_reads_release) struct transfer_reads r = {0};
    uint64_t items = graph_items(t->items->graph);
    MAKE(r.host, items * (uint64_t)t->gpus, "reads of rows");
    MAKE(r.ratio, items, "reads of rows");
#pragma omp parallel for num_threads(t->items->threads)
    for (uint64_t x = 0; x < items; x++) {
        double host = 0, gpu = 0;
        struct transfer_bytes b[GPUS_MAX];
        transfer_bytes(t, x, b);
        for (int g = 0; g < t->gpus; g++) {
            r.host[x * (uint64_t)t->gpus + (uint64_t)g] = (float)b[g].host;
            host += b[g].host;
            gpu += b[g].gpu;
        }
        r.ratio[x] = host > 0 ? (float)(gpu / host) : 0;
    }
    for (int g = 0; g < t->gpus; g++) add_reads(t, g, &r);
    *out = r;
    memset(&r, 0, sizeof r);
    return ST_OK;
}

void transfer_reads_release(struct transfer_reads *r)
{
    mem_free(r->host);
    mem_free(r->ratio);
    memset(r, 0, sizeof *r);
}

/* ---- one row ---- */

/* Weighted seconds per byte of every path; INFINITY where a GPU does not read another. */
struct path_prices {
    double host[2][GPUS_MAX], gpu[2][GPUS_MAX][GPUS_MAX];
};

static void set_prices(const struct transfer *t, const double *weight, struct path_prices *p)
{
    for (int topology = 0; topology < 2; topology++)
        for (int g = 0; g < t->gpus; g++) {
            p->host[topology][g] = transfer_price(transfer_path(t, g, t->gpus, topology), weight);
            for (int j = 0; j < t->gpus; j++) {
                const struct transfer_path *path = transfer_path(t, g, j, topology);
                p->gpu[topology][g][j] = g == j || path->steps ? transfer_price(path, weight) : INFINITY;
            }
        }
}

/* Readers of a row, those that read most first. */
static void order_readers(const float *host, const struct transfer_island *is, int *order)
{
    for (int i = 0; i < is->gpus; i++) {
        int at = i, g = is->gpu[i];
        for (; at > 0 && host[order[at - 1]] < host[g]; at--) order[at] = order[at - 1];
        order[at] = g;
    }
}

/* What the island's readers of a row pay; charge: [gpus] of a copy, INFINITY where the row does not fit. */
static double paid(const struct path_prices *p, int topology, const float *host, double ratio,
                   const struct transfer_island *is, double *charge)
{
    int order[GPUS_MAX];
    double sum = 0;
    order_readers(host, is, order);
    for (int i = 0; i < is->gpus; i++) {
        int g = order[i];
        double reads = (double)host[g], pay = reads * p->host[topology][g];
        if (!(reads > 0)) break;
        for (int k = 0; k < is->gpus; k++)
            pay = fmin(pay, reads * ratio * p->gpu[topology][g][is->gpu[k]] + charge[is->gpu[k]]);
        for (int k = 0; k < is->gpus; k++) {
            int j = is->gpu[k];
            double more = pay - reads * ratio * p->gpu[topology][g][j];
            if (more > 0) charge[j] = more < charge[j] ? charge[j] - more : 0;
        }
        sum += pay;
    }
    return sum;
}

/* ---- all rows ---- */

enum { SCALE = 60 }; /* rows are added as integers, so that the order does not matter: in units of whole / 2^SCALE */

/* Every read from the host: an upper bound of the sum. */
static double all_from_host(const struct transfer_reads *r, int gpus, const struct path_prices *p)
{
    double whole = 0;
    for (int topology = 0; topology < 2; topology++)
        for (int g = 0; g < gpus; g++) whole += (double)r->sum[topology][g] * p->host[topology][g];
    return whole;
}

/* Sums of rows by island; islands do not share GPUs, so the bound falls into one part for each. parts: [islands]. */
static void add_rows(const struct transfer *t, const struct transfer_reads *r, const struct transfer_islands *is,
                     const uint64_t *budget, const struct path_prices *p, const double *price, double *parts)
{
    uint64_t n = graph_topology_rows(t->items->graph), items = graph_items(t->items->graph), sum[GPUS_MAX] = {0};
    double whole = all_from_host(r, t->gpus, p), unit = whole > 0 ? whole * pow(2, -SCALE) : 1;
#pragma omp parallel for num_threads(t->items->threads) reduction(+ : sum[:GPUS_MAX])
    for (uint64_t x = 0; x < items; x++) {
        double charge[GPUS_MAX];
        uint64_t bytes = items_bytes(t->items, x);
        const float *host = r->host + x * (uint64_t)t->gpus;
        for (int j = 0; j < t->gpus; j++) charge[j] = bytes <= budget[j] ? price[j] * (double)bytes : INFINITY;
        for (int i = 0; i < is->count; i++)
            sum[i] += (uint64_t)(paid(p, x < n, host, (double)r->ratio[x], &is->of[i], charge) / unit);
    }
    for (int i = 0; i < is->count; i++) {
        parts[i] = (double)sum[i] * unit;
        for (int k = 0; k < is->of[i].gpus; k++) {
            int j = is->of[i].gpu[k];
            parts[i] -= price[j] * (double)budget[j];
        }
    }
}

/* ---- prices ---- */

/* Weighted seconds per byte at which no row of the reads is worth holding. */
static double top_price(const struct transfer *t, const struct transfer_reads *r, const double *weight)
{
    double most = 0, dearest = 0;
    for (uint64_t x = 0; x < graph_items(t->items->graph); x++) {
        double host = 0;
        for (int g = 0; g < t->gpus; g++) host += (double)r->host[x * (uint64_t)t->gpus + (uint64_t)g];
        most = fmax(most, host / (double)items_bytes(t->items, x));
    }
    for (int topology = 0; topology < 2; topology++)
        for (int g = 0; g < t->gpus; g++)
            dearest = fmax(dearest, transfer_price(transfer_path(t, g, t->gpus, topology), weight));
    return most * dearest;
}

/* The search for the best price of every island at once: each part is concave in its price. */
struct price_search {
    const struct transfer *t;
    const struct transfer_reads *r;
    const struct transfer_islands *is;
    const uint64_t *budget;
    const struct path_prices *paths;
    double best[GPUS_MAX]; /* [islands] */
};

/* Parts at one price per island. */
static void at_prices(struct price_search *s, const double *of_island, double *parts)
{
    double price[GPUS_MAX] = {0};
    for (int i = 0; i < s->is->count; i++)
        for (int k = 0; k < s->is->of[i].gpus; k++) price[s->is->of[i].gpu[k]] = of_island[i];
    add_rows(s->t, s->r, s->is, s->budget, s->paths, price, parts);
    for (int i = 0; i < s->is->count; i++) s->best[i] = fmax(s->best[i], parts[i]);
}

enum st transfer_bound(const struct transfer *t, const struct transfer_reads *r, const uint64_t *budget,
                       const double *weight, double *seconds, struct err *err)
{
    enum { STEPS = 18 };
    static const double GOLDEN = 0.6180339887498949, DEEPEST = 20; /* in powers of e below the top */
    enum st st = ST_OK;
    ON_HEAP(struct path_prices, p);
    struct transfer_islands *is = NULL;
    double low[GPUS_MAX], high[GPUS_MAX], a[GPUS_MAX], b[GPUS_MAX], at[GPUS_MAX] = {0}, left[GPUS_MAX], right[GPUS_MAX];
    NEW(is, 1, "GPUs that reach each other");
    transfer_islands(t, is);
    set_prices(t, weight, p);
    struct price_search s = {t, r, is, budget, p, {0}};
    double top = top_price(t, r, weight);
    at_prices(&s, at, left); /* free memory */
    for (int i = 0; i < is->count; i++) {
        high[i] = log(top > 0 ? top : 1);
        low[i] = high[i] - DEEPEST;
        a[i] = exp(high[i] - GOLDEN * DEEPEST);
        b[i] = exp(low[i] + GOLDEN * DEEPEST);
    }
    at_prices(&s, a, left);
    at_prices(&s, b, right);
    for (int k = 0; k < STEPS; k++) {
        bool down[GPUS_MAX];
        for (int i = 0; i < is->count; i++) {
            down[i] = left[i] > right[i];
            if (down[i]) {
                high[i] = log(b[i]);
                b[i] = a[i];
                right[i] = left[i];
            } else {
                low[i] = log(a[i]);
                a[i] = b[i];
                left[i] = right[i];
            }
            at[i] = exp(down[i] ? high[i] - GOLDEN * (high[i] - low[i]) : low[i] + GOLDEN * (high[i] - low[i]));
        }
        double now[GPUS_MAX];
        at_prices(&s, at, now);
        for (int i = 0; i < is->count; i++)
            if (down[i]) {
                a[i] = at[i];
                left[i] = now[i];
            } else {
                b[i] = at[i];
                right[i] = now[i];
            }
    }
    *seconds = 0;
    for (int i = 0; i < is->count; i++) *seconds += s.best[i];
done:
    mem_free(is);
    return st;
}
