/* What every plan must obey, whatever the policy: random graphs, random servers, random budgets. A failure prints its
 * seed. */
#include <math.h>
#include "simulator/movement/movement.h"
#include "simulator/movement/simulated.h"
#include "tests/oracle/case.h"

enum { MOST = 9, POLICIES = 32 };
static struct err err;
static struct server server;
static struct graph graph;

static uint64_t total_of(const struct study_cell *c) { return c->plan.simulated->sums.transactions.total; }

static uint64_t held_bytes(const struct plan *p, int g)
{
    uint64_t bytes = p->placement.feature[g].count * graph.row_bytes;
    for (uint64_t i = 0; i < p->placement.topology[g].count; i++)
        bytes += 4 * degree_of(&graph, p->placement.topology[g].id[i]) + 8;
    return bytes;
}

static uint64_t all_bytes(void) { return 4 * graph.m + 8 * graph.n + graph.n * graph.row_bytes; }

static void begin(uint64_t seed, struct dice *d, uint64_t n_most)
{
    d->at = seed * 4099 + 13;
    graph_shape(&graph, (enum shape)dice_below(d, SHAPES), dice_range(d, 1, n_most), d, dice_range(d, 1, 40),
                1 + dice_below(d, 4));
    if (dice_chance(d, 0.7)) graph_trains(&graph, d, 0.4);
    server_random(&server, d);
}

static void plan_and_simulate(struct study *s, struct study_cell *cells, int count)
{
    OK(study_plan_all(s, cells, count, &err));
    OK(study_simulate(s, cells, count, &err));
}

static void release(struct study *s, struct study_cell *cells, int count)
{
    for (int i = 0; i < count; i++) study_cell_release(&cells[i]);
    study_end(s);
    graph_drop(&graph);
}

/* ---- budgets, lists, sums ---- */

static void judge_lists(const struct study_cell *c, const uint64_t *memory, uint64_t seed)
{
    const struct plan *p = &c->plan;
    uint8_t *seen = malloc(graph.n);
    int samplers = policy_samplers(c->policy, &server, NULL);
    for (int g = 0; g < server.gpus; g++) {
        uint64_t given = c->budget.kind == BUDGET_MEMORY || g < samplers
                             ? memory[g]
                             : c->budget.bytes; /* a sampler GPU has all that is not reserved */
        EQUAL(p->budget[g], given, "seed %d: %s, GPU %d", (int)seed, c->policy->name, g);
        HOLDS(held_bytes(p, g) <= p->budget[g], "seed %d: %s holds %d bytes on GPU %d, its budget is %d", (int)seed,
              c->policy->name, (int)held_bytes(p, g), g, (int)p->budget[g]);
        for (int kind = 0; kind < 2; kind++) {
            const struct row_list *l = kind ? &p->placement.topology[g] : &p->placement.feature[g];
            memset(seen, 0, graph.n);
            for (uint64_t i = 0; i < l->count; i++) {
                HOLDS(l->id[i] < graph.n && !seen[l->id[i]], "seed %d: %s, GPU %d holds %u twice, or nobody has it",
                      (int)seed, c->policy->name, g, l->id[i]);
                seen[l->id[i]] = 1;
            }
        }
        for (int i = 0; i < p->placement.peers[g]; i++)
            HOLDS((server.links[g][p->placement.peer[g][i]] || !strcmp(c->policy->name, "dsp")) &&
                      p->placement.peer[g][i] != g,
                  "seed %d: %s, GPU %d reads from where it has no link", (int)seed, c->policy->name, g);
    }
    free(seen);
}

static int64_t place(const doc *gpu, const char *kind, const char *where)
{
    return doc_integer_value(doc_get(doc_get(gpu, kind), where), -1);
}

