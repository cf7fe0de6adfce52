/* pagerank.cu - one PageRank step, pushed along the rows with atomic additions of integers, whose order does not matter.
 *
 * Work is cut by edges, not by rows, so a hub is shared by many threads: each thread takes eight edges and finds the row of the first by binary
 * search. The neighbour lists stream past in pieces; what must fit the device is 32 bytes per vertex.
 */
#include "kernels/cuda/cuda.cuh"

enum { EDGES_EACH = 8 };

static __global__ void find_shares(const int64_t *indptr, const uint64_t *x, uint64_t n, uint64_t *share)
{
    CUDA_EACH(v, n) {
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
        if (indptr[middle] <= e)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* Pushes edges first..first+count-1, whose heads are in `heads`. */
static __global__ void push_edges(const int64_t *indptr, uint64_t n, const uint32_t *heads, uint64_t first, uint64_t count, const uint64_t *share,
                                  uint64_t *sum)
{
    CUDA_EACH(group, (count + EDGES_EACH - 1) / EDGES_EACH) {
        uint64_t e = group * EDGES_EACH, end = e + EDGES_EACH < count ? e + EDGES_EACH : count;
        uint64_t v = row_of(indptr, n, (int64_t)(first + e));
        for (; e < end; e++) {
            while (indptr[v + 1] <= (int64_t)(first + e))
                v++;
            atomicAdd((u64 *)&sum[heads[e]], (u64)share[v]);
        }
    }
}

/* y holds sums and becomes ranks. 1000 divides out of the sum first, so that no wider type is needed. */
static __global__ void finish(const uint64_t *x, uint64_t n, uint64_t base, uint32_t permille, uint64_t *y, uint64_t *change)
{
    u64 mine = 0;
    CUDA_EACH(u, n) {
        uint64_t rank = base + y[u] / 1000 * permille + y[u] % 1000 * permille / 1000;
        mine += rank > x[u] ? rank - x[u] : x[u] - rank;
        y[u] = rank;
    }
    mine = cuda_warp_sum(mine);
    if (threadIdx.x % CUDA_WARP == 0)
        atomicAdd((u64 *)change, mine);
}

static enum st push_all(const struct pagerank_problem *p, const device_array<int64_t> &indptr, const device_array<uint64_t> &share,
                        device_array<uint64_t> &sum, struct err *err)
{
    const uint64_t edges = (uint64_t)p->indptr[p->n], most = CUDA_PIECE / sizeof(uint32_t), piece = edges < most ? edges : most;
    device_array<uint32_t> heads;

    CUDA_TRY(heads.take(piece, "ranking", err));
    for (uint64_t first = 0; first < edges; first += piece) {
        uint64_t count = edges - first < piece ? edges - first : piece;
        CUDA_TRY(heads.copy_in(p->indices + first, count, err));
        CUDA_LAUNCH(push_edges, (count + EDGES_EACH - 1) / EDGES_EACH, 0, indptr.at, p->n, heads.at, first, count, share.at, sum.at);
        CUDA_TRY(cuda_check(cudaGetLastError(), "ranking", err));
    }
    return cuda_check(cudaDeviceSynchronize(), "ranking", err); /* before the heads go back */
}

enum st cuda_pagerank_step(int threads, const struct pagerank_problem *p, const uint64_t *x, uint64_t *share, uint64_t *y, uint64_t *change,
                           struct err *err)
{
    device_array<int64_t> indptr;
    device_array<uint64_t> before, shares, after, changed;

    (void)threads, (void)share; /* the scratch on the host is not needed */
    *change = 0;
    if (!p->n)
        return ST_OK;
    CUDA_TRY(indptr.take_copy(p->indptr, p->n + 1, "ranking", err));
    CUDA_TRY(before.take_copy(x, p->n, "ranking", err));
    CUDA_TRY(shares.take(p->n, "ranking", err));
    CUDA_TRY(after.take(p->n, "ranking", err));
    CUDA_TRY(after.clear(p->n, err));
    CUDA_TRY(changed.take_copy(change, 1, "ranking", err));
    CUDA_LAUNCH(find_shares, p->n, 0, indptr.at, before.at, p->n, shares.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "ranking", err));
    CUDA_TRY(push_all(p, indptr, shares, after, err));
    CUDA_LAUNCH(finish, p->n, 0, before.at, p->n, p->base, p->damping_permille, after.at, changed.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "ranking", err));
    CUDA_TRY(after.copy_out(y, p->n, err));
    return changed.copy_out(change, 1, err);
}
