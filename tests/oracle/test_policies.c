/* Every policy against a plain re-implementation from the model: who holds which row, in which order, the sweep, and
 * what is predicted. The counts that planning starts from are made again, one mini-batch at a time. */
#include <math.h>
#include "planner/hotness/hotness.h"
#include "tests/oracle/case.h"

enum { MOST = 9, N_MOST = 260 };
static struct err err;
static struct server server;
static struct graph graph;
static struct study study;

/* Counts made again, and the plan that the model says. */
static struct {
    uint64_t topology[MOST][N_MOST], feature[MOST][N_MOST], visits[MOST][N_MOST]; /* draws, mini-batches, expansions */
    uint64_t n_tsum[MOST];
    uint64_t epochs;
} counted;
struct wanted {
    uint32_t topology[MOST][N_MOST], feature[MOST][N_MOST];
    uint64_t topologies[MOST], features[MOST], room[MOST];
};
static struct wanted wanted;

static uint64_t topology_row(uint64_t v) { return 4 * degree_of(&graph, v) + 8; }

/* ---- counts ---- */

static void count_again(const struct trace *t, uint64_t seed)
{
    struct sampler *s = NULL;
    struct tally_sheet sheet;
    memset(&counted, 0, sizeof counted);
    counted.epochs = t->epochs;
    OK(sampler_new(&graph, &t->workload, server.line_bytes, 1, &s, &err));
    sheet_new(&sheet, graph.n, t->workload.hops);
    for (int g = 0; g < server.gpus; g++) {
        OK(sampler_gpu(s, server.gpu[g].id, t->assignment.train[g], t->assignment.train_count[g], t->epochs, &err));
        for (uint64_t task = 0; task < t->epochs * sampler_batches(s); task++) {
            sheet_clear(&sheet);
            sampler_run(s, task, task + 1, &sheet.c);
            for (uint64_t v = 0; v < graph.n; v++) {
                counted.feature[g][v] += sheet.c.feature[v];
                counted.n_tsum[server.clique_of[g]] += sheet.c.lines[v];
                for (int h = 0; h < t->workload.hops; h++) {
                    uint64_t degree = degree_of(&graph, v), fanout = t->workload.fanout[h];
                    counted.visits[g][v] += sheet.c.visits[h][v];
                    counted.topology[g][v] += sheet.c.visits[h][v] * (degree < fanout ? degree : fanout);
                }
            }
        }
        for (uint64_t v = 0; v < graph.n; v++) {
            uint64_t visits = 0;
            EQUAL(count_at(t->feature[g], v), counted.feature[g][v], "seed %d: GPU %d, vertex %d", (int)seed, g,
                  (int)v);
            EQUAL(count_at(t->topology[g], v), counted.topology[g][v], "seed %d: GPU %d, vertex %d", (int)seed, g,
                  (int)v);
            for (int h = 0; h < t->workload.hops; h++) visits += count_at(t->visits[h][g], v);
            EQUAL(visits, counted.visits[g][v], "seed %d: GPU %d, vertex %d", (int)seed, g, (int)v);
        }
    }
    for (int c = 0; c < server.cliques; c++) EQUAL(t->n_tsum[c], counted.n_tsum[c], "seed %d: clique %d", (int)seed, c);
    sheet_free(&sheet);
    sampler_free(s);
}

/* ---- placing ---- */

static uint64_t row_of(bool topology, uint64_t v) { return topology ? topology_row(v) : graph.row_bytes; }

static void put(int g, bool topology, uint32_t v)
{
    if (topology) wanted.topology[g][wanted.topologies[g]++] = v;
    else wanted.feature[g][wanted.features[g]++] = v;
    wanted.room[g] -= row_of(topology, v);
}

/* Algorithm 1 with the spill rule: first the highest local hotness among GPUs with room, then most room, then the
 * lower position. */
static void cslp(int clique, bool topology, const uint32_t *order, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        int best = -1;
        for (int g = 0; g < server.gpus; g++) {
            if (server.clique_of[g] != clique || wanted.room[g] < row_of(topology, order[i])) continue;
            uint64_t hot = topology ? counted.topology[g][order[i]] : counted.feature[g][order[i]];
            uint64_t top = best < 0 ? 0 : topology ? counted.topology[best][order[i]] : counted.feature[best][order[i]];
            if (best < 0 || hot > top || (hot == top && wanted.room[g] > wanted.room[best])) best = g;
        }
        if (best < 0) return;
        put(best, topology, order[i]);
    }
}

