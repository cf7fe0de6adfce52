/* sample_sizes.cu - the memory that sampling needs, and where the graph lies; computed before anything is allocated. */
#include "kernels/cuda/sample.cuh"
#include "base/units.h"

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t largest(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The largest frontiers: as many distinct vertices as a mini-batch can have after each hop. */
static void size_frontiers(const struct sampling_problem *p, struct sample_sizes *z)
{
    uint64_t level = least(p->batch, p->n), all = level;
    for (int h = 0; h < p->hops; h++) {
        z->frontier[h] = p->frontier_all ? all : level;
        level = least(p->n, z->frontier[h] * p->fanout[h]); /* below 2^32 times 2^32 */
        all = least(p->n, all + level);
    }
}

static void size_scratch(const struct sampling_problem *p, struct sample_sizes *z)
{
    uint64_t widest = 1, frontier = 1, most = 0;
    for (int h = 0; h < p->hops; h++) {
        widest = largest(widest, p->fanout[h]);
        most = largest(most, z->frontier[h] * p->fanout[h]);
        if (p->fanout[h] > SAMPLE_SMALL) frontier = largest(frontier, z->frontier[h]);
    }
    z->room = largest(widest, least(most, SAMPLE_ROOM));
    z->sets = z->set_cells = 0;
    if (widest > SAMPLE_SMALL) {
        for (z->set_cells = 1; z->set_cells < 2 * widest;) z->set_cells *= 2;
        z->sets = least(largest(SAMPLE_SETS / (4 * z->set_cells), CUDA_BLOCK), frontier + CUDA_BLOCK - 1) / CUDA_BLOCK *
                  CUDA_BLOCK;
    }
    z->scratch = 4 * p->n + 4 * (p->capacity + 1) + sizeof(uint32_t *) * z->room + 4 * z->sets * z->set_cells +
                 SAMPLE_MARKS * sizeof(u64);
}

static void size_graph(const struct sampling_problem *p, struct sample_sizes *z)
{
    z->counts = (p->counted ? 4 * p->n * (2 + (uint64_t)p->hops) : 0) + SAMPLE_SUMS * sizeof(u64);
    z->graph = 8 * (p->n + 1) + 4 * (uint64_t)p->indptr[p->n];
    z->index = 5 * p->n + (uint64_t)p->sources * sizeof(struct sample_held);
    z->rows = 0;
    for (int s = 0; s < p->sources; s++)
        for (uint64_t i = 0; p->rows[s].device == p->device && !p->rows[s].some && i < p->rows[s].count; i++) {
            uint32_t v = p->rows[s].ids[i];
            z->rows += SAMPLE_ROW_BYTES + 4 * (uint64_t)(p->indptr[v + 1] - p->indptr[v]);
        }
}

/* A sixteenth of the free memory is left for orders of training vertices and for the driver's rounding. */
static enum st find_available(const struct sampling_problem *p, struct sample_sizes *z, struct err *err)
{
    size_t available = 0, all = 0;
    CUDA_TRY(cuda_check(cudaMemGetInfo(&available, &all), "asking for free GPU memory", err));
    z->available = available - available / 16;
    if (p->memory) z->available = least(p->memory, z->available);
    return ST_OK;
}

static enum st too_little(const char *what, uint64_t need, const struct sample_sizes *z, struct err *err)
{
    char needed[UNIT_TEXT], have[UNIT_TEXT];
    return err_set(err, ST_LIMIT, "%s needs %s of GPU memory, %s may be taken; use --device cpu", what,
                   units_bytes(needed, need), units_bytes(have, z->available));
}

/* Whether a source may hold as many rows as fit. */
static bool any_some(const struct sampling_problem *p)
{
    bool some = false;
    for (int s = 0; s < p->sources; s++) some |= p->rows[s].some;
    return some;
}

static enum st find_place(const struct sampling_problem *p, const struct sample_sizes *z, enum sampling_where *where,
                          struct err *err)
{
    uint64_t need = z->counts + z->scratch, hybrid = need + z->index + z->rows;
    *where = p->where;
    if (need > z->available) return too_little("drawing one mini-batch at a time on the GPU", need, z, err);
    if (p->where == SAMPLING_AUTO && need + z->graph <= z->available) *where = SAMPLING_DEVICE;
    else if (p->where == SAMPLING_AUTO)
        *where = p->sources && (hybrid <= z->available || !any_some(p)) ? SAMPLING_HYBRID : SAMPLING_HOST;
    if (*where == SAMPLING_DEVICE && need + z->graph > z->available)
        return too_little("drawing from a graph in GPU memory", need + z->graph, z, err);
    if (*where == SAMPLING_HYBRID && hybrid > z->available)
        return too_little("drawing with the rows of the cache in GPU memory", hybrid, z, err);
    return ST_OK;
}

enum st sample_plan(const struct sampling_problem *p, struct sample_sizes *z, struct sampling_facts *facts,
                    struct err *err)
{
    uint64_t fixed, left, streams = 1;
    *z = sample_sizes();
    *facts = sampling_facts();
    size_frontiers(p, z);
    size_scratch(p, z);
    size_graph(p, z);
    CUDA_TRY(find_available(p, z, err));
    CUDA_TRY(find_place(p, z, &facts->where, err));
    fixed = z->counts + (facts->where == SAMPLING_DEVICE   ? z->graph
                         : facts->where == SAMPLING_HYBRID ? z->index + z->rows
                                                           : 0);
    left = z->available - fixed;
    if (facts->where == SAMPLING_HYBRID && any_some(p)) left = left / 4; /* the rest holds rows */
    if (p->counted) streams = least(SAMPLE_STREAMS, left / z->scratch);
    facts->streams = streams ? (int)streams : 1;
    facts->device_bytes = fixed + (uint64_t)facts->streams * z->scratch;
    z->left = z->available - facts->device_bytes;
    facts->pinned_bytes = 2 * CUDA_STAGING_BYTES;
    return ST_OK;
}
