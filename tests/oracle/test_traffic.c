/* What moves, counted again slowly: every read of every mini-batch by itself, ways found by trying all paths (rules:
 * simulator/movement/traffic.h, routes.h). */
#include <math.h>
#include "simulator/movement/movement.h"
#include "simulator/movement/traffic.h"
#include "tests/oracle/instance.h"
#include "traces/sampling/seeds.h"
#include "tests/oracle/simulated_of.h"

enum { MOST = 9, HOST = MOST, VERTICES = 90 };
static struct err err;
static struct server server;
static struct graph graph;
static struct plan plan;
static struct traffic found;

/* ---- ways: every path without a GPU twice ---- */

/* What the plan lets one know of the links. */
static int stated(int a, int b)
{
    int width = 0;
    for (int k = 0; k < 2; k++) {
        int from = k ? b : a, to = k ? a : b;
        for (int i = 0; i < plan.placement.peers[from]; i++)
            if (plan.placement.peer[from][i] == to && plan.links[from][to] > width) width = plan.links[from][to];
    }
    return width;
}

struct best {
    int first, narrowest;
};

/* Tries every path of exactly `left` more links from `at` to `to`. */
static void try_paths(int at, int to, int left, unsigned used, int first, int narrowest, struct best *best)
{
    if (!left) {
        if (at != to) return;
        bool better = best->first < 0 || narrowest > best->narrowest ||
                      (narrowest == best->narrowest && plan.assignment.id[first] < plan.assignment.id[best->first]);
        if (better) *best = (struct best){first, narrowest};
        return;
    }
    for (int k = 0; k < plan.placement.gpus; k++) {
        int width = stated(at, k);
        if (!width || used >> k & 1) continue;
        try_paths(k, to, left - 1, used | 1u << k, first < 0 ? k : first, width < narrowest ? width : narrowest, best);
    }
}

/* The GPUs behind `from` on the way to `to`, into way; returns how many, 0 when none leads there. */
static int find_way(int from, int to, int *way)
{
    for (int links = 1; links < plan.placement.gpus; links++) {
        struct best best = {-1, 0};
        try_paths(from, to, links, 1u << from, -1, 1000, &best);
        if (best.first < 0) continue;
        way[0] = best.first;
        return links == 1 ? 1 : 1 + find_way(best.first, to, way + 1);
    }
    return 0;
}

/* ---- the slow count ---- */

struct slow {
    uint64_t pcie[MOST][TRAFFIC_KINDS][4]; /* transactions, useful, lines, wire */
    uint64_t written[4];
    uint64_t link[MOST][MOST], hop_bytes; /* hop_bytes: bytes times the links of their way */
    uint64_t between[2];                  /* topology, feature */
    uint64_t method[TRAFFIC_METHODS][3];  /* pcie, nvlink, links; needed bytes of ideal in [0] */
};
static struct slow want;
static int way_of[MOST][MOST][MOST], ways[MOST][MOST];

static void find_ways(void)
{
    for (int a = 0; a < plan.placement.gpus; a++)
        for (int b = 0; b < plan.placement.gpus; b++) ways[a][b] = a == b ? 0 : find_way(a, b, way_of[a][b]);
}

static void over_links(int reader, int holder, uint64_t bytes, bool answer)
{
    int at = reader;
    for (int i = 0; i < ways[reader][holder]; i++) {
        int next = way_of[reader][holder][i];
        want.link[answer ? next : at][answer ? at : next] += bytes;
        want.hop_bytes += bytes;
        at = next;
    }
    EQUAL(at, holder, "a way from %d", reader);
}

static int holder_of(const uint8_t holds[MOST][VERTICES], int g, uint64_t v)
{
    int best = HOST;
    if (holds[g][v]) return g;
    for (int i = 0; i < plan.placement.peers[g]; i++) {
        int p = plan.placement.peer[g][i];
        if (!holds[p][v]) continue;
        if (best == HOST || plan.links[g][p] > plan.links[g][best] ||
            (plan.links[g][p] == plan.links[g][best] && plan.assignment.id[p] < plan.assignment.id[best]))
            best = p;
    }
    return best;
}

static void method(enum traffic_method m, uint64_t pcie, uint64_t nvlink, int links)
{
    want.method[m][0] += pcie;
    want.method[m][1] += nvlink;
    want.method[m][2] += nvlink * (uint64_t)links;
}

