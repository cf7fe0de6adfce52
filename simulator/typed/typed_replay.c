#include "simulator/typed/typed_replay.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

/* The mini-batches of a GPU are counted in this many groups; the variance between groups gives the interval. */
enum { GROUPS = 8 };

void typed_replay_release(struct typed_replay *r)
{
    mem_free(r->reads);
    mem_free(r->bytes);
    memset(r, 0, sizeof *r);
}

/* ---- counts of one group of mini-batches ---- */

struct counts {
    struct typed_counts c;
    uint32_t *block; /* [cells] all of them */
    uint64_t cells;
};

static enum st counts_new(const struct graph *g, const struct typed_workload *w, struct counts *k, struct err *err)
{
    enum st st = ST_OK;
    uint32_t *at;
    k->cells = (uint64_t)(w->hops + 1) * g->n + g->topology_rows * (w->together ? 2 : 1) + g->edge_rows;
    NEW(k->block, k->cells, "the simulator's counts");
    at = k->block;
    for (int h = 0; h < w->hops; h++, at += g->n) k->c.visits[h] = at;
    k->c.lines = at;
    k->c.feature = at + g->topology_rows;
    k->c.edge = g->edge_rows ? k->c.feature + g->n : NULL;
    k->c.drawn = w->together ? k->c.feature + g->n + g->edge_rows : NULL;
done:
    return st;
}

static void counts_clear(struct counts *k)
{
    memset(k->block, 0, k->cells * sizeof *k->block);
    k->c.total_lines = 0;
}

/* What one row of a table was read. */
struct row_count {
    uint64_t reads, lines, draws; /* lines: transactions of all reads with nothing cached */
    uint64_t bytes, cached;       /* useful bytes of all reads, from the host and from GPUs */
};

static struct row_count count_row(const struct graph *rows, const struct typed_workload *w,
                                  const struct typed_counts *c, int table, uint64_t row, uint64_t line_bytes)
{
    const struct row_table *t = &rows->table[table];
    struct row_count out = {0, 0, 0, 0, 0};
    if (t->kind == ROWS_TOPOLOGY) {
        const struct graph_relation *r = &rows->relation[t->of];
        for (int h = 0; h < w->hops; h++) {
            uint64_t visits = typed_row_visits(rows, w, c->visits[h], t->of, h, row);
            out.reads += visits;
            if (visits && !c->drawn) out.draws += visits * typed_draws(w, t->of, h, relation_degree(r, row));
        }
        if (c->drawn) out.draws = c->drawn[t->first + row];
        out.bytes = out.cached = 16 * out.reads + 4 * out.draws;
        out.lines = c->lines[t->first + row];
        return out;
    }
    out.reads = t->kind == ROWS_FEATURE ? c->feature[t->first - rows->topology_rows + row]
                                        : c->edge[rows->relation[t->of].first_edge + row];
    out.lines = out.reads ? out.reads * graph_row_lines(rows, table, row, line_bytes) : 0;
    out.bytes = out.reads * t->row_bytes;
    out.cached = out.reads * t->cached_bytes;
    return out;
}

/* ---- tallies ---- */

struct tally {
    const struct typed_replay_request *r;
    const struct typed_workload *w;
    const struct placement *p;
    const uint8_t *where; /* [items] with SERVED_EXACT */
    int reader;
    struct typed_reads *reads; /* [tables] */
    uint64_t *bytes;           /* [gpus + 1] */
};

/* Who serves topology where GPUs do not sample: 0 the host, else 1 + the position of the first sampler. */
static int sampled_by(const struct placement *p)
{
    for (int g = 0; p->access == ACCESS_SAMPLERS && g < p->gpus; g++)
        if (p->topology[g].count) return 1 + g; /* samplers come first */
    return 0;
}