/* Reads of own memory, peers and host are all reads: those of an empty cache; bytes likewise. */
static void judge_sums(const struct study_cell *c, const struct study_cell *empty, uint64_t seed)
{
    OWNED_DOC doc *mine = simulated_document(&c->plan, c->plan.simulated, &graph, false),
                  *none = simulated_document(&empty->plan, empty->plan.simulated, &graph, false);
    uint64_t total = 0;
    for (int g = 0; g < server.gpus; g++) {
        const doc *x = doc_at(doc_get(mine, "gpus"), (uint64_t)g), *y = doc_at(doc_get(none, "gpus"), (uint64_t)g);
        int64_t bytes = 0, expected = 0, own = 0;
        for (int k = 0; k < 2; k++) {
            const char *kind = k ? "topology_visits" : "feature_rows";
            EQUAL(place(x, kind, "local") + place(x, kind, "peer") + place(x, kind, "host"), place(y, kind, "host"),
                  "seed %d: %s of GPU %d under %s", (int)seed, kind, g, c->policy->name);
            EQUAL(place(y, kind, "local") + place(y, kind, "peer"), 0, "seed %d: nothing is cached", (int)seed);
        }
        for (int s = 0; s <= server.gpus; s++) {
            bytes += doc_integer_value(doc_at(doc_at(doc_get(mine, "traffic_bytes"), (uint64_t)g), (uint64_t)s), -1);
            expected += doc_integer_value(doc_at(doc_at(doc_get(none, "traffic_bytes"), (uint64_t)g), (uint64_t)s), -1);
            if (s == g) own = bytes;
        }
        if (c->plan.placement.access == ACCESS_GPU)
            EQUAL(bytes, expected, "seed %d: bytes of GPU %d under %s", (int)seed, g, c->policy->name);
        HOLDS(own >= 0 && bytes >= 0, "seed %d", (int)seed);
        total += (uint64_t)place(x, "transactions", "topology") + (uint64_t)place(x, "transactions", "feature");
        if (c->plan.placement.access == ACCESS_GPU)
            HOLDS(place(x, "transactions", "total") <= place(y, "transactions", "total"),
                  "seed %d: %s reads more than an empty cache", (int)seed, c->policy->name);
    }
    EQUAL(total, total_of(c), "seed %d: %s", (int)seed, c->policy->name);
}

/* Every packet is a transaction that was counted, and bytes pass where the server has NVLinks only. */
static void judge_movement(const struct study_cell *c, uint64_t seed)
{
    OWNED_DOC doc *d = movement_document(&c->plan, &c->plan.simulated->replay, &graph);
    const doc *nvlink = doc_get(d, "nvlink"), *links = doc_get(nvlink, "links"),
              *pcie = doc_get(doc_get(doc_get(d, "pcie"), "total"), "total");
    int64_t total = 0, peers = 0,
            between = doc_integer_value(doc_get(nvlink, "feature_bytes"), -1) +
                      doc_integer_value(doc_get(nvlink, "topology_bytes"), -1);
    const char *taken = doc_text_value(doc_get(doc_get(d, "sampling"), "taken"), "?");
    EQUAL(doc_integer_value(doc_get(pcie, "transactions"), -1), total_of(c), "seed %d: %s", (int)seed, c->policy->name);
    HOLDS(doc_integer_value(doc_get(pcie, "wire_bytes"), -1) >= doc_integer_value(doc_get(pcie, "useful_bytes"), 0),
          "seed %d: %s", (int)seed, c->policy->name);
    for (uint64_t i = 0; i < doc_size(links); i++) {
        int a = 0, b = 0;
        while (a < server.gpus - 1 && server.gpu[a].id != doc_integer_value(doc_get(doc_at(links, i), "from"), -1)) a++;
        while (b < server.gpus - 1 && server.gpu[b].id != doc_integer_value(doc_get(doc_at(links, i), "to"), -1)) b++;
        HOLDS(server.links[a][b] > 0, "seed %d: %s, link %d to %d", (int)seed, c->policy->name, a, b);
        EQUAL(doc_integer_value(doc_get(doc_at(links, i), "nvlinks"), 0), server.links[a][b],
              "seed %d: %s, link %d to %d", (int)seed, c->policy->name, a, b);
        total += doc_integer_value(doc_get(doc_at(links, i), "bytes"), -1);
    }
    for (int g = 0; g < server.gpus; g++) peers += c->plan.placement.peers[g];
    EQUAL(doc_integer_value(doc_get(nvlink, "total_bytes"), -1), total, "seed %d: %s", (int)seed, c->policy->name);
    HOLDS(total + (int64_t)doc_size(links) + 1 >= between && (peers || !total),
          "seed %d: %s moves %d bytes over links, %d between GPUs", (int)seed, c->policy->name, (int)total,
          (int)between);
    assert_string_equal(taken, c->plan.placement.access != ACCESS_GPU ? "blocks"
                               : strcmp(c->policy->name, "dsp")       ? "reads"
                                                                      : "push");
}

static bool gpus_reach_topology(const struct study_cell *c) { return c->plan.placement.access == ACCESS_GPU; }

