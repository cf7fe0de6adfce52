/* The replay of random placements on graphs of several types against a plain recount, and their execution against the
 * replay; that of one type and one
 * relation, as a graph of several types, against that of the plain graph. */
#include <math.h>
#include "base/mem.h"
#include "simulator/execute/execute.h"
#include "simulator/movement/epoch_load.h"
#include "simulator/plan/plan_check.h"
#include "simulator/replay/replay.h"
#include "tests/oracle/types_instance.h"

/* ---- random placements ---- */

struct scene {
    struct graph g;
    struct workload w;
    struct assignment a;
    struct placement p;
};

/* Up to 4 GPUs of one or two cliques that hold random rows, some of rounded tables. */
static void scene_make(struct scene *s, struct dice *d)
{
    memset(s, 0, sizeof *s);
    do {
        types_drop(&s->g);
        types_random(&s->g, d, 20);
        types_workload_random(&s->g, d, &s->w);
        types_workload_other(&s->g, d, &s->w);
    } while (!s->g.train_count);
    OK(graph_list_tables(&s->g, &err));
    for (int t = 0; t < s->g.tables; t++)
        if (graph_table_rounds(&s->g, t, PRECISION_I8) && dice_chance(d, 0.5))
            graph_table_round(&s->g, t, PRECISION_I8);
    uint32_t *train = types_trains(&s->g);
    s->a.gpus = s->p.gpus = (int)dice_range(d, 1, 4);
    s->a.cliques = s->a.gpus > 2 && dice_chance(d, 0.5) ? 2 : 1;
    for (int i = 2; i < s->a.gpus; i++) s->a.clique_of[i] = s->a.cliques - 1;
    s->p.access = (enum topology_access)dice_below(d, 3);
    for (int i = 0; i < s->a.gpus; i++) {
        s->a.id[i] = 2 * i + 1;
        s->a.train[i] = mem_array(s->g.train_count, sizeof(uint32_t), "a test", &err);
        for (int k = 0; k < s->a.gpus; k++)
            if (k != i && s->a.clique_of[k] == s->a.clique_of[i]) s->p.peer[i][s->p.peers[i]++] = k;
    }
    for (uint64_t i = 0; i < s->g.train_count; i++) {
        int to = (int)(i % (uint64_t)s->a.gpus);
        s->a.train[to][s->a.train_count[to]++] = train[i];
    }
    free(train);
    for (int g = 0; g < s->a.gpus; g++)
        for (uint64_t item = 0; item < graph_items(&s->g); item++) {
            const struct row_table *t = &s->g.table[graph_table_of(&s->g, item)];
            bool sampled = s->p.access == ACCESS_SAMPLERS && t->kind == ROWS_TOPOLOGY; /* GPU 0 has all of it */
            if (t->kind != ROWS_TOPOLOGY && !t->row_bytes) continue;
            if (sampled ? g > 0 : dice_chance(d, 0.6)) continue;
            OK(placement_add(&s->p, &s->g, g, item, &err));
        }
}

static void scene_drop(struct scene *s)
{
    placement_release(&s->p);
    assignment_release(&s->a);
    types_drop(&s->g);
}

/* Who serves a row, by looking through the lists: -1 the host. */
static int server_of_row(const struct placement *p, const struct graph *graph, int g, uint64_t item)
{
    for (int i = -1; i < p->peers[g]; i++) {
        int from = i < 0 ? g : p->peer[g][i];
        for (uint64_t k = 0; k < placement_count(p, from); k++)
            if (placement_item(p, graph, from, k) == item) return from;
    }
    return -1;
}

/* Entries that a visit of a row of `length` entries draws by the uniform sampler. */
static uint64_t drawn_of(const struct workload *w, int relation, int hop, uint64_t length)
{
    uint64_t fanout = workload_fanout(w, relation, hop);
    return length < fanout ? length : fanout;
}

