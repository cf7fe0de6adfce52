#include "planner/running/refresh.h"

#include <math.h>
#include <string.h>
#include <stdlib.h>

#include "base/mem.h"
#include "planner/policies/cross_clique.h"
#include "planner/policies/density.h"
#include "planner/engine/redeal.h"
#include "planner/policies/policy.h"
#include "planner/running/refresh_across.h"
#include "traces/recording/trace_rows.h"

/* GPUs of a clique exchange feature rows that they hold, so that each holds what it reads itself.
 *
 * Two GPUs with an NVLink hold rows x and y of one table; x is read more often by the other GPU, y at least as often,
 * or the other way round. Exchanged, each takes the slot of the other, which costs two reads over the NVLink, once, and
 * saves per epoch as many as the recorded reads differ by. Pairs are made in descending order of what rows save, which
 * is the most that two GPUs can save with rows that the other reads at least as often; pairs of GPUs follow one
 * another. A row that both hold stays. Slots of other rows do not change, neither do the bytes of any GPU. */

/* A row that the other GPU reads at least as often: by how many recorded reads more. */
struct offer {
    int64_t more;
    uint64_t slot;
};

static int by_more(const void *a, const void *b)
{
    const struct offer *x = a, *y = b;
    if (x->more != y->more) return x->more > y->more ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Rows of the table that GPU `holder` alone of the clique holds and `other` reads as often or more. out: [rows it
 * holds]. holders: [feature rows]. */
static uint64_t offers_of(const struct policy_input *in, const struct row_list *l, const struct row_table *t,
                          int holder, int other, const uint8_t *holders, struct offer *out)
{
    const uint64_t topology = graph_topology_rows(in->graph);
    uint64_t count = 0;
    for (uint64_t i = 0; i < l->count; i++) {
        uint64_t x = topology + l->id[i];
        if (x - t->first >= t->count || holders[l->id[i]] > 1) continue;
        int64_t more = (int64_t)trace_item_heat(in->trace, in->graph, x, other) -
                       (int64_t)trace_item_heat(in->trace, in->graph, x, holder);
        if (more >= 0) out[count++] = (struct offer){more, i};
    }
    qsort(out, count, sizeof *out, by_more);
    return count;
}

/* Between two GPUs, rows of one table. side: [2], work space. least: recorded reads that an exchange must save more
 * than. Takes what they load from *most. */
static void exchange(const struct policy_input *in, struct row_list *const list[2], const int gpu[2],
                     const struct row_table *t, const uint8_t *holders, double least, double *most,
                     struct offer *const side[2])
{
    uint64_t count[2];
    const double bytes = 2 * (double)t->cached_bytes;
    for (int k = 0; k < 2; k++) count[k] = offers_of(in, list[k], t, gpu[k], gpu[1 - k], holders, side[k]);
    for (uint64_t i = 0; i < count[0] && i < count[1] && *most >= bytes; i++) {
        if (!((double)(side[0][i].more + side[1][i].more) > least)) break;
        uint32_t *a = &list[0]->id[side[0][i].slot], *b = &list[1]->id[side[1][i].slot], row = *a;
        *a = *b;
        *b = row;
        *most -= bytes;
    }
}

/* Between the GPUs gpu[0..gpus) of a clique. p: their lists, changed. epochs: in which an exchange must save more than
 * it costs. most: bytes that they may load by it. ST_LIMIT without memory. */
static enum st refresh_exchange(const struct policy_input *in, struct placement *p, const int *gpu, int gpus,
                                double epochs, double most, struct err *err)
{
    enum st st = ST_OK;
    struct offer *side[2] = {NULL, NULL};
    OWNED uint8_t *holders = NULL;
    uint64_t longest = 0;
    if (gpus < 2 || !(epochs > 0)) return ST_OK;
    for (int k = 0; k < gpus; k++) longest = p->feature[gpu[k]].count > longest ? p->feature[gpu[k]].count : longest;
    NEW(holders, graph_feature_rows(in->graph) + 1, "GPUs that hold a row");
    for (int k = 0; k < 2; k++) NEW(side[k], longest + 1, "rows to exchange");
    for (int k = 0; k < gpus; k++)
        for (uint64_t i = 0; i < p->feature[gpu[k]].count; i++) holders[p->feature[gpu[k]].id[i]]++;
    for (int a = 0; a < gpus; a++)
        for (int b = a + 1; b < gpus; b++) {
            if (!in->server->links[gpu[a]][gpu[b]]) continue;
            for (int k = 0; k < graph_tables(in->graph); k++) {
                const struct row_table t = graph_table(in->graph, k);
                if (t.kind == ROWS_TOPOLOGY) continue;
                exchange(in, (struct row_list *const[2]){&p->feature[gpu[a]], &p->feature[gpu[b]]},
                         (const int[2]){gpu[a], gpu[b]}, &t, holders, 2 * (double)in->trace->epochs / epochs, &most,
                         side);
            }
        }
done:
    for (int k = 0; k < 2; k++) mem_free(side[k]);
    return st;
}

/* One clique at work. Items are those of the graph (traces/graph/rows.h). */
struct pool {
    const struct policy_input *in;
    struct plan *plan;
    int clique, gpu[GPUS_MAX], gpus;
    uint64_t items, topology; /* of the graph; of those, topology rows */
    uint8_t *home;            /* [items] 1 + the first GPU of the clique that holds the item; 0: none */
    uint8_t *taken;           /* [items] the item is in the new set */
    uint64_t *key, *room;
    double load; /* bytes that its GPUs load */
};

static const struct placement *held(const struct pool *p) { return &p->in->before->placement; }
static uint64_t held_item(const struct pool *p, int g, uint64_t i)
{
    return placement_item(held(p), p->in->graph, g, i);
}

static void find_homes(struct pool *p)
{
    memset(p->home, 0, p->items);
    memset(p->taken, 0, p->items);
    for (int k = p->gpus - 1; k >= 0; k--)
        for (uint64_t i = 0; i < placement_count(held(p), p->gpu[k]); i++)
            p->home[held_item(p, p->gpu[k], i)] = (uint8_t)(1 + p->gpu[k]);
}

/* What the item is worth per byte; 0: it is not worth its load, or there is no such row. */
static void set_keys(const struct pool *p)
{
    const struct graph *g = p->in->graph;
    const struct estimates *e = &p->in->estimates[p->clique];
    const double epochs = p->in->option[0];
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        const float *saves = t.kind == ROWS_TOPOLOGY ? e->topology + t.first : e->feature + (t.first - p->topology);
        bool there = graph_table_there(g, k);
        float price = t.kind == ROWS_TOPOLOGY ? policy_list_price(p->in) : 1.0F;
#pragma omp parallel for num_threads(p->in->threads)
        for (uint64_t i = 0; i < t.count; i++) {
            uint64_t x = t.first + i, bytes = there ? row_table_bytes(g, &t, i) : 1;
            double saved = epochs * (double)(saves[i] * price);
            if (!p->home[x]) saved -= (double)bytes / (double)p->plan->line_bytes;
            /* a held row takes room that is left */
            p->key[x] = there ? density_key(saved, bytes) | (p->home[x] != 0) : 0;
        }
    }
}