/* Cards dealt round the clique; who has no room is passed over; the first row that nobody can take ends it. */
static void deal(int clique, bool topology, const uint32_t *order, uint64_t count)
{
    int seat[MOST], seats = 0, next = 0;
    for (int g = 0; g < server.gpus; g++)
        if (server.clique_of[g] == clique) seat[seats++] = g;
    for (uint64_t i = 0; i < count; i++) {
        int passed = 0;
        for (; passed < seats && wanted.room[seat[next]] < row_of(topology, order[i]); passed++)
            next = (next + 1) % seats;
        if (passed == seats) return;
        put(seat[next], topology, order[i]);
        next = (next + 1) % seats;
    }
}

static void clique_order(int clique, bool topology, uint64_t *key, uint32_t *order)
{
    for (uint64_t v = 0; v < graph.n; v++) {
        key[v] = 0;
        for (int g = 0; g < server.gpus; g++)
            if (clique < 0 || server.clique_of[g] == clique)
                key[v] += topology ? counted.topology[g][v] : counted.feature[g][v];
    }
    plain_order(key, graph.n, order);
}

/* Legion: the sweep in whole numbers, then algorithm 1. Compares the sweep as it goes. */
static void legion(const struct plan *p, uint64_t seed)
{
    for (int c = 0; c < server.cliques; c++) {
        uint64_t key_t[N_MOST], key_f[N_MOST], budget = 0, all_t = 0, all_f = 0, best = UINT64_MAX, best_t = 0,
                                               best_f = 0;
        uint32_t q_t[N_MOST], q_f[N_MOST];
        int best_i = 0;
        clique_order(c, true, key_t, q_t);
        clique_order(c, false, key_f, q_f);
        for (int g = 0; g < server.gpus; g++) budget += server.clique_of[g] == c ? p->budget[g] : 0;
        for (uint64_t v = 0; v < graph.n; v++) {
            all_t += key_t[v];
            all_f += key_f[v];
        }
        EQUAL(p->clique[c].sweep_count, 101, "seed %d: clique %d", (int)seed, c);
        for (uint64_t i = 0; i <= 100; i++) {
            uint64_t for_t = i * budget / 100, used = 0, rows_t = 0, rows_f = (budget - for_t) / graph.row_bytes,
                     hot_t = 0, hot_f = 0;
            while (rows_t < graph.n && used + topology_row(q_t[rows_t]) <= for_t) {
                used += topology_row(q_t[rows_t]);
                hot_t += key_t[q_t[rows_t++]];
            }
            if (rows_f > graph.n) rows_f = graph.n;
            for (uint64_t k = 0; k < rows_f; k++) hot_f += key_f[q_f[k]];
            /* N_T = N_TSUM (1 - R_T), N_F = ceil(row / line_bytes) (all - held), both per epoch */
            uint64_t n_t = all_t ? plain_round((__int128)counted.n_tsum[c] * (all_t - hot_t),
                                               (__int128)all_t * counted.epochs)
                                 : plain_round(counted.n_tsum[c], counted.epochs);
            uint64_t n_f = plain_round((__int128)plain_lines(0, graph.row_bytes, server.line_bytes) * (all_f - hot_f),
                                       counted.epochs);
            EQUAL(p->clique[c].sweep[i].topology, n_t, "seed %d: clique %d, alpha %d %%", (int)seed, c, (int)i);
            EQUAL(p->clique[c].sweep[i].feature, n_f, "seed %d: clique %d, alpha %d %%", (int)seed, c, (int)i);
            assert_true(fabs(p->clique[c].sweep[i].alpha - (double)i / 100) < 1e-12);
            if (n_t + n_f < best) {
                best = n_t + n_f;
                best_i = (int)i;
                best_t = rows_t;
                best_f = rows_f;
            }
        }
        HOLDS(fabs(p->clique[c].alpha - best_i / 100.0) < 1e-12, "seed %d: clique %d: alpha %.2f, not %d %%", (int)seed,
              c, p->clique[c].alpha, best_i);
        cslp(c, true, q_t, best_t);
        cslp(c, false, q_f, best_f);
    }
}