/* One mini-batch's visits of one vertex in one hop: `visits` of them, `draws` entries drawn, `lines` touched. */
static void visit(int g, int at, uint64_t v, int hop, uint64_t visits, uint64_t draws, uint64_t lines)
{
    const struct workload *w = &plan.workload;
    bool weights = w->sampler == SAMPLER_BIASED, labor = w->sampler == SAMPLER_LABOR,
         layer = w->sampler == SAMPLER_LAYER_WISE || w->sampler == SAMPLER_LAYER_WISE_REPLACE;
    uint64_t packet = plan.line_bytes + 18, degree = degree_of(&graph, v), read = 4 * draws;
    bool samples = plan.placement.access == ACCESS_GPU;
    if (weights && degree > w->fanout[hop]) read = visits * 8 * degree;
    if (labor) read = visits * 4 * degree;
    method(TRAFFIC_IDEAL, 16 * visits + 4 * draws, 0, 0);
    method(TRAFFIC_UVA, lines * packet, 0, 0);
    if (!samples || at == HOST) {
        method(TRAFFIC_PULL, lines * packet, 0, 0);
        method(TRAFFIC_PUSH, lines * packet, 0, 0);
        if (!samples) return;
        uint64_t *host = want.pcie[g][TRAFFIC_TOPOLOGY];
        host[0] += lines;
        host[1] += 16 * visits + 4 * draws;
        host[2] += lines * plan.line_bytes;
        host[3] += lines * packet;
        method(TRAFFIC_TAKEN, lines * packet, 0, 0);
        return;
    }
    if (at == g) return;
    uint64_t there = (layer ? 8 : 4) * visits,
             back = (labor && w->labor_iterations ? read : 4 * draws) + (layer ? 4 * visits : 0),
             peer = 16 * visits + read;
    method(TRAFFIC_PULL, 0, visits * (16 + (weights ? 8 : 4) * degree), ways[g][at]);
    method(TRAFFIC_PUSH, 0, there + back, ways[g][at]);
    method(TRAFFIC_TAKEN, 0, plan.placement.pushes ? there + back : peer, ways[g][at]);
    over_links(g, at, plan.placement.pushes ? back : peer, true);
    if (plan.placement.pushes) over_links(g, at, there, false);
    want.between[0] += plan.placement.pushes ? there + back : peer;
}

static void feature(int g, int from, uint64_t v)
{
    uint64_t lines = plain_lines(v * graph.row_bytes, graph.row_bytes, plan.line_bytes),
             *host = want.pcie[g][TRAFFIC_FEATURE];
    if (from == HOST) {
        host[0] += lines;
        host[1] += graph.row_bytes;
        host[2] += lines * plan.line_bytes;
        host[3] += plan.placement.copies_features ? 0 : lines * (plan.line_bytes + 18);
    } else if (from != g) {
        over_links(g, from, graph.row_bytes, true);
        want.between[1] += graph.row_bytes;
    }
}

/* Packets of a copy: put together one by one. */
static uint64_t copy(uint64_t bytes)
{
    uint64_t wire = 0;
    for (uint64_t left = bytes; left; left -= left < 128 ? left : 128) wire += (left < 128 ? left : 128) + 18;
    return wire;
}

static void settle_copies(int g, uint64_t draws)
{
    uint64_t *rows = want.pcie[g][TRAFFIC_FEATURE], *blocks = want.pcie[g][TRAFFIC_BLOCKS],
             lines = (8 * draws + plan.line_bytes - 1) / plan.line_bytes;
    if (plan.placement.copies_features) rows[3] = copy(rows[1]);
    if (plan.placement.access == ACCESS_GPU) return;
    const uint64_t block[4] = {lines, 8 * draws, lines * plan.line_bytes, copy(8 * draws)};
    for (int k = 0; k < 4; k++) {
        blocks[k] = block[k];
        if (plan.placement.access == ACCESS_SAMPLERS) want.written[k] += block[k];
    }
    method(TRAFFIC_TAKEN, block[3] * (plan.placement.access == ACCESS_SAMPLERS ? 2 : 1), 0, 0);
}

/* Counts of a run of one mini-batch. A vertex is visited in one hop or, under `all` and by walks, in several: lines
 * of the mini-batch are shared out by giving all to the first hop, which changes no sum. */