/* Bytes of entries that a visit of a row reads: what it draws, or where weights decide the row and its weights. */
static uint64_t bytes_of_visit(const struct graph *g, const struct workload *w, int relation, int hop, uint64_t row)
{
    const struct graph_relation *r = &g->relation[relation];
    bool chosen = relation_degree(r, row) > workload_fanout(w, relation, hop);
    if (w->sampler == SAMPLER_BIASED && r->weights && chosen) return 8 * relation_degree(r, row);
    return 4 * drawn_of(w, relation, hop, relation_degree(r, row));
}

/* Recounts a replay from the mini-batches' counts, one mini-batch at a time. */
static void recount(const struct scene *s, uint64_t seed, const struct replay *r)
{
    struct workload w = s->w;
    struct sampler *x = NULL;
    struct sample_counts c;
    w.seed = seed;
    OK(sampler_new(&s->g, &w, 64, 1, &x, &err));
    types_sheet(&c, &s->g, w.hops);
    for (int g = 0; g < s->a.gpus; g++) {
        uint64_t reads[GRAPH_TABLES_MAX][3] = {{0}}, lines[GRAPH_TABLES_MAX] = {0}, bytes[5] = {0}, entries[5] = {0},
                 draws[GRAPH_TABLES_MAX] = {0};
        OK(sampler_gpu(x, s->a.id[g], s->a.train[g], s->a.train_count[g], 3, &err));
        for (uint64_t task = 0; task < 3 * sampler_batches(x); task++) {
            types_sheet_wipe(&c, &s->g, w.hops);
            sampler_run(x, task, task + 1, &c);
            for (int k = 0; k < s->g.tables; k++)
                for (uint64_t i = 0; i < s->g.table[k].count; i++) {
                    const struct row_table *t = &s->g.table[k];
                    bool copied = t->kind == ROWS_TOPOLOGY && s->p.access != ACCESS_GPU;
                    int holder = server_of_row(&s->p, &s->g, g, t->first + i);
                    int from = !copied                          ? holder
                               : s->p.access == ACCESS_SAMPLERS ? 0
                                                                : -1,
                        source = from < 0 ? s->a.gpus : from;
                    uint64_t n = 0, cost = 0, useful = 0, drawn = 0;
                    if (t->kind == ROWS_TOPOLOGY)
                        for (int h = 0; h < w.hops; h++) {
                            uint64_t v = sample_row_visits(&s->g, &w, c.visits[h], t->of, h, i);
                            n += v;
                            drawn += v * drawn_of(&w, t->of, h, relation_degree(&s->g.relation[t->of], i));
                            entries[holder < 0 ? s->a.gpus : holder] += v * bytes_of_visit(&s->g, &w, t->of, h, i);
                        }
                    if (t->kind == ROWS_TOPOLOGY) {
                        if (w.together) drawn = c.draws[t->first + i];
                        useful = 16 * n + 4 * drawn;
                        draws[k] += drawn;
                        cost = c.lines[t->first + i];
                    }
                    if (t->kind == ROWS_FEATURE && t->row_bytes) n = c.feature[s->g.type[t->of].first + i];
                    if (t->kind == ROWS_EDGE) n = c.edge[s->g.relation[t->of].first_edge + i];
                    if (t->kind != ROWS_TOPOLOGY) cost = n * plain_lines(i * t->row_bytes, t->row_bytes, 64);
                    if (t->kind != ROWS_TOPOLOGY) useful = n * (from >= 0 ? t->cached_bytes : t->row_bytes);
                    reads[k][from == g ? READ_OWN : from < 0 ? READ_HOST : READ_PEER] += n;
                    lines[k] += from < 0 ? cost : 0;
                    bytes[source] += useful;
                }
        }
        for (int k = 0; k < s->g.tables; k++) {
            const struct table_reads *y = &r->table[g * r->tables + k];
            if (s->g.table[k].kind == ROWS_TOPOLOGY && s->p.access != ACCESS_GPU)
                lines[k] = (8 * draws[k] + 63) / 64; /* blocks that are copied */
            EQUAL(y->transactions, lines[k], "seed %d GPU %d table %d", (int)seed, g, k);
            for (int j = 0; j < 3; j++)
                EQUAL(y->reads[j], reads[k][j], "seed %d GPU %d table %d source %d", (int)seed, g, k, j);
        }
        for (int j = 0; j <= s->a.gpus && !w.together; j++)
            EQUAL(r->gpu[g].entries[j], entries[j], "seed %d GPU %d: bytes of entries", (int)seed, g);
        for (int j = 0; j <= s->a.gpus; j++)
            EQUAL(replay_feature_bytes(&r->gpu[g], &s->g, r->gpus, j) + 16 * r->gpu[g].visits[j] +
                      4 * r->gpu[g].draws[j],
                  bytes[j], "seed %d GPU %d", (int)seed, g);
    }
    types_sheet_drop(&c);
    sampler_free(x);
}

