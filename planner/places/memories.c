#include "planner/places/memories.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/hotness/reader_shares.h"
#include "planner/places/memories_lists.h"
#include "planner/places/place_pages.h"
#include "planner/places/place_solve.h"
#include "simulator/storage/storage.h"

enum { PAGES_BOUND_ROUNDS = 2000 };

const char *memories_way_name(enum memories_way w)
{
    static const char *const names[] = {"one problem", "tier by tier"};
    return names[w];
}

static int readers_of(const struct memories *memories)
{
    return memories->request.nodes * memories->machine.shape.readers;
}
static int gpus_of(const struct memories *memories) { return memories->request.nodes * memories->request.server->gpus; }

static void free_arrays(float **of, int count)
{
    for (int r = 0; of && r < count; r++) mem_free(of[r]);
    mem_free(of);
}

void memories_release(struct memories *memories)
{
    free_arrays(memories->all, readers_of(memories));
    free_arrays(memories->left, readers_of(memories));
    for (int kind = 0; kind < LIST_KINDS; kind++) {
        for (int g = 0; memories->list[kind] && g < gpus_of(memories); g++) mem_free(memories->list[kind][g].id);
        mem_free(memories->list[kind]);
    }
    for (int w = 0; w < MEMORIES_WAYS; w++) place_solution_release(&memories->way[w]);
    mem_free(memories->bytes);
    mem_free(memories->gpu_bytes);
    mem_free(memories->kind);
    mem_free(memories->budget);
    mem_free(memories->preferred);
    memset(memories, 0, sizeof *memories);
}

static enum st new_arrays(const struct memories *memories, float ***out, struct err *err)
{
    MAKE(*out, readers_of(memories), "the reads of GPUs");
    for (int r = 0; r < readers_of(memories); r++) MAKE((*out)[r], memories->rows + 1, "the reads of GPUs");
    return ST_OK;
}

enum st memories_begin(struct memories *memories, struct err *err)
{
    const struct graph *g = memories->graph;
    PASS(place_machine_make(&memories->request, 1, &memories->machine, err));
    memories->rows = graph_items(g);
    MAKE(memories->bytes, memories->rows + 1, "the bytes of rows");
    if (graph_is_rounded(g)) MAKE(memories->gpu_bytes, memories->rows + 1, "the bytes of rows");
    if (!graph_plain(g)) MAKE(memories->kind, memories->rows + 1, "the bytes of rows");
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        const int read = t.kind == ROWS_TOPOLOGY ? PLACE_TOPOLOGY : place_machine_read(&memories->machine, t.row_bytes);
        for (uint64_t i = 0; i < t.count; i++) memories->bytes[t.first + i] = row_table_host_bytes(g, &t, i);
        for (uint64_t i = 0; memories->gpu_bytes && i < t.count; i++)
            memories->gpu_bytes[t.first + i] = row_table_bytes(g, &t, i);
        if (memories->kind) memset(memories->kind + t.first, read, t.count);
    }
    MAKE(memories->budget, gpus_of(memories), "budgets");
    PASS(new_arrays(memories, &memories->left, err));
    if (!memories->joint) return ST_OK;
    PASS(new_arrays(memories, &memories->all, err));
    MAKE(memories->preferred,
         (uint64_t)(memories->request.nodes * memories->machine.shape.cliques) * memories->rows + 1, "readers of rows");
    for (int kind = 0; kind < LIST_KINDS; kind++) MAKE(memories->list[kind], gpus_of(memories), "the rows of GPUs");
    return ST_OK;
}

uint64_t memories_bytes(const struct memories_request *r, const struct graph *g)
{
    const struct server *s = r->server;
    const uint64_t rows = graph_items(g), nodes = (uint64_t)r->nodes,
                   readers = nodes * (uint64_t)s->cliques * (uint64_t)(s->sockets > 1 ? s->sockets : 1),
                   set = (nodes * (uint64_t)(s->cliques + s->sockets) + 7) / 8;
    return rows * (17 + 8 * readers + nodes * (uint64_t)s->cliques + 16 + 24 + 7 * set);
}

