#include "planner/hotness/vip.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/push.h"
#include "traces/graph/rows.h"
#include "traces/sampling/seeds.h"

/* Logarithms in units of 2^-34; one row gives at most 16 (a miss of 1e-7), so that sums of 2^25 rows stay below
 * 2^63. */
enum { LOG_BITS = 34 };
static const double log_most = 16.0;

void vip_release(struct vip *v)
{
    mem_free(v->feature);
    mem_free(v->feature_noise);
    for (int h = 0; h < HOPS_MAX; h++) {
        mem_free(v->visits[h]);
        mem_free(v->visits_noise[h]);
    }
    memset(v, 0, sizeof *v);
}

/* Chances are kept in arrays of 64-bit integers, which hold the kernel's sums before and after. */
static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double number_in(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double chance_of(uint64_t degree, uint32_t fanout)
{
    return !degree ? 0 : degree <= fanout ? 1.0 : (double)fanout / (double)degree;
}

/* Layer-wise: the share of a frontier's entries that a hop draws, the frontier as large as expected; 0 for other
 * samplers. */
static double share_of(const struct graph *g, const struct workload *w, const uint64_t *mass, int hop)
{
    double entries = 0;
    if (!workload_layer_wise(w)) return 0;
    for (uint64_t v = 0; v < g->n; v++) entries += number_in(mass[v]) * (double)graph_degree(g, v);
    return entries > w->fanout[hop] ? w->fanout[hop] / entries : 1;
}

static inline uint64_t log_units(double chance)
{
    double amount = chance <= 0 ? 0 : chance >= 1 ? log_most : fmin(-log1p(-chance), log_most);
    return (uint64_t)(amount * 0x1p34);
}

/* ---- sums along the rows ---- */

/* What pushes values along rows: of a plain graph the PageRank kernel, else relation by relation. */
struct pushing {
    const struct graph *g;
    const struct workload *w;
    struct push *steps; /* of a plain graph */
    int threads;
};

static enum st pushing_open(const struct graph *g, const struct workload *w, const struct kernels *k, int threads,
                            struct pushing *out, struct err *err)
{
    *out = (struct pushing){g, w, NULL, threads};
    if (!graph_plain(g)) return ST_OK;
    const struct pagerank_problem p = {.n = g->n,
                                       .indptr = g->indptr,
                                       .indices = g->indices,
                                       .damping_permille = 1000}; /* base 0, no damping: plain sums along the rows */
    return push_open(k, threads, &p, &out->steps, err);
}

static void pushing_close(struct pushing *p)
{
    push_close(p->steps);
    p->steps = NULL;
}

/* What the row of vertex v in a relation pushes per entry; chance: of an entry to be drawn by a visit. */
typedef uint64_t units_of(const void *of, uint64_t v, double chance, uint64_t degree);

/* sum: [n], set: for each vertex what the rows that list it push. Integers: the order of adding does not matter. */
static void push_relations(const struct pushing *p, int hop, units_of *units, const void *of, uint64_t *sum)
{
    const struct graph *g = p->g;
    memset(sum, 0, g->n * sizeof *sum);
    for (int i = 0; i < g->relations; i++) {
        const struct graph_relation *r = &g->relation[i];
        uint64_t here = g->type[r->target].first, *to = sum + g->type[r->source].first;
        uint32_t fanout = workload_fanout(p->w, i, hop);
        if (!fanout) continue;
#pragma omp parallel for num_threads(p->threads) schedule(dynamic, 4096) if (r->rows >= ROWS_PARALLEL)
        for (uint64_t v = 0; v < r->rows; v++) {
            uint64_t degree = relation_degree(r, v), each = 0;
            if (degree) each = units(of, here + v, chance_of(workload_pool(g, p->w, i, v), fanout), degree);
            for (int64_t e = r->indptr[v]; each && e < r->indptr[v + 1]; e++) {
#pragma omp atomic
                to[r->indices[e]] += each;
            }
        }
    }
}

static uint64_t mass_units(const void *of, uint64_t v, double chance, uint64_t degree)
{
    (void)degree;
    return log_units(number_in(((const uint64_t *)of)[v]) * chance);
}

/* One hop: sum becomes what each vertex is pushed. share: of share_of; push: [n] room, may be what units reads. */
static enum st push_hop(const struct pushing *p, int hop, double share, units_of *units, const void *of, uint64_t *push,
                        uint64_t *sum, struct err *err)
{
    const struct graph *g = p->g;
    uint64_t change;
    if (!p->steps) {
        push_relations(p, hop, units, of, sum);
        return ST_OK;
    }
#pragma omp parallel for num_threads(p->threads)
    for (uint64_t v = 0; v < g->n; v++) { /* times the degree, because the kernel divides by it */
        uint64_t degree = graph_degree(g, v);
        push[v] = units(of, v, share > 0 ? share : chance_of(degree, p->w->fanout[hop]), degree) * degree;
    }
    return push_step(p->steps, push, sum, &change, err);
}

/* One hop: seen becomes the chance to be seen by then (layers: in how many layers until then). What the next hop
 * expands takes the place of sum. */
static void absorb(const struct graph *g, enum frontier_rule rule, int threads, double *seen, uint64_t *sum)
{
#pragma omp parallel for num_threads(threads)
    for (uint64_t v = 0; v < g->n; v++) {
        double missed = exp(-(double)sum[v] * 0x1p-34), after = 1 - (1 - seen[v]) * missed;
        if (rule == FRONTIER_LAYERS) after = seen[v] + 1 - missed;
        sum[v] = bits_of(rule == FRONTIER_ALL ? after : after - seen[v]);
        seen[v] = after;
    }
}

/* How often each vertex is an end point of the edges in the rows of train[count]. */
static void count_ends(const struct graph *g, const struct workload *w, const uint32_t *train, uint64_t count,
                       double *ends)
{
    const struct graph_csr csr = graph_csr(g, w->seed_relation);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t edges = seeds_row_edges(w, g, train[i]),
                 end = edges ? (uint64_t)csr.indptr[train[i] - csr.first_target + 1] : 0;
        ends[train[i]] += (double)edges;
        for (uint64_t e = end - edges; e < end; e++) ends[csr.first_source + csr.indices[e]] += 1;
    }
}