/* The new set: in that order while rows fit the clique. */
static void refresh_choose(struct pool *p, const uint32_t *order, uint64_t count)
{
    uint64_t left = 0, skipped = 0;
    p->load = 0;
    for (int k = 0; k < p->gpus; k++) left += p->room[p->gpu[k]];
    for (uint64_t i = 0; i < count && left >= density_smallest_row(p->in->graph) && skipped < DENSITY_SKIPPED_MOST;
         i++) {
        uint64_t bytes = density_bytes(p->in, order[i]);
        if (bytes > left) {
            skipped++;
            continue;
        }
        if (!p->home[order[i]] && p->in->option[1] > 0 && p->load + (double)bytes > p->in->option[1]) continue;
        if (!p->home[order[i]]) p->load += (double)bytes;
        skipped = 0;
        p->taken[order[i]] = 1;
        left -= bytes;
    }
}

/* Takes the room of what stays where it is; rows of a graph with more edges may have outgrown it, and go. */
static void keep(struct pool *p)
{
    for (int k = 0; k < p->gpus; k++) {
        uint64_t *room = &p->room[p->gpu[k]];
        for (uint64_t i = 0; i < placement_count(held(p), p->gpu[k]); i++) {
            uint64_t x = held_item(p, p->gpu[k], i), bytes = density_bytes(p->in, x);
            if (!p->taken[x] || p->home[x] != 1 + p->gpu[k]) continue;
            if (bytes > *room) p->taken[x] = 0;
            else *room -= bytes;
        }
    }
}

