/* tally.cu - the counting of a replay on the device.
 *
 * All arrays are read in the order of vertices: one pass over the counts per placement, with two bytes per vertex of
 * its tables. A block sums by source in shared memory, and in registers for the host, which serves most rows. Offsets
 * and tables stay on the device between groups of mini-batches. When they and the counts do not fit, vertices pass in
 * pieces. Counts that a sampler has on the device are read there.
 */
#include <new>
#include "kernels/cuda/staging.cuh"
#include "kernels/tally_vertex.h"

namespace
{

enum { KINDS = 5, ROWS = 0, VISITS, DRAWS, DEGREES, ENTRIES }; /* sums by source, in the order of struct tally_sums */
enum { TOPOLOGY, FEATURE, LINES, TOTALS };
static_assert(sizeof(struct tally_sums) == (KINDS * TALLY_SOURCES_MAX + TOTALS) * sizeof(uint64_t), "sums are one "
                                                                                                    "array of words");
static_assert(sizeof(struct tally_hops) == (2 * TALLY_HOPS_MAX + 1) * sizeof(uint64_t), "so are those of the hops");

/* Adds the sum over a warp to `to`. */
__device__ inline void add_warp(u64 mine, u64 *to)
{
    mine = cuda_warp_sum(mine);
    if (threadIdx.x % CUDA_WARP == 0 && mine) atomicAdd(to, mine);
}

__global__ void sum_hops(struct tally_rule rule, struct tally_counts c, const int64_t *indptr, uint64_t from,
                         uint64_t n, struct tally_hops *out)
{
    struct tally_hops mine = {};
    CUDA_EACH(v, n)
    if (c.feature[v]) (void)tally_see(&rule, &c, v, from + v, (uint64_t)(indptr[v + 1] - indptr[v]), &mine);
    for (int h = 0; h < rule.hops; h++) {
        add_warp(mine.visits[h], (u64 *)&out->visits[h]);
        add_warp(mine.draws[h], (u64 *)&out->draws[h]);
    }
    add_warp(mine.all_draws, (u64 *)&out->all_draws);
}

/* sums: the words of one struct tally_sums. */
__global__ void sum_sources(struct tally_rule rule, struct tally_counts c, const int64_t *indptr,
                            const uint8_t *topology, const uint8_t *feature, int sources, uint64_t from, uint64_t n,
                            u64 *sums)
{
    enum { COPIES = 4 }; /* of each sum, so that neighbouring lanes with the same source rarely wait for each other */
    __shared__ u64 held[KINDS * TALLY_SOURCES_MAX * COPIES];
    u64 host[KINDS] = {}, total[TOTALS] = {};
    for (unsigned i = threadIdx.x; i < KINDS * TALLY_SOURCES_MAX * COPIES; i += blockDim.x) held[i] = 0;
    __syncthreads();
    CUDA_EACH(v, n)
    {
        if (!c.feature[v]) continue;
        struct tally_seen s = tally_see(&rule, &c, v, from + v, (uint64_t)(indptr[v + 1] - indptr[v]), nullptr);
        u64 by[KINDS] = {s.rows, s.visits, s.draws, s.degrees, s.entries};
        int t = topology[v], f = feature[v];
        for (int k = 0; k < KINDS; k++) {
            int source = k == ROWS ? f : t;
            if (!source) host[k] += by[k];
            else if (by[k])
                atomicAdd(&held[(k * TALLY_SOURCES_MAX + source) * COPIES + (int)threadIdx.x % COPIES], by[k]);
        }
        total[TOPOLOGY] += t ? 0 : s.lines;
        total[FEATURE] += f ? 0 : s.feature_lines;
        total[LINES] += s.lines;
    }
    __syncthreads();
    for (int k = 0; k < KINDS; k++) add_warp(host[k], &sums[k * TALLY_SOURCES_MAX]);
    for (int k = 0; k < TOTALS; k++) add_warp(total[k], &sums[KINDS * TALLY_SOURCES_MAX + k]);
    for (int i = (int)threadIdx.x; i < KINDS * sources; i += (int)blockDim.x) {
        int cell = i / sources * TALLY_SOURCES_MAX + i % sources;
        u64 mine = 0;
        for (int copy = 0; copy < COPIES; copy++) mine += held[cell * COPIES + copy];
        if (mine) atomicAdd(&sums[cell], mine);
    }
}

/* ---- session ---- */

struct session {
    struct tally_problem p;
    struct tally_rule rule;
    uint64_t piece; /* vertices of a piece; n: one piece, and offsets and tables stay */
    cuda_stream stream;
    cuda_staging staging;
    device_array<int64_t> indptr;  /* [piece + 1] */
    device_array<uint8_t> where;   /* [2 * placements][piece] */
    device_array<uint32_t> counts; /* [3 + hops][piece] copies of host counts */
    device_array<u64> sums;        /* [placements] of struct tally_sums, then one of struct tally_hops */
    host_array<u64> sums_here;
};

enum { SUMS_WORDS = sizeof(struct tally_sums) / sizeof(u64), HOPS_WORDS = sizeof(struct tally_hops) / sizeof(u64) };

uint64_t words_of(const session *s) { return (uint64_t)s->p.placements * SUMS_WORDS + HOPS_WORDS; }

/* Copies offsets and tables of vertices from..from+n-1. */
enum st load_tables(session *s, uint64_t from, uint64_t n, struct err *err)
{
    CUDA_TRY(s->staging.to_device(s->indptr.at, s->p.indptr + from, (n + 1) * sizeof(int64_t), s->stream.at, err));
    for (int i = 0; i < 2 * s->p.placements; i++)
        CUDA_TRY(
            s->staging.to_device(s->where.at + (uint64_t)i * s->piece, s->p.where[i] + from, n, s->stream.at, err));
    return ST_OK;
}

enum st allocate_session(session *s, int threads, struct err *err)
{
    const struct tally_problem *p = &s->p;
    const uint64_t kinds = p->on_device ? 0 : 3 + (uint64_t)p->hops, each = 8 + 2 * (uint64_t)p->placements + 4 * kinds,
                   slack = 64 << 20;
    size_t available = 0, all = 0;
    CUDA_TRY(cuda_check(cudaMemGetInfo(&available, &all), "asking for free GPU memory", err));
    uint64_t most = (available > 2 * slack ? available - slack : available / 2) / each;
    s->piece = p->n <= most ? p->n : CUDA_PIECE / each < most ? CUDA_PIECE / each : most ? most : 1;
    CUDA_TRY(s->stream.open(err));
    CUDA_TRY(s->staging.open(threads, (s->piece + 1) * sizeof(int64_t), err));
    CUDA_TRY(s->indptr.allocate(s->piece + 1, "replaying plans", err));
    CUDA_TRY(s->where.allocate(2 * (uint64_t)p->placements * s->piece, "replaying plans", err));
    CUDA_TRY(s->counts.allocate(kinds * s->piece, "replaying plans", err));
    CUDA_TRY(s->sums.allocate(words_of(s), "replaying plans", err));
    CUDA_TRY(s->sums_here.allocate(words_of(s), "replaying plans", err));
    return s->piece == p->n ? load_tables(s, 0, p->n, err) : ST_OK;
}

void session_close(void *of)
{
    session *s = static_cast<session *>(of);
    if (s && s->stream.at) (void)cudaStreamSynchronize(s->stream.at);
    delete s;
}

enum st session_open(int threads, const struct tally_problem *p, void **out, struct err *err)
{
    session *s = new (std::nothrow) session();
    if (!s) return err_set(err, ST_LIMIT, "there is no memory left for replaying plans");
    s->p = *p;
    s->rule = tally_rule_of(p);
    enum st st = allocate_session(s, threads, err);
    if (st == ST_OK) *out = s;
    else session_close(s);
    return st;
}

/* The counts of vertices from..from+n-1 as arguments of kernels; host counts are copied. */
enum st load_counts(session *s, const struct tally_counts *c, uint64_t from, uint64_t n, struct tally_counts *out,
                    struct err *err)
{
    const uint32_t **to[3 + TALLY_HOPS_MAX] = {&out->feature, &out->lines, &out->draws};
    *out = *c;
    for (int h = 0; h < s->p.hops; h++) to[3 + h] = &out->visits[h];
    for (int i = 0; i < 3 + s->p.hops; i++) {
        const uint32_t *here = *to[i];
        if (!here) continue;
        *to[i] = here + from;
        if (c->on_device) continue;
        *to[i] = s->counts.at + (uint64_t)i * s->piece;
        CUDA_TRY(s->staging.to_device(s->counts.at + (uint64_t)i * s->piece, here + from, n * sizeof(uint32_t),
                                      s->stream.at, err));
    }
    return ST_OK;
}

enum st add_piece(session *s, const struct tally_counts *c, uint64_t from, uint64_t n, struct err *err)
{
    const struct tally_problem *p = &s->p;
    struct tally_counts here;
    if (s->piece < p->n) CUDA_TRY(load_tables(s, from, n, err));
    CUDA_TRY(load_counts(s, c, from, n, &here, err));
    CUDA_LAUNCH(sum_hops, cuda_reducers(n), s->stream.at, s->rule, here, s->indptr.at, from, n,
                (struct tally_hops *)(s->sums.at + (uint64_t)p->placements * SUMS_WORDS));
    for (int i = 0; i < p->placements; i++)
        CUDA_LAUNCH(sum_sources, cuda_reducers(n), s->stream.at, s->rule, here, s->indptr.at,
                    s->where.at + 2 * (uint64_t)i * s->piece, s->where.at + (2 * (uint64_t)i + 1) * s->piece,
                    p->sources, from, n, s->sums.at + (uint64_t)i * SUMS_WORDS);
    return cuda_check(cudaGetLastError(), "replaying plans", err);
}

void add_words(const u64 *from, uint64_t count, void *to)
{
    uint64_t *at = static_cast<uint64_t *>(to);
    for (uint64_t i = 0; i < count; i++) at[i] += from[i];
}

enum st session_add(void *of, const struct tally_counts *c, struct tally_sums *sums, struct tally_hops *hops,
                    struct err *err)
{
    session *s = static_cast<session *>(of);
    const uint64_t words = words_of(s);
    CUDA_TRY(cuda_clear(s->sums.at, words * sizeof(u64), s->stream.at, err));
    for (uint64_t from = 0; from < s->p.n; from += s->piece)
        CUDA_TRY(add_piece(s, c, from, s->p.n - from < s->piece ? s->p.n - from : s->piece, err));
    CUDA_TRY(cuda_check(cudaMemcpyAsync(s->sums_here.at, s->sums.at, words * sizeof(u64), cudaMemcpyDeviceToHost,
                                        s->stream.at),
                        "copying from the GPU", err));
    CUDA_TRY(s->stream.wait("replaying plans", err));
    for (int i = 0; i < s->p.placements; i++)
        add_words(s->sums_here.at + (uint64_t)i * SUMS_WORDS, SUMS_WORDS, &sums[i]);
    add_words(s->sums_here.at + (uint64_t)s->p.placements * SUMS_WORDS, HOPS_WORDS, hops);
    return ST_OK;
}

} // namespace

const struct tally cuda_tally = {session_open, session_add, session_close};