/* What caching every row saves is what a placement without it leaves, when all GPUs reach each other. */
static void same_benefit(const struct scene *s, const struct replay_request *q, const struct replay *r, int seed)
{
    uint64_t *topology = calloc(s->g.topology_rows + 1, sizeof *topology),
             *feature = calloc(graph_feature_rows(&s->g) + 1, sizeof *feature), left = 0, counted = 0;
    uint8_t *where = calloc(graph_items(&s->g) + 1, 1);
    OK(replay_benefit(q, &topology, &feature, &err));
    placement_locate_items(&s->p, 0, &s->g, where);
    for (uint64_t i = 0; i < graph_items(&s->g); i++)
        left += where[i] ? 0 : i < s->g.topology_rows ? topology[i] : feature[i - s->g.topology_rows];
    for (int k = 0; k < r->gpus * r->tables; k++) counted += r->table[k].transactions;
    EQUAL(counted, left, "seed %d", seed);
    free(topology);
    free(feature);
    free(where);
}

/* ---- the same executed by the CPU: equal counts, and every gathered row is as it must be ---- */

static void executed(const struct scene *s, const struct replay_request *q, const struct replay *r, int seed)
{
    struct workload w = s->w;
    struct execute_rows *rows = NULL;
    struct execution x = {0};
    struct execute_memory need;
    struct plan *plan = mem_array(1, sizeof *plan, "a test", &err); /* borrows everything */
    int tables;
    w.seed = q->seed;
    plan->placement = s->p;
    plan->assignment = s->a;
    plan->workload = w;
    plan->line_bytes = 64;
    for (int g = 0; g < s->a.gpus; g++) plan->budget[g] = 1 << 30;
    OK(execute_rows_list(&s->g, 64, seed % 4 ? 0 : 1 << 14, &rows, &tables, &err));
    const struct execute_request e = {.setup = {.plan = plan,
                                                .graph = &s->g,
                                                .workload = &w,
                                                .epochs = 3,
                                                .rows = rows,
                                                .tables = tables,
                                                .threads = q->threads},
                                      .executor = &executor_cpu,
                                      .only = -1,
                                      .check = CHECK_ALL};
    execute_memory(&e, &need);
    mem_peak_reset();
    uint64_t before = mem_in_use();
    OK(execute_run(&e, &x, &err));
    uint64_t took = mem_peak() - before;
    HOLDS(took <= need.host + need.features + (64 << 10), "seed %d: took %d KiB, %d were foretold", seed,
          (int)(took >> 10), (int)((need.host + need.features) >> 10));
    for (int g = 0; g < r->gpus; g++) {
        const struct execute_batch *sum = &x.gpu[g].sum;
        uint64_t bytes = 0, useful = 0, all = 0, lines = 0;
        for (int k = 0; k < r->tables; k++) {
            const struct table_reads *y = &r->table[g * r->tables + k], *z = &x.gpu[g].table[k];
            HOLDS(!memcmp(y->reads, z->reads, sizeof y->reads), "seed %d GPU %d table %d: other reads", seed, g, k);
            EQUAL(z->transactions, y->transactions, "seed %d GPU %d table %d", seed, g, k);
            lines += s->g.table[k].kind == ROWS_TOPOLOGY ? 0 : z->transactions;
        }
        for (int t = 0; t < TIERS; t++) {
            bytes += sum->bytes[t];
            all += sum->rows[t];
        }
        for (int from = 0; from <= r->gpus; from++) useful += r->gpu[g].feature_bytes[from];
        EQUAL(bytes, useful, "seed %d GPU %d: bytes of rows", seed, g);
        EQUAL(sum->feature, lines, "seed %d GPU %d", seed, g);
        EQUAL(sum->topology, r->gpu[g].topology, "seed %d GPU %d", seed, g);
        EQUAL(sum->verified, all, "seed %d GPU %d: every row is compared", seed, g);
        EQUAL(sum->wrong, 0, "seed %d GPU %d: wrong rows", seed, g);
    }
    execution_release(&x);
    mem_free(rows);
    mem_free(plan);
}

