/* ours.c - hotset's side of the pairs that tests/rivals/run.py times. Prints one JSON object: seconds per stage.
 *
 * - ours sample G T: pre-sampling alone, after one run to warm up, on T threads
 * - ours plan G T: the stages of numpy_plan.py: pre-sampling, two PageRanks, orders, prefix sums, alpha sweep
 * - ours pagerank G T: one PageRank iteration (mean of 100, with what ours makes beforehand), ours and the textbook's
 * of pull.h in turn
 * - ours sg G FILE: writes the graph as a .sg file, for GAP's programs
 * - ours labor G SPEC: for labor.py: distinct rows of a full mini-batch, and how many of them the mini-batch before
 * had, a mean per epoch; SPEC: batch, iterations, kappa, layer dependency, epochs and fan-outs, with commas between
 *
 * RIVALS_CLOCK=cpu in the environment counts the processor's seconds in place of the wall's, for one thread on a
 * machine that others use.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "tests/rivals/pull.h"
#include "traces/sampling/sampler.h"

enum {
    BATCH = 8000,
    EPOCHS = 4,
    ROUNDS = 20,
    ITERATIONS = 100 /* about what PageRank to 1e-7 takes */,
    WEIGHTED_ROUNDS = 5,
    STEPS = 100,
    LINE = 64
};

