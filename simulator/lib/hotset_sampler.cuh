/* hotset_sampler.cuh - the kernels of hotset_sampler.cu. A hop takes seven: `visit` finds the list of each vertex that
 * it expands and how many neighbours are drawn, `choose` writes where these lie, in the order of the vertices, `look`
 * reads them, `tell` and `keep` give a number to those that are new, in the order of the draws; `add` sums tiles
 * between.
 *
 * A vertex has a word: age << 32 | number. Ages fall from mini-batch to mini-batch, so one atomicMin replaces words of
 * earlier ones and keeps the least of this one: the number of a vertex that is known, else the first draw of it,
 * counted from the number of those known, which is larger than any of theirs.
 */
#ifndef SIMULATOR_LIB_HOTSET_SAMPLER_CUH
#define SIMULATOR_LIB_HOTSET_SAMPLER_CUH

#include "base/cacheline.h"
#include "base/draws.h"
#include "simulator/lib/hotset_sampler.h"

namespace
{

typedef unsigned long long u64;
enum { TILE = 256, WARP = 32 };   /* TILE: threads of a block, and things that it takes at a time */
const uint32_t NONE = UINT32_MAX; /* a seed beyond the graph */

/* Numbers on the device that say how far a mini-batch is: vertices known at the end of each level, with 0 before; draws
 * so far before each hop; seeds; what could not be read. */
enum { KNOWN = 0, DRAWN = HOTSET_HOPS_MAX + 2, NOTHING = 2 * HOTSET_HOPS_MAX + 3, SEEDS, BAD, MARKS };

/* The lists of a GPU: offsets [rows + 1], with `places` where each begins in the graph [rows], neighbours [entries]. */
struct held {
    const void *base;
    uint64_t rows, entries;
};

/* A vertex that a hop expands. at: where its list begins in the graph. */
struct visited {
    const uint32_t *list;
    uint64_t at;
    uint32_t degree, from_host;
};

/* A hop of a mini-batch, as kernels get it. */
struct task {
    const hotset_lookup *table;
    const int64_t *indptr;
    const uint32_t *indices;
    uint64_t vertices, edges, seed, age;
    uint32_t memories, places, every, hop, fanout, number, who;
    int32_t shift; /* log2 of the bytes of a line */
    u64 *word;
    visited *visit;
    const uint32_t **entry;
    uint32_t *tile, *seeds;
    uint32_t *found, *row, *column; /* of the mini-batch: vertices; of draws who drew, and the neighbour */
    u64 *edge, *mark, *counts;
    held memory[HOTSET_MEMORIES_MAX];
};

/* A stretch of ids that may be new: where the marks say its begin and end are. */
struct stretch {
    const uint32_t *ids;
    uint32_t from, to, known; /* marks */
};

#define EACH_TILE(b, count) for (uint64_t b = blockIdx.x; b * TILE < (count); b += gridDim.x)
#define EACH(i, count)                                                                                                 \
    for (uint64_t i = (uint64_t)blockIdx.x * TILE + threadIdx.x; i < (count); i += (uint64_t)gridDim.x * TILE)

/* Shared memory of sum_before. */
typedef uint32_t warp_sums[TILE / WARP];

/* The sum of `mine` over the threads of the block before this one, and over all. */
__device__ uint32_t sum_before(warp_sums &sum, uint32_t mine, uint32_t *all)
{
    uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, upto = mine, before = 0;
    for (uint32_t near = 1; near < WARP; near *= 2) {
        uint32_t other = __shfl_up_sync(~0u, upto, near);
        if (lane >= near) upto += other;
    }
    if (lane == WARP - 1) sum[warp] = upto;
    __syncthreads();
    *all = 0;
    for (uint32_t w = 0; w < TILE / WARP; w++) {
        before += w < warp ? sum[w] : 0;
        *all += sum[w];
    }
    __syncthreads(); /* the next call writes sum */
    return before + upto - mine;
}

/* The list of v, and the place that serves it: a position, `memories` for the host, one more for none. */
__device__ inline uint32_t list_of(const task &t, uint32_t v, visited *out)
{
    uint32_t m = t.memories;
    uint64_t slot, begin, end, most = t.edges;
    *out = {nullptr, 0, 0, 0};
    if (hotset_find(t.table, v, &m, &slot)) {
        if (m >= t.memories || !t.memory[m].base || slot >= t.memory[m].rows) return t.memories + 1;
        const uint64_t *offset = (const uint64_t *)t.memory[m].base, *at = offset + t.memory[m].rows + 1;
        begin = offset[slot], end = offset[slot + 1], most = t.memory[m].entries;
        out->list = (const uint32_t *)(at + (t.places ? t.memory[m].rows : 0)) + begin;
        out->at = t.places ? at[slot] : 0;
    } else {
        begin = (uint64_t)t.indptr[v], end = (uint64_t)t.indptr[v + 1];
        *out = {t.indices + begin, begin, 0, 1};
    }
    if (begin > end || end > most || end - begin > UINT32_MAX) return t.memories + 1;
    out->degree = (uint32_t)(end - begin);
    return m;
}

__device__ inline uint32_t taken(const task &t, uint32_t degree) { return degree < t.fanout ? degree : t.fanout; }

/* The vertices that the hop expands: found[*first..). */
__device__ inline uint64_t expanded(const task &t, uint64_t *first)
{
    *first = t.every ? 0 : t.mark[KNOWN + t.hop];
    return t.mark[KNOWN + t.hop + 1] - *first;
}

__global__ void visit(const __grid_constant__ task t)
{
    __shared__ u64 counted[HOTSET_MEMORIES_MAX + 2];
    __shared__ warp_sums sums;
    uint64_t first, count = expanded(t, &first);
    for (uint32_t k = threadIdx.x; k < t.memories + 2; k += TILE) counted[k] = 0;
    __syncthreads();
    EACH_TILE(b, count)
    {
        uint64_t i = b * TILE + threadIdx.x;
        visited one = {nullptr, 0, 0, 0};
        uint32_t all;
        if (i < count) {
            uint32_t place = list_of(t, t.found[first + i], &one);
            atomicAdd(&counted[place], (u64)1);
            if (place > t.memories) one.degree = 0;
            t.visit[i] = one;
        }
        (void)sum_before(sums, taken(t, one.degree), &all);
        if (threadIdx.x == 0) t.tile[b] = all;
    }
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < t.memories + 2; k += TILE)
        if (counted[k]) {
            atomicAdd(&t.counts[k], counted[k]);
            if (k == t.memories + 1) atomicAdd(&t.mark[BAD], counted[k]);
        }
}

