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

static enum st choose(const struct study *s, uint64_t each, struct thin *t, struct err *err)
{
    const struct graph *g = s->o.graph;
    const uint64_t n = g->n / each;
    t->graph = *g;
    MAKE(t->id, n, "a sample of rows");
    MAKE(t->indptr, n + 1, "a sample of rows");
    for (uint64_t i = 0; i < n; i++) {
        t->id[i] = i * each + rng_hash(s->o.workload.seed, STREAM_THIN, i) % each;
        t->indptr[i + 1] = t->indptr[i] + (int64_t)graph_degree(g, t->id[i]);
    }
    t->graph.n = n;
    t->graph.m = (uint64_t)t->indptr[n];
    t->graph.indptr = t->indptr;
    t->graph.indices = NULL;
    t->graph.weights = NULL;
    t->bytes = (double)graph_total_bytes(&t->graph) / (double)graph_total_bytes(g);
    return ST_OK;
}

static struct count_row counts(const struct thin *t, struct count_row from, int threads, uint32_t **room)
{
    uint32_t *to = *room;
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < t->graph.n; i++) to[i] = count_at(from, t->id[i]);
    *room += t->graph.n;
    return count_row_wide(to);
}

static double sum_of(struct count_row r, uint64_t n, int threads)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
    for (uint64_t v = 0; v < n; v++) sum += count_at(r, v);
    return (double)sum;
}

/* How much more all rows are than those that are left; each: where nothing of them was counted. */
static double times_of(double all, double left, uint64_t each) { return left > 0 ? all / left : (double)each; }

static enum st count(const struct study *s, const struct trace *from, uint64_t each, struct thin *t, struct err *err)
{
    const uint64_t n = t->graph.n, arrays = (uint64_t)from->assignment.gpus * (2 + (uint64_t)from->workload.hops);
    const int threads = s->o.threads;
    double all = 0, left = 0;
    MAKE(t->counts, arrays * n, "a sample of counts");
    uint32_t *room = t->counts;
    t->trace = *from;
    t->trace.n = n;
    t->trace.folds = 0;
    memset(t->trace.owned, 0, sizeof t->trace.owned);
    memset(t->trace.mapped, 0, sizeof t->trace.mapped);
    memset(t->trace.kept, 0, sizeof t->trace.kept);
    memset(t->trace.kept_folds, 0, sizeof t->trace.kept_folds);
    for (int g = 0; g < from->assignment.gpus; g++) {
        t->trace.topology[g] = counts(t, from->topology[g], threads, &room);
        t->trace.feature[g] = counts(t, from->feature[g], threads, &room);
        for (int h = 0; h < from->workload.hops; h++)
            t->trace.visits[h][g] = counts(t, from->visits[h][g], threads, &room);
        const double rows = sum_of(from->feature[g], from->n, threads), few = sum_of(t->trace.feature[g], n, threads);
        t->times.rows[g] = times_of(rows, few, each);
        t->times.lists[g] = times_of(sum_of(from->topology[g], from->n, threads),
                                     sum_of(t->trace.topology[g], n, threads), each);
        all += rows;
        left += few;
    }
    t->times.all = times_of(all, left, each);
    t->times.each = (double)from->n / (double)n;
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

static enum st estimate(const struct study_recording *r, struct thin *t, struct err *err)
{
    const int cliques = r->trace->assignment.cliques;
    MAKE(t->rates, 4 * (uint64_t)cliques * t->graph.n, "a sample of rates");
    float *room = t->rates;
    for (int c = 0; c < cliques; c++) {
        const struct estimates *from = &r->estimates[RATE_CALIBRATED][c];
        struct estimates *to = &t->recording.estimates[RATE_CALIBRATED][c];
        to->topology = rates(t, from->topology, &room);
        to->feature = rates(t, from->feature, &room);
        to->visits = rates(t, from->visits, &room);
        to->rows = rates(t, from->rows, &room);
        to->readers = from->readers;
        estimates_drop_pages(from);
    }
    t->recording.estimates_known[RATE_CALIBRATED] = true;
    return ST_OK;
}

void thin_attach(const struct study *s, const struct study_recording *r, struct thin *t)
{
    struct study_recording *to = &t->recording;
    to->key = r->key;
    to->workload = r->workload;
    to->trace = &t->trace;
    to->partition = r->partition;
    to->epochs = r->epochs;
    to->load = r->load;
    t->study = *s;
    t->study.o.graph = &t->graph;
    t->study.keeps_sides = false;
    t->study.thin = &t->times;
}

enum st thin_make(const struct study *s, const struct study_recording *r, uint64_t each, struct thin *out,
                  struct err *err)
{
    PASS(choose(s, each, out, err));
    PASS(count(s, r->trace, each, out, err));
    PASS(estimate(r, out, err));
    thin_attach(s, r, out);
    return ST_OK;
}

uint64_t thin_bytes(uint64_t rows, uint64_t gpus, uint64_t hops, uint64_t cliques)
{
    return 4 * rows * (gpus * (2 + hops) + 4 * cliques + 4);
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
    mem_free(t->counts);
    mem_free(t->rates);
    memset(t, 0, sizeof *t);
}