static void count_batch(const struct tally_sheet *sheet, int g, const uint8_t topology[MOST][VERTICES],
                        const uint8_t features[MOST][VERTICES], uint64_t *draws)
{
    for (uint64_t v = 0; v < graph.n; v++) {
        int at = holder_of(topology, g, v);
        uint64_t lines = sheet->c.lines[v], drawn = sheet->c.draws ? sheet->c.draws[v] : 0;
        if (sheet->c.feature[v]) feature(g, holder_of(features, g, v), v);
        for (int h = 0; h < plan.workload.hops; h++) {
            uint64_t visits = sheet->c.visits[h][v], degree = degree_of(&graph, v),
                     k = degree < plan.workload.fanout[h] ? degree : plan.workload.fanout[h];
            if (!visits) continue;
            if (!sheet->c.draws) drawn = visits * k;
            visit(g, at, v, h, visits, drawn, lines);
            *draws += drawn;
            lines = drawn = 0;
        }
    }
}

static void count_slowly(uint64_t epochs, uint64_t seed, const uint8_t topology[MOST][VERTICES],
                         const uint8_t features[MOST][VERTICES])
{
    struct workload w = plan.workload;
    struct sampler *s = NULL;
    struct tally_sheet sheet;
    memset(&want, 0, sizeof want);
    find_ways();
    w.seed = seed;
    OK(sampler_new(&graph, &w, plan.line_bytes, 1, &s, &err));
    sheet_new(&sheet, graph.n, w.hops);
    if (workload_counts_draws(&w)) sheet.c.draws = calloc(graph.n, sizeof(uint32_t));
    for (int g = 0; g < plan.assignment.gpus; g++) {
        uint64_t draws = 0;
        OK(sampler_gpu(s, plan.assignment.id[g], plan.assignment.train[g], plan.assignment.train_count[g], epochs,
                       &err));
        for (uint64_t task = 0; task < epochs * sampler_batches(s); task++) {
            sheet_clear(&sheet);
            if (sheet.c.draws) memset(sheet.c.draws, 0, graph.n * sizeof(uint32_t));
            sampler_run(s, task, task + 1, &sheet.c);
            count_batch(&sheet, g, topology, features, &draws);
        }
        settle_copies(g, draws);
    }
    free(sheet.c.draws);
    sheet_free(&sheet);
    sampler_free(s);
}

/* ---- random plans ---- */

static bool reachable(int a, int b)
{
    unsigned seen = 1u << a;
    for (int round = 0; round < server.gpus; round++)
        for (int x = 0; x < server.gpus; x++)
            for (int y = 0; y < server.gpus; y++)
                if ((seen >> x & 1) && server.links[x][y]) seen |= 1u << y;
    return seen >> b & 1;
}

/* Peers: the clique; whoever a link leads to; or whoever can be reached at all. */
static void make_plan(struct dice *d)
{
    int how = (int)dice_below(d, 3);
    struct assignment *a = &plan.assignment;
    memset(&plan, 0, sizeof plan);
    plan.line_bytes = server.line_bytes;
    a->gpus = plan.placement.gpus = server.gpus;
    a->cliques = server.cliques;
    for (int i = 0; i < a->gpus; i++) {
        a->id[i] = (int)((unsigned)server.gpu[i].id * 37 % 101); /* distinct below 101, not ascending */
        a->clique_of[i] = server.clique_of[i];
        plan.pcie_switch[i] = server.gpu[i].pcie_switch;
        plan.socket[i] = server.gpu[i].socket;
        for (int b = 0; b < a->gpus; b++) {
            bool peer = how == 0   ? server.clique_of[i] == server.clique_of[b]
                        : how == 1 ? server.links[i][b] > 0
                                   : reachable(i, b);
            plan.links[i][b] = server.links[i][b];
            if (i != b && peer) plan.placement.peer[i][plan.placement.peers[i]++] = b;
        }
    }
    plan_order_peers(&plan);
    for (int i = 0; i < a->gpus; i++) {
        uint32_t mine[VERTICES];
        uint64_t k = 0;
        for (uint64_t v = 0; v < graph.train_count; v++)
            if (graph.train[v] % (uint64_t)a->gpus == (uint64_t)i) mine[k++] = graph.train[v];
        OK(assignment_set_train(a, i, mine, k, graph.n, "a test", &err));
    }
}

