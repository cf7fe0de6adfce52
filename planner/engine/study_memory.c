/* study_memory.c - the arrays of each stage, added up as the stage holds them.
 *
 * n: vertices. Rows of plans are counted as if every clique held all rows, which is the most that they can take.
 */
#include "planner/engine/study_memory.h"

#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "hwprofiles/model/server_reach.h"
#include "kernels/push.h"
#include "planner/hotness/calibrated.h"
#include "planner/partition/deal.h"
#include "planner/partition/partition_ahead.h"
#include "planner/partition/partition_memo.h"
#include "planner/partition/partition_metis.h"
#include "planner/partition/reads.h"
#include "planner/policies/cross_clique.h"
#include "planner/policies/density.h"
#include "planner/policies/timed_rows.h"
#include "planner/engine/study_deal.h"
#include "planner/engine/study_order.h"
#include "planner/engine/thin.h"
#include "simulator/replay/replay.h"
#include "traces/graph/rows.h"

enum { FIXED = 48 << 20 }; /* tables that do not grow with the graph: calibration's, mostly */
enum { ALWAYS = 1 << 20 }; /* options, plans and reports, where nothing else is fixed */

/* What the sizes depend on. */
struct sizes {
    uint64_t n, m, t, f; /* vertices, arcs, topology rows, feature rows; of a plain graph n = t = f */
    uint64_t joined;     /* bytes of all relations as one graph, kept throughout; of a plain graph 0 */
    uint64_t train, batch, hops, gpus, cliques, threads, epochs, recordings, together, cells, device, weights;
    uint64_t draw_bytes, gather_bytes, visit_bytes; /* of counts in a checkpoint, most likely */
    uint64_t counted_draws; /* bytes of a count of draws while a GPU is recorded; 0: they follow from its visits */
    uint64_t pushed;        /* bytes of the edges by blocks, for PageRank; 0: no cell ranks by it */
    uint64_t lists;         /* bytes of what training vertices read, while deals are tried */
    uint64_t sides;  /* bytes of a recording's counts side by side and orders of rows; 0: each cell has its own */
    uint64_t ways;   /* plans of a cell beside the best so far: 1 where several ways are planned, else 0 */
    uint64_t sample; /* rows that are placed and simulated of a sampled study; 0: all */
    uint64_t timed;  /* bytes of the search for the shortest transfer stage; 0 where none is made */
    bool checkpoint, estimates, cross_clique, several;
    bool whole_rows; /* some fan-outs take all neighbours */
    bool searched;   /* candidates are searched for in device memory, from 32-bit counts */
    bool planned;    /* deals are planned: candidates are recorded one behind the other */
    bool per_gpu;    /* some policy that plans the deal may cut the graph for each GPU */
};

static bool any_estimates(const struct study_options *o, const struct study_cell *cells, int count)
{
    bool any = o->bound;
    for (int i = 0; i < count; i++) any |= cells[i].policy->needs_estimates;
    return any;
}

static uint64_t csr_bytes(const struct sizes *z) { return 8 * z->t + 4 * z->m + 4 * z->train; }
/* Rows that are counted, estimated, placed and simulated. */
static uint64_t rows_of(const struct sizes *z) { return z->sample ? z->sample : z->n; }
static uint64_t counts_bytes(const struct sizes *z) { return 4 * rows_of(z) * (2 + z->hops) * z->gpus; }
/* The same in a checkpoint. */
static uint64_t kept_bytes(const struct sizes *z)
{
    return z->n * (z->draw_bytes + z->gather_bytes + z->visit_bytes * z->hops) * z->gpus;
}
/* A GPU's counts while it is recorded into a checkpoint. */
static uint64_t recorded_bytes(const struct sizes *z)
{
    return z->n * (z->counted_draws + z->gather_bytes + z->visit_bytes * z->hops) + (16 << 20);
}
static uint64_t folds_bytes(const struct sizes *z)
{
    return 2 * rows_of(z) * (1 + z->hops) * (uint64_t)trace_folds(z->epochs) * z->cliques;
}
/* Estimates of a clique. */
static uint64_t estimated_bytes(const struct sizes *z) { return z->sample ? 16 * z->sample : 8 * (z->t + z->f); }
static uint64_t rates_bytes(const struct sizes *z) { return z->estimates ? estimated_bytes(z) * z->cliques : 0; }
static uint64_t samples_bytes(const struct sizes *z) { return 16 * z->recordings * z->sample; }
/* Recordings and estimates that stay in memory between the stages. */
static uint64_t standing(const struct sizes *z)
{
    const uint64_t each = counts_bytes(z) + folds_bytes(z) + rates_bytes(z) + z->sides;
    return z->checkpoint ? 0 : z->recordings * each + samples_bytes(z);
}
static uint64_t costs_bytes(const struct sizes *z)
{
    return z->estimates ? 4 * (z->sample ? z->sample : z->t) * z->hops : 0;
}
static uint64_t trains_bytes(const struct sizes *z) { return 4 * z->train * z->recordings; }
static uint64_t lists_bytes(const struct sizes *z) { return 4 * (z->t + z->f) * z->cliques; }
/* Marks, mini-batches and weights of every thread, shuffled training vertices of the largest GPU; what a device that
 * draws takes of the host. */
