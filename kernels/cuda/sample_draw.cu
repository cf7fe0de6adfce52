/* sample_draw.cu - the kernels of a mini-batch. In `choose` one thread per frontier vertex chooses the entries of its
 * row that are drawn (base/draws.h has the law). In `look` a thread reads a few drawn entries and keeps the vertices
 * that are new to the mini-batch.
 *
 * `choose` writes the addresses of entries, so `look` need not know in which memory they lie. Counts are sums, which no
 * order of threads can change.
 */
#include "base/cacheline.h"
#include "base/draws.h"
#include "kernels/cuda/sample.cuh"

enum { LOOKS_EACH = 4 }; /* entries that a thread reads together */

/* One step of a hop: as many frontier vertices as have room for their draws. */
struct sample_step {
    uint64_t seed, line_bytes;
    uint32_t hop, batch, who, fanout;
    uint64_t from, most; /* frontier vertices before this step; most of them in it */
    bool all;            /* the frontier is every vertex found so far */
    uint32_t cells;      /* of a thread's hash set, for large fan-outs */
};
/* Where visits are counted: [n] arrays of a session that counts, else per source. */
struct sample_tally {
    uint32_t *visits, *lines;
    u64 *total, *served;
};
/* The row of a vertex. byte: its begin in host memory, perhaps less whole transactions. */
struct sample_row {
    const uint32_t *list;
    uint64_t byte, degree;
    unsigned source;
};

/* Reserves `mine` positions behind *counter for each thread and returns the first, with one atomic per warp. All
 * threads of the warp call it. */
static __device__ u64 reserve(u64 *counter, unsigned mine)
{
#ifdef HOTSET_CUDA_EMULATED
    return atomicAdd(counter, (u64)mine);
#else
    unsigned lane = threadIdx.x % CUDA_WARP, upto = mine;
    for (unsigned near = 1; near < CUDA_WARP; near *= 2) {
        unsigned other = __shfl_up_sync(~0u, upto, near);
        if (lane >= near) upto += other;
    }
    u64 base = 0;
    if (lane == CUDA_WARP - 1 && upto) base = atomicAdd(counter, (u64)upto);
    return __shfl_sync(~0u, base, CUDA_WARP - 1) + upto - mine;
#endif
}

/* CUDA_EACH for bodies that call reserve: all threads of a warp make the same number of rounds, and a thread with i >=
 * n only reserves 0. */
#define EACH_IN_WARPS(i, n)                                                                                            \
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i - threadIdx.x % CUDA_WARP < (n);              \
         i += (uint64_t)gridDim.x * blockDim.x)

/* ---- rows ---- */

static __device__ struct sample_row row_of(const struct sample_graph &g, uint32_t v)
{
    unsigned source = g.at ? g.at[v] : g.sources;
    if (source != g.sources) {
        const struct sample_held held = g.held[source];
        uint64_t slot = g.slot[v], from = held.offset[slot];
        return sample_row{held.list + from, 4 * (uint64_t)held.phase[slot], held.offset[slot + 1] - from, source};
    }
    uint64_t start = (uint64_t)g.indptr[v];
    return sample_row{g.indices + start, 4 * start, (uint64_t)g.indptr[v + 1] - start, source};
}

/* ---- hash sets, for large fan-outs ---- */

static __device__ void set_empty(uint32_t *set, uint32_t cells)
{
    for (uint32_t i = 0; i < cells; i++) set[i] = 0;
}

/* Adds x, which is below 2^32 - 1; false when it was there. */
static __device__ bool set_add(uint32_t *set, uint32_t cells, uint32_t x)
{
    uint32_t at = x * 0x9E3779B1u & (cells - 1);
    for (; set[at]; at = (at + 1) & (cells - 1))
        if (set[at] == x + 1) return false;
    set[at] = x + 1;
    return true;
}

