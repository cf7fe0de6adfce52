/* Servers with NVLinks between cliques, where it matters which GPU of a clique reads a row: hotset, exact and the bound
 * against the best of all placements of tiny graphs, under each deal. Reads of GPUs are worked out here from the counts
 * of the recording, and the best placement by going through every room that the GPUs can have left. */
#include <math.h>

#include "planner/optimum/optimum_glpk.h"
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;

enum { UNIT = 4, VERTICES = 8, DIM_BYTES = 16, GPUS_MOST = 4, POLICIES = 2 };
static double rate[2 * VERTICES][GPUS_MOST]; /* transactions per epoch that a GPU makes of a row that nobody holds */

/* Cliques of two, and one of one, in which some GPUs have links to others. */
static void make_server(struct dice *d)
{
    static const int links[][5][2] = {{{0, 1}, {2, 3}, {1, 2}, {0, 0}, {0, 0}},
                                      {{0, 1}, {2, 3}, {1, 2}, {0, 3}, {0, 0}},
                                      {{0, 1}, {1, 2}, {0, 0}, {0, 0}, {0, 0}},
                                      {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {0, 0}}};
    const uint64_t shape = dice_below(d, COUNT_OF(links));
    server_of(&server, shape == 2 ? 3 : 4, 64);
    for (int i = 0; i < 5; i++)
        if (links[shape][i][0] != links[shape][i][1]) server_join(&server, links[shape][i][0], links[shape][i][1], 1);
    server_find_cliques(&server);
}

static uint64_t row_bytes(uint64_t x) { return x < graph.n ? 4 * degree_of(&graph, x) + 8 : graph.row_bytes; }

/* How often GPU g was recorded to read the row. */
static uint64_t counted(const struct trace *t, int g, uint64_t x)
{
    uint64_t sum = 0;
    if (x >= graph.n) return count_at(t->feature[g], x - graph.n);
    for (int h = 0; h < t->workload.hops; h++) sum += count_at(t->visits[h][g], x);
    return sum;
}

/* The rate per mini-batch of a GPU that read the row `mine` times, the others `others` times: the recording's table. */
static double looked_up(const struct reader_rates *r, bool topology, uint64_t others, uint64_t mine)
{
    int bin = 0;
    for (uint64_t x = others; x; x /= 2) bin++;
    if (mine >= READER_COUNTS) return floor((double)mine * READER_RATE_UNITS / (double)r->trials[topology]);
    return r->of[topology][bin < READER_BINS ? bin : READER_BINS - 1][mine];
}

static void set_rates(const struct study_recording *r)
{
    const struct trace *t = r->trace;
    for (uint64_t x = 0; x < 2 * graph.n; x++) {
        uint64_t all = 0;
        double sum[GPUS_MOST] = {0}, mine[GPUS_MOST];
        const bool topology = x < graph.n;
        for (int g = 0; g < server.gpus; g++) all += counted(t, g, x);
        for (int g = 0; g < server.gpus; g++) {
            const struct estimates *e = &r->estimates[RATE_CALIBRATED][server.clique_of[g]];
            assert_non_null(e->readers);
            mine[g] = all ? looked_up(e->readers, topology, all - counted(t, g, x), counted(t, g, x)) : 1;
            sum[server.clique_of[g]] += mine[g];
        }
        for (int g = 0; g < server.gpus; g++) {
            const struct estimates *e = &r->estimates[RATE_CALIBRATED][server.clique_of[g]];
            double share = floor(1024 * mine[g] / sum[server.clique_of[g]] + 0.5) / 1024; /* as fine as they are kept */
            rate[x][g] = share * (double)(topology ? e->topology[x] : e->feature[x - graph.n]);
        }
    }
}

static double cost_of(uint64_t x, unsigned set)
{
    double sum = 0;
    for (int i = 0; i < server.gpus; i++) {
        bool found = false;
        for (int g = 0; g < server.gpus; g++) found |= set >> g & 1 && (g == i || server.links[g][i]);
        sum += found ? 0 : rate[x][i];
    }
    return sum;
}

/* Row after row, for every room that GPUs can have left. */
static double best_of_all(uint64_t budget)
{
    const uint64_t size = budget / UNIT + 1;
    uint64_t stride[GPUS_MOST + 1] = {1};
    for (int g = 0; g < server.gpus; g++) stride[g + 1] = stride[g] * size;
    const uint64_t states = stride[server.gpus];
    double *now = calloc(states, sizeof *now), *next = calloc(states, sizeof *next);
    for (uint64_t x = 0; x < 2 * graph.n; x++) {
        const uint64_t units = row_bytes(x) / UNIT;
        for (uint64_t at = 0; at < states; at++) next[at] = now[at] + cost_of(x, 0);
        for (unsigned set = 1; set < 1u << server.gpus && units < size; set++) {
            const double cost = cost_of(x, set);
            for (uint64_t at = 0; at < states; at++) {
                uint64_t from = at;
                bool fits = true;
                for (int g = 0; g < server.gpus && fits; g++) {
                    if (!(set >> g & 1)) continue;
                    fits = at / stride[g] % size >= units;
                    from -= stride[g] * units;
                }
                if (fits && now[from] + cost < next[at]) next[at] = now[from] + cost;
            }
        }
        double *other = now;
        now = next;
        next = other;
    }
    double best = now[states - 1];
    free(now);
    free(next);
    return best;
}

