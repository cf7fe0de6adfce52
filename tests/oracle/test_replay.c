/* The judge judged: random placements replayed mini-batch by mini-batch with tables of who holds what, and every
 * number of the simulated document worked out again (model/transactions.md and model/replay.md). */
#include <math.h>
#include "simulator/plan/plan.h"
#include "simulator/replay/replay_interval.h"
#include "simulator/replay/replay_left.h"
#include "tests/oracle/instance.h"
#include "tests/oracle/simulated_of.h"

static struct err err;
static struct server server;
static struct plan plan;

/* holds[g][v], per kind: the same content as the placement's lists. */
struct tables {
    uint8_t topology[9][400], feature[9][400];
};
struct sums {
    uint64_t rows[10], visits[10], draws[10], topology, feature;
};

/* GPU that serves reader g, or `gpus` for the host: own memory, else the clique's holder with most links, then the
 * lowest id. */
static int serves(const uint8_t holds[9][400], int g, uint64_t v, bool peers)
{
    int best = plan.assignment.gpus;
    if (holds[g][v]) return g;
    for (int p = 0; p < plan.assignment.gpus && peers; p++) {
        if (p == g || server.clique_of[p] != server.clique_of[g] || !holds[p][v]) continue;
        if (best == plan.assignment.gpus || server.links[g][p] > server.links[g][best] ||
            (server.links[g][p] == server.links[g][best] && plan.assignment.id[p] < plan.assignment.id[best]))
            best = p;
    }
    return best;
}

static void replay_slowly(const struct graph *g, const struct workload *w, uint64_t epochs, uint64_t seed,
                          const struct tables *t, bool peers, struct sums *out)
{
    struct workload own = *w;
    struct sampler *s = NULL;
    struct tally_sheet sheet;
    own.seed = seed;
    OK(sampler_new(g, &own, plan.line_bytes, 1, &s, &err));
    sheet_new(&sheet, g->n, w->hops);
    for (int r = 0; r < plan.assignment.gpus; r++) {
        OK(sampler_gpu(s, plan.assignment.id[r], plan.assignment.train[r], plan.assignment.train_count[r], epochs,
                       &err));
        for (uint64_t task = 0; task < epochs * sampler_batches(s); task++) {
            sheet_clear(&sheet);
            sampler_run(s, task, task + 1, &sheet.c);
            for (uint64_t v = 0; v < g->n; v++) {
                int from = serves(t->feature, r, v, peers), at = serves(t->topology, r, v, peers);
                if (sheet.c.feature[v]) {
                    out[r].rows[from]++;
                    if (from == plan.assignment.gpus)
                        out[r].feature += plain_lines(v * g->row_bytes, g->row_bytes, plan.line_bytes);
                }
                for (int h = 0; h < w->hops; h++) {
                    uint64_t degree = degree_of(g, v), k = degree < w->fanout[h] ? degree : w->fanout[h];
                    out[r].visits[at] += sheet.c.visits[h][v];
                    out[r].draws[at] += k * sheet.c.visits[h][v];
                }
                if (at == plan.assignment.gpus) out[r].topology += sheet.c.lines[v];
            }
        }
    }
    sheet_free(&sheet);
    sampler_free(s);
}

/* Lists of random content for every GPU, in `tables` too. density: share of the vertices that a GPU holds. */
static void random_placement(struct placement *p, struct tables *t, uint64_t n, double density, struct dice *d)
{
    memset(t, 0, sizeof *t);
    for (int g = 0; g < plan.assignment.gpus; g++)
        for (uint32_t v = 0; v < n; v++) {
            if ((t->topology[g][v] = dice_chance(d, density))) OK(row_list_add(&p->topology[g], v, &err));
            if ((t->feature[g][v] = dice_chance(d, density))) OK(row_list_add(&p->feature[g], v, &err));
        }
}

