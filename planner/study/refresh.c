#include "planner/study/refresh.h"

#include <string.h>

#include "base/mem.h"
#include "planner/policies/density.h"

/* One clique at work. Items are numbered as in density.h. */
struct pool {
    const struct policy_input *in;
    struct plan *plan;
    int clique, gpu[GPUS_MAX], gpus;
    uint8_t *home;  /* [2n] 1 + the first GPU of the clique that holds the item; 0: none */
    uint8_t *taken; /* [2n] the item is in the new set */
    uint64_t *key, *room;
};

static const uint32_t *held_of(const struct policy_input *in, int g, bool topology, uint64_t *count)
{
    return hotset_ids(in->before, g, topology ? HOTSET_TOPOLOGY : HOTSET_FEATURE, count);
}

static void find_homes(struct pool *p)
{
    uint64_t n = p->in->graph->n, count;
    memset(p->home, 0, 2 * n);
    memset(p->taken, 0, 2 * n);
    for (int k = p->gpus - 1; k >= 0; k--)
        for (int kind = 0; kind < 2; kind++) {
            const uint32_t *id = held_of(p->in, p->gpu[k], kind, &count);
            for (uint64_t i = 0; i < count; i++) p->home[kind ? id[i] : n + id[i]] = (uint8_t)(1 + p->gpu[k]);
        }
}

/* What the item is worth per byte; 0: it is not worth its load. */
static void set_keys(const struct pool *p)
{
    const struct graph *g = p->in->graph;
    const struct estimates *e = &p->in->estimates[p->clique];
    const double epochs = p->in->option[0];
#pragma omp parallel for num_threads(p->in->threads)
    for (uint64_t x = 0; x < 2 * g->n; x++) {
        uint64_t bytes = density_bytes(p->in, x);
        double saved = epochs * (double)(x < g->n ? e->topology[x] : e->feature[x - g->n]);
        if (!p->home[x]) saved -= (double)bytes / (double)p->plan->line_bytes;
        p->key[x] = density_key(saved, bytes) | (p->home[x] != 0); /* a held row takes room that is left */
    }
}

/* The new set: in that order while rows fit the clique. */
static void choose(struct pool *p, const uint32_t *order, uint64_t count)
{
    uint64_t left = 0, skipped = 0;
    for (int k = 0; k < p->gpus; k++) left += p->room[p->gpu[k]];
    for (uint64_t i = 0; i < count && left >= density_smallest_row(p->in->graph) && skipped < DENSITY_SKIPPED_MOST;
         i++) {
        uint64_t bytes = density_bytes(p->in, order[i]);
        if (bytes > left) {
            skipped++;
            continue;
        }
        skipped = 0;
        p->taken[order[i]] = 1;
        left -= bytes;
    }
}

/* Takes the room of what stays where it is. */
static void keep(struct pool *p)
{
    uint64_t n = p->in->graph->n, count;
    for (int k = 0; k < p->gpus; k++)
        for (int kind = 0; kind < 2; kind++) {
            const uint32_t *id = held_of(p->in, p->gpu[k], kind, &count);
            for (uint64_t i = 0; i < count; i++) {
                uint64_t x = kind ? id[i] : n + id[i];
                if (p->taken[x] && p->home[x] == 1 + p->gpu[k]) p->room[p->gpu[k]] -= density_bytes(p->in, x);
            }
        }
}

