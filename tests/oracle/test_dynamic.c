/* Dynamic caches on sampled mini-batches: streams against the counting sampler, and every count of dynamic_run
 * against textbook lists. */
#include "base/mem.h"
#include "simulator/caches/dynamic.h"
#include "tests/oracle/caches.h"
#include "tests/oracle/instance.h"

static struct err err;
static struct server server;
static struct assignment who;
static struct graph graph;
static struct workload workload;

/* A small graph, server, deal of training vertices and workload; few enough rows for the textbook lists. */
static void make(uint64_t seed)
{
    struct dice d = {seed};
    uint64_t n = dice_range(&d, 2, 40);
    graph_shape(&graph, (enum shape)dice_below(&d, SHAPES), n, &d, dice_range(&d, 1, 20), 4);
    graph_trains(&graph, &d, 0.5);
    server_random(&server, &d);
    memset(&who, 0, sizeof who);
    who.gpus = server.gpus;
    who.cliques = server.cliques;
    uint32_t set[64];
    for (int g = 0; g < who.gpus; g++) {
        uint64_t count = 0;
        who.id[g] = server.gpu[g].id;
        who.clique_of[g] = server.clique_of[g];
        for (uint64_t i = 0; i < graph.train_count; i++)
            if ((int)(i % (uint64_t)who.gpus) == g) set[count++] = graph.train[i];
        OK(assignment_set_train(&who, g, set, count, n, "a test", &err));
    }
    workload = (struct workload){.hops = (int)dice_range(&d, 1, 2),
                                 .fanout = {2, 2},
                                 .batch = dice_range(&d, 1, 4),
                                 .frontier = dice_chance(&d, 0.5) ? FRONTIER_ALL : FRONTIER_NEW,
                                 .seed = 1};
}

static struct replay_request request(uint64_t epochs, int threads)
{
    return (struct replay_request){.graph = &graph,
                                   .assignment = &who,
                                   .workload = &workload,
                                   .line_bytes = 32,
                                   .epochs = epochs,
                                   .seed = 99,
                                   .threads = threads};
}

/* A mini-batch of a stream holds exactly what the counting sampler counts for that task, each once, seeds first. */
static void judge_batches(const struct stream *s, const struct replay_request *r)
{
    struct sampler *sampler;
    struct tally_sheet sheet;
    struct workload w = workload;
    w.seed = r->seed;
    sheet_new(&sheet, graph.n, w.hops);
    OK(sampler_new(&graph, &w, r->line_bytes, 1, &sampler, &err));
    for (uint64_t b = 0; b < s->batches; b++) {
        const struct stream_batch *k = &s->batch[b];
        int g = (int)k->reader;
        uint64_t distinct = 0, count = stream_end(s, b) - k->from;
        OK(sampler_gpu(sampler, who.id[g], who.train[g], who.train_count[g], r->epochs, &err));
        sheet_clear(&sheet);
        uint64_t task = k->epoch * sampler_batches(sampler) + k->number;
        sampler_run(sampler, task, task + 1, &sheet.c);
        for (uint64_t v = 0; v < graph.n; v++) distinct += sheet.c.feature[v];
        EQUAL(count, distinct, "mini-batch %d", (int)b);
        uint64_t seeds = 0;
        for (uint64_t i = 0; i < count; i++) {
            uint32_t v = s->id[k->from + i];
            EQUAL(sheet.c.feature[v], 1, "mini-batch %d, request %d", (int)b, (int)i);
            sheet.c.feature[v] = 0;
            if (i == seeds && sheet.c.visits[0][v]) seeds++;
        }
        for (uint64_t v = 0; v < graph.n; v++) seeds -= sheet.c.visits[0][v];
        EQUAL(seeds, 0, "mini-batch %d begins with its seeds", (int)b);
    }
    sampler_free(sampler);
    sheet_free(&sheet);
}

static void judge_order(const struct stream *s, const int *readers, int count, uint64_t epochs)
{
    uint64_t at = 0;
    for (uint64_t e = 0; e < epochs; e++)
        for (uint64_t number = 0, some = 1; some; number++) {
            some = 0;
            for (int i = 0; i < count; i++) {
                if (number * workload.batch >= who.train_count[readers[i]]) continue;
                some = 1;
                HOLDS(at < s->batches, "mini-batches are missing");
                EQUAL(s->batch[at].epoch, e, "mini-batch %d", (int)at);
                EQUAL(s->batch[at].number, number, "mini-batch %d", (int)at);
                EQUAL(s->batch[at].reader, readers[i], "mini-batch %d", (int)at);
                at++;
            }
        }
    EQUAL(at, s->batches, "mini-batches beyond the last");
}

