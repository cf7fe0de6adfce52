/* The transfer stage, its bound and the placement for it, against all placements on tiny servers. */
#include <math.h>

#include "hwprofiles/model/bandwidth.h"
#include "planner/optimum/transfer_bound.h"
#include "planner/policies/timed.h"
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;
static struct plan plan;
static struct estimates estimates[GPUS_MAX];

enum { ROWS = 4, MOST_GPUS = 3 }; /* two vertices, both kinds of rows */

static void make_estimates(struct dice *d)
{
    for (int c = 0; c < server.cliques; c++) {
        struct estimates *e = &estimates[c];
        e->topology = calloc(graph.n, sizeof(float));
        e->feature = calloc(graph.n, sizeof(float));
        e->visits = calloc(graph.n, sizeof(float));
        e->rows = calloc(graph.n, sizeof(float));
        for (uint64_t v = 0; v < graph.n; v++) {
            e->visits[v] = (float)dice_range(d, 1, 1u << dice_below(d, 12));
            e->rows[v] = (float)dice_range(d, 1, 1u << dice_below(d, 12));
            e->topology[v] = e->visits[v] * 2;
            e->feature[v] = e->rows[v] * (float)((graph.row_bytes + 63) / 64);
        }
    }
}

static void make_instance(uint64_t seed)
{
    struct dice d = {seed};
    int gpus = 1 + (int)(seed % MOST_GPUS);
    double speed = pow(10, (double)dice_below(&d, 3) - 1); /* of an NVLink over PCIe: 0.1, 1, 10 */
    server_of(&server, gpus, 64);
    server.pcie_gbps = 10;
    server.host_memory_gbps = dice_chance(&d, 0.5) ? 15 : 0;
    for (int a = 0; a < gpus; a++) {
        server.gpu[a].pcie_switch = dice_chance(&d, 0.8) ? (int)dice_below(&d, 2) : -1;
        server.gpu[a].memory_gbps = dice_chance(&d, 0.5) ? 100 : 0;
        for (int b = 0; b < a; b++)
            if (dice_chance(&d, 0.7)) {
                server_join(&server, a, b, 1 + (int)dice_below(&d, 2));
                server.link_gbps[a][b] = server.link_gbps[b][a] = 10 * speed * server.links[a][b];
            }
    }
    server_find_cliques(&server);
    graph_shape(&graph, SHAPE_RANDOM, ROWS / 2, &d, dice_range(&d, 1, 40), 4);
    make_estimates(&d);
    memset(&plan, 0, sizeof plan);
    plan.placement.gpus = plan.assignment.gpus = gpus;
    plan.assignment.cliques = server.cliques;
    uint64_t most = 8 * graph.n + 4 * graph.m + graph.n * graph.row_bytes;
    for (int g = 0; g < gpus; g++) {
        plan.budget[g] = dice_below(&d, most + 8);
        plan.assignment.id[g] = g;
        plan.assignment.clique_of[g] = server.clique_of[g];
        for (int b = 0; b < gpus; b++) {
            plan.links[g][b] = server.links[g][b];
            if (b != g && server.links[g][b]) plan.placement.peer[g][plan.placement.peers[g]++] = b;
        }
    }
    plan_order_peers(&plan);
}

static void drop_instance(void)
{
    for (int c = 0; c < server.cliques; c++) {
        free(estimates[c].topology);
        free(estimates[c].feature);
        free(estimates[c].visits);
        free(estimates[c].rows);
    }
    memset(estimates, 0, sizeof estimates);
    placement_release(&plan.placement);
    graph_drop(&graph);
}

/* ---- the slow truth ---- */

static uint64_t plain_bytes(uint64_t x) { return x < graph.n ? 4 * degree_of(&graph, x) + 8 : graph.row_bytes; }

struct times {
    double pcie[MOST_GPUS], uplink[2], link[MOST_GPUS][MOST_GPUS], memory[MOST_GPUS], host;
};

/* Adds reader i's reads of row x when the set holds it. */
static void plain_read(struct times *t, int i, uint64_t x, unsigned set)
{
    const struct estimates *e = &estimates[server.clique_of[i]];
    double members = 0, host, gpu;
    int from = -1;

    for (int g = 0; g < server.gpus; g++) members += server.clique_of[g] == server.clique_of[i];
    host = (double)(x < graph.n ? e->topology[x] : e->feature[x - graph.n]) * 64 / members;
    gpu = x < graph.n ? (double)e->visits[x] * 16 / members
                      : (double)e->rows[x - graph.n] * (double)graph.row_bytes / members;
    if (set >> i & 1) from = i;
    for (int q = 0; from < 0 && q < plan.placement.peers[i]; q++)
        if (set >> plan.placement.peer[i][q] & 1) from = plan.placement.peer[i][q];
    if (from < 0) {
        t->pcie[i] += host / 10e9;
        if (server.gpu[i].pcie_switch >= 0) t->uplink[server.gpu[i].pcie_switch] += host / 10e9;
        if (server.host_memory_gbps > 0) t->host += host / (1e9 * server.host_memory_gbps);
        return;
    }
    if (from != i) t->link[i][from] += gpu / (1e9 * server.link_gbps[i][from]);
    if (server.gpu[from].memory_gbps > 0) t->memory[from] += gpu / (1e9 * server.gpu[from].memory_gbps);
}

