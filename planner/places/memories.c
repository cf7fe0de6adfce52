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

static int readers_of(const struct memories *x) { return x->request.nodes * x->machine.shape.readers; }
static int gpus_of(const struct memories *x) { return x->request.nodes * x->request.server->gpus; }

static void free_arrays(float **of, int count)
{
    for (int r = 0; of && r < count; r++) mem_free(of[r]);
    mem_free(of);
}

void memories_release(struct memories *x)
{
    free_arrays(x->all, readers_of(x));
    free_arrays(x->left, readers_of(x));
    for (int kind = 0; kind < LIST_KINDS; kind++) {
        for (int g = 0; x->list[kind] && g < gpus_of(x); g++) mem_free(x->list[kind][g].id);
        mem_free(x->list[kind]);
    }
    for (int w = 0; w < MEMORIES_WAYS; w++) place_solution_release(&x->way[w]);
    mem_free(x->bytes);
    mem_free(x->gpu_bytes);
    mem_free(x->kind);
    mem_free(x->budget);
    mem_free(x->preferred);
    memset(x, 0, sizeof *x);
}

static enum st new_arrays(const struct memories *x, float ***out, struct err *err)
{
    MAKE(*out, readers_of(x), "the reads of GPUs");
    for (int r = 0; r < readers_of(x); r++) MAKE((*out)[r], x->rows + 1, "the reads of GPUs");
    return ST_OK;
}

enum st memories_begin(struct memories *x, struct err *err)
{
    const struct graph *g = x->graph;
    PASS(place_machine_make(&x->request, 1, &x->machine, err));
    x->rows = graph_items(g);
    MAKE(x->bytes, x->rows + 1, "the bytes of rows");
    if (graph_is_rounded(g)) MAKE(x->gpu_bytes, x->rows + 1, "the bytes of rows");
    if (!graph_plain(g)) MAKE(x->kind, x->rows + 1, "the bytes of rows");
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        const int read = t.kind == ROWS_TOPOLOGY ? PLACE_TOPOLOGY : place_machine_read(&x->machine, t.row_bytes);
        for (uint64_t i = 0; i < t.count; i++) x->bytes[t.first + i] = row_table_host_bytes(g, &t, i);
        for (uint64_t i = 0; x->gpu_bytes && i < t.count; i++) x->gpu_bytes[t.first + i] = row_table_bytes(g, &t, i);
        if (x->kind) memset(x->kind + t.first, read, t.count);
    }
    MAKE(x->budget, gpus_of(x), "budgets");
    PASS(new_arrays(x, &x->left, err));
    if (!x->joint) return ST_OK;
    PASS(new_arrays(x, &x->all, err));
    MAKE(x->preferred, (uint64_t)(x->request.nodes * x->machine.shape.cliques) * x->rows + 1, "readers of rows");
    for (int kind = 0; kind < LIST_KINDS; kind++) MAKE(x->list[kind], gpus_of(x), "the rows of GPUs");
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
static void problem_of(const struct memories *x, bool gpus, struct place_problem *p)
{
    *p = x->machine.shape;
    const struct server *s = x->request.server;
    p->rows = x->rows;
    p->topology_rows = graph_topology_rows(x->graph);
    p->bytes = x->bytes;
    p->gpu_bytes = x->gpu_bytes;
    p->kind = x->kind;
    p->kinds = x->machine.kinds;
    p->topology_home = p->has_last && x->topology_home;
    p->demand = (const float *const *)(gpus ? x->all : x->left);
    if (!gpus) p->cliques = 0;
    for (int r = 0; !gpus && r < p->readers; r++) p->clique_of[r] = -1;
    for (int k = 0; k < place_count(p); k++) {
        int each = p->cliques + p->sockets, c = k % each, whole = x->machine.shape.cliques;
        p->capacity[k] = x->machine.shape.capacity[whole]; /* sockets have equal parts */
        if (c >= p->cliques) continue;
        p->capacity[k] = 0;
        for (int i = 0; i < s->clique_size[c]; i++) p->capacity[k] += x->budget[k / each * s->gpus + s->clique[c][i]];
    }
}

/* ---- a node ---- */

/* Which GPU of each clique reads a row most in the recording; ties to the lower. */
static void find_preferred(struct memories *x, int node, const struct trace *t)
{
    const struct server *s = x->request.server;
    const uint64_t lists = graph_topology_rows(x->graph);
    for (int c = 0; c < s->cliques; c++) {
        uint8_t *to = x->preferred + (uint64_t)(node * s->cliques + c) * x->rows;
#pragma omp parallel for num_threads(x->threads)
        for (uint64_t i = 0; i < x->rows; i++) {
            uint64_t most = 0;
            to[i] = UINT8_MAX;
            for (int k = 0; k < s->clique_size[c]; k++) {
                int g = s->clique[c][k];
                uint64_t reads = reader_count(x->graph, t, g, i < lists, i < lists ? i : i - lists);
                if (reads <= most) continue;
                most = reads;
                to[i] = (uint8_t)g;
            }
        }
    }
}

/* The sets of the given lists: each clique's rows, in places of problem `whole`. */
static void mark_lists(const struct memories *x, int node, const struct plan *p, struct place_solution *s)
{
    const struct place_problem *shape = &x->machine.shape;
    const uint64_t lists = graph_topology_rows(x->graph);
    for (int g = 0; g < p->assignment.gpus; g++) {
        int k = node * (shape->cliques + shape->sockets) + x->request.server->clique_of[g];
        const struct row_list *t = &p->placement.topology[g], *f = &p->placement.feature[g];
        for (uint64_t i = 0; i < t->count; i++) place_add(place_set_of(s, t->id[i]), k);
        for (uint64_t i = 0; i < f->count; i++) place_add(place_set_of(s, lists + f->id[i]), k);
    }
}

