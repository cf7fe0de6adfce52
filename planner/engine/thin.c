#include "planner/engine/thin.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

enum { STREAM_THIN = 0x7468696e };

extern const struct policy policy_hotset;

static uint64_t each_of(const struct study_options *o, uint64_t rows)
{
    const uint64_t each = o->graph->n / rows;
    bool all = o->all_deals || o->measured || o->lists || o->before || o->given || !graph_plain(o->graph);
    return all || each < 1 ? 1 : each;
}

uint64_t thin_each(const struct study *s) { return each_of(&s->o, THIN_ROWS); }

uint64_t thin_cell_each(const struct study_options *o, const struct policy *policy)
{
    const bool all = !o->sampled || o->checkpoint || o->bound || policy != &policy_hotset;
    return all ? 1 : each_of(o, THIN_CELL_ROWS);
}

double thin_cell_share(const struct study_options *o, const struct policy *policy)
{
    const uint64_t n = o->graph->n, each = thin_cell_each(o, policy);
    return each > 1 ? (double)(n / each) / (double)n : 1;
}

void thin_say(const struct call *call, double share)
{
    if (share < 1)
        call_say(call,
                 "one row in %.0f of this large graph is placed and simulated, for all of them; --exact takes all",
                 1 / share);
}

/* One in `each` rows of `from`. */
static enum st choose(const struct study *s, const struct graph *from, uint64_t each, struct thin *t, struct err *err)
{
    const uint64_t n = from->n / each;
    t->graph = *from;
    MAKE(t->id, n, "a sample of rows");
    MAKE(t->indptr, n + 1, "a sample of rows");
    for (uint64_t i = 0; i < n; i++) {
        t->id[i] = i * each + rng_hash(s->o.workload.seed, STREAM_THIN, i) % each;
        t->indptr[i + 1] = t->indptr[i] + (int64_t)graph_degree(from, t->id[i]);
    }
    t->graph.n = n;
    t->graph.m = (uint64_t)t->indptr[n];
    t->graph.indptr = t->indptr;
    t->graph.indices = NULL;
    t->graph.weights = NULL;
    t->bytes = (double)graph_total_bytes(&t->graph) / (double)graph_total_bytes(s->o.graph);
    t->times.each = (double)s->o.graph->n / (double)n;
    return ST_OK;
}

enum st thin_choose(const struct study *s, uint64_t each, struct thin *out, struct err *err)
{
    return choose(s, s->o.graph, each, out, err);
}

static double sum_of(struct count_row r, uint64_t n, int threads)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
    for (uint64_t v = 0; v < n; v++) sum += count_at(r, v);
    return (double)sum;
}

/* Sets how much more all rows are than those that are left; each: where nothing of them was counted. */
static void compare(const struct trace *all, const struct trace *few, int threads, struct thin_times *t)
{
    double rows = 0, left = 0;
    for (int g = 0; g < all->assignment.gpus; g++) {
        const double of_rows = all->sums ? (double)all->sums[g].feature : sum_of(all->feature[g], all->n, threads),
                     of_lists = all->sums ? (double)all->sums[g].topology : sum_of(all->topology[g], all->n, threads),
                     few_rows = sum_of(few->feature[g], few->n, threads),
                     few_lists = sum_of(few->topology[g], few->n, threads);
        t->rows[g] = few_rows > 0 ? of_rows / few_rows : t->each;
        t->lists[g] = few_lists > 0 ? of_lists / few_lists : t->each;
        rows += of_rows;
        left += few_rows;
    }
    t->all = left > 0 ? rows / left : t->each;
}

void thin_attach(const struct study *s, const struct trace *of, struct thin *t)
{
    if (of) compare(of, of, s->o.threads, &t->times);
    t->study = *s;
    t->study.o.graph = &t->graph;
    t->study.keeps_sides = false;
    t->study.thin = &t->times;
}

void thin_budget(const struct thin *t, const uint64_t *of, uint64_t *budget)
{
    for (int g = 0; g < GPUS_MAX; g++) budget[g] = (uint64_t)((double)of[g] * t->bytes);
}