static double now(void)
{
    const char *clock = getenv("RIVALS_CLOCK");
    struct timespec t;
    clock_gettime(clock && !strcmp(clock, "cpu") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double began;
static void start(void) { began = now(); }
static void stop(const char *stage) { printf("\"%s\": %.6f, ", stage, now() - began); }

/* ---- the plan ---- */

struct plan_arrays {
    uint64_t *hot, *hot_topology, *size, *rank, *size_sums, *topology_sums, *feature_sums;
    uint32_t *order, *order_topology, *by_rank;
};

/* Draws all epochs `runs` times into fresh counts, the last of them timed; hotness from that one. */
static enum st presample(const struct graph *g, int threads, int runs, uint64_t *hot, uint64_t *hot_topology,
                         uint64_t *lines, struct err *err)
{
    enum st st = ST_OK;
    struct workload w = {.hops = 2, .fanout = {25, 10}, .batch = BATCH, .frontier = FRONTIER_ALL, .seed = 1};
    struct sampler *s = NULL;
    struct sample_counts c = {0};
    uint64_t draws = 0;
    start();
    TRY(sampler_new(g, &w, LINE, threads, &s, err));
    TRY(sampler_gpu(s, 0, g->train, g->train_count, EPOCHS, err));
    NEW(c.feature, g->n, "counts");
    for (int h = 0; h < w.hops; h++) NEW(c.visits[h], g->n, "counts");
    for (int r = 1; r <= runs; r++) {
        if (r > 1) start();
        memset(c.feature, 0, g->n * sizeof *c.feature);
        for (int h = 0; h < w.hops; h++) memset(c.visits[h], 0, g->n * sizeof *c.visits[h]);
        c.total_lines = 0;
        sampler_run(s, 0, sampler_batches(s) * EPOCHS, &c);
    }
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : draws)
    for (uint64_t v = 0; v < g->n; v++) {
        hot[v] = c.feature[v];
        draws += hot_topology[v] = sample_draws(&w, graph_degree(g, v), c.visits, v);
    }
    stop("presample");
    *lines = c.total_lines;
    printf("\"draws\": %" PRIu64 ", ", draws);
done:
    sampler_free(s);
    mem_free(c.feature);
    for (int h = 0; h < w.hops; h++) mem_free(c.visits[h]);
    return st;
}

static enum st sample(const struct graph *g, int threads, struct err *err)
{
    enum st st = ST_OK;
    uint64_t *hot = NULL, *hot_topology = NULL, lines;
    NEW(hot, g->n, "hotness");
    NEW(hot_topology, g->n, "hotness");
    TRY(presample(g, threads, 2, hot, hot_topology, &lines, err));
done:
    return st;
}

static enum st alphas(const struct graph *g, int threads, const struct plan_arrays *a, uint64_t lines, struct err *err)
{
    uint64_t n = g->n, best = 0;
    struct sweep_point points[STEPS + 1];
    struct sweep_problem p = {.n = n,
                              .size_topology = a->size_sums,
                              .hot_topology = a->topology_sums,
                              .hot_feature = a->feature_sums,
                              .row_bytes = g->row_bytes,
                              .n_tsum = lines,
                              .lines = (g->row_bytes + LINE - 1) / LINE,
                              .epochs = EPOCHS,
                              .steps = STEPS};
    p.budget = (a->size_sums[n - 1] + n * g->row_bytes) / 20;
    enum st st = kernels_cpu.sweep(threads, &p, 1, points, err);
    for (uint64_t i = 0; i <= STEPS && st == ST_OK; i++)
        if (points[i].topology + points[i].feature < points[best].topology + points[best].feature) best = i;
    printf("\"alpha\": %.2f, ", (double)best / STEPS);
    return st;
}

/* Orders, then the sums in those orders: what is no longer needed goes, as it would in a plan. */
static enum st rank_rows(const struct graph *g, int threads, struct plan_arrays *a, struct err *err)
{
    enum st st = ST_OK;
    NEW(a->order, g->n, "orders");
    NEW(a->order_topology, g->n, "orders");
    start();
    TRY(kernels_cpu.sort_hottest(threads, a->hot, g->n, a->order, err));
    TRY(kernels_cpu.sort_hottest(threads, a->hot_topology, g->n, a->order_topology, err));
    stop("order_hotness");
    start();
    NEW(a->size, g->n, "sizes");
    NEW(a->size_sums, g->n, "sums");
    NEW(a->topology_sums, g->n, "sums");
    NEW(a->feature_sums, g->n, "sums");
    for (uint64_t v = 0; v < g->n; v++) a->size[v] = graph_topology_bytes(g, v);
    TRY(kernels_cpu.scan(threads, a->size, a->order_topology, g->n, a->size_sums, err));
    TRY(kernels_cpu.scan(threads, a->hot_topology, a->order_topology, g->n, a->topology_sums, err));
    TRY(kernels_cpu.scan(threads, a->hot, a->order, g->n, a->feature_sums, err));
    stop("prefix_sums");
done:
    return st;
}

/* Both PageRanks and the order of the first. */
static enum st ranks(const struct graph *g, int threads, struct plan_arrays *a, struct err *err)
{
    enum st st = ST_OK;
    struct hotness_input in = {.graph = g, .kernels = &kernels_cpu, .threads = threads};
    int taken;
    NEW(a->rank, g->n, "ranks");
    NEW(a->by_rank, g->n, "orders");
    start();
    TRY(hotness_pagerank(&in, false, ROUNDS, 0, a->rank, &taken, err));
    stop("pagerank");
    start();
    TRY(kernels_cpu.sort_hottest(threads, a->rank, g->n, a->by_rank, err));
    stop("order_pagerank");
    start();
    TRY(hotness_pagerank(&in, true, WEIGHTED_ROUNDS, 0, a->rank, &taken, err));
    stop("weighted_pagerank");
done:
    mem_free(a->rank);
    mem_free(a->by_rank);
    return st;
}

static enum st plan(const struct graph *g, int threads, struct err *err)
{
    enum st st = ST_OK;
    struct plan_arrays a = {0};
    uint64_t lines = 0;
    NEW(a.hot, g->n, "hotness");
    NEW(a.hot_topology, g->n, "hotness");
    TRY(presample(g, threads, 1, a.hot, a.hot_topology, &lines, err));
    TRY(ranks(g, threads, &a, err));
    TRY(rank_rows(g, threads, &a, err));
    start();
    TRY(alphas(g, threads, &a, lines, err));
    stop("alpha_sweep");
done:
    return st; /* the program ends here: the arrays go with it */
}

/* ---- one PageRank iteration ---- */

static enum st pagerank(const struct graph *g, int threads, struct err *err)
{
    enum st st = ST_OK;
    struct transposed t = {0};
    struct hotness_input in = {.graph = g, .kernels = &kernels_cpu, .threads = threads};
    float *score = NULL, *gives = NULL;
    uint64_t *rank = NULL;
    int taken;
    double change = 0, farthest = 0;
    NEW(rank, g->n, "ranks");
    NEW(score, g->n, "scores");
    NEW(gives, g->n, "scores");
    TRY(transpose(g, &t, err));
    for (int warm = 1; warm >= 0; warm--) {
        start();
        TRY(hotness_pagerank(&in, false, warm ? 1 : ITERATIONS, 0, rank, &taken, err));
        double ours = (now() - began) / ITERATIONS;
        start();
        for (uint64_t v = 0; v < g->n; v++) score[v] = 1.0f / (float)g->n;
        for (int i = 0; i < (warm ? 1 : ITERATIONS); i++) change = pull_step(threads, g, &t, score, gives);
        if (!warm) printf("\"ours\": %.6f, \"textbook\": %.6f, ", ours, (now() - began) / ITERATIONS);
    }
    for (uint64_t v = 0; v < g->n; v++)
        farthest = fmax(farthest, fabs(score[v] / ((double)rank[v] / 0x1p62) - 1)); /* both did the same work */
    printf("\"farthest_score\": %.2e, \"change\": %.3e, \"arcs\": %" PRId64 ", ", farthest, change, g->indptr[g->n]);
done:
    return st;
}

static enum st write_sg(const struct graph *g, const char *path, struct err *err)
{
    enum st st = ST_OK;
    struct transposed t = {0};
    int64_t size[2] = {g->indptr[g->n], (int64_t)g->n};
    uint64_t m = (uint64_t)g->indptr[g->n];
    FILE *f = fopen(path, "wb");
    if (!f) FAIL(ST_INPUT, "%s: cannot be written", path);
    TRY(transpose(g, &t, err));
    bool good = fputc(1, f) != EOF && fwrite(size, sizeof *size, 2, f) == 2 &&
                fwrite(g->indptr, 8, g->n + 1, f) == g->n + 1 && fwrite(g->indices, 4, m, f) == m &&
                fwrite(t.indptr, 8, g->n + 1, f) == g->n + 1 && fwrite(t.indices, 4, m, f) == m;
    if (fclose(f) || !good) st = err_set(err, ST_LIMIT, "%s: cannot be written; is the disk full?", path);
done:
    return st;
}

/* ---- layer-neighbour sampling ---- */

/* Means over one epoch's full mini-batches. last: [n] number of the last mini-batch that had a row. */
static void labor_epoch(struct sampler *s, const struct workload *w, uint64_t epoch, uint64_t batches, uint64_t *last,
                        double *rows, double *shared)
{
    uint64_t all = 0, again = 0, full = w->batch * batches;
    for (uint64_t b = 0; b < batches; b++) {
        uint64_t number = 1 + epoch * (full + 2) + b; /* so that epochs are not neighbours */
        const uint32_t *ids;
        uint64_t count = sampler_batch(s, 0, epoch * sampler_batches(s) + b, NULL, &ids);
        for (uint64_t i = 0; i < count; i++) {
            again += last[ids[i]] == number - 1;
            last[ids[i]] = number;
        }
        all += count;
    }
    *rows = (double)all / (double)batches;
    *shared = batches > 1 ? (double)again / (double)(batches - 1) : 0;
}

static enum st labor(const struct graph *g, const char *text, struct err *err)
{
    enum { HEAD = 5, NUMBERS = HEAD + HOPS_MAX };
    enum st st = ST_OK;
    long x[NUMBERS] = {0};
    int count = 0;
    struct sampler *s = NULL;
    uint64_t *last = NULL;
    double *mean = NULL;
    for (const char *at = text; at && count < NUMBERS; at = strchr(at, ','), at += at != NULL)
        x[count++] = strtol(at, NULL, 10);
    struct workload w = {.hops = count - HEAD,
                         .batch = (uint64_t)x[0],
                         .frontier = FRONTIER_ALL,
                         .seed = 1,
                         .sampler = SAMPLER_LABOR,
                         .labor_iterations = (int)x[1],
                         .batch_dependency = (uint32_t)x[2],
                         .layer_dependency = x[3]};
    uint64_t epochs = (uint64_t)x[4], batches = x[0] > 0 ? g->train_count / w.batch : 0;
    if (w.hops < 1 || !batches || !epochs) FAIL(ST_USAGE, "labor: %s is no workload for this graph", text);
    for (int h = 0; h < w.hops; h++) w.fanout[h] = (uint32_t)x[HEAD + h];
    TRY(sampler_new(g, &w, LINE, 1, &s, err));
    TRY(sampler_gpu(s, 0, g->train, g->train_count, epochs, err));
    NEW(last, g->n, "rows of mini-batches");
    NEW(mean, 2 * epochs, "means");
    for (uint64_t e = 0; e < epochs; e++) labor_epoch(s, &w, e, batches, last, &mean[e], &mean[epochs + e]);
    for (uint64_t e = 0; e < 2 * epochs; e++)
        printf("%s%.4f", e == 0 ? "\"rows\": [" : e == epochs ? "], \"shared\": [" : ", ", mean[e]);
    printf("], ");
done:
    sampler_free(s);
    mem_free(last);
    mem_free(mean);
    return st;
}

int main(int argc, char **argv)
{
    struct graph g = {0};
    struct err err = {0};
    struct rusage used;
    double first = now();
    int threads = argc == 4 && !strchr(argv[3], ',') && atoi(argv[3]) > 0 ? atoi(argv[3]) : 1;
    enum st st = argc == 4 ? graph_open(argv[2], threads, &g, &err)
                           : err_set(&err, ST_USAGE,
                                     "usage: ours sample|plan|pagerank G T, ours sg G FILE, ours labor G SPEC");
    printf("{\"load\": %.6f, ", now() - first);
    if (st == ST_OK && !strcmp(argv[1], "sample")) st = sample(&g, atoi(argv[3]), &err);
    else if (st == ST_OK && !strcmp(argv[1], "plan")) st = plan(&g, atoi(argv[3]), &err);
    else if (st == ST_OK && !strcmp(argv[1], "pagerank")) st = pagerank(&g, atoi(argv[3]), &err);
    else if (st == ST_OK && !strcmp(argv[1], "labor")) st = labor(&g, argv[3], &err);
    else if (st == ST_OK) st = write_sg(&g, argv[3], &err);
    getrusage(RUSAGE_SELF, &used);
    printf("\"peak_bytes\": %lld}\n", 1024ll * used.ru_maxrss);
    if (st != ST_OK) fprintf(stderr, "ours: %s\n", err.text);
    return st != ST_OK;
}