/* Adds one table's rows. */
static void tally_table(const struct tally *x, const struct typed_counts *c, int table)
{
    const struct graph *rows = x->r->rows;
    const struct row_table *t = &rows->table[table];
    uint64_t own = 0, peer = 0, host = 0, cost = 0, all = 0, draws = 0, exact = 0, bytes[GPUS_MAX + 1] = {0};
    bool copied = t->kind == ROWS_TOPOLOGY && x->p->access != ACCESS_GPU;
    int gpus = x->p->gpus, sampler = sampled_by(x->p);
    if (!graph_table_there(rows, table)) return;
#pragma omp parallel for num_threads(x->r->threads) if (t->count >= ROWS_PARALLEL) reduction(+ : own, peer, host) \
    reduction(+ : cost, all, draws, exact, bytes[:GPUS_MAX + 1])
    for (uint64_t row = 0; row < t->count; row++) {
        struct row_count n = count_row(rows, x->w, c, table, row, x->r->line_bytes);
        int found = x->where[t->first + row], from = copied ? sampler : found & ~SERVED_EXACT;
        if (!n.reads) continue;
        all += n.lines;
        draws += n.draws;
        bytes[from ? from - 1 : gpus] += from && !(found & SERVED_EXACT) ? n.cached : n.bytes;
        exact += found & SERVED_EXACT ? n.reads : 0;
        if (!from) {
            host += n.reads;
            cost += n.lines;
        } else if (from - 1 == x->reader) own += n.reads;
        else peer += n.reads;
    }
    x->reads[table].reads[TYPED_OWN] += own;
    x->reads[table].reads[TYPED_PEER] += peer;
    x->reads[table].reads[TYPED_HOST] += host;
    x->reads[table].draws += draws;
    if (t->cached != PRECISION_HOST) x->reads[table].rounded += own + peer - exact;
    x->reads[table].uncached += all;
    if (!copied) x->reads[table].transactions += cost;
    else x->reads[table].transactions = (8 * x->reads[table].draws + x->r->line_bytes - 1) / x->r->line_bytes;
    for (int s = 0; s <= gpus; s++) x->bytes[s] += bytes[s];
}

static uint64_t transactions_of(const struct typed_reads *reads, int tables)
{
    uint64_t sum = 0;
    for (int t = 0; t < tables; t++) sum += reads[t].transactions;
    return sum;
}

/* ---- the interval ---- */

struct spread {
    double sum, squares;
    int groups;
};

/* Variance of the sum of all groups, from the variance between them; negative when there are fewer than two. */
static double spread_variance(const struct spread *s)
{
    if (s->groups < 2) return -1;
    double mean = s->sum / s->groups, between = (s->squares - s->groups * mean * mean) / (s->groups - 1);
    return between > 0 ? between * s->groups : 0;
}

static void set_interval(const struct spread *spreads, const struct assignment *a, struct typed_replay *out)
{
    double variance = 0, sum = 0, epochs = (double)out->epochs;
    int freedom = 0;
    out->interval_known = true;
    for (int g = 0; g < a->gpus; g++) {
        if (!a->train_count[g]) continue;
        double v = spread_variance(&spreads[g]);
        out->interval_known &= v >= 0;
        variance += v;
        freedom += spreads[g].groups - 1;
        sum += (double)transactions_of(out->reads + (size_t)g * (size_t)out->tables, out->tables);
    }
    if (freedom < 1) out->interval_known = false;
    if (!out->interval_known) return;
    double half = (1.96 + 2.4 / freedom) * sqrt(variance) / epochs; /* Student's 97.5 % point, as in replay.c */
    out->low = sum / epochs > half ? sum / epochs - half : 0;
    out->high = sum / epochs + half;
}

/* ---- the pass ---- */

struct pass {
    const struct typed_replay_request *r;
    struct typed_workload *w; /* with the seed of the replay */
    struct typed_sampler *s;
    struct counts k;
    struct progress bar;
};

static void pass_end(struct pass *x)
{
    progress_end(&x->bar);
    typed_sampler_free(x->s);
    mem_free(x->k.block);
    mem_free(x->w);
}

static enum st pass_begin(const struct typed_replay_request *r, struct pass *x, struct err *err)
{
    enum st st = ST_OK;
    uint64_t tasks = 0;
    x->r = r;
    NEW(x->w, 1, "the workload of the replay");
    *x->w = *r->workload;
    x->w->seed = r->seed;
    for (int g = 0; g < r->assignment->gpus; g++)
        tasks += typed_batches(x->w, r->assignment->train_count[g]) * r->epochs;
    progress_begin(&x->bar, "simulating", tasks, r->progress);
    TRY(counts_new(r->rows, x->w, &x->k, err));
    TRY(typed_sampler_new(r->rows, x->w, r->line_bytes, r->threads, &x->s, err));
done:
    return st;
}

/* Draws tasks from..to of the current GPU into the counts, which are set anew. */
static void draw_group(struct pass *x, uint64_t from, uint64_t to)
{
    counts_clear(&x->k);
    typed_sampler_run(x->s, from, to, &x->k.c);
    progress_add(&x->bar, to - from);
}