static void legion_features_only(void)
{
    uint64_t key[N_MOST];
    uint32_t order[N_MOST];
    for (int c = 0; c < server.cliques; c++) {
        clique_order(c, false, key, order);
        cslp(c, false, order, graph.n);
    }
}

static void legion_topology_everywhere(void)
{
    uint64_t key[N_MOST];
    uint32_t order[N_MOST];
    for (int g = 0; g < server.gpus; g++) {
        clique_order(server.clique_of[g], true, key, order);
        for (uint64_t i = 0; i < graph.n; i++) put(g, true, order[i]);
    }
    legion_features_only();
}

static void metric_order(const char *name, uint64_t seed, uint32_t *order)
{
    uint64_t key[N_MOST];
    struct hotness_input in = {.graph = &graph, .kernels = &kernels_ref, .threads = 1, .seed = seed};
    OK(hotness_find(name)->compute(&in, key, &err));
    plain_order(key, graph.n, order);
}

static void dealt_features(const uint32_t *order)
{
    for (int c = 0; c < server.cliques; c++) deal(c, false, order, graph.n);
}

/* The first rows on every GPU, as far as the given share of the smallest room goes; the others dealt. */
static void replicated_features(double share, const uint32_t *order)
{
    for (int c = 0; c < server.cliques; c++) {
        uint64_t common = graph.n;
        for (int g = 0; g < server.gpus; g++) {
            uint64_t bytes = (uint64_t)(share * (double)wanted.room[g]);
            while (server.clique_of[g] == c && common * graph.row_bytes > bytes) common--;
        }
        for (int g = 0; g < server.gpus; g++)
            for (uint64_t i = 0; i < common && server.clique_of[g] == c; i++) put(g, false, order[i]);
        deal(c, false, order + common, graph.n - common);
    }
}

static void random_rows(uint64_t seed)
{
    uint32_t order[N_MOST];
    metric_order("random", seed, order);
    for (int c = 0; c < server.cliques; c++) {
        uint64_t held = 0;
        deal(c, false, order, graph.n);
        for (int g = 0; g < server.gpus; g++) held += server.clique_of[g] == c ? wanted.features[g] : 0;
        if (held == graph.n) deal(c, true, order, graph.n);
    }
}

static void gnnlab(int samplers)
{
    uint64_t key[N_MOST];
    uint32_t order[N_MOST];
    clique_order(-1, false, key, order);
    for (int g = 0; g < server.gpus; g++)
        for (uint64_t i = 0; i < graph.n && (g < samplers || wanted.room[g] >= graph.row_bytes); i++)
            put(g, g < samplers, order[i]);
}

/* One order for every GPU, each as far as its own memory goes. */
static void prefix_everywhere(const uint32_t *order, uint64_t count)
{
    for (int g = 0; g < server.gpus; g++)
        for (uint64_t i = 0; i < count && wanted.room[g] >= graph.row_bytes; i++) put(g, false, order[i]);
}

static void pagraph_plus(void)
{
    for (int g = 0; g < server.gpus; g++) {
        uint32_t order[N_MOST];
        plain_order(counted.feature[g], graph.n, order);
        for (uint64_t i = 0; i < graph.n && wanted.room[g] >= graph.row_bytes; i++) put(g, false, order[i]);
    }
}

/* Which vertices `from` reaches in up to `hops` steps, `from` among them: by matrix, one step after the other. rows:
 * those that are expanded. */
static void reach_again(const bool *from, int hops, bool *all, bool *rows)
{
    memcpy(all, from, N_MOST * sizeof *all);
    memset(rows, 0, N_MOST * sizeof *rows);
    for (int h = 0; h < hops; h++) {
        bool next[N_MOST];
        memcpy(next, all, sizeof next);
        for (uint64_t v = 0; v < graph.n; v++) {
            rows[v] |= all[v];
            for (uint64_t u = 0; u < graph.n && all[v]; u++) next[u] |= graph_lists(&graph, v, u);
        }
        memcpy(all, next, sizeof next);
    }
}