/* GPUs of the random server, ids in any order, training vertices dealt by chance. */
static void begin_plan(const struct graph *g, struct dice *d)
{
    memset(&plan, 0, sizeof plan);
    plan.line_bytes = server.line_bytes;
    struct assignment *a = &plan.assignment;
    a->gpus = plan.placement.gpus = server.gpus;
    a->cliques = server.cliques;
    for (int i = 0; i < a->gpus; i++) {
        a->id[i] = (int)((unsigned)server.gpu[i].id * 37 % 101); /* distinct below 101, not ascending */
        a->clique_of[i] = server.clique_of[i];
        plan.pcie_switch[i] = server.gpu[i].pcie_switch;
        plan.socket[i] = server.gpu[i].socket;
        for (int b = 0; b < a->gpus; b++) {
            plan.links[i][b] = server.links[i][b];
            if (i != b && server.clique_of[i] == server.clique_of[b])
                plan.placement.peer[i][plan.placement.peers[i]++] = b;
        }
    }
    plan_order_peers(&plan);
    uint32_t *mine = calloc(g->n, sizeof *mine);
    for (int i = 0; i < a->gpus; i++) {
        uint64_t k = 0;
        for (uint64_t v = 0; v < g->train_count; v++)
            if (g->train[v] % (uint64_t)a->gpus == (uint64_t)i && i != 1)
                mine[k++] = g->train[v]; /* GPU 1 trains nothing */
        OK(assignment_set_train(a, i, mine, k, g->n, "a test", &err));
    }
    free(mine);
    (void)d;
}

static int64_t number(const doc *d, const char *key)
{
    HOLDS(doc_is_integer(doc_get(d, key)), "%s is missing", key);
    return doc_integer_value(doc_get(d, key), -1);
}

static void judge_document(const struct replay *r, const struct graph *g, const struct sums *s, uint64_t seed)
{
    doc *d = simulated_of(&plan, r, g);
    int gpus = plan.assignment.gpus;
    uint64_t topology = 0, feature = 0, rows = 0, host_rows = 0, visits = 0, host_visits = 0, each[9];
    for (int i = 0; i < gpus; i++) {
        const doc *x = doc_at(doc_get(d, "gpus"), (uint64_t)i),
                  *line = doc_at(doc_get(d, "traffic_bytes"), (uint64_t)i), *tr = doc_get(x, "transactions");
        uint64_t peer_rows = 0, peer_visits = 0, t = plain_round(s[i].topology, r->epochs),
                 f = plain_round(s[i].feature, r->epochs);
        for (int from = 0; from <= gpus; from++) {
            rows += s[i].rows[from];
            visits += s[i].visits[from];
            if (from != i && from < gpus) {
                peer_rows += s[i].rows[from];
                peer_visits += s[i].visits[from];
            }
            EQUAL(doc_integer_value(doc_at(line, (uint64_t)from), -1),
                  g->row_bytes * s[i].rows[from] + 16 * s[i].visits[from] + 4 * s[i].draws[from],
                  "seed %d: traffic of %d from %d", (int)seed, i, from);
        }
        assert_int_equal(doc_size(line), gpus + 1);
        EQUAL(number(x, "id"), plan.assignment.id[i], "seed %d", (int)seed);
        EQUAL(number(doc_get(x, "feature_rows"), "local"), s[i].rows[i], "seed %d", (int)seed);
        EQUAL(number(doc_get(x, "feature_rows"), "peer"), peer_rows, "seed %d", (int)seed);
        EQUAL(number(doc_get(x, "feature_rows"), "host"), s[i].rows[gpus], "seed %d", (int)seed);
        EQUAL(number(doc_get(x, "topology_visits"), "local"), s[i].visits[i], "seed %d", (int)seed);
        EQUAL(number(doc_get(x, "topology_visits"), "peer"), peer_visits, "seed %d", (int)seed);
        EQUAL(number(doc_get(x, "topology_visits"), "host"), s[i].visits[gpus], "seed %d", (int)seed);
        EQUAL(number(tr, "topology"), t, "seed %d", (int)seed);
        EQUAL(number(tr, "feature"), f, "seed %d", (int)seed);
        EQUAL(number(tr, "total"), t + f, "seed %d", (int)seed);
        host_rows += s[i].rows[gpus];
        host_visits += s[i].visits[gpus];
        topology += t;
        feature += f;
        each[i] = t + f;
    }
    EQUAL(number(d, "topology_transactions"), topology, "seed %d", (int)seed);
    EQUAL(number(d, "feature_transactions"), feature, "seed %d", (int)seed);
    EQUAL(number(d, "total_transactions"), topology + feature, "seed %d", (int)seed);
    if (rows)
        assert_true(fabs(doc_real_value(doc_get(d, "feature_hit_rate"), -1) -
                         (double)(rows - host_rows) / (double)rows) < 1e-9);
    if (visits)
        assert_true(fabs(doc_real_value(doc_get(d, "topology_hit_rate"), -1) -
                         (double)(visits - host_visits) / (double)visits) < 1e-9);
    for (int kind = 0; kind < 2; kind++) {
        const int *place = kind ? plan.socket : plan.pcie_switch;
        const doc *found = doc_get(d, kind ? "max_per_socket" : "max_per_switch");
        uint64_t most = 0;
        for (int at = 0; at < 8; at++) {
            uint64_t sum = 0;
            for (int i = 0; i < gpus; i++) sum += place[i] == at ? each[i] : 0;
            most = sum > most ? sum : most;
        }
        if (place[0] < 0) assert_true(doc_is_null(found));
        else EQUAL(doc_integer_value(found, -1), most, "seed %d: kind %d", (int)seed, kind);
    }
    doc_free(d);
}