/* Tiles become the sums of those before; mark[to] = mark[from] + all. One block. things: as the kernel before. */
__device__ void add_tiles(const task &t, warp_sums &sums, uint64_t things, uint32_t from, uint32_t to)
{
    uint64_t tiles = (things + TILE - 1) / TILE, sum = 0;
    for (uint64_t b = 0; b < tiles; b += TILE) {
        uint32_t all, mine = b + threadIdx.x < tiles ? t.tile[b + threadIdx.x] : 0,
                      before = sum_before(sums, mine, &all);
        if (b + threadIdx.x < tiles) t.tile[b + threadIdx.x] = (uint32_t)sum + before;
        sum += all;
    }
    if (threadIdx.x == 0) t.mark[to] = t.mark[from] + sum;
}

__global__ void add_draws(const __grid_constant__ task t)
{
    __shared__ warp_sums sums;
    uint64_t first, count = expanded(t, &first);
    add_tiles(t, sums, count, DRAWN + t.hop, DRAWN + t.hop + 1);
}

__global__ void add_new(const __grid_constant__ task t, stretch s)
{
    __shared__ warp_sums sums;
    add_tiles(t, sums, t.mark[s.to] - t.mark[s.from], s.known, s.known + 1);
}

/* Lines of a visit of v on the host. */
__device__ inline uint64_t lines_of(const task &t, uint32_t v, const visited &r, const uint32_t *picks)
{
    uint64_t line = (uint64_t)1 << t.shift;
    return cachelines_of_offsets(v, line) + (r.degree <= t.fanout
                                                 ? cachelines_touched(4 * r.at, 4 * (uint64_t)r.degree, line)
                                                 : cachelines_listed(4 * r.at, r.degree, picks, t.fanout, t.shift));
}

__global__ void choose(const __grid_constant__ task t)
{
    __shared__ u64 lines;
    __shared__ warp_sums sums;
    uint64_t first, count = expanded(t, &first), drawn = t.mark[DRAWN + t.hop];
    if (threadIdx.x == 0) lines = 0;
    __syncthreads();
    EACH_TILE(b, count)
    {
        uint64_t i = b * TILE + threadIdx.x;
        visited r = {nullptr, 0, 0, 0};
        uint32_t picks[HOTSET_SAMPLER_FANOUT_MAX], all, v = 0;
        if (i < count) r = t.visit[i], v = t.found[first + i];
        uint32_t some = taken(t, r.degree);
        uint64_t to = t.tile[b] + sum_before(sums, some, &all);
        if (r.degree > t.fanout) {
            draw_key key = {t.seed, v, t.hop, t.number, t.who};
            draws_listed(&key, r.degree, some, picks);
        }
        for (uint32_t k = 0; k < some; k++) {
            uint32_t pick = r.degree > t.fanout ? picks[k] : k;
            t.entry[to + k] = r.list + pick;
            t.row[drawn + to + k] = (uint32_t)(first + i);
            if (t.places) t.edge[drawn + to + k] = r.at + pick;
        }
        if (i < count && r.from_host) atomicAdd(&lines, (u64)lines_of(t, v, r, picks));
    }
    __syncthreads();
    if (threadIdx.x == 0 && lines) atomicAdd(&t.counts[t.memories + 2], lines);
}