/* Whatever the budget. */
static bool caches_nothing(const struct study_cell *c)
{
    return !strcmp(c->policy->name, "dgl-uva") || !strcmp(c->policy->name, "hyscale");
}

/* Whether any neighbour was drawn for the clique while pre-sampling; without, R_T is 0 by definition and every visit
 * stays predicted. */
static bool traversed(const struct study_cell *c, int clique)
{
    bool any = false;
    for (int g = 0; g < server.gpus; g++)
        for (uint64_t v = 0; v < graph.n; v++)
            any |= server.clique_of[g] == clique && count_at(c->recording->trace->topology[g], v);
    return any;
}

static void plans_obey(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(36); i++) {
        enum { BUDGETS = 4 };
        uint64_t seed = test_seed(i), memory[MOST];
        struct dice d;
        struct study s;
        static struct study_cell cell[POLICIES * BUDGETS];
        int policies = 0, count;
        begin(seed, &d, 120);
        for (int g = 0; g < MOST; g++) memory[g] = 1 + dice_below(&d, 2 * all_bytes());
        case_memories(&server, memory);
        struct workload w = case_workload(&d, seed);
        struct study_options o = case_options(&graph, &server, &w, 2, (int64_t)dice_range(&d, 1, 3), 2);
        study_begin(&s, &o);
        while (policies_registered[policies]) policies++;
        assert_true(policies <= POLICIES);
        for (int k = 0; k < policies * BUDGETS; k++) {
            const uint64_t bytes[BUDGETS] = {0, UINT64_MAX, dice_below(&d, all_bytes() + 1), 2 * all_bytes()};
            case_cell(&cell[k], policies_registered[k % policies]->name, bytes[k / policies]);
        }
        count = policies * BUDGETS;
        plan_and_simulate(&s, cell, count);
        for (int k = 0; k < count; k++) {
            const struct study_cell *empty = &cell[k % policies]; /* the first round of budgets is 0 */
            if (cell[k].verdict.status != POLICY_OK) {
                HOLDS(*cell[k].verdict.reason &&
                          (!strcmp(cell[k].policy->name, "gnnlab") || !strcmp(cell[k].policy->name, "legion-topogpu")),
                      "seed %d: %s says no", (int)seed, cell[k].policy->name);
                continue;
            }
            judge_lists(&cell[k], memory, seed);
            judge_movement(&cell[k], seed);
            if (cell[k].budget.kind == BUDGET_BYTES && !cell[k].budget.bytes) {
                if (policy_samplers(cell[k].policy, &server, NULL)) continue;
                EQUAL(held_rows(&cell[k].plan, true) + held_rows(&cell[k].plan, false), 0,
                      "seed %d: %s without a budget", (int)seed, cell[k].policy->name);
                if (gpus_reach_topology(&cell[k]))
                    EQUAL(total_of(&cell[k]), cell[k].recording->uncached, "seed %d: %s without a budget", (int)seed,
                          cell[k].policy->name);
                if (!strcmp(cell[k].policy->name, "dgl-uva")) assert_int_equal(cell[k].plan.placement.peers[0], 0);
            }
            if (empty->verdict.status == POLICY_OK && empty->recording == cell[k].recording &&
                gpus_reach_topology(&cell[k]))
                judge_sums(&cell[k], empty, seed);
            if (!strcmp(cell[k].policy->name, "dgl-uva"))
                EQUAL(total_of(&cell[k]), cell[k].recording->uncached, "seed %d: dgl-uva caches nothing", (int)seed);
            /* Every GPU could hold everything twice: no feature is left to read, and no topology where the policy
             * holds both kinds whole. Legion's sweep takes the smallest alpha that predicts nothing, which may leave
             * out rows that pre-sampling never visited. */
            if (cell[k].budget.kind == BUDGET_BYTES && cell[k].budget.bytes == 2 * all_bytes()) {
                const char *name = cell[k].policy->name;
                uint64_t features = cell[k].plan.simulated->sums.transactions.feature;
                if (!strcmp(name, "legion-topogpu") || !strcmp(name, "random") || !strcmp(name, "oracle") ||
                    !strcmp(name, "ducati"))
                    EQUAL(total_of(&cell[k]), 0, "seed %d: %s with room for everything", (int)seed, name);
                for (int c = 0; c < server.cliques && !strcmp(name, "legion"); c++)
                    EQUAL(cell[k].plan.clique[c].topology,
                          traversed(&cell[k], c) ? 0 : (cell[k].recording->trace->n_tsum[c] + 1) / 2,
                          "seed %d: clique %d with room for everything", (int)seed, c);
                if (cell[k].policy->cache) { /* a cache that begins empty misses every row once per GPU, and with room
                                                for all never again */
                    EQUAL(doc_integer_value(doc_get(cell[k].dynamic, "evicted_rows"), -1), 0,
                          "seed %d: %s with room for every feature", (int)seed, name);
                    continue;
                }
                if (!caches_nothing(&cell[k]) && strcmp(name, "legion-public") && strcmp(name, "dsp"))
                    EQUAL(features, 0, "seed %d: %s with room for every feature", (int)seed, name);
            }
        }
        release(&s, cell, count);
    }
}

