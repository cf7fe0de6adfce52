#include "simulator/replay/replay_sample.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "kernels/kernel.h"

/* Arrays of counts of the sample: features, lists, every hop, and draws where they are counted. */
static uint64_t arrays_of(const struct workload *w) { return 2 + (uint64_t)w->hops + workload_counts_draws(w); }

uint64_t replay_sample_bytes(const struct graph *g, uint64_t rows, const struct workload *w)
{
    return g->n + rows * (sizeof(uint32_t) * arrays_of(w) + 2 * sizeof(uint64_t));
}

static enum st open_sessions(struct sampled *s, const struct tally_problem *whole, struct err *err)
{
    struct tally_problem all = *whole, some = *whole;
    all.placements = 1;
    all.where = s->where + (ptrdiff_t)2 * s->placements;
    some.n = s->r->sample->rows;
    some.indptr = s->r->sample->indptr;
    some.placements = s->placements + 1;
    some.where = s->where;
    all.on_device = some.on_device = false;
    PASS(kernels_cpu.tally->open(s->r->threads, &all, &s->whole, err));
    return kernels_cpu.tally->open(s->r->threads, &some, &s->part, err);
}

enum st sampled_begin(const struct replay_request *r, const struct tally_problem *whole, uint8_t *const *where,
                      int placements, struct sampled *out, struct err *err)
{
    const uint64_t rows = r->sample->rows;
    *out = (struct sampled){.r = r, .placements = placements, .sources = whole->sources};
    MAKE(out->counts, rows * arrays_of(r->workload), "a sample of counts");
    MAKE(out->feature, rows, "a sample of counts");
    MAKE(out->lists, rows, "a sample of counts");
    MAKE(out->host, r->graph->n, "the simulator's look-up");
    MAKE(out->where, 2 * (placements + 1), "the simulator's look-up");
    MAKE(out->few, placements + 1, "the simulator's sums");
    for (int i = 0; i < 2 * placements; i++) out->where[i] = where[i];
    for (int i = 2 * placements; i < 2 * placements + 2; i++) out->where[i] = out->host;
    const uint32_t *at = out->counts; /* as sampled_add fills it */
    out->group.feature = at;
    out->group.lines = at += rows;
    for (int h = 0; h < r->workload->hops; h++) out->group.visits[h] = at += rows;
    if (workload_counts_draws(r->workload)) out->group.draws = at + rows;
    return open_sessions(out, whole, err);
}

static void take(const struct replay_sample *of, const uint32_t *from, uint32_t *to, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < of->rows; i++) to[i] = from[of->id[i]];
}

enum st sampled_add(struct sampled *s, const struct sample_counts *c, struct tally_hops *hops, struct err *err)
{
    struct tally_hops ignored = {{0}, {0}, 0};
    struct tally_counts all = {.feature = c->feature, .lines = c->lines, .draws = c->draws};
    const int threads = s->r->threads, counted = s->r->workload->hops;
    const struct replay_sample *of = s->r->sample;
    take(of, c->feature, s->counts, threads);
    take(of, c->lines, s->counts + of->rows, threads);
    for (int h = 0; h < counted; h++) {
        all.visits[h] = c->visits[h];
        take(of, c->visits[h], s->counts + (2 + (uint64_t)h) * of->rows, threads);
    }
    if (c->draws) take(of, c->draws, s->counts + (2 + (uint64_t)counted) * of->rows, threads);
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < of->rows; i++) {
        s->feature[i] += s->group.feature[i] *
                         cachelines_of_feature(of->id[i], s->r->graph->row_bytes, s->r->line_bytes);
        s->lists[i] += s->group.lines[i];
    }
    PASS(kernels_cpu.tally->add(s->whole, &all, &s->all, hops, err));
    return kernels_cpu.tally->add(s->part, &s->group, s->few, &ignored, err);
}

/* Rows of the graph per row of the sample. */
static double factor(const struct sampled *s) { return (double)s->r->graph->n / (double)s->r->sample->rows; }