__device__ inline void seen(const task &t, uint32_t v, uint64_t number) { atomicMin(&t.word[v], t.age | number); }

__global__ void look(const __grid_constant__ task t)
{
    uint64_t from = t.mark[DRAWN + t.hop], count = t.mark[DRAWN + t.hop + 1] - from, known = t.mark[KNOWN + t.hop + 1];
    EACH (j, count) {
        uint32_t v = *t.entry[j];
        if (v >= t.vertices) { /* the vertex that drew stands for it */
            v = t.found[t.row[from + j]];
            atomicAdd(&t.counts[t.memories + 1], (u64)1);
            atomicAdd(&t.mark[BAD], (u64)1);
        }
        t.column[from + j] = v;
        seen(t, v, known + j);
    }
}

__global__ void look_at_seeds(const __grid_constant__ task t, const void *ids, uint32_t id_bytes, uint64_t count)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) t.mark[SEEDS] = count;
    EACH (j, count) {
        uint64_t v = id_bytes == 4 ? (uint64_t)((const uint32_t *)ids)[j] : ((const uint64_t *)ids)[j];
        t.seeds[j] = v < t.vertices ? (uint32_t)v : NONE;
        if (v < t.vertices) seen(t, (uint32_t)v, j);
        else {
            atomicAdd(&t.counts[t.memories + 1], (u64)1);
            atomicAdd(&t.mark[BAD], (u64)1);
        }
    }
}

/* Whether id j of the stretch is the first of a new vertex. */
__device__ inline bool is_new(const task &t, uint32_t v, uint64_t number)
{
    return v != NONE && *(volatile u64 *)&t.word[v] == (t.age | number);
}

__global__ void tell(const __grid_constant__ task t, stretch s)
{
    __shared__ warp_sums sums;
    uint64_t from = t.mark[s.from], count = t.mark[s.to] - from, known = t.mark[s.known];
    EACH_TILE(b, count)
    {
        uint64_t j = b * TILE + threadIdx.x;
        uint32_t all;
        (void)sum_before(sums, j < count && is_new(t, s.ids[from + j], known + j), &all);
        if (threadIdx.x == 0) t.tile[b] = all;
    }
}

/* Words go down to the final number, which no draw of this stretch has: those before it are of other vertices. */
__global__ void keep(const __grid_constant__ task t, stretch s)
{
    __shared__ warp_sums sums;
    uint64_t from = t.mark[s.from], count = t.mark[s.to] - from, known = t.mark[s.known];
    EACH_TILE(b, count)
    {
        uint64_t j = b * TILE + threadIdx.x;
        uint32_t all, v = j < count ? s.ids[from + j] : NONE;
        bool fresh = is_new(t, v, known + j);
        uint64_t number = known + t.tile[b] + sum_before(sums, fresh, &all);
        if (fresh) {
            t.found[number] = v;
            seen(t, v, number);
        }
    }
}

/* Neighbours become their numbers. */
__global__ void number_columns(const __grid_constant__ task t, uint32_t hops)
{
    EACH (j, t.mark[DRAWN + hops]) t.column[j] = (uint32_t)t.word[t.column[j]];
}

/* A mini-batch as 64-bit numbers. */
struct copies {
    const uint32_t *found, *row, *column;
    const u64 *edge;
    int64_t *vertices, *rows, *columns, *edges; /* NULL: not wanted */
    uint64_t count, draws;
};
__global__ void widen(copies c)
{
    EACH (i, c.count > c.draws ? c.count : c.draws) {
        if (i < c.count && c.vertices) c.vertices[i] = c.found[i];
        if (i < c.draws && c.rows) c.rows[i] = c.row[i];
        if (i < c.draws && c.columns) c.columns[i] = c.column[i];
        if (i < c.draws && c.edges) c.edges[i] = (int64_t)c.edge[i];
    }
}

/* A list from the graph into its slot. at: where it begins there. */
__global__ void put_lists(const uint32_t *indices, const uint64_t *at, const uint64_t *offset, uint64_t rows,
                          uint32_t *lists)
{
    uint64_t warps = (uint64_t)gridDim.x * (TILE / WARP);
    for (uint64_t k = ((uint64_t)blockIdx.x * TILE + threadIdx.x) / WARP; k < rows; k += warps)
        for (uint64_t e = threadIdx.x % WARP; e < offset[k + 1] - offset[k]; e += WARP)
            lists[offset[k] + e] = indices[at[k] + e];
}

} // namespace

#endif