/* Algorithm 1 again, every set counted anew for every vertex; scores as fractions in long double would round, so they
 * are cross-multiplied. */
static void self_reliant_again(int hops, bool released, uint8_t *owner)
{
    static bool held[MOST][N_MOST];
    uint64_t most = (graph.train_count + (uint64_t)server.gpus - 1) / (uint64_t)server.gpus;
    memset(held, 0, sizeof held);
    memset(owner, 0xff, N_MOST);
    for (uint64_t i = 0; i < graph.train_count; i++) {
        uint32_t v = graph.train[i];
        bool start[N_MOST] = {false}, all[N_MOST], rows[N_MOST];
        __int128 best_over = 0, best_under = 0;
        int best = -1;
        for (uint64_t u = 0; u < graph.n; u++) start[u] = hops && graph_lists(&graph, v, u);
        reach_again(start, hops - 1, all, rows);
        for (int g = 0; g < server.gpus; g++) {
            uint64_t shared = 0, train = 0, size = 0;
            for (uint64_t u = 0; u < graph.n; u++) {
                shared += all[u] && owner[u] == g;
                train += owner[u] == g;
                size += held[g][u];
            }
            if (train == most && !released) continue;
            __int128 over = (__int128)shared * (__int128)(graph.train_count - train * (uint64_t)server.gpus),
                     under = size ? size : 1;
            uint64_t best_size = 0, best_train = 0;
            if (released) { /* (1 + shared) (0.65 n / gpus - train) / (1 + size), times 100 gpus */
                over = (__int128)(1 + shared) * (65 * (__int128)graph.n - 100 * (__int128)train * server.gpus);
                under = 1 + (__int128)size;
                for (uint64_t u = 0; u < graph.n && best >= 0; u++) best_train += owner[u] == best;
                if (best >= 0 && over * best_under == best_over * under && train >= best_train) continue;
            }
            for (uint64_t u = 0; u < graph.n && best >= 0; u++) best_size += held[best][u];
            if (best >= 0 && (over * best_under < best_over * under ||
                              (!released && over * best_under == best_over * under && size >= best_size)))
                continue;
            best = g;
            best_over = over;
            best_under = under;
        }
        owner[v] = (uint8_t)best;
        for (uint64_t u = 0; u < graph.n; u++) held[best][u] |= all[u] || u == v;
    }
}

static void pagraph(const struct study_cell *cell, uint64_t seed)
{
    const struct assignment *a = &cell->plan.assignment;
    int hops = cell->plan.workload.hops;
    uint64_t bytes = 0;
    uint8_t owner[N_MOST];
    self_reliant_again(hops, cell->option[0] > 0, owner);
    for (int g = 0; g < server.gpus; g++) {
        bool start[N_MOST] = {false}, all[N_MOST], rows[N_MOST];
        uint64_t key[N_MOST] = {0}, size = 0;
        uint32_t order[N_MOST];
        for (uint64_t i = 0; i < a->train_count[g]; i++)
            EQUAL(owner[a->train[g][i]], g, "seed %d: training vertex %u", (int)seed, a->train[g][i]);
        for (uint64_t v = 0; v < graph.n; v++) start[v] = owner[v] == g;
        reach_again(start, hops, all, rows);
        for (uint64_t v = 0; v < graph.n; v++) {
            size += all[v];
            bytes += all[v] ? 8 + graph.row_bytes : 0;
            bytes += rows[v] ? 4 * degree_of(&graph, v) : 0;
            for (uint64_t u = 0; u < graph.n && all[v]; u++) key[v] += rows[u] && graph_lists(&graph, u, v);
            key[v] += all[v];
        }
        plain_order(key, graph.n, order);
        for (uint64_t i = 0; i < size && wanted.room[g] >= graph.row_bytes; i++) put(g, false, order[i]);
        HOLDS(fabs(doc_real_value(doc_at(doc_get(cell->plan.notes, "partition_share"), (uint64_t)g), -1) -
                   (double)size / (double)graph.n) < 1e-8,
              "seed %d: share of GPU %d", (int)seed, g);
    }
    EQUAL(doc_integer_value(doc_get(cell->plan.notes, "partition_bytes"), -1), bytes,
          "seed %d: bytes of the partitions", (int)seed);
}