static enum st run_gpu(struct pass *x, int g, const struct placement *const *p, int count, uint8_t *const *where,
                       struct typed_replay *out, struct spread *spreads, struct err *err)
{
    enum st st;
    const struct assignment *a = x->r->assignment;
    int tables = x->r->rows->tables;
    TRY(typed_sampler_gpu(x->s, a->id[g], a->train[g], a->train_count[g], x->r->epochs, err));
    uint64_t tasks = typed_sampler_batches(x->s) * x->r->epochs, groups = tasks < GROUPS ? tasks : GROUPS;
    for (int i = 0; i < count; i++) {
        placement_locate_items(p[i], g, x->r->rows, where[i]);
        placement_locate_exact(p[i], where[i] + graph_topology_rows(x->r->rows));
    }
    for (uint64_t j = 0; j < groups; j++) {
        uint64_t from = tasks * j / groups, to = tasks * (j + 1) / groups;
        draw_group(x, from, to);
        for (int i = 0; i < count; i++) {
            struct typed_reads *reads = out[i].reads + (size_t)g * (size_t)tables;
            uint64_t before = transactions_of(reads, tables);
            struct tally y = {x->r, x->w, p[i], where[i], g, reads, out[i].bytes + (size_t)g * (size_t)(a->gpus + 1)};
            for (int t = 0; t < tables; t++) tally_table(&y, &x->k.c, t);
            double here = (double)(transactions_of(reads, tables) - before) / (double)(to - from) * (double)tasks /
                          (double)groups;
            struct spread *s = &spreads[i * GPUS_MAX + g];
            s->sum += here;
            s->squares += here * here;
            s->groups++;
        }
    }
done:
    return st;
}

enum st typed_replay_run(const struct typed_replay_request *r, const struct placement *const *placements, int count,
                         struct typed_replay *out, struct err *err)
{
    enum st st = ST_OK;
    struct pass x = {.w = NULL};
    struct spread *spreads = NULL;
    uint8_t **where = NULL;
    int gpus = r->assignment->gpus, tables = r->rows->tables;
    NEW(where, count, "the simulator's look-up");
    NEW(spreads, (uint64_t)count * GPUS_MAX, "the simulator's sums");
    for (int i = 0; i < count; i++) {
        NEW(where[i], graph_items(r->rows), "the simulator's look-up");
        out[i] = (struct typed_replay){.epochs = r->epochs, .seed = r->seed, .gpus = gpus, .tables = tables};
        NEW(out[i].reads, (uint64_t)gpus * (uint64_t)tables, "the simulator's sums");
        NEW(out[i].bytes, (uint64_t)gpus * (uint64_t)(gpus + 1), "the simulator's sums");
    }
    TRY(pass_begin(r, &x, err));
    for (int g = 0; g < gpus; g++) TRY(run_gpu(&x, g, placements, count, where, out, spreads, err));
    for (int i = 0; i < count; i++) {
        set_interval(spreads + (size_t)i * GPUS_MAX, r->assignment, &out[i]);
        if (placements[i]->access != ACCESS_GPU)
            out[i].interval_known = false; /* blocks are rounded up once, not per group */
    }
done:
    pass_end(&x);
    for (int i = 0; where && i < count; i++) mem_free(where[i]);
    mem_free(where);
    mem_free(spreads);
    return st;
}

enum st typed_replay_benefit(const struct typed_replay_request *r, uint64_t *const *benefit, struct err *err)
{
    enum { STEP = 256 };
    enum st st;
    struct pass x = {.w = NULL};
    const struct assignment *a = r->assignment;
    TRY(pass_begin(r, &x, err));
    for (int g = 0; g < a->gpus; g++) {
        TRY(typed_sampler_gpu(x.s, a->id[g], a->train[g], a->train_count[g], r->epochs, err));
        uint64_t tasks = typed_sampler_batches(x.s) * r->epochs, *to = benefit[a->clique_of[g]];
        for (uint64_t at = 0; at < tasks; at += STEP) {
            draw_group(&x, at, at + STEP < tasks ? at + STEP : tasks);
            for (int t = 0; t < r->rows->tables; t++) {
                const struct row_table *table = &r->rows->table[t];
                if (!graph_table_there(r->rows, t)) continue;
#pragma omp parallel for num_threads(r->threads) if (table->count >= ROWS_PARALLEL)
                for (uint64_t row = 0; row < table->count; row++)
                    to[table->first + row] += count_row(r->rows, x.w, &x.k.c, t, row, r->line_bytes).lines;
            }
        }
    }
done:
    pass_end(&x);
    return st;
}

uint64_t typed_replay_transactions(const struct typed_replay *r, int table)
{
    uint64_t sum = 0;
    for (int g = 0; g < r->gpus; g++)
        for (int t = 0; t < r->tables; t++)
            if (table < 0 || t == table)
                sum += units_round_half_up(r->reads[(size_t)g * (size_t)r->tables + (size_t)t].transactions, r->epochs);
    return sum;
}

uint64_t typed_replay_default_epochs(const struct assignment *a, const struct typed_workload *w)
{
    enum { WANTED = 200, MOST = 8 };
    uint64_t batches = 0;
    for (int g = 0; g < a->gpus; g++) batches += typed_batches(w, a->train_count[g]);
    uint64_t epochs = batches ? (WANTED + batches - 1) / batches : 1;
    return epochs < 1 ? 1 : epochs > MOST ? MOST : epochs;
}
