#include "planner/places/memories_lists.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/places/place_fill.h"
#include "planner/places/place_pages.h"

/* ---- GPUs ---- */

/* One clique's place while its rows are dealt. */
struct dealing {
    struct memories *x;
    int node, clique;
    uint64_t room[SERVER_GPUS_MAX]; /* of the server's GPUs */
};

/* The server's GPU that takes the row; -1: none has room. */
static int choose_gpu(const struct dealing *d, uint64_t row, uint64_t bytes)
{
    const struct server *s = d->x->request.server;
    int first = d->x->preferred[(uint64_t)(d->node * s->cliques + d->clique) * d->x->rows + row], roomiest = -1;
    if (first != UINT8_MAX && bytes <= d->room[first]) return first;
    for (int i = 0; i < s->clique_size[d->clique]; i++) {
        int g = s->clique[d->clique][i];
        if (bytes <= d->room[g] && (roomiest < 0 || d->room[g] > d->room[roomiest])) roomiest = g;
    }
    return roomiest;
}

static enum st deal_row(struct dealing *d, uint64_t row, uint64_t bytes, bool *fits, struct err *err)
{
    const uint64_t lists = graph_topology_rows(d->x->graph);
    int g = choose_gpu(d, row, bytes), at = d->node * d->x->request.server->gpus + g;
    *fits = g >= 0;
    if (g < 0) return ST_OK;
    d->room[g] -= bytes;
    return row < lists ? row_list_add(&d->x->list[LIST_TOPOLOGY][at], (uint32_t)row, err)
                       : row_list_add(&d->x->list[LIST_FEATURE][at], (uint32_t)(row - lists), err);
}

/* The rows of a clique's place, by what they save per byte. Returns how many. */
static uint64_t order_rows(const struct place_table *t, const struct place_solution *s, int k, struct place_next *next)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < t->p->rows; i++) {
        uint8_t *set = place_set_of(s, i);
        if (!place_holds(set, k)) continue;
        double with = place_row_cost(t, i, set);
        place_drop(set, k);
        double saves = place_row_cost(t, i, set) - with;
        place_add(set, k);
        next[count++] = (struct place_next){.value = saves / (double)place_gpu_bytes(t->p, i), .row = (uint32_t)i};
    }
    qsort(next, count, sizeof *next, place_next_order);
    return count;
}

enum st memories_deal(struct memories *memories, const struct place_problem *p, struct place_solution *s,
                      struct err *err)
{
    OWNED_BY(place_table_release) struct place_table t = {0};
    PASS(place_table_make(p, &t, err));
    OWNED_NEW(struct place_next, next, p->rows + 1, "the order of rows");
    for (int k = 0; k < place_count(p); k++) {
        struct dealing d = {.x = memories, .node = k / (p->cliques + p->homes), .clique = k % (p->cliques + p->homes)};
        if (place_is_home(p, k)) continue;
        memcpy(d.room, memories->budget + d.node * memories->request.server->gpus,
               (size_t)memories->request.server->gpus * sizeof *d.room);
        uint64_t count = order_rows(&t, s, k, next);
        for (uint64_t i = 0; i < count; i++) {
            bool fits;
            PASS(deal_row(&d, next[i].row, place_gpu_bytes(p, next[i].row), &fits, err));
            if (!fits) place_drop(place_set_of(s, next[i].row), k);
        }
    }
    return place_judge(p, s, err);
}

/* ---- below them ---- */

/* Solution and its shape: places of a node are cliques, then sockets. */
struct chosen {
    const struct memories *x;
    const struct place_solution *s;
    int cliques, homes, nodes;
    bool network[PLACE_READ_KINDS_MAX]; /* other nodes are read: of some reader they are cheaper than the SSDs */
};

static bool node_has(const struct chosen *c, uint64_t row, int node)
{
    int at = node * (c->cliques + c->homes) + c->cliques;
    for (int s = 0; s < c->homes; s++)
        if (place_holds(place_set_of(c->s, row), at + s)) return true;
    return false;
}

/* The node that `node` reads the row from, as it is not in its DRAM: rows take those that have them in turn. -1: none.
 */