static void random_placements(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 131 + 7};
        struct graph g;
        uint64_t n = dice_range(&d, 2, 220), epochs = dice_range(&d, 1, 4), held_out = dice_below(&d, 1000);
        static struct tables t[2];
        struct sums slow[9];
        struct replay out[3] = {{0}};
        graph_shape(&g, (enum shape)dice_below(&d, SHAPES), n, &d, dice_range(&d, 1, 40),
                    1 + dice_below(&d, 4)); /* rows of odd sizes */
        if (dice_chance(&d, 0.5)) graph_trains(&g, &d, 0.3);
        server_random(&server, &d);
        begin_plan(&g, &d);
        struct workload w = {.hops = (int)dice_range(&d, 1, 3),
                             .fanout = {5, 3, 2},
                             .batch = dice_range(&d, 1, 12),
                             .frontier = dice_chance(&d, 0.5) ? FRONTIER_ALL : FRONTIER_NEW,
                             .seed = 999999};
        struct placement *other = calloc(1, sizeof *other), *empty = calloc(1, sizeof *empty);
        random_placement(&plan.placement, &t[0], n, 0.3, &d);
        other->gpus = empty->gpus = server.gpus; /* no peers */
        random_placement(other, &t[1], n, 0.6, &d);
        const struct placement *list[] = {&plan.placement, other, empty};
        struct replay_request r =
            {&g,  &plan.assignment, &w, plan.line_bytes, epochs, held_out, 1 + (int)dice_below(&d, 2), false, NULL,
             NULL};
        OK(replay_run(&r, list, 3, out, &err));
        for (int p = 0; p < 3; p++) {
            static const struct tables nothing;
            uint64_t total = 0;
            memset(slow, 0, sizeof slow);
            replay_slowly(&g, &w, epochs, held_out, p < 2 ? &t[p] : &nothing, p == 0, slow);
            for (int x = 0; x < server.gpus; x++) {
                const struct replay_gpu *f = &out[p].gpu[x];
                for (int from = 0; from <= server.gpus; from++) {
                    EQUAL(f->rows[from], slow[x].rows[from], "seed %d: placement %d, reader %d, source %d", (int)seed,
                          p, x, from);
                    EQUAL(f->visits[from], slow[x].visits[from], "seed %d: placement %d, reader %d, source %d",
                          (int)seed, p, x, from);
                    EQUAL(f->draws[from], slow[x].draws[from], "seed %d: placement %d, reader %d, source %d", (int)seed,
                          p, x, from);
                }
                EQUAL(f->topology, slow[x].topology, "seed %d: placement %d, reader %d", (int)seed, p, x);
                EQUAL(f->feature, slow[x].feature, "seed %d: placement %d, reader %d", (int)seed, p, x);
                total += f->topology + f->feature;
            }
            double mean = (double)total / (double)epochs;
            if (out[p].interval_known)
                assert_true(out[p].low <= mean + 1e-6 && mean <= out[p].high + 1e-6 && out[p].low >= 0);
            assert_int_equal(out[p].epochs, epochs);
            assert_int_equal(out[p].seed, held_out);
            if (p == 0) judge_document(&out[p], &g, slow, seed);
            replay_release(&out[p]);
        }
        placement_release(other);
        free(other);
        free(empty);
        plan_release(&plan);
        graph_drop(&g);
    }
}