static uint64_t sampler_bytes(const struct sizes *z)
{
    return z->device + z->threads * ((z->several ? 4 * z->n : z->n / 8) + 4 * z->batch + z->weights) +
           4 * z->train / z->gpus * (z->epochs + 4 * z->threads);
}

/* What cutting the graph for each GPU takes, whole or, nested, clique by clique (with a copy of a clique's part), or as
 * before.
 */
static uint64_t candidates_bytes(const struct study_options *o, const struct sizes *z, uint64_t before)
{
    const char *method = study_deal_method(o);
    uint64_t whole = partition_bytes(graph_connections(o->graph), (int)z->gpus, method, o->threads) + 2 * z->n +
                     20 * z->train,
             copy = 17 * z->n + 4 * z->m + 4 * z->train;
    bool nested = z->planned || deal_kind(o->deal) == ASSIGNMENT_NESTED;
    if (z->cliques > 1 && nested) whole += copy;
    return whole > before ? whole : before;
}

/* What cuts that are made side by side take beyond one of them. */
static uint64_t ahead_bytes(const struct study_options *o, const struct sizes *z)
{
    int together = partition_together(graph_connections(o->graph), o->threads);
    if (together < 2 || strncmp(partition_first_costliest(graph_connections(o->graph), o->partition), "metis", 5))
        return 0;
    return (uint64_t)(together - 1) * metis_bytes(graph_connections(o->graph), 1) + PARTITION_CUTS_MOST * z->n;
}
/* The same of all of them, which go on while others are recorded. */
static uint64_t cutting_bytes(const struct study_options *o, const struct sizes *z)
{
    const bool beside = partition_beside(graph_connections(o->graph), o->memory, o->threads);
    const uint64_t more = z->cells > 1 && beside ? ahead_bytes(o, z) : 0;
    return more ? more + metis_bytes(graph_connections(o->graph), 1) : 0;
}

/* Places of vertices in the orders that are tried, which stay while others are cut (locality.h). */
static uint64_t places_bytes(const struct study_options *o, const struct sizes *z)
{
    return 4 * z->n * (o->order_auto ? 2 : o->workload.order != ORDER_SHUFFLE);
}

static struct study_stage partition_stage(const struct study_options *o, const struct sizes *z)
{
    struct study_stage s = {.name = "partition", .remedy = "take --partition stream"};
    s.arrays = partition_bytes(graph_connections(o->graph), (int)z->cliques, o->partition, o->threads) + z->n +
               20 * z->train;
    if (z->per_gpu) s.arrays = candidates_bytes(o, z, s.arrays) + standing(z);
    s.arrays += z->n * (z->recordings < PARTITION_MEMOS ? z->recordings : PARTITION_MEMOS) + ahead_bytes(o, z) +
                places_bytes(o, z) + ALWAYS;
    s.pages = csr_bytes(z);
    return s;
}