/* The problem whose places way[] has: everything with the GPUs, or what they leave to the places below. */
static void problem_of(const struct memories *memories, bool gpus, struct place_problem *p)
{
    *p = memories->machine.shape;
    const struct server *s = memories->request.server;
    p->rows = memories->rows;
    p->topology_rows = graph_topology_rows(memories->graph);
    p->bytes = memories->bytes;
    p->gpu_bytes = memories->gpu_bytes;
    p->kind = memories->kind;
    p->kinds = memories->machine.kinds;
    p->topology_home = p->has_last && memories->topology_home;
    p->demand = (const float *const *)(gpus ? memories->all : memories->left);
    if (!gpus) p->cliques = 0;
    for (int r = 0; !gpus && r < p->readers; r++) p->clique_of[r] = -1;
    for (int k = 0; k < place_count(p); k++) {
        const int each = p->cliques + p->homes, c = k % each;
        if (c >= p->cliques) p->capacity[k] = memories->machine.home[c - p->cliques].capacity;
        for (int i = 0; c < p->cliques && i < s->clique_size[c]; i++)
            p->capacity[k] += memories->budget[k / each * s->gpus + s->clique[c][i]];
    }
}

/* ---- a node ---- */

/* Which GPU of each clique reads a row most in the recording; ties to the lower. */
static void find_preferred(struct memories *memories, int node, const struct trace *t)
{
    const struct server *s = memories->request.server;
    const uint64_t lists = graph_topology_rows(memories->graph);
    for (int c = 0; c < s->cliques; c++) {
        uint8_t *to = memories->preferred + (uint64_t)(node * s->cliques + c) * memories->rows;
#pragma omp parallel for num_threads(memories->threads)
        for (uint64_t i = 0; i < memories->rows; i++) {
            uint64_t most = 0;
            to[i] = UINT8_MAX;
            for (int k = 0; k < s->clique_size[c]; k++) {
                int g = s->clique[c][k];
                uint64_t reads = reader_count(memories->graph, t, g, i < lists, i < lists ? i : i - lists);
                if (reads <= most) continue;
                most = reads;
                to[i] = (uint8_t)g;
            }
        }
    }
}

/* The sets of the given lists: each clique's rows, in places of problem `whole`. */
static void mark_lists(const struct memories *memories, int node, const struct plan *p, struct place_solution *s)
{
    const struct place_problem *shape = &memories->machine.shape;
    const uint64_t lists = graph_topology_rows(memories->graph);
    for (int g = 0; g < p->assignment.gpus; g++) {
        int k = node * (shape->cliques + shape->homes) + memories->request.server->clique_of[g];
        const struct row_list *t = &p->placement.topology[g], *f = &p->placement.feature[g];
        for (uint64_t i = 0; i < t->count; i++) place_add(place_set_of(s, t->id[i]), k);
        for (uint64_t i = 0; i < f->count; i++) place_add(place_set_of(s, lists + f->id[i]), k);
    }
}

enum st memories_add(struct memories *memories, int node, const struct plan *plan, const struct trace *trace,
                     struct err *err)
{
    const struct place_source s = {memories->graph,
                                   plan,
                                   trace,
                                   memories->kernels,
                                   memories->threads,
                                   memories->request.read_bytes[PLACE_TOPOLOGY]};
    const int first = node * memories->machine.shape.readers, gpus = memories->request.server->gpus;
    struct place_solution *given = &memories->way[MEMORIES_ORDER];
    double served, lines = 0, blocks = 0;
    memcpy(memories->budget + node * gpus, plan->budget, (size_t)gpus * sizeof *memories->budget);
    PASS(place_reads_expect(&s, &memories->machine, memories->all ? memories->all + first : NULL,
                            memories->left + first, &served, err));
    memories->served += served;
    memories->topology_home |= !storage_knows_topology(&plan->workload) && plan->placement.access != ACCESS_SAMPLERS;
    if (memories->request.drives.count)
        PASS(place_reads_blocks(&s, memories->request.drives.block_bytes, &lines, &blocks, err));
    memories->lines += lines;
    memories->blocks += blocks;
    if (!memories->joint) return ST_OK;
    find_preferred(memories, node, trace);
    if (!given->held) {
        ON_HEAP(struct place_problem, p);
        problem_of(memories, true, p);
        given->stride = place_stride(p);
        MAKE(given->held, memories->rows * (uint64_t)given->stride + 1, "the places of rows");
    }
    mark_lists(memories, node, plan, given);
    return ST_OK;
}