static int owner_of(const struct chosen *c, uint64_t row, int node)
{
    int owner[PLACES_MAX], owners = 0;
    if (c->nodes == 1 || node_has(c, row, node)) return -1;
    for (int i = 0; i < c->nodes; i++)
        if (node_has(c, row, i)) owner[owners++] = i;
    return owners ? owner[row % (uint64_t)owners] : -1;
}

static enum st add_places(const struct chosen *c, int node, struct plan_places *to, struct err *err)
{
    const struct memories *memories = c->x;
    const struct place_problem *p = &memories->machine.shape;
    if (c->homes + c->nodes > PLAN_PLACES_MAX)
        return err_set(err, ST_NO, "%d nodes: a plan states at most %d memories below its GPUs; take fewer nodes",
                       c->nodes, PLAN_PLACES_MAX);
    for (int h = 0; h < c->homes; h++) {
        to->place[to->places] = memories->machine.home[h];
        to->place[to->places++].node = node;
    }
    for (int i = 0; i < c->nodes; i++) {
        struct place one = {.kind = PLACE_KIND_NODE, .node = i, .socket = -1, .capacity = UINT64_MAX};
        snprintf(one.name, sizeof one.name, "node %d", i);
        if (i != node) to->place[to->places++] = one;
    }
    if (p->has_last)
        to->place[to->places++] =
            (struct place){.kind = PLACE_KIND_SSD, .node = node, .socket = -1, .capacity = UINT64_MAX, .name = "SSDs"};
    return ST_OK;
}

static enum st add_rows(const struct chosen *c, int node, struct plan_places *to, struct err *err)
{
    const uint64_t lists = graph_topology_rows(c->x->graph);
    const int at = node * (c->cliques + c->homes) + c->cliques;
    for (uint64_t i = 0; i < c->x->rows; i++) {
        enum list_kind kind = i < lists ? LIST_TOPOLOGY : LIST_FEATURE;
        uint32_t id = (uint32_t)(i < lists ? i : i - lists);
        for (int s = 0; s < c->homes; s++)
            if (place_holds(place_set_of(c->s, i), at + s)) PASS(row_list_add(&to->list[kind][s], id, err));
        int owner = c->network[c->x->kind ? c->x->kind[i] : (int)kind] && c->x->bytes[i] ? owner_of(c, i, node) : -1;
        if (owner >= 0) PASS(row_list_add(&to->list[kind][c->homes + owner - (owner > node)], id, err));
    }
    return ST_OK;
}

static void set_costs(const struct chosen *c, struct plan_places *to)
{
    const struct place_problem *p = &c->x->machine.shape;
    to->reads = c->x->machine.kinds;
    memcpy(to->read_bytes, c->x->machine.read_bytes, sizeof to->read_bytes);
    for (int kind = 0; kind < to->reads; kind++)
        for (int r = 0; r < p->readers; r++)
            for (int k = 0; k < to->places; k++)
                to->cost[kind][r][k] = k < p->homes                               ? p->home[kind][r][k]
                                       : place_role(&to->place[k]) == ROLE_REMOTE ? p->remote[kind][r]
                                                                                  : p->last[kind][r];
}

/* What reader r of the node needs of row i from below its GPUs, per epoch. */
static double needed(const struct chosen *c, int node, int r, uint64_t i)
{
    const struct memories *memories = c->x;
    const int reader = node * memories->machine.shape.readers + r, clique = memories->machine.shape.clique_of[r];
    if (!memories->joint) return memories->left[reader][i];
    if (clique >= 0 && place_holds(place_set_of(c->s, i), node * (c->cliques + c->homes) + clique)) return 0;
    return memories->all[reader][i];
}