static struct study_stage sampling_stage(const struct study_options *o, const struct sizes *z)
{
    const bool alone = z->checkpoint || z->device;
    const int blocks = alone ? 1 : trace_record_together(z->n, &o->workload, (int)z->gpus, o->threads);
    struct study_stage s = {.name = "pre-sampling",
                            .remedy = z->whole_rows ? "give -o, so that counts are kept on disk, plan fewer policies "
                                                      "at once, use fewer --threads, or a number instead of --fanout -1"
                                                    : "give -o, so that counts are kept on disk, plan fewer policies "
                                                      "at once, or use fewer --threads"};
    s.arrays = (z->checkpoint ? recorded_bytes(z) + folds_bytes(z) / z->cliques
                              : z->recordings * (counts_bytes(z) + folds_bytes(z)) + samples_bytes(z)) +
               4 * z->n * (1 + z->hops) * (uint64_t)blocks + (z->sample ? z->counted_draws * z->n : 0) +
               sampler_bytes(z) + trains_bytes(z) + 4 * z->train + cutting_bytes(o, z);
    if (z->planned && !z->checkpoint) s.arrays += z->recordings * rates_bytes(z);
    s.pages = csr_bytes(z) + (z->checkpoint ? kept_bytes(z) / z->gpus : 0);
    return s;
}

/* Beside the recordings: communities, by which mini-batches are ordered or their mixture is stated. */
static struct study_stage communities_stage(const struct study_options *o, const struct sizes *z)
{
    struct study_stage s = {.name = "communities", .remedy = "take --order shuffle, or use fewer --threads"};
    s.arrays = standing(z) + 2 * trains_bytes(z) + locality_bytes(graph_connections(o->graph), o->threads);
    s.pages = csr_bytes(z);
    return s;
}

/* The larger of the prior (vip) and of what calibrates it. */
static struct study_stage estimates_stage(const struct study_options *o, const struct sizes *z)
{
    struct study_stage s = {.name = "estimates",
                            .remedy = "take --policy legion, which needs none, or use fewer --threads"};
    uint64_t vip = 4 * z->n * (1 + z->hops), copies = z->n <= z->m / z->threads ? 8 * z->n * (z->threads - 1) : 0,
             noise = z->epochs == 1 ? vip + 64 * z->n : 0, rows = rows_of(z), kept = 4 * rows * (1 + z->hops);
    uint64_t prior = vip + (noise > 32 * z->n ? noise : 32 * z->n) + copies,
             calibrate = kept * (z->epochs == 1 ? 2 : 1) + 5 * rows + z->n + (z->checkpoint ? 0 : estimated_bytes(z)) +
                         calibrated_more_bytes(rows, (int)z->threads);
    if (z->sample) prior += kept * (z->epochs == 1 ? 2 : 1); /* both, while the sample is taken */
    uint64_t others = z->checkpoint ? 0
                                    : z->recordings * (counts_bytes(z) + folds_bytes(z)) +
                                          (z->recordings * z->cliques - 1) * estimated_bytes(z) + samples_bytes(z);
    s.arrays = others + costs_bytes(z) + trains_bytes(z) + (prior > calibrate ? prior : calibrate) +
               cutting_bytes(o, z) + FIXED;
    s.pages = csr_bytes(z);
    return s;
}

/* Two steps of placing, per cell: ranking (keys and orders of rows; of copies of rows, where cliques are linked; or
 * of each kind by itself, with prefix sums) and filling GPUs in that order, which looks rows up in the counts of the
 * GPUs. Their arrays and pages. */
struct step {
    uint64_t arrays, pages;
};