/* New rows of the set, hottest first, into lists of their own. */
static enum st load(struct pool *p, const uint32_t *order, uint64_t count, struct row_list *topology,
                    struct row_list *feature, struct err *err)
{
    enum st st = ST_OK;
    const uint64_t n = p->topology;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t x = order[i];
        if (!p->taken[x] || p->home[x]) continue;
        int g = density_hottest(p->in, p->gpu, p->gpus, x, p->room);
        if (g < 0) continue;
        p->room[g] -= density_bytes(p->in, x);
        TRY(row_list_add(x < n ? &topology[g] : &feature[g], (uint32_t)(x < n ? x : x - n), err));
    }
done:
    return st;
}

/* Whether the copy on g stays: it is in the set and at home here, or there is room for it. */
static bool stays(struct pool *p, int g, uint64_t x)
{
    uint64_t bytes = density_bytes(p->in, x);
    if (p->taken[x] && p->home[x] == 1 + g) return true;
    if (p->room[g] < bytes) return false;
    p->room[g] -= bytes;
    return true;
}

/* The rows of a list that are of a table, in their order. first: its first row within the kind. */
static enum st rows_of(const struct row_list *l, uint64_t first, uint64_t count, struct row_list *out, struct err *err)
{
    enum st st = ST_OK;
    for (uint64_t i = 0; i < l->count; i++)
        if (l->id[i] - first < count) TRY(row_list_add(out, l->id[i], err));
done:
    return st;
}

/* What stays in its slot, new rows in the slots that are free, and the last rows moved up. offset: item of row 0. */
static enum st merge(struct pool *p, int g, uint64_t offset, const struct row_list *old, const struct row_list *fresh,
                     struct row_list *out, struct err *err)
{
    enum st st = ST_OK;
    uint64_t next = 0, end = old->count;
    uint8_t *gone = NULL;
    NEW(gone, old->count, "rows that go");
    for (uint64_t i = 0; i < old->count; i++) gone[i] = !stays(p, g, offset + old->id[i]);
    for (uint64_t i = 0; i < end; i++) {
        while (end > i && gone[end - 1] && next == fresh->count) end--;
        if (i >= end) break;
        if (!gone[i]) TRY(row_list_add(out, old->id[i], err));
        else if (next < fresh->count) TRY(row_list_add(out, fresh->id[next++], err));
        else TRY(row_list_add(out, old->id[--end], err));
    }
    while (next < fresh->count) TRY(row_list_add(out, fresh->id[next++], err));
done:
    mem_free(gone);
    return st;
}

/* GPU g's lists: table by table, because each has slots of its own. */
static enum st merge_tables(struct pool *p, int g, const struct row_list *topology, const struct row_list *feature,
                            struct err *err)
{
    enum st st = ST_OK;
    struct row_list old = {0}, fresh = {0};
    for (int k = 0; k < graph_tables(p->in->graph); k++) {
        const struct row_table t = graph_table(p->in->graph, k);
        bool rows = t.kind == ROWS_TOPOLOGY;
        uint64_t offset = rows ? 0 : p->topology;
        struct row_list *out = rows ? &p->plan->placement.topology[g] : &p->plan->placement.feature[g];
        old.count = fresh.count = 0;
        TRY(rows_of(rows ? &held(p)->topology[g] : &held(p)->feature[g], t.first - offset, t.count, &old, err));
        TRY(rows_of(rows ? topology : feature, t.first - offset, t.count, &fresh, err));
        TRY(merge(p, g, offset, &old, &fresh, out, err));
    }
done:
    mem_free(old.id);
    mem_free(fresh.id);
    return st;
}

