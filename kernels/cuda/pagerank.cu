/* pagerank.cu - PageRank steps, pushed along the rows by atomic additions of integers, whose order does not matter.
 *
 * Work is cut by edges, not by rows, so many threads share a hub: each thread takes eight edges and finds the row of
 * the first by binary search. Offsets and values (32 bytes per vertex) must fit the device. The neighbour lists stay
 * there when several steps follow and they fit; otherwise they pass through two device buffers, in a stream of their
 * own.
 */
#include <new>
#include "kernels/cuda/staging.cuh"
#include "kernels/push.h"

enum { EDGES_EACH = 8 };

static __global__ void find_shares(const int64_t *indptr, const uint64_t *x, uint64_t n, uint64_t *share)
{
    CUDA_EACH(v, n)
    {
        uint64_t degree = (uint64_t)(indptr[v + 1] - indptr[v]);
        share[v] = degree ? x[v] / degree : 0;
    }
}

/* The row that edge e lies in: the last v with indptr[v] <= e. */
static __device__ uint64_t row_of(const int64_t *indptr, uint64_t n, int64_t e)
{
    uint64_t from = 0, to = n;
    while (to - from > 1) {
        uint64_t middle = from + (to - from) / 2;
        if (indptr[middle] <= e) from = middle;
        else to = middle;
    }
    return from;
}

/* Pushes edges first..first+count-1, whose heads are in `heads`. */
static __global__ void push_edges(const int64_t *indptr, uint64_t n, const uint32_t *heads, uint64_t first,
                                  uint64_t count, const uint64_t *share, uint64_t *sum)
{
    CUDA_EACH(group, (count + EDGES_EACH - 1) / EDGES_EACH)
    {
        uint64_t e = group * EDGES_EACH, end = e + EDGES_EACH < count ? e + EDGES_EACH : count;
        uint64_t v = row_of(indptr, n, (int64_t)(first + e));
        for (; e < end; e++) {
            if (indptr[v + 1] <= (int64_t)(first + e)) { /* the next row, or one behind empty rows */
                v++;
                if (indptr[v + 1] <= (int64_t)(first + e)) v += row_of(indptr + v, n - v, (int64_t)(first + e));
            }
            u64 pushed = share[v];
            if (pushed) atomicAdd((u64 *)&sum[heads[e]], pushed);
        }
    }
}

/* y holds sums and becomes ranks. 1000 divides out of the sum first, so that no wider type is needed. */
static __global__ void finish(const uint64_t *x, uint64_t n, uint64_t base, uint32_t permille, uint64_t *y,
                              uint64_t *change)
{
    u64 mine = 0;
    CUDA_EACH(u, n)
    {
        uint64_t rank = base + y[u] / 1000 * permille + y[u] % 1000 * permille / 1000;
        mine += rank > x[u] ? rank - x[u] : x[u] - rank;
        y[u] = rank;
    }
    mine = cuda_warp_sum(mine);
    if (threadIdx.x % CUDA_WARP == 0) atomicAdd((u64 *)change, mine);
}

/* ---- session ---- */