static void placing_steps(const struct sizes *z, struct step *rank, struct step *fill)
{
    enum { PER_SLICED = 28 };
    uint64_t n = (z->t + z->f + 1) / 2, items = (z->cross_clique ? z->cliques : 1) * (z->t + z->f),
             sliced = PER_SLICED * (items < DENSITY_SLICE ? items : DENSITY_SLICE),
             copies = z->cross_clique ? lists_bytes(z) : 0; /* rows */
    uint64_t each = z->draw_bytes + z->gather_bytes +
                    (z->cross_clique ? z->visit_bytes * z->hops : 0); /* shares of GPUs follow from it */
    uint64_t rates = z->checkpoint && z->estimates ? 8 * n * z->cliques : 0,
             counts = z->checkpoint ? each * n * z->gpus / (z->cross_clique ? 1 : z->cliques) : 0,
             wide = !counts ? 0
                            : 4 *
                                  (z->searched         ? 2 * n
                                   : n < TRACE_STRETCH ? n
                                                       : TRACE_STRETCH) *
                                  z->gpus / z->cliques; /* 32-bit copies of a clique's counts */
    *rank = (struct step){56 * n + wide, 8 * n + counts};
    *fill = (struct step){32 * n + wide, 8 * n + counts};
    if (!z->estimates) return;
    uint64_t marks = !z->cross_clique ? 0 : z->gpus <= 8 ? 2 * n : 8 * n, ranking = 12 * items + sliced + copies;
    if (ranking > rank->arrays) rank->arrays = ranking;
    rank->pages = 8 * n + rates + (z->cross_clique ? counts : 0);
    bool few = z->gpus <= 8 * z->cliques; /* counts of a clique's GPUs take the place of the keys then */
    uint64_t side = z->cross_clique    ? cross_clique_side_bytes(n, (int)z->gpus, (int)z->cliques)
                    : few && !z->sides ? 8 * items
                                       : 0;
    uint64_t kept = z->cross_clique ? cross_clique_kept_bytes(z->t + z->f, (int)z->gpus, (int)z->cliques) : 0;
    rank->arrays += kept ? kept - 8 * items : 0; /* its keys are among what ranking takes anyway */
    fill->arrays = 4 * items + side + copies + marks + kept;
    fill->pages = 8 * n + rates + (side ? 0 : counts);
}

/* The sizes of what is placed and simulated. */
static struct sizes placed_of(const struct sizes *z)
{
    struct sizes p = *z;
    if (z->sample) p.n = p.t = p.f = z->sample;
    return p;
}

static struct study_stage planning_stage(const struct sizes *z)
{
    const struct sizes p = placed_of(z);
    struct study_stage s = {.name = "planning", .remedy = "plan fewer policies at once, or use fewer --threads"};
    struct step rank, fill;
    placing_steps(&p, &rank, &fill);
    uint64_t base = standing(z) + costs_bytes(z) + trains_bytes(z) * 2 + z->together * 4 * p.n +
                    (z->cells + z->ways * z->together) * lists_bytes(&p) + FIXED;
    uint64_t ranking = z->together * (rank.arrays + z->pushed), filling = z->together * (fill.arrays + z->timed),
             most = ranking + rank.pages;
    if (filling + fill.pages > most) most = filling + fill.pages;
    s.arrays = base + (ranking > filling ? ranking : filling);
    s.pages = base + most - s.arrays; /* so that the sum is that of the larger step */
    return s;
}

static struct study_stage simulation_stage(const struct study_options *o, const struct sizes *z)
{
    const struct sizes p = placed_of(z);
    const uint64_t plans = z->cells + (z->joined ? 2 : 0), /* of several types two more, which know none */
        room = 4 * z->n * (1 + z->hops) + 4 * z->t + 4 * (z->f - z->n) + (p.t + p.f) * (plans + 1) +
               (z->sample ? replay_sample_bytes(o->graph, z->sample, &o->workload) : 0);
    const int rooms = z->device ? 1 : replay_rooms(room, &o->workload, (int)z->gpus, o->threads);

    struct study_stage s = {.name = "simulation",
                            .remedy = "simulate later: take --simulate-epochs 0 now, then 'hotset simulate'"};
    s.arrays = standing(z) + costs_bytes(z) + trains_bytes(z) * 2 + plans * lists_bytes(&p) + (uint64_t)rooms * room +
               sampler_bytes(z);
    s.pages = csr_bytes(z);
    return s;
}

/* Distinct vertices of a mini-batch at most. */
static uint64_t largest_batch(const struct graph *g, const struct workload *w, uint64_t n)
{
    uint64_t level = w->batch * workload_seed_vertices(w), all = level;
    if (w->frontier == FRONTIER_LAYERS) return n * (w->hops + 1);
    if (w->sampler == SAMPLER_LABOR) return n; /* as in sampler_largest */
    for (int h = 0; h < w->hops && all < n; h++) {
        level = workload_hop_draws(g, w, h, w->frontier == FRONTIER_ALL ? all : level);
        if (level > n) return n;
        all += level;
    }
    return all < n ? all : n;
}