/* What a plan leaves, by its lists and the links alone. */
static double left_by(const struct plan *p)
{
    double sum = 0;
    for (uint64_t x = 0; x < 2 * graph.n; x++) {
        unsigned set = 0;
        for (int g = 0; g < server.gpus; g++) {
            const struct row_list *l = x < graph.n ? &p->placement.topology[g] : &p->placement.feature[g];
            for (uint64_t i = 0; i < l->count; i++) set |= l->id[i] == x % graph.n ? 1u << g : 0;
        }
        sum += cost_of(x, set);
    }
    return sum;
}

static double uncached(void)
{
    double sum = 0;
    for (uint64_t x = 0; x < 2 * graph.n; x++) sum += cost_of(x, 0);
    return sum;
}

/* gap: added up, of the uncached transactions. */
static void judge(uint64_t seed, const char *deal, double *gap)
{
    static const char *const names[POLICIES] = {"hotset", "exact"};
    struct dice d = {seed * 977 + 5};
    struct study s;
    struct study_cell cells[POLICIES];
    make_server(&d);
    graph_shape(&graph, SHAPE_RANDOM, VERTICES, &d, dice_range(&d, 1, 4), DIM_BYTES / 4);
    struct workload w = {.hops = 2, .fanout = {3, 3}, .batch = 1, .seed = seed + 1};
    struct study_options o = case_options(&graph, &server, &w, 4, 0, 1);
    const uint64_t budget = UNIT * dice_range(&d, 4, 13);
    o.bound = true;
    o.deal = deal;
    for (int k = 0; k < POLICIES; k++) case_cell(&cells[k], names[k], budget);
    study_begin(&s, &o);
    OK(study_plan_all(&s, cells, POLICIES, &err));
    set_rates(cells[0].recording);
    const double best = best_of_all(budget), all = uncached();
    for (int k = 0; k < POLICIES; k++) {
        const struct plan *p = &cells[k].plan;
        const double left = left_by(p), close = 1e-4 * (1 + all);
        HOLDS(p->bound.known && !p->bound.reason, "seed %d, deal %s: %s", (int)seed, deal, p->bound.reason);
        HOLDS((double)p->bound.total.bound <= best + close, "seed %d: the bound %d is above a plan with %.4f",
              (int)seed, (int)p->bound.total.bound, best);
        HOLDS(fabs((double)p->bound.total.expected - left) <= 0.5 + close,
              "seed %d, %s: expects %d, its rows leave %.4f", (int)seed, names[k], (int)p->bound.total.expected, left);
        HOLDS(fabs((double)plan_predicted(p).total - left) <= server.cliques + close,
              "seed %d, %s: predicts %d, its rows leave %.4f", (int)seed, names[k], (int)plan_predicted(p).total, left);
        HOLDS(left >= best - close, "seed %d, %s: leaves %.4f, the best of all %.4f", (int)seed, names[k], left, best);
        gap[k] += all > 0 ? (left - best) / all : 0;
    }
    for (int k = 0; k < POLICIES; k++) study_cell_release(&cells[k]);
    study_end(&s);
    graph_drop(&graph);
}

static void plans_are_near_the_best_of_all(void **state)
{
    enum { ENOUGH = 30 }; /* for a mean */
    static const char *const deals[] = {"clique", "gpu", "global"};
    const uint64_t rounds = test_rounds(120);
    double gap[POLICIES] = {0};
    (void)state;
    if (!glpk_solver()) skip();
    for (uint64_t i = 0; i < rounds; i++) judge(test_seed(i), deals[i % COUNT_OF(deals)], gap);
    print_message("mean gap: hotset %.3f %%, exact %.3f %% of the uncached transactions\n",
                  100 * gap[0] / (double)rounds, 100 * gap[1] / (double)rounds);
    HOLDS(rounds < ENOUGH || (gap[0] <= 0.015 * (double)rounds && gap[1] <= 0.005 * (double)rounds),
          "hotset %.4f, exact %.4f", gap[0] / (double)rounds, gap[1] / (double)rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_are_near_the_best_of_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