/* Listed in how many rows, over own length: compared as fractions cut to 2^-31; who draws from nobody leads. */
static void aligraph(double threshold)
{
    uint64_t key[N_MOST] = {0}, kept = 0;
    uint32_t order[N_MOST];
    for (uint64_t v = 0; v < graph.n; v++) {
        uint64_t listed = 0;
        for (uint64_t u = 0; u < graph.n; u++) listed += graph_lists(&graph, u, v);
        key[v] = degree_of(&graph, v) ? listed * 0x80000000u / degree_of(&graph, v)
                 : listed             ? 0x8000000000000000u + listed
                                      : 0;
    }
    plain_order(key, graph.n, order);
    while (kept < graph.n && (double)key[order[kept]] / 0x80000000u >= threshold) kept++;
    prefix_everywhere(order, kept);
}

/* The released code: topology gets the smallest whole per cent (from 1) that leaves some feature out; both kinds are
 * dealt in turn. */
static void legion_public(const struct plan *p)
{
    for (int c = 0; c < server.cliques; c++) {
        uint64_t key[N_MOST], budget = 0, used = 0, rows = 0, percent = 1, features;
        uint32_t q_t[N_MOST], q_f[N_MOST];
        for (int g = 0; g < server.gpus; g++) budget += server.clique_of[g] == c ? p->budget[g] : 0;
        clique_order(c, true, key, q_t);
        clique_order(c, false, key, q_f);
        while (percent < 100 && (budget - percent * budget / 100) / graph.row_bytes >= graph.n) percent++;
        features = (budget - percent * budget / 100) / graph.row_bytes;
        while (rows < graph.n && used + topology_row(q_t[rows]) <= percent * budget / 100)
            used += topology_row(q_t[rows++]);
        deal(c, true, q_t, rows);
        deal(c, false, q_f, features < graph.n ? features : graph.n);
    }
}

/* Reads of a row * (slope / reads of its kind) / bytes, in steps of 2^-40; one list, one GPU after the other. */
static void ducati(const double *slope)
{
    static uint64_t key[2 * N_MOST];
    static uint32_t order[2 * N_MOST];
    uint64_t visits[N_MOST] = {0}, rows[N_MOST] = {0}, all_visits = 0, all_rows = 0, lines = 0, sampling = 0;
    for (uint64_t v = 0; v < graph.n; v++) {
        for (int g = 0; g < server.gpus; g++) {
            visits[v] += counted.visits[g][v];
            rows[v] += counted.feature[g][v];
        }
        all_visits += visits[v];
        all_rows += rows[v];
        lines += rows[v] * plain_lines(v * graph.row_bytes, graph.row_bytes, server.line_bytes);
    }
    for (int c = 0; c < server.cliques; c++) sampling += counted.n_tsum[c];
    for (uint64_t v = 0; v < graph.n; v++) {
        double t = all_visits ? (slope ? slope[0] : (double)sampling) / (double)all_visits : 0,
               f = all_rows ? (slope ? slope[1] : (double)lines) / (double)all_rows : 0;
        key[v] = (uint64_t)((double)visits[v] * t / (double)topology_row(v) * 0x1p40);
        key[graph.n + v] = (uint64_t)((double)rows[v] * f / (double)graph.row_bytes * 0x1p40);
    }
    plain_order(key, 2 * graph.n, order);
    for (int g = 0; g < server.gpus; g++)
        for (uint64_t i = 0; i < 2 * graph.n && wanted.room[g] >= row_of(order[i] < graph.n, order[i]); i++)
            put(g, order[i] < graph.n, (uint32_t)(order[i] % graph.n));
}

/* Links on the shortest way between two GPUs: paths put together until nothing gets shorter; UINT64_MAX / 4: none. */
static void ways(uint64_t way[MOST][MOST])
{
    for (int a = 0; a < server.gpus; a++)
        for (int b = 0; b < server.gpus; b++) way[a][b] = a == b ? 0 : server.links[a][b] ? 1 : UINT64_MAX / 4;
    for (int k = 0; k < server.gpus; k++)
        for (int a = 0; a < server.gpus; a++)
            for (int b = 0; b < server.gpus; b++)
                if (way[a][k] + way[k][b] < way[a][b]) way[a][b] = way[a][k] + way[k][b];
}