/* ---- more budget ---- */

/* legion-topocpu and quiver hold prefixes of one order, whatever the budget; so more budget never holds fewer rows,
 * and never reads more. */
static void more_budget_is_never_worse(void **state)
{
    static const char *const names[] = {"legion-topocpu", "quiver", "quiver-plus"};
    enum { STEPS = 12, CELLS = STEPS * COUNT_OF(names) };
    static struct study_cell cell[CELLS];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(30); i++) {
        uint64_t seed = test_seed(i), budget = 0;
        struct dice d;
        struct study s;
        begin(seed, &d, 150);
        struct workload w = case_workload(&d, seed);
        struct study_options o = case_options(&graph, &server, &w, 1, 1, 2);
        study_begin(&s, &o);
        for (int k = 0; k < STEPS; k++, budget += dice_below(&d, all_bytes() / 6 + 1))
            for (size_t p = 0; p < COUNT_OF(names); p++)
                case_cell(&cell[(size_t)k * COUNT_OF(names) + p], names[p], budget);
        plan_and_simulate(&s, cell, CELLS);
        for (size_t k = COUNT_OF(names); k < CELLS; k++) {
            const struct study_cell *less = &cell[k - COUNT_OF(names)], *more = &cell[k];
            HOLDS(held_rows(&more->plan, false) >= held_rows(&less->plan, false),
                  "seed %d: %s holds fewer rows in %d bytes than in %d", (int)seed, more->policy->name,
                  (int)more->budget.bytes, (int)less->budget.bytes);
            HOLDS(total_of(more) <= total_of(less), "seed %d: %s reads %d in %d bytes, %d in %d", (int)seed,
                  more->policy->name, (int)total_of(more), (int)more->budget.bytes, (int)total_of(less),
                  (int)less->budget.bytes);
        }
        release(&s, cell, CELLS);
    }
}

/* The ceiling: greedy filling may lose a row where a larger budget takes a large row first, never more than one row
 * per GPU. */
static void oracle_gains_by_budget(void **state)
{
    enum { STEPS = 12 };
    static struct study_cell cell[STEPS];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(30); i++) {
        uint64_t seed = test_seed(i), budget = 0, most = 0;
        struct dice d;
        struct study s;
        begin(seed, &d, 100);
        struct workload w = case_workload(&d, seed);
        struct study_options o = case_options(&graph, &server, &w, 1, 1, 2);
        study_begin(&s, &o);
        for (int k = 0; k < STEPS; k++, budget += dice_below(&d, all_bytes() / 6 + 1))
            case_cell(&cell[k], "oracle", budget);
        plan_and_simulate(&s, cell, STEPS);
        for (int c = 0; c < server.cliques; c++)
            for (uint64_t v = 0; v < graph.n; v++) {
                uint64_t x = cell[0].recording->benefit_topology[c][v], y = cell[0].recording->benefit_feature[c][v];
                most = x > most ? x : most;
                most = y > most ? y : most;
            }
        for (int k = 0; k < STEPS; k++) {
            uint64_t rounding = (uint64_t)server.gpus;
            HOLDS(!k || total_of(&cell[k]) <= total_of(&cell[k - 1]) + (uint64_t)server.gpus * most, "seed %d: step %d",
                  (int)seed, k);
            uint64_t said = plan_predicted(&cell[k].plan).total, found = total_of(&cell[k]); /* it saw them */
            HOLDS((said > found ? said - found : found - said) <= rounding, "seed %d: predicted %d, simulated %d",
                  (int)seed, (int)said, (int)found);
        }
        release(&s, cell, STEPS);
    }
}

