/* Policy bgl on small graphs: the order by a textbook search, the stretches, the circle of every epoch, and the
 * misses of a textbook FIFO per GPU; and what the order is for: on a graph of communities a FIFO cache hits more than
 * under shuffled training vertices. */
#include "base/mem.h"
#include "simulator/caches/dynamic.h"
#include "simulator/movement/simulated.h"
#include "tests/oracle/caches.h"
#include "tests/oracle/case.h"
#include "traces/sampling/bfs.h"

static struct err err;
static struct server server;
static struct graph graph;
static struct workload workload;

enum { MOST = 64 };

/* Training vertices in the order found, by looking through all vertices for the one that was found next. */
static uint64_t plain_search(uint32_t *order)
{
    uint32_t found[MOST];
    bool seen[MOST] = {0};
    uint64_t count = 0, trained = 0;
    for (uint64_t i = 0; i < graph.train_count; i++) {
        uint32_t root = graph.train[bfs_root(&graph, i)];
        uint64_t head = count;
        if (!seen[root]) found[count++] = root;
        seen[root] = true;
        for (; head < count; head++)
            for (uint32_t u = 0; u < graph.n; u++)
                if (!seen[u] && graph_lists(&graph, found[head], u)) {
                    seen[u] = true;
                    found[count++] = u;
                }
    }
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t k = 0; k < graph.train_count; k++)
            if (graph.train[k] == found[i]) order[trained++] = found[i];
    return trained;
}

static void judge_stretches(const struct assignment *a, const uint32_t *order, uint64_t trained, uint64_t seed)
{
    uint64_t at = 0;
    EQUAL(trained, graph.train_count, "seed %d: every training vertex is a root at last", (int)seed);
    for (int g = 0; g < a->gpus; g++) {
        uint64_t count = a->train_count[g], least = trained / (uint64_t)a->gpus;
        HOLDS(count == least || count == least + 1, "seed %d: GPU %d trains %d of %d", (int)seed, g, (int)count,
              (int)trained);
        for (uint64_t i = 0; i < count; i++) {
            bool mine = false;
            for (uint64_t k = 0; k < count; k++) mine |= a->train[g][k] == order[at + i];
            HOLDS(mine, "seed %d: GPU %d, place %d of its stretch", (int)seed, g, (int)i);
        }
        at += count;
    }
    EQUAL(at, trained, "seed %d", (int)seed);
}

/* The seeds of an epoch are the stretch, entered somewhere. stretch: [count]. */
static void judge_circle(const struct stream *s, uint64_t epoch, const uint32_t *stretch, uint64_t count, uint64_t seed)
{
    uint32_t seeds[MOST];
    uint64_t n = 0, first = 0;
    for (uint64_t b = 0; b < s->batches; b++) {
        if (s->batch[b].epoch != epoch) continue;
        uint64_t left = count - n, some = left < workload.batch ? left : workload.batch;
        memcpy(seeds + n, s->id + s->batch[b].from, some * sizeof *seeds);
        n += some;
    }
    EQUAL(n, count, "seed %d: seeds of epoch %d", (int)seed, (int)epoch);
    while (first < count && stretch[first] != seeds[0]) first++;
    for (uint64_t i = 0; i < count; i++)
        EQUAL(seeds[i], stretch[(first + i) % count], "seed %d, epoch %d: place %d", (int)seed, (int)epoch, (int)i);
}

/* A textbook FIFO on the mini-batches of one GPU: what it misses. */
static uint64_t judge_gpu(const struct study *s, const struct study_cell *c, int g, const uint32_t *stretch,
                          uint64_t seed)
{
    const struct plan *p = &c->plan;
    struct stream stream = {0};
    struct progress bar = {0};
    struct replay_request r = {.graph = &graph,
                               .assignment = &p->assignment,
                               .workload = &c->recording->workload,
                               .line_bytes = server.line_bytes,
                               .epochs = c->recording->epochs,
                               .seed = s->o.simulate_seed,
                               .threads = 1};
    int ends[PLAIN_REQUESTS];
    uint8_t hit[PLAIN_REQUESTS];
    uint64_t misses = 0, lines = 0;
    OK(stream_draw(&r, &g, 1, &bar, &stream, &err));
    HOLDS(stream.requests <= PLAIN_REQUESTS, "the test's instance is too large: %d", (int)stream.requests);
    for (uint64_t e = 0; e < r.epochs; e++) judge_circle(&stream, e, stretch, p->assignment.train_count[g], seed);
    for (uint64_t b = 0; b < stream.batches; b++) ends[b] = (int)stream_end(&stream, b);
    uint64_t rows = p->budget[g] / graph.row_bytes < graph.n ? p->budget[g] / graph.row_bytes : graph.n;
    EQUAL(p->cache_rows[g], rows, "seed %d: rows of GPU %d", (int)seed, g);
    uint64_t index = 16 * rows < 8 * graph.n ? 16 * rows : 8 * graph.n;
    EQUAL(p->index_bytes[g], index, "seed %d: index of GPU %d", (int)seed, g);
    plain_run(&plain_rules[0], stream.id, (int)stream.requests, ends, (int)stream.batches, (int)rows, hit);
    for (uint64_t i = 0; i < stream.requests; i++) {
        misses += !hit[i];
        lines += hit[i] ? 0 : plain_lines(stream.id[i] * graph.row_bytes, graph.row_bytes, server.line_bytes);
    }
    const struct simulated_sums of = simulated_reader(p->simulated, &graph, g);
    EQUAL(of.rows[READ_HOST], misses, "seed %d: misses of GPU %d", (int)seed, g);
    EQUAL(of.rows[READ_OWN], stream.requests - misses, "seed %d: hits of GPU %d", (int)seed, g);
    EQUAL(of.rows[READ_PEER], 0, "seed %d: no NVLink", (int)seed);
    EQUAL(of.transactions.feature, plain_round((__int128)lines, (__int128)r.epochs), "seed %d: transactions of GPU %d",
          (int)seed, g);
    stream_release(&stream);
    return misses;
}