static enum st place_clique(struct pool *p, struct err *err)
{
    enum st st = ST_OK;
    uint32_t *order = NULL;
    uint64_t count = 0, budget = 0;
    struct row_list topology[GPUS_MAX] = {{0}}, feature[GPUS_MAX] = {{0}};
    p->gpus = 0;
    for (int g = 0; g < p->plan->assignment.gpus; g++)
        if (p->plan->assignment.clique_of[g] == p->clique) {
            p->gpu[p->gpus++] = g;
            budget += p->plan->budget[g];
        }
    find_homes(p);
    set_keys(p);
    TRY(density_order(p->in, p->key, p->items, DENSITY_ENOUGH(budget), &order, &count, err));
    refresh_choose(p, order, count);
    keep(p);
    trace_prefetch_pages(p->in->trace, p->clique);
    TRY(load(p, order, count, topology, feature, err));
    for (int k = 0; k < p->gpus; k++) {
        int g = p->gpu[k];
        TRY(merge_tables(p, g, &topology[g], &feature[g], err));
    }
    if (p->in->option[2] > 0)
        TRY(refresh_exchange(p->in, &p->plan->placement, p->gpu, p->gpus, p->in->option[0],
                             (p->in->option[1] > 0 ? p->in->option[1] : REFRESH_MOVE_ANY) - p->load, err));
    trace_drop_pages(p->in->trace);
done:
    for (int g = 0; g < GPUS_MAX; g++) {
        mem_free(topology[g].id);
        mem_free(feature[g].id);
    }
    mem_free(order);
    return st;
}

/* Whether the plan's GPUs read beyond their cliques, so that a copy serves GPUs of several. */
static bool goes_across(const struct server *s, const struct plan *before, const struct graph *graph)
{
    return cross_clique_reads(before) && cross_clique_usable(s, before, graph_items(graph));
}

/* GPUs read beyond their cliques: of all at once. In the slots of the rows that stay. */
static enum st place_across(struct pool *p, struct err *err)
{
    enum st st = ST_OK;
    struct refresh_across next = {0};
    TRY(refresh_across_choose(p->in, p->plan, &next, err));
    memcpy(p->room, next.room, sizeof next.room);
    for (int g = 0; g < p->plan->assignment.gpus; g++) {
        memset(p->home, 0, p->items);
        for (uint64_t i = 0; i < placement_count(held(p), g); i++) p->home[held_item(p, g, i)] = (uint8_t)(1 + g);
        for (uint64_t x = 0; x < p->items; x++) p->taken[x] = refresh_across_holds(&next, g, x);
        TRY(merge_tables(p, g, &next.loaded[1][g], &next.loaded[0][g], err));
    }
done:
    refresh_across_release(&next);
    return st;
}

static void take_peers(const struct policy_input *in, struct placement *p)
{
    memcpy(p->peers, in->before->placement.peers, sizeof p->peers);
    memcpy(p->peer, in->before->placement.peer, sizeof p->peer);
}

static enum st refresh_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                             struct err *err)
{
    enum st st = ST_OK;
    uint64_t room[GPUS_MAX];
    struct pool p = {.in = in,
                     .plan = plan,
                     .items = graph_items(in->graph),
                     .topology = graph_topology_rows(in->graph),
                     .room = room};
    if (!density_possible(in->graph, verdict)) return ST_OK;
    memcpy(room, plan->budget, sizeof room);
    take_peers(in, &plan->placement);
    NEW(p.home, p.items, "who holds what");
    NEW(p.taken, p.items, "the next rows");
    if (goes_across(in->server, in->before, in->graph)) {
        TRY(place_across(&p, err));
        goto done;
    }
    NEW(p.key, p.items, "densities");
    for (p.clique = 0; p.clique < plan->assignment.cliques; p.clique++) TRY(place_clique(&p, err));
done:
    if (st == ST_OK) density_set_alpha(in, plan);
    mem_free(p.home);
    mem_free(p.taken);
    mem_free(p.key);
    return st;
}

const struct policy refresh_policy = {.name = "refresh",
                                      .summary = "an earlier plan with the rows exchanged that pay for their load",
                                      .source = "this project",
                                      .hotness = "calibrated",
                                      .choice = HOTNESS_RATES,
                                      .assignment = ASSIGNMENT_HIERARCHICAL,
                                      .any_deal = true,
                                      .plans_deal = true,
                                      .needs_estimates = true,
                                      .one_order = true,
                                      .reaches = REACHES_ALL,
                                      .options = {{.name = "epochs",
                                                   .summary = "epochs in which a row must pay for its load",
                                                   .low = 0,
                                                   .high = REFRESH_EPOCHS_MOST,
                                                   .fallback = 10,
                                                   .whole = true},
                                                  {.name = "move",
                                                   .summary = "bytes that the GPUs of a clique load at most; 0: any",
                                                   .low = 0,
                                                   .high = REFRESH_MOVE_ANY,
                                                   .fallback = 0},
                                                  {.name = "exchange",
                                                   .summary = "1: GPUs of a clique exchange rows over NVLinks",
                                                   .low = 0,
                                                   .high = 1,
                                                   .fallback = 0,
                                                   .whole = true}},
                                      .place = refresh_place};

