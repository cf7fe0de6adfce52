/* Epoch times on random graphs and servers: more cache is never slower, overlap never slower than none, and gnnlab's
 * split is the best of all. */
#include <math.h>
#include "simulator/movement/epoch_document.h"
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;

static void set_constants(struct server *s, struct dice *d)
{
    s->pcie_gbps = (double)dice_range(d, 1, 60);
    s->host_memory_gbps = (double)dice_range(d, 10, 400);
    s->cpu_tflops = (double)dice_range(d, 1, 8);
    s->cpu_sampling_edges = 1e6 * (double)dice_range(d, 1, 500);
    for (int a = 0; a < s->gpus; a++) {
        s->gpu[a].memory_gbps = (double)dice_range(d, 50, 2000);
        s->gpu[a].tflops = (double)dice_range(d, 1, 60);
        s->gpu[a].sampling_edges = 1e6 * (double)dice_range(d, 1, 2000);
        for (int b = 0; b < s->gpus; b++) s->link_gbps[a][b] = 1000 * s->links[a][b]; /* never slower than the host */
    }
}

static void begin(uint64_t seed, struct dice *d)
{
    d->at = seed * 7919 + 5;
    graph_shape(&graph, (enum shape)dice_below(d, SHAPES), dice_range(d, 10, 120), d, dice_range(d, 1, 40), 4);
    server_random(&server, d);
    set_constants(&server, d);
}

static struct study_options timed_options(const struct workload *w, struct dice *d)
{
    struct study_options o = case_options(&graph, &server, w, 2, 2, 2);
    o.timing.setup = (struct epoch_setup){.gnn = {dice_chance(d, 0.5) ? GNN_GCN : GNN_SAGE, dice_range(d, 1, 300),
                                                  dice_range(d, 1, 100)},
                                          .pipelined = true,
                                          .unoverlapped = dice_chance(d, 0.5) ? EPOCH_UNOVERLAPPED : 0,
                                          .cpu = cpu_part_none()};
    return o;
}

static double seconds_of(const struct study_cell *c) { return c->plan.simulated->time->seconds; }

static void release(struct study *s, struct study_cell *cells, int count)
{
    for (int i = 0; i < count; i++) study_cell_release(&cells[i]);
    study_end(s);
    graph_drop(&graph);
}

/* Policies whose caches grow as prefixes of one order, one kind of row at a time. */
static void more_budget_is_never_slower(void **state)
{
    (void)state;
    static const char *const names[] = {"quiver", "quiver-plus", "pagraph", "aligraph"};
    enum { NAMES = 4, BUDGETS = 5 };
    for (uint64_t i = 0; i < test_rounds(40); i++) {
        static struct study_cell cell[NAMES * BUDGETS];
        uint64_t seed = test_seed(i);
        struct dice d;
        struct study s;
        begin(seed, &d);
        struct workload w = case_workload(&d, seed);
        struct study_options o = timed_options(&w, &d);
        study_begin(&s, &o);
        for (int k = 0; k < NAMES * BUDGETS; k++)
            case_cell(&cell[k], names[k / BUDGETS],
                      (uint64_t)(k % BUDGETS) * graph.n * graph.row_bytes / (BUDGETS - 1));
        OK(study_plan_all(&s, cell, NAMES * BUDGETS, &err));
        OK(study_simulate(&s, cell, NAMES * BUDGETS, &err));
        for (int k = 0; k < NAMES * BUDGETS; k++) {
            HOLDS(isfinite(seconds_of(&cell[k])), "seed %d: %s has no time", (int)seed, names[k / BUDGETS]);
            if (k % BUDGETS)
                HOLDS(seconds_of(&cell[k]) <= seconds_of(&cell[k - 1]) * (1 + 1e-9),
                      "seed %d: %s is slower with more budget: %g s after %g s", (int)seed, names[k / BUDGETS],
                      seconds_of(&cell[k]), seconds_of(&cell[k - 1]));
        }
        release(&s, cell, NAMES * BUDGETS);
    }
}