static void random_placements_are_counted(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(120); i++) {
        struct dice d = {test_seed(i)};
        struct scene s;
        struct replay r = {0};
        const struct placement *one = &s.p;
        const uint64_t budget[4] = {1 << 30, 1 << 30, 1 << 30, 1 << 30};
        scene_make(&s, &d);
        const struct replay_request q = {.graph = &s.g,
                                         .assignment = &s.a,
                                         .workload = &s.w,
                                         .line_bytes = 64,
                                         .epochs = 3,
                                         .seed = i + 1000,
                                         .threads = 1 + (int)(i % 3)};
        OK(plan_check_placement(&s.p, &s.g, s.a.id, budget, 1, &err));
        OK(replay_run(&q, &one, 1, &r, &err));
        recount(&s, i + 1000, &r);
        executed(&s, &q, &r, (int)i);
        if (s.p.access == ACCESS_GPU && s.a.cliques == 1) same_benefit(&s, &q, &r, (int)i);
        replay_release(&r);
        scene_drop(&s);
    }
}

/* ---- one type and one relation ---- */

/* The loads of both, replayed and recorded, for the time model. */
static void same_loads(const struct replay_request *q, const struct replay_request *z, const struct placement *p,
                       const struct replay *a, const struct replay *b, int seed)
{
    struct epoch_load *x = mem_array(2, sizeof *x, "a test", &err);
    struct trace one = {0}, other = {0};
    const struct trace_options o = {.epochs = 2,
                                    .line_bytes = 64,
                                    .threads = 1,
                                    .server_name = "",
                                    .server_fingerprint = ""};
    epoch_load_of(p, NULL, NULL, a, q->graph, q->workload, 64, &x[0]);
    epoch_load_of(p, NULL, NULL, b, z->graph, z->workload, 64, &x[1]);
    if (a->gpu[0].rows[2] && a->gpu[1].rows[2])
        HOLDS(!memcmp(&x[0], &x[1], sizeof *x), "seed %d: other loads for the time model", seed);
    OK(trace_record(q->graph, q->assignment, q->workload, &o, &one, &err));
    OK(trace_record(z->graph, z->assignment, z->workload, &o, &other, &err));
    epoch_load_recorded(q->graph, &one, 1, &x[0]);
    epoch_load_recorded(z->graph, &other, 1, &x[1]);
    HOLDS(!memcmp(&x[0], &x[1], sizeof *x), "seed %d: other recorded loads", seed);
    trace_release(&one);
    trace_release(&other);
    mem_free(x);
}