/* ---- what is refreshed ---- */

enum st refresh_check(const struct plan *b, const struct server *s, const char *where, struct err *err)
{
    const struct assignment *a = &b->assignment;
    bool same = a->gpus == s->gpus;
    if (*b->cache)
        return err_set(err, ST_NO, "%s: its features are in a dynamic cache (%s), which keeps itself up to date", where,
                       b->cache);
    if (b->placement.access != ACCESS_GPU)
        return err_set(err, ST_NO,
                       "%s: its topology is read by %s; only plans whose GPUs sample for themselves can be refreshed, "
                       "so make the next one with 'hotset plan' (--sampling gpu makes one that can)",
                       where, topology_access_name(b->placement.access));
    for (int i = 0; same && i < s->gpus; i++) same = a->id[i] == s->gpu[i].id && a->clique_of[i] == s->clique_of[i];
    if (!same)
        return err_set(err, ST_INPUT, "%s: is for other GPUs or cliques than those of server %s; name its server",
                       where, s->name);
    return ST_OK;
}

/* How many of the vertices that a GPU of the trace trains another one trains in the plan, or none. */
static uint64_t trained_elsewhere(const struct assignment *before, const struct assignment *now)
{
    uint64_t others = 0;
    for (int g = 0; g < now->gpus; g++)
        for (uint64_t i = 0, at = 0; i < now->train_count[g]; i++) { /* both ascend */
            while (at < before->train_count[g] && before->train[g][at] < now->train[g][i]) at++;
            others += at == before->train_count[g] || before->train[g][at] != now->train[g][i];
        }
    return others;
}

enum st refresh_match(const struct plan *before, const struct graph *graph, int threads, struct trace *trace,
                      uint64_t *others, bool *exchanged, struct err *err)
{
    enum st st = ST_OK;
    int to[GPUS_MAX];
    *exchanged = false;
    *others = trained_elsewhere(&before->assignment, &trace->assignment);
    if (!*others) return ST_OK;
    TRY(redeal_match(graph, &before->placement, &trace->assignment, threads, to, err));
    for (int i = 0; i < trace->assignment.gpus; i++) *exchanged |= to[i] != i;
    trace_exchange(trace, to);
done:
    return st;
}

/* ---- what is chosen ---- */

int refresh_cells(const struct server *s, const struct plan *before, const struct graph *graph, double epochs,
                  double move, const struct budget *budget, struct study_cell cell[REFRESH_CELLS])
{
    int most = 1;
    for (int g = 0; g < s->gpus; g++)
        most = s->clique_size[s->clique_of[g]] > most ? s->clique_size[s->clique_of[g]] : most;
    for (int i = 0; i < REFRESH_CELLS; i++)
        cell[i] = (struct study_cell){.policy = &refresh_policy,
                                      .options_given = true,
                                      .number = i,
                                      .option = {i ? epochs : 0, move, i == 2},
                                      .budget = *budget};
    return most > 1 && !goes_across(s, before, graph) ? REFRESH_CELLS : 2;
}

enum st refresh_prefer(struct study_cell cell[REFRESH_CELLS], struct refresh_reads reads[REFRESH_CELLS], int cells,
                       bool *swapped, struct err *err)
{
    const bool better = cells == REFRESH_CELLS && refresh_gains(reads + 1, 0);
    if (swapped) *swapped = better;
    if (!better) return ST_OK;
    ON_HEAP(struct study_cell, plain);
    const struct refresh_reads r = reads[1];
    memcpy(plain, &cell[1], sizeof *plain);
    memcpy(&cell[1], &cell[2], sizeof *plain);
    memcpy(&cell[2], plain, sizeof *plain);
    reads[1] = reads[2];
    reads[2] = r;
    return ST_OK;
}

/* Seconds of the reads below the GPUs of all nodes; NaN: the plan states no such memories. */
static double below_seconds(const struct study_cell *c)
{
    return c->plan.places ? c->plan.places->expected.seconds : NAN;
}

bool refresh_cell_gains(const struct study_cell *cell, const struct refresh_reads *reads, double gain)
{
    const double was = below_seconds(&cell[0]), is = below_seconds(&cell[1]);
    if (isnan(was)) return refresh_gains(reads, gain);
    return is < was || (is == was && refresh_gains(reads, 0));
}