static bool joined(int a, int b)
{
    uint64_t way[MOST][MOST];
    ways(way);
    return way[a][b] < UINT64_MAX / 4;
}

static void dsp(const struct study_cell *cell, uint64_t seed)
{
    const uint8_t *part = cell->recording->part;
    uint64_t key[N_MOST];
    uint32_t order[N_MOST];
    for (uint64_t v = 0; v < graph.n; v++) key[v] = degree_of(&graph, v);
    plain_order(key, graph.n, order);
    for (int g = 0; g < server.gpus; g++) {
        for (uint64_t i = 0; i < cell->plan.assignment.train_count[g]; i++)
            EQUAL(part[cell->plan.assignment.train[g][i]], g, "seed %d: a seed of GPU %d", (int)seed, g);
        for (int topology = 1; topology >= 0; topology--)
            for (uint64_t i = 0; i < graph.n; i++) {
                if (part[order[i]] != g) continue;
                if (wanted.room[g] < row_of(topology, order[i])) break;
                put(g, topology, order[i]);
            }
    }
    assert_true(cell->plan.placement.pushes);
}

/* ---- predictions ---- */

static bool in_list(const uint32_t *list, uint64_t count, uint32_t v)
{
    for (uint64_t i = 0; i < count; i++)
        if (list[i] == v) return true;
    return false;
}

static bool reached(int reader, bool topology, uint32_t v, bool peers, bool far)
{
    for (int g = 0; g < server.gpus; g++) {
        if (g != reader && (!peers || (far ? !joined(g, reader) : server.clique_of[g] != server.clique_of[reader])))
            continue;
        if (topology ? in_list(wanted.topology[g], wanted.topologies[g], v)
                     : in_list(wanted.feature[g], wanted.features[g], v))
            return true;
    }
    return false;
}

static void judge_prediction(const struct study_cell *cell, uint64_t seed)
{
    const struct plan *p = &cell->plan;
    const char *name = cell->policy->name;
    static const char *const alone[] = {"dgl-uva", "gnnlab", "pagraph-plus", "aligraph",
                                        "hyscale", "ducati", "pagraph"};
    bool aligned = !strncmp(name, "legion", 6), peers = true,
         copied = (!strcmp(name, "data-tiering") && cell->option[1] == 0) || !strcmp(name, "gnnlab") ||
                  !strcmp(name, "hyscale") || !strcmp(name, "pagraph");
    bool far = !strcmp(name, "dsp");
    for (size_t i = 0; i < COUNT_OF(alone); i++) peers &= strcmp(name, alone[i]) != 0;
    uint64_t rows = 0, rows_missed = 0, all_visits = 0, visits_missed = 0;
    for (int c = 0; c < server.cliques; c++) {
        uint64_t draws = 0, missed = 0, lines = 0;
        for (int g = 0; g < server.gpus; g++) {
            if (server.clique_of[g] != c) continue;
            for (uint32_t v = 0; v < graph.n; v++) {
                bool t = reached(g, true, v, peers, far), f = reached(g, false, v, peers, far);
                draws += counted.topology[g][v];
                missed += t ? 0 : counted.topology[g][v];
                lines += f ? 0
                           : counted.feature[g][v] *
                                 plain_lines(aligned ? 0 : v * graph.row_bytes, graph.row_bytes, server.line_bytes);
                rows += counted.feature[g][v];
                rows_missed += f ? 0 : counted.feature[g][v];
                all_visits += counted.visits[g][v];
                visits_missed += t ? 0 : counted.visits[g][v];
            }
        }
        uint64_t topology = copied ? plain_round((__int128)8 * draws, (__int128)server.line_bytes * counted.epochs)
                            : draws
                                ? plain_round((__int128)counted.n_tsum[c] * missed, (__int128)draws * counted.epochs)
                                : plain_round(counted.n_tsum[c], counted.epochs);
        EQUAL(p->clique[c].topology, topology, "seed %d: %s, clique %d", (int)seed, name, c);
        EQUAL(p->clique[c].feature, plain_round(lines, counted.epochs), "seed %d: %s, clique %d", (int)seed, name, c);
    }
    if (rows)
        HOLDS(fabs(p->predicted_feature_hit - (double)(rows - rows_missed) / (double)rows) < 1e-12, "seed %d: %s",
              (int)seed, name);
    if (all_visits && !copied)
        HOLDS(fabs(p->predicted_topology_hit - (double)(all_visits - visits_missed) / (double)all_visits) < 1e-12,
              "seed %d: %s", (int)seed, name);
}

