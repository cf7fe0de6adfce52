/* The `oracle` policy against the best of all placements, found by trying them all on tiny graphs. */
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;
static struct study study;

enum { ROWS = 12 };
static uint64_t bytes_of[ROWS], saves[ROWS]; /* one clique: rows v = topology of v, n + v = features of v */

/* Most that rows from `at` on can save in the room left, every row on one GPU or on none. */
static uint64_t best_from(int at, int rows, int gpus, uint64_t *room)
{
    if (at == rows) return 0;
    uint64_t best = best_from(at + 1, rows, gpus, room);
    for (int g = 0; g < gpus && saves[at]; g++) {
        bool like_another = false; /* a GPU with the same room as an earlier one tells nothing new */
        for (int h = 0; h < g; h++) like_another |= room[h] == room[g];
        if (room[g] < bytes_of[at] || like_another) continue;
        room[g] -= bytes_of[at];
        uint64_t with = saves[at] + best_from(at + 1, rows, gpus, room);
        room[g] += bytes_of[at];
        if (with > best) best = with;
    }
    return best;
}

static bool held(const struct plan *p, int row, int n)
{
    for (int g = 0; g < p->assignment.gpus; g++) {
        const struct row_list *l = row < n ? &p->placement.topology[g] : &p->placement.feature[g];
        for (uint64_t i = 0; i < l->count; i++)
            if ((int)l->id[i] == row % n) return true;
    }
    return false;
}

static void judge(struct study_cell *cell, uint64_t seed, int n)
{
    uint64_t room[9], found = 0, lost = 0, all = 0;
    for (int i = 0; i < 2 * n; i++) {
        saves[i] = i < n ? cell->recording->benefit_topology[0][i] : cell->recording->benefit_feature[0][i - n];
        bytes_of[i] = i < n ? 4 * degree_of(&graph, (uint64_t)i) + 8 : graph.row_bytes;
        all += saves[i];
        if (held(&cell->plan, i, n)) found += saves[i];
        else if (saves[i] > lost) lost = saves[i];
    }
    for (int g = 0; g < server.gpus; g++) room[g] = cell->plan.budget[g];
    uint64_t best = best_from(0, 2 * n, server.gpus, room), simulated = cell->plan.simulated->sums.transactions.total;
    HOLDS(found <= best, "seed %d: %d saves more than the best of all", (int)seed, (int)found);
    /* One GPU: what is lost is less than one row that found no place. More GPUs: less than one such row on each. */
    HOLDS(best - found <= lost * (uint64_t)server.gpus,
          "seed %d: saves %d, the best placement %d, the largest row left out %d", (int)seed, (int)found, (int)best,
          (int)lost);
    /* One epoch, so nothing is rounded: what is simulated is what was promised, per GPU. */
    EQUAL(simulated, all - found, "seed %d", (int)seed);
    EQUAL(plan_predicted(&cell->plan).total, simulated, "seed %d", (int)seed);
    EQUAL(cell->recording->uncached, all, "seed %d", (int)seed);
}

static void within_a_row_of_the_best(void **state)
{
    enum { CELLS = 8 };
    static struct study_cell cell[CELLS];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(120); i++) {
        uint64_t seed = test_seed(i), total;
        struct dice d = {seed * 53 + 11};
        int gpus = seed % 3 ? 1 : 2, sizes[] = {gpus, 0},
            n = gpus == 1 ? (int)dice_range(&d, 2, 6) : (int)dice_range(&d, 2, 4);
        graph_shape(&graph, (enum shape)dice_below(&d, SHAPES), (uint64_t)n, &d, dice_range(&d, 1, 8), 4);
        server_cliques(&server, sizes, 32);
        total = 4 * graph.m + 8 * graph.n + graph.n * graph.row_bytes;
        struct workload w = case_workload(&d, seed);
        struct study_options o = case_options(&graph, &server, &w, 1, 1, 1);
        study_begin(&study, &o);
        for (int k = 0; k < CELLS; k++) case_cell(&cell[k], "oracle", dice_below(&d, total / (uint64_t)gpus + 2));
        OK(study_plan_all(&study, cell, CELLS, &err));
        OK(study_simulate(&study, cell, CELLS, &err));
        for (int k = 0; k < CELLS; k++) {
            assert_int_equal(cell[k].verdict.status, POLICY_OK);
            assert_false(cell[k].plan.predicted_held_out);
            judge(&cell[k], seed, n);
            study_cell_release(&cell[k]);
        }
        study_end(&study);
        graph_drop(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(within_a_row_of_the_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
