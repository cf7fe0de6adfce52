/* Rows of real graphs in the places of two nodes: two GPUs and the DRAM of a socket each, and an SSD. The search by
 * prices is within 1 % of the bound. */
#include <math.h>
#include <unistd.h>
#include "planner/places/place_bound.h"
#include "planner/places/place_fill.h"
#include "planner/places/place_solve.h"
#include "tests/oracle/instance.h"
#include "traces/formats/graph_import.h"
#include "traces/recording/trace.h"

enum { GPUS = 4, LINE = 64 };
static struct err err;

/* GPU and socket bytes as shares of all rows. */
struct sizes {
    double gpu, dram;
};

/* Seconds per GB: a GPU's own memory, its node's DRAM over PCIe, the other node's over the network, SSDs. Every GPU is
 * a clique of its own. */
static void set_places(struct place_problem *p, double all, struct sizes s)
{
    p->nodes = p->readers = p->cliques = 2;
    p->homes = 1;
    p->has_last = true;
    for (int r = 0; r < p->readers; r++) {
        p->clique_of[r] = r;
        for (int kind = 0; kind <= PLACE_FEATURE; kind++) {
            p->gpus[kind][r] = 1 / 1500.0;
            p->home[kind][r][0] = 1 / 13.0;
            p->remote[kind][r] = 1 / 11.0 + 1 / 50.0;
            p->last[kind][r] = 1 / 3.0;
        }
    }
    for (int k = 0; k < place_count(p); k++) p->capacity[k] = (uint64_t)((place_is_home(p, k) ? s.dram : s.gpu) * all);
}

/* Topology rows, then feature rows: [2 n], with the bytes that each GPU reads of them. */
static void set_rows(struct place_problem *p, const struct graph *g, const struct trace *t, uint64_t *bytes,
                     float *demand, const float **of)
{
    p->rows = 2 * g->n;
    p->topology_rows = g->n;
    p->bytes = bytes;
    p->demand = of;
    for (uint64_t v = 0; v < g->n; v++) {
        bytes[v] = 8 + 4 * graph_degree(g, v);
        bytes[g->n + v] = g->row_bytes;
    }
    for (int r = 0; r < GPUS; r++) {
        float *mine = demand + (uint64_t)r * p->rows;
        of[r] = mine;
        for (uint64_t v = 0; v < g->n; v++) {
            uint64_t visits = 0;
            for (int h = 0; h < t->workload.hops; h++) visits += count_at(t->visits[h][r], v);
            mine[v] = (float)(visits * LINE);
            mine[g->n + v] = (float)count_at(t->feature[r], v) * (float)g->row_bytes;
        }
    }
}

static void solve(const char *name, const struct place_problem *p, struct sizes s)
{
    struct place_solution greedy = {0}, best = {0};
    struct place_prices prices = {0};
    OK(place_check(p, &err));
    OK(place_greedy(p, &greedy, &err));
    OK(place_solve(p, NULL, 2, &best, &prices, &err));
    double off = greedy.cost / prices.value - 1, off_best = best.cost / prices.value - 1;
    printf("# %s, a GPU %.0f %%, a socket %.0f %%: above the bound: greedy %.2f %%, by prices %.2f %%\n", name,
           100 * s.gpu, 100 * s.dram, 100 * off, 100 * off_best);
    HOLDS(off_best >= -1e-9 && off_best <= off && off_best <= 0.01, "%s", name);
    place_solution_release(&greedy);
    place_solution_release(&best);
}

/* Each GPU trains a stretch of the ids, which lie close together in these files. */
static void assign(const struct graph *g, struct assignment *a)
{
    *a = (struct assignment){.gpus = GPUS, .cliques = 2, .id = {0, 1, 2, 3}, .clique_of = {0, 0, 1, 1}};
    for (uint64_t i = 0; i < GPUS; i++) {
        uint64_t from = g->train_count * i / GPUS, to = g->train_count * (i + 1) / GPUS;
        OK(assignment_set_train(a, (int)i, g->train + from, to - from, g->n, "a test", &err));
    }
}

static void graph_of_file(const char *name, char *path, const struct sizes *sizes, int count)
{
    char folder[] = "/tmp/hotset-places-XXXXXX", target[64], command[100];
    struct import_options o = {.sources = &path,
                               .source_count = 1,
                               .undirected = true,
                               .train_share = 0.2,
                               .feature_dim = 64,
                               .feature_type = "f32",
                               .seed = 1,
                               .threads = 2};
    struct workload w = {.hops = 2, .fanout = {10, 5}, .batch = 100, .seed = 1};
    struct trace_options how = {.epochs = 2, .line_bytes = LINE, .threads = 2};
    struct graph g = {0};
    struct trace t = {0};
    struct assignment a;
    assert_non_null(mkdtemp(folder));
    snprintf(target, sizeof target, "%s/G", folder);
    OK(graph_import(&o, target, NULL, &err));
    OK(graph_open(target, 2, &g, &err));
    assign(&g, &a);
    OK(trace_record(&g, &a, &w, &how, &t, &err));
    uint64_t *bytes = calloc(2 * g.n, sizeof *bytes);
    float *demand = calloc(2 * g.n * GPUS, sizeof *demand);
    for (int i = 0; i < count; i++) {
        struct place_problem p = {0};
        const float *of[GPUS];
        set_rows(&p, &g, &t, bytes, demand, of);
        double all = 0;
        for (uint64_t k = 0; k < p.rows; k++) all += (double)bytes[k];
        set_places(&p, all, sizes[i]);
        solve(name, &p, sizes[i]);
    }
    free(bytes);
    free(demand);
    trace_release(&t);
    assignment_release(&a);
    graph_close(&g);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void rows_of_real_graphs(void **state)
{
    static const struct sizes sizes[] = {{0.05, 0.3}, {0.02, 0.1}, {0.1, 0.6}};
    char more[] = "../shared/data/graphs/tolokers/tolokers.npz";
    (void)state;
    graph_of_file("squirrel", (char[]){"tests/data/squirrel.npz"}, sizes, 3);
    if (access(more, R_OK) == 0) graph_of_file("tolokers", more, sizes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_real_graphs)};
    return cmocka_run_group_tests_name("rows of real graphs in places", tests, NULL, NULL);
}