/* Turns the training edges at every vertex into its chance to be a seed of one of so many mini-batches: an end of one
 * of them, or a negative. */
static void set_seed_chances(const struct graph *g, const struct workload *w, double batches, double *seen)
{
    const struct graph_csr csr = graph_csr(g, w->seed_relation);
    double drawn = (double)w->batch * w->negatives / (double)csr.rows; /* the last mini-batch may be shorter */
    for (uint64_t v = 0; v < g->n; v++) {
        double expected = w->edge_share * seen[v] / batches + (v - csr.first_target < csr.rows ? drawn : 0);
        seen[v] = batches > 0 ? 1 - exp(-expected) : 0;
    }
}

/* Chance of each vertex to be a seed: 1 / batches on training vertices; of edge seeds, that one of its edges falls
 * into the mini-batch. Returns the mini-batches per epoch. */
static double start(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                    double *seen)
{
    uint64_t batches = 0;
    for (int i = 0; i < a->gpus; i++)
        if (clique < 0 || a->clique_of[i] == clique) batches += seeds_batches(w, g, a->train[i], a->train_count[i]);
    for (int i = 0; i < a->gpus && workload_edges(w); i++)
        if (clique < 0 || a->clique_of[i] == clique) count_ends(g, w, a->train[i], a->train_count[i], seen);
    if (workload_edges(w)) {
        set_seed_chances(g, w, (double)batches, seen);
        return (double)batches;
    }
    for (int i = 0; i < a->gpus; i++)
        for (uint64_t j = 0; (clique < 0 || a->clique_of[i] == clique) && j < a->train_count[i]; j++)
            seen[a->train[i][j]] = 1.0 / (double)batches;
    return (double)batches;
}

bool vip_knows(const struct workload *w)
{
    return !workload_temporal(w) && w->sampler != SAMPLER_BIASED && w->sampler != SAMPLER_WALK &&
           w->sampler != SAMPLER_LABOR;
}

/* The uniform workload that stands in for walks: as many neighbours as walks start from a vertex; walks may come back
 * to where they were. */
static struct workload uniform_like(const struct workload *w)
{
    struct workload like = *w;
    if (w->sampler != SAMPLER_WALK) return like;
    like.frontier = FRONTIER_ALL;
    for (int h = 0; h < w->hops; h++) {
        like.fanout[h] *= w->walks;
        for (int k = 0; k < w->lists; k++) like.list[k][h] *= w->walks;
    }
    return like;
}

enum st vip_compute(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                    const struct kernels *k, int threads, struct vip *out, struct err *err)
{
    OWNED_BY(vip_release) struct vip v = {0};
    struct workload like = uniform_like(w);
    OWNED double *seen = NULL;
    OWNED uint64_t *mass = NULL, *sum = NULL;
    OWNED_BY(pushing_close) struct pushing steps = {0};
    MAKE(seen, g->n, "inclusion probabilities");
    MAKE(mass, g->n, "inclusion probabilities");
    MAKE(sum, g->n, "inclusion probabilities");
    double batches = start(g, a, clique, &like, seen);
#pragma omp parallel for num_threads(threads)
    for (uint64_t u = 0; u < g->n; u++) mass[u] = bits_of(seen[u]);
    PASS(pushing_open(g, &like, k, threads, &steps, err));
    for (int h = 0; h < w->hops; h++) {
        MAKE(v.visits[h], g->n, "inclusion probabilities");
#pragma omp parallel for num_threads(threads)
        for (uint64_t u = 0; u < g->n; u++) v.visits[h][u] = (float)(batches * number_in(mass[u]));
        PASS(push_hop(&steps, h, share_of(g, w, mass, h), mass_units, mass, mass, sum, err));
        absorb(g, like.frontier, threads, seen, sum);
        uint64_t *spent = mass;
        mass = sum;
        sum = spent;
    }
    pushing_close(&steps);
    mem_free(sum);
    sum = NULL;
    MAKE(v.feature, g->n, "inclusion probabilities");
#pragma omp parallel for num_threads(threads)
    for (uint64_t u = 0; u < g->n; u++) v.feature[u] = (float)(batches * seen[u]);
    *out = v;
    memset(&v, 0, sizeof v);
    return ST_OK;
}