/* The blocks and bytes of expected reads from SSDs and other nodes. */
static enum st expect(const struct chosen *c, int node, struct plan_places *to, struct err *err)
{
    const struct memories *memories = c->x;
    const uint64_t lists = graph_topology_rows(memories->graph);
    double blocks = 0, bytes = 0, each[PLACE_READ_KINDS_MAX];
    for (int k = 0; k < to->reads; k++)
        each[k] = k == PLACE_TOPOLOGY ? to->line_blocks : place_machine_blocks(&memories->request, to->read_bytes[k]);
    OWNED_NEW(uint8_t, from, graph_most_rows(memories->graph) + 1, "who serves a row");
    for (int r = 0; r < to->readers; r++)
        for (int kind = 0; kind < LIST_KINDS; kind++) {
            const uint64_t first = kind == LIST_TOPOLOGY ? 0 : lists,
                           count = graph_kind_rows(memories->graph, kind == LIST_TOPOLOGY);
            plan_places_locate(to, memories->graph, r, kind, from);
            for (uint64_t i = 0; i < count; i++) {
                const enum place_role of = place_role(&to->place[from[i]]);
                if (of == ROLE_HOME) continue;
                const int read = memories->kind ? memories->kind[first + i] : kind;
                const double reads = needed(c, node, r, first + i);
                if (of == ROLE_LAST) blocks += reads * each[read];
                else bytes += reads * (double)to->read_bytes[read];
            }
        }
    if (blocks > 0) to->expected_ssd = drives_seconds(&to->drives, blocks);
    if (bytes > 0) to->expected_network = bytes / (1e9 * place_machine_network_gbps(&memories->request));
    return ST_OK;
}

/* What the planner expected, for people and for tables. */
static void state(const struct memories *memories, struct plan_places *to)
{
    const int best = memories->joint ? MEMORIES_ONE : MEMORIES_ORDER;
    double gpus = memories->request.nodes * memories->request.server->gpus;
    const enum socket_rows rows = memories->request.rows;
    to->expected = (struct places_expected){.seconds = memories->seconds[best] / gpus,
                                            .tier_by_tier = memories->seconds[MEMORIES_ORDER] / gpus,
                                            .bound = memories->bound / gpus,
                                            .above_bound = NAN};
    if (memories->bound > 0) to->expected.above_bound = memories->seconds[best] / memories->bound - 1;
    snprintf(to->expected.planned, sizeof to->expected.planned, "%s",
             rows ? socket_rows_name(rows) : memories_way_name(memories->changed ? MEMORIES_ONE : MEMORIES_ORDER));
}

static enum st take_places(const struct memories *memories, int node, struct plan_places *to, struct err *err)
{
    const struct place_problem *p = &memories->machine.shape;
    struct chosen c = {.x = memories,
                       .s = &memories->way[memories->joint ? MEMORIES_ONE : MEMORIES_ORDER],
                       .cliques = memories->joint ? p->cliques : 0,
                       .homes = p->homes,
                       .nodes = memories->request.nodes};
    for (int kind = 0; kind < memories->machine.kinds; kind++)
        for (int r = 0; r < p->readers; r++)
            c.network[kind] |= !place_last_serves(p, kind) || p->remote[kind][r] < p->last[kind][r];
    to->node = node;
    to->nodes = memories->request.nodes;
    to->readers = p->readers;
    to->host_bytes = memories->request.host_bytes;
    to->nic_gbps = memories->request.nic_gbps;
    to->drives = memories->request.drives;
    to->line_blocks = memories->lines > 0 ? memories->blocks / memories->lines : 0;
    for (int g = 0; g < memories->request.server->gpus; g++) to->reader_of[g] = memories->machine.reader_of[g];
    for (int r = 0; r < p->readers; r++) to->socket[r] = memories->machine.reader[r].socket;
    PASS(add_places(&c, node, to, err));
    set_costs(&c, to);
    PASS(add_rows(&c, node, to, err));
    state(memories, to);
    return expect(&c, node, to, err);
}

static enum st copy_list(const struct row_list *from, struct row_list *to, struct err *err)
{
    mem_free(to->id);
    *to = (struct row_list){0};
    for (uint64_t i = 0; i < from->count; i++) PASS(row_list_add(to, from->id[i], err));
    return ST_OK;
}

enum st memories_take(const struct memories *memories, int node, struct plan *plan, struct err *err)
{
    const int gpus = memories->request.server->gpus;
    for (int g = 0; memories->changed && g < gpus; g++) {
        PASS(copy_list(&memories->list[LIST_TOPOLOGY][node * gpus + g], &plan->placement.topology[g], err));
        PASS(copy_list(&memories->list[LIST_FEATURE][node * gpus + g], &plan->placement.feature[g], err));
    }
    MAKE(plan->places, 1, "the memories below GPUs");
    return take_places(memories, node, plan->places, err);
}