static void test_streams(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(40); i++) {
        make(test_seed(i));
        struct replay_request r = request(2, 1 + (int)(i % 3));
        struct progress bar = {0};
        for (int shared = 0; shared < 2; shared++)
            for (int unit = 0; unit < (shared ? who.cliques : who.gpus); unit++) {
                struct stream s = {0};
                int readers[GPUS_MAX], count = dynamic_readers(&who, shared, unit, readers);
                OK(stream_draw(&r, readers, count, &bar, &s, &err));
                judge_batches(&s, &r);
                judge_order(&s, readers, count, 2);
                stream_release(&s);
            }
        assignment_release(&who);
        graph_drop(&graph);
    }
}

/* What dynamic_run must count for one cache, by textbook lists. */
static void add_expected(const struct plain_rule *rule, const struct replay_request *r, bool shared, enum admission how,
                         int rows, int unit, uint64_t sums[][GPUS_MAX + 2], uint64_t *admitted)
{
    struct stream s = {0};
    struct progress bar = {0};
    int readers[GPUS_MAX], members = dynamic_readers(&who, shared, unit, readers), ends[PLAIN_REQUESTS],
                           capacity = rows * members;
    uint8_t hit[PLAIN_REQUESTS];
    OK(stream_draw(r, readers, members, &bar, &s, &err));
    HOLDS(s.requests <= PLAIN_REQUESTS, "the test's instance is too large: %d", (int)s.requests);
    for (uint64_t b = 0; b < s.batches; b++) ends[b] = (int)stream_end(&s, b);
    plain_run(rule, s.id, (int)s.requests, ends, how == ADMISSION_BATCH ? (int)s.batches : 0,
              capacity < PLAIN_IDS ? capacity : PLAIN_IDS, hit);
    for (uint64_t b = 0; b < s.batches; b++)
        for (uint64_t i = s.batch[b].from; i < stream_end(&s, b); i++) {
            uint64_t *to = sums[s.batch[b].reader];
            if (hit[i]) to[readers[s.id[i] % (uint32_t)members]]++;
            else {
                to[who.gpus]++;
                to[who.gpus + 1] += plain_lines(s.id[i] * graph.row_bytes, graph.row_bytes, r->line_bytes);
                *admitted += capacity > 0;
            }
        }
    stream_release(&s);
}

static void judge_dynamic(uint64_t seed, const struct plain_rule *rule, bool shared, enum admission how, int rows,
                          const struct placement *p, int threads)
{
    const struct cache *c, *twice[2];
    struct replay out[2] = {0}, bare = {0};
    struct dynamic_counts counts[2] = {0};
    static uint64_t sums[9][GPUS_MAX + 2];
    uint64_t admitted = 0;
    struct replay_request r = request(2, threads);
    OK(cache_find(rule->name, &c, &err));
    twice[0] = twice[1] = c;
    uint64_t capacity[2][GPUS_MAX];
    struct dynamic_request d = {.rows = (const uint64_t(*)[GPUS_MAX])capacity,
                                .replay = &r,
                                .placement = p,
                                .shared = shared,
                                .admission = how,
                                .cache = twice,
                                .count = 2};
    for (int g = 0; g < who.gpus; g++) capacity[0][g] = capacity[1][g] = (uint64_t)rows;
    memset(sums, 0, sizeof sums);
    for (int u = 0; u < (shared ? who.cliques : who.gpus); u++)
        add_expected(rule, &r, shared, how, rows, u, sums, &admitted);
    OK(dynamic_run(&d, out, counts, &err));
    OK(replay_run(&r, &p, 1, &bare, &err)); /* its topology counts are the judge's own */
    for (int k = 0; k < 2; k++) {
        for (int g = 0; g < who.gpus; g++) {
            for (int s = 0; s <= who.gpus; s++) {
                EQUAL(out[k].gpu[g].rows[s], sums[g][s], "seed %d, %s: rows of reader %d from %d", (int)seed,
                      rule->name, g, s);
                EQUAL(out[k].gpu[g].visits[s], bare.gpu[g].visits[s], "seed %d: visits", (int)seed);
            }
            EQUAL(out[k].gpu[g].feature, sums[g][who.gpus + 1], "seed %d, %s: transactions of reader %d", (int)seed,
                  rule->name, g);
            EQUAL(out[k].gpu[g].topology, bare.gpu[g].topology, "seed %d: topology", (int)seed);
        }
        EQUAL(counts[k].rows.admitted, admitted, "seed %d, %s", (int)seed, rule->name);
        EQUAL(counts[k].capacity, rows * who.gpus, "seed %d, %s", (int)seed, rule->name);
        HOLDS(!out[k].interval_known, "seed %d: an interval for a cache that warms up", (int)seed);
        replay_release(&out[k]);
    }
    replay_release(&bare);
}