uint64_t sampled_transactions(const struct sampled *s, int i)
{
    return (uint64_t)((double)(s->few[i].topology + s->few[i].feature) * factor(s));
}

/* A regression of what the host serves on what is read, row by row, both in transactions. */
struct line {
    double slope, error;   /* error: standard, of the sum of all rows */
    uint64_t read, missed; /* of the sample; missed: the host serves them */
};

/* reads: of each row; where: 0 where the host serves it. */
static struct line fit(const struct sampled *s, const uint64_t *reads, const uint8_t *where)
{
    const double n = (double)s->r->sample->rows, all = (double)s->r->graph->n;
    double squares = 0, missed_squares = 0;
    struct line l = {.slope = 1};
    for (uint64_t i = 0; i < s->r->sample->rows; i++) {
        const uint64_t x = reads[i], host = where[i] ? 0 : x;
        squares += (double)x * (double)x;
        missed_squares += (double)host * (double)x;
        l.read += x;
        l.missed += host;
    }
    if (!(squares > 0)) return l;
    l.slope = missed_squares / squares;
    const double left = (double)l.missed - l.slope * (double)l.read,
                 residuals = l.slope * (squares - missed_squares) - left * left / n;
    l.error = sqrt(all * (all - n) / n * fmax(0, residuals) / fmax(1, n - 1));
    return l;
}

/* Sums by source: the host's by the regression, the rest as it divides in the sample. */
static void enlarge(const struct sampled *s, double slope, uint64_t all, uint64_t of_sample, const uint64_t *few,
                    uint64_t *out)
{
    const double f = factor(s), host = f * (double)few[0] + slope * ((double)all - f * (double)of_sample);
    uint64_t cached = 0;
    int most = 1; /* gets what rounding leaves */
    for (int k = 1; k < s->sources; k++) {
        cached += few[k];
        most = few[k] > few[most] ? k : most;
    }
    out[0] = !cached || host >= (double)all ? all : host > 0 ? (uint64_t)(host + 0.5) : 0;
    uint64_t left = all - out[0];
    for (int k = 1; k < s->sources; k++) {
        out[k] = cached ? (uint64_t)((unsigned __int128)(all - out[0]) * few[k] / cached) : 0;
        left -= out[k];
    }
    out[most] += left;
}

/* Transactions that the host serves of all. */
static uint64_t missed_of(const struct sampled *s, const struct line *l, uint64_t all)
{
    const uint64_t few[2] = {l->missed, l->read - l->missed};
    uint64_t out[2];
    struct sampled two = *s; /* the host and the rest */
    two.sources = 2;
    enlarge(&two, l->slope, all, l->read, few, out);
    return out[0];
}

double sampled_finish(const struct sampled *s, int i, struct tally_sums *out)
{
    const struct tally_sums *all = &s->all, *few = &s->few[i], *bare = &s->few[s->placements];
    const struct line lists = fit(s, s->lists, s->where[2 * i]), rows = fit(s, s->feature, s->where[2 * i + 1]);
    memset(out, 0, sizeof *out);
    enlarge(s, rows.slope, all->rows[0], bare->rows[0], few->rows, out->rows);
    enlarge(s, lists.slope, all->visits[0], bare->visits[0], few->visits, out->visits);
    enlarge(s, lists.slope, all->draws[0], bare->draws[0], few->draws, out->draws);
    enlarge(s, lists.slope, all->degrees[0], bare->degrees[0], few->degrees, out->degrees);
    enlarge(s, lists.slope, all->entries[0], bare->entries[0], few->entries, out->entries);
    out->lines = all->lines;
    out->topology = missed_of(s, &lists, all->lines);
    out->feature = missed_of(s, &rows, all->feature);
    return hypot(lists.error, rows.error);
}

void sampled_end(struct sampled *s)
{
    kernels_cpu.tally->close(s->whole);
    kernels_cpu.tally->close(s->part);
    mem_free(s->counts);
    mem_free(s->feature);
    mem_free(s->lists);
    mem_free(s->host);
    mem_free(s->where);
    mem_free(s->few);
    memset(s, 0, sizeof *s);
}