/* ---- all nodes ---- */

/* What lies below the GPUs, for what they do not serve. */
static enum st solve_below(struct memories *memories, struct place_solution *out, double *bound, struct err *err)
{
    ON_HEAP(struct place_problem, p);
    problem_of(memories, false, p);
    ON_HEAP(struct place_prices, prices);
    PASS(place_check(p, err));
    if (memories->request.rows == SOCKET_ROWS_PLACE) PASS(place_solve(p, NULL, memories->threads, out, prices, err));
    else {
        PASS(place_pages(p, memories->request.rows == SOCKET_ROWS_REPLICATE ? memories->machine.read_bytes : NULL,
                         memories->kernels, memories->threads, out, err));
        PASS(place_bound(p, out->cost, NULL, PAGES_BOUND_ROUNDS, memories->threads, prices, err));
    }
    *bound = memories->served + (prices->value > 0 ? prices->value : 0);
    return ST_OK;
}

/* Adds the sockets of a solution without GPUs to one with them. */
static void add_below(const struct memories *memories, const struct place_solution *below, struct place_solution *to)
{
    const struct place_problem *p = &memories->machine.shape;
    for (uint64_t i = 0; i < memories->rows; i++)
        for (int k = 0; k < p->nodes * p->homes; k++)
            if (place_holds(place_set_of(below, i), k))
                place_add(place_set_of(to, i), k / p->homes * (p->cliques + p->homes) + p->cliques + k % p->homes);
}

/* Everything as one problem, from the given lists on; the cheaper one is taken. */
static enum st solve_whole(struct memories *memories, struct err *err)
{
    ON_HEAP(struct place_problem, p);
    problem_of(memories, true, p);
    struct place_solution *one = &memories->way[MEMORIES_ONE], *order = &memories->way[MEMORIES_ORDER];
    ON_HEAP(struct place_prices, prices);
    PASS(place_check(p, err));
    PASS(place_judge(p, order, err));
    PASS(place_solve(p, order, memories->threads, one, prices, err));
    memories->bound = prices->value > 0 ? prices->value : 0;
    PASS(memories_deal(memories, p, one, err));
    memories->changed = one->cost < memories->seconds[MEMORIES_ORDER];
    memories->seconds[MEMORIES_ONE] = memories->changed ? one->cost : memories->seconds[MEMORIES_ORDER];
    if (!memories->changed) memcpy(one->held, order->held, memories->rows * (uint64_t)one->stride);
    if (!memories->changed) PASS(place_judge(p, one, err));
    return ST_OK;
}

/* Where SSDs cannot be read for topology, DRAM has room for all of it. */
static enum st check_topology(const struct memories *memories, struct err *err)
{
    ON_HEAP(struct place_problem, p);
    char needs[UNIT_TEXT], has[UNIT_TEXT];
    uint64_t topology = 0, room = 0;
    problem_of(memories, false, p);
    if (!p->topology_home) return ST_OK;
    for (uint64_t i = 0; i < p->topology_rows; i++) topology += p->bytes[i];
    for (int k = 0; k < place_count(p); k++) room += p->capacity[k];
    if (topology <= room) return ST_OK;
    return err_set(err, ST_NO,
                   "--host-memory: this sampler reads weights, times or whole frontiers, which is not modelled for "
                   "SSDs, so DRAM holds all topology; that takes %s beside the offsets, but there are %s; give more",
                   units_bytes(needs, topology), units_bytes(has, room));
}

enum st memories_solve(struct memories *memories, struct err *err)
{
    OWNED_BY(place_solution_release) struct place_solution below = {0};
    PASS(place_machine_make(&memories->request, memories->lines > 0 ? memories->blocks / memories->lines : 0,
                            &memories->machine, err));
    PASS(check_topology(memories, err));
    PASS(solve_below(memories, &below, &memories->bound, err));
    memories->seconds[MEMORIES_ORDER] = memories->served + below.cost;
    if (memories->joint) {
        add_below(memories, &below, &memories->way[MEMORIES_ORDER]);
        PASS(solve_whole(memories, err));
    } else {
        memories->way[MEMORIES_ORDER] = below;
        below = (struct place_solution){0};
    }
    return ST_OK;
}