/* draws_listed with a hash set; writes the addresses of entries. */
static __device__ void draw_wide_row(const struct draw_key *key, const struct sample_row &r, uint32_t count,
                                     uint32_t *set, uint32_t cells, const uint32_t **entry)
{
    struct rng_block words = {{0}};
    set_empty(set, cells);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t top = (uint32_t)r.degree - count + i, x = draws_number(key, i, &words, top);
        if (!set_add(set, cells, x)) set_add(set, cells, x = top);
        entry[i] = r.list + x;
    }
}

/* Distinct transactions of drawn entries. */
static __device__ uint32_t lines_wide(const struct sample_row &r, const uint32_t *const *entry, uint32_t count,
                                      int shift, uint32_t *set, uint32_t cells)
{
    u64 mask = 0;
    uint32_t distinct = 0;
    bool few = cachelines_narrow(r.byte, r.degree, shift);
    if (!few) set_empty(set, cells);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = cachelines_before(r.byte, (uint32_t)(entry[i] - r.list), shift);
        if (few) mask |= (u64)1 << line;
        else distinct += set_add(set, cells, line);
    }
    return few ? cachelines_in(mask) : distinct;
}

/* ---- choosing ---- */

/* The part of the frontier that this step expands: vertices found[*first..]; returns how many. */
static __device__ uint64_t stretch_of(const struct sample_step &h, const struct sample_view &b, uint64_t *first)
{
    uint64_t begin = h.all ? 0 : b.mark[h.hop], count = b.mark[h.hop + 1] - begin;
    *first = begin + h.from;
    if (count <= h.from) return 0;
    return count - h.from < h.most ? count - h.from : h.most;
}

/* Transactions of a visit that do not depend on what is drawn. */
static __device__ uint32_t fixed_lines(const struct sample_step &h, const struct sample_row &r, uint32_t v)
{
    uint64_t lines = cachelines_of_offsets(v, h.line_bytes);
    if (r.degree <= h.fanout) lines += cachelines_touched(r.byte, 4 * r.degree, h.line_bytes);
    return (uint32_t)lines;
}

/* Visits and transactions by source, summed in the shared memory of a block. */
struct block_tally {
    u64 cell[2 * (SAMPLING_SOURCES_MAX + 1)];
};

static __device__ void tally_begin(struct block_tally *t, unsigned sources)
{
    for (unsigned i = threadIdx.x; i < 2 * (sources + 1); i += blockDim.x) t->cell[i] = 0;
    __syncthreads();
}

static __device__ void tally_end(struct block_tally *t, unsigned sources, u64 *served)
{
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 2 * (sources + 1); i += blockDim.x)
        if (t->cell[i]) atomicAdd(&served[i], t->cell[i]);
}

template <bool COUNTED>
static __device__ void count_visit(const struct sample_tally &c, struct block_tally *t, const struct sample_row &r,
                                   uint32_t v, uint32_t lines)
{
    if (COUNTED) {
        atomicAdd(&c.visits[v], 1u);
        atomicAdd(&c.lines[v], lines);
    } else {
        atomicAdd(&t->cell[2 * r.source], (u64)1);
        atomicAdd(&t->cell[2 * r.source + 1], (u64)lines);
    }
}

template <bool COUNTED>
static __global__ void sample_draw_choose(struct sample_graph g, struct sample_step h, struct sample_view b,
                                          struct sample_tally c)
{
    __shared__ struct block_tally t;
    uint32_t picks[SAMPLE_SMALL];
    const int shift = __ffsll((long long)h.line_bytes) - 1;
    uint64_t first, count = stretch_of(h, b, &first);
    u64 all = 0;
    if (!COUNTED) tally_begin(&t, g.sources);
    EACH_IN_WARPS(i, count)
    {
        struct sample_row r = {};
        uint32_t v = 0, taken = 0, lines = 0;
        if (i < count) {
            v = b.found[first + i];
            r = row_of(g, v);
            lines = fixed_lines(h, r, v);
            taken = r.degree <= h.fanout ? (uint32_t)r.degree : h.fanout;
            if (r.degree > h.fanout) {
                struct draw_key key = {h.seed, v, h.hop, h.batch, h.who};
                draws_listed(&key, (uint32_t)r.degree, taken, picks);
                lines += cachelines_listed(r.byte, r.degree, picks, taken, shift);
            }
            count_visit<COUNTED>(c, &t, r, v, lines);
            all += lines;
        }
        const uint32_t **entry = b.entry + reserve(&b.mark[SAMPLE_DRAWS], taken);
        for (uint32_t k = 0; k < taken; k++) entry[k] = r.list + (r.degree <= h.fanout ? k : picks[k]);
    }
    if (!COUNTED) tally_end(&t, g.sources, c.served);
    all = cuda_warp_sum(all);
    if (COUNTED && threadIdx.x % CUDA_WARP == 0 && all) atomicAdd(c.total, all);
}