static void random_rows(struct row_list *lists, uint8_t holds[MOST][VERTICES], double density, struct dice *d)
{
    memset(holds, 0, MOST * VERTICES);
    for (int g = 0; g < plan.assignment.gpus; g++)
        for (uint32_t v = 0; v < graph.n; v++)
            if ((holds[g][v] = dice_chance(d, density))) OK(row_list_add(&lists[g], v, &err));
}

static void random_workload(struct dice *d, uint64_t seed, float *weights)
{
    struct workload *w = &plan.workload;
    *w = (struct workload){.hops = (int)dice_range(d, 1, 3),
                           .batch = dice_range(d, 1, 12),
                           .frontier = dice_chance(d, 0.4) ? FRONTIER_ALL : FRONTIER_NEW,
                           .seed = seed,
                           .sampler = (enum sampler_kind)(seed % SAMPLER_TEMPORAL)};
    for (int h = 0; h < w->hops; h++) w->fanout[h] = (uint32_t)dice_range(d, 1, 5);
    if (w->sampler == SAMPLER_WALK)
        *w = (struct workload){.hops = w->hops,
                               .fanout = {1, 1, 1},
                               .batch = w->batch,
                               .seed = seed,
                               .sampler = SAMPLER_WALK,
                               .walks = (uint32_t)dice_range(d, 1, 3),
                               .restart = 0.2};
    if (w->sampler == SAMPLER_LABOR) w->labor_iterations = (int)dice_range(d, 0, 2);
    if (w->sampler != SAMPLER_BIASED) return;
    for (uint64_t e = 0; e < graph.m; e++) weights[e] = (float)dice_range(d, 0, 4);
    graph.weights = weights;
    graph.weight_bytes = 4;
}

/* ---- verdicts ---- */

static void judge_pcie(uint64_t seed)
{
    for (int g = 0; g < plan.assignment.gpus; g++)
        for (int k = 0; k < TRAFFIC_KINDS; k++) {
            const struct traffic_pcie *x = &found.pcie[g][k];
            const uint64_t *y = want.pcie[g][k];
            bool read = k == TRAFFIC_TOPOLOGY || (k == TRAFFIC_FEATURE && !plan.placement.copies_features);
            EQUAL(x->transactions, y[0], "seed %d: GPU %d, kind %d", (int)seed, g, k);
            EQUAL(x->useful, y[1], "seed %d: GPU %d, kind %d", (int)seed, g, k);
            EQUAL(x->lines, y[2], "seed %d: GPU %d, kind %d", (int)seed, g, k);
            EQUAL(x->wire, y[3], "seed %d: GPU %d, kind %d", (int)seed, g, k);
            if (plan.workload.sampler != SAMPLER_LAYER_WISE_REPLACE || k != TRAFFIC_TOPOLOGY)
                HOLDS(x->wire >= x->useful && x->lines >= x->useful, "seed %d: GPU %d", (int)seed, g);
            HOLDS(!read || x->wire >= x->lines, "seed %d: GPU %d", (int)seed, g);
        }
    EQUAL(found.written.wire, want.written[3], "seed %d", (int)seed);
    EQUAL(found.written.useful, want.written[1], "seed %d", (int)seed);
    EQUAL(found.written.transactions, want.written[0], "seed %d", (int)seed);
    EQUAL(found.written.lines, want.written[2], "seed %d", (int)seed);
}

static void judge_links(uint64_t seed)
{
    uint64_t sum = 0;
    for (int a = 0; a < plan.assignment.gpus; a++)
        for (int b = 0; b < plan.assignment.gpus; b++) {
            EQUAL(found.link[a][b], want.link[a][b], "seed %d: link %d to %d", (int)seed, a, b);
            EQUAL(found.passed[a][b], want.link[a][b] > 0, "seed %d: link %d to %d", (int)seed, a, b);
            HOLDS(!found.link[a][b] || stated(a, b), "seed %d: bytes pass from %d to %d without a link", (int)seed, a,
                  b);
            EQUAL(found.routes.hops[a][b], ways[a][b], "seed %d: way of %d to %d", (int)seed, a, b);
            sum += found.link[a][b];
        }
    EQUAL(sum, want.hop_bytes, "seed %d: links carry bytes times hops", (int)seed);
    EQUAL(found.topology, want.between[0], "seed %d", (int)seed);
    EQUAL(found.feature, want.between[1], "seed %d", (int)seed);
    HOLDS(sum >= found.topology + found.feature, "seed %d", (int)seed);
}

