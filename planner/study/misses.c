#include "planner/study/misses.h"

#include "base/cacheline.h"
#include "base/mem.h"
#include "planner/hotness/reader_shares.h"

/* True when all GPUs of the clique read from the clique and from nobody else. *readers: its GPUs. */
static bool misses_shared(const struct plan *plan, int clique, uint64_t *readers)
{
    const struct assignment *a = &plan->assignment;
    bool alike = true;
    *readers = 0;
    for (int g = 0; g < a->gpus; g++) *readers += a->clique_of[g] == clique;
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique) continue;
        alike &= (uint64_t)plan->placement.peers[g] == *readers - 1;
        for (int i = 0; i < plan->placement.peers[g]; i++) alike &= a->clique_of[plan->placement.peer[g][i]] == clique;
    }
    return alike;
}

/* Which rows of one kind the readers of a clique miss. */
struct marks {
    uint64_t *bits[GPUS_MAX]; /* [n / 64 + 1] of reader i; owned */
    int reader[GPUS_MAX], readers;
};

static void marks_release(struct marks *k)
{
    for (int i = 0; i < k->readers; i++) mem_free(k->bits[i]);
}

static enum st marks_make(const struct plan *plan, int clique, bool trainers, bool alike, uint64_t n, struct marks *k,
                          struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &plan->assignment;
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique || (trainers && !a->train_count[g]) || (alike && k->readers)) continue;
        k->reader[k->readers] = g;
        NEW(k->bits[k->readers], n / 64 + 1, "marks of rows that are missed");
        k->readers++;
    }
done:
    return st;
}

static void mark(const uint8_t *at, uint64_t n, int threads, uint64_t *bits)
{
#pragma omp parallel for num_threads(threads)
    for (uint64_t word = 0; word <= n / 64; word++) {
        uint64_t end = n - 64 * word < 64 ? n - 64 * word : 64, set = 0;
        for (uint64_t i = 0; i < end; i++) set |= (uint64_t)!at[64 * word + i] << i;
        bits[word] = set;
    }
}

/* The shares of those that miss row v, added up. */
static uint32_t missed_by(const struct marks *k, uint64_t v, const struct trace *t, const struct reader_rates *rates,
                          int clique, bool topology)
{
    uint64_t count[GPUS_MAX], any = 0;
    uint32_t share[GPUS_MAX], sum = 0;
    for (int i = 0; i < k->readers; i++) any |= k->bits[i][v / 64] >> v % 64 & 1;
    if (!any) return 0;
    if (t) reader_shares_counted(t, rates, clique, topology, count, reader_counts(t, topology, v, count), share);
    for (int i = 0; i < k->readers; i++)
        if (k->bits[i][v / 64] >> v % 64 & 1) sum += t ? share[k->reader[i]] : 1;
    return sum;
}

/* t: NULL: a share of 1 each. One pass for all readers: their shares follow from the same counts, which may have to
 * come from a disk; in stretches, so that not all of them lie in memory. */
static void add_up(const struct marks *k, uint64_t n, const struct trace *t, const struct reader_rates *rates,
                   int clique, bool topology, int threads, uint16_t *missed)
{
    for (uint64_t from = 0; from < n; from += TRACE_STRETCH) {
        uint64_t to = n - from < TRACE_STRETCH ? n : from + TRACE_STRETCH;
#pragma omp parallel for num_threads(threads)
        for (uint64_t v = from; v < to; v++) missed[v] = (uint16_t)missed_by(k, v, t, rates, clique, topology);
        if (t) trace_drop_pages(t);
    }
}

enum st misses_find(const struct plan *plan, const struct trace *t, int clique, const struct reader_rates *rates,
                    bool trainers, int threads, uint8_t *at, struct misses *m, struct err *err)
{
    enum st st;
    const struct placement *p = &plan->placement;
    struct marks k = {0};
    uint64_t all, n = t->n;
    bool alike = misses_shared(plan, clique, &all), even = alike || assignment_even(&plan->assignment);
    TRY(marks_make(plan, clique, trainers, alike, n, &k, err));
    for (int topology = 0; topology < 2; topology++) {
        for (int i = 0; i < k.readers; i++) {
            placement_locate(p, k.reader[i], topology ? p->topology : p->feature, n, at);
            mark(at, n, threads, k.bits[i]);
        }
        add_up(&k, n, even ? NULL : t, rates, clique, topology, threads, topology ? m->topology : m->feature);
    }
    m->all = !k.readers ? 0 : even ? (uint64_t)k.readers : READER_UNITS;
done:
    marks_release(&k);
    return st;
}

void misses_by_fold(const struct graph *g, const struct trace *t, const struct visit_costs *costs, int clique,
                    const struct misses *m, int threads, uint64_t *left)
{
    for (int f = 0; f < t->folds; f++) {
        const struct count_row rows = trace_fold(t, clique, f, 0);
        uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
        for (uint64_t v = 0; v < g->n; v++) {
            if (!count_at(rows, v)) continue;
            if (m->feature[v])
                sum += (uint64_t)m->feature[v] *
                           ((uint64_t)count_at(rows, v) * cachelines_of_feature(v, g->row_bytes, t->line_bytes))
                       << 10;
            for (int h = 0; h < t->workload.hops && m->topology[v]; h++)
                sum += m->topology[v] *
                       (uint64_t)((float)count_at(trace_fold(t, clique, f, 1 + h), v) * costs->cost[h][v] * 1024);
        }
        left[f] += sum / m->all;
        trace_drop_pages(t);
    }
}