static void one_type_is_the_homogeneous_replay(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(40); i++) {
        struct dice d = {test_seed(i)};
        struct graph g;
        struct graph h;
        struct arcs a = {0};
        struct assignment who = {.gpus = 2, .cliques = 1, .id = {0, 1}};
        struct placement p = {.gpus = 2, .peers = {1, 1}, .peer = {{1}, {0}}};
        struct replay out = {0}, again = {0};
        const struct placement *one = &p;
        graph_shape(&g, (enum shape)dice_below(&d, SHAPES), dice_range(&d, 4, 80), &d, dice_range(&d, 1, 40), 4);
        struct workload w = {.hops = 2,
                             .fanout = {3, 2},
                             .batch = dice_range(&d, 1, 9),
                             .frontier = dice_chance(&d, 0.5) ? FRONTIER_ALL : FRONTIER_NEW};
        p.access = dice_chance(&d, 0.3) ? ACCESS_CPU : ACCESS_GPU;
        for (uint64_t x = 0; x < g.n; x++)
            for (int64_t e = g.indptr[x]; e < g.indptr[x + 1]; e++) arcs_add(&a, x, g.indices[e]);
        types_begin(&h, 1, &g.n);
        types_feature(&h.type[0].features, g.feature_dim, 4);
        types_relate(&h, 0, 0, &a, 0);
        OK(graph_list_tables(&h, &err));
        for (int k = 0; k < 2; k++) who.train[k] = mem_array(g.n, sizeof(uint32_t), "a test", &err);
        for (uint32_t x = 0; x < g.n; x++) who.train[x % 2][who.train_count[x % 2]++] = x;
        for (uint32_t x = 0; x < g.n; x++)
            for (int k = 0; k < 2; k++) {
                if (dice_chance(&d, 0.3)) OK(row_list_add(&p.topology[k], x, &err));
                if (dice_chance(&d, 0.3)) OK(row_list_add(&p.feature[k], x, &err));
            }
        const struct replay_request q =
            {.graph = &g, .assignment = &who, .workload = &w, .line_bytes = 64, .epochs = 2, .seed = i, .threads = 2};
        struct replay_request z = q;
        z.graph = &h;
        OK(replay_run(&q, &one, 1, &out, &err));
        OK(replay_run(&z, &one, 1, &again, &err));
        same_loads(&q, &z, &p, &out, &again, (int)i);
        for (int k = 0; k < 2; k++) {
            const struct table_reads *t = again.table + (ptrdiff_t)k * again.tables;
            EQUAL(t[0].transactions, out.gpu[k].topology, "seed %d", (int)i);
            EQUAL(t[1].transactions, out.gpu[k].feature, "seed %d", (int)i);
            EQUAL(t[0].reads[READ_OWN], out.gpu[k].visits[k], "seed %d", (int)i);
            EQUAL(t[1].reads[READ_PEER], out.gpu[k].rows[1 - k], "seed %d", (int)i);
            for (int from = 0; from <= 2; from++)
                EQUAL(again.gpu[k].feature_bytes[from], replay_feature_bytes(&out.gpu[k], &g, 2, from), "seed %d",
                      (int)i);
            EQUAL(again.gpu[k].vertices, out.gpu[k].rows[0] + out.gpu[k].rows[1] + out.gpu[k].rows[2], "seed %d",
                  (int)i);
            again.gpu[k].vertices = 0;
            memset(again.gpu[k].feature_bytes, 0, sizeof again.gpu[k].feature_bytes);
            HOLDS(!memcmp(&again.gpu[k], &out.gpu[k], sizeof out.gpu[k]), "seed %d: other sums of GPU %d", (int)i, k);
        }
        HOLDS(out.interval_known == again.interval_known, "seed %d", (int)i);
        if (out.interval_known) HOLDS(out.low == again.low && out.high == again.high, "seed %d", (int)i);
        replay_release(&out);
        replay_release(&again);
        placement_release(&p);
        assignment_release(&who);
        graph_drop(&g);
        types_drop(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_placements_are_counted),
                                       cmocka_unit_test(one_type_is_the_homogeneous_replay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