namespace
{

struct session {
    struct pagerank_problem p;
    uint64_t edges = 0, piece = 0; /* piece: edges in a buffer; equal to edges when the lists stay */
    cuda_stream work, copies;
    cuda_staging staging;
    device_array<int64_t> indptr;
    device_array<uint64_t> value[2], share, change;
    device_array<uint32_t> heads[2];
    cuda_event filled[2], pushed[2];
    host_array<uint64_t> change_here;
    int now = 0; /* value[now] is x */
};

void session_close(void *of)
{
    session *s = static_cast<session *>(of);
    if (s && s->copies.at) (void)cudaStreamSynchronize(s->copies.at);
    if (s && s->work.at) (void)cudaStreamSynchronize(s->work.at); /* nothing may use the arrays that are freed */
    delete s;
}

enum st allocate_values(session *s, struct err *err)
{
    const uint64_t n = s->p.n;
    CUDA_TRY(s->work.open(err));
    CUDA_TRY(s->copies.open(err));
    CUDA_TRY(s->indptr.allocate(n + 1, "ranking", err));
    CUDA_TRY(s->value[0].allocate(n, "ranking", err));
    CUDA_TRY(s->value[1].allocate(n, "ranking", err));
    CUDA_TRY(s->share.allocate(n, "ranking", err));
    CUDA_TRY(s->change.allocate(1, "ranking", err));
    CUDA_TRY(s->change_here.allocate(1, "ranking", err));
    for (int b = 0; b < 2; b++) {
        CUDA_TRY(s->filled[b].open(err));
        CUDA_TRY(s->pushed[b].open(err));
    }
    return s->staging.open(s->staging.threads, (n + 1 > s->edges ? n + 1 : s->edges) * sizeof(uint64_t), err);
}

/* The lists stay when several steps follow and they fit the free memory, of which an eighth is left to others. */
enum st allocate_lists(session *s, bool several, struct err *err)
{
    const uint64_t most = CUDA_PIECE / sizeof(uint32_t), bytes = s->edges * sizeof(uint32_t);
    size_t available = 0, all = 0;
    CUDA_TRY(cuda_check(cudaMemGetInfo(&available, &all), "asking for free GPU memory", err));
    bool stay = several && bytes < available - available / 8;
    uint64_t half = available / 4 / sizeof(uint32_t) + 1, streamed = most < half ? most : half;
    s->piece = stay || s->edges < streamed ? s->edges : streamed;
    CUDA_TRY(s->heads[0].allocate(s->piece, "ranking", err));
    if (s->piece < s->edges) return s->heads[1].allocate(s->piece, "ranking", err);
    return s->staging.to_device(s->heads[0].at, s->p.indices, bytes, s->work.at, err);
}

enum st session_make(int threads, const struct pagerank_problem *p, bool several, session **out, struct err *err)
{
    session *s = new (std::nothrow) session();
    if (!s) return err_set(err, ST_LIMIT, "there is no memory left for ranking");
    s->p = *p;
    s->edges = p->n ? (uint64_t)p->indptr[p->n] : 0;
    s->staging.threads = threads;
    enum st st = allocate_values(s, err);
    if (st == ST_OK && p->n)
        st = s->staging.to_device(s->indptr.at, p->indptr, (p->n + 1) * sizeof(int64_t), s->work.at, err);
    if (st == ST_OK) st = allocate_lists(s, several, err);
    if (st == ST_OK) *out = s;
    else session_close(s);
    return st;
}

enum st push_piece(session *s, const uint32_t *heads, uint64_t first, uint64_t count, struct err *err)
{
    CUDA_LAUNCH(push_edges, (count + EDGES_EACH - 1) / EDGES_EACH, s->work.at, s->indptr.at, s->p.n, heads, first,
                count, s->share.at, s->value[s->now ^ 1].at);
    return cuda_check(cudaGetLastError(), "ranking", err);
}

/* Pushes lists that do not stay: one buffer is filled while the other is pushed. */
enum st push_stream(session *s, struct err *err)
{
    int b = 0;
    for (uint64_t first = 0; first < s->edges; first += s->piece, b ^= 1) {
        uint64_t count = s->edges - first < s->piece ? s->edges - first : s->piece;
        CUDA_TRY(cuda_check(cudaStreamWaitEvent(s->copies.at, s->pushed[b].at, 0), "ranking",
                            err)); /* not recorded: no wait */
        CUDA_TRY(
            s->staging.to_device(s->heads[b].at, s->p.indices + first, count * sizeof(uint32_t), s->copies.at, err));
        CUDA_TRY(s->filled[b].record(s->copies.at, err));
        CUDA_TRY(cuda_check(cudaStreamWaitEvent(s->work.at, s->filled[b].at, 0), "ranking", err));
        CUDA_TRY(push_piece(s, s->heads[b].at, first, count, err));
        CUDA_TRY(s->pushed[b].record(s->work.at, err));
    }
    return ST_OK;
}

/* One step from value[now] to the other array, which becomes value[now]. */
enum st step_here(session *s, struct err *err)
{
    const uint64_t n = s->p.n;
    uint64_t *x = s->value[s->now].at, *y = s->value[s->now ^ 1].at;
    CUDA_TRY(cuda_clear(y, n * sizeof *y, s->work.at, err));
    CUDA_TRY(cuda_clear(s->change.at, sizeof(uint64_t), s->work.at, err));
    CUDA_LAUNCH(find_shares, n, s->work.at, s->indptr.at, x, n, s->share.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "ranking", err));
    if (s->edges) CUDA_TRY(s->piece < s->edges ? push_stream(s, err) : push_piece(s, s->heads[0].at, 0, s->edges, err));
    CUDA_LAUNCH(finish, cuda_reducers(n), s->work.at, x, n, s->p.base, s->p.damping_permille, y, s->change.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "ranking", err));
    s->now ^= 1;
    return ST_OK;
}