static void overlap_hides_all_but_a_share(void **state)
{
    (void)state;
    static const char *const names[] = {"hotset", "hyscale", "dgl-uva", "legion"};
    for (uint64_t i = 0; i < test_rounds(20); i++) {
        static struct study_cell cell[8];
        uint64_t seed = test_seed(i + 1000);
        struct dice d;
        struct study s[2];
        begin(seed, &d);
        struct workload w = case_workload(&d, seed);
        struct study_options o = timed_options(&w, &d);
        for (int k = 0; k < 2; k++) {
            o.timing.setup.pipelined = !k;
            study_begin(&s[k], &o);
            for (int j = 0; j < 4; j++) case_cell(&cell[4 * k + j], names[j], 4096);
            cell[4 * k + 1].budget.bytes = 0;
            OK(study_plan_all(&s[k], cell + 4 * k, 4, &err));
            OK(study_simulate(&s[k], cell + 4 * k, 4, &err));
        }
        for (int j = 0; j < 8; j++) {
            const struct epoch_time *time = &cell[j].plan.simulated->time->time;
            const double *v = time->stage, sum = v[0] + v[1] + v[2] + v[3];
            double longest = fmax(fmax(v[0], v[1]), fmax(v[2], v[3])), execution = time->execution;
            double beside = longest + o.timing.setup.unoverlapped * (sum - longest);
            HOLDS(fabs(execution - (j < 4 ? beside : sum)) <= 1e-6 * sum, "seed %d: %s takes %g s", (int)seed,
                  names[j % 4], execution);
            if (j >= 4 && strcmp(names[j % 4], "hyscale"))
                HOLDS(seconds_of(&cell[j - 4]) <= seconds_of(&cell[j]) * (1 + 1e-9), "seed %d: overlap is slower",
                      (int)seed);
        }
        for (int j = 0; j < 8; j++) study_cell_release(&cell[j]);
        study_end(&s[0]);
        study_end(&s[1]);
        graph_drop(&graph);
    }
}

/* Every split planned and simulated by itself: the split that gnnlab takes is as fast as the best, up to what the
 * recording and the held-out epochs differ by. */
static void gnnlab_takes_the_best_split(void **state)
{
    (void)state;
    int judged = 0, seen[GPUS_MAX] = {0};
    for (uint64_t i = 0; i < test_rounds(30); i++) {
        static struct study_cell cell[10];
        uint64_t seed = test_seed(i + 2000);
        struct dice d;
        struct study s;
        double best = INFINITY;
        begin(seed, &d);
        if (server.gpus < 2 || server.gpus > 9) {
            graph_drop(&graph);
            continue;
        }
        for (int g = 0; g < server.gpus; g++) {
            server.gpu[g].memory_bytes = 1 << 24;
            server.gpu[g].sampling_edges = 1e4 * (double)dice_range(&d, 1, 2) * (double)(1 + 20 * (i % 5));
            server.gpu[g].memory_gbps = 1;
            server.gpu[g].tflops = 0.01;
        }
        graph_trains(&graph, &d, 1.0);
        struct workload w = {.hops = 2, .fanout = {3, 2}, .batch = 1, .seed = seed};
        struct study_options o = timed_options(&w, &d);
        o.presample_epochs = 4;
        o.simulate_epochs = 4;
        study_begin(&s, &o);
        for (int k = 0; k < server.gpus; k++) {
            case_cell(&cell[k], "gnnlab", 200);
            if (!k) continue;
            policy_defaults(cell[k].policy, cell[k].option);
            cell[k].option[0] = k;
            cell[k].options_given = true;
        }
        OK(study_plan_all(&s, cell, server.gpus, &err));
        OK(study_simulate(&s, cell, server.gpus, &err));
        for (int k = 1; k < server.gpus; k++) best = fmin(best, seconds_of(&cell[k]));
        HOLDS(cell[0].samplers >= 1 && cell[0].samplers < server.gpus, "seed %d: %d samplers of %d GPUs", (int)seed,
              cell[0].samplers, server.gpus);
        HOLDS(seconds_of(&cell[0]) <= best * 1.1, "seed %d: %d samplers take %g s, the best split %g s", (int)seed,
              cell[0].samplers, seconds_of(&cell[0]), best);
        int least = 1; /* of what it predicted, the least; the splits that it states */
        for (int k = 2; k < server.gpus; k++) least = cell[0].split[k] < cell[0].split[least] ? k : least;
        EQUAL(cell[0].samplers, least, "seed %d", (int)seed);
        seen[cell[0].samplers]++;
        judged++;
        release(&s, cell, server.gpus);
    }
    HOLDS(judged > 5 || test_rounds(30) == 1, "only %d servers had a choice", judged);
    HOLDS(seen[1] < judged || test_rounds(30) == 1, "%s", "one sampler was always the best: the test tells nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(more_budget_is_never_slower),
                                       cmocka_unit_test(overlap_hides_all_but_a_share),
                                       cmocka_unit_test(gnnlab_takes_the_best_split)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