/* Three GPUs that are joined alike have a switch: then a reader's links share a port. */
static double plain_stage(const unsigned *set)
{
    struct times t = {{0}, {0}, {{0}}, {0}, 0};
    for (int i = 0; i < server.gpus; i++)
        for (uint64_t x = 0; x < ROWS; x++) plain_read(&t, i, x, set[x]);
    double most = fmax(t.host, fmax(t.uplink[0], t.uplink[1]));
    for (int i = 0; i < server.gpus; i++) {
        double port = 0;
        most = fmax(most, fmax(t.pcie[i], t.memory[i]));
        for (int j = 0; j < server.gpus; j++) {
            port += t.link[i][j];
            most = fmax(most, t.link[i][j]);
        }
        if (server_links_switched(&server, i)) most = fmax(most, port);
    }
    return most;
}

static double best_of_all(void)
{
    double best = INFINITY;
    for (unsigned number = 0; number < 1u << ROWS * server.gpus; number++) {
        unsigned set[ROWS];
        uint64_t used[MOST_GPUS] = {0};
        bool fits = true;
        for (int x = 0; x < ROWS; x++) {
            set[x] = number >> x * server.gpus & ((1u << server.gpus) - 1);
            for (int g = 0; g < server.gpus; g++) used[g] += set[x] >> g & 1 ? plain_bytes((uint64_t)x) : 0;
        }
        for (int g = 0; g < server.gpus; g++) fits &= used[g] <= plan.budget[g];
        if (fits) best = fmin(best, plain_stage(set));
    }
    return best;
}

static void holders(unsigned *set)
{
    for (uint64_t x = 0; x < ROWS; x++) {
        set[x] = 0;
        for (int g = 0; g < server.gpus; g++) {
            const struct row_list *l = x < graph.n ? &plan.placement.topology[g] : &plan.placement.feature[g];
            for (uint64_t i = 0; i < l->count; i++)
                if (l->id[i] == x % graph.n) set[x] |= 1u << g;
        }
    }
}

/* ---- tests ---- */

static struct policy_input input(void)
{
    return (struct policy_input){.graph = &graph,
                                 .server = &server,
                                 .kernels = &kernels_cpu,
                                 .threads = 1,
                                 .estimates = estimates};
}

/* The bound at the search's weights, and at others. */
static double bound_of(const struct transfer *t, uint64_t seed)
{
    struct policy_input in = input();
    struct transfer_reads reads;
    struct dice d = {seed ^ 5};
    double *weight = calloc((size_t)t->resources * 3, sizeof *weight), best = 0, one, sum = 0;
    OK(timed_weights(&in, t, 8, &plan, weight, &err));
    for (int r = 0; r < t->resources; r++) sum += weight[2 * t->resources + r] = (double)dice_range(&d, 1, 9);
    for (int r = 0; r < t->resources; r++) weight[2 * t->resources + r] /= sum;
    OK(transfer_reads_make(t, &reads, &err));
    for (int k = 0; k < 3; k++) {
        OK(transfer_bound(t, &reads, plan.budget, weight + k * t->resources, &one, &err));
        best = fmax(best, one);
    }
    transfer_reads_release(&reads);
    free(weight);
    return best;
}

static void no_placement_beats_the_bound(void **state)
{
    (void)state;
    int near = 0, rounds = (int)test_rounds(600);
    for (uint64_t i = 0; i < (uint64_t)rounds; i++) {
        uint64_t seed = test_seed(i);
        struct items items = {.graph = &graph, .estimates = estimates, .threads = 1};
        struct policy_input in = input();
        struct transfer t;
        unsigned set[ROWS];
        uint64_t used[MOST_GPUS] = {0};
        struct timed timed;
        double stage;
        int busiest;
        make_instance(seed);
        OK(transfer_make(&server, &plan.placement, &items, &t, &err));
        double best = best_of_all(), bound = bound_of(&t, seed);
        HOLDS(bound <= best * (1 + 1e-6) + 1e-12, "seed %d: a placement with %g s beats the bound %g s", (int)seed,
              best, bound);
        OK(timed_place(&in, 40, &plan, &timed, &err));
        holders(set);
        for (uint64_t x = 0; x < ROWS; x++)
            for (int g = 0; g < server.gpus; g++) used[g] += set[x] >> g & 1 ? plain_bytes(x) : 0;
        for (int g = 0; g < server.gpus; g++)
            HOLDS(used[g] <= plan.budget[g], "seed %d: GPU %d holds more than its budget", (int)seed, g);
        OK(transfer_cost(&t, &plan.placement, NULL, &stage, &busiest, &err));
        HOLDS(fabs(stage - plain_stage(set)) <= 1e-6 * stage + 1e-11, "seed %d: the stage is %g s, by hand %g s",
              (int)seed, stage, plain_stage(set));
        HOLDS(fabs(timed.after - stage) <= 1e-9 * stage + 1e-15 && timed.after <= timed.before,
              "seed %d: %g s are told", (int)seed, timed.after);
        near += stage <= best * 1.05 + 1e-12;
        transfer_release(&t);
        doc_free(plan.notes);
        plan.notes = NULL;
        drop_instance();
    }
    /* four rows are a knapsack: an order of gains per byte is not always the best filling */
    HOLDS(near * 10 >= rounds * 7, "only %d of %d placements are within 5 %% of the best", near, rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_placement_beats_the_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