/* What the search for a short transfer stage takes, of the cells that it is made for. */
static uint64_t timed_bytes(const struct study_options *o, const struct study_cell *cells, int count)
{
    uint64_t most = 0;
    for (int i = 0; i < count; i++) {
        uint64_t bytes = timed_rows_bytes(o->graph, o->server->gpus, cells[i].budget_bytes);
        if (bytes <= STUDY_TIMED_MOST && bytes > most) most = bytes; /* beyond, it is left out (study_best.h) */
    }
    return most;
}

/* What training vertices read, where deals that are cut for reads share it: PER_READ bytes of each, at most. */
static uint64_t shared_lists_bytes(const struct study_options *o)
{
    enum { PER_READ = 5 };
    const struct graph *g = graph_connections(o->graph);
    struct workload w = workload_joined(o->graph, &o->workload);
    if (strncmp(study_deal_method(o), "reads", 5) || !g->train_count) return 0;
    w.batch = 1;
    uint64_t reads = sampler_largest(g, &w) * PER_READ * READS_SAMPLES + 8;
    return reads < PARTITION_MEMO_LISTS / g->train_count ? reads * g->train_count : PARTITION_MEMO_LISTS;
}

static uint64_t bytes_up_to(uint64_t most)
{
    return most > UINT16_MAX ? sizeof(uint32_t) : (uint64_t)count_bytes((uint32_t)most);
}

/* A vertex is visited once per hop and mini-batch at most, but by walks, and draws a fan-out each time. A GPU may train
 * twice its share. */
static void set_count_bytes(const struct study_options *o, struct sizes *z)
{
    const struct workload *w = &o->workload;
    uint64_t batches = 2 * z->train / (w->batch * z->gpus) + 1, most = batches * z->epochs, draws = 0;
    for (int h = 0; h < w->hops; h++) draws += workload_most_draws(o->graph, w, h);
    z->counted_draws = workload_counts_draws(w) ? sizeof(uint32_t) : 0;
    z->visit_bytes = workload_revisits(w) ? sizeof(uint32_t) : bytes_up_to(most);
    z->gather_bytes = bytes_up_to(w->frontier == FRONTIER_LAYERS ? most * (z->hops + 1) : most);
    bool per_visit = w->sampler == SAMPLER_UNIFORM || w->sampler == SAMPLER_BIASED;
    z->draw_bytes = per_visit ? bytes_up_to(most * draws) : sizeof(uint32_t);
}

static struct sizes sizes_of(const struct study_options *o, const struct study_cell *cells, int count)
{
    const struct graph *g = o->graph;
    struct sizes z = {.n = g->n,
                      .m = g->m,
                      .t = graph_topology_rows(g),
                      .f = graph_feature_rows(g),
                      .several = !graph_plain(g),
                      .joined = graph_plain(g) ? 0 : 8 * g->n + 4 * g->m,
                      .train = g->train_count,
                      .hops = (uint64_t)o->workload.hops,
                      .gpus = (uint64_t)o->server->gpus,
                      .cliques = (uint64_t)o->server->cliques,
                      .threads = (uint64_t)o->threads,
                      .epochs = o->presample_epochs,
                      .cells = (uint64_t)count,
                      .checkpoint = o->checkpoint != NULL};
    z.device = sampler_device_bytes(g, &o->workload, o->server->line_bytes, o->kernels);
    z.batch = largest_batch(g, &o->workload, z.n);
    z.searched = o->kernels->search != NULL;
    z.weights = workload_temporal(&o->workload) ? sampler_temporal_bytes(g, &o->workload)
                                                : sampler_weights_bytes(g, &o->workload);
    z.weights += sampler_rows_bytes(g, &o->workload);
    z.whole_rows = workload_takes_all(&o->workload);
    set_count_bytes(o, &z);
    z.together = z.cells < z.threads ? z.cells : z.threads;
    int solve = 0;
    for (int i = 0; i < count; i++) solve += cells[i].policy->solves;
    if (solve == 1 && z.together > 1 && z.cells > z.threads) z.together++; /* beside the others (study_together.h) */
    z.recordings = (uint64_t)study_recordings(o, cells, count) - (o->given != NULL);
    z.estimates = any_estimates(o, cells, count);
    z.planned = study_deals_planned(o, cells, count);
    if (z.planned) z.lists = shared_lists_bytes(o);
    for (int i = 0; i < count; i++) z.per_gpu |= cells[i].policy->plans_deal && z.gpus > 1;
    for (int i = 0; i < count && !z.pushed; i++)
        if (!strcmp(study_cell_hotness(&cells[i]), "rpagerank")) z.pushed = push_iterate_bytes(o->kernels, z.n, z.m);
    if (z.estimates && study_keeps_sides(o, count))
        z.sides = graph_items(g) * z.gpus + z.cliques * density_all_bytes(graph_items(g));
    for (int i = 0; i < count; i++) z.ways |= study_wants_load(o, cells[i].policy);
    const uint64_t each = count ? thin_cell_each(o, cells[0].policy) : 1; /* cells of one policy, where it is not 1 */
    if (each > 1) z.sample = g->n / each;
    if (o->optimum.objective == OBJECTIVE_EPOCH) z.timed = timed_bytes(o, cells, count) / each;
    z.cross_clique = z.estimates && cross_clique_links(o->server);
    return z;
}