/* New rows of the set, hottest first, into lists of their own. */
static enum st load(struct pool *p, const uint32_t *order, uint64_t count, struct row_list *topology,
                    struct row_list *feature, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = p->in->graph->n;
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

/* The GPU's list: what stays in its slot, new rows in the slots that are free, and the last rows moved up. */
static enum st merge(struct pool *p, int g, bool topology, const struct row_list *fresh, struct row_list *out,
                     struct err *err)
{
    enum st st = ST_OK;
    uint64_t count, n = p->in->graph->n, next = 0, end;
    const uint32_t *id = held_of(p->in, g, topology, &count);
    uint8_t *gone = NULL;
    NEW(gone, count, "rows that go");
    for (uint64_t i = 0; i < count; i++) gone[i] = !stays(p, g, topology ? id[i] : n + id[i]);
    end = count;
    for (uint64_t i = 0; i < end; i++) {
        while (end > i && gone[end - 1] && next == fresh->count) end--;
        if (i >= end) break;
        if (!gone[i]) TRY(row_list_add(out, id[i], err));
        else if (next < fresh->count) TRY(row_list_add(out, fresh->id[next++], err));
        else TRY(row_list_add(out, id[--end], err));
    }
    while (next < fresh->count) TRY(row_list_add(out, fresh->id[next++], err));
done:
    mem_free(gone);
    return st;
}

static enum st place_clique(struct pool *p, struct err *err)
{
    enum st st = ST_OK;
    uint32_t *order = NULL;
    uint64_t count = 0, budget = 0, n = p->in->graph->n;
    struct row_list topology[GPUS_MAX] = {{0}}, feature[GPUS_MAX] = {{0}};
    p->gpus = 0;
    for (int g = 0; g < p->plan->assignment.gpus; g++)
        if (p->plan->assignment.clique_of[g] == p->clique) {
            p->gpu[p->gpus++] = g;
            budget += p->plan->budget[g];
        }
    find_homes(p);
    set_keys(p);
    TRY(density_order(p->in, p->key, 2 * n, DENSITY_ENOUGH(budget), &order, &count, err));
    choose(p, order, count);
    keep(p);
    trace_prefetch_pages(p->in->trace, p->clique);
    TRY(load(p, order, count, topology, feature, err));
    for (int k = 0; k < p->gpus; k++) {
        int g = p->gpu[k];
        TRY(merge(p, g, true, &topology[g], &p->plan->placement.topology[g], err));
        TRY(merge(p, g, false, &feature[g], &p->plan->placement.feature[g], err));
    }
    trace_drop_pages(p->in->trace);
done:
    for (int g = 0; g < GPUS_MAX; g++) {
        mem_free(topology[g].id);
        mem_free(feature[g].id);
    }
    mem_free(order);
    return st;
}

static void take_peers(const struct policy_input *in, struct placement *p)
{
    for (int g = 0; g < p->gpus; g++) {
        const int32_t *peer = hotset_peers(in->before, g, &p->peers[g]);
        for (int i = 0; i < p->peers[g]; i++) p->peer[g][i] = peer[i];
    }
}

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, room[GPUS_MAX];
    struct pool p = {.in = in, .plan = plan, .room = room};
    if (!density_possible(in->graph, verdict)) return ST_OK;
    memcpy(room, plan->budget, sizeof room);
    take_peers(in, &plan->placement);
    NEW(p.home, 2 * n, "who holds what");
    NEW(p.taken, 2 * n, "the next rows");
    NEW(p.key, 2 * n, "densities");
    for (p.clique = 0; p.clique < plan->assignment.cliques; p.clique++) TRY(place_clique(&p, err));
    density_set_alpha(in, plan);
done:
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
                                                   .whole = true}},
                                      .place = place};

/* ---- what is refreshed ---- */

enum st refresh_check(const hotset_plan *b, const struct server *s, const struct graph *g, const char *where,
                      struct err *err)
{
    const char *access = hotset_text(b, HOTSET_TEXT_TOPOLOGY_ACCESS),
               *cache = hotset_text(b, HOTSET_TEXT_DYNAMIC_CACHE);
    bool same = hotset_gpus(b) == s->gpus;
    if (*cache)
        return err_set(err, ST_NO, "%s: its features are in a dynamic cache (%s), which keeps itself up to date", where,
                       cache);
    if (strcmp(access, "gpu"))
        return err_set(err, ST_NO,
                       "%s: its topology is read by %s; only plans whose GPUs sample for themselves can be refreshed, "
                       "so make the next one with 'hotset plan'",
                       where, access);
    for (int i = 0; same && i < s->gpus; i++)
        same = hotset_gpu_id(b, i) == s->gpu[i].id && hotset_gpu_clique(b, i) == s->clique_of[i];
    if (!same)
        return err_set(err, ST_INPUT, "%s: is for other GPUs or cliques than those of server %s; name its server",
                       where, s->name);
    if (hotset_vertices(b) != g->n || hotset_row_bytes(b) != g->row_bytes)
        return err_set(err, ST_INPUT,
                       "%s: is for %llu vertices with rows of %llu bytes, the graph has %llu with %llu; rows can be "
                       "kept only where both are the same",
                       where, (unsigned long long)hotset_vertices(b), (unsigned long long)hotset_row_bytes(b),
                       (unsigned long long)g->n, (unsigned long long)g->row_bytes);
    return ST_OK;
}

enum st refresh_count(const hotset_plan *before, const struct plan *after, const struct graph *graph,
                      struct refresh_moves *out, struct err *err)
{
    enum st st = ST_OK;
    uint64_t *bits = NULL, count;
    memset(out, 0, sizeof *out);
    NEW(bits, graph->n / 64 + 1, "rows that are held");
    for (int g = 0; g < after->assignment.gpus; g++)
        for (int kind = 0; kind < 2; kind++) {
            const struct row_list *l = kind ? &after->placement.topology[g] : &after->placement.feature[g];
            const uint32_t *id = hotset_ids(before, g, kind ? HOTSET_TOPOLOGY : HOTSET_FEATURE, &count);
            uint64_t kept = 0, bytes = 0;
            memset(bits, 0, (graph->n / 64 + 1) * sizeof *bits);
            for (uint64_t i = 0; i < count; i++) bits[id[i] / 64] |= (uint64_t)1 << (id[i] % 64);
            for (uint64_t i = 0; i < l->count; i++) {
                bool held = bits[l->id[i] / 64] >> (l->id[i] % 64) & 1;
                kept += held;
                bytes += held ? 0 : kind ? graph_topology_bytes(graph, l->id[i]) : graph_cached_bytes(graph);
            }
            *(kind ? &out->topology[g] : &out->feature[g]) = (struct refresh_amount){kept, l->count - kept,
                                                                                     count - kept, bytes};
            out->rows += l->count - kept;
            out->bytes += bytes;
        }
done:
    mem_free(bits);
    return st;
}
