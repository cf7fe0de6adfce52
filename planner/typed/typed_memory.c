/* typed_memory.c - the arrays of each stage of a typed study, added up as the stage holds them. */
#include "planner/typed/typed_memory.h"

#include <string.h>

#include "planner/hotness/calibrated.h"
#include "planner/partition/deal.h"
#include "planner/partition/partition.h"

enum {
    FIXED = 48 << 20, /* tables that do not grow with the graph: calibration's, mostly */
    SMALL = 1 << 20   /* the server, workloads, buffers of files */
};

static uint64_t cells(const struct typed_memory_facts *f) { return (uint64_t)(f->workload->hops + 1) * f->rows->n; }

/* Counts and folds of the recording. */
static uint64_t trace_bytes(const struct typed_memory_facts *f)
{
    uint64_t folds = f->epochs > 1 ? (uint64_t)trace_folds(f->epochs) : 0;
    return cells(f) * (4 * (uint64_t)f->server->gpus + 2 * folds * (uint64_t)f->server->cliques);
}

static uint64_t train_bytes(const struct typed_memory_facts *f) { return 4 * f->rows->train_count; }

/* What later stages find in memory; what they find in files. */
static uint64_t kept_arrays(const struct typed_memory_facts *f)
{
    return train_bytes(f) + (f->recorded ? 0 : trace_bytes(f));
}
static uint64_t kept_pages(const struct typed_memory_facts *f)
{
    const struct graph *g = f->rows;
    return 8 * g->topology_rows + 4 * g->m + 4 * g->edge_rows + train_bytes(f) + (f->recorded ? trace_bytes(f) : 0);
}

static uint64_t sampler_bytes(const struct typed_memory_facts *f, uint64_t epochs)
{
    uint64_t trainers = (uint64_t)(f->server->gpus - f->samplers),
             train = (f->rows->train_count + trainers - 1) / trainers,
             found = sampler_largest(f->rows, f->workload) + 1; /* of a thread, beside marks and shuffle keys: */
    return (uint64_t)f->threads * (f->rows->n / 8 + 4 * found + 16 * train) + 4 * train * epochs;
}

/* The union of all relations, its parts, and the training vertices that are dealt. */
static struct study_stage deal_stage(const struct typed_memory_facts *f)
{
    const struct graph *g = f->rows;
    const struct graph u = {.n = g->n, .m = g->m, .train_count = g->train_count, .sample = "in"};
    enum assignment_kind kind = deal_kind(f->deal);
    struct study_stage s = {.name = "deal", .remedy = "take --deal global, which needs no parts of the graph"};
    bool per_gpu = assignment_parts_per_gpu(kind);
    s.arrays = 8 * g->n + 4 * g->m + train_bytes(f) + 20 * g->train_count + SMALL;
    if (kind != ASSIGNMENT_GLOBAL)
        s.arrays += g->n * (per_gpu ? 2 : 1) +
                    partition_bytes(&u, per_gpu ? f->server->gpus : f->server->cliques, f->partition, f->threads);
    if (kind == ASSIGNMENT_NESTED && f->server->cliques > 1) s.arrays += 17 * g->n + 4 * g->m + train_bytes(f);
    s.pages = kept_pages(f);
    return s;
}

static struct study_stage sampling_stage(const struct typed_memory_facts *f)
{
    struct study_stage s = {.name = "pre-sampling",
                            .remedy = "use fewer --threads, record one epoch (which keeps no folds), or plan for fewer "
                                      "GPUs"};
    s.arrays = trace_bytes(f) + 4 * cells(f) + 2 * train_bytes(f) + sampler_bytes(f, f->epochs) + SMALL;
    s.pages = kept_pages(f);
    return s;
}

/* Reads and savings of every row, for every clique. */
static uint64_t estimates_bytes(const struct typed_memory_facts *f)
{
    return 8 * graph_items(f->rows) * (uint64_t)f->server->cliques;
}

/* Inclusion probabilities, and what calibrates them type by type. */
static struct study_stage estimates_stage(const struct typed_memory_facts *f)
{
    struct study_stage s = {.name = "estimates", .remedy = "plan for fewer GPUs"};
    s.arrays = kept_arrays(f) + estimates_bytes(f) + 4 * cells(f) + 25 * f->rows->n + FIXED +
               calibrated_more_bytes(f->rows->n, f->threads);
    s.pages = kept_pages(f);
    return s;
}

/* Row lists, as they grow, of the plans that are kept; with training vertices. */
static uint64_t plans_bytes(const struct typed_memory_facts *f)
{
    return (uint64_t)f->kept.plans * (8 * graph_items(f->rows) * (uint64_t)f->server->cliques + train_bytes(f));
}

static uint64_t standing(const struct typed_memory_facts *f)
{
    uint64_t seen = f->kept.sees ? 8 * graph_items(f->rows) * (uint64_t)f->server->cliques : 0;
    return kept_arrays(f) + estimates_bytes(f) + plans_bytes(f) + seen;
}

/* Keys and orders of all rows, and what sorts them. */
static struct study_stage planning_stage(const struct typed_memory_facts *f)
{
    struct study_stage s = {.name = "planning", .remedy = "plan fewer policies and budgets at once"};
    s.arrays = standing(f) + 40 * graph_items(f->rows) + FIXED;
    s.pages = kept_pages(f);
    return s;
}

static struct study_stage simulation_stage(const struct typed_memory_facts *f)
{
    enum { AT_ONCE = 16 };
    const struct graph *g = f->rows;
    struct study_stage s = {.name = "simulation",
                            .remedy = "simulate later: take --simulate-epochs 0 now, then 'hotset simulate'"};
    uint64_t counts = 4 * (cells(f) + g->topology_rows * (f->workload->together ? 2 : 1) + g->edge_rows);
    s.arrays = standing(f) + counts +
               graph_items(f->rows) * (uint64_t)(f->kept.plans < AT_ONCE ? f->kept.plans : AT_ONCE) +
               sampler_bytes(f, f->kept.simulate_epochs) + SMALL;
    s.pages = kept_pages(f);
    return s;
}

struct study_memory typed_memory_estimate(const struct typed_memory_facts *f)
{
    struct study_memory m = {.count = 0};
    if (!f->recorded) {
        m.stage[m.count++] = deal_stage(f);
        m.stage[m.count++] = sampling_stage(f);
    }
    if (f->kept.plans) {
        m.stage[m.count++] = estimates_stage(f);
        m.stage[m.count++] = planning_stage(f);
        if (f->kept.simulate_epochs) m.stage[m.count++] = simulation_stage(f);
    }
    for (int i = 1; i < m.count; i++)
        if (m.stage[i].arrays > m.stage[m.peak].arrays) m.peak = i;
    return m;
}