static void test_plans(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i), n, trained, at = 0, misses = 0;
        struct dice d = {seed};
        static struct study s;
        struct study_cell cell;
        uint32_t order[MOST];
        n = dice_range(&d, 2, 40);
        graph_shape(&graph, (enum shape)dice_below(&d, SHAPES), n, &d, dice_range(&d, 1, 20), 4);
        graph_trains(&graph, &d, 0.5);
        server_random(&server, &d);
        workload = (struct workload){.hops = (int)dice_range(&d, 1, 2),
                                     .fanout = {2, 2},
                                     .batch = dice_range(&d, 1, 4),
                                     .frontier = dice_chance(&d, 0.5) ? FRONTIER_ALL : FRONTIER_NEW,
                                     .seed = seed};
        struct study_options o = case_options(&graph, &server, &workload, 1, 2, 1 + (int)(seed % 2));
        study_begin(&s, &o);
        case_cell(&cell, "bgl", dice_below(&d, 12 * graph.row_bytes));
        OK(study_plan_all(&s, &cell, 1, &err));
        OK(study_simulate(&s, &cell, 1, &err));
        HOLDS(cell.plan.workload.order == ORDER_BFS && workload.order == ORDER_SHUFFLE,
              "seed %d: the policy brings its order", (int)seed);
        trained = plain_search(order);
        judge_stretches(&cell.plan.assignment, order, trained, seed);
        for (int g = 0; g < server.gpus; g++) {
            misses += judge_gpu(&s, &cell, g, order + at, seed);
            at += cell.plan.assignment.train_count[g];
        }
        EQUAL(doc_integer_value(doc_get(cell.dynamic, "misses"), -1), misses, "seed %d: misses", (int)seed);
        EQUAL(held_rows(&cell.plan, true) + held_rows(&cell.plan, false), 0, "seed %d: static rows", (int)seed);
        study_cell_release(&cell);
        study_end(&s);
        graph_drop(&graph);
    }
}

/* Rings of `size` vertices; each lists `near` of its ring and, one time in ten, any vertex. */
static void make_communities(struct dice *d, uint64_t groups, uint64_t size)
{
    struct arcs a = {0};
    uint64_t n = groups * size;
    for (uint64_t v = 0; v < n; v++)
        for (int k = 0; k < 6; k++) {
            uint64_t u = dice_chance(d, 0.02) ? dice_below(d, n) : v / size * size + dice_below(d, size);
            if (u == v) continue;
            arcs_add(&a, v, u);
            arcs_add(&a, u, v);
        }
    graph_of(&graph, n, &a, 16, 4, "both");
    graph_trains(&graph, d, 0.5);
}

/* Hit rate of the rule on the assignment, in an order. */
static double hits(const struct assignment *who, bool bfs, uint64_t rows)
{
    static struct placement p;
    struct workload w = {.hops = 2, .fanout = {5, 5}, .batch = 16, .order = bfs ? ORDER_BFS : ORDER_SHUFFLE, .seed = 1};
    struct replay_request r =
        {.graph = &graph, .assignment = who, .workload = &w, .line_bytes = 64, .epochs = 2, .seed = 77, .threads = 2};
    struct replay out = {0};
    struct dynamic_counts counts = {0};
    const struct cache *c;
    uint64_t capacity[GPUS_MAX];
    OK(cache_find("fifo", &c, &err));
    for (int g = 0; g < GPUS_MAX; g++) capacity[g] = rows;
    p.gpus = who->gpus;
    struct dynamic_request d = {.replay = &r,
                                .placement = &p,
                                .admission = ADMISSION_BATCH,
                                .rows = (const uint64_t(*)[GPUS_MAX])capacity,
                                .cache = &c,
                                .count = 1};
    OK(dynamic_run(&d, &out, &counts, &err));
    replay_release(&out);
    return 1 - (double)counts.rows.misses / (double)counts.rows.requests;
}

/* What the order is for. The shuffled orders: of the same stretches, and of a global deal. */
static void test_gain(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(5); i++) {
        struct dice d = {test_seed(i) + 100};
        struct assignment near = {0}, dealt = {0};
        make_communities(&d, 60, 50);
        server_of(&server, 4, 64);
        server_find_cliques(&server);
        OK(assign_bfs(&graph, &server, &near, &err));
        OK(assign_global(&graph, &server, 0, test_seed(i), &dealt, &err));
        double bfs = hits(&near, true, 150), same = hits(&near, false, 150), global = hits(&dealt, false, 150);
        HOLDS(bfs > same + 0.05, "seed %d: the search's order hits %.3f, the same stretches shuffled %.3f",
              (int)test_seed(i), bfs, same);
        HOLDS(bfs > global + 0.05, "seed %d: the search's order hits %.3f, a global shuffle %.3f", (int)test_seed(i),
              bfs, global);
        assignment_release(&near);
        assignment_release(&dealt);
        graph_drop(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plans), cmocka_unit_test(test_gain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