static void judge_methods(uint64_t seed)
{
    EQUAL(found.sampling[TRAFFIC_IDEAL].needed, want.method[TRAFFIC_IDEAL][0], "seed %d", (int)seed);
    for (int m = TRAFFIC_UVA; m < TRAFFIC_METHODS; m++) {
        EQUAL(found.sampling[m].pcie, want.method[m][0], "seed %d: method %d", (int)seed, m);
        EQUAL(found.sampling[m].nvlink, want.method[m][1], "seed %d: method %d", (int)seed, m);
        EQUAL(found.sampling[m].links, want.method[m][2], "seed %d: method %d", (int)seed, m);
    }
}

static uint64_t number(const doc *d, const char *key)
{
    HOLDS(doc_is_integer(doc_get(d, key)), "%s is missing", key);
    return (uint64_t)doc_integer_value(doc_get(d, key), -1);
}

static void judge_places(const doc *list, const int *place, const char *key, const doc *gpus)
{
    if (place[0] < 0) {
        assert_true(doc_is_null(list));
        return;
    }
    uint64_t listed = 0;
    for (uint64_t i = 0; i < doc_size(list); i++) {
        uint64_t wire = 0, transactions = 0;
        for (int g = 0; g < plan.assignment.gpus; g++) {
            if (place[g] != (int)number(doc_at(list, i), key)) continue;
            wire += number(doc_get(doc_at(gpus, (uint64_t)g), "total"), "wire_bytes");
            transactions += number(doc_get(doc_at(gpus, (uint64_t)g), "total"), "transactions");
            listed++;
        }
        EQUAL(number(doc_at(list, i), "wire_bytes"), wire, "%s", key);
        EQUAL(number(doc_at(list, i), "transactions"), transactions, "%s", key);
        if (i) HOLDS(number(doc_at(list, i - 1), key) < number(doc_at(list, i), key), "%s", key);
    }
    EQUAL(listed, plan.assignment.gpus, "%s", key);
}

/* Stated numbers are means of the sums, and totals are sums of what is stated. */
static void judge_document(const struct replay *r, uint64_t seed)
{
    static const char *const part[] = {"topology", "feature", "blocks"}, *const field[] = {"transactions",
                                                                                           "useful_bytes", "line_bytes",
                                                                                           "wire_bytes"};
    doc *simulated = simulated_of(&plan, r, &graph);
    const doc *d = doc_get(simulated, "movement"), *pcie = doc_get(d, "pcie"), *gpus = doc_get(pcie, "gpus"),
              *nvlink = doc_get(d, "nvlink"), *links = doc_get(nvlink, "links");
    uint64_t all[4] = {0}, total = 0, most = 0, count = 0;
    for (int g = 0; g < plan.assignment.gpus; g++) {
        const doc *x = doc_at(gpus, (uint64_t)g),
                  *told = doc_get(doc_at(doc_get(simulated, "gpus"), (uint64_t)g), "transactions");
        EQUAL(number(x, "id"), plan.assignment.id[g], "seed %d", (int)seed);
        for (int f = 0; f < 4; f++) {
            uint64_t sum = 0;
            for (int k = 0; k < TRAFFIC_KINDS; k++) {
                EQUAL(number(doc_get(x, part[k]), field[f]),
                      plain_round((__int128)want.pcie[g][k][f], (__int128)r->epochs), "seed %d: GPU %d, %s, %s",
                      (int)seed, g, part[k], field[f]);
                sum += number(doc_get(x, part[k]), field[f]);
            }
            EQUAL(number(doc_get(x, "total"), field[f]), sum, "seed %d: GPU %d, %s", (int)seed, g, field[f]);
            all[f] += sum;
        }
        EQUAL(number(doc_get(x, "total"), "transactions"), number(told, "total"), "seed %d: GPU %d", (int)seed, g);
    }
    for (int f = 0; f < 4; f++)
        EQUAL(number(doc_get(doc_get(pcie, "total"), "total"), field[f]), all[f], "seed %d: %s", (int)seed, field[f]);
    if (all[1])
        assert_true(fabs(doc_real_value(doc_get(doc_get(pcie, "total"), "read_amplification"), -1) -
                         (double)all[3] / (double)all[1]) < 1e-6);
    else assert_true(doc_is_null(doc_get(doc_get(pcie, "total"), "read_amplification")));
    judge_places(doc_get(pcie, "switches"), plan.pcie_switch, "switch", gpus);
    judge_places(doc_get(pcie, "sockets"), plan.socket, "socket", gpus);
    for (int a = 0; a < plan.assignment.gpus; a++)
        for (int b = 0; b < plan.assignment.gpus; b++) {
            uint64_t bytes = plain_round((__int128)want.link[a][b], (__int128)r->epochs);
            if (!want.link[a][b]) continue;
            const doc *one = doc_at(links, count++);
            EQUAL(number(one, "from"), plan.assignment.id[a], "seed %d", (int)seed);
            EQUAL(number(one, "to"), plan.assignment.id[b], "seed %d", (int)seed);
            EQUAL(number(one, "bytes"), bytes, "seed %d", (int)seed);
            EQUAL(number(one, "nvlinks"), stated(a, b), "seed %d", (int)seed);
            total += bytes;
            most = bytes > most ? bytes : most;
        }
    EQUAL(doc_size(links), count, "seed %d", (int)seed);
    EQUAL(number(nvlink, "total_bytes"), total, "seed %d", (int)seed);
    if (most) EQUAL(number(doc_get(nvlink, "max_per_link"), "bytes"), most, "seed %d", (int)seed);
    else assert_true(doc_is_null(doc_get(nvlink, "max_per_link")));
    struct simulated_sums sums = {.nvlink = 0};
    OK(movement_sum(&plan, r, &graph, &sums, &err));
    doc *totals = movement_totals(&sums);
    EQUAL(number(totals, "pcie_wire_bytes"), all[3], "seed %d", (int)seed);
    EQUAL(number(totals, "nvlink_bytes"), total, "seed %d", (int)seed);
    EQUAL(number(totals, "max_link_bytes"), most, "seed %d", (int)seed);
    doc_free(totals);
    doc_free(simulated);
}