static void test_dynamic(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(20); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed + 5000};
        static struct placement p;
        make(seed);
        p.gpus = who.gpus;
        for (int g = 0; g < who.gpus; g++) /* features that must not count, topology that must */
            for (uint32_t v = 0; v < graph.n; v++) {
                if (dice_chance(&d, 0.2)) OK(row_list_add(&p.feature[g], v, &err));
                if (dice_chance(&d, 0.2)) OK(row_list_add(&p.topology[g], v, &err));
            }
        for (const struct plain_rule *rule = plain_rules; rule->name; rule++)
            judge_dynamic(seed, rule, dice_chance(&d, 0.5), (enum admission)dice_below(&d, 2), (int)dice_below(&d, 12),
                          &p, dice_chance(&d, 0.8) ? 1 : 2);
        placement_release(&p);
        assignment_release(&who);
        graph_drop(&graph);
    }
}

/* Draws a cache's requests in two replays, one behind the other: ids, and where mini-batches end. Returns the first
 * mini-batch of the second. */
static int draw_twice(const struct replay_request r[2], bool shared, int unit, uint32_t *ids, int *ends, int *readers,
                      int *batches)
{
    struct progress bar = {0};
    int members = dynamic_readers(&who, shared, unit, readers), at = 0, second = 0;
    *batches = 0;
    for (int k = 0; k < 2; k++) {
        struct stream s = {0};
        OK(stream_draw(&r[k], readers, members, &bar, &s, &err));
        HOLDS(at + (int)s.requests <= PLAIN_REQUESTS, "the test's instance is too large: %d", at + (int)s.requests);
        memcpy(ids + at, s.id, s.requests * sizeof *ids);
        if (k) second = *batches;
        for (uint64_t b = 0; b < s.batches; b++) ends[(*batches)++] = at + (int)stream_end(&s, b);
        at += (int)s.requests;
        stream_release(&s);
    }
    return second;
}

/* A cache that goes on: hits of the second replay are those of one list over both. */
static void test_warm(void **state)
{
    (void)state;
    static uint32_t ids[PLAIN_REQUESTS];
    static int ends[PLAIN_REQUESTS];
    static uint8_t hit[PLAIN_REQUESTS];
    uint64_t seen = 0;
    for (uint64_t i = 0; i < test_rounds(30); i++) {
        static struct placement p;
        make(test_seed(i));
        p.gpus = who.gpus;
        bool shared = i % 2;
        const struct plain_rule *rule = &plain_rules[i % 2]; /* the first two */
        const struct cache *c;
        struct replay_request r[2] = {request(1, 1), request(1, 2)};
        struct stream before[GPUS_MAX] = {{0}};
        uint64_t capacity[1][GPUS_MAX];
        for (int g = 0; g < who.gpus; g++) capacity[0][g] = 5;
        OK(cache_find(rule->name, &c, &err));
        r[1].seed = 77;
        struct replay out[2] = {{0}};
        for (int k = 0; k < 2; k++) {
            struct dynamic_counts counts = {0};
            struct dynamic_request d = {.rows = (const uint64_t(*)[GPUS_MAX])capacity,
                                        .replay = &r[k],
                                        .placement = &p,
                                        .shared = shared,
                                        .admission = ADMISSION_BATCH,
                                        .cache = &c,
                                        .count = 1,
                                        .before = before};
            OK(dynamic_run(&d, &out[k], &counts, &err));
        }
        uint64_t hits = 0, expected = 0;
        for (int g = 0; g < who.gpus; g++)
            for (int s = 0; s < who.gpus; s++) hits += out[1].gpu[g].rows[s];
        for (int u = 0; u < (shared ? who.cliques : who.gpus); u++) {
            int readers[GPUS_MAX], batches, second = draw_twice(r, shared, u, ids, ends, readers, &batches),
                                            members = dynamic_readers(&who, shared, u, readers);
            int last = batches ? ends[batches - 1] : 0;
            plain_run(rule, ids, last, ends, batches, 5 * members < PLAIN_IDS ? 5 * members : PLAIN_IDS, hit);
            for (int q = second ? ends[second - 1] : 0; q < last; q++) expected += hit[q];
        }
        EQUAL(hits, expected, "seed %d, %s: hits of a cache that goes on", (int)test_seed(i), rule->name);
        seen += expected;
        for (int k = 0; k < 2; k++) replay_release(&out[k]);
        for (int u = 0; u < GPUS_MAX; u++) stream_release(&before[u]);
        placement_release(&p);
        assignment_release(&who);
        graph_drop(&graph);
    }
    HOLDS(seen > 0, "no cache had a hit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams), cmocka_unit_test(test_dynamic),
                                       cmocka_unit_test(test_warm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