struct study_memory study_memory_estimate(const struct study_options *o, const struct study_cell *cells, int count)
{
    struct sizes z = sizes_of(o, cells, count);
    struct study_memory m = {0};
    if (z.recordings) m.stage[m.count++] = partition_stage(o, &z);
    if (z.recordings) m.stage[m.count++] = sampling_stage(o, &z);
    if (study_order_communities(o)) m.stage[m.count++] = communities_stage(o, &z);
    if (z.estimates) m.stage[m.count++] = estimates_stage(o, &z);
    m.stage[m.count++] = planning_stage(&z);
    if (o->simulate_epochs) m.stage[m.count++] = simulation_stage(o, &z);
    for (int i = 0; i < m.count; i++) m.stage[i].arrays += z.joined + z.lists;
    for (int i = 1; i < m.count; i++)
        if (m.stage[i].arrays > m.stage[m.peak].arrays) m.peak = i;
    if (z.checkpoint)
        m.disk = z.recordings * (kept_bytes(&z) + folds_bytes(&z) * (z.cliques + 1) / z.cliques + rates_bytes(&z)) +
                 z.cells * lists_bytes(&z);
    return m;
}

/* One line per stage: arrays, and the pages of mapped files beside them. */
static void say_stages(const struct call *call, const struct study_memory *m)
{
    char t[3][UNIT_TEXT];
    call_say(call, "memory by stage          arrays   + mapped pages   together");
    for (int i = 0; i < m->count; i++) {
        const struct study_stage *s = &m->stage[i];
        call_say(call, "  %-14s %14s %16s %10s", s->name, units_bytes(t[0], s->arrays), units_bytes(t[1], s->pages),
                 units_bytes(t[2], s->arrays + s->pages));
    }
    if (m->disk) call_say(call, "  on disk during the run: %s", units_bytes(t[0], m->disk));
}

enum st study_memory_check(const struct call *call, const struct study_memory *m, struct err *err)
{
    const struct study_stage *worst = &m->stage[m->peak];
    char need[UNIT_TEXT], limit[UNIT_TEXT];
    if (mem_limit() && worst->arrays > mem_limit()) {
        say_stages(call, m);
        return err_set(err, ST_LIMIT,
                       "memory: the stage %s needs about %s of arrays, the limit is %s; raise --memory, or %s",
                       worst->name, units_bytes(need, worst->arrays), units_bytes(limit, mem_limit()), worst->remedy);
    }
    if (worst->arrays >= (uint64_t)1 << 30 && progress_told()) /* one line where somebody looks on */
        call_say(call, "memory: up to %s, in the stage %s", units_bytes(need, worst->arrays + worst->pages),
                 worst->name);
    else if (worst->arrays >= (uint64_t)1 << 30) say_stages(call, m);
    return ST_OK;
}

enum st study_memory_say(const struct call *call, const struct study_options *o, const struct study_cell *cells,
                         int count, struct err *err)
{
    struct study_memory m = study_memory_estimate(o, cells, count);
    enum st st;
#pragma omp critical(study_memory_say)
    st = study_memory_check(call, &m, err); /* the lines of one study stand together */
    return st;
}