enum st memories_add(struct memories *x, int node, const struct plan *plan, const struct trace *trace, struct err *err)
{
    const struct place_source s = {x->graph,   plan,       trace,
                                   x->kernels, x->threads, x->request.read_bytes[PLACE_TOPOLOGY]};
    const int first = node * x->machine.shape.readers, gpus = x->request.server->gpus;
    struct place_solution *given = &x->way[MEMORIES_ORDER];
    double served, lines = 0, blocks = 0;
    memcpy(x->budget + node * gpus, plan->budget, (size_t)gpus * sizeof *x->budget);
    PASS(place_reads_expect(&s, &x->machine, x->all ? x->all + first : NULL, x->left + first, &served, err));
    x->served += served;
    x->topology_home |= !storage_knows_topology(&plan->workload) && plan->placement.access != ACCESS_SAMPLERS;
    if (x->request.drives.count) PASS(place_reads_blocks(&s, x->request.drives.block_bytes, &lines, &blocks, err));
    x->lines += lines;
    x->blocks += blocks;
    if (!x->joint) return ST_OK;
    find_preferred(x, node, trace);
    if (!given->held) {
        ON_HEAP(struct place_problem, p);
        problem_of(x, true, p);
        given->stride = place_stride(p);
        MAKE(given->held, x->rows * (uint64_t)given->stride + 1, "the places of rows");
    }
    mark_lists(x, node, plan, given);
    return ST_OK;
}

/* ---- all nodes ---- */

/* What lies below the GPUs, for what they do not serve. */
static enum st solve_below(struct memories *x, struct place_solution *out, double *bound, struct err *err)
{
    ON_HEAP(struct place_problem, p);
    problem_of(x, false, p);
    ON_HEAP(struct place_prices, prices);
    PASS(place_check(p, err));
    if (x->request.rows == SOCKET_ROWS_PLACE) PASS(place_solve(p, NULL, x->threads, out, prices, err));
    else {
        PASS(place_pages(p, x->request.rows == SOCKET_ROWS_REPLICATE ? x->machine.read_bytes : NULL, x->kernels,
                         x->threads, out, err));
        PASS(place_bound(p, out->cost, NULL, PAGES_BOUND_ROUNDS, x->threads, prices, err));
    }
    *bound = x->served + (prices->value > 0 ? prices->value : 0);
    return ST_OK;
}

/* Adds the sockets of a solution without GPUs to one with them. */
static void add_below(const struct memories *x, const struct place_solution *below, struct place_solution *to)
{
    const struct place_problem *p = &x->machine.shape;
    for (uint64_t i = 0; i < x->rows; i++)
        for (int k = 0; k < p->nodes * p->sockets; k++)
            if (place_holds(place_set_of(below, i), k))
                place_add(place_set_of(to, i),
                          k / p->sockets * (p->cliques + p->sockets) + p->cliques + k % p->sockets);
}

/* Everything as one problem, from the given lists on; the cheaper one is taken. */
static enum st solve_whole(struct memories *x, struct err *err)
{
    ON_HEAP(struct place_problem, p);
    problem_of(x, true, p);
    struct place_solution *one = &x->way[MEMORIES_ONE], *order = &x->way[MEMORIES_ORDER];
    ON_HEAP(struct place_prices, prices);
    PASS(place_check(p, err));
    PASS(place_judge(p, order, err));
    PASS(place_solve(p, order, x->threads, one, prices, err));
    x->bound = prices->value > 0 ? prices->value : 0;
    PASS(memories_deal(x, p, one, err));
    x->changed = one->cost < x->seconds[MEMORIES_ORDER];
    x->seconds[MEMORIES_ONE] = x->changed ? one->cost : x->seconds[MEMORIES_ORDER];
    if (!x->changed) memcpy(one->held, order->held, x->rows * (uint64_t)one->stride);
    if (!x->changed) PASS(place_judge(p, one, err));
    return ST_OK;
}

/* Where SSDs cannot be read for topology, DRAM has room for all of it. */
static enum st check_topology(const struct memories *x, struct err *err)
{
    ON_HEAP(struct place_problem, p);
    char needs[UNIT_TEXT], has[UNIT_TEXT];
    uint64_t topology = 0, room = 0;
    problem_of(x, false, p);
    if (!p->topology_home) return ST_OK;
    for (uint64_t i = 0; i < p->topology_rows; i++) topology += p->bytes[i];
    for (int k = 0; k < place_count(p); k++) room += p->capacity[k];
    if (topology <= room) return ST_OK;
    return err_set(err, ST_NO,
                   "--host-memory: this sampler reads weights, times or whole frontiers, which is not modelled for "
                   "SSDs, so DRAM holds all topology; that takes %s beside the offsets, but there are %s; give more",
                   units_bytes(needs, topology), units_bytes(has, room));
}

enum st memories_solve(struct memories *x, struct err *err)
{
    OWNED_BY(place_solution_release) struct place_solution below = {0};
    PASS(place_machine_make(&x->request, x->lines > 0 ? x->blocks / x->lines : 0, &x->machine, err));
    PASS(check_topology(x, err));
    PASS(solve_below(x, &below, &x->bound, err));
    x->seconds[MEMORIES_ORDER] = x->served + below.cost;
    if (x->joint) {
        add_below(x, &below, &x->way[MEMORIES_ORDER]);
        PASS(solve_whole(x, err));
    } else {
        x->way[MEMORIES_ORDER] = below;
        below = (struct place_solution){0};
    }
    return ST_OK;
}