enum st read_change(session *s, uint64_t *change, struct err *err)
{
    CUDA_TRY(
        cuda_check(cudaMemcpyAsync(s->change_here.at, s->change.at, sizeof *change, cudaMemcpyDeviceToHost, s->work.at),
                   "copying from the GPU", err));
    CUDA_TRY(s->work.wait("ranking", err));
    *change = s->change_here.at[0];
    return ST_OK;
}

enum st session_open(int threads, const struct pagerank_problem *p, void **out, struct err *err)
{
    session *s = nullptr;
    CUDA_TRY(session_make(threads, p, true, &s, err));
    *out = s;
    return ST_OK;
}

enum st session_step(void *of, const uint64_t *x, uint64_t *y, uint64_t *change, struct err *err)
{
    session *s = static_cast<session *>(of);
    *change = 0;
    if (!s->p.n) return ST_OK;
    CUDA_TRY(s->staging.to_device(s->value[s->now].at, x, s->p.n * sizeof *x, s->work.at, err));
    CUDA_TRY(step_here(s, err));
    CUDA_TRY(read_change(s, change, err));
    return s->staging.to_host(y, s->value[s->now].at, s->p.n * sizeof *y, s->work.at, err);
}

/* Values stay on the device between steps. Without a limit the host reads nothing until the end. */
enum st session_iterate(void *of, int rounds, uint64_t limit, uint64_t *x, int *taken, struct err *err)
{
    session *s = static_cast<session *>(of);
    uint64_t change = UINT64_MAX;
    *taken = 0;
    if (s->p.n) CUDA_TRY(s->staging.to_device(s->value[s->now].at, x, s->p.n * sizeof *x, s->work.at, err));
    for (; *taken < rounds && change >= limit; ++*taken) {
        change = s->p.n ? change : 0;
        if (s->p.n) CUDA_TRY(step_here(s, err));
        if (s->p.n && limit) CUDA_TRY(read_change(s, &change, err));
    }
    return s->p.n ? s->staging.to_host(x, s->value[s->now].at, s->p.n * sizeof *x, s->work.at, err) : ST_OK;
}

} // namespace

const struct push_device cuda_push = {session_open, session_step, session_iterate, session_close, NULL};

enum st cuda_pagerank_step(int threads, const struct pagerank_problem *p, const uint64_t *x, uint64_t *share,
                           uint64_t *y, uint64_t *change, struct err *err)
{
    session *s = nullptr;
    (void)share; /* host scratch is not needed */
    *change = 0;
    if (!p->n) return ST_OK;
    CUDA_TRY(session_make(threads, p, false, &s, err));
    enum st st = session_step(s, x, y, change, err);
    session_close(s);
    return st;
}