static void judge_lists(const struct study_cell *cell, uint64_t seed)
{
    const struct placement *x = &cell->plan.placement;
    for (int g = 0; g < server.gpus; g++) {
        EQUAL(x->topology[g].count, wanted.topologies[g], "seed %d: %s, topology of GPU %d", (int)seed,
              cell->policy->name, g);
        EQUAL(x->feature[g].count, wanted.features[g], "seed %d: %s, features of GPU %d", (int)seed, cell->policy->name,
              g);
        for (uint64_t i = 0; i < wanted.topologies[g]; i++)
            EQUAL(x->topology[g].id[i], wanted.topology[g][i], "seed %d: %s, topology of GPU %d, place %d", (int)seed,
                  cell->policy->name, g, (int)i);
        for (uint64_t i = 0; i < wanted.features[g]; i++)
            EQUAL(x->feature[g].id[i], wanted.feature[g][i], "seed %d: %s, features of GPU %d, place %d", (int)seed,
                  cell->policy->name, g, (int)i);
    }
}

/* ---- one instance ---- */

static void judge(struct study_cell *cell, uint64_t seed)
{
    const char *name = cell->policy->name;
    const struct plan *p = &cell->plan;
    uint64_t whole = 4 * graph.m + 8 * graph.n, key[N_MOST];
    uint32_t order[N_MOST];
    bool topogpu = !strcmp(name, "legion-topogpu"), factored = !strcmp(name, "gnnlab"), fits = true;
    memset(&wanted, 0, sizeof wanted);
    for (int g = 0; g < server.gpus; g++) {
        wanted.room[g] = p->budget[g];
        if (topogpu) fits &= p->budget[g] >= whole;
    }
    int samplers = factored && cell->options_given ? (int)cell->option[0] : 1;
    for (int g = 0; factored && g < samplers && g < server.gpus; g++)
        fits &= server.gpu[g].memory_bytes - CASE_RESERVE >= whole;
    if (factored && server.gpus <= samplers) {
        assert_int_equal(cell->verdict.status, POLICY_UNSUPPORTED);
        return;
    }
    EQUAL(cell->verdict.status, fits ? POLICY_OK : POLICY_OOM, "seed %d: %s", (int)seed, name);
    if (!fits) {
        assert_true(*cell->verdict.reason);
        return;
    }
    count_again(cell->recording->trace, seed);
    if (!strcmp(name, "legion")) legion(p, seed);
    else EQUAL(p->clique[0].sweep_count, 0, "seed %d: %s", (int)seed, name);
    if (!strcmp(name, "legion-topocpu")) legion_features_only();
    if (topogpu) legion_topology_everywhere();
    if (!strcmp(name, "quiver")) {
        for (uint64_t v = 0; v < graph.n; v++) key[v] = degree_of(&graph, v);
        plain_order(key, graph.n, order);
        dealt_features(order);
    }
    if (!strcmp(name, "quiver-plus")) {
        clique_order(-1, false, key, order);
        dealt_features(order);
    }
    if (!strcmp(name, "data-tiering")) {
        metric_order("wrpagerank", seed, order);
        for (int c = 0; c < server.cliques && cell->option[1] > 0; c++) deal(c, true, order, graph.n);
        replicated_features(cell->option[0], order);
    }
    if (!strcmp(name, "pagraph-plus")) pagraph_plus();
    if (!strcmp(name, "pagraph")) pagraph(cell, seed);
    if (!strcmp(name, "dsp")) dsp(cell, seed);
    if (!strcmp(name, "aligraph")) aligraph(cell->option[0]);
    if (!strcmp(name, "legion-public")) legion_public(p);
    if (!strcmp(name, "ducati")) ducati(cell->options_given ? cell->option : NULL);
    if (!strcmp(name, "random")) random_rows(study.o.workload.seed);
    if (factored) {
        for (int g = 0; g < samplers; g++)
            EQUAL(p->budget[g], server.gpu[g].memory_bytes - CASE_RESERVE, "seed %d: the sampler's budget", (int)seed);
        gnnlab(samplers);
    }
    judge_lists(cell, seed);
    judge_prediction(cell, seed);
    if (strcmp(name, "legion"))
        for (int c = 0; c < server.cliques; c++) {
            double topology = 0, feature = 0;
            for (int g = 0; g < server.gpus; g++) {
                if (server.clique_of[g] != c) continue;
                for (uint64_t i = 0; i < wanted.topologies[g]; i++)
                    topology += (double)topology_row(wanted.topology[g][i]);
                feature += (double)(wanted.features[g] * graph.row_bytes);
            }
            HOLDS(fabs(p->clique[c].alpha - (topology + feature > 0 ? topology / (topology + feature) : 0)) < 1e-12,
                  "seed %d: %s: alpha %.3f", (int)seed, name, p->clique[c].alpha);
        }
}

