/* The replay of one type and one relation, as a graph of several types, against that of the plain graph. */
#include <math.h>
#include "base/mem.h"
#include "simulator/movement/epoch_load.h"
#include "simulator/replay/replay.h"
#include "tests/oracle/types_instance.h"

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
    epoch_load_recorded(q->graph, &one, &x[0]);
    epoch_load_recorded(z->graph, &other, &x[1]);
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
        typed_begin(&h, 1, &g.n);
        typed_feature(&h.type[0].features, g.feature_dim, 4);
        typed_relate(&h, 0, 0, &a, 0);
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
        typed_drop(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_type_is_the_homogeneous_replay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