/* No other static plan of the same assignment beats the oracle by more than a row per GPU. */
static void nobody_beats_the_oracle(void **state)
{
    static const char *const names[] = {"oracle", "legion", "legion-topocpu", "legion-topogpu", "random"};
    enum { CELLS = COUNT_OF(names) };
    static struct study_cell cell[CELLS];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(30); i++) {
        uint64_t seed = test_seed(i), slack = 0;
        struct dice d;
        struct study s;
        begin(seed, &d, 100);
        struct workload w = case_workload(&d, seed);
        struct study_options o = case_options(&graph, &server, &w, 1, 1, 1);
        uint64_t bytes = dice_below(&d, all_bytes());
        study_begin(&s, &o);
        for (size_t k = 0; k < CELLS; k++) case_cell(&cell[k], names[k], bytes);
        plan_and_simulate(&s, cell, (int)CELLS);
        for (int c = 0; c < server.cliques; c++) {
            uint64_t most = 0;
            for (uint64_t v = 0; v < graph.n; v++) {
                uint64_t x = cell[0].recording->benefit_topology[c][v], y = cell[0].recording->benefit_feature[c][v];
                most = x > most ? x : most;
                most = y > most ? y : most;
            }
            slack += most * (uint64_t)server.clique_size[c];
        }
        for (size_t k = 1; k < CELLS; k++)
            if (cell[k].verdict.status == POLICY_OK)
                HOLDS(total_of(&cell[0]) <= total_of(&cell[k]) + slack, "seed %d: %s reads %d, the oracle %d",
                      (int)seed, names[k], (int)total_of(&cell[k]), (int)total_of(&cell[0]));
        release(&s, cell, (int)CELLS);
    }
}

/* ---- threads and labels ---- */

static void threads_make_no_difference(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(14); i++) {
        uint64_t seed = test_seed(i), memory[MOST];
        struct dice d;
        static struct study s[3];
        static struct study_cell cell[3][POLICIES];
        int policies = 0;
        begin(seed, &d, 200);
        for (int g = 0; g < MOST; g++) memory[g] = 1 + dice_below(&d, all_bytes());
        case_memories(&server, memory);
        struct workload w = case_workload(&d, seed);
        while (policies_registered[policies]) policies++;
        for (int t = 0; t < 3; t++) {
            struct study_options o = case_options(&graph, &server, &w, 2, 2, t + 1);
            if (t == 2) o.kernels = &kernels_ref;
            study_begin(&s[t], &o);
            for (int k = 0; k < policies; k++) case_cell(&cell[t][k], policies_registered[k]->name, UINT64_MAX);
            plan_and_simulate(&s[t], cell[t], policies);
        }
        for (int t = 1; t < 3; t++)
            for (int k = 0; k < policies; k++) {
                const struct plan *a = &cell[0][k].plan, *b = &cell[t][k].plan;
                HOLDS(cell[0][k].verdict.status == cell[t][k].verdict.status, "seed %d: %s", (int)seed,
                      cell[0][k].policy->name);
                for (int g = 0; g < server.gpus; g++)
                    for (int kind = 0; kind < 2; kind++) {
                        const struct row_list *x = kind ? &a->placement.topology[g] : &a->placement.feature[g],
                                              *y = kind ? &b->placement.topology[g] : &b->placement.feature[g];
                        HOLDS(x->count == y->count && (!x->count || !memcmp(x->id, y->id, 4 * x->count)),
                              "seed %d: %s, GPU %d", (int)seed, cell[0][k].policy->name, g);
                    }
                if (cell[0][k].verdict.status != POLICY_OK) continue;
                EQUAL(plan_predicted(a).total, plan_predicted(b).total, "seed %d: %s", (int)seed,
                      cell[0][k].policy->name);
                FILE *fa = tmpfile(), *fb = tmpfile();
                OWNED_DOC doc *da = simulated_document(a, a->simulated, &graph, true),
                              *db = simulated_document(b, b->simulated, &graph, true);
                OK(doc_print(da, fa, &err));
                OK(doc_print(db, fb, &err));
                EQUAL(ftell(fa), ftell(fb), "seed %d: %s", (int)seed, cell[0][k].policy->name);
                rewind(fa);
                rewind(fb);
                for (int c = fgetc(fa); c != EOF; c = fgetc(fa))
                    HOLDS(c == fgetc(fb), "seed %d: %s: documents differ", (int)seed, cell[0][k].policy->name);
                fclose(fa);
                fclose(fb);
            }
        for (int t = 0; t < 3; t++) {
            for (int k = 0; k < policies; k++) study_cell_release(&cell[t][k]);
            study_end(&s[t]);
        }
        graph_drop(&graph);
    }
}