/* What groups leave to the host, row by row, on any number of threads; graphs that are looked at in several pieces. */
static void what_is_left_to_the_host(void **state)
{
    enum { MOST = 1700, PLACEMENTS = 3 };
    static uint32_t feature[MOST], lines[MOST];
    static uint8_t source[2 * PLACEMENTS][MOST];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(40); i++) {
        struct dice d = {test_seed(i) * 17 + 3};
        const uint8_t *where[2 * PLACEMENTS];
        uint64_t left[PLACEMENTS], expected[PLACEMENTS] = {0};
        const struct tally_problem p = {.n = dice_range(&d, 1, MOST),
                                        .row_bytes = dice_range(&d, 1, 700),
                                        .line_bytes = 4 * dice_range(&d, 4, 40),
                                        .placements = PLACEMENTS,
                                        .sources = 4,
                                        .where = where};
        for (uint64_t v = 0; v < p.n; v++) {
            feature[v] = dice_chance(&d, 0.5) ? (uint32_t)dice_below(&d, 1u << 31) : 0;
            lines[v] = feature[v] ? (uint32_t)dice_below(&d, UINT32_MAX) : 0;
        }
        for (int k = 0; k < 2 * PLACEMENTS; k++) {
            where[k] = source[k];
            for (uint64_t v = 0; v < p.n; v++) {
                source[k][v] = dice_chance(&d, 0.5) ? (uint8_t)dice_below(&d, 4) : 0;
                uint64_t each = k % 2 ? plain_lines(v * p.row_bytes, p.row_bytes, p.line_bytes) * feature[v] : lines[v];
                expected[k / 2] += source[k][v] ? 0 : each;
            }
        }
        replay_left(&p, &(struct tally_counts){.feature = feature, .lines = lines}, 1 + (int)(i % 3), left);
        for (int k = 0; k < PLACEMENTS; k++) EQUAL(left[k], expected[k], "seed %d: placement %d", (int)i, k);
    }
}

/* The interval of a placement from mini-batches that were counted one by one: the variance of up to eight groups of
 * each reader, which follow each other. */
static void judge_interval(const struct replay_request *r, const struct placement *p, const struct replay *found,
                           int seed)
{
    enum { MOST = 400 };
    static struct replay batch[MOST];
    struct spread spreads[9] = {{0}};
    struct replay expected = *found;
    uint64_t count = 0;
    memset(batch, 0, sizeof batch);
    OK(replay_batches(r, p, MOST, batch, &count, &err));
    for (int x = 0; x < r->assignment->gpus; x++) {
        uint64_t own = 0;
        while (own < count && batch[own].gpu[x].batches) own++;
        for (uint64_t groups = own < 8 ? own : 8, j = 0; j < groups; j++) {
            uint64_t from = own * j / groups, to = own * (j + 1) / groups, sum = 0;
            for (uint64_t b = from; b < to; b++) sum += batch[b].gpu[x].topology + batch[b].gpu[x].feature;
            spread_add(&spreads[x], (double)sum / (double)(to - from) * ((double)own / (double)groups));
        }
    }
    replay_interval(spreads, r->assignment, &expected);
    EQUAL(found->interval_known, expected.interval_known, "seed %d", seed);
    if (found->interval_known)
        HOLDS(found->low == expected.low && found->high == expected.high, "seed %d: %g to %g, not %g to %g", seed,
              found->low, found->high, expected.low, expected.high);
    for (uint64_t b = 0; b < count; b++) replay_release(&batch[b]);
}

static void intervals_are_of_groups_of_mini_batches(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 37 + 5};
        struct graph g;
        uint64_t n = dice_range(&d, 20, 220);
        static struct tables t;
        struct replay out[2] = {{0}};
        graph_shape(&g, (enum shape)dice_below(&d, SHAPES), n, &d, dice_range(&d, 1, 40), 1 + dice_below(&d, 4));
        server_random(&server, &d);
        begin_plan(&g, &d);
        struct workload w = {.hops = 2,
                             .fanout = {5, 3},
                             .batch = dice_range(&d, 1, 6),
                             .frontier = dice_chance(&d, 0.5) ? FRONTIER_ALL : FRONTIER_NEW,
                             .seed = 999999};
        struct placement *empty = calloc(1, sizeof *empty);
        random_placement(&plan.placement, &t, n, 0.3, &d);
        empty->gpus = server.gpus;
        const struct placement *list[] = {&plan.placement, empty};
        struct replay_request r = {.graph = &g,
                                   .assignment = &plan.assignment,
                                   .workload = &w,
                                   .line_bytes = plan.line_bytes,
                                   .epochs = 1,
                                   .seed = dice_below(&d, 1000),
                                   .threads = 1 + (int)dice_below(&d, 9)};
        OK(replay_run(&r, list, 2, out, &err));
        for (int p = 0; p < 2; p++) {
            judge_interval(&r, list[p], &out[p], (int)seed);
            replay_release(&out[p]);
        }
        free(empty);
        plan_release(&plan);
        graph_drop(&g);
    }
}

/* CPU sampling and sampler GPUs: features as ever; topology is 8 bytes per draw, copied from the host, in whole
 * lines. */