/* ---- noise ---- */

/* Values in units of 2^-30: an epoch has fewer than 2^32 visits of a vertex. */
static const double value_unit = 0x1p30, value_most = 0x1p32;

static inline uint64_t value_units(double value, uint64_t degree)
{
    return (uint64_t)(fmin(value, value_most / (double)(1 + degree)) * value_unit);
}

struct noise_room {
    double *visits, *variance, *all_visits, *all_variance;
    uint64_t *push, *sum[2]; /* of visits and of variance */
    struct pushing steps;
};

/* What a visit's draws add to the entries of its row: expected visits [0], and their variance [1]. */
static uint64_t visits_units(const void *of, uint64_t v, double c, uint64_t degree)
{
    return value_units(((const struct noise_room *)of)->visits[v] * c, degree);
}
static uint64_t variance_units(const void *of, uint64_t v, double c, uint64_t degree)
{
    const struct noise_room *r = of;
    return value_units(r->variance[v] * c * c + r->visits[v] * c * (1 - c), degree);
}

static enum st noise_room_new(uint64_t n, struct noise_room *r, struct err *err)
{
    MAKE(r->visits, n, "noise of counts");
    MAKE(r->variance, n, "noise of counts");
    MAKE(r->all_visits, n, "noise of counts");
    MAKE(r->all_variance, n, "noise of counts");
    MAKE(r->push, n, "noise of counts");
    for (int i = 0; i < 2; i++) MAKE(r->sum[i], n, "noise of counts");
    return ST_OK;
}

static void noise_room_free(struct noise_room *r)
{
    mem_free(r->visits);
    mem_free(r->variance);
    mem_free(r->all_visits);
    mem_free(r->all_variance);
    mem_free(r->push);
    pushing_close(&r->steps);
    for (int i = 0; i < 2; i++) mem_free(r->sum[i]);
}

/* visits and variance of the next hop from those of this one: sums along the rows. */
static enum st next_noise(const struct graph *g, int hop, struct noise_room *r, struct err *err)
{
    PASS(push_hop(&r->steps, hop, 0, visits_units, r, r->push, r->sum[0], err));
    PASS(push_hop(&r->steps, hop, 0, variance_units, r, r->push, r->sum[1], err));
    for (uint64_t v = 0; v < g->n; v++) {
        r->visits[v] = (double)r->sum[0][v] / value_unit;
        r->variance[v] = (double)r->sum[1][v] / value_unit;
    }
    return ST_OK;
}

static void set_shares(const double *variance, const double *visits, uint64_t n, float *out)
{
    for (uint64_t v = 0; v < n; v++) out[v] = (float)(visits[v] > 0 ? fmin(variance[v] / visits[v], 1) : 1);
}

/* Nothing is known: as noisy as Poisson's. */
static enum st poisson_noise(const struct graph *g, const struct workload *w, struct vip *v, struct err *err)
{
    MAKE(v->feature_noise, g->n, "noise of counts");
    for (int h = 0; h < w->hops; h++) MAKE(v->visits_noise[h], g->n, "noise of counts");
    for (uint64_t i = 0; i < g->n; i++) {
        v->feature_noise[i] = 1;
        for (int h = 0; h < w->hops; h++) v->visits_noise[h][i] = 1;
    }
    return ST_OK;
}

enum st vip_noise(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                  const struct kernels *k, int threads, struct vip *v, struct err *err)
{
    OWNED_BY(noise_room_free) struct noise_room r = {0};
    if (w->sampler != SAMPLER_UNIFORM || workload_edges(w)) return poisson_noise(g, w, v, err);
    PASS(noise_room_new(g->n, &r, err));
    PASS(pushing_open(g, w, k, threads, &r.steps, err));
    MAKE(v->feature_noise, g->n, "noise of counts");
    for (int i = 0; i < a->gpus; i++)
        for (uint64_t j = 0; (clique < 0 || a->clique_of[i] == clique) && j < a->train_count[i]; j++)
            r.visits[a->train[i][j]] = 1;
    memcpy(r.all_visits, r.visits, g->n * sizeof *r.visits);
    for (int h = 0; h < w->hops; h++) {
        MAKE(v->visits_noise[h], g->n, "noise of counts");
        set_shares(r.variance, r.visits, g->n, v->visits_noise[h]);
        PASS(next_noise(g, h, &r, err));
        for (uint64_t u = 0; u < g->n; u++) {
            r.all_visits[u] += r.visits[u];
            r.all_variance[u] += r.variance[u];
        }
    }
    set_shares(r.all_variance, r.all_visits, g->n, v->feature_noise);
    return ST_OK;
}