/* A graph whose vertices are named at random is the same graph: over many seeds the means of what is read agree
 * within three standard deviations. Rows are padded to whole lines, so that ids do not decide where a feature row
 * lies. */
static void labels_make_no_difference_on_average(void **state)
{
    enum { SEEDS = 30, N = 300 };
    static const char *const names[] = {"legion", "quiver-plus", "legion-topocpu", "oracle"};
    enum { CELLS = COUNT_OF(names) };
    static struct study_cell cell[CELLS];
    double sum[2][CELLS] = {{0}}, squares[2][CELLS] = {{0}};
    const int sizes[] = {2, 1, 0};
    (void)state;
    server_cliques(&server, sizes, 64);
    for (uint64_t i = 0; i < SEEDS; i++)
        for (int relabelled = 0; relabelled < 2; relabelled++) {
            struct dice d = {77}, chance = {i + 1};
            struct study s;
            uint32_t name[N];
            struct graph plain;
            graph_shape(&graph, SHAPE_COMMUNITY, N, &d, 16, 4);
            graph_trains(&graph, &d, 0.5);
            for (uint32_t v = 0; v < N; v++) name[v] = v;
            for (uint32_t v = N; v > 1; v--) { /* Fisher-Yates */
                uint64_t u = dice_below(&chance, v);
                uint32_t held = name[v - 1];
                name[v - 1] = name[u];
                name[u] = held;
            }
            if (relabelled) {
                struct arcs a = {0};
                uint8_t trains[N] = {0};
                plain = graph;
                for (uint64_t v = 0; v < N; v++)
                    for (int64_t e = plain.indptr[v]; e < plain.indptr[v + 1]; e++)
                        arcs_add(&a, name[v], name[plain.indices[e]]);
                for (uint64_t k = 0; k < plain.train_count; k++) trains[name[plain.train[k]]] = 1;
                graph_of(&graph, N, &a, 16, 4, "both");
                uint32_t *train = (uint32_t *)(uintptr_t)graph.train;
                graph.train_count = 0;
                for (uint32_t v = 0; v < N; v++)
                    if (trains[v]) train[graph.train_count++] = v;
                graph_drop(&plain);
            }
            struct workload w = {.hops = 2, .fanout = {4, 3}, .batch = 20, .seed = i + 1};
            struct study_options o = case_options(&graph, &server, &w, 1, 2, 1);
            study_begin(&s, &o);
            for (size_t k = 0; k < CELLS; k++) case_cell(&cell[k], names[k], all_bytes() / 8);
            plan_and_simulate(&s, cell, CELLS);
            for (size_t k = 0; k < CELLS; k++) {
                double x = (double)total_of(&cell[k]);
                sum[relabelled][k] += x;
                squares[relabelled][k] += x * x;
            }
            release(&s, cell, CELLS);
        }
    for (size_t k = 0; k < CELLS; k++) {
        double mean[2], variance = 0;
        for (int r = 0; r < 2; r++) {
            mean[r] = sum[r][k] / SEEDS;
            variance += (squares[r][k] / SEEDS - mean[r] * mean[r]) / (SEEDS - 1);
        }
        HOLDS(fabs(mean[0] - mean[1]) <= 3 * sqrt(variance) + 0.005 * mean[0],
              "%s: %.1f transactions, relabelled %.1f, deviation %.1f", names[k], mean[0], mean[1], sqrt(variance));
    }
}

/* The seed of the judgement is never that of planning. */
static void held_out_seeds_differ(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        uint64_t other = study_held_out_seed(seed);
        assert_true(other != seed && other >= 1);
        assert_int_equal(other, study_held_out_seed(seed));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_obey),
                                       cmocka_unit_test(more_budget_is_never_worse),
                                       cmocka_unit_test(oracle_gains_by_budget),
                                       cmocka_unit_test(nobody_beats_the_oracle),
                                       cmocka_unit_test(threads_make_no_difference),
                                       cmocka_unit_test(labels_make_no_difference_on_average),
                                       cmocka_unit_test(held_out_seeds_differ)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