static void policies_place_what_the_model_says(void **state)
{
    static const char *const names[] = {"legion",        "legion-topocpu", "legion-topogpu", "quiver",
                                        "quiver-plus",   "data-tiering",   "random",         "gnnlab",
                                        "dgl-uva",       "pagraph-plus",   "aligraph",       "hyscale",
                                        "legion-public", "ducati",         "pagraph",        "dsp"};
    enum { EACH = 4, CELLS = COUNT_OF(names) * EACH };
    static struct study_cell cell[CELLS];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i), memory[MOST], total;
        struct dice d = {seed * 1009 + 3};
        graph_shape(&graph, (enum shape)dice_below(&d, SHAPES), dice_range(&d, 1, 150), &d, dice_range(&d, 1, 40),
                    1 + dice_below(&d, 4));
        if (dice_chance(&d, 0.7)) graph_trains(&graph, &d, 0.4);
        server_random(&server, &d);
        total = 4 * graph.m + 8 * graph.n + graph.n * graph.row_bytes;
        for (int g = 0; g < MOST; g++)
            memory[g] = 1 + dice_below(&d, total * 3 / 2); /* every GPU another budget, some beyond everything */
        case_memories(&server, memory);
        struct workload w = case_workload(&d, seed);
        struct study_options o = case_options(&graph, &server, &w, dice_range(&d, 1, 3), 0, 1 + (int)(seed % 2));
        study_begin(&study, &o);
        for (size_t k = 0; k < CELLS; k++) {
            uint64_t bytes[EACH] = {UINT64_MAX, 0, dice_below(&d, total), dice_below(&d, total / 4 + 1)};
            case_cell(&cell[k], names[k % COUNT_OF(names)], bytes[k / COUNT_OF(names)]);
            if (!strcmp(cell[k].policy->name, "aligraph") ||
                (!strcmp(cell[k].policy->name, "ducati") && dice_chance(&d, 0.5))) {
                cell[k].options_given = true;
                cell[k].option[0] = (double)dice_below(&d, 30) / 10;
                cell[k].option[1] = (double)dice_below(&d, 30) / 10;
            }
        }
        for (size_t k = 0; k < CELLS; k++) { /* one of the four by the score of the released code */
            if (strcmp(cell[k].policy->name, "pagraph") || k / COUNT_OF(names) != 2) continue;
            cell[k].options_given = true;
            cell[k].option[0] = 1;
        }
        for (size_t k = 0; k < CELLS; k++) { /* half of the cells with options of their own */
            bool split = !strcmp(cell[k].policy->name, "gnnlab");
            if ((!split && strcmp(cell[k].policy->name, "data-tiering")) || dice_chance(&d, 0.5)) continue;
            cell[k].options_given = true;
            cell[k].option[0] = split ? (double)dice_range(&d, 1, 3) : (double)dice_below(&d, 11) / 10;
            if (!split) cell[k].option[1] = (double)dice_below(&d, 2);
        }
        OK(study_plan_all(&study, cell, CELLS, &err));
        for (size_t k = 0; k < CELLS; k++) {
            judge(&cell[k], seed);
            study_cell_release(&cell[k]);
        }
        study_end(&study);
        graph_drop(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(policies_place_what_the_model_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
