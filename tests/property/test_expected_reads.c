/* What an epoch is expected to read, by GPU and source, on random graphs and servers: told the transactions and the hit
 * rate of the very mini-batches that were recorded, it is what a replay of them counts; told that the host serves more,
 * every other source serves less. */
#include <math.h>
#include "planner/engine/expected_epoch.h"
#include "simulator/replay/replay.h"
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;

struct cased {
    struct study s;
    struct study_cell cell;
    struct replay counted, expected;
    uint64_t seed;
};

static uint64_t all_of(const uint64_t *by_source, int gpus)
{
    uint64_t sum = 0;
    for (int i = 0; i <= gpus; i++) sum += by_source[i];
    return sum;
}

/* A plan of policy hotset, and a replay of its recording's one epoch. */
static void plan_and_replay(struct cased *c, struct dice *d)
{
    struct workload w = case_workload(d, c->seed);
    struct study_options o = case_options(&graph, &server, &w, 1, 1, 2);
    uint64_t all = graph_total_bytes(&graph);
    study_begin(&c->s, &o);
    case_cell(&c->cell, "hotset", dice_below(d, all / 2 + 1));
    OK(study_plan_all(&c->s, &c->cell, 1, &err));
    const struct trace *t = c->cell.recording->trace;
    const struct placement *list = &c->cell.plan.placement;
    struct replay_request q = {.graph = &graph,
                               .assignment = &t->assignment,
                               .workload = &t->workload,
                               .line_bytes = server.line_bytes,
                               .epochs = 1,
                               .seed = t->workload.seed,
                               .threads = 1,
                               .kernels = &kernels_cpu};
    OK(replay_run(&q, &list, 1, &c->counted, &err));
    c->expected.gpu = calloc((size_t)server.gpus, sizeof *c->expected.gpu);
}

/* Tells the plan what the replay counted, as if it had been predicted. */
static void predict_counted(struct cased *c)
{
    struct plan *p = &c->cell.plan;
    uint64_t visits = 0, missed = 0;
    for (int k = 0; k < p->assignment.cliques; k++) p->clique[k].feature = p->clique[k].topology = 0;
    for (int g = 0; g < server.gpus; g++) {
        const struct replay_gpu *gpu = &c->counted.gpu[g];
        p->clique[p->assignment.clique_of[g]].feature += gpu->feature;
        p->clique[p->assignment.clique_of[g]].topology += gpu->topology;
        visits += all_of(gpu->visits, server.gpus);
        missed += gpu->visits[server.gpus];
    }
    p->predicted_topology_hit = visits ? 1 - (double)missed / (double)visits : NAN;
}

static void expect(struct cased *c)
{
    memset(c->expected.gpu, 0, (size_t)server.gpus * sizeof *c->expected.gpu);
    OK(expected_reads(&graph, c->cell.recording->trace, &c->cell.plan, 2, &c->expected, &err));
}

static void same(const struct cased *c, const char *what, int g, int source, uint64_t counted, uint64_t expected)
{
    double here = (double)expected / (double)c->expected.epochs;
    HOLDS(fabs(here - (double)counted) <= 0.01 + 1e-9 * (double)counted,
          "seed %d: GPU %d, %s from %d of %d: %g, %d counted", (int)c->seed, g, what, source, server.gpus, here,
          (int)counted);
}

static void compare(const struct cased *c)
{
    for (int g = 0; g < server.gpus; g++) {
        const struct replay_gpu *counted = &c->counted.gpu[g], *expected = &c->expected.gpu[g];
        for (int i = 0; i <= server.gpus; i++) { /* its own memory, peers, the host */
            same(c, "rows", g, i, counted->rows[i], expected->rows[i]);
            same(c, "visits", g, i, counted->visits[i], expected->visits[i]);
            same(c, "draws", g, i, counted->draws[i], expected->draws[i]);
            same(c, "bytes of entries", g, i, counted->entries[i], expected->entries[i]);
        }
        same(c, "transactions of rows", g, server.gpus, counted->feature, expected->feature);
    }
}

/* The host serves a half more rows than were counted, or all: what GPUs serve shrinks, and nothing is lost. */
static void more_from_the_host(struct cased *c)
{
    struct plan *p = &c->cell.plan;
    for (int k = 0; k < p->assignment.cliques; k++) p->clique[k].feature += p->clique[k].feature / 2;
    expect(c);
    for (int g = 0; g < server.gpus; g++) {
        const struct replay_gpu *counted = &c->counted.gpu[g], *expected = &c->expected.gpu[g];
        double unit = (double)c->expected.epochs, all = (double)all_of(counted->rows, server.gpus),
               found = (double)all_of(expected->rows, server.gpus) / unit;
        HOLDS(fabs(found - all) < 0.1, "seed %d: GPU %d reads %g rows in place of %g", (int)c->seed, g, found, all);
        for (int i = 0; i < server.gpus; i++)
            HOLDS((double)expected->rows[i] / unit <= (double)counted->rows[i] + 0.01,
                  "seed %d: GPU %d, %d serves more", (int)c->seed, g, i);
    }
}

static void recorded_reads_are_expected(void **state)
{
    uint64_t from_peers = 0, from_host = 0, own = 0;
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        static struct cased c;
        struct dice d;
        memset(&c, 0, sizeof c);
        c.seed = test_seed(i);
        d.at = c.seed * 7919 + 11;
        graph_shape(&graph, (enum shape)dice_below(&d, SHAPES), dice_range(&d, 10, 200), &d, dice_range(&d, 1, 40), 4);
        server_random(&server, &d);
        plan_and_replay(&c, &d);
        predict_counted(&c);
        expect(&c);
        compare(&c);
        for (int g = 0; g < server.gpus; g++)
            for (int k = 0; k <= server.gpus; k++)
                *(k == g ? &own : k < server.gpus ? &from_peers : &from_host) += c.counted.gpu[g].rows[k];
        more_from_the_host(&c);
        free(c.expected.gpu);
        replay_release(&c.counted);
        study_cell_release(&c.cell);
        study_end(&c.s);
        graph_drop(&graph);
    }
    HOLDS(own && from_peers && from_host, "some source served nothing: %d, %d, %d rows", (int)own, (int)from_peers,
          (int)from_host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_reads_are_expected)};
    return cmocka_run_group_tests_name("expected reads", tests, NULL, NULL);
}