static void blocks_that_are_copied(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct dice d = {seed + 3};
        struct graph g;
        static struct tables t;
        struct sums slow[9];
        struct replay out = {0};
        memset(slow, 0, sizeof slow);
        graph_shape(&g, (enum shape)(seed % SHAPES), 80, &d, 7, 4);
        server_random(&server, &d);
        begin_plan(&g, &d);
        struct workload w = {.hops = 2, .fanout = {4, 3}, .batch = 9, .seed = 1};
        random_placement(&plan.placement, &t, 80, 0.4, &d);
        for (int i = 0; i < server.gpus; i++) plan.placement.topology[i].count = 0;
        memset(t.topology, 0, sizeof t.topology);
        plan.placement.access = ACCESS_CPU;
        const struct placement *list = &plan.placement;
        struct replay_request r = {&g, &plan.assignment, &w, plan.line_bytes, 2, 50 + seed, 2, false, NULL, NULL};
        OK(replay_run(&r, &list, 1, &out, &err));
        replay_slowly(&g, &w, 2, 50 + seed, &t, true, slow);
        doc *document = simulated_of(&plan, &out, &g);
        for (int i = 0; i < server.gpus; i++) {
            uint64_t draws = slow[i].draws[server.gpus];
            EQUAL(out.gpu[i].feature, slow[i].feature, "seed %d", (int)seed);
            EQUAL(out.gpu[i].topology, plain_lines(0, 8 * draws, plan.line_bytes), "seed %d: %d draws", (int)seed,
                  (int)draws);
            for (int from = 0; from <= server.gpus; from++)
                EQUAL(doc_integer_value(doc_at(doc_at(doc_get(document, "traffic_bytes"), (uint64_t)i), (uint64_t)from),
                                        -1),
                      g.row_bytes * slow[i].rows[from] + (from == server.gpus ? 8 * draws : 0), "seed %d: %d from %d",
                      (int)seed, i, from);
        }
        if (doc_is_number(doc_get(document, "topology_hit_rate")))
            assert_true(doc_real_value(doc_get(document, "topology_hit_rate"), 1) == 0);
        doc_free(document);
        replay_release(&out);
        plan_release(&plan);
        graph_drop(&g);
    }
}

/* What a row would save: the difference that holding exactly that row makes. */
static void benefit_is_the_difference_one_row_makes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct dice d = {seed + 90};
        struct graph g;
        uint64_t *topology[9], *feature[9];
        graph_shape(&g, (enum shape)(seed % SHAPES), 14, &d, 5, 3);
        server_random(&server, &d);
        begin_plan(&g, &d);
        struct workload w = {.hops = 2, .fanout = {2, 3}, .batch = 2, .seed = 1};
        struct replay_request r = {&g, &plan.assignment, &w, plan.line_bytes, 2, seed, 2, false, NULL, NULL};
        for (int c = 0; c < server.cliques; c++) {
            topology[c] = calloc(g.n, sizeof **topology);
            feature[c] = calloc(g.n, sizeof **feature);
        }
        OK(replay_benefit(&r, topology, feature, &err));
        const struct placement *list = &plan.placement;
        for (int c = 0; c < server.cliques; c++)
            for (uint32_t v = 0; v < g.n; v++)
                for (int kind = 0; kind < 2; kind++) {
                    struct replay without = {0}, with = {0};
                    struct row_list *l = kind ? &plan.placement.topology[server.clique[c][0]]
                                              : &plan.placement.feature[server.clique[c][0]];
                    uint64_t saved = 0;
                    l->count = 0;
                    OK(replay_run(&r, &list, 1, &without, &err));
                    OK(row_list_add(l, v, &err));
                    OK(replay_run(&r, &list, 1, &with, &err));
                    l->count = 0;
                    for (int i = 0; i < server.gpus; i++)
                        saved += without.gpu[i].topology + without.gpu[i].feature - with.gpu[i].topology -
                                 with.gpu[i].feature;
                    EQUAL(saved, kind ? topology[c][v] : feature[c][v], "seed %d: clique %d, vertex %u, kind %d",
                          (int)seed, c, v, kind);
                    replay_release(&without);
                    replay_release(&with);
                }
        for (int c = 0; c < server.cliques; c++) {
            free(topology[c]);
            free(feature[c]);
        }
        plan_release(&plan);
        graph_drop(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_placements), cmocka_unit_test(what_is_left_to_the_host),
                                       cmocka_unit_test(intervals_are_of_groups_of_mini_batches),
                                       cmocka_unit_test(blocks_that_are_copied),
                                       cmocka_unit_test(benefit_is_the_difference_one_row_makes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