static void moves_what_is_counted_slowly(void **state)
{
    static const enum topology_access access[] = {ACCESS_GPU, ACCESS_GPU, ACCESS_GPU, ACCESS_CPU, ACCESS_SAMPLERS};
    int far = 0;
    (void)state;
    for (uint64_t i = 0; i < test_rounds(150); i++) {
        uint64_t seed = test_seed(i), epochs;
        struct dice d = {seed * 977 + 5};
        static uint8_t topology[MOST][VERTICES], features[MOST][VERTICES];
        struct replay out = {0};
        graph_shape(&graph, (enum shape)dice_below(&d, SHAPES), dice_range(&d, 2, VERTICES), &d, dice_range(&d, 1, 40),
                    1 + dice_below(&d, 4));
        server_random(&server, &d);
        float *weights = calloc(graph.m + 1, sizeof *weights);
        make_plan(&d);
        random_workload(&d, seed, weights);
        plan.placement.access = access[seed / SAMPLER_TEMPORAL % COUNT_OF(access)];
        plan.placement.pushes = dice_chance(&d, 0.5);
        plan.placement.copies_features = dice_chance(&d, 0.3);
        random_rows(plan.placement.topology, topology, plan.placement.access == ACCESS_GPU ? 0.3 : 0, &d);
        random_rows(plan.placement.feature, features, 0.3, &d);
        epochs = dice_range(&d, 1, 3);
        const struct placement *list = &plan.placement;
        struct replay_request r =
            {&graph, &plan.assignment, &plan.workload, plan.line_bytes, epochs, seed + 500, 2, false, NULL, NULL};
        OK(replay_run(&r, &list, 1, &out, &err));
        traffic_make(&plan, &out, &graph, &found);
        count_slowly(epochs, seed + 500, topology, features);
        judge_pcie(seed);
        judge_links(seed);
        judge_methods(seed);
        judge_document(&out, seed);
        for (int a = 0; a < server.gpus; a++)
            for (int b = 0; b < server.gpus; b++) far += ways[a][b] > 1 && want.link[way_of[a][b][0]][a] > 0;
        replay_release(&out);
        plan_release(&plan);
        free(weights);
        graph_drop(&graph);
    }
    if (test_rounds(150) > 1) HOLDS(far > 50, "ways over several links are hardly met: %d", far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_what_is_counted_slowly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