void thin_enlarge(const struct thin *t, struct plan *p)
{
    for (int c = 0; c < p->assignment.cliques; c++) {
        p->clique[c].topology = (uint64_t)((double)p->clique[c].topology * t->times.all + 0.5);
        p->clique[c].feature = (uint64_t)((double)p->clique[c].feature * t->times.all + 0.5);
    }
}

struct replay_sample thin_sample(const struct thin *t)
{
    return (struct replay_sample){.rows = t->graph.n, .id = t->id, .indptr = t->indptr};
}

void thin_release(struct thin *t)
{
    mem_free(t->id);
    mem_free(t->indptr);
    memset(t, 0, sizeof *t);
}

/* ---- scouts ---- */

static struct count_row counts(const struct thin *t, struct count_row from, int threads, uint32_t **room)
{
    uint32_t *to = *room;
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < t->graph.n; i++) to[i] = count_at(from, t->id[i]);
    *room += t->graph.n;
    return count_row_wide(to);
}

static enum st count(const struct study *s, const struct trace *from, struct thin_scouts *of, struct err *err)
{
    struct thin *t = &of->thin;
    const uint64_t n = t->graph.n, arrays = (uint64_t)from->assignment.gpus * (2 + (uint64_t)from->workload.hops);
    const int threads = s->o.threads;
    MAKE(of->counts, arrays * n, "a sample of counts");
    uint32_t *room = of->counts;
    of->trace = *from;
    of->trace.n = n;
    of->trace.folds = 0;
    memset(of->trace.owned, 0, sizeof of->trace.owned);
    memset(of->trace.mapped, 0, sizeof of->trace.mapped);
    memset(of->trace.kept, 0, sizeof of->trace.kept);
    memset(of->trace.kept_folds, 0, sizeof of->trace.kept_folds);
    for (int g = 0; g < from->assignment.gpus; g++) {
        of->trace.topology[g] = counts(t, from->topology[g], threads, &room);
        of->trace.feature[g] = counts(t, from->feature[g], threads, &room);
        for (int h = 0; h < from->workload.hops; h++)
            of->trace.visits[h][g] = counts(t, from->visits[h][g], threads, &room);
    }
    compare(from, &of->trace, threads, &t->times);
    trace_drop_pages(from);
    return ST_OK;
}

static float *rates(const struct thin *t, const float *from, float **room)
{
    float *to = *room;
    for (uint64_t i = 0; i < t->graph.n; i++) to[i] = from[t->id[i]];
    *room += t->graph.n;
    return to;
}

static enum st estimate(const struct study_recording *r, struct thin_scouts *of, struct err *err)
{
    const struct thin *t = &of->thin;
    const int cliques = r->trace->assignment.cliques;
    MAKE(of->rates, 4 * (uint64_t)cliques * t->graph.n, "a sample of rates");
    float *room = of->rates;
    for (int c = 0; c < cliques; c++) {
        const struct estimates *from = &r->estimates[RATE_CALIBRATED][c];
        struct estimates *to = &of->recording.estimates[RATE_CALIBRATED][c];
        to->topology = rates(t, from->topology, &room);
        to->feature = rates(t, from->feature, &room);
        to->visits = rates(t, from->visits, &room);
        to->rows = rates(t, from->rows, &room);
        to->readers = from->readers;
        estimates_drop_pages(from);
    }
    of->recording.estimates_known[RATE_CALIBRATED] = true;
    return ST_OK;
}

enum st thin_scouts_make(const struct study *s, const struct study_recording *r, uint64_t each, struct thin_scouts *out,
                         struct err *err)
{
    const struct graph *from = r->thin ? &r->thin->graph : s->o.graph;
    const uint64_t fewer = each * from->n / s->o.graph->n;
    PASS(choose(s, from, fewer < 1 ? 1 : fewer, &out->thin, err));
    PASS(count(s, r->trace, out, err));
    PASS(estimate(r, out, err));
    thin_attach(s, NULL, &out->thin);
    struct study_recording *to = &out->recording;
    to->key = r->key;
    to->workload = r->workload;
    to->trace = &out->trace;
    to->partition = r->partition;
    to->epochs = r->epochs;
    to->load = r->load;
    return ST_OK;
}

void thin_scouts_release(struct thin_scouts *t)
{
    thin_release(&t->thin);
    mem_free(t->counts);
    mem_free(t->rates);
    memset(t, 0, sizeof *t);
}