/* The same for large fan-outs, with a hash set per thread; there are at most as many threads as sets. */
template <bool COUNTED>
static __global__ void choose_wide(struct sample_graph g, struct sample_step h, struct sample_view b,
                                   struct sample_tally c)
{
    __shared__ struct block_tally t;
    const int shift = __ffsll((long long)h.line_bytes) - 1;
    uint32_t *set = b.set + ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) * h.cells;
    uint64_t first, count = stretch_of(h, b, &first);
    u64 all = 0;
    if (!COUNTED) tally_begin(&t, g.sources);
    CUDA_EACH(i, count)
    {
        uint32_t v = b.found[first + i];
        struct sample_row r = row_of(g, v);
        uint32_t lines = fixed_lines(h, r, v), taken = r.degree <= h.fanout ? (uint32_t)r.degree : h.fanout;
        const uint32_t **entry = b.entry + atomicAdd(&b.mark[SAMPLE_DRAWS], (u64)taken);
        if (r.degree > h.fanout) {
            struct draw_key key = {h.seed, v, h.hop, h.batch, h.who};
            draw_wide_row(&key, r, taken, set, h.cells, entry);
            lines += lines_wide(r, entry, taken, shift, set, h.cells);
        } else
            for (uint32_t k = 0; k < taken; k++) entry[k] = r.list + k;
        count_visit<COUNTED>(c, &t, r, v, lines);
        all += lines;
    }
    if (!COUNTED) tally_end(&t, g.sources, c.served);
    all = cuda_warp_sum(all);
    if (COUNTED && threadIdx.x % CUDA_WARP == 0 && all) atomicAdd(c.total, all);
}

/* ---- looking ---- */

/* Appends drawn vertices that are new to the mini-batch to `found`. A thread reads several entries together. */
static __global__ void look(struct sample_view b)
{
    const uint64_t count = b.mark[SAMPLE_DRAWS], threads = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t from = 0; from < count; from += threads * LOOKS_EACH) {
        uint64_t at = from + (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
        uint32_t id[LOOKS_EACH];
        unsigned fresh = 0, news = 0;
        for (int k = 0; k < LOOKS_EACH; k++)
            id[k] = at + (uint64_t)k * threads < count ? *b.entry[at + (uint64_t)k * threads] : 0;
        for (int k = 0; k < LOOKS_EACH; k++) {
            bool is = at + (uint64_t)k * threads < count && atomicExch(&b.stamp[id[k]], b.tick) != b.tick;
            fresh |= (unsigned)is << k;
            news += is;
        }
        u64 to = reserve(&b.mark[SAMPLE_COUNT], news);
        for (int k = 0; k < LOOKS_EACH; k++)
            if (fresh >> k & 1) b.found[to++] = id[k];
    }
}

static __global__ void begin_with(struct sample_view b, const uint32_t *seeds, uint64_t count)
{
    EACH_IN_WARPS(i, count)
    {
        bool fresh = i < count && atomicExch(&b.stamp[seeds[i]], b.tick) != b.tick;
        u64 to = reserve(&b.mark[SAMPLE_COUNT], fresh);
        if (fresh) b.found[to] = seeds[i];
    }
}

/* Ends a step: mark[level] = vertices found so far, and no draws are left. */
static __global__ void close_step(struct sample_view b, int level)
{
    CUDA_EACH(i, 1)
    {
        b.mark[level] = b.mark[SAMPLE_COUNT];
        b.mark[SAMPLE_DRAWS] = 0;
    }
}

static __global__ void count_found(struct sample_view b, uint32_t *feature)
{
    CUDA_EACH(i, b.mark[SAMPLE_COUNT]) atomicAdd(&feature[b.found[i]], 1u);
}

/* ---- launches ---- */

static uint64_t at_most(uint64_t n, uint64_t most) { return n < most ? n : most; }

static void launch_choose(const struct sample_session *s, const sample_scratch &b, const struct sample_step &h,
                          const struct sample_view &view, const struct sample_tally &c, bool counted)
{
    const struct sample_graph &g = s->place.view;
    uint64_t threads = at_most(h.most, s->wave), sets = at_most(h.most, s->z.sets);
    if (h.fanout <= SAMPLE_SMALL && counted) CUDA_LAUNCH(sample_draw_choose<true>, threads, b.stream.at, g, h, view, c);
    else if (h.fanout <= SAMPLE_SMALL) CUDA_LAUNCH(sample_draw_choose<false>, threads, b.stream.at, g, h, view, c);
    else if (counted) CUDA_LAUNCH(choose_wide<true>, sets, b.stream.at, g, h, view, c);
    else CUDA_LAUNCH(choose_wide<false>, sets, b.stream.at, g, h, view, c);
}

/* Launches one hop, in steps. */
static void launch_hop(struct sample_session *s, sample_scratch &b, struct sample_step h,
                       const struct sample_view &view, bool counted)
{
    const uint64_t frontier = s->z.frontier[h.hop], each = s->z.room / h.fanout, n = s->p.n;
    struct sample_tally c = {nullptr, nullptr, s->sums.at, s->sums.at + SAMPLE_SERVED};
    if (counted) {
        c.lines = s->counts.at + n;
        c.visits = s->counts.at + (2 + h.hop) * n;
    }
    for (h.from = 0; h.from < frontier; h.from += each) {
        h.most = at_most(frontier - h.from, each);
        launch_choose(s, b, h, view, c, counted);
        CUDA_LAUNCH(look, at_most((h.most * h.fanout + LOOKS_EACH - 1) / LOOKS_EACH, s->wave), b.stream.at, view);
        CUDA_LAUNCH(close_step, 1, b.stream.at, view, (int)h.hop + 2);
    }
}

enum st sample_launch(struct sample_session *s, sample_scratch &b, uint64_t task, bool counted, struct err *err)
{
    const struct sampling_problem *p = &s->p;
    uint64_t epoch = task / s->batches, batch = task % s->batches, first = batch * p->batch,
             seeds = at_most(s->train_count - first, p->batch);
    struct sample_step h =
        {p->seed,         p->line_bytes,           0, (uint32_t)batch, (uint32_t)s->id << 24 | (uint32_t)epoch, 0, 0, 0,
         p->frontier_all, (uint32_t)s->z.set_cells};
    if (++b.tick == 0) { /* after 2^32 mini-batches the stamps are cleared */
        CUDA_TRY(cuda_check(cudaMemsetAsync(b.stamp.at, 0, p->n * sizeof(uint32_t), b.stream.at),
                            "drawing mini-batches", err));
        b.tick = 1;
    }
    struct sample_view view = {b.stamp.at, b.found.at, b.set.at, b.entry.at, b.mark.at, b.tick};
    CUDA_TRY(cuda_check(cudaMemsetAsync(b.mark.at, 0, SAMPLE_MARKS * sizeof(u64), b.stream.at), "drawing mini-batches",
                        err));
    CUDA_LAUNCH(begin_with, seeds, b.stream.at, view, s->order.at + epoch * s->train_count + first, seeds);
    CUDA_LAUNCH(close_step, 1, b.stream.at, view, 1);
    for (int hop = 0; hop < p->hops; hop++) {
        h.hop = (uint32_t)hop;
        h.fanout = p->fanout[hop];
        launch_hop(s, b, h, view, counted);
    }
    if (counted) CUDA_LAUNCH(count_found, at_most(p->capacity, s->wave), b.stream.at, view, s->counts.at);
    return cuda_check(cudaGetLastError(), "drawing mini-batches", err);
}
